/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * rpmsg endpoints as file descriptors: what shortpath adds to the rpmsg uAPI.
 *
 * Everything the running system's own <linux/rpmsg.h> defines comes from there,
 * so put this folder in front of it: cc -I include/uapi. The same file is used
 * inside the module trees, in front of the kernel's own header.
 */
#ifndef _UAPI_SHORTPATH_LINUX_RPMSG_H
#define _UAPI_SHORTPATH_LINUX_RPMSG_H

#include_next <linux/rpmsg.h>

#include <linux/ioctl.h>
#include <linux/types.h>

/* Headers older than Linux 6.6 lack the flow-control ioctls of endpoints. */
#ifndef RPMSG_GET_OUTGOING_FLOWCONTROL
#define RPMSG_GET_OUTGOING_FLOWCONTROL	_IOR(0xb5, 0x5, int)
#endif

#ifndef RPMSG_SET_INCOMING_FLOWCONTROL
#define RPMSG_SET_INCOMING_FLOWCONTROL	_IOR(0xb5, 0x6, int)
#endif

#ifndef RPMSG_CREATE_EPT_FD_IOCTL

/**
 * struct rpmsg_endpoint_fd_info - argument of RPMSG_CREATE_EPT_FD_IOCTL
 * @name: in: name of the endpoint; need not end in a NUL, cut at 31 bytes
 * @src: in: local address, or RPMSG_ADDR_ANY to be given a free one;
 *	out: the local address the endpoint has
 * @dst: in: remote address that write() sends to. With RPMSG_ADDR_ANY the
 *	endpoint only receives: write() fails with EINVAL
 * @flags: in: O_RDONLY, O_WRONLY or O_RDWR, with any of O_NONBLOCK and
 *	O_CLOEXEC. The access mode 3 (O_ACCMODE) is accepted as open(2) accepts
 *	it: the descriptor can be neither read nor written
 * @fd: in: ignored; out: the new file descriptor
 *
 * Only a call that succeeds, or fails with EFAULT half way through its answer,
 * writes to the structure; @name, @dst and @flags are left as they were.
 */
struct rpmsg_endpoint_fd_info {
	char name[32];
	__u32 src;
	__u32 dst;
	__u32 flags;
	__s32 fd;
};

/**
 * RPMSG_CREATE_EPT_FD_IOCTL - create an endpoint and its file descriptor
 *
 * Called on /dev/rpmsg_ctrlN. No device, no device node and no udev event are
 * made: the endpoint is the descriptor and lives until RPMSG_DESTROY_EPT_IOCTL
 * on it, its last close, or the removal of the remote processor, whichever is
 * first. When the call fails, nothing is left behind: no descriptor, no
 * endpoint, and the address is free.
 *
 * Errors:
 *
 * * %EINVAL - @flags has a bit outside O_ACCMODE | O_NONBLOCK | O_CLOEXEC; or
 *   this kernel has no such ioctl (or it is switched off by the module
 *   parameter rpmsg_ctrl.ept_fd). **Probing**: a kernel that has the ioctl
 *   never answers EINVAL to valid @flags, whatever else is wrong, so EINVAL to
 *   a call with valid @flags means for certain that the ioctl is not there.
 * * %EFAULT - the structure cannot be read, or cannot be written.
 * * %EADDRINUSE - @src is given and already taken.
 * * %EADDRNOTAVAIL - @src is given and no rpmsg address: 0x80000000 or above
 *   and not RPMSG_ADDR_ANY.
 * * %ENETRESET - the remote processor behind the control device is gone.
 * * %EMFILE, %ENFILE, %ENOMEM - as open(2).
 *
 * The descriptor:
 *
 * * read() takes one message. A buffer that is too short gets the beginning,
 *   the rest is dropped. A message without payload reads as 0. When the remote
 *   processor is removed, what is queued can still be read, then %EPIPE. After
 *   RPMSG_DESTROY_EPT_IOCTL the queue is discarded: %EPIPE at once.
 * * write() sends one message. %EMSGSIZE over the transport's limit (496 bytes
 *   for virtio), %EAGAIN when no transmit buffer is free and O_NONBLOCK is set,
 *   %EPIPE once the endpoint is gone, also for a write that was blocked then.
 * * poll(): EPOLLIN a message is queued, EPOLLOUT a transmit buffer is free,
 *   EPOLLHUP | EPOLLERR the endpoint is gone, EPOLLPRI the remote changed its
 *   flow control (kernels with RPMSG_GET_OUTGOING_FLOWCONTROL).
 * * ioctl(): RPMSG_DESTROY_EPT_IOCTL, any number of times, and the two
 *   flow-control ioctls where the kernel has them; else %EINVAL.
 * * /proc/PID/fdinfo/FD shows addresses, mode, state, queue and counters.
 *
 * Received messages wait in a queue of the descriptor's own that holds up to
 * 256 messages or 256 KiB of payload, whichever is reached first. What arrives
 * beyond it is dropped and counted (rpmsg-rx-dropped in fdinfo), so that a slow
 * reader keeps no other endpoint from its messages. A descriptor that cannot be
 * read queues nothing: it drops and counts all it receives.
 *
 * A blocked write() waits for as long as it takes; a signal interrupts it.
 */
#define RPMSG_CREATE_EPT_FD_IOCTL _IOWR(0xb5, 0x7, struct rpmsg_endpoint_fd_info)

#endif /* RPMSG_CREATE_EPT_FD_IOCTL */

#endif /* _UAPI_SHORTPATH_LINUX_RPMSG_H */
