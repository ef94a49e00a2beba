// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures of `ethtool -S` and `ip -s link` against what was sent: each
 * packet is counted once, each drop by its reason, and a queue's figures are
 * its own.
 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"taps0"

static struct tapdev tap;

static const __u32 lens[] = { 60, 100, 1514, 14 };	/* 422 on average */

#define PER_4	(60 + 100 + 1514 + 14)

static void figure(const char *dir, unsigned int q, const char *what,
		   long long want)
{
	/* The consumer counts a moment after the last byte was read. */
	if (!xsk_stat_is(DEV, dir, q, what, want))
		diag("it is %lld", xsk_stat(DEV, dir, q, what));
	is(xsk_stat(DEV, dir, q, what), want, "%s_queue_%u_xsk_%s", dir, q,
	   what);
}

static void all_zero(unsigned int q)
{
	static const char *const rx[] = {
		"packets", "bytes", "redirected", "drop_no_buffer",
		"drop_full", "drop_prog",
	};
	static const char *const tx[] = {
		"packets", "bytes", "completions", "wakeups", "drop_length",
		"drop_unread", "outstanding",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rx); i++)
		is(xsk_stat(DEV, "rx", q, rx[i]), 0, "rx_queue_%u_xsk_%s", q,
		   rx[i]);
	for (i = 0; i < ARRAY_SIZE(tx); i++)
		is(xsk_stat(DEV, "tx", q, tx[i]), 0, "tx_queue_%u_xsk_%s", q,
		   tx[i]);
}

static void sends(struct xsk *x, int fd, __u32 n)
{
	struct tx_flow f = {
		.x = { x }, .source = 1, .total = n, .batch = 16,
		.lens = lens, .n_lens = ARRAY_SIZE(lens), .wake = WAKE_STRICT,
	};
	struct rx_flow r = { .fd = fd, .take = TAKE_POLL };

	flow_run(&f, &r, "frames arrive");
}

static void tx(void)
{
	struct xsk x, y;
	int fd, i;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	fd = tap_queue(DEV, tap.flags);
	xsk_open(&x, &XSK_BOTH, DEV, 0, XDP_USE_NEED_WAKEUP);
	xsk_open(&y, &XSK_BOTH, DEV, 1, XDP_USE_NEED_WAKEUP);
	all_zero(0);
	all_zero(1);
	sends(&x, tap.fd, 4000);
	figure("tx", 0, "packets", 4000);
	figure("tx", 0, "bytes", 1000LL * PER_4);
	figure("tx", 0, "completions", 4000);
	figure("tx", 0, "outstanding", 0);
	figure("tx", 0, "drop_length", 0);
	figure("tx", 0, "drop_unread", 0);
	ok(xsk_stat(DEV, "tx", 0, "wakeups") > 0, "wake-ups are counted");
	all_zero(1);
	sends(&y, fd, 400);
	figure("tx", 1, "packets", 400);
	figure("tx", 0, "packets", 4000);
	is(link_stat(DEV, "tx_packets"), 4400, "ip -s link: packets");
	is(link_stat(DEV, "tx_bytes"), 1100LL * PER_4, "ip -s link: bytes");
	is(link_stat(DEV, "tx_dropped"), 0, "ip -s link: dropped");
	/* Those that nobody has read yet are on their way, not sent. */
	for (i = 0; i < 10; i++)
		xsk_tx_put(&x, i * 2048, 60, 0);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	figure("tx", 0, "outstanding", 10);
	figure("tx", 0, "packets", 4000);
	is(link_stat(DEV, "tx_packets"), 4400, "ip -s link: not sent yet");
	xsk_close(&x);
	figure("tx", 0, "outstanding", 0);
	figure("tx", 0, "drop_unread", 10);
	figure("tx", 0, "packets", 4000);
	is(link_stat(DEV, "tx_packets"), 4400, "ip -s link: never sent");
	/* The next socket's figures go on from there. */
	xsk_make(&x, &XSK_BOTH);
	while (xsk_bind_try(&x, DEV, 0, xsk_mode() | XDP_USE_NEED_WAKEUP))
		if (errno != EBUSY)
			bail("bind");
	sends(&x, tap.fd, 40);
	figure("tx", 0, "packets", 4040);
	xsk_close(&x);
	xsk_close(&y);
	close(fd);
	tap_close(&tap);
}

static void writes(__u32 n)
{
	struct in_writer w = {
		.fd = tap.fd, .source = 2, .lens = lens,
		.n_lens = ARRAY_SIZE(lens),
	};
	__u32 i;

	for (i = 0; i < n; i++)
		in_write(&w, i);
}

static void rx(void)
{
	struct xsk_shape s = XSK_SMALL;
	struct xprog p;
	struct xsk x;

	s.rx = 16;
	tap_open(&tap, DEV);
	xsk_open(&x, &s, DEV, 0, 0);
	xprog_redirect(&p, DEV, XPROG_NATIVE);
	xprog_socket(&p, 0, &x);
	writes(8);
	figure("rx", 0, "drop_no_buffer", 8);
	figure("rx", 0, "redirected", 0);
	xsk_fill_chunks(&x, 0, 48);
	writes(16);
	figure("rx", 0, "packets", 16);
	figure("rx", 0, "bytes", 4 * PER_4);
	figure("rx", 0, "redirected", 16);
	writes(4);
	figure("rx", 0, "drop_full", 4);
	figure("rx", 0, "redirected", 16);
	is(xsk_statistics(&x).rx_ring_full, 4, "the socket says the same");
	is(link_stat(DEV, "rx_packets"), 16 + 4 + 8 -
	   link_stat(DEV, "rx_dropped"), "ip -s link: handed in or dropped");
	is(link_stat(DEV, "rx_dropped"), 12, "ip -s link: dropped");
	xprog_detach(&p);
	xprog_action(&p, DEV, XPROG_NATIVE, XDP_DROP);
	writes(20);
	figure("rx", 0, "drop_prog", 20);
	figure("rx", 0, "drop_no_buffer", 8);
	xprog_detach(&p);
	xsk_close(&x);
	tap_close(&tap);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "tx", tx },
		{ "rx", rx },
	};

	if (xsk_copy_mode()) {
		tap_start();
		skip_all("a copying kernel has no such figures");
	}
	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
