// SPDX-License-Identifier: GPL-2.0-only
/* read() by io_uring, one at a time. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"
#include "uring.h"

#define READ	1	/* what a completion is of */
#define CANCEL	2

static void *map(int fd, size_t len, off_t at)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, fd, at);

	if (p == MAP_FAILED)
		bail("mmap of an io_uring");
	return p;
}

bool uring_open(struct uring *u)
{
	memset(u, 0, sizeof(*u));
	u->fd = syscall(SYS_io_uring_setup, 2, &u->p);
	if (u->fd < 0)
		return false;
	u->sq_len = u->p.sq_off.array + u->p.sq_entries * sizeof(__u32);
	u->cq_len = u->p.cq_off.cqes +
		    u->p.cq_entries * sizeof(struct io_uring_cqe);
	u->sqe_len = u->p.sq_entries * sizeof(struct io_uring_sqe);
	u->sq = map(u->fd, u->sq_len, IORING_OFF_SQ_RING);
	u->cq = map(u->fd, u->cq_len, IORING_OFF_CQ_RING);
	u->sqe = map(u->fd, u->sqe_len, IORING_OFF_SQES);
	return true;
}

static __u32 *in_ring(void *ring, __u32 offset)
{
	return (__u32 *)((__u8 *)ring + offset);
}

static int submit(struct uring *u, const struct io_uring_sqe *sqe)
{
	__u32 *tail = in_ring(u->sq, u->p.sq_off.tail);
	__u32 at = *tail & *in_ring(u->sq, u->p.sq_off.ring_mask);

	u->sqe[at] = *sqe;
	in_ring(u->sq, u->p.sq_off.array)[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, u->fd, 1, 0, 0, NULL, 0);
}

/* The result of the read, when it is there. */
static bool result(struct uring *u, int *res)
{
	__u32 *head = in_ring(u->cq, u->p.cq_off.head);
	__u32 tail = __atomic_load_n(in_ring(u->cq, u->p.cq_off.tail),
				     __ATOMIC_ACQUIRE);
	struct io_uring_cqe *c = (void *)in_ring(u->cq, u->p.cq_off.cqes);

	if (*head == tail)
		return false;
	c += *head & *in_ring(u->cq, u->p.cq_off.ring_mask);
	*res = c->res;
	/* The other one is the cancellation's. */
	if (c->user_data == READ)
		u->busy = false;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

static int wait_one(struct uring *u)
{
	return syscall(SYS_io_uring_enter, u->fd, 0, 1, IORING_ENTER_GETEVENTS,
		       NULL, 0);
}

/* Else it could take a frame that is another reader's. */
static void cancel(struct uring *u)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_ASYNC_CANCEL, .addr = READ,
		.user_data = CANCEL,
	};
	int res;

	submit(u, &sqe);
	while (u->busy)
		if (!result(u, &res))
			wait_one(u);
}

ssize_t uring_read(struct uring *u, int fd, void *buf, size_t len)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_READ, .fd = fd, .addr = (uintptr_t)buf,
		.len = len, .off = -1ULL, .user_data = READ,
	};
	int res;

	if (!u->busy && submit(u, &sqe) < 0)
		return -1;
	u->busy = true;
	while (!result(u, &res))
		if (wait_one(u) < 0)
			return -1;
	if (res >= 0)
		return res;
	errno = -res;
	return -1;
}

void uring_close(struct uring *u)
{
	if (u->busy)
		cancel(u);
	munmap(u->sq, u->sq_len);
	munmap(u->cq, u->cq_len);
	munmap(u->sqe, u->sqe_len);
	close(u->fd);
}
