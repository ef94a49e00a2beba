/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receive-queue accounting of an endpoint fd: pure arithmetic.
 *
 * Counts what is queued and decides what still fits. Knows no list, no lock and
 * no allocation, and so also compiles in user space (-I kernel/rpmsg), where it
 * is tested. In the kernel every call is made under struct eptfd's qlock, but
 * for eptfd_queue_fits(), which may be asked without as a hint.
 *
 * Invariants: messages <= EPTFD_QUEUE_MESSAGES, bytes <= EPTFD_QUEUE_BYTES;
 * no messages, no bytes.
 */
#ifndef EPTFD_QUEUE_H
#define EPTFD_QUEUE_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#include <stddef.h>
#endif

/* The bound promised in the uAPI header: whichever is reached first. */
#define EPTFD_QUEUE_MESSAGES	256
#define EPTFD_QUEUE_BYTES	(256 * 1024)

/**
 * struct eptfd_queue - what one endpoint fd has queued and seen
 * @messages: messages queued now
 * @bytes: payload bytes queued now
 * @rx_messages: messages ever accepted
 * @rx_bytes: payload bytes ever accepted
 * @rx_dropped: messages ever dropped: no room, no memory, or not readable
 */
struct eptfd_queue {
	__u32 messages;
	__u32 bytes;
	__u64 rx_messages;
	__u64 rx_bytes;
	__u64 rx_dropped;
};

/**
 * eptfd_queue_fits() - is there room for one more message
 * @q: the queue
 * @len: payload length of the message
 *
 * Return: true when it may be queued.
 */
static inline bool eptfd_queue_fits(const struct eptfd_queue *q, size_t len)
{
	return q->messages < EPTFD_QUEUE_MESSAGES &&
	       len <= EPTFD_QUEUE_BYTES &&
	       q->bytes <= EPTFD_QUEUE_BYTES - len;
}

/**
 * eptfd_queue_add() - account a message that is about to be queued
 * @q: the queue
 * @len: payload length of the message
 *
 * Return: true when accepted. Otherwise nothing has changed.
 */
static inline bool eptfd_queue_add(struct eptfd_queue *q, size_t len)
{
	if (!eptfd_queue_fits(q, len))
		return false;
	q->messages++;
	q->bytes += len;
	q->rx_messages++;
	q->rx_bytes += len;
	return true;
}

/**
 * eptfd_queue_take() - account a message that has left the queue
 * @q: the queue
 * @len: the length it was added with
 */
static inline void eptfd_queue_take(struct eptfd_queue *q, size_t len)
{
	q->messages--;
	q->bytes -= len;
}

/**
 * eptfd_queue_drop() - count a message that was not queued
 * @q: the queue
 */
static inline void eptfd_queue_drop(struct eptfd_queue *q)
{
	q->rx_dropped++;
}

#endif /* EPTFD_QUEUE_H */
