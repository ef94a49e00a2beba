/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for a transmit buffer without hanging on the transport's queue.
 *
 * A transport wakes its own wait queue when a buffer comes back, and that queue
 * is freed with the transport, while a file and the epoll items on it live as
 * long as user space likes. So no poller may ever stand on that queue. What
 * stands there is one entry of ours per file (struct txwait): it passes the
 * wake-up on to the file's own queue and is taken off again before the endpoint
 * goes.
 *
 * Lifetime: embedded in the file's object. Armed by the first txwait_poll(), so
 * that files nobody waits on cost nothing; txwait_disarm() must be called
 * before the endpoint is destroyed. All zero is a valid start.
 *
 * Locks: txwait_poll() and txwait_disarm() are called under the lock that keeps
 * the file's endpoint in place. @wanted is shared with the wake-up, which runs
 * under the transport queue's lock in any context: accessed with READ_ONCE and
 * WRITE_ONCE, see txwait_poll() for why no wake-up is lost.
 */
#ifndef SHORTPATH_TXWAIT_H
#define SHORTPATH_TXWAIT_H

#include <linux/poll.h>
#include <linux/rpmsg.h>
#include <linux/wait.h>

/**
 * struct txwait - one file's entry on its transport's wait queue
 * @entry: the entry
 * @head: the transport's queue, NULL while not armed
 * @target: the file's queue, which gets the wake-up
 * @wanted: somebody found no room and waits to be told
 */
struct txwait {
	wait_queue_entry_t entry;
	wait_queue_head_t *head;
	wait_queue_head_t *target;
	bool wanted;
};

/* The poll_table a transport's poll operation is given. */
struct txwait_table {
	poll_table table;
	struct txwait *tw;
};

/* Runs under the lock of the transport's queue. */
static inline int txwait_wake(wait_queue_entry_t *entry, unsigned int mode,
			      int flags, void *key)
{
	struct txwait *tw = container_of(entry, struct txwait, entry);

	if (READ_ONCE(tw->wanted)) {
		/* Cleared first: who wants it again from here on says so. */
		WRITE_ONCE(tw->wanted, false);
		wake_up_interruptible_poll(tw->target, EPOLLOUT | EPOLLWRNORM);
	}
	return 0;
}

/* A transport has one queue; should one ever have more, the first counts. */
static inline void txwait_queue_proc(struct file *filp, wait_queue_head_t *head,
				     poll_table *table)
{
	struct txwait *tw = container_of(table, struct txwait_table, table)->tw;

	if (tw->head)
		return;
	init_waitqueue_func_entry(&tw->entry, txwait_wake);
	tw->head = head;
	add_wait_queue(head, &tw->entry);
}

/**
 * txwait_poll() - ask the transport for room, and to be woken when there is
 * @tw: the file's entry
 * @ept: its endpoint
 * @filp: handed to the transport; NULL from endpoint fds, see virtio_tx_poll()
 * @target: the file's own wait queue
 *
 * Whoever is to be woken must stand on @target before this is called. @wanted
 * is set before the transport is asked, and only the wake-up clears it, before
 * it wakes: so a buffer that comes back after the question finds @wanted set,
 * and one that came back earlier is in the answer.
 *
 * Return: the transport's answer; 0 from a transport that cannot be polled,
 * which also leaves txwait_armed() false.
 */
static inline __poll_t txwait_poll(struct txwait *tw,
				   struct rpmsg_endpoint *ept,
				   struct file *filp, wait_queue_head_t *target)
{
	struct txwait_table t = { .tw = tw };

	init_poll_funcptr(&t.table, txwait_queue_proc);
	tw->target = target;
	WRITE_ONCE(tw->wanted, true);
	/* Pairs with the transport's barrier between buffer and wake-up. */
	smp_mb();
	return rpmsg_poll(ept, filp, &t.table);
}

/**
 * txwait_armed() - will the transport tell when there is room
 * @tw: the file's entry
 *
 * Return: false before the first txwait_poll() and if the transport cannot.
 */
static inline bool txwait_armed(const struct txwait *tw)
{
	return tw->head;
}

/**
 * txwait_disarm() - leave the transport's queue
 * @tw: the file's entry
 *
 * After it returns no wake-up is running and none will.
 */
static inline void txwait_disarm(struct txwait *tw)
{
	if (!tw->head)
		return;
	remove_wait_queue(tw->head, &tw->entry);
	tw->head = NULL;
}

#endif /* SHORTPATH_TXWAIT_H */
