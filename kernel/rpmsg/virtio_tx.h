/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hooks in virtio_rpmsg_bus.c call. Included there after the bus's own
 * structures, which no header declares.
 *
 * Why no wake-up is lost: Tx callbacks are never switched off. Whenever
 * virtqueue_get_buf() finds nothing, the used index the device sees as "tell me
 * beyond this" is the one that was found, with a barrier between the two, so
 * the next buffer the remote returns raises the callback, which wakes sendq.
 */
#ifndef SHORTPATH_VIRTIO_TX_H
#define SHORTPATH_VIRTIO_TX_H

#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/virtio.h>
#include <linux/wait.h>

static void *get_a_tx_buf(struct virtproc_info *vrp);

/**
 * virtio_tx_poll() - is a Tx buffer free
 * @ept: the endpoint
 * @filp: NULL for callers inside the kernel
 * @wait: poll table
 *
 * For kernels whose bus cannot be polled (before 7.0). Only callers inside the
 * kernel are served: legacy device nodes never see EPOLLOUT on these kernels,
 * and must go on so.
 *
 * Return: EPOLLOUT or 0.
 */
static inline __poll_t virtio_tx_poll(struct rpmsg_endpoint *ept,
				      struct file *filp, poll_table *wait)
{
	struct virtproc_info *vrp = to_virtio_rpmsg_channel(ept->rpdev)->vrp;
	bool room;

	if (filp)
		return 0;

	poll_wait(filp, &vrp->sendq, wait);
	mutex_lock(&vrp->tx_lock);
	room = vrp->last_sbuf < vrp->num_bufs / 2;
	if (!room)
		room = !virtqueue_enable_cb(vrp->svq);
	mutex_unlock(&vrp->tx_lock);

	return room ? EPOLLOUT : 0;
}

/**
 * virtio_tx_keep_cb() - stands where stock switched Tx callbacks off
 * @svq: the Tx queue
 */
static inline void virtio_tx_keep_cb(struct virtqueue *svq)
{
}

/**
 * virtio_tx_wait_buf() - wait for a Tx buffer
 * @vrp: the remote processor
 * @msg: where the buffer goes, NULL before
 * @timeout: in jiffies
 *
 * get_a_tx_buf() takes a mutex, so it may not be the condition of a
 * wait_event(): it is called here while the task is running, and wait_woken()
 * remembers a wake-up that came in between.
 *
 * Return: positive with a buffer in @msg, 0 when time ran out, -ERESTARTSYS
 * when a signal came first; wait_event_interruptible_timeout()'s answers.
 */
static inline long virtio_tx_wait_buf(struct virtproc_info *vrp,
				      struct rpmsg_hdr **msg, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long ret = timeout;

	add_wait_queue(&vrp->sendq, &wait);
	while (!(*msg = get_a_tx_buf(vrp)) && ret > 0) {
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else
			ret = wait_woken(&wait, TASK_INTERRUPTIBLE, ret);
	}
	remove_wait_queue(&vrp->sendq, &wait);

	return *msg ? max(ret, 1L) : ret;
}

#endif /* SHORTPATH_VIRTIO_TX_H */
