/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hooks in rpmsg_char.c call: faults of the legacy device node, fixed
 * without a change of what it answers.
 */
#ifndef SHORTPATH_CHARDEV_H
#define SHORTPATH_CHARDEV_H

#include "compat.h"
#include "txwait.h"

/**
 * chardev_poll() - the transport's part of a legacy node's poll
 * @tw: the node's entry on the transport's wait queue
 * @ept: the endpoint, read under the ept_lock that is held
 * @filp: the polled file
 * @readq: the node's wait queue, on which the poller already stands
 *
 * Stock put the poller on the transport's queue, which is freed before the
 * file is. And it called rpmsg_poll() with NULL, a WARN, when the endpoint went
 * between its check and the lock.
 *
 * Return: poll mask.
 */
static inline __poll_t chardev_poll(struct txwait *tw,
				    struct rpmsg_endpoint *ept,
				    struct file *filp, wait_queue_head_t *readq)
{
	if (!ept)
		return EPOLLERR;
	return txwait_poll(tw, ept, filp, readq);
}

/**
 * chardev_set_flow_control() - RPMSG_SET_INCOMING_FLOWCONTROL on a legacy node
 * @lock: the node's ept_lock
 * @ept: where the node keeps its endpoint
 * @pause: ask the remote to pause
 * @dst: remote address
 *
 * Stock held no lock, and after RPMSG_DESTROY_EPT_IOCTL ran into a WARN that
 * answered EINVAL; the answer stays.
 *
 * Return: 0 or a negative errno.
 */
static inline int chardev_set_flow_control(struct mutex *lock,
					   struct rpmsg_endpoint **ept,
					   bool pause, u32 dst)
{
	int ret = -EINVAL;

	mutex_lock(lock);
	if (*ept)
		ret = compat_set_flow_control(*ept, pause, dst);
	mutex_unlock(lock);
	return ret;
}

#endif /* SHORTPATH_CHARDEV_H */
