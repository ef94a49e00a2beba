// SPDX-License-Identifier: GPL-2.0-only
/*
 * tun.ko of several objects: takes the hooked upstream tun.c under this one (a
 * module cannot have an object of its own name), and has here what needs the
 * inside of its structures. Which queue an fd is, and which fd a queue has, is
 * asked anew each time, in an RCU section: it changes with TUNSETQUEUE.
 */
#include "tun.c"

#include "compat.h"
#include "tun_hooks.h"

static struct tun_struct *to_tun(struct net_device *dev)
{
	return netdev_priv(dev);
}

/**
 * tun_xsk_port() - the ring of a queue
 * @dev: a TAP device
 * @id: queue id
 * @port: filled in; its ring is NULL when no fd is attached or the device is down
 *
 * Context: in an RCU section, in which @port is valid.
 */
void tun_xsk_port(struct net_device *dev, u16 id, struct tap_port *port)
{
	struct tun_file *tfile = NULL;

	if (netif_running(dev))
		tfile = rcu_dereference(to_tun(dev)->tfiles[id]);
	port->ring = tfile ? &tfile->tx_ring : NULL;
	port->file = tfile;
}

/**
 * tun_xsk_notify() - packets are in the ring
 * @port: a port with a ring, in the same RCU section
 */
void tun_xsk_notify(const struct tap_port *port)
{
	__tun_xdp_flush_tfile(port->file);
}

/**
 * tun_xsk_prog() - the device's XDP program
 * @dev: a TAP device
 *
 * Context: in an RCU section.
 *
 * Return: the program or NULL.
 */
struct bpf_prog *tun_xsk_prog(struct net_device *dev)
{
	return rcu_dereference(to_tun(dev)->xdp_prog);
}

/**
 * tun_xsk_act() - do what an XDP program said, and count it
 * @dev: a TAP device
 * @prog: the program
 * @xdp: the packet
 * @act: what it returned, not XDP_PASS
 *
 * Return: the action done or a negative errno.
 */
int tun_xsk_act(struct net_device *dev, struct bpf_prog *prog,
		struct xdp_buff *xdp, u32 act)
{
	return tun_xdp_act(to_tun(dev), prog, xdp, act);
}

static struct tap_queue *queue_at(struct tun_struct *tun, u16 id)
{
	if (likely(!READ_ONCE(tun->xsk.bound)) || id >= TAP_MAX_QUEUES)
		return NULL;
	return READ_ONCE(tun->xsk.queues[id]);
}

/* The queue of an fd, if a pool is bound to it and packets may go to it. */
static struct tap_queue *rx_queue_of(struct tun_struct *tun,
				     struct tun_file *tfile)
{
	struct tap_queue *queue;

	if (likely(!READ_ONCE(tun->xsk.bound)) || READ_ONCE(tfile->detached) ||
	    !rcu_access_pointer(tun->xdp_prog))
		return NULL;
	queue = queue_at(tun, READ_ONCE(tfile->queue_index));
	return queue && rcu_access_pointer(queue->bind) ? queue : NULL;
}

/* ndo_xsk_wakeup: in an RCU section, possibly several at once. */
static int tun_xsk_wakeup(struct net_device *dev, u32 id, u32 flags)
{
	struct tap_queue *queue = queue_at(to_tun(dev), id);

	if (!netif_running(dev))
		return -ENETDOWN;
	if (!queue)
		return -ENXIO;
	WRITE_ONCE(queue->tx.wakeups, queue->tx.wakeups + 1);
	/* Rx buffers are taken when a packet comes: nothing to do for them. */
	if (flags & XDP_WAKEUP_TX)
		tap_tx_kick(queue);
	return 0;
}

/* A queue has an fd again, or the device is up. */
static void tun_xsk_resume(struct tun_struct *tun)
{
	struct tap_queue *queue;
	unsigned int i;

	for (i = 0; i < tun->numqueues; i++) {
		queue = queue_at(tun, i);
		if (queue)
			tap_tx_kick_soon(queue);
	}
}

static ssize_t tun_xsk_read(struct tun_struct *tun, struct xdp_frame *xdpf,
			    struct iov_iter *to)
{
	struct tap_format format = {
		.vnet_hdr_sz = tun->flags & IFF_VNET_HDR ?
			       READ_ONCE(tun->vnet_hdr_sz) : 0,
		.little_endian = compat_little_endian(tun),
		.csum = tun->set_features & NETIF_F_HW_CSUM,
		.pi = !(tun->flags & IFF_NO_PI),
	};
	ssize_t ret = tap_tx_read(xdpf, &format, to);

	if (ret > 0) {
		preempt_disable();
		dev_sw_netstats_tx_add(tun->dev, 1, ret);
		preempt_enable();
	}
	return ret;
}

/*
 * tun_do_read() for its callers: a packet whose pool went away is none. Who came
 * with it in @ptr (vhost_net) gets a short read, which it discards.
 */
static ssize_t tun_xsk_do_read(struct tun_struct *tun, struct tun_file *tfile,
			       struct iov_iter *to, int noblock, void *ptr)
{
	ssize_t ret;

	do
		ret = tun_do_read(tun, tfile, to, noblock, ptr);
	while (ret == TAP_STALE && !ptr);
	return ret == TAP_STALE ? 0 : ret;
}

/*
 * In an RCU section. When a queue goes, our number goes down first, then comes a grace
 * period, then the core's; when one comes, the core's goes up last. So what is below
 * both here stays below the core's until we leave.
 */
static void tun_xsk_check_queue(const struct tun_struct *tun, struct sk_buff *skb)
{
	u16 queue = skb_get_rx_queue(skb);

	if (queue >= READ_ONCE(tun->numqueues) ||
	    queue >= READ_ONCE(tun->dev->real_num_rx_queues))
		skb_record_rx_queue(skb, 0);
}

/* In an RCU section: the program must run on an skb, not natively. */
static bool tun_xsk_bound(const struct tun_struct *tun)
{
	return READ_ONCE(tun->xsk.bound);
}

/* Shall this packet go the short way? The answer is final in build_skb. */
static bool tun_xsk_rx_wanted(struct tun_struct *tun, struct tun_file *tfile,
			      const void *ubuf)
{
	return !ubuf && rx_queue_of(tun, tfile);
}

static struct sk_buff *rx_long_way(struct tun_file *tfile, struct iov_iter *from,
				   size_t len, size_t align, int noblock)
{
	size_t linear = min_t(size_t, len, SKB_MAX_HEAD(align));
	struct sk_buff *skb;

	skb = tun_alloc_skb(tfile, align, len, linear, noblock);
	if (!IS_ERR(skb) && skb_copy_datagram_from_iter(skb, 0, from, len)) {
		kfree_skb(skb);
		return ERR_PTR(-EFAULT);
	}
	return skb;
}

/*
 * In the place of tun_build_skb(): into a buffer of the pool if the packet fits
 * one. Called without a pool, it does what the stock driver does.
 */
static struct sk_buff *tun_xsk_build_skb(struct tun_struct *tun,
					 struct tun_file *tfile,
					 struct iov_iter *from,
					 struct virtio_net_hdr *hdr, int len,
					 size_t align, int noblock,
					 const void *ubuf, int *skb_xdp)
{
	struct tap_queue *queue = rx_queue_of(tun, tfile);
	struct sk_buff *skb = NULL;
	int act = -ESTALE;

	if (queue && !hdr->gso_type && !ubuf)
		act = tap_rx_user(queue, from, len, &skb);
	if (act == -ESTALE) {
		if (tun_can_build_skb(tun, tfile, len, noblock, false))
			return tun_build_skb(tun, tfile, from, hdr, len, skb_xdp);
		*skb_xdp = 1;
		return rx_long_way(tfile, from, len, align, noblock);
	}
	if (act == -EFAULT)
		return ERR_PTR(-EFAULT);
	*skb_xdp = 0;
	if (act == -ENOBUFS || act == -ENOMEM)
		dev_core_stats_rx_dropped_inc(tun->dev);
	if (skb)
		skb_set_owner_w(skb, tfile->socket.sk);
	return skb;
}

static struct sk_buff *rx_copy_page(const struct xdp_buff *xdp)
{
	unsigned int len = xdp->data_end - xdp->data;
	struct sk_buff *skb = tap_rx_skb(len);

	if (skb)
		skb_put_data(skb, xdp->data, len);
	return skb;
}

static int rx_to_napi(struct tun_file *tfile, struct sk_buff *skb)
{
	struct sk_buff_head *queue = &tfile->sk.sk_write_queue;
	int ret = 1;

	spin_lock(&queue->lock);
	if (likely(!tfile->detached))
		__skb_queue_tail(queue, skb);
	else
		ret = -EBUSY;
	spin_unlock(&queue->lock);
	if (ret < 0)
		kfree_skb(skb);
	return ret;
}

/*
 * The rest of what tun_xdp_one() does with a packet for the stack, and what it
 * returns. @prog still has to see it when it was too long for the pool.
 */
static int rx_deliver(struct tun_struct *tun, struct tun_file *tfile,
		      struct virtio_net_hdr *gso, struct sk_buff *skb,
		      struct bpf_prog *prog)
{
	unsigned int len = skb->len;
	u32 rxhash = 0;
	int ret = 0;

	if (virtio_net_hdr_to_skb(skb, gso, compat_little_endian(tun))) {
		atomic_long_inc(&tun->rx_frame_errors);
		kfree_skb(skb);
		return -EINVAL;
	}
	skb->protocol = eth_type_trans(skb, tun->dev);
	skb_reset_network_header(skb);
	skb_probe_transport_header(skb);
	skb_record_rx_queue(skb, tfile->queue_index);
	tun_xsk_check_queue(tun, skb);
	if (prog && compat_xdp_generic(prog, &skb) != XDP_PASS)
		return 0;
	if (!rcu_dereference(tun->steering_prog) && tun->numqueues > 1 &&
	    !tfile->detached)
		rxhash = __skb_get_hash_symmetric(skb);
	if (tfile->napi_enabled)
		ret = rx_to_napi(tfile, skb);
	else
		netif_receive_skb(skb);
	if (ret < 0)
		return ret;
	dev_sw_netstats_rx_add(tun->dev, len);
	if (rxhash)
		tun_flow_update(tun, rxhash, tfile);
	return ret;
}

/*
 * Before anything else that tun_xdp_one() does: true when the packet is dealt with,
 * and @ret what that shall return. One that does not fit goes the long way here, not
 * in tun_xdp_one(): a native redirect would need the pool's lock.
 */
static bool tun_xsk_xdp_one(struct tun_struct *tun, struct tun_file *tfile,
			    struct xdp_buff *xdp, int *ret)
{
	struct virtio_net_hdr *gso = compat_vhost_hdr(xdp);
	struct bpf_prog *prog = rcu_dereference(tun->xdp_prog);
	struct tap_queue *queue = rx_queue_of(tun, tfile);
	struct sk_buff *skb = NULL;
	int act;

	if (!queue || !prog || gso->gso_type ||
	    xdp->data_end - xdp->data < ETH_HLEN)
		return false;
	act = tap_rx_vhost(queue, xdp, &skb);
	if (act == -ESTALE)
		return false;
	if (act == -EMSGSIZE)
		skb = rx_copy_page(xdp);
	*ret = 0;
	if (skb)
		*ret = rx_deliver(tun, tfile, gso, skb,
				  act == XDP_PASS ? NULL : prog);
	else if (act == -ENOBUFS || act == -ENOMEM || act == -EMSGSIZE)
		dev_core_stats_rx_dropped_inc(tun->dev);
	put_page(virt_to_head_page(xdp->data));
	return true;
}

/* Not numqueues: that is 0 when the last fd has gone, and the figures of interest. */
static int tun_xsk_sset_count(struct net_device *dev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return tap_stats_count(dev->real_num_tx_queues);
}

static void tun_xsk_strings(struct net_device *dev, u32 sset, u8 *names)
{
	if (sset == ETH_SS_STATS)
		tap_stats_names(dev->real_num_tx_queues, names);
}

static void tun_xsk_ethtool_stats(struct net_device *dev,
				  struct ethtool_stats *stats, u64 *values)
{
	tap_stats_values(&to_tun(dev)->xsk, dev->real_num_tx_queues, values);
}

static int __init tun_xsk_init(void)
{
	int err = tap_xsk_init();

	if (err)
		return err;
	err = tun_init();
	if (err)
		tap_xsk_exit();
	return err;
}

static void __exit tun_xsk_exit(void)
{
	tun_cleanup();
	tap_xsk_exit();
}
