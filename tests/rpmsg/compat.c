// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program's ioctls on a 64-bit kernel: the structure has one layout,
 * so the same calls work. Made here by the 32-bit system call entry with
 * arguments below 4 GiB, which needs no 32-bit libraries.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"
#include "syscall32.h"

#ifdef __x86_64__

static struct sim sim;

static int ioctl32(int fd, unsigned int cmd, void *arg)
{
	int ret = syscall32(SYS32_IOCTL, fd, cmd, (unsigned long)arg);

	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* Without the entry in the kernel the instruction is a SIGSEGV. */
static bool has_32bit(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(syscall32(SYS32_GETPID, 0, 0, 0) != getpid());
	return child_status(pid) == 0;
}

static void *low_page(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (p == MAP_FAILED)
		bail("mmap below 4 GiB");
	return p;
}

static void calls(void)
{
	struct rpmsg_endpoint_fd_info *info = low_page();
	int *restricted = (int *)(info + 1);
	int ctrl = sim_up(&sim, "compat", 8);

	ept_info(info, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	works(ioctl32(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, info), "create");
	is(info->src, 1024, "src is written back");
	ok(ept_echoes(info->fd, 10, 1), "it talks");
	if (kernel_from(6, 12))
		works(ioctl32(info->fd, RPMSG_GET_OUTGOING_FLOWCONTROL,
			      restricted), "get flow control");
	fails(ioctl32(info->fd, RPMSG_CREATE_EPT_IOCTL, info), EINVAL,
	      "unknown on an endpoint");
	works(ioctl32(info->fd, RPMSG_DESTROY_EPT_IOCTL, NULL), "DESTROY");
	fails(write(info->fd, "x", 1), EPIPE, "it is destroyed");
	close(info->fd);
	info->flags = O_CREAT;
	fails(ioctl32(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, info), EINVAL,
	      "bad flags");
	fails(ioctl32(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, NULL), EFAULT,
	      "no structure");
	works(ioctl32(ctrl, RPMSG_CREATE_EPT_IOCTL, info), "legacy create");
	munmap(info, 4096);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = { { "calls", calls } };

	tap_start();
	if (!has_32bit())
		skip_all("this kernel has no 32-bit system calls");
	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}

#else

int main(void)
{
	tap_start();
	skip_all("written for x86-64 only");
}

#endif
