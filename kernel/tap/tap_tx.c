// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tx: from the AF_XDP Tx ring into a queue's ptr_ring, out of it to whoever
 * reads the fd, and back into the completion ring.
 *
 * Who takes descriptors: tap_tx_kick(), called by the sender's wake-up and, once
 * frames are in the ring, by their consumer: at every TAP_BATCH-th frame, at the
 * last of each lot that went into the ring, and at the last few. need_wakeup is
 * clear only while frames are in the ring, for whoever empties it comes by; what a
 * consumer has in its hands promises nothing, it may be long about it. When none
 * is, need_wakeup is set and the ring is looked at once more. Two cases are left in
 * which a descriptor is there and nobody will come: a sender without a barrier
 * between writing it and reading the flag, and a ring full of other people's packets
 * while the sender sleeps in poll(). For both the recheck work comes by, after two
 * jiffies and every 20 ms.
 *
 * Contexts: kick in process or softirq context; read in process context, may
 * sleep; free in any context, also under both locks of a ring.
 */
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <linux/pagemap.h>
#include <linux/virtio_net.h>
#include <net/checksum.h>
#include <net/xdp_sock.h>

#include "compat.h"
#include "tap_xsk.h"

#define RECHECK_SOON	2		/* jiffies: a store is seen by then */
#define RECHECK_FULL	(HZ / 50 ?: 1)	/* while others fill the ring */
#define TAP_IDLE_TRIES	4		/* rounds, then the work goes on */
#define TAP_TAKE_MAX	512		/* descriptors a round */
#define TAP_SPARE_SLOTS	8

static struct tap_frame *to_frame(struct xdp_frame *xdpf)
{
	return container_of(xdpf, struct tap_frame, xdpf);
}

static struct tap_frame *frame_at(struct tap_bind *bind, u32 pos)
{
	return &bind->frames[tap_fifo_index(&bind->fifo, pos)];
}

/* Segment @i of a packet. */
static const struct tap_frame *frame_seg(const struct tap_frame *first, u32 i)
{
	return frame_at(first->bind, first - first->bind->frames + i);
}

/* ---- taking --------------------------------------------------------------- */

#if COMPAT_TX_METADATA
/* User space may write it meanwhile: read once, compare, keep. */
static void frame_metadata(struct tap_frame *frame,
			   const struct xsk_buff_pool *pool)
{
	struct xsk_tx_metadata *meta;
	u32 start, offset;
	u64 flags;

	if (!pool->tx_metadata_len)
		return;
	meta = frame->xdpf.data - pool->tx_metadata_len;
	flags = READ_ONCE(meta->flags);
	if (flags & ~XDP_TXMD_FLAGS_VALID)
		return;		/* as the core */
	if (flags & XDP_TXMD_FLAGS_TIMESTAMP)
		frame->flags |= TAP_FRAME_STAMP;
	if (!(flags & XDP_TXMD_FLAGS_CHECKSUM))
		return;
	start = READ_ONCE(meta->request.csum_start);
	offset = READ_ONCE(meta->request.csum_offset);
	if (start + offset + sizeof(__sum16) > frame->seg_len)
		return;
	frame->csum_start = start;
	frame->csum_offset = offset;
	frame->flags |= TAP_FRAME_CSUM;
}

static void frame_stamp(const struct tap_frame *frame,
			const struct xsk_buff_pool *pool)
{
	struct xsk_tx_metadata *meta;

	if (!(frame->flags & TAP_FRAME_STAMP))
		return;
	meta = frame->xdpf.data - pool->tx_metadata_len;
	meta->completion.tx_timestamp = ktime_get_tai_fast_ns();
}

static bool wants_metadata(const struct xdp_desc *desc)
{
	return desc->options & XDP_TX_METADATA;
}
#else
static void frame_metadata(struct tap_frame *frame,
			   const struct xsk_buff_pool *pool)
{
}

static void frame_stamp(const struct tap_frame *frame,
			const struct xsk_buff_pool *pool)
{
}

static bool wants_metadata(const struct xdp_desc *desc)
{
	return false;
}
#endif

static void frame_fill(struct tap_frame *frame, struct xsk_buff_pool *pool,
		       const struct xdp_desc *desc)
{
	frame->xdpf.data = xsk_buff_raw_get_data(pool, desc->addr);
	frame->xdpf.len = desc->len;
	frame->seg_len = desc->len;
	frame->flags = 0;
	frame->fate = TAP_PENDING;
	if (wants_metadata(desc))
		frame_metadata(frame, pool);
}

/*
 * One packet of @descs, which hold @n: its frames at the FIFO's head. Returns
 * the number of descriptors it had.
 */
static u32 packet_fill(struct tap_bind *bind, struct xsk_buff_pool *pool,
		       const struct xdp_desc *descs, u32 n)
{
	struct tap_frame *first = frame_at(bind, bind->fifo.head);
	u32 len = descs[0].len, i;

	frame_fill(first, pool, &descs[0]);
	for (i = 1; i < n && descs[i - 1].options & XDP_PKT_CONTD; i++) {
		frame_fill(frame_at(bind, bind->fifo.head + i), pool, &descs[i]);
		len += descs[i].len;
	}
	first->segs = i;
	first->marker = tap_fifo_marks(bind->fifo.head, i, TAP_BATCH);
	/* A length of zero would stop vhost_net's Rx for good. */
	if (len < ETH_HLEN || len > U16_MAX)
		first->fate = TAP_NO_PACKET;
	else
		first->xdpf.len = len;
	bind->fifo.head += i;
	return i;
}

/* Descriptors become frames; they wait in the FIFO. Returns how many. */
static u32 descs_take(struct tap_bind *bind, struct xsk_buff_pool *pool, u32 max)
{
	u32 n, i;

	n = xsk_tx_peek_release_desc_batch(pool, max);
	for (i = 0; i < n;)
		i += packet_fill(bind, pool, pool->tx_descs + i, n - i);
	return n;
}

/*
 * Slots of the ring that we may fill now, at most a batch: some are left to the
 * stack and to redirects. Under the producer lock.
 */
static u32 ring_room(const struct ptr_ring *ring)
{
	u32 spare = min_t(u32, ring->size / 16, TAP_SPARE_SLOTS);
	u32 most = min_t(u32, TAP_BATCH + spare, ring->size);
	u32 free, pos = ring->producer;

	for (free = 0; free < most; free++) {
		if (READ_ONCE(ring->queue[pos]))
			break;
		if (++pos >= ring->size)
			pos = 0;
	}
	return free > spare ? free - spare : 0;
}

/*
 * Frames that wait go into the ring, which has @room for so many packets. The last
 * one is a marker: who empties the ring comes by. Returns the number of packets.
 */
static u32 frames_give(struct tap_bind *bind, struct ptr_ring *ring, u32 room)
{
	struct tap_frame *frame, *last = NULL;
	struct tap_fifo *fifo = &bind->fifo;
	u32 end = fifo->next, given = 0;

	while (end != fifo->head) {
		frame = frame_at(bind, end);
		if (frame->fate == TAP_PENDING) {
			if (given == room)
				break;
			given++;
			last = frame;
		}
		end += frame->segs;
	}
	if (last) {
		last->marker = true;
		/* before anybody can consume one */
		atomic_add(given, &bind->users);
	}
	for (; fifo->next != end; fifo->next += frame->segs) {
		frame = frame_at(bind, fifo->next);
		if (frame->fate == TAP_PENDING)
			__ptr_ring_produce(ring, tun_xdp_to_ptr(&frame->xdpf));
	}
	return given;
}

static u32 take_max(const struct tap_bind *bind, const struct xsk_buff_pool *pool,
		    u32 room)
{
	u32 max = room;

	if (!room)
		return 0;
#if COMPAT_MULTI_BUFFER
	/* A packet of several descriptors needs one slot, but is taken whole. */
	if (pool->umem->flags & XDP_UMEM_SG_FLAG)
		max = max_t(u32, max, TAP_MAX_SEGS);
#endif
	max = min(max, tap_fifo_room(&bind->fifo));
	return min(max, bind->tx_batch);
}

/*
 * Take what the ring has room for, as a NIC does. Under tx_lock. Returns the
 * number of packets that went into the ring; @full: it stopped us.
 */
static u32 tx_take(struct tap_bind *bind, struct xsk_buff_pool *pool,
		   struct ptr_ring *ring, bool *full)
{
	u32 given = 0, taken = 0, room, n, now;

	if (!bind->tx_batch)
		bind->tx_batch = min_t(u32, TAP_BATCH, compat_tx_descs_max(pool));
	do {
		spin_lock(&ring->producer_lock);
		room = ring_room(ring);
		now = frames_give(bind, ring, room);
		n = 0;
		if (!tap_fifo_backlog(&bind->fifo))
			n = take_max(bind, pool, room - now);
		if (n)
			n = descs_take(bind, pool, n);
		if (n)
			now += frames_give(bind, ring, room - now);
		*full = now == room;
		spin_unlock(&ring->producer_lock);
		given += now;
		taken += n;
	} while (n && taken < TAP_TAKE_MAX);
	return given;
}

/* ---- completing ----------------------------------------------------------- */

static void count_fate(struct tap_queue *queue, const struct tap_frame *frame,
		       u8 fate)
{
	if (fate == TAP_READ) {
		queue->tx.packets++;
		queue->tx.bytes += frame->xdpf.len;
		return;
	}
	if (fate == TAP_UNREAD)
		queue->tx.drop_unread++;
	else
		queue->tx.drop_length++;
	dev_core_stats_tx_dropped_inc(queue->dev);
}

/*
 * Publish what is through and has nothing older before it. Under tx_lock. Returns
 * the number of descriptors.
 */
static u32 tx_complete(struct tap_queue *queue, struct tap_bind *bind,
		       struct xsk_buff_pool *pool)
{
	struct tap_fifo *fifo = &bind->fifo;
	struct tap_frame *frame;
	u32 n = 0, segs;
	u8 fate;

	while (fifo->tail != fifo->next) {
		frame = frame_at(bind, fifo->tail);
		/* pairs with the release in frame_done() */
		fate = smp_load_acquire(&frame->fate);
		if (fate == TAP_PENDING)
			break;
		count_fate(queue, frame, fate);
		segs = frame->segs;
		frame_stamp(frame, pool);
		fifo->tail += segs;
		n += segs;
	}
	if (n) {
		queue->tx.completions += n;
		xsk_tx_completed(pool, n);
	}
	return n;
}

/**
 * tap_tx_forget() - count what was on its way when the pool went
 * @queue: the queue
 * @bind: its binding, unbound a grace period ago
 *
 * Context: process context.
 */
void tap_tx_forget(struct tap_queue *queue, struct tap_bind *bind)
{
	struct tap_fifo *fifo = &bind->fifo;
	struct tap_frame *frame;
	u8 fate;

	spin_lock_bh(&queue->tx_lock);
	for (; fifo->tail != fifo->head; fifo->tail += frame->segs) {
		frame = frame_at(bind, fifo->tail);
		fate = READ_ONCE(frame->fate);
		count_fate(queue, frame, fate == TAP_PENDING ? TAP_UNREAD : fate);
	}
	spin_unlock_bh(&queue->tx_lock);
}

/*
 * Will somebody come by? Who has a frame in his hands may be long about it, or
 * read another ring by now: only what is in ours counts.
 */
static bool in_the_ring(const struct tap_bind *bind, struct ptr_ring *ring)
{
	bool empty;

	if (!ring || atomic_read(&bind->users) <= 1)
		return false;
	spin_lock(&ring->producer_lock);	/* of a resize */
	empty = __ptr_ring_empty(ring);
	spin_unlock(&ring->producer_lock);
	return !empty;
}

/* Nobody will come by: say so, and look once more. Under tx_lock. */
static u32 tx_idle(struct tap_queue *queue, struct tap_bind *bind,
		   struct xsk_buff_pool *pool, struct ptr_ring *ring)
{
	unsigned int tries = TAP_IDLE_TRIES;
	bool was_idle = queue->idle;
	bool full = false;
	u32 given = 0;

	if (!was_idle) {
		xsk_set_tx_need_wakeup(pool);
		queue->idle = true;
	}
	if (!ring)
		return 0;
	/* pairs with the barrier of a sender that has one, see the top */
	smp_mb();
	/* what is no packet is complete at once, and leaves room for more */
	do
		given = tx_take(bind, pool, ring, &full);
	while (tx_complete(queue, bind, pool) && !given && --tries);
	if (given)
		return given;
	if (!was_idle || !tries)
		queue_delayed_work(COMPAT_WQ, &bind->recheck, RECHECK_SOON);
	else if (full)
		queue_delayed_work(COMPAT_WQ, &bind->recheck, RECHECK_FULL);
	return 0;
}

static u32 tx_round(struct tap_queue *queue, struct tap_bind *bind,
		    struct xsk_buff_pool *pool, struct ptr_ring *ring)
{
	u32 given = 0;
	bool full;

	tx_complete(queue, bind, pool);
	if (ring)
		given = tx_take(bind, pool, ring, &full);
	if (!given && !in_the_ring(bind, ring))
		given = tx_idle(queue, bind, pool, ring);
	if (given && queue->idle) {
		xsk_clear_tx_need_wakeup(pool);
		queue->idle = false;
	}
	return given;
}

/**
 * tap_tx_kick() - publish completions and take descriptors
 * @queue: the queue; need not be bound or have an fd
 *
 * Context: process or softirq; no ring lock held.
 */
void tap_tx_kick(struct tap_queue *queue)
{
	struct xsk_buff_pool *pool;
	struct tap_port port;
	struct tap_bind *bind;
	u32 given = 0;

	rcu_read_lock();
	bind = rcu_dereference(queue->bind);
	if (!bind)
		goto out;
	tun_xsk_port(queue->dev, queue->id, &port);
	spin_lock_bh(&queue->tx_lock);
	pool = rcu_dereference(bind->pool);
	if (pool)
		given = tx_round(queue, bind, pool, port.ring);
	spin_unlock_bh(&queue->tx_lock);
	if (given)
		tun_xsk_notify(&port);
out:
	rcu_read_unlock();
}

/* The same for who has a binding, in an RCU section: it may be unbound. */
static void bind_kick(struct tap_bind *bind)
{
	/* the queue is there as long as the pool is */
	if (rcu_access_pointer(bind->pool))
		tap_tx_kick(bind->queue);
}

static void bind_kick_soon(struct tap_bind *bind)
{
	if (rcu_access_pointer(bind->pool))
		mod_delayed_work(COMPAT_WQ, &bind->recheck, 0);
}

/**
 * tap_tx_kick_soon() - the same, by the binding's work
 * @queue: the queue; need not be bound
 *
 * Context: any; under RTNL, where tap_tx_kick() would take too long.
 */
void tap_tx_kick_soon(struct tap_queue *queue)
{
	struct tap_bind *bind;

	rcu_read_lock();
	bind = rcu_dereference(queue->bind);
	if (bind)
		bind_kick_soon(bind);
	rcu_read_unlock();
}

/**
 * tap_tx_recheck() - the work of a binding
 * @work: in the binding, which waits for it before it goes
 */
void tap_tx_recheck(struct work_struct *work)
{
	struct tap_bind *bind = container_of(to_delayed_work(work),
					     struct tap_bind, recheck);

	tap_tx_kick(bind->queue);
}

/*
 * The consumer is through. True when it shall kick. In an RCU section; the frame
 * may be taken anew right after.
 */
static bool frame_done(struct tap_frame *frame, enum tap_fate fate)
{
	struct tap_bind *bind = frame->bind;
	bool marker = frame->marker;
	int users;

	smp_store_release(&frame->fate, fate);	/* pairs with tx_complete() */
	users = atomic_dec_return(&bind->users);
	if (!users)
		tap_bind_put(bind);
	return marker || users <= TAP_FEW;
}

/* ---- reading -------------------------------------------------------------- */

static __sum16 packet_csum(const struct tap_frame *first)
{
	const struct tap_frame *seg;
	u32 skip = first->csum_start, pos = 0, i;
	__wsum sum = 0;

	for (i = 0; i < first->segs; i++) {
		seg = frame_seg(first, i);
		sum = csum_block_add(sum, csum_partial(seg->xdpf.data + skip,
						       seg->seg_len - skip, 0),
				     pos);
		pos += seg->seg_len - skip;
		skip = 0;
	}
	return csum_fold(sum) ?: CSUM_MANGLED_0;
}

/*
 * All of it, or as much as @to has room for: else a page was not there. Without the
 * hardened-usercopy check of copy_to_iter(), which for a UMEM looks up its mapping
 * among all of them for each packet: the core has compared address and length with
 * the UMEM when it handed the descriptor out.
 */
static bool copy_part(const void *part, size_t len, struct iov_iter *to)
{
	size_t want = min(len, iov_iter_count(to));

	return _copy_to_iter(part, want, to) == want;
}

/* The first segment with the checksum in its place. */
static bool copy_with_csum(const struct tap_frame *first, struct iov_iter *to)
{
	u32 at = first->csum_start + first->csum_offset;
	u32 after = at + sizeof(__sum16);
	__sum16 sum = packet_csum(first);

	return copy_part(first->xdpf.data, at, to) &&
	       copy_part(&sum, sizeof(sum), to) &&
	       copy_part(first->xdpf.data + after, first->seg_len - after, to);
}

static bool copy_packet(const struct tap_frame *first, bool fill_csum,
			struct iov_iter *to)
{
	const struct tap_frame *seg;
	bool ok;
	u32 i;

	if (fill_csum)
		ok = copy_with_csum(first, to);
	else
		ok = copy_part(first->xdpf.data, first->seg_len, to);
	for (i = 1; ok && i < first->segs; i++) {
		seg = frame_seg(first, i);
		ok = copy_part(seg->xdpf.data, seg->seg_len, to);
	}
	return ok;
}

static bool copy_pi(const struct tap_frame *frame, size_t total,
		    struct iov_iter *to)
{
	const struct ethhdr *eth = frame->xdpf.data;
	struct tun_pi pi = { 0 };

	if (frame->seg_len >= ETH_HLEN)
		pi.proto = eth->h_proto;
	if (iov_iter_count(to) < total)
		pi.flags |= TUN_PKT_STRIP;
	return copy_to_iter(&pi, sizeof(pi), to) == sizeof(pi);
}

static bool copy_vnet_hdr(const struct tap_frame *frame,
			  const struct tap_format *format, struct iov_iter *to)
{
	size_t rest = format->vnet_hdr_sz - sizeof(struct virtio_net_hdr);
	struct virtio_net_hdr hdr = { 0 };

	if (frame->flags & TAP_FRAME_CSUM && format->csum) {
		hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		hdr.csum_start = __cpu_to_virtio16(format->little_endian,
						   frame->csum_start);
		hdr.csum_offset = __cpu_to_virtio16(format->little_endian,
						    frame->csum_offset);
	}
	if (copy_to_iter(&hdr, sizeof(hdr), to) != sizeof(hdr))
		return false;
	/* also the rest: of the reader's last packet, for all we know */
	return iov_iter_zero(rest, to) == rest;
}

/* What fits of headers and packet; false when a page was not there. */
static bool frame_copy(const struct tap_frame *frame,
		       const struct tap_format *format, size_t total,
		       struct iov_iter *to)
{
	bool fill_csum = frame->flags & TAP_FRAME_CSUM &&
			 !(format->vnet_hdr_sz && format->csum);

	if (format->pi && !copy_pi(frame, total, to))
		return false;
	if (format->vnet_hdr_sz && !copy_vnet_hdr(frame, format, to))
		return false;
	return copy_packet(frame, fill_csum, to);
}

/* This will take a while: let the sender know that nobody else comes by. */
static void frame_waits(const struct tap_frame *frame)
{
	rcu_read_lock();
	bind_kick(frame->bind);
	rcu_read_unlock();
}

static ssize_t frame_read(struct tap_frame *frame,
			  const struct tap_format *format, struct iov_iter *to)
{
	size_t headers = format->vnet_hdr_sz +
			 (format->pi ? sizeof(struct tun_pi) : 0);
	struct iov_iter start = *to;
	unsigned int tries;
	size_t total;
	bool whole;

	if (iov_iter_count(to) < headers)
		return -EINVAL;
	for (tries = 0; tries < TAP_COPY_TRIES; tries++) {
		rcu_read_lock();
		if (!rcu_access_pointer(frame->bind->pool)) {
			rcu_read_unlock();
			return TAP_STALE;
		}
		total = headers + frame->xdpf.len;
		pagefault_disable();
		whole = frame_copy(frame, format, total, to);
		pagefault_enable();
		rcu_read_unlock();
		if (whole)
			return total;
		*to = start;
		if (!tries)
			frame_waits(frame);
		if (fatal_signal_pending(current) ||
		    fault_in_iov_iter_writeable(to, min(total, iov_iter_count(to))))
			break;
	}
	return -EFAULT;
}

/**
 * tap_tx_read() - give a packet to the reader of the fd
 * @xdpf: a frame of ours, out of the ring; consumed whatever happens
 * @format: what comes before the packet
 * @to: where it goes; what does not fit is cut off
 *
 * Context: process context, may sleep; no lock held.
 *
 * Return: bytes that the packet has with its headers; -EINVAL when @to is too
 * short for these; -EFAULT; TAP_STALE when the pool is gone.
 */
ssize_t tap_tx_read(struct xdp_frame *xdpf, const struct tap_format *format,
		    struct iov_iter *to)
{
	struct tap_frame *frame = to_frame(xdpf);
	struct tap_bind *bind = frame->bind;
	ssize_t ret;

	ret = frame_read(frame, format, to);
	rcu_read_lock();
	if (frame_done(frame, ret < 0 ? TAP_UNREAD : TAP_READ))
		bind_kick(bind);
	rcu_read_unlock();
	return ret;
}

/**
 * tap_tx_free() - a frame is thrown away unread
 * @xdpf: a frame of ours, out of the ring
 *
 * Context: any, also under both locks of a ring. So it only marks: the work
 * publishes the completion and says need_wakeup.
 */
void tap_tx_free(struct xdp_frame *xdpf)
{
	struct tap_frame *frame = to_frame(xdpf);
	struct tap_bind *bind = frame->bind;

	rcu_read_lock();
	frame_done(frame, TAP_UNREAD);
	bind_kick_soon(bind);
	rcu_read_unlock();
}
