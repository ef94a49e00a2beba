// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of several buffers (XDP_USE_SG): sent in 1 to 17 pieces they arrive as
 * one frame on the fd and each piece completes; written to the fd they come in
 * as many buffers as they need. Linux 6.1 has no such sockets.
 */
/* time-limit: 200 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapm0"
#define MOST	17	/* pieces of one packet */

static struct tapdev tap;
static struct xprog prog;
static struct xsk x;
static __u8 buf[70000];

static void up(int flags, unsigned int hdr)
{
	tap_make(&tap, DEV, flags, hdr);
	tap_mtu(DEV, 9000);
	xsk_open(&x, &XSK_BOTH, DEV, 0, XDP_USE_NEED_WAKEUP | XDP_USE_SG);
}

static void down(void)
{
	xsk_close(&x);
	tap_close(&tap);
}

/* Put packet SEQ of N pieces, each of LEN bytes, into chunks FIRST and on. */
static void put(__u32 seq, __u32 n, __u32 len, __u32 first)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		__u64 addr = (__u64)(first + i) * x.chunk;

		frame_write_part(x.area + addr, i * len, len, n * len, 1, seq);
		xsk_tx_put(&x, addr, len, i < n - 1 ? XDP_PKT_CONTD : 0);
	}
}

/* Read one frame, which must be number SEQ of LEN bytes. */
static bool comes(__u32 seq, __u32 len)
{
	struct frame f;
	ssize_t n;

	if (!(fd_poll(tap.fd, POLLIN, 5000) & POLLIN)) {
		diag("frame %u does not come", seq);
		return false;
	}
	n = read(tap.fd, buf, sizeof(buf));
	if (n == (ssize_t)(tap.hdr + len) &&
	    frame_parse(buf + tap.hdr, len, &f) && f.seq == seq &&
	    !frame_fault(buf + tap.hdr, len, &f))
		return true;
	diag("frame %u of %u bytes: %zd came", seq, len, n);
	return false;
}

static bool all_complete(__u32 n)
{
	bool pass = xsk_completes(&x, n);

	if (!pass)
		diag("%u of %u completions", xsk_ready(&x.comp), n);
	while (xsk_ready(&x.comp))
		xsk_comp_get(&x.comp);
	xsk_release(&x.comp);
	return pass;
}

static void in_pieces(int flags, unsigned int hdr, const char *what)
{
	static const __u32 lens[] = { 14, 60, 100, 1, 1500, 2048 };
	__u32 n, seq = 0, bad = 0;
	size_t i;

	up(flags, hdr);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (n = 1; n <= MOST; n++, seq++) {
			if (n * lens[i] < FRAME_MIN)
				continue;
			put(seq, n, lens[i], 0);
			xsk_publish(&x.tx);
			if (xsk_wants_wakeup(&x.tx))
				xsk_kick(&x);
			bad += !comes(seq, n * lens[i]);
			bad += !all_complete(n);
		}
	}
	is(bad, 0, "%s: 1 to 17 pieces arrive as one, each completes", what);
	down();
}

static void tx(void)
{
	in_pieces(TAP_PLAIN, 0, "no header");
	in_pieces(TAP_VNET, 12, "vnet header");
	in_pieces(IFF_TAP, 0, "PI");
}

/* Many on their way at once, of one to five pieces in turn. */
static void tx_many(void)
{
	__u32 round, n, i, bad = 0, seq = 0, total;

	up(TAP_PLAIN, 0);
	for (round = 0; round < 20; round++) {
		total = 0;
		for (i = 0; i < 100; i++) {
			n = 1 + i % 5;
			put(seq + i, n, 700, total);
			total += n;
		}
		xsk_publish(&x.tx);
		xsk_kick(&x);
		for (i = 0; i < 100; i++)
			bad += !comes(seq + i, (1 + i % 5) * 700);
		seq += 100;
		bad += !all_complete(total);
	}
	is(bad, 0, "packets of 1 to 5 pieces by turns");
	if (have_stats()) {
		ok(xsk_stat_is(DEV, "tx", 0, "packets", 2000), "one packet each");
		ok(xsk_stat_is(DEV, "tx", 0, "outstanding", 0),
		   "nothing outstanding");
	}
	down();
}

/* Too many pieces, pieces that are none, and a packet that does not end. */
static void tx_odd(void)
{
	__u32 bad = 0, i;

	up(TAP_PLAIN, 0);
	put(0, 3, 100, 0);
	put(1, MOST + 1, 100, 10);
	put(2, 2, 100, 40);
	/* A bad address in the middle. */
	put(3, 1, 60, 50);
	xsk_tx_put(&x, 0, 100, XDP_PKT_CONTD);
	xsk_tx_put(&x, ~0ULL, 100, XDP_PKT_CONTD);
	xsk_tx_put(&x, 0, 100, 0);
	put(4, 4, 60, 60);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	bad += !comes(0, 300);
	bad += !comes(2, 200);
	bad += !comes(3, 60);
	bad += !comes(4, 240);
	is(bad, 0, "the good ones between bad ones arrive");
	is(fd_poll(tap.fd, POLLIN, 50), 0, "nothing else does");
	/* Half a packet; the rest comes later. */
	while (xsk_ready(&x.comp))
		xsk_comp_get(&x.comp);
	xsk_release(&x.comp);
	for (i = 0; i < 2; i++) {
		frame_write_part(x.area + i * 2048, i * 500, 500, 1000, 1, 5);
		xsk_tx_put(&x, i * 2048, 500, i ? 0 : XDP_PKT_CONTD);
		xsk_publish(&x.tx);
		xsk_kick(&x);
		if (!i)
			is(fd_poll(tap.fd, POLLIN, 50), 0,
			   "half a packet does not arrive");
	}
	ok(comes(5, 1000), "with its other half it does");
	/* And one that never ends, at the end. */
	xsk_tx_put(&x, 0, 500, XDP_PKT_CONTD);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	down();
}

/* One packet from the Rx ring into BUF; its length, 0 when there is none. */
static __u32 gather(__u32 *parts)
{
	struct xdp_desc d;
	__u32 len = 0;

	*parts = 0;
	while (xsk_ready(&x.rx)) {
		d = xsk_rx_get(&x);
		memcpy(buf + len, xsk_data(&x, d.addr), d.len);
		len += d.len;
		++*parts;
		xsk_fill_put(&x.fill, d.addr / x.chunk * x.chunk);
		if (!(d.options & XDP_PKT_CONTD))
			break;
	}
	xsk_release(&x.rx);
	xsk_publish(&x.fill);
	return len;
}

static void rx(void)
{
	static const __u32 lens[] = { 60, 1514, 1408, 1409, 3000, 9014, 14 };
	struct in_writer w;
	__u32 i, parts, len, most = 0, bad = 0;
	struct frame f;

	up(TAP_PLAIN, 0);
	xsk_fill_chunks(&x, 0, 1024);
	xprog_redirect(&prog, DEV, XPROG_NATIVE | XPROG_FRAGS);
	xprog_socket(&prog, 0, &x);
	w = (struct in_writer){
		.fd = tap.fd, .source = 1, .lens = lens,
		.n_lens = ARRAY_SIZE(lens),
	};
	for (i = 0; i < 700; i++) {
		w.give = i % 2 ? GIVE_WRITE : GIVE_WRITEV;
		if (in_write(&w, i) <= 0) {
			diag("write %u: %s", i, err_name(errno));
			bad++;
			continue;
		}
		len = gather(&parts);
		most = parts > most ? parts : most;
		if (len != lens[i % ARRAY_SIZE(lens)] ||
		    !frame_parse(buf, len, &f) || f.seq != i ||
		    frame_fault(buf, len, &f)) {
			if (!bad++)
				diag("frame %u: %u bytes in %u pieces", i, len,
				     parts);
		}
	}
	is(bad, 0, "written frames of up to 9014 bytes come whole");
	ok(most > 1, "in up to %u pieces", most);
	is(xsk_ready(&x.rx), 0, "and nothing else");
	xprog_detach(&prog);
	down();
}

/* Buffers run out in the middle of a packet: it is dropped as a whole. */
static void rx_short(void)
{
	static const __u32 lens[] = { 9014 };
	struct in_writer w = { .source = 1, .lens = lens, .n_lens = 1 };
	__u32 parts, i, bad = 0;

	up(TAP_PLAIN, 0);
	w.fd = tap.fd;
	xprog_redirect(&prog, DEV, XPROG_NATIVE | XPROG_FRAGS);
	xprog_socket(&prog, 0, &x);
	xsk_fill_chunks(&x, 0, 3);
	in_write(&w, 0);
	is(gather(&parts), 0, "three buffers are too few");
	xsk_fill_chunks(&x, 3, 9);
	for (i = 0; i < 50; i++) {
		in_write(&w, i);
		bad += gather(&parts) != 9014;
	}
	is(bad, 0, "with twelve each arrives, and none is lost");
	/*
	 * A program that knows no pieces gets the packet in one; the socket,
	 * which knows them, in pieces again: whole or not at all.
	 */
	xprog_detach(&prog);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	for (i = 0; i < 20; i++) {
		__u32 len;

		in_write(&w, i);
		len = gather(&parts);
		bad += len && len != 9014;
	}
	is(bad, 0, "a program without frags: whole or not at all");
	xprog_detach(&prog);
	down();
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "tx", tx },
		{ "tx_many", tx_many },
		{ "tx_odd", tx_odd },
		{ "rx", rx },
		{ "rx_short", rx_short },
	};

	if (!kernel_from(6, 12) || xsk_copy_mode()) {
		tap_start();
		skip_all("needs multi-buffer zero-copy: Linux 6.12");
	}
	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
