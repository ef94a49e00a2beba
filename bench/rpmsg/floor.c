// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor: what no descriptor made and unmade by system calls can undercut.
 *
 * eventfd() is the cheapest anonymous file a kernel offers.  Refused ioctls
 * stand for the calls a program makes anyway: they cross into the kernel, find
 * the file, and do nothing.
 */
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/rpmsg.h>

#include "ept_bench.h"

static int floor_once(int ioctls)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return ept_complain("eventfd");
	while (ioctls--)
		ioctl(fd, RPMSG_DESTROY_EPT_IOCTL);
	close(fd);
	return 0;
}

/**
 * floor_two_ioctls() - floor of create, destroy, close
 * @ctx: unused
 * @n: how often
 *
 * Return: 0, or -1 after a message.
 */
int floor_two_ioctls(void *ctx, long n)
{
	(void)ctx;
	while (n--)
		if (floor_once(2))
			return -1;
	return 0;
}

/**
 * floor_one_ioctl() - floor of create, close
 * @ctx: unused
 * @n: how often
 *
 * Return: 0, or -1 after a message.
 */
int floor_one_ioctl(void *ctx, long n)
{
	(void)ctx;
	while (n--)
		if (floor_once(1))
			return -1;
	return 0;
}

/**
 * bench_floor() - the floor alone, for a case whose sides another program runs
 * @opt: command line
 * @name: that case
 *
 * Return: 0, or -1 after a message.
 */
int bench_floor(const struct ept_options *opt, const char *name)
{
	struct bench_side side = {
		.name = name, .side = "floor", .ops = opt->ops,
		.run = floor_two_ioctls,
	};

	return bench_interleave(&opt->plan, &side, 1);
}
