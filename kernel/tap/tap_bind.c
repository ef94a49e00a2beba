// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binding an AF_XDP buffer pool to a queue of a TAP device, and unbinding it.
 *
 * Both run under RTNL, from the core (bind(), close(), netdev notifier).
 * Unbinding waits for an RCU grace period and for the recheck work, which takes
 * no sleeping lock; never for a consumer. Lifetimes and locks: tap_xsk.h.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>
#include <linux/rtnetlink.h>
#include <net/xdp_sock.h>

#include "compat.h"
#include "tap_xsk.h"

/* Frames on their way beyond what the ring holds: vhost_net keeps up to 64. */
#define FRAMES_BEYOND_RING	128
#define FRAMES_MIN		256
#define FRAMES_MAX		16384

static bool xsk_zerocopy = true;
module_param(xsk_zerocopy, bool, 0644);
MODULE_PARM_DESC(xsk_zerocopy,
		 "AF_XDP zero-copy on TAP devices (default: on; off: as the stock driver)");

/*
 * The core wants a pool mapped for DMA, as a NIC needs it. Nobody uses these
 * addresses: this device exists so that there is something to map for.
 */
static struct platform_device *tap_dma;

/* What an unbound pool's buffers name as their queue; some readers look late. */
static struct xdp_rxq_info no_rxq;

int tap_xsk_init(void)
{
	int err;

	tap_dma = platform_device_register_simple("tap-xsk", PLATFORM_DEVID_NONE,
						  NULL, 0);
	if (IS_ERR(tap_dma))
		return PTR_ERR(tap_dma);
	err = dma_coerce_mask_and_coherent(&tap_dma->dev, DMA_BIT_MASK(64));
	if (err)
		platform_device_unregister(tap_dma);
	return err;
}

void tap_xsk_exit(void)
{
	rcu_barrier();	/* bind_free() is ours */
	platform_device_unregister(tap_dma);
}

#if COMPAT_TX_METADATA
/* The flags are read with the descriptor; the core asks only what there is. */
static void request_csum(u16 start, u16 offset, void *priv)
{
}

static u64 fill_timestamp(void *priv)
{
	return ktime_get_tai_fast_ns();
}

static const struct xsk_tx_metadata_ops tap_metadata_ops = {
	.tmo_request_checksum = request_csum,
	.tmo_fill_timestamp = fill_timestamp,
};
#endif

/**
 * tap_xsk_features() - say what a new TAP device can do
 * @dev: the device, not registered yet
 */
void tap_xsk_features(struct net_device *dev)
{
	if (!READ_ONCE(xsk_zerocopy))
		return;
#if COMPAT_XDP_FEATURES
	dev->xdp_features |= NETDEV_XDP_ACT_XSK_ZEROCOPY;
#endif
#if COMPAT_MULTI_BUFFER
	dev->xdp_zc_max_segs = TAP_MAX_SEGS;
#endif
#if COMPAT_TX_METADATA
	dev->xsk_tx_metadata_ops = &tap_metadata_ops;
#endif
}

static void bind_free(struct rcu_head *rcu)
{
	struct tap_bind *bind = container_of(rcu, struct tap_bind, rcu);

	kvfree(bind->frames);
	kfree(bind);
}

/**
 * tap_bind_put() - one user of a binding less, who must have been the last
 * @bind: a binding whose users fell to zero
 *
 * Context: any, within an RCU section if @bind is used afterwards.
 */
void tap_bind_put(struct tap_bind *bind)
{
	call_rcu(&bind->rcu, bind_free);
}

static void frames_init(struct tap_bind *bind, u32 count)
{
	struct tap_frame *frame;
	u32 i;

	for (i = 0; i < count; i++) {
		frame = &bind->frames[i];
		frame->bind = bind;
		compat_frame_set_type(&frame->xdpf, TAP_FRAME_TYPE);
	}
	bind->fifo.mask = count - 1;
}

static struct tap_bind *bind_alloc(struct net_device *dev)
{
	u32 count = clamp(dev->tx_queue_len + FRAMES_BEYOND_RING, FRAMES_MIN,
			  FRAMES_MAX);
	struct tap_bind *bind;

	count = roundup_pow_of_two(count);
	bind = kzalloc(sizeof(*bind), GFP_KERNEL_ACCOUNT);
	if (!bind)
		return NULL;
	bind->frames = kvcalloc(count, sizeof(*bind->frames),
				GFP_KERNEL_ACCOUNT);
	if (!bind->frames) {
		kfree(bind);
		return NULL;
	}
	frames_init(bind, count);
	atomic_set(&bind->users, 1);
	INIT_DELAYED_WORK(&bind->recheck, tap_tx_recheck);
	return bind;
}

static struct tap_queue *queue_get(struct tap_xsk *xsk, struct net_device *dev,
				   u16 id)
{
	struct tap_queue *queue = xsk->queues[id];

	if (queue)
		return queue;
	queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		return NULL;
	queue->dev = dev;
	queue->id = id;
	spin_lock_init(&queue->tx_lock);
	WRITE_ONCE(xsk->queues[id], queue);
	return queue;
}

/*
 * The core refuses descriptors that cross pages which are not neighbours for
 * DMA. The UMEM is in one piece where we read it, so let them cross.
 */
static void pool_all_contiguous(struct xsk_buff_pool *pool)
{
	u32 i;

	if (!pool->unaligned)
		return;
	for (i = 0; i + 1 < pool->dma_pages_cnt; i++)
		pool->dma_pages[i] |= XSK_NEXT_PG_CONTIG_MASK;
}

static int pool_map(struct tap_bind *bind, struct net_device *dev,
		    struct xsk_buff_pool *pool, u16 id)
{
	int err;

	err = xdp_rxq_info_reg(&bind->rxq, dev, id, 0);
	if (err)
		return err;
	err = xdp_rxq_info_reg_mem_model(&bind->rxq, MEM_TYPE_XSK_BUFF_POOL,
					 NULL);
	if (!err)
		err = xsk_pool_dma_map(pool, &tap_dma->dev,
				       DMA_ATTR_SKIP_CPU_SYNC);
	if (err) {
		xdp_rxq_info_unreg(&bind->rxq);
		return err;
	}
	pool_all_contiguous(pool);
	xsk_pool_set_rxq_info(pool, &bind->rxq);
	return 0;
}

/* The core compares only where it knows of multi-buffer. */
static bool frame_too_small(const struct net_device *dev,
			    struct xsk_buff_pool *pool)
{
	return !COMPAT_MULTI_BUFFER &&
	       dev->mtu + ETH_HLEN > xsk_pool_get_rx_frame_size(pool);
}

/*
 * While a pool is bound, the stock paths run the program on skbs only: natively, a
 * redirect to the socket is not serialised with ours, whatever queue the writer
 * believes to be. They look within an RCU section, so none is left behind.
 */
static void bound_add(struct tap_xsk *xsk)
{
	WRITE_ONCE(xsk->bound, xsk->bound + 1);
	if (xsk->bound == 1)
		synchronize_net();
}

static void bound_sub(struct tap_xsk *xsk)
{
	WRITE_ONCE(xsk->bound, xsk->bound - 1);
}

static int pool_bind(struct tap_xsk *xsk, struct net_device *dev,
		     struct xsk_buff_pool *pool, u16 id)
{
	struct tap_queue *queue;
	struct tap_bind *bind;
	int err;

	if (!READ_ONCE(xsk_zerocopy))
		return -EOPNOTSUPP;
	if (frame_too_small(dev, pool))
		return -EINVAL;
	queue = queue_get(xsk, dev, id);
	if (!queue)
		return -ENOMEM;
	if (rtnl_dereference(queue->bind))
		return -EBUSY;
	bind = bind_alloc(dev);
	if (!bind)
		return -ENOMEM;
	bound_add(xsk);
	err = pool_map(bind, dev, pool, id);
	if (err) {
		bound_sub(xsk);
		tap_bind_put(bind);
		return err;
	}
	bind->queue = queue;
	queue->idle = true;	/* as the core has the flags */
	queue->dry = false;
	RCU_INIT_POINTER(bind->pool, pool);
	rcu_assign_pointer(queue->bind, bind);
	return 0;
}

static void pool_unbind(struct tap_xsk *xsk, u16 id)
{
	struct tap_queue *queue = xsk->queues[id];
	struct xsk_buff_pool *pool;
	struct tap_bind *bind;

	bind = queue ? rtnl_dereference(queue->bind) : NULL;
	if (!bind)
		return;
	pool = rtnl_dereference(bind->pool);
	RCU_INIT_POINTER(queue->bind, NULL);
	spin_lock_bh(&queue->tx_lock);
	RCU_INIT_POINTER(bind->pool, NULL);
	spin_unlock_bh(&queue->tx_lock);
	synchronize_net();
	bound_sub(xsk);
	/* nobody queues it any more */
	cancel_delayed_work_sync(&bind->recheck);
	tap_tx_forget(queue, bind);
	xsk_pool_set_rxq_info(pool, &no_rxq);
	xdp_rxq_info_unreg(&bind->rxq);
	xsk_pool_dma_unmap(pool, DMA_ATTR_SKIP_CPU_SYNC);
	if (atomic_dec_and_test(&bind->users))
		tap_bind_put(bind);
}

/**
 * tap_xsk_setup() - XDP_SETUP_XSK_POOL
 * @xsk: ours of the device
 * @dev: the device
 * @pool: the pool to bind, or NULL to unbind what is bound
 * @id: queue id; the core has compared it with the number of queues
 *
 * Context: RTNL held.
 *
 * Return: 0; -EOPNOTSUPP when switched off; -EINVAL when the MTU does not fit
 * into a frame (6.1; later cores look themselves); -ENOMEM; -EBUSY. Unbinding
 * always succeeds, and when it returns no byte of the UMEM is touched any more.
 */
int tap_xsk_setup(struct tap_xsk *xsk, struct net_device *dev,
		  struct xsk_buff_pool *pool, u16 id)
{
	ASSERT_RTNL();

	if (id >= TAP_MAX_QUEUES)
		return -EINVAL;
	if (pool)
		return pool_bind(xsk, dev, pool, id);
	pool_unbind(xsk, id);
	return 0;
}

/**
 * tap_xsk_free() - the netdev is freed
 * @xsk: ours of the device; nothing is bound any more
 */
void tap_xsk_free(struct tap_xsk *xsk)
{
	unsigned int i;

	for (i = 0; i < TAP_MAX_QUEUES; i++)
		kfree(xsk->queues[i]);
}
