// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `ethtool -S` shows: per queue, by reason. Under RTNL; the counters move on
 * meanwhile.
 */
#include <linux/ethtool.h>
#include <linux/kernel.h>
#include <linux/rtnetlink.h>

#include "tap_xsk.h"

static const char *const names_of_queue[] = {
	"rx_queue_%u_xsk_packets",
	"rx_queue_%u_xsk_bytes",
	"rx_queue_%u_xsk_redirected",
	"rx_queue_%u_xsk_drop_no_buffer",
	"rx_queue_%u_xsk_drop_full",
	"rx_queue_%u_xsk_drop_prog",
	"tx_queue_%u_xsk_packets",
	"tx_queue_%u_xsk_bytes",
	"tx_queue_%u_xsk_completions",
	"tx_queue_%u_xsk_wakeups",
	"tx_queue_%u_xsk_drop_length",
	"tx_queue_%u_xsk_drop_unread",
	"tx_queue_%u_xsk_outstanding",
};

/**
 * tap_stats_count() - how many figures there are
 * @queues: number of queues the device has now
 *
 * Return: the number.
 */
int tap_stats_count(unsigned int queues)
{
	return queues * ARRAY_SIZE(names_of_queue);
}

/**
 * tap_stats_names() - their names
 * @queues: number of queues
 * @names: ETH_GSTRING_LEN bytes for each figure
 */
void tap_stats_names(unsigned int queues, u8 *names)
{
	unsigned int queue, i;

	for (queue = 0; queue < queues; queue++) {
		for (i = 0; i < ARRAY_SIZE(names_of_queue); i++) {
			snprintf(names, ETH_GSTRING_LEN, names_of_queue[i],
				 queue);
			names += ETH_GSTRING_LEN;
		}
	}
}

static u64 outstanding(struct tap_queue *queue)
{
	struct tap_bind *bind;
	u64 n = 0;

	bind = rtnl_dereference(queue->bind);
	spin_lock_bh(&queue->tx_lock);
	if (bind)
		n = bind->fifo.head - bind->fifo.tail;
	spin_unlock_bh(&queue->tx_lock);
	return n;
}

static void queue_values(struct tap_queue *queue, u64 *v)
{
	*v++ = READ_ONCE(queue->rx.packets);
	*v++ = READ_ONCE(queue->rx.bytes);
	*v++ = READ_ONCE(queue->rx.redirected);
	*v++ = READ_ONCE(queue->rx.drop_no_buffer);
	*v++ = READ_ONCE(queue->rx.drop_full);
	*v++ = READ_ONCE(queue->rx.drop_prog);
	*v++ = READ_ONCE(queue->tx.packets);
	*v++ = READ_ONCE(queue->tx.bytes);
	*v++ = READ_ONCE(queue->tx.completions);
	*v++ = READ_ONCE(queue->tx.wakeups);
	*v++ = READ_ONCE(queue->tx.drop_length);
	*v++ = READ_ONCE(queue->tx.drop_unread);
	*v++ = outstanding(queue);
}

/**
 * tap_stats_values() - the figures, in the order of their names
 * @xsk: ours of the device
 * @queues: number of queues
 * @values: where they go
 *
 * Context: RTNL held.
 */
void tap_stats_values(const struct tap_xsk *xsk, unsigned int queues, u64 *values)
{
	unsigned int i;

	for (i = 0; i < queues; i++) {
		if (xsk->queues[i])
			queue_values(xsk->queues[i], values);
		else
			memset(values, 0,
			       ARRAY_SIZE(names_of_queue) * sizeof(*values));
		values += ARRAY_SIZE(names_of_queue);
	}
}
