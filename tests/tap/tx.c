// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is sent through AF_XDP arrives at the fd's reader whole, once, in order;
 * it completes when it was consumed, not before and not never. For each way to
 * read, each header in front of a frame, each shape of UMEM and rings; with a
 * sender that wakes the kernel only when it is told to, and with one that only
 * polls. No XDP program is attached. A broken sender harms only itself.
 */
/* time-limit: 400 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapt0"
#define DEV2	"tapt1"

static const __u32 short_len[] = { 60 };
static const __u32 mixed[] = { 14, 60, 1514, 15, 590, 64, 1514, 1514, 33, 128 };

static const char *const take_name[TAKES] = {
	"read", "readv", "poll", "epoll", "edge-triggered epoll", "spinning",
	"io_uring",
};

static struct tapdev tap;

/* A flow of N mixed frames from X to the tap's reader. */
static struct tx_flow sends(struct xsk *x, __u32 n, enum wake wake)
{
	return (struct tx_flow){
		.x = { x }, .sockets = 1, .source = 1, .total = n, .batch = 32,
		.lens = mixed, .n_lens = ARRAY_SIZE(mixed), .wake = wake,
	};
}

static struct rx_flow reads(enum take take)
{
	return (struct rx_flow){
		.fd = tap.fd, .hdr = tap.hdr, .take = take,
		.pi = !(tap.flags & IFF_NO_PI),
	};
}

/* Once the socket is closed nothing may be left on its way. */
static void closes(struct xsk *x)
{
	xsk_close(x);
	if (have_stats())
		ok(xsk_stat_is(DEV, "tx", 0, "outstanding", 0) ||
		   xsk_stat(DEV, "tx", 0, "outstanding") == -1,
		   "nothing outstanding");
}

static void headers(int flags, unsigned int hdr, const char *what)
{
	char text[80];
	struct xsk x;
	int take;

	tap_make(&tap, DEV, flags, hdr);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	for (take = 0; take < TAKES; take++) {
		struct tx_flow f = sends(&x, 3000, WAKE_STRICT);
		struct rx_flow r = reads(take);

		snprintf(text, sizeof(text), "%s, %s", what, take_name[take]);
		flow_run(&f, &r, text);
		is(r.other, 0, "%s: no other frames", text);
	}
	closes(&x);
	tap_close(&tap);
}

static void plain(void)
{
	headers(TAP_PLAIN, 0, "no header");
}

static void packet_info(void)
{
	headers(IFF_TAP, 0, "PI");
}

static void vnet_10(void)
{
	headers(TAP_VNET, 10, "vnet header of 10");
}

static void vnet_12(void)
{
	headers(TAP_VNET, 12, "vnet header of 12");
}

static void vnet_pi(void)
{
	headers(IFF_TAP | IFF_VNET_HDR, 12, "PI and vnet header");
}

static void napi(void)
{
	headers(TAP_PLAIN | IFF_NAPI, 0, "IFF_NAPI");
}

static void napi_frags(void)
{
	headers(TAP_PLAIN | IFF_NAPI | IFF_NAPI_FRAGS, 0, "IFF_NAPI_FRAGS");
}

static void wakes(__u16 flags, enum wake wake, const char *what)
{
	static const __u32 batches[] = { 1, 2, 31, 64, 333, 2048 };
	enum take take = TAKE_READ;
	char text[80];
	struct xsk x;
	size_t i;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, flags);
	for (i = 0; i < ARRAY_SIZE(batches); i++) {
		struct tx_flow f = sends(&x, 6000, wake);
		struct rx_flow r = reads(take);

		f.batch = batches[i];
		f.lens = short_len;
		f.n_lens = 1;
		if (wake == WAKE_POLL)
			f.chunks = x.comp.size;
		snprintf(text, sizeof(text), "%s, batches of %u, %s", what,
			 f.batch, take_name[take]);
		flow_run(&f, &r, text);
		take = (take + 1) % TAKES;
	}
	closes(&x);
	tap_close(&tap);
}

static void wake_strict(void)
{
	wakes(XDP_USE_NEED_WAKEUP, WAKE_STRICT, "wake-up when told");
}

static void wake_poll(void)
{
	wakes(XDP_USE_NEED_WAKEUP, WAKE_POLL, "only poll()");
}

static void wake_poll_plain(void)
{
	wakes(0, WAKE_POLL, "only poll(), no need_wakeup");
}

static void wake_always(void)
{
	wakes(0, WAKE_ALWAYS, "always sendto()");
}

static void wake_needless(void)
{
	wakes(XDP_USE_NEED_WAKEUP, WAKE_ALWAYS, "sendto() without need");
}

static bool one_completed(void *arg)
{
	struct xsk *x = arg;

	return xsk_ready(&x->comp);
}

static bool completes_soon(struct xsk *x)
{
	int i;

	/* The next frame shall come while the consumer is still at it. */
	for (i = 0; i < 200; i++) {
		if (one_completed(x))
			return true;
		sched_yield();
	}
	return wait_until(one_completed, x, WAIT_MS);
}

/*
 * One frame at a time. The flag is looked at once after publishing and never
 * again: a consumer that goes to rest just then must see the frame.
 */
static bool round_trips(struct xsk *x, __u32 n)
{
	__u32 seq;

	for (seq = 0; seq < n; seq++) {
		frame_write(x->area, 60, 1, seq);
		xsk_tx_put(x, 0, 60, 0);
		xsk_publish(&x->tx);
		if (xsk_wants_wakeup(&x->tx) && xsk_kick(x) < 0) {
			diag("frame %u: kick: %s", seq, err_name(errno));
			return false;
		}
		if (!completes_soon(x)) {
			diag("frame %u never completes; the flag is %d", seq,
			     xsk_wants_wakeup(&x->tx));
			return false;
		}
		xsk_comp_get(&x->comp);
		xsk_release(&x->comp);
	}
	return true;
}

/* A copying kernel has no queue to wait in, and drops at tx_queue_len. */
static bool copies(const char *what)
{
	if (xsk_copy_mode())
		skip("copy mode", "%s", what);
	return xsk_copy_mode();
}

static void ping_pong(void)
{
	__u32 n = rounds(2000);
	enum take take;
	struct xsk x;

	if (copies("no lost wake-up"))
		return;
	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_SMALL, DEV, 0, XDP_USE_NEED_WAKEUP);
	for (take = 0; take < TAKES; take++) {
		struct rx_flow r = reads(take);

		rx_start(&r);
		ok(round_trips(&x, n), "no lost wake-up, %s", take_name[take]);
		if (!rx_stop(&r))
			bail("the reader hangs");
		ok(!r.fault[0], "each frame as sent: %s", r.fault);
	}
	closes(&x);
	tap_close(&tap);
}

/* The same with bursts, whose lengths and pauses vary. */
static void bursts(void)
{
	struct rx_flow r;
	__u32 seq = 0, end, n = 0, i, done = 0;
	long long limit;
	struct xsk x;
	bool hangs = false;

	if (copies("bursts"))
		return;
	tap_open(&tap, DEV);
	r = reads(TAKE_POLL);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	end = rounds(20000);
	rx_start(&r);
	while (seq < end && !hangs) {
		n = 1 + seq * 7 % 61;
		for (i = 0; i < n; i++, seq++) {
			frame_write(x.area + i * x.chunk, 60, 1, seq);
			xsk_tx_put(&x, (__u64)i * x.chunk, 60, 0);
		}
		xsk_publish(&x.tx);
		if (xsk_wants_wakeup(&x.tx))
			xsk_kick(&x);
		limit = now_ms() + WAIT_MS;
		for (done = 0; done < n && !hangs;) {
			if (xsk_ready(&x.comp)) {
				xsk_comp_get(&x.comp);
				xsk_release(&x.comp);
				done++;
			}
			hangs = now_ms() > limit;
		}
	}
	if (!ok(!hangs, "no burst hangs"))
		diag("%u of %u in flight, the flag is %d", n - done, n,
		     xsk_wants_wakeup(&x.tx));
	if (!rx_stop(&r))
		bail("the reader hangs");
	ok(!r.fault[0], "each frame as sent: %s", r.fault);
	closes(&x);
	tap_close(&tap);
}

static void small_rings(void)
{
	static const struct xsk_shape shapes[] = {
		{ .tx = 4, .comp = 4, .fill = 4 },
		{ .tx = 1, .comp = 1, .fill = 1 },
		{ .tx = 4, .comp = 2048, .fill = 4 },
		{ .tx = 2048, .comp = 4, .fill = 4 },
		{ .tx = 2, .comp = 1, .fill = 1 },
		{ .tx = 8192, .comp = 8192, .fill = 1 },
	};
	static const enum wake how[] = { WAKE_STRICT, WAKE_POLL };
	char text[80];
	struct xsk x;
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(shapes); i++) {
		struct xsk_shape s = shapes[i / 2];
		struct tx_flow f;
		struct rx_flow r;

		s.chunk = 2048;
		s.chunks = s.tx + s.comp;
		tap_open(&tap, DEV);
		xsk_open(&x, &s, DEV, 0, XDP_USE_NEED_WAKEUP);
		f = sends(&x, 300, how[i % 2]);
		r = reads(TAKE_POLL);
		f.batch = 64;
		if (i % 2)
			f.chunks = s.comp;
		snprintf(text, sizeof(text), "Tx ring %u, completion %u, %s",
			 s.tx, s.comp, i % 2 ? "poll" : "sendto");
		flow_run(&f, &r, text);
		closes(&x);
		tap_close(&tap);
	}
}

/* The queue between socket and fd: it holds tx_queue_len frames. */
static void short_queues(void)
{
	static const int lens[] = { 1, 2, 3, 10, 64, 5000 };
	char text[80];
	struct xsk x;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		struct tx_flow f;
		struct rx_flow r;

		tap_open(&tap, DEV);
		if (tap_qlen_try(DEV, lens[i]))
			bail("txqueuelen %d", lens[i]);
		xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
		f = sends(&x, 1500, WAKE_STRICT);
		r = reads(i % TAKES);
		f.batch = 128;
		snprintf(text, sizeof(text), "txqueuelen %d, %s", lens[i],
			 take_name[r.take]);
		flow_run(&f, &r, text);
		closes(&x);
		tap_close(&tap);
	}
}

static void slow_reader(void)
{
	struct tx_flow f;
	struct rx_flow r;
	struct xsk x;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 4000, WAKE_STRICT);
	r = reads(TAKE_POLL);
	r.pause_us = 300;
	flow_run(&f, &r, "a reader slower than the sender");
	f = sends(&x, 2000, WAKE_POLL);
	f.chunks = x.comp.size;
	r = reads(TAKE_READ);
	r.pause_us = 300;
	flow_run(&f, &r, "the same, only poll()");
	closes(&x);
	tap_close(&tap);
}

static void short_reads(int flags, unsigned int hdr, __u32 size,
			const char *what)
{
	struct tx_flow f;
	struct rx_flow r;
	struct xsk x;

	tap_make(&tap, DEV, flags, hdr);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 2000, WAKE_STRICT);
	r = reads(TAKE_POLL);
	r.size = size;
	flow_run(&f, &r, what);
	closes(&x);
	tap_close(&tap);
}

static void short_buffers(void)
{
	short_reads(TAP_PLAIN, 0, 14, "buffer of 14");
	short_reads(TAP_PLAIN, 0, 59, "buffer of 59");
	short_reads(TAP_VNET, 12, 100, "vnet header and 100");
	short_reads(IFF_TAP, 0, 100, "PI and 100");
	short_reads(IFF_TAP | IFF_VNET_HDR, 10, 61, "PI, vnet header and 61");
}

/* Send one frame and wait until it can be read. */
static void send_one(struct xsk *x, __u32 seq)
{
	frame_write(x->area, 200, 1, seq);
	xsk_tx_put(x, 0, 200, 0);
	xsk_publish(&x->tx);
	if (xsk_kick(x) < 0)
		bail("kick");
	if (!fd_poll(tap.fd, POLLIN, WAIT_MS))
		bail("frame %u does not arrive", seq);
}

static bool gets_completion(struct xsk *x)
{
	if (!wait_until(one_completed, x, WAIT_MS / 4))
		return false;
	xsk_comp_get(&x->comp);
	xsk_release(&x->comp);
	return true;
}

/* Reads that fail take the frame with them, or leave it; it completes. */
static void failing_reads(void)
{
	char buf[256], *page;
	struct xsk x;

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		bail("mmap");
	tap_make(&tap, DEV, TAP_VNET, 12);
	fd_nonblock(tap.fd, true);
	xsk_open(&x, &XSK_SMALL, DEV, 0, XDP_USE_NEED_WAKEUP);
	fails(read(tap.fd, buf, sizeof(buf)), EAGAIN, "nothing there");
	send_one(&x, 0);
	is(read(tap.fd, buf, 0), 0, "a read of nothing");
	fails(read(tap.fd, buf, 5), EINVAL, "no room for the header");
	while (read(tap.fd, buf, sizeof(buf)) > 0)
		;
	ok(gets_completion(&x), "it completes");
	send_one(&x, 1);
	fails(read(tap.fd, page + 4096, 4096), EFAULT, "no memory there");
	while (read(tap.fd, buf, sizeof(buf)) > 0)
		;
	ok(gets_completion(&x), "it completes");
	send_one(&x, 2);
	ok(read(tap.fd, page + 4096 - 100, 4096) == -1 && errno == EFAULT,
	   "memory for half of the frame");
	while (read(tap.fd, buf, sizeof(buf)) > 0)
		;
	ok(gets_completion(&x), "it completes");
	flow_works(&x, tap.fd, tap.hdr, 300, "then all is as before");
	munmap(page, 8192);
	closes(&x);
	tap_close(&tap);
}

/* Four sockets with one UMEM on one queue: each in order of its own. */
static void many_sockets(void)
{
	struct xsk_shape other = { .tx = 256 };
	struct xsk x[FLOW_SOCKETS];
	struct tx_flow f;
	struct rx_flow r;
	int i;

	tap_open(&tap, DEV);
	xsk_open(&x[0], &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	for (i = 1; i < FLOW_SOCKETS; i++) {
		xsk_make_shared(&x[i], &x[0], &other);
		if (xsk_bind_shared_try(&x[i], &x[0], DEV, 0))
			bail("bind of socket %d", i);
	}
	for (i = WAKE_STRICT; i <= WAKE_ALWAYS; i++) {
		f = sends(&x[0], 2000, i);
		r = reads(TAKE_READ);
		f.sockets = FLOW_SOCKETS;
		memcpy(f.x, (struct xsk *[]){ &x[0], &x[1], &x[2], &x[3] },
		       sizeof(f.x));
		flow_run(&f, &r, "four sockets");
	}
	for (i = FLOW_SOCKETS - 1; i >= 0; i--)
		xsk_close(&x[i]);
	tap_close(&tap);
}

/* Two queues of one device with one UMEM, each half of it. */
static void many_queues(void)
{
	struct tx_flow f[2];
	struct rx_flow r[2];
	struct xsk x[2];
	int fd, i;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	fd = tap_queue(DEV, tap.flags);
	xsk_open(&x[0], &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	xsk_make_shared(&x[1], &x[0], &XSK_TXONLY);
	if (xsk_bind_shared_try(&x[1], &x[0], DEV, 1))
		bail("bind to the second queue");
	for (i = 0; i < 2; i++) {
		f[i] = sends(&x[i], 4000, WAKE_STRICT);
		f[i].source = 1 + i;
		f[i].first = i * 2048;
		f[i].chunks = 2048;
		f[i].lossy = xsk_copy_mode();
		r[i] = reads(TAKE_POLL);
		r[i].fd = i ? fd : tap.fd;
		r[i].from[0] = &f[i];
		r[i].lossy = xsk_copy_mode();
		f[i].reader = &r[i];
		rx_start(&r[i]);
		tx_start(&f[i]);
	}
	for (i = 0; i < 2; i++) {
		if (!ok(flow_finish(&f[i], &r[i]), "queue %d", i))
			flow_diag(&f[i], &r[i]);
		if (!tx_stop(&f[i]) || !rx_stop(&r[i]))
			bail("a thread hangs");
	}
	xsk_close(&x[1]);
	closes(&x[0]);
	close(fd);
	tap_close(&tap);
}

static void shape(const struct xsk_shape *s, __u32 pad, const __u32 *lens,
		  unsigned int n_lens, const char *what)
{
	struct tx_flow f;
	struct rx_flow r;
	struct xsk x;

	tap_open(&tap, DEV);
	xsk_open(&x, s, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 3000, WAKE_STRICT);
	f.lens = lens;
	f.n_lens = n_lens;
	f.pad = pad;
	f.unaligned = s->umem_flags & XDP_UMEM_UNALIGNED_CHUNK_FLAG;
	r = reads(TAKE_POLL);
	flow_run(&f, &r, what);
	closes(&x);
	tap_close(&tap);
}

#define SHAPE(s, pad, what, ...) do { \
	static const __u32 _lens[] = { __VA_ARGS__ }; \
								\
	shape(s, pad, _lens, ARRAY_SIZE(_lens), what); \
} while (0)

static void shapes(void)
{
	struct xsk_shape s = XSK_TXONLY;

	SHAPE(&s, 0, "chunks of 2048", 14, 2048, 60, 2047);
	SHAPE(&s, 1, "odd offset", 14, 60, 2047, 1514);
	SHAPE(&s, 1024, "in the upper half", 14, 1024);
	s.headroom = 256;
	SHAPE(&s, 256, "headroom 256", 60, 1514, 1792);
	SHAPE(&s, 0, "into the headroom", 60, 1514, 2048);
	s.headroom = 0;
	s.chunk = 4096;
	s.chunks = 1024;
	SHAPE(&s, 0, "chunks of 4096", 14, 4096, 60, 4095);
	s.umem_flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG;
	SHAPE(&s, 0, "unaligned, at the start", 14, 4096, 60);
	SHAPE(&s, 77, "unaligned, offset 77", 14, 4000, 60);
	s.chunk = 2048;
	SHAPE(&s, 100, "unaligned, chunks of 2048", 1514, 1948);
}

/* Chunks that lie across pages, which is fine where these are contiguous. */
static void huge_pages(void)
{
	struct xsk_shape s = {
		.chunk = 3000, .chunks = 1000, .tx = 512, .fill = 64,
		.comp = 512, .huge = true,
		.umem_flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG,
	};

	if (file_set("/proc/sys/vm/nr_hugepages", "8") ||
	    file_num("/proc/sys/vm/nr_hugepages") < 8) {
		skip("no huge pages", "chunks across pages");
		return;
	}
	SHAPE(&s, 0, "chunks of 3000 across pages", 3000, 60, 1514);
	SHAPE(&s, 500, "with an offset", 2500, 60, 1514);
	s.chunk = 2048;
	s.chunks = 2048;
	s.umem_flags = 0;
	SHAPE(&s, 0, "aligned in huge pages", 2048, 60, 1514);
	file_set("/proc/sys/vm/nr_hugepages", "0");
}

/* What is too short for Ethernet is dropped, completed, and counted. */
static void bad_lengths(void)
{
	static const __u32 lens[] = { 14, 1, 60, 13, 15, 2, 12 };
	struct tx_flow f;
	struct rx_flow r;
	struct xsk x;
	long long had;

	if (copies("lengths below 14"))
		return;
	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 1400, WAKE_STRICT);
	r = reads(TAKE_POLL);
	f.lens = lens;
	f.n_lens = ARRAY_SIZE(lens);
	flow_run(&f, &r, "lengths below 14 among others");
	is(xsk_stat(DEV, "tx", 0, "drop_length"), 800, "counted");
	/* Length zero: 6.1 lets it pass to the driver, later cores do not. */
	had = xsk_statistics(&x).tx_invalid_descs;
	frame_write(x.area, 60, 2, 0);
	frame_write(x.area + x.chunk, 60, 2, 1);
	xsk_tx_put(&x, 0, 60, 0);
	xsk_tx_put(&x, 2 * x.chunk, 0, 0);
	xsk_tx_put(&x, x.chunk, 60, 0);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	r = reads(TAKE_POLL);
	rx_start(&r);
	ok(xsk_completes(&x, kernel_from(6, 12) ? 2 : 3), "length 0 between");
	nap_ms(50);
	rx_stop(&r);
	is(r.got[2], 2, "both frames round it arrive");
	is(xsk_statistics(&x).tx_invalid_descs - had, kernel_from(6, 12),
	   "invalid for the core");
	is(xsk_stat(DEV, "tx", 0, "drop_length"),
	   800 + !kernel_from(6, 12), "counted by the driver where it sees it");
	closes(&x);
	tap_close(&tap);
}

/* Descriptors that point nowhere are skipped; the good ones arrive. */
static void bad_addresses(void)
{
	static const struct xdp_desc bad[] = {
		{ .addr = ~0ULL, .len = 60 },
		{ .addr = 4096ULL * 2048, .len = 60 },
		{ .addr = 4096ULL * 2048 - 1, .len = 2 },
		{ .addr = 100, .len = 2000 },
		{ .addr = 0, .len = 2049 },
		{ .addr = 0, .len = ~0u },
		{ .addr = 1ULL << 63, .len = 60 },
		{ .addr = 0, .len = 60, .options = 0xfff0 },
	};
	struct rx_flow r;
	struct xsk x;
	__u32 i, n = ARRAY_SIZE(bad);

	if (copies("bad addresses"))
		return;
	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	r = reads(TAKE_POLL);
	rx_start(&r);
	for (i = 0; i < n; i++) {
		frame_write(x.area + i * x.chunk, 60, 1, i);
		xsk_tx_put(&x, bad[i].addr, bad[i].len, bad[i].options);
		xsk_tx_put(&x, (__u64)i * x.chunk, 60, 0);
	}
	ok(xsk_completes(&x, n), "the good ones complete");
	nap_ms(50);
	rx_stop(&r);
	is(r.got[1], n, "and arrive");
	/* Newer cores give a bad descriptor's address back, too. */
	ok(xsk_ready(&x.comp) == n || xsk_ready(&x.comp) == 2 * n,
	   "nothing else completes but the bad ones (%u)", xsk_ready(&x.comp));
	is(xsk_statistics(&x).tx_invalid_descs, n, "the bad ones are counted");
	ok(!r.fault[0], "nothing is wrong with what came: %s", r.fault);
	closes(&x);
	tap_close(&tap);
}

/* One step of a program that has lost its mind. */
static void mischief(struct xsk *x, unsigned int *seed)
{
	struct xdp_desc *d = x->tx.descs;
	__u32 i = rand_r(seed) % x->tx.size;

	d[i].addr = rand_r(seed) % 3 ? rand_r(seed) % (x->len + 5000) :
				       (__u64)rand_r(seed) << 33;
	d[i].len = rand_r(seed) % 4 ? rand_r(seed) % 2100 : rand_r(seed);
	d[i].options = rand_r(seed) % 8 ? 0 : rand_r(seed);
	switch (rand_r(seed) % 8) {
	case 0:
		*x->tx.producer += rand_r(seed);
		break;
	case 1:
		*x->tx.consumer = rand_r(seed);
		break;
	case 2:
		*x->comp.consumer = rand_r(seed);
		break;
	case 3:
		*x->comp.producer = rand_r(seed);
		break;
	case 4:
		*x->tx.flags = rand_r(seed);
		break;
	case 5:
		*x->fill.producer += rand_r(seed);
		break;
	default:
		*x->tx.producer += rand_r(seed) % 64;
		*x->comp.consumer = *x->comp.producer;
		break;
	}
	xsk_kick(x);
}

/* A program with broken rings, beside one that goes about its business. */
static void broken_rings(void)
{
	unsigned int seed = 4711, i, n = rounds(20);
	struct tapdev other;
	struct tx_flow f;
	struct rx_flow r, junk;
	struct xsk x, y;
	int step;

	tap_open(&tap, DEV);
	tap_open(&other, DEV2);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 0, WAKE_STRICT);
	r = reads(TAKE_POLL);
	r.from[0] = &f;
	f.reader = &r;
	f.lossy = xsk_copy_mode();
	r.lossy = xsk_copy_mode();
	rx_start(&r);
	tx_start(&f);
	for (i = 0; i < n; i++) {
		junk = reads(TAKE_POLL);
		junk.fd = other.fd;
		junk.lossy = true;
		xsk_make(&y, &XSK_SMALL);
		while (xsk_bind_try(&y, DEV2, 0, xsk_mode() |
				    (i & 1 ? XDP_USE_NEED_WAKEUP : 0)))
			if (errno != EBUSY)
				bail("bind in round %u", i);
		rx_start(&junk);
		for (step = 0; step < 50; step++)
			mischief(&y, &seed);
		if (i & 2) {
			xsk_close(&y);
			rx_stop(&junk);
		} else {
			rx_stop(&junk);
			xsk_close(&y);
		}
	}
	tx_stop(&f);
	rx_stop(&r);
	if (!ok(!f.fault[0] && !r.fault[0] && r.got[1],
		"the neighbour has noticed nothing"))
		flow_diag(&f, &r);
	fd_nonblock(other.fd, true);
	for (char buf[2048]; read(other.fd, buf, sizeof(buf)) >= 0;)
		;
	xsk_make(&y, &XSK_SMALL);
	while (xsk_bind_try(&y, DEV2, 0, xsk_mode()))
		if (errno != EBUSY)
			bail("bind");
	flow_works(&y, other.fd, 0, 500, "the queue is as good as new");
	xsk_close(&y);
	closes(&x);
	tap_close(&other);
	tap_close(&tap);
}

/* Frames that the stack sends, or that are redirected, in between. */
static void among_others(void)
{
	struct tx_flow f;
	struct rx_flow r;
	struct xsk x;
	char buf[64];
	int s, i, sent = 0;

	tap_open(&tap, DEV);
	s = tap_sniffer(DEV, 0x9999);
	xsk_open(&x, &XSK_TXONLY, DEV, 0, XDP_USE_NEED_WAKEUP);
	f = sends(&x, 4000, WAKE_STRICT);
	r = reads(TAKE_POLL);
	r.from[0] = &f;
	f.lossy = xsk_copy_mode();
	r.lossy = xsk_copy_mode();
	rx_start(&r);
	tx_start(&f);
	memset(buf, 0x11, sizeof(buf));
	for (i = 0; i < 500; i++) {
		sent += write(s, buf, sizeof(buf)) > 0;
		nap_ms(1);
	}
	if (!ok(flow_finish(&f, &r), "AF_XDP's frames, in order"))
		flow_diag(&f, &r);
	nap_ms(50);
	tx_stop(&f);
	rx_stop(&r);
	ok(r.other > 0 && r.other <= (__u32)sent,
	   "the stack's frames come in between: %u of %d", r.other, sent);
	closes(&x);
	close(s);
	tap_close(&tap);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "plain", plain },
		{ "packet_info", packet_info },
		{ "vnet_10", vnet_10 },
		{ "vnet_12", vnet_12 },
		{ "vnet_pi", vnet_pi },
		{ "napi", napi },
		{ "napi_frags", napi_frags },
		{ "wake_strict", wake_strict },
		{ "wake_poll", wake_poll },
		{ "wake_poll_plain", wake_poll_plain },
		{ "wake_always", wake_always },
		{ "wake_needless", wake_needless },
		{ "ping_pong", ping_pong },
		{ "bursts", bursts },
		{ "small_rings", small_rings },
		{ "short_queues", short_queues },
		{ "slow_reader", slow_reader },
		{ "short_buffers", short_buffers },
		{ "failing_reads", failing_reads },
		{ "many_sockets", many_sockets },
		{ "many_queues", many_queues },
		{ "shapes", shapes },
		{ "huge_pages", huge_pages },
		{ "bad_lengths", bad_lengths },
		{ "bad_addresses", bad_addresses },
		{ "broken_rings", broken_rings },
		{ "among_others", among_others },
	};

	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
