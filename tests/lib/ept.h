/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoint file descriptors: making, talking, polling. */
#ifndef SHORTPATH_EPT_H
#define SHORTPATH_EPT_H

#include <linux/rpmsg.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EPT_MTU		496
#define EPT_QUEUE_MAX	256
#define EPT_ANY		RPMSG_ADDR_ANY

/* What poll() must say of a dead endpoint. */
#define POLL_DEAD	(POLLHUP | POLLERR)

/* Fill the request, with a name and an fd that the kernel must ignore. */
void ept_info(struct rpmsg_endpoint_fd_info *info, __u32 src, __u32 dst,
	      __u32 flags);
/* The ioctl: the new fd, or -1 and errno. */
int ept_try(int ctrl, __u32 src, __u32 dst, __u32 flags);
/* The same, but it must succeed. */
int ept_open(int ctrl, __u32 src, __u32 dst, __u32 flags);
int ept_destroy(int fd);

/* Endpoints that the module counts as live. */
long ept_live(void);
/* Wait until that is N. */
bool ept_live_is(long n);

/* Events now, or within MS. */
short ept_poll_ms(int fd, short events, int ms);
short ept_poll(int fd, short events);
/* Wait until readable, then read() without blocking. */
ssize_t ept_recv(int fd, void *buf, size_t size);
/* Send N bytes made from SEED and require the very same back. */
bool ept_echoes(int fd, size_t n, unsigned int seed);
/* Messages sent without blocking until EAGAIN; bails on another error. */
int ept_fill(int fd);

#endif /* SHORTPATH_EPT_H */
