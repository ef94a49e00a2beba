// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rx: from a writer's buffer straight into a buffer of the fill ring, through
 * the XDP program, into the socket's Rx ring.
 *
 * One section a pool: pool->rx_lock, which generic XDP takes for the same fill
 * ring. Writers of a tun fd are not serialised by anything else. Inside it
 * nothing sleeps and no packet goes to the stack: a packet that the program
 * passes is copied to an skb, and its caller delivers it.
 *
 * Contexts: tap_rx_user() in process context, may sleep; tap_rx_vhost() and
 * tap_rx_flush() with BH off, in an RCU section, with a bpf_net_context.
 */
#include <linux/bpf_trace.h>
#include <linux/pagemap.h>
#include <linux/skbuff.h>
#include <net/xdp_sock.h>

#include "compat.h"
#include "tap_xsk.h"

static struct xdp_buff *rx_alloc(struct tap_queue *queue,
				 struct xsk_buff_pool *pool)
{
	struct xdp_buff *xdp = xsk_buff_alloc(pool);

	if (!xdp) {
		queue->rx.drop_no_buffer++;
		if (xsk_uses_need_wakeup(pool))
			xsk_set_rx_need_wakeup(pool);
		return NULL;
	}
	if (xsk_uses_need_wakeup(pool))
		xsk_clear_rx_need_wakeup(pool);
	return xdp;
}

static struct sk_buff *rx_skb(const struct xdp_buff *xdp)
{
	u32 meta = xdp->data - xdp->data_meta;
	u32 len = xdp->data_end - xdp->data_meta;
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + len,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	skb_put_data(skb, xdp->data_meta, len);
	if (meta) {
		__skb_pull(skb, meta);
		skb_metadata_set(skb, meta);
	}
	return skb;
}

/*
 * The packet is in the buffer: run the program and do what it says. The buffer
 * is gone afterwards. Returns the action, or a negative errno.
 */
static int rx_run(struct tap_queue *queue, struct xdp_buff *xdp,
		  struct sk_buff **skb)
{
	struct bpf_prog *prog = tun_xsk_prog(queue->dev);
	u32 len = xdp->data_end - xdp->data;
	int act;

	queue->rx.packets++;
	queue->rx.bytes += len;
	act = prog ? bpf_prog_run_xdp(prog, xdp) : XDP_PASS;
	if (act == XDP_PASS) {
		*skb = rx_skb(xdp);
		xsk_buff_free(xdp);
		return *skb ? XDP_PASS : -ENOMEM;
	}
	act = tun_xsk_act(queue->dev, prog, xdp, act);
	if (act == XDP_REDIRECT) {
		queue->rx.redirected++;
	} else if (act < 0) {
		queue->rx.drop_full++;
		xsk_buff_free(xdp);
	} else if (act != XDP_TX) {
		queue->rx.drop_prog++;
		xsk_buff_free(xdp);
	}
	return act;
}

/* Returns false when a page of the writer's buffer was not there. */
static bool rx_copy_run(struct tap_queue *queue, struct xsk_buff_pool *pool,
			struct iov_iter *from, size_t len, int *act,
			struct sk_buff **skb)
{
	struct xdp_buff *xdp = rx_alloc(queue, pool);
	size_t copied;

	if (!xdp) {
		*act = -ENOBUFS;
		return true;
	}
	pagefault_disable();
	copied = copy_from_iter(xdp->data, len, from);
	pagefault_enable();
	if (copied != len) {
		xsk_buff_free(xdp);
		return false;
	}
	xdp->data_end = xdp->data + len;
	*act = rx_run(queue, xdp, skb);
	if (*act == XDP_REDIRECT)
		xdp_do_flush();
	return true;
}

/* One try with page faults off. Returns false when it must be tried again. */
static bool rx_try(struct tap_queue *queue, struct iov_iter *from, size_t len,
		   int *act, struct sk_buff **skb)
{
	struct bpf_net_context ctx_storage, *ctx;
	struct xsk_buff_pool *pool = NULL;
	struct tap_bind *bind;
	bool done = true;

	*act = -ESTALE;
	local_bh_disable();
	rcu_read_lock();
	bind = rcu_dereference(queue->bind);
	if (bind)
		pool = rcu_dereference(bind->pool);
	if (pool && len <= xsk_pool_get_rx_frame_size(pool)) {
		ctx = bpf_net_ctx_set(&ctx_storage);
		spin_lock(&pool->rx_lock);
		done = rx_copy_run(queue, pool, from, len, act, skb);
		spin_unlock(&pool->rx_lock);
		bpf_net_ctx_clear(ctx);
	}
	rcu_read_unlock();
	local_bh_enable();
	return done;
}

/**
 * tap_rx_user() - a packet written to the fd
 * @queue: the queue
 * @from: the packet
 * @len: its length in bytes
 * @skb: set to a packet for the stack when the program passed it
 *
 * Context: process context, may sleep; no lock held.
 *
 * Return: XDP_PASS with @skb set; another action or a negative errno when the
 * packet was consumed, one way or the other; -ESTALE when no pool is bound or
 * the packet is too long for a frame, -EFAULT when it cannot be read: then @from
 * is where it was.
 */
int tap_rx_user(struct tap_queue *queue, struct iov_iter *from, size_t len,
		struct sk_buff **skb)
{
	struct iov_iter start = *from;
	int act;

	while (!rx_try(queue, from, len, &act, skb)) {
		*from = start;
		if (fatal_signal_pending(current) ||
		    fault_in_iov_iter_readable(from, len))
			return -EFAULT;
	}
	return act;
}

/**
 * tap_rx_vhost() - a packet that vhost_net has copied to a page of its own
 * @queue: the queue
 * @from: the packet
 * @skb: set to a packet for the stack when the program passed it
 *
 * The second copy is the price of vhost_net's batches. The caller flushes with
 * tap_rx_flush() after the last one.
 *
 * Context: BH off, in an RCU section.
 *
 * Return: an action or a negative errno, the packet was copied or dropped;
 * -ESTALE when no pool is bound.
 */
int tap_rx_vhost(struct tap_queue *queue, struct xdp_buff *from,
		 struct sk_buff **skb)
{
	u32 len = from->data_end - from->data;
	struct xsk_buff_pool *pool = NULL;
	struct tap_bind *bind;
	struct xdp_buff *xdp;
	int act = -ENOBUFS;

	bind = rcu_dereference(queue->bind);
	if (bind)
		pool = rcu_dereference(bind->pool);
	if (!pool)
		return -ESTALE;
	if (len > xsk_pool_get_rx_frame_size(pool))
		return -EMSGSIZE;
	spin_lock(&pool->rx_lock);
	xdp = rx_alloc(queue, pool);
	if (xdp) {
		memcpy(xdp->data, from->data, len);
		xdp->data_end = xdp->data + len;
		act = rx_run(queue, xdp, skb);
	}
	spin_unlock(&pool->rx_lock);
	return act;
}

/**
 * tap_rx_flush() - end a batch: let the sockets see what was redirected
 * @queue: the queue that it came from, or NULL
 *
 * Context: BH off, in an RCU section.
 */
void tap_rx_flush(struct tap_queue *queue)
{
	struct xsk_buff_pool *pool = NULL;
	struct tap_bind *bind;

	bind = queue ? rcu_dereference(queue->bind) : NULL;
	if (bind)
		pool = rcu_dereference(bind->pool);
	if (pool)
		spin_lock(&pool->rx_lock);
	xdp_do_flush();
	if (pool)
		spin_unlock(&pool->rx_lock);
}
