// SPDX-License-Identifier: GPL-2.0-only
/* Endpoints by the old path, a device node, and the new, a file descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/rpmsg.h>

#include "ept_bench.h"

/**
 * ept_complain() - say what failed, with errno
 * @what: the operation
 *
 * Return: -1 always, for the caller to return.
 */
int ept_complain(const char *what)
{
	fprintf(stderr, "ept-bench: %s: %s\n", what, strerror(errno));
	return -1;
}

/**
 * ept_open_ctrl() - open the control device
 * @opt: command line
 *
 * The legacy path cannot say which node it made, so the benchmark must be
 * alone: the node may not exist yet.
 *
 * Return: descriptor, or -1 after a message.
 */
int ept_open_ctrl(const struct ept_options *opt)
{
	int fd;

	if (access(opt->node, F_OK) == 0) {
		fprintf(stderr, "ept-bench: %s exists: another program uses this remote\n",
			opt->node);
		return -1;
	}
	fd = open(opt->ctrl, O_RDWR | O_CLOEXEC);
	return fd < 0 ? ept_complain(opt->ctrl) : fd;
}

/**
 * ept_create_legacy() - an endpoint by way of a device node
 * @ctrl: control device
 * @node: path of the node that is going to appear
 * @dst: remote address
 *
 * Return: descriptor of the opened node, or -1 after a message.
 */
int ept_create_legacy(int ctrl, const char *node, unsigned int dst)
{
	struct rpmsg_endpoint_info info = {
		.name = "bench", .src = RPMSG_ADDR_ANY, .dst = dst,
	};
	int fd;

	if (ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, &info))
		return ept_complain("RPMSG_CREATE_EPT_IOCTL");
	fd = open(node, O_RDWR | O_CLOEXEC);
	return fd < 0 ? ept_complain(node) : fd;
}

/**
 * ept_create_fd() - an endpoint as a file descriptor
 * @ctrl: control device
 * @dst: remote address
 *
 * Return: descriptor of the endpoint, or -1 after a message.
 */
int ept_create_fd(int ctrl, unsigned int dst)
{
	struct rpmsg_endpoint_fd_info info = {
		.name = "bench", .src = RPMSG_ADDR_ANY, .dst = dst,
		.flags = O_RDWR | O_CLOEXEC, .fd = -1,
	};

	if (ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info))
		return ept_complain("RPMSG_CREATE_EPT_FD_IOCTL");
	return info.fd;
}

/**
 * ept_destroy() - destroy and close an endpoint of either kind
 * @fd: its descriptor
 *
 * Return: 0, or -1 after a message.
 */
int ept_destroy(int fd)
{
	int ret = ioctl(fd, RPMSG_DESTROY_EPT_IOCTL);

	if (ret)
		ept_complain("RPMSG_DESTROY_EPT_IOCTL");
	close(fd);
	return ret;
}
