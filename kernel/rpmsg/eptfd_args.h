/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an endpoint fd accepts and answers: pure decisions on plain numbers.
 *
 * Also compiles in user space (-I kernel/rpmsg), where it is tested. The
 * promises behind it stand in include/uapi/linux/rpmsg.h.
 */
#ifndef EPTFD_ARGS_H
#define EPTFD_ARGS_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/fcntl.h>
#else
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#endif

/* RPMSG_ADDR_ANY, without the need of a header that differs between the two. */
#define EPTFD_ADDR_ANY	0xFFFFFFFFu

/* Addresses are ints in the transports' tables. */
#define EPTFD_ADDR_MAX	0x7FFFFFFFu

/* Longest message where the transport does not tell its limit. */
#define EPTFD_MTU_UNKNOWN	(64 * 1024)

/**
 * eptfd_check_args() - judge the fixed part of a create request
 * @flags: as given by the caller
 * @src: local address as given by the caller
 *
 * EINVAL means a bad flag and nothing else, ever: see "Probing" in the uAPI
 * header.
 *
 * Return: 0 or a negative errno.
 */
static inline int eptfd_check_args(__u32 flags, __u32 src)
{
	if (flags & ~(__u32)(O_ACCMODE | O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	if (src > EPTFD_ADDR_MAX && src != EPTFD_ADDR_ANY)
		return -EADDRNOTAVAIL;
	return 0;
}

/**
 * eptfd_can_read() - does this access mode receive
 * @flags: checked flags; mode 3 neither reads nor writes, as open(2)
 *
 * Return: true for O_RDONLY and O_RDWR.
 */
static inline bool eptfd_can_read(__u32 flags)
{
	return (flags & O_ACCMODE) == O_RDONLY ||
	       (flags & O_ACCMODE) == O_RDWR;
}

/**
 * eptfd_can_write() - does this access mode send
 * @flags: checked flags
 *
 * Return: true for O_WRONLY and O_RDWR.
 */
static inline bool eptfd_can_write(__u32 flags)
{
	return (flags & O_ACCMODE) == O_WRONLY ||
	       (flags & O_ACCMODE) == O_RDWR;
}

/**
 * eptfd_create_errno() - why the transport gave no endpoint
 * @src: local address asked for
 *
 * rpmsg_create_ept() answers NULL to everything. With an address given, and
 * refused twice, it is a taken one; with none there was no memory.
 *
 * Return: a negative errno, never -EINVAL.
 */
static inline int eptfd_create_errno(__u32 src)
{
	return src == EPTFD_ADDR_ANY ? -ENOMEM : -EADDRINUSE;
}

/**
 * eptfd_no_room() - does this answer of a trysend mean "no buffer now"
 * @err: what rpmsg_trysendto() returned
 *
 * virtio says ENOMEM, the Qualcomm transports say EAGAIN.
 *
 * Return: true when trying again later can help.
 */
static inline bool eptfd_no_room(int err)
{
	return err == -ENOMEM || err == -EAGAIN;
}

/**
 * eptfd_mtu() - longest message to accept
 * @mtu: what rpmsg_get_mtu() returned, negative when the transport cannot tell
 *
 * Return: a length in bytes.
 */
static inline size_t eptfd_mtu(long mtu)
{
	return mtu < 0 ? EPTFD_MTU_UNKNOWN : (size_t)mtu;
}

#endif /* EPTFD_ARGS_H */
