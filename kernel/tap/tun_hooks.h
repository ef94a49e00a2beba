/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hooked lines of tun.c call; defined behind it, in tun_main.c.
 */
#ifndef SHORTPATH_TUN_HOOKS_H
#define SHORTPATH_TUN_HOOKS_H

#ifndef __GENKSYMS__	/* see tap_xsk.h */

#include <linux/init.h>

#include "tap_xsk.h"

struct tun_file;
struct tun_struct;
struct virtio_net_hdr;

static int __init tun_xsk_init(void);
static void __exit tun_xsk_exit(void);
static int tun_xsk_wakeup(struct net_device *dev, u32 id, u32 flags);
static void tun_xsk_resume(struct tun_struct *tun);
static ssize_t tun_xsk_read(struct tun_struct *tun, struct xdp_frame *xdpf,
			    struct iov_iter *to);
static ssize_t tun_xsk_do_read(struct tun_struct *tun, struct tun_file *tfile,
			       struct iov_iter *to, int noblock, void *ptr);
static void tun_xsk_check_queue(const struct tun_struct *tun,
				struct sk_buff *skb);
static bool tun_xsk_bound(const struct tun_struct *tun);
static bool tun_xsk_rx_wanted(struct tun_struct *tun, struct tun_file *tfile,
			      const void *ubuf);
static struct sk_buff *tun_xsk_build_skb(struct tun_struct *tun,
					 struct tun_file *tfile,
					 struct iov_iter *from,
					 struct virtio_net_hdr *hdr, int len,
					 size_t align, int noblock,
					 const void *ubuf, int *skb_xdp);
static bool tun_xsk_xdp_one(struct tun_struct *tun, struct tun_file *tfile,
			    struct xdp_buff *xdp, int *ret);
static int tun_xsk_sset_count(struct net_device *dev, int sset);
static void tun_xsk_strings(struct net_device *dev, u32 sset, u8 *names);
static void tun_xsk_ethtool_stats(struct net_device *dev,
				  struct ethtool_stats *stats, u64 *values);

#endif /* __GENKSYMS__ */
#endif /* SHORTPATH_TUN_HOOKS_H */
