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
 * The fill ring's need_wakeup says that a packet found no buffer. The core keeps it
 * in one byte with Tx's, so it changes under tx_lock.
 *
 * Contexts: tap_rx_user() in process context, may sleep; tap_rx_vhost() with BH off,
 * in an RCU section, with a bpf_net_context.
 */
#include <linux/bpf_trace.h>
#include <linux/pagemap.h>
#include <linux/skbuff.h>
#include <net/xdp_sock.h>

#include "compat.h"
#include "tap_xsk.h"

/**
 * tap_rx_skb() - an empty packet for the stack
 * @len: bytes it must have room for
 *
 * Context: any.
 *
 * Return: the skb, or NULL without a word when there is no memory.
 */
struct sk_buff *tap_rx_skb(unsigned int len)
{
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + len,
			GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	return skb;
}

static struct sk_buff *rx_skb(struct xdp_buff *xdp)
{
	u32 meta = xdp->data - xdp->data_meta;
	u32 len = xdp->data_end - xdp->data_meta;
	struct sk_buff *skb = tap_rx_skb(len);

	if (!skb)
		return NULL;
	skb_put_data(skb, xdp->data_meta, len);
	if (meta) {
		__skb_pull(skb, meta);
		skb_metadata_set(skb, meta);
	}
	return skb;
}

/*
 * The packet is in the buffer: run the program and do what it says. The buffer
 * is gone afterwards. Returns the action; -ENOMEM, or -EIO for all that was counted
 * as dropped already.
 */
static int rx_run(struct tap_queue *queue, struct bpf_prog *prog,
		  struct xdp_buff *xdp, struct sk_buff **skb)
{
	int act;

	queue->rx.packets++;
	queue->rx.bytes += xdp->data_end - xdp->data;
	act = bpf_prog_run_xdp(prog, xdp);
	if (act == XDP_PASS) {
		*skb = rx_skb(xdp);
		xsk_buff_free(xdp);
		return *skb ? XDP_PASS : -ENOMEM;
	}
	act = tun_xsk_act(queue->dev, prog, xdp, act);
	if (act == XDP_REDIRECT) {
		queue->rx.redirected++;
		return act;
	}
	if (act == XDP_TX)
		return act;
	xsk_buff_free(xdp);
	if (act < 0) {
		queue->rx.drop_full++;
		return -EIO;
	}
	queue->rx.drop_prog++;
	return XDP_DROP;
}

/*
 * What of the packet fits; false when a page was not there. The length is at most
 * that of a buffer; why not copy_from_iter(), see copy_part() in tap_tx.c.
 */
static bool rx_copy(struct xdp_buff *xdp, struct iov_iter *from, size_t len)
{
	size_t copied;

	pagefault_disable();
	copied = _copy_from_iter(xdp->data, len, from);
	pagefault_enable();
	xdp->data_end = xdp->data + len;
	return copied == len;
}

static void rx_set_dry(struct tap_queue *queue, struct xsk_buff_pool *pool,
		       bool dry)
{
	queue->dry = dry;
	if (!xsk_uses_need_wakeup(pool))
		return;
	spin_lock(&queue->tx_lock);
	if (dry)
		xsk_set_rx_need_wakeup(pool);
	else
		xsk_clear_rx_need_wakeup(pool);
	spin_unlock(&queue->tx_lock);
}

/* Returns 0, -ENOBUFS, or -EFAULT when a page was not there. */
static int rx_fill(struct xsk_buff_pool *pool, struct iov_iter *from, size_t len,
		   struct xdp_buff **xdp)
{
	*xdp = xsk_buff_alloc(pool);
	if (!*xdp)
		return -ENOBUFS;
	if (rx_copy(*xdp, from, len))
		return 0;
	xsk_buff_free(*xdp);
	return -EFAULT;
}

/* Under rx_lock. -EFAULT: try again. */
static int rx_copy_run(struct tap_queue *queue, struct xsk_buff_pool *pool,
		       struct bpf_prog *prog, struct iov_iter *from, size_t len,
		       struct sk_buff **skb)
{
	struct xdp_buff *xdp;
	int act;

	act = rx_fill(pool, from, len, &xdp);
	if (act == -ENOBUFS)
		queue->rx.drop_no_buffer++;
	if (unlikely(queue->dry != (act == -ENOBUFS)) && act != -EFAULT)
		rx_set_dry(queue, pool, act == -ENOBUFS);
	if (act)
		return act;
	act = rx_run(queue, prog, xdp, skb);
	if (act == XDP_REDIRECT)
		xdp_do_flush();
	return act;
}

/*
 * One buffer it must be. What is said of further ones would lie at the end of the
 * first, in the UMEM, where its owner can change it while a program's helpers go by
 * it: to any page of the kernel. The long way makes several of a packet that is long.
 */
static bool rx_fits(struct xsk_buff_pool *pool, size_t len)
{
	return len <= xsk_pool_get_rx_frame_size(pool);
}

static struct xsk_buff_pool *pool_of(struct tap_queue *queue)
{
	struct tap_bind *bind = rcu_dereference(queue->bind);

	return bind ? rcu_dereference(bind->pool) : NULL;
}

/* One try with page faults off. */
static int rx_try(struct tap_queue *queue, struct iov_iter *from, size_t len,
		  struct sk_buff **skb)
{
	struct bpf_net_context ctx_storage, *ctx;
	struct xsk_buff_pool *pool;
	struct bpf_prog *prog;
	int act = -ESTALE;

	local_bh_disable();
	rcu_read_lock();
	pool = pool_of(queue);
	prog = tun_xsk_prog(queue->dev);
	if (pool && prog && rx_fits(pool, len)) {
		ctx = bpf_net_ctx_set(&ctx_storage);
		spin_lock(&pool->rx_lock);
		act = rx_copy_run(queue, pool, prog, from, len, skb);
		spin_unlock(&pool->rx_lock);
		bpf_net_ctx_clear(ctx);
	}
	rcu_read_unlock();
	local_bh_enable();
	return act;
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
 * packet was consumed, one way or the other; -ESTALE when no pool is bound, no
 * program is attached or the packet is too long, -EFAULT when it cannot be read:
 * then @from is where it was.
 */
int tap_rx_user(struct tap_queue *queue, struct iov_iter *from, size_t len,
		struct sk_buff **skb)
{
	struct iov_iter start = *from;
	unsigned int tries;
	int act;

	for (tries = 0; tries < TAP_COPY_TRIES; tries++) {
		act = rx_try(queue, from, len, skb);
		if (act != -EFAULT)
			return act;
		*from = start;
		if (fatal_signal_pending(current) ||
		    fault_in_iov_iter_readable(from, len))
			break;
	}
	return -EFAULT;
}

/**
 * tap_rx_vhost() - a packet that vhost_net has copied to a page of its own
 * @queue: the queue
 * @from: the packet
 * @skb: set to a packet for the stack when the program passed it
 *
 * The second copy is the price of vhost_net's batches.
 *
 * Context: BH off, in an RCU section.
 *
 * Return: an action or a negative errno, the packet was copied or dropped;
 * -ESTALE when no pool is bound or no program attached, -EMSGSIZE when the packet
 * is too long: then nothing was done.
 */
int tap_rx_vhost(struct tap_queue *queue, const struct xdp_buff *from,
		 struct sk_buff **skb)
{
	size_t len = from->data_end - from->data;
	struct kvec vec = { .iov_base = from->data, .iov_len = len };
	struct xsk_buff_pool *pool = pool_of(queue);
	struct bpf_prog *prog = tun_xsk_prog(queue->dev);
	struct iov_iter iter;
	int act;

	if (!pool || !prog)
		return -ESTALE;
	if (!rx_fits(pool, len))
		return -EMSGSIZE;
	iov_iter_kvec(&iter, WRITE, &vec, 1, len);
	spin_lock(&pool->rx_lock);
	act = rx_copy_run(queue, pool, prog, &iter, len, skb);
	spin_unlock(&pool->rx_lock);
	return act;
}
