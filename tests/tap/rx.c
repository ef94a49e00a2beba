// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is written to a TAP's fd reaches the AF_XDP socket that the XDP program
 * names: whole, once, in order, in buffers of the fill ring; and what the
 * program does otherwise (pass, drop, send back, redirect) happens as well.
 * Without buffers or room frames are dropped and counted, and then it goes on.
 */
/* time-limit: 300 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapr0"
#define DEV2	"tapr1"

static const __u32 mixed[] = { 14, 60, 1514, 15, 590, 64, 1514, 1514, 33, 128 };
static const __u32 short_len[] = { 60 };

static const char *const give_name[GIVES] = {
	"write", "writev", "non-blocking write",
};

static struct tapdev tap;
static struct xprog prog;

static struct in_writer writes(__u32 n, enum give give)
{
	return (struct in_writer){
		.fd = tap.fd, .hdr = tap.hdr, .pi = !(tap.flags & IFF_NO_PI),
		.source = 1, .total = n, .lens = mixed,
		.n_lens = ARRAY_SIZE(mixed), .give = give,
	};
}

/* A device, a socket on its queue 0, and the program that leads there. */
static void up(struct xsk *x, const struct xsk_shape *shape, int flags,
	       unsigned int hdr, __u16 bind_flags)
{
	tap_make(&tap, DEV, flags, hdr);
	xsk_open(x, shape, DEV, 0, bind_flags);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, x);
}

static void down(struct xsk *x)
{
	xprog_detach(&prog);
	xsk_close(x);
	tap_close(&tap);
}

static void headers(int flags, unsigned int hdr, const char *what)
{
	char text[80];
	struct xsk x;
	int give;

	up(&x, &XSK_RXONLY, flags, hdr, XDP_USE_NEED_WAKEUP);
	for (give = 0; give < GIVES; give++) {
		struct in_writer w = writes(3000, give);
		struct in_reader r = { .x = &x, .poll = give & 1 };

		fd_nonblock(tap.fd, false);
		snprintf(text, sizeof(text), "%s, %s", what, give_name[give]);
		in_run(&w, &r, NULL, text);
		is(r.other, 0, "%s: no other frames", text);
	}
	down(&x);
}

static void plain(void)
{
	headers(TAP_PLAIN, 0, "no header");
}

static void packet_info(void)
{
	headers(IFF_TAP, 0, "PI");
}

static void vnet_header(void)
{
	headers(TAP_VNET, 10, "vnet header of 10");
	headers(TAP_VNET, 12, "vnet header of 12");
	headers(IFF_TAP | IFF_VNET_HDR, 12, "PI and vnet header");
}

static void napi(void)
{
	headers(TAP_PLAIN | IFF_NAPI, 0, "IFF_NAPI");
	headers(TAP_PLAIN | IFF_NAPI | IFF_NAPI_FRAGS, 0, "IFF_NAPI_FRAGS");
}

static void generic_mode(void)
{
	struct in_writer w;
	struct in_reader r;
	struct xsk x;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_RXONLY, DEV, 0, 0);
	xprog_redirect(&prog, DEV, XPROG_GENERIC);
	xprog_socket(&prog, 0, &x);
	w = writes(3000, GIVE_WRITE);
	r = (struct in_reader){ .x = &x };
	in_run(&w, &r, NULL, "a generic program");
	down(&x);
}

static void shape(const struct xsk_shape *s, const char *what)
{
	struct in_writer w;
	struct in_reader r;
	struct xsk x;

	up(&x, s, TAP_PLAIN, 0, XDP_USE_NEED_WAKEUP);
	w = writes(2000, GIVE_WRITE);
	r = (struct in_reader){ .x = &x };
	in_run(&w, &r, NULL, what);
	down(&x);
}

static void shapes(void)
{
	struct xsk_shape s = XSK_RXONLY;

	s.headroom = 16;
	shape(&s, "headroom 16");
	s.chunk = 4096;
	s.chunks = 512;
	s.headroom = 512;
	shape(&s, "chunks of 4096, headroom 512");
	s.headroom = 0;
	s.umem_flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG;
	shape(&s, "unaligned");
	s.headroom = 100;
	shape(&s, "unaligned, headroom 100");
	s = XSK_SMALL;
	s.rx = 4;
	s.fill = 4;
	shape(&s, "rings of 4");
	s.rx = 2;
	s.fill = 2;
	s.chunks = 2;
	shape(&s, "rings and UMEM of 2");
}

/* Send what was received back to where it came from. */
static void forwards(int flags, unsigned int hdr, __u16 bind_flags,
		     const char *what)
{
	struct rx_flow back;
	struct in_writer w;
	struct in_reader r;
	struct xsk x;

	up(&x, &XSK_BOTH, flags, hdr, bind_flags);
	w = writes(4000, GIVE_NONBLOCK);
	w.window = 300;
	r = (struct in_reader){ .x = &x, .echo = true };
	back = (struct rx_flow){
		.fd = tap.fd, .hdr = tap.hdr, .take = TAKE_POLL, .pi = w.pi,
		.copied = xsk_copy_mode(), .lossy = xsk_copy_mode(),
	};
	in_run(&w, &r, &back, what);
	down(&x);
}

static void l2fwd(void)
{
	forwards(TAP_PLAIN, 0, XDP_USE_NEED_WAKEUP, "forwarded");
	forwards(TAP_PLAIN, 0, 0, "forwarded, no need_wakeup");
	forwards(TAP_VNET, 12, XDP_USE_NEED_WAKEUP, "forwarded, vnet header");
	forwards(IFF_TAP, 0, XDP_USE_NEED_WAKEUP, "forwarded, PI");
}

/* N frames from where the sniffer or the fd gives them. */
static void all_arrive(int fd, unsigned int hdr, __u32 n, const char *what)
{
	__u8 buf[2048];
	struct frame f;
	__u32 got = 0, wrong = 0;
	ssize_t len;

	fd_nonblock(fd, true);
	while (got < n && (fd_poll(fd, POLLIN, 1000) & POLLIN)) {
		len = read(fd, buf, sizeof(buf));
		if (len < 0)
			continue;
		if (!frame_parse(buf + hdr, len - hdr, &f))
			continue;
		wrong += f.seq != got || f.len != len - hdr ||
			 frame_fault(buf + hdr, len - hdr, &f);
		got++;
	}
	is(got, n, "%s: all arrive", what);
	is(wrong, 0, "%s: as written", what);
	is(fd_poll(fd, POLLIN, 20) & POLLIN, 0, "%s: none comes twice", what);
}

static void write_some(__u32 n)
{
	struct in_writer w = writes(n, GIVE_WRITE);
	__u32 i, bad = 0;

	for (i = 0; i < n; i++)
		bad += in_write(&w, i) <= 0;
	is(bad, 0, "%u writes work", n);
}

/* A socket beside whatever the program decides: nothing may get stuck. */
static void passes(__u32 program, const char *what)
{
	struct xsk x;
	int even, odd, i;
	__u8 buf[2048];
	__u32 got[2] = { 0, 0 };
	struct in_writer w;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	xsk_fill_chunks(&x, 0, 1024);
	if (program)
		xprog_action(&prog, DEV, program, XDP_PASS);
	even = tap_sniffer(DEV, FRAME_TYPE);
	odd = tap_sniffer(DEV, FRAME_TYPE + 1);
	w = writes(200, GIVE_WRITE);
	for (i = 0; i < 200; i++) {
		int fd = i & 1 ? odd : even;
		struct frame f;
		ssize_t n;

		if (in_write(&w, i) <= 0 || !fd_poll(fd, POLLIN, 2000))
			continue;
		n = read(fd, buf, sizeof(buf));
		got[i & 1] += n > 0 && frame_parse(buf, n, &f) &&
			      f.seq == (__u32)i && f.len == (__u32)n &&
			      !frame_fault(buf, n, &f);
	}
	is(got[0] + got[1], 200, "%s: all reach the stack as written", what);
	is(xsk_ready(&x.rx), 0, "%s: none reaches the socket", what);
	close(even);
	close(odd);
	if (program)
		xprog_detach(&prog);
	xsk_close(&x);
	tap_close(&tap);
}

static void pass(void)
{
	passes(0, "no program");
	passes(XPROG_NATIVE, "XDP_PASS");
	passes(XPROG_GENERIC, "XDP_PASS, generic");
}

/* The program that names sockets passes where there is none. */
static void pass_unnamed(void)
{
	struct xsk x;
	int s;

	up(&x, &XSK_BOTH, TAP_PLAIN, 0, 0);
	xsk_fill_chunks(&x, 0, 512);
	s = tap_sniffer(DEV, 0x0003);	/* every ethertype */
	xprog_detach(&prog);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	write_some(100);
	all_arrive(s, 0, 100, "an empty map");
	close(s);
	is(xsk_ready(&x.rx), 0, "none reaches the socket");
	down(&x);
}

/* More passes than there are buffers: each must be given back. */
static void pass_many(void)
{
	struct xsk x;
	struct in_writer w;
	__u32 i, bad = 0;
	int s;

	tap_open(&tap, DEV);
	/* Frames that nobody in the stack wants would count as dropped. */
	s = tap_sniffer(DEV, 0x0003);
	xsk_open(&x, &XSK_SMALL, DEV, 0, 0);
	xsk_fill_chunks(&x, 0, 16);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_PASS);
	w = writes(2000, GIVE_WRITE);
	for (i = 0; i < 2000; i++)
		bad += in_write(&w, i) <= 0;
	is(bad, 0, "2000 frames pass with 16 buffers");
	is(link_stat(DEV, "rx_packets"), 2000, "all counted");
	is(link_stat(DEV, "rx_dropped"), 0, "none dropped");
	close(s);
	xprog_detach(&prog);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	for (i = 0; i < 16; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 16, "and the 16 buffers are still there");
	down(&x);
}

static void dropped_by(int action, const char *what)
{
	struct in_writer w;
	struct xsk x;
	__u32 i, bad = 0;
	int s;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_SMALL, DEV, 0, 0);
	xsk_fill_chunks(&x, 0, 16);
	xprog_action(&prog, DEV, XPROG_NATIVE, action);
	s = tap_sniffer(DEV, 0x0003);
	w = writes(500, GIVE_WRITE);
	for (i = 0; i < 500; i++)
		bad += in_write(&w, i) <= 0;
	is(bad, 0, "%s: writes work", what);
	is(fd_poll(s, POLLIN, 50), 0, "%s: nothing reaches the stack", what);
	is(xsk_ready(&x.rx), 0, "%s: nor the socket", what);
	if (have_stats())
		is(xsk_stat(DEV, "rx", 0, "drop_prog"), 500, "%s: counted",
		   what);
	close(s);
	xprog_detach(&prog);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	for (i = 0; i < 16; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 16, "%s: the buffers are still there", what);
	down(&x);
}

static void drop(void)
{
	dropped_by(XDP_DROP, "XDP_DROP");
	dropped_by(XDP_ABORTED, "XDP_ABORTED");
	dropped_by(77, "an action that is none");
}

static void send_back(void)
{
	struct xsk x;

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_SMALL, DEV, 0, 0);
	xsk_fill_chunks(&x, 0, 64);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_TX);
	write_some(200);
	all_arrive(tap.fd, 0, 200, "XDP_TX");
	write_some(200);
	all_arrive(tap.fd, 0, 200, "XDP_TX again");
	xprog_detach(&prog);
	flow_works(&x, tap.fd, 0, 300, "the socket sends");
	xsk_close(&x);
	tap_close(&tap);
}

static void redirect(void)
{
	struct tapdev other;
	struct xsk x, y;

	tap_open(&tap, DEV);
	tap_open(&other, DEV2);
	xsk_open(&x, &XSK_SMALL, DEV, 0, 0);
	xsk_open(&y, &XSK_SMALL, DEV2, 0, 0);
	xsk_fill_chunks(&x, 0, 64);
	xprog_forward(&prog, DEV, XPROG_NATIVE, DEV2);
	write_some(200);
	all_arrive(other.fd, 0, 200, "redirected to another TAP");
	xprog_detach(&prog);
	flow_works(&y, other.fd, 0, 300, "whose own socket sends");
	xsk_close(&y);
	xsk_close(&x);
	tap_close(&other);
	tap_close(&tap);
}

static void no_buffers(void)
{
	struct in_writer w;
	struct xsk x;
	__u32 i;

	up(&x, &XSK_SMALL, TAP_PLAIN, 0, XDP_USE_NEED_WAKEUP);
	w = writes(0, GIVE_WRITE);
	for (i = 0; i < 50; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 0, "no buffer: nothing arrives");
	if (have_stats()) {
		is(xsk_stat(DEV, "rx", 0, "drop_no_buffer"), 50, "counted");
		ok(xsk_wants_wakeup(&x.fill), "the fill ring's flag is set");
	}
	xsk_fill_chunks(&x, 0, 20);
	xsk_kick_rx(&x);
	for (i = 0; i < 50; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 20, "20 buffers: 20 frames");
	if (have_stats())
		is(xsk_stat(DEV, "rx", 0, "drop_no_buffer"), 80,
		   "the others are counted");
	while (xsk_ready(&x.rx))
		xsk_rx_get(&x);
	xsk_release(&x.rx);
	xsk_fill_chunks(&x, 20, 30);
	for (i = 0; i < 30; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 30, "it recovers, without a wake-up too");
	if (have_stats())
		is(xsk_stat(DEV, "rx", 0, "redirected"), 50,
		   "those redirected are counted");
	down(&x);
}

static void ring_full(void)
{
	struct xsk_shape s = XSK_SMALL;
	struct in_writer w;
	struct xsk x;
	__u32 i;

	s.rx = 16;
	up(&x, &s, TAP_PLAIN, 0, 0);
	xsk_fill_chunks(&x, 0, 64);
	w = writes(0, GIVE_WRITE);
	for (i = 0; i < 50; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 16, "a ring of 16 takes 16");
	is(xsk_statistics(&x).rx_ring_full, 34, "the socket counts the others");
	if (have_stats())
		is(xsk_stat(DEV, "rx", 0, "drop_full"), 34, "so does the device");
	while (xsk_ready(&x.rx))
		xsk_rx_get(&x);
	xsk_release(&x.rx);
	for (i = 0; i < 16; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 16, "and then it takes 16 again");
	down(&x);
}

/* The program moves head and tail; the socket sees what it left. */
static void adjusted(int head, int tail)
{
	struct in_writer w;
	struct xdp_desc d;
	struct xsk x;
	__u8 want[256];

	tap_open(&tap, DEV);
	xsk_open(&x, &XSK_SMALL, DEV, 0, 0);
	xsk_fill_chunks(&x, 0, 8);
	xprog_adjust(&prog, DEV, XPROG_NATIVE, head, tail);
	xprog_socket(&prog, 0, &x);
	w = writes(0, GIVE_WRITE);
	w.lens = (const __u32[]){ 200 };
	w.n_lens = 1;
	in_write(&w, 5);
	frame_write(want, 200, w.source, 5);
	if (is(xsk_ready(&x.rx), 1, "head %d, tail %d: arrives", head, tail)) {
		d = xsk_rx_get(&x);
		is(d.len, 200 - head + tail, "its length");
		if (head >= 0)
			ok(!memcmp(xsk_data(&x, d.addr), want + head,
				   200 - head + (tail < 0 ? tail : 0)),
			   "its bytes");
		else
			ok(!memcmp(xsk_data(&x, d.addr) - head, want, 200),
			   "its bytes, behind the new head");
	}
	down(&x);
}

static void adjust(void)
{
	adjusted(0, 0);
	adjusted(14, 0);
	adjusted(0, -100);
	adjusted(4, -4);
	adjusted(-64, 0);
	adjusted(0, 32);
}

static void queues(void)
{
	struct in_writer w[2];
	struct in_reader r[2];
	struct xsk x[2];
	int fd, i;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	fd = tap_queue(DEV, tap.flags);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	for (i = 0; i < 2; i++) {
		xsk_open(&x[i], &XSK_RXONLY, DEV, i, 0);
		xprog_socket(&prog, i, &x[i]);
	}
	for (i = 0; i < 2; i++) {
		w[i] = writes(4000, GIVE_WRITE);
		w[i].fd = i ? fd : tap.fd;
		w[i].source = 1 + i;
		r[i] = (struct in_reader){ .x = &x[i] };
		w[i].got = &r[i].got[1 + i];
		w[i].window = 500;
		in_reader_start(&r[i]);
		in_writer_start(&w[i]);
	}
	for (i = 0; i < 2; i++) {
		while (w[i].running && !w[i].fault[0] && !r[i].fault[0] &&
		       __atomic_load_n(&r[i].got[1 + i], __ATOMIC_RELAXED) <
		       4000)
			nap_ms(5);
		if (!in_writer_stop(&w[i]) || !in_reader_stop(&r[i]))
			bail("hangs");
		is(r[i].got[1 + i], 4000, "queue %d: all arrive", i);
		is(r[i].got[2 - i], 0, "queue %d: none of the other's", i);
		ok(!w[i].fault[0] && !r[i].fault[0], "queue %d: %s%s", i,
		   w[i].fault, r[i].fault);
	}
	xsk_close(&x[1]);
	close(fd);
	down(&x[0]);
}

/* Writers of one fd, which nothing serialises. */
static void many_writers(void)
{
	struct in_writer w[3];
	struct in_reader r;
	struct xsk x;
	long long end = now_ms() + 3 * WAIT_MS;
	__u32 sum = 0;
	int i;

	up(&x, &XSK_RXONLY, TAP_PLAIN, 0, 0);
	r = (struct in_reader){ .x = &x };
	in_reader_start(&r);
	for (i = 0; i < 3; i++) {
		w[i] = writes(3000, i);
		w[i].give = i & 1 ? GIVE_WRITEV : GIVE_WRITE;
		w[i].source = 1 + i;
		w[i].got = &r.got[1 + i];
		w[i].window = 300;
		in_writer_start(&w[i]);
	}
	while (sum < 9000 && !r.fault[0] && now_ms() < end) {
		sum = 0;
		for (i = 1; i < 4; i++)
			sum += __atomic_load_n(&r.got[i], __ATOMIC_RELAXED);
		nap_ms(2);
	}
	for (i = 0; i < 3; i++)
		in_writer_stop(&w[i]);
	in_reader_stop(&r);
	is(sum, 9000, "three writers: all arrive");
	ok(!r.fault[0], "in order of each: %s", r.fault);
	down(&x);
}

static void bad_writes(void)
{
	char buf[9000], *page;
	struct xsk x;
	int i, wrong = 0;

	up(&x, &XSK_RXONLY, TAP_VNET, 10, 0);
	xsk_fill_chunks(&x, 0, 64);
	memset(buf, 0, sizeof(buf));
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		bail("mmap");
	for (i = 0; i < 24; i++)
		wrong += write(tap.fd, buf, i) != -1 || errno != EINVAL;
	is(wrong, 0, "shorter than header and Ethernet: EINVAL");
	fails(write(tap.fd, page + 4096, 100), EFAULT, "no memory there");
	fails(write(tap.fd, page + 4096 - 50, 100), EFAULT, "half of it");
	is(xsk_ready(&x.rx), 0, "nothing of that arrives");
	/* Longer than a buffer of the fill ring: whatever, but no harm. */
	write(tap.fd, buf, 10 + 1793);
	write(tap.fd, buf, 10 + 2048);
	write(tap.fd, buf, 10 + 4000);
	write(tap.fd, buf, sizeof(buf));
	is(xsk_ready(&x.rx), 0, "nor does what is too long");
	tap_up(DEV, false);
	/* A stock kernel takes it where the program redirects. */
	ok(write(tap.fd, buf, 100) == 100 || errno == EIO,
	   "the device is down: taken or EIO");
	tap_up(DEV, true);
	for (i = 0; i < 64; i++)
		wrong += write(tap.fd, buf, 100) != 100;
	is(wrong, 0, "good ones");
	is(xsk_ready(&x.rx), 64, "find every buffer in its place");
	munmap(page, 8192);
	down(&x);
}

/* Offloads that a frame asks for: the program cannot see them; no harm. */
static void offloads(void)
{
	struct virtio_net_hdr *h;
	char buf[8000];
	struct xsk x;
	int i, aux = 1, s;
	char control[256];
	struct iovec iov;
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct tpacket_auxdata a = { 0 };

	up(&x, &XSK_RXONLY, TAP_VNET, 10, 0);
	xsk_fill_chunks(&x, 0, 64);
	memset(buf, 0, sizeof(buf));
	h = (void *)buf;
	h->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	h->csum_start = 34;
	h->csum_offset = 6;
	buf[10 + 12] = 8;	/* IPv4 */
	buf[10 + 14] = 0x45;
	buf[10 + 23] = 17;	/* UDP */
	works(write(tap.fd, buf, 10 + 100), "a checksum is asked for");
	h->gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
	h->gso_size = 1000;
	h->hdr_len = 54;
	buf[10 + 23] = 6;
	h->csum_offset = 16;
	for (i = 0; i < 10; i++)
		write(tap.fd, buf, 10 + 500 * (i + 1));
	memset(h, 0xff, sizeof(*h));
	write(tap.fd, buf, 10 + 500);
	memset(h, 0, sizeof(*h));
	while (xsk_ready(&x.rx))
		xsk_rx_get(&x);
	xsk_release(&x.rx);
	/* Passed to the stack, the checksum is known to be missing. */
	xprog_detach(&prog);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_PASS);
	s = tap_sniffer(DEV, 0x0800);
	setsockopt(s, SOL_PACKET, PACKET_AUXDATA, &aux, sizeof(aux));
	h->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	h->csum_start = 34;
	h->csum_offset = 6;
	buf[10 + 23] = 17;
	write(tap.fd, buf, 10 + 100);
	iov = (struct iovec){ buf, sizeof(buf) };
	if (fd_poll(s, POLLIN, 2000) && recvmsg(s, &msg, 0) > 0 &&
	    CMSG_FIRSTHDR(&msg))
		memcpy(&a, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(a));
	ok(a.tp_status & TP_STATUS_CSUMNOTREADY,
	   "XDP_PASS keeps that the checksum is missing");
	close(s);
	xprog_detach(&prog);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	memset(buf, 0, sizeof(buf));
	for (i = 0; i < 20; i++)
		write(tap.fd, buf, 10 + 100);
	is(xsk_ready(&x.rx), 20, "plain frames then arrive");
	down(&x);
}

/* A receiver that sleeps in poll() is woken. */
static void poll_wakes(void)
{
	struct in_writer w;
	struct actor a;
	struct xsk x;
	int i, woken = 0;

	up(&x, &XSK_RXONLY, TAP_PLAIN, 0, XDP_USE_NEED_WAKEUP);
	xsk_fill_chunks(&x, 0, 64);
	w = writes(0, GIVE_WRITE);
	for (i = 0; i < 20; i++) {
		a = (struct actor){ .events = POLLIN };
		actor_block(&a, x.fd, act_poll);
		in_write(&w, i);
		if (!actor_ended(&a, WAIT_MS))
			bail("poll() never returns");
		woken += a.ret == 1 && a.revents & POLLIN && a.ms < WAIT_MS;
		xsk_rx_get(&x);
		xsk_release(&x.rx);
	}
	is(woken, 20, "poll() returns when a frame is there");
	down(&x);
}

/* Frames both ways at once, unrelated to each other. */
static void both_ways(void)
{
	struct tx_flow f;
	struct rx_flow out;
	struct in_writer w;
	struct in_reader r;
	struct xsk x;

	up(&x, &XSK_BOTH, TAP_PLAIN, 0, XDP_USE_NEED_WAKEUP);
	f = (struct tx_flow){
		.x = { &x }, .source = 7, .total = 4000, .batch = 32,
		.lens = short_len, .n_lens = 1, .wake = WAKE_STRICT,
		.first = 0, .chunks = 2048, .lossy = xsk_copy_mode(),
	};
	out = (struct rx_flow){
		.fd = tap.fd, .take = TAKE_POLL, .from = { &f },
		.lossy = xsk_copy_mode(),
	};
	f.reader = &out;
	w = writes(4000, GIVE_NONBLOCK);
	r = (struct in_reader){ .x = &x, .first = 2048, .chunks = 2048 };
	rx_start(&out);
	tx_start(&f);
	in_run(&w, &r, NULL, "inwards");
	if (!ok(flow_finish(&f, &out), "outwards"))
		flow_diag(&f, &out);
	tx_stop(&f);
	rx_stop(&out);
	down(&x);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "plain", plain },
		{ "packet_info", packet_info },
		{ "vnet_header", vnet_header },
		{ "napi", napi },
		{ "generic_mode", generic_mode },
		{ "shapes", shapes },
		{ "l2fwd", l2fwd },
		{ "pass", pass },
		{ "pass_unnamed", pass_unnamed },
		{ "pass_many", pass_many },
		{ "drop", drop },
		{ "send_back", send_back },
		{ "redirect", redirect },
		{ "no_buffers", no_buffers },
		{ "ring_full", ring_full },
		{ "adjust", adjust },
		{ "queues", queues },
		{ "many_writers", many_writers },
		{ "bad_writes", bad_writes },
		{ "offloads", offloads },
		{ "poll_wakes", poll_wakes },
		{ "both_ways", both_ways },
	};

	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
