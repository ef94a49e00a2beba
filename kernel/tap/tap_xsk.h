/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AF_XDP zero-copy on a TAP device.
 *
 * Follow one packet:
 *   Tx  ndo_xsk_wakeup -> tap_tx_kick() takes descriptors, each in a frame that
 *       looks like an xdp_frame, into the queue's ptr_ring -> whoever reads the
 *       fd gets it in tun_do_read() -> tap_tx_read() copies it out ->
 *       tap_tx_kick() publishes completions and takes more.
 *   Rx  write() or vhost_net -> tap_rx_user() or tap_rx_vhost() copies it into a
 *       buffer of the fill ring -> XDP program -> the socket's Rx ring.
 *
 * Objects, who holds them, what guards them:
 *   struct tap_xsk    in tun_struct; the queues below it are made under RTNL at
 *                     the first bind and stay until the netdev is freed.
 *   struct tap_queue  one per queue id that was ever bound; not per fd: a queue
 *                     id may be without fd for a while.
 *   struct tap_bind   one per pool. queue->bind (RCU) while the pool is bound.
 *                     Counted by users: one while bound, one for every frame
 *                     that is in a ring or with a consumer. vhost_net keeps up
 *                     to 64 frames that nobody can recall, so it outlives pool,
 *                     fd and netdev; freed by RCU with the last frame.
 *   struct tap_frame  in the binding's array, first member an xdp_frame with a
 *                     memory type that is ours alone. Written by the taker under
 *                     tx_lock until it is in the ring; then its consumer's until
 *                     that sets its fate.
 *   pool, UMEM        touched only inside an RCU section that saw bind->pool.
 *                     Unbinding clears it and waits one grace period. Nothing in
 *                     such a section can sleep: copies run with page faults off
 *                     and are tried again after the page was faulted in outside.
 *
 * Locks: pool->rx_lock > queue->tx_lock > ring->producer_lock, all with BH off. Who
 * frees frames may hold both locks of a ring (unconsume, resize), so freeing only
 * marks and leaves the rest to the binding's work. pool->rx_lock serialises all Rx of
 * a pool, generic XDP included; the stock driver's native XDP takes no lock, so it
 * stands back while a pool is bound to any queue of the device.
 */
#ifndef SHORTPATH_TAP_XSK_H
#define SHORTPATH_TAP_XSK_H

#ifndef __GENKSYMS__	/* the CRCs of what tun.ko exports stay the stock ones */

#include <linux/atomic.h>
#include <linux/netdevice.h>
#include <linux/ptr_ring.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/uio.h>
#include <linux/workqueue.h>
#include <net/xdp.h>

#include "compat.h"
#include "tap_fifo.h"

#define TAP_MAX_QUEUES	256	/* MAX_TAP_QUEUES of tun.c */
#define TAP_BATCH	32	/* descriptors a round; completions at once */
#define TAP_FEW		8	/* on their way: completions are not held back */
#define TAP_MAX_SEGS	17	/* of one packet, as MAX_SKB_FRAGS */

/*
 * Copies with page faults off, each after the pages were faulted in. More than a
 * few fail only where faulting in cannot help (arm64 memory tags).
 */
#define TAP_COPY_TRIES	64

/* No type of the core's: such a frame must never reach xdp_return_frame(). */
#define TAP_FRAME_TYPE	0x74617078

struct tap_bind;
struct xsk_buff_pool;
struct ethtool_stats;

#define TAP_FRAME_CSUM	BIT(0)	/* csum_start and csum_offset hold */
#define TAP_FRAME_STAMP	BIT(1)	/* wants a time stamp at completion */

/* What became of a packet; TAP_PENDING until its consumer is through with it. */
enum tap_fate {
	TAP_PENDING,
	TAP_READ,	/* by the fd */
	TAP_UNREAD,	/* thrown away with its ring, or its reader failed */
	TAP_NO_PACKET,	/* its length is none */
};

/**
 * struct tap_frame - one descriptor on its way from the Tx ring to the fd
 * @xdpf: what the ring's consumers see; len is that of the whole packet
 * @bind: the binding it belongs to, always the same
 * @seg_len: bytes in this segment
 * @segs: segments of the packet, at its first frame
 * @csum_start: where the checksum's range begins
 * @csum_offset: where it goes, from @csum_start
 * @flags: TAP_FRAME_*
 * @marker: consuming this one publishes completions
 * @fate: enum tap_fate; setting it is the last thing a consumer does
 */
struct tap_frame {
	struct xdp_frame xdpf;
	struct tap_bind *bind;
	u16 seg_len;
	u16 segs;
	u16 csum_start;
	u16 csum_offset;
	u8 flags;
	bool marker;
	u8 fate;
} ____cacheline_aligned;

/* Counters of a queue; written under the lock named, read without. */
struct tap_tx_stats {		/* tx_lock */
	u64 packets;
	u64 bytes;
	u64 completions;
	u64 drop_length;
	u64 drop_unread;
	u64 wakeups;		/* no lock: senders may be several */
};

struct tap_rx_stats {		/* pool->rx_lock */
	u64 packets;
	u64 bytes;
	u64 redirected;
	u64 drop_no_buffer;
	u64 drop_full;
	u64 drop_prog;
};

/**
 * struct tap_queue - what a queue id has beside its fd
 * @dev: the device
 * @id: queue id
 * @bind: the binding while a pool is bound; written under RTNL
 * @tx_lock: guards the FIFO, the completion ring and taking descriptors
 * @idle: need_wakeup is set, nobody will take descriptors by himself; tx_lock
 * @dry: need_wakeup of the fill ring is set; the pool's rx_lock
 * @tx: counters
 * @rx: counters
 */
struct tap_queue {
	struct net_device *dev;
	u16 id;
	struct tap_bind __rcu *bind;
	spinlock_t tx_lock; /* see above */
	bool idle;
	bool dry;
	struct tap_tx_stats tx;
	struct tap_rx_stats rx;
};

/**
 * struct tap_bind - one pool bound to one queue
 * @pool: the pool; NULL once unbinding began
 * @queue: of the queue id; valid while @pool is
 * @users: one while bound, one per packet in the ring or with a consumer
 * @fifo: positions in @frames; under tx_lock
 * @tx_batch: most descriptors to take at once, 0 until that is known
 * @frames: the wrappers
 * @rxq: what Rx buffers name as their queue
 * @recheck: takes descriptors that nobody else would; see tap_tx_kick()
 * @rcu: frees it
 */
struct tap_bind {
	struct xsk_buff_pool __rcu *pool;
	struct tap_queue *queue;
	atomic_t users;
	struct tap_fifo fifo;
	u32 tx_batch;
	struct tap_frame *frames;
	struct xdp_rxq_info rxq;
	struct delayed_work recheck;
	struct rcu_head rcu;
};

/**
 * struct tap_xsk - the part of tun_struct that is ours
 * @bound: number of bindings, under RTNL; read to be quick when there is none, and
 *	in an RCU section to know that no binding's Rx runs
 * @queues: by queue id, NULL until first bound
 */
struct tap_xsk {
	unsigned int bound;
	struct tap_queue *queues[TAP_MAX_QUEUES];
};

/* What reading the fd needs to know of its device. */
struct tap_format {
	int vnet_hdr_sz;	/* bytes before the packet, 0 for none */
	bool little_endian;	/* of that header */
	bool csum;		/* the reader fills checksums in */
	bool pi;		/* a struct tun_pi comes first */
};

#define TAP_STALE	(-ESTALE)	/* the frame's pool is gone */

static inline bool tap_is_frame(const struct xdp_frame *xdpf)
{
	return compat_frame_type(xdpf) == TAP_FRAME_TYPE;
}

/* tap_bind.c */
int tap_xsk_init(void);
void tap_xsk_exit(void);
void tap_xsk_features(struct net_device *dev);
int tap_xsk_setup(struct tap_xsk *xsk, struct net_device *dev,
		  struct xsk_buff_pool *pool, u16 id);
void tap_xsk_free(struct tap_xsk *xsk);
void tap_bind_put(struct tap_bind *bind);

/* tap_tx.c */
void tap_tx_kick(struct tap_queue *queue);
void tap_tx_kick_soon(struct tap_queue *queue);
void tap_tx_forget(struct tap_queue *queue, struct tap_bind *bind);
void tap_tx_recheck(struct work_struct *work);
ssize_t tap_tx_read(struct xdp_frame *xdpf, const struct tap_format *format,
		    struct iov_iter *to);
void tap_tx_free(struct xdp_frame *xdpf);

/* tap_rx.c */
struct sk_buff *tap_rx_skb(unsigned int len);
int tap_rx_user(struct tap_queue *queue, struct iov_iter *from, size_t len,
		struct sk_buff **skb);
int tap_rx_vhost(struct tap_queue *queue, const struct xdp_buff *from,
		 struct sk_buff **skb);

/* tap_stats.c */
int tap_stats_count(unsigned int queues);
void tap_stats_names(unsigned int queues, u8 *names);
void tap_stats_values(const struct tap_xsk *xsk, unsigned int queues, u64 *values);

/* tun_main.c: what needs the inside of tun.c */
struct tap_port {
	struct ptr_ring *ring;	/* NULL: the queue has no fd, or is down */
	void *file;
};

void tun_xsk_port(struct net_device *dev, u16 id, struct tap_port *port);
void tun_xsk_notify(const struct tap_port *port);
struct bpf_prog *tun_xsk_prog(struct net_device *dev);
int tun_xsk_act(struct net_device *dev, struct bpf_prog *prog,
		struct xdp_buff *xdp, u32 act);

#endif /* __GENKSYMS__ */
#endif /* SHORTPATH_TAP_XSK_H */
