// SPDX-License-Identifier: GPL-2.0-only
//
// The lines that change inside the upstream tun.c, once for all kernels. The
// logic is in the files beside this one. How often each rule must land is said
// by the line `//= RULE | FILE | COUNT [SERIES=COUNT] | TEXT` above it: see
// kernel/assemble, which proves it.

//= tun_include | tun.c | 1 | #include "tun_hooks.h"
@tun_include@
@@
 #include <linux/proc_fs.h>
+#include "tun_hooks.h"

//= tun_field | tun.c | 1 | struct tap_xsk xsk;
@tun_field@
@@
 struct tun_struct {
 	...
 	int vnet_hdr_sz;
+	/* private: AF_XDP zero-copy, see tap_xsk.h */
+	struct tap_xsk xsk;
 	...
 };

// ---- Tx: what comes out of the ring ---------------------------------------

//= tun_ptr_free | tun.c | 1 | tap_tx_free(xdpf);
@tun_ptr_free@
symbol ptr, xdpf;
@@
 tun_ptr_free(...)
 {
 	<...
 	struct xdp_frame *xdpf = tun_ptr_to_xdp(ptr);

+	if (tap_is_frame(xdpf)) {
+		tap_tx_free(xdpf);
+		return;
+	}
 	xdp_return_frame(xdpf);
 	...>
 }

//= tun_read | tun.c | 1 | return tun_xsk_read(tun, xdpf, to);
@tun_read@
symbol tun, tfile, xdpf, to, ret;
@@
+	if (tap_is_frame(xdpf))
+		return tun_xsk_read(tun, xdpf, to);
 	ret = tun_put_user_xdp(tun, tfile, xdpf, to);

//= tun_do_read | tun.c | 2 | tun_xsk_do_read(
@tun_do_read@
symbol tun, tfile;
expression where, nowait, given;
@@
-tun_do_read(tun, tfile, where, nowait, given)
+tun_xsk_do_read(tun, tfile, where, nowait, given)

// ---- Rx: what goes in ------------------------------------------------------

//= tun_can_build | tun.c | 1 | (tun_xsk_rx_wanted(
@tun_can_build@
symbol tun, tfile, len, noblock, zerocopy, frags, msg_control;
@@
-!frags && tun_can_build_skb(tun, tfile, len, noblock, zerocopy)
+!frags && (tun_xsk_rx_wanted(tun, tfile, msg_control) || tun_can_build_skb(tun, tfile, len, noblock, zerocopy))

//= tun_build | tun.c | 1 | tun_xsk_build_skb(
@tun_build@
symbol tun, tfile, from, len, skb_xdp, align, noblock, msg_control;
expression hdr;
@@
-tun_build_skb(tun, tfile, from, hdr, len, &skb_xdp)
+tun_xsk_build_skb(tun, tfile, from, hdr, len, align, noblock, msg_control, &skb_xdp)

// Native redirects are not serialised, see bound_add().
//= tun_native | tun.c | 1 | if (xdp_prog && tun_xsk_bound(tun)) {
@tun_native@
symbol tun, xdp_prog, skb_xdp, bpf_net_ctx;
@@
 tun_build_skb(...)
 {
 	...
 	*skb_xdp = 0;
 	...
 	xdp_prog = rcu_dereference(tun->xdp_prog);
+	if (xdp_prog && tun_xsk_bound(tun)) {
+		*skb_xdp = 1;
+		xdp_prog = NULL;
+	}
 	if (xdp_prog) { ... }
 	...
 }

//= tun_native_one | tun.c | 1 | if (gso->gso_type || tun_xsk_bound(tun))
@tun_native_one@
symbol tun, gso;
@@
 tun_xdp_one(...)
 {
 	<...
-	if (gso->gso_type)
+	if (gso->gso_type || tun_xsk_bound(tun))
 	{ ... }
 	...>
 }

// Generic XDP warns of a queue that the device has no more; the fd of a write under
// way may have been detached since.
//= tun_generic | tun.c | 2 | tun_xsk_check_queue(tun, skb);
@tun_generic@
symbol tun, skb, ret, xdp_prog;
expression packet;
@@
+	tun_xsk_check_queue(tun, skb);
 	ret = do_xdp_generic(xdp_prog, packet);

//= tun_xdp_one | tun.c | 1 | if (tun_xsk_xdp_one(
@tun_xdp_one@
symbol tun, tfile, xdp, ret, datasize;
@@
 tun_xdp_one(...)
 {
 	...
+	if (tun_xsk_xdp_one(tun, tfile, xdp, &ret))
+		return ret;
 	if (unlikely(datasize < ETH_HLEN)) { ... }
 	...
 }

// ---- control ----------------------------------------------------------------

//= tun_setup | tun.c | 1 | xdp->command == XDP_SETUP_XSK_POOL
@tun_setup@
symbol dev, xdp;
@@
 tun_xdp(...)
 {
+	if (xdp->command == XDP_SETUP_XSK_POOL)
+		return tap_xsk_setup(&((struct tun_struct *)netdev_priv(dev))->xsk, dev, xdp->xsk.pool, xdp->xsk.queue_id);
 	...
 }

//= tun_wakeup | tun.c | 1 | .ndo_xsk_wakeup
@tun_wakeup@
@@
 static const struct net_device_ops tap_netdev_ops = {
 	.ndo_bpf = tun_xdp,
+	.ndo_xsk_wakeup = tun_xsk_wakeup,
 	...
 };

//= tun_features | tun.c | 1 | tap_xsk_features(dev);
@tun_features@
symbol dev, tun;
@@
 tun_net_initialize(...)
 {
 	...
 	dev->min_mtu = MIN_MTU;
+	if ((tun->flags & TUN_TYPE_MASK) == IFF_TAP)
+		tap_xsk_features(dev);
 	...
 }

//= tun_free | tun.c | 1 | tap_xsk_free(
@tun_free@
symbol tun;
@@
 tun_free_netdev(...)
 {
 	...
 	tun_flow_uninit(tun);
+	tap_xsk_free(&tun->xsk);
 	...
 }

//= tun_attach | tun.c | 1 | /* a queue may wait for this */
@tun_attach@
symbol tun;
@@
 tun_attach(...)
 {
 	...
 	tun_set_real_num_queues(tun);
+	/* a queue may wait for this */
+	tun_xsk_resume(tun);
 	...
 }

// As for a queue that has an fd again.
//= tun_up | tun.c | 1 | if (event == NETDEV_UP)
@tun_up@
symbol tun, event, dev;
@@
 tun_device_event(...)
 {
 	...
 	if (dev->rtnl_link_ops != &tun_link_ops)
 		return NOTIFY_DONE;
+
+	if (event == NETDEV_UP)
+		tun_xsk_resume(tun);
 	...
 }

//= tun_ethtool | tun.c | 1 | .get_ethtool_stats
@tun_ethtool@
@@
 static const struct ethtool_ops tun_ethtool_ops = {
 	.get_drvinfo = tun_get_drvinfo,
+	.get_sset_count = tun_xsk_sset_count,
+	.get_strings = tun_xsk_strings,
+	.get_ethtool_stats = tun_xsk_ethtool_stats,
 	...
 };

// Ours begins before the stock driver and ends after it: tun_main.c.
//= tun_init | tun.c | 1 | module_init(tun_xsk_init);
@tun_init@
declarer name module_init;
@@
-module_init(tun_init);
+module_init(tun_xsk_init);

//= tun_exit | tun.c | 1 | module_exit(tun_xsk_exit);
@tun_exit@
declarer name module_exit;
@@
-module_exit(tun_cleanup);
+module_exit(tun_xsk_exit);
