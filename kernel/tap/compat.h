/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels, so that nothing else has to know.
 */
#ifndef SHORTPATH_TAP_COMPAT_H
#define SHORTPATH_TAP_COMPAT_H

#include <linux/filter.h>
#include <linux/if_tun.h>
#include <linux/if_xdp.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <net/xdp.h>
#include <net/xdp_sock_drv.h>

/* Multi-buffer came with 6.6, commit 63a64a56bc3f ("xsk: prepare 'options' in
 * xdp_desc for multi-buffer use"), Tx metadata with 6.8, commit 341ac980eab9
 * ("xsk: Support tx_metadata_len"). Before, the core refuses any option.
 */
#ifdef XDP_PKT_CONTD
#define COMPAT_MULTI_BUFFER	1
#else
#define COMPAT_MULTI_BUFFER	0
#define XDP_PKT_CONTD		BIT(0)
#endif

#ifdef XDP_TX_METADATA
#define COMPAT_TX_METADATA	1
#else
#define COMPAT_TX_METADATA	0
#endif

/* Since 6.3 a driver says what it can, commit d3d854fd6a1d ("netdev-genl:
 * create a simple family for netdev stuff"); and since 6.6 the core compares
 * the MTU with the frame size. Before, ndo_xsk_wakeup alone is the sign.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define COMPAT_XDP_FEATURES	1
#else
#define COMPAT_XDP_FEATURES	0
#endif

/* The memory type of an xdp_frame is a field of its own since 6.13, commit
 * 56d95b0adfa2 ("xdp: get rid of xdp_frame::mem.id").
 */
static inline void compat_frame_set_type(struct xdp_frame *xdpf, u32 type)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	xdpf->mem_type = (enum xdp_mem_type)type;
#else
	xdpf->mem.type = type;
#endif
}

static inline u32 compat_frame_type(const struct xdp_frame *xdpf)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	return xdpf->mem_type;
#else
	return xdpf->mem.type;
#endif
}

/* Redirect needs a context on the stack since 6.11, commit 401cb7dae813 ("net:
 * Reference bpf_redirect_info via task_struct on PREEMPT_RT.").
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
struct bpf_net_context {
};

static inline struct bpf_net_context *
bpf_net_ctx_set(struct bpf_net_context *ctx)
{
	return ctx;
}

static inline void bpf_net_ctx_clear(struct bpf_net_context *ctx)
{
}
#endif

/* How many descriptors a batch may hold. pool->tx_descs has as many entries as
 * the Tx ring of the socket that came first; the core bounds a batch by that
 * where the pool has tx_descs_nentries (6.12.117 and 7.3 do), 6.1.192 does not.
 */
static inline u32 compat_tx_descs_max(const struct xsk_buff_pool *pool)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return U32_MAX;
#else
	if (!pool->tx_descs)
		return 0;
	if (is_vmalloc_addr(pool->tx_descs))
		return PAGE_SIZE / sizeof(*pool->tx_descs);
	return ksize(pool->tx_descs) / sizeof(*pool->tx_descs);
#endif
}

/* The virtio header before a packet of vhost_net moved to the start of its
 * buffer with 6.17, commit 97b2409f28e0 ("vhost-net: reduce one userspace copy
 * when building XDP buff").
 */
static inline struct virtio_net_hdr *compat_vhost_hdr(struct xdp_buff *xdp)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return xdp->data_hard_start;
#else
	return &((struct tun_xdp_hdr *)xdp->data_hard_start)->gso;
#endif
}

/* Generic XDP may replace the skb since 6.9, commit 4d2bb0bfe874 ("xdp: rely
 * on skb pointer reference in do_xdp_generic and netif_receive_generic_xdp").
 */
static inline int compat_xdp_generic(struct bpf_prog *prog, struct sk_buff **skb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return do_xdp_generic(prog, skb);
#else
	return do_xdp_generic(prog, *skb);
#endif
}

/* The workqueue for short work was renamed with 6.17, commit 128ea9f6ccfb
 * ("workqueue: Add system_percpu_wq and system_dfl_wq").
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define COMPAT_WQ	system_percpu_wq
#else
#define COMPAT_WQ	system_wq
#endif

/* Byte order moved to tun_vnet.h with 6.15, commit 1d41e2fa93f7 ("tun: Extract
 * the vnet handling code").
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define compat_little_endian(tun)	tun_vnet_is_little_endian((tun)->flags)
#else
#define compat_little_endian(tun)	tun_is_little_endian(tun)
#endif

#endif /* SHORTPATH_TAP_COMPAT_H */
