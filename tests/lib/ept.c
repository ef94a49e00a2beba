// SPDX-License-Identifier: GPL-2.0-only
/* Endpoint file descriptors: making, talking, polling. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ept.h"
#include "file.h"
#include "module.h"

void ept_info(struct rpmsg_endpoint_fd_info *info, __u32 src, __u32 dst,
	      __u32 flags)
{
	memset(info, 0, sizeof(*info));
	memcpy(info->name, "test", 5);
	info->src = src;
	info->dst = dst;
	info->flags = flags;
	info->fd = -12345;
}

int ept_try(int ctrl, __u32 src, __u32 dst, __u32 flags)
{
	struct rpmsg_endpoint_fd_info info;

	ept_info(&info, src, dst, flags);
	if (ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info))
		return -1;
	return info.fd;
}

int ept_open(int ctrl, __u32 src, __u32 dst, __u32 flags)
{
	int fd = ept_try(ctrl, src, dst, flags);

	if (fd < 0)
		bail("RPMSG_CREATE_EPT_FD_IOCTL src 0x%x dst 0x%x flags 0%o",
		     src, dst, flags);
	return fd;
}

int ept_destroy(int fd)
{
	return ioctl(fd, RPMSG_DESTROY_EPT_IOCTL);
}

long ept_live(void)
{
	return mod_param("rpmsg_ctrl", "ept_fd_live");
}

static bool live_is(void *arg)
{
	return ept_live() == *(long *)arg;
}

bool ept_live_is(long n)
{
	return wait_until(live_is, &n, WAIT_MS);
}

short ept_poll_ms(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, ms);

	if (n < 0)
		bail("poll");
	return n ? p.revents : 0;
}

short ept_poll(int fd, short events)
{
	return ept_poll_ms(fd, events, 0);
}

ssize_t ept_recv(int fd, void *buf, size_t size)
{
	if (!(ept_poll_ms(fd, POLLIN, WAIT_MS) & POLLIN)) {
		errno = ETIME;
		return -1;
	}
	return read(fd, buf, size);
}

bool ept_echoes(int fd, size_t n, unsigned int seed)
{
	unsigned char out[EPT_MTU], in[EPT_MTU + 1];
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = seed + i * 7;
	if (write(fd, out, n) != (ssize_t)n)
		return false;
	return ept_recv(fd, in, sizeof(in)) == (ssize_t)n && !memcmp(in, out, n);
}

int ept_fill(int fd)
{
	int n = 0, fl = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, fl | O_NONBLOCK);
	while (write(fd, "fill", 4) == 4)
		n++;
	if (errno != EAGAIN)
		bail("write after %d messages", n);
	fcntl(fd, F_SETFL, fl);
	return n;
}
