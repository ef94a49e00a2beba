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
#include <linux/vmalloc.h>
#include <net/xdp_sock.h>

#include "compat.h"
#include "tap_xsk.h"

#if COMPAT_MULTI_BUFFER
/*
 * Not in unaligned pools: a buffer that crosses pages is in one piece for us, but
 * not for a program that looks at it as at an skb's fragment.
 */
static bool rx_may_split(struct xsk_buff_pool *pool, const struct bpf_prog *prog,
			 size_t len)
{
	return pool->umem->flags & XDP_UMEM_SG_FLAG && !pool->unaligned &&
	       prog->aux->xdp_has_frags &&
	       len <= xsk_pool_get_rx_frame_size(pool) * TAP_MAX_SEGS;
}

static struct list_head *frags_of(struct xdp_buff *xdp)
{
	return &container_of(xdp, struct xdp_buff_xsk, xdp)->pool->xskb_list;
}

/*
 * @frag is full: segment @nr of the packet that begins in @head, which has @size
 * bytes behind the head with it. False when the fill ring had this buffer twice.
 * What is said of the fragments lies in the UMEM, where its owner may change it:
 * we only write there, and trust the list.
 */
static bool rx_add_frag(struct xdp_buff *head, struct xdp_buff *frag, u32 nr,
			u32 size)
{
	struct xdp_buff_xsk *xskb = container_of(frag, struct xdp_buff_xsk, xdp);
	struct skb_shared_info *info = xdp_get_shared_info_from_buff(head);

	if (frag == head || !list_empty(&xskb->list_node))
		return false;
	xdp_buff_set_frags_flag(head);
	/* a UMEM is mapped as vmalloc memory is */
	__skb_fill_page_desc_noacc(info, nr, vmalloc_to_page(frag->data),
				   offset_in_page(frag->data),
				   frag->data_end - frag->data);
	info->nr_frags = nr + 1;
	info->xdp_frags_size = size;
	list_add_tail(&xskb->list_node, frags_of(head));
	return true;
}

static u32 rx_len(struct xdp_buff *xdp)
{
	u32 len = xdp->data_end - xdp->data;
	struct xdp_buff_xsk *frag;

	if (xdp_buff_has_frags(xdp))
		list_for_each_entry(frag, frags_of(xdp), list_node)
			len += frag->xdp.data_end - frag->xdp.data;
	return len;
}

static void rx_put_frags(struct sk_buff *skb, struct xdp_buff *xdp)
{
	struct xdp_buff_xsk *frag;

	if (xdp_buff_has_frags(xdp))
		list_for_each_entry(frag, frags_of(xdp), list_node)
			skb_put_data(skb, frag->xdp.data,
				     frag->xdp.data_end - frag->xdp.data);
}

/* The core would send the first segment alone. */
static bool rx_would_cut(const struct xdp_buff *xdp, u32 act)
{
	if (!xdp_buff_has_frags(xdp))
		return false;
	return act == XDP_TX ||
	       (act == XDP_REDIRECT &&
		bpf_net_ctx_get_ri()->map_type != BPF_MAP_TYPE_XSKMAP);
}
#else
static bool rx_may_split(struct xsk_buff_pool *pool, const struct bpf_prog *prog,
			 size_t len)
{
	return false;
}

static bool rx_add_frag(struct xdp_buff *head, struct xdp_buff *frag, u32 nr,
			u32 size)
{
	return false;
}

static u32 rx_len(struct xdp_buff *xdp)
{
	return xdp->data_end - xdp->data;
}

static void rx_put_frags(struct sk_buff *skb, struct xdp_buff *xdp)
{
}

static bool rx_would_cut(const struct xdp_buff *xdp, u32 act)
{
	return false;
}
#endif

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
	struct sk_buff *skb = tap_rx_skb(meta + rx_len(xdp));

	if (!skb)
		return NULL;
	skb_put_data(skb, xdp->data_meta, xdp->data_end - xdp->data_meta);
	rx_put_frags(skb, xdp);
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
	queue->rx.bytes += rx_len(xdp);
	act = bpf_prog_run_xdp(prog, xdp);
	if (act == XDP_PASS) {
		*skb = rx_skb(xdp);
		xsk_buff_free(xdp);
		return *skb ? XDP_PASS : -ENOMEM;
	}
	if (rx_would_cut(xdp, act))
		act = XDP_DROP;
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

static int rx_fill_one(struct xsk_buff_pool *pool, struct iov_iter *from,
		       size_t len, struct xdp_buff **xdp)
{
	*xdp = xsk_buff_alloc(pool);
	if (!*xdp)
		return -ENOBUFS;
	if (rx_copy(*xdp, from, len))
		return 0;
	xsk_buff_free(*xdp);
	return -EFAULT;
}

/*
 * The packet in one buffer or, where that is allowed, several. Returns 0, -ENOBUFS,
 * or -EFAULT when a page was not there.
 */
static int rx_fill(struct xsk_buff_pool *pool, struct iov_iter *from, size_t len,
		   struct xdp_buff **head)
{
	size_t size = xsk_pool_get_rx_frame_size(pool);
	size_t part = min(len, size), behind = 0;
	struct xdp_buff *frag;
	u32 nr = 0;
	int err;

	err = rx_fill_one(pool, from, part, head);
	if (err)
		return err;
	for (len -= part; len; len -= part) {
		part = min(len, size);
		behind += part;
		err = rx_fill_one(pool, from, part, &frag);
		if (!err && !rx_add_frag(*head, frag, nr++, behind))
			err = -ENOBUFS;
		if (err) {
			xsk_buff_free(*head);
			return err;
		}
	}
	return 0;
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

static bool rx_fits(struct xsk_buff_pool *pool, const struct bpf_prog *prog,
		    size_t len)
{
	return len <= xsk_pool_get_rx_frame_size(pool) ||
	       rx_may_split(pool, prog, len);
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
	if (pool && prog && rx_fits(pool, prog, len)) {
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
	if (!rx_fits(pool, prog, len))
		return -EMSGSIZE;
	iov_iter_kvec(&iter, WRITE, &vec, 1, len);
	spin_lock(&pool->rx_lock);
	act = rx_copy_run(queue, pool, prog, &iter, len, skb);
	spin_unlock(&pool->rx_lock);
	return act;
}
