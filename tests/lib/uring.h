/* SPDX-License-Identifier: GPL-2.0-only */
/* read() by io_uring, one at a time. */
#ifndef SHORTPATH_URING_H
#define SHORTPATH_URING_H

#include <linux/io_uring.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct uring {
	int fd;
	void *sq, *cq;
	struct io_uring_sqe *sqe;
	size_t sq_len, cq_len, sqe_len;
	struct io_uring_params p;
	bool busy;		/* a read is on its way */
};

/* False when this kernel has none to give. */
bool uring_open(struct uring *u);
/*
 * As read(): bytes, or -1 and errno. After EINTR the read is still on its way
 * into BUF, and the next call waits for it.
 */
ssize_t uring_read(struct uring *u, int fd, void *buf, size_t len);
void uring_close(struct uring *u);

#endif /* SHORTPATH_URING_H */
