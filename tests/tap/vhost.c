// SPDX-License-Identifier: GPL-2.0-only
/*
 * The distribution's own vhost_net as the consumer, and as the writer: frames
 * sent by AF_XDP reach a guest's ring in order and whole, and what the guest
 * sends reaches the AF_XDP socket. vhost_net takes up to 64 frames that it
 * keeps while the guest has no buffer for them: meanwhile socket, device, fd and
 * backend go away in every order, and nothing old is ever shown to the guest.
 */
/* time-limit: 300 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "taprig.h"
#include "vhostdev.h"

#define DEV	"tapv0"

static const __u32 lens[] = { 60, 1514, 64, 14, 999 };

static struct tapdev tap;
static struct vhostdev vh;
static struct xsk x;
static struct xprog prog;

static void up(__u16 flags)
{
	tap_make(&tap, DEV, TAP_VNET, VHOST_HDR);
	xsk_open(&x, &XSK_BOTH, DEV, 0, flags);
	vhost_open(&vh);
	vhost_backend(&vh, tap.fd);
}

static void down(void)
{
	xsk_close(&x);
	vhost_close(&vh);
	tap_close(&tap);
}

/* N frames of source 1 from the guest's ring, which gets N buffers in turn. */
static void guest_gets(__u32 n, const char *what)
{
	__u32 posted = 0, got = 0, wrong = 0;
	const char *fault = "";
	struct frame f;
	const __u8 *p;
	size_t len;

	while (got < n) {
		if (posted < n && posted - got < VHOST_RING / 2) {
			__u32 more = VHOST_RING - (posted - got);

			more = more < n - posted ? more : n - posted;
			vhost_post(&vh, more);
			posted += more;
		}
		p = vhost_receive(&vh, &len, WAIT_MS / 2);
		if (!p)
			break;
		if (!frame_parse(p, len, &f) || f.seq != got || f.len != len ||
		    frame_fault(p, len, &f)) {
			wrong++;
			fault = "not the frame that was sent";
		}
		got++;
	}
	is(got, n, "%s: the guest gets all", what);
	is(wrong, 0, "%s: whole and in order %s", what, fault);
}

static void sends(__u16 flags, enum wake wake, const char *what)
{
	struct tx_flow f;

	up(flags);
	f = (struct tx_flow){
		.x = { &x }, .source = 1, .total = 6000, .batch = 64,
		.lens = lens, .n_lens = ARRAY_SIZE(lens), .wake = wake,
		.chunks = 2048,
	};
	tx_start(&f);
	guest_gets(6000, what);
	ok(flow_finish(&f, NULL), "%s: all complete %s", what, f.fault);
	tx_stop(&f);
	if (have_stats())
		ok(xsk_stat_is(DEV, "tx", 0, "outstanding", 0),
		   "%s: nothing outstanding", what);
	down();
}

static void to_guest(void)
{
	if (xsk_copy_mode()) {
		skip("copy mode", "a copying kernel loses frames");
		return;
	}
	sends(XDP_USE_NEED_WAKEUP, WAKE_STRICT, "wake-up when told");
	sends(XDP_USE_NEED_WAKEUP, WAKE_POLL, "only poll()");
	sends(0, WAKE_ALWAYS, "always sendto()");
}

/* What the guest sends: through the program into the socket. */
static void from_guest(void)
{
	__u8 buf[2048];
	struct in_reader r = { .x = &x };
	long long end = now_ms() + 2 * WAIT_MS;
	__u32 seq = 0;

	up(XDP_USE_NEED_WAKEUP);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	in_reader_start(&r);
	while (seq < 6000 && now_ms() < end) {
		if (seq - __atomic_load_n(&r.got[1], __ATOMIC_RELAXED) > 800) {
			sched_yield();
			continue;
		}
		frame_write(buf, lens[seq % 5], 1, seq);
		if (vhost_send(&vh, buf, lens[seq % 5]))
			seq++;
	}
	while (__atomic_load_n(&r.got[1], __ATOMIC_RELAXED) < seq &&
	       !r.fault[0] && now_ms() < end)
		nap_ms(2);
	in_reader_stop(&r);
	is(seq, 6000, "the guest sends all");
	is(r.got[1], 6000, "the socket gets all");
	ok(!r.fault[0], "whole and in order %s", r.fault);
	xprog_detach(&prog);
	down();
}

/* From a guest to the stack, dropped, and back to the guest. */
static void verdicts(void)
{
	__u8 buf[2048], got[2048];
	struct frame f;
	__u32 i, n = 0;
	int s;

	up(0);
	xsk_fill_chunks(&x, 0, 1024);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_PASS);
	s = tap_sniffer(DEV, 0x0003);
	for (i = 0; i < 200; i++) {
		frame_write(buf, 300, 1, i);
		vhost_send(&vh, buf, 300);
	}
	while (n < 200 && fd_poll(s, POLLIN, 2000)) {
		ssize_t len = read(s, got, sizeof(got));

		n += len == 300 && frame_parse(got, 300, &f) && f.seq == n &&
		     !frame_fault(got, 300, &f);
	}
	is(n, 200, "XDP_PASS: the stack gets what the guest sent");
	close(s);
	xprog_detach(&prog);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_TX);
	for (i = 0; i < 100; i++) {
		frame_write(buf, 300, 1, i);
		vhost_send(&vh, buf, 300);
	}
	guest_gets(100, "XDP_TX");
	xprog_detach(&prog);
	xprog_action(&prog, DEV, XPROG_NATIVE, XDP_DROP);
	for (i = 0; i < 100; i++)
		vhost_send(&vh, buf, 300);
	if (have_stats())
		ok(xsk_stat_is(DEV, "rx", 0, "drop_prog", 100),
		   "XDP_DROP: counted");
	xprog_detach(&prog);
	down();
}

static void send_frames(struct xsk *sock, __u32 n, __u8 source)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		frame_write(sock->area + i * sock->chunk, 200, source, i);
		xsk_tx_put(sock, (__u64)i * sock->chunk, 200, 0);
	}
	xsk_publish(&sock->tx);
	if (xsk_kick(sock) < 0)
		bail("kick");
}

static void small_up(void)
{
	struct xsk_shape s = XSK_SMALL;

	s.chunks = 256;
	s.tx = 256;
	s.comp = 256;
	tap_make(&tap, DEV, TAP_VNET, VHOST_HDR);
	xsk_open(&x, &s, DEV, 0, XDP_USE_NEED_WAKEUP);
	vhost_open(&vh);
	vhost_backend(&vh, tap.fd);
}

/* Frames are sent; vhost_net holds some that the guest has no room for. */
static void stall(__u32 n)
{
	small_up();
	send_frames(&x, n, 1);
	/* vhost_net's thread is told that there is something, and takes it. */
	vhost_post(&vh, 0);
	nap_ms(30);
}

static void guest_resumes(void)
{
	stall(200);
	guest_gets(200, "after a stall");
	ok(xsk_completes(&x, 200), "all complete");
	down();
}

/* The socket is gone: its frames are never shown, a new socket's are. */
static void socket_goes(void)
{
	long long start;
	struct xsk y;
	size_t len;

	stall(200);
	start = now_ms();
	xsk_close(&x);
	ok(now_ms() - start < WAIT_MS / 2, "the socket closes promptly");
	if (!have_stats()) {
		vhost_close(&vh);
		tap_close(&tap);
		return;
	}
	xsk_make(&y, &XSK_BOTH);
	while (xsk_bind_try(&y, DEV, 0, xsk_mode() | XDP_USE_NEED_WAKEUP)) {
		if (errno != EBUSY || now_ms() > start + WAIT_MS)
			bail("bind");
		nap_ms(1);
	}
	ok(now_ms() - start < WAIT_MS / 2, "and the queue is free");
	send_frames(&y, 100, 5);
	guest_gets(100, "a new socket's frames");
	ok(!vhost_receive(&vh, &len, 50), "and nothing else");
	ok(xsk_completes(&y, 100), "all complete");
	xsk_close(&y);
	ok(xsk_stat_is(DEV, "tx", 0, "outstanding", 0), "nothing outstanding");
	vhost_close(&vh);
	tap_close(&tap);
}

/* vhost_net gives back what it holds, and a read() finds it in order. */
static void reads_rest(const char *what)
{
	__u8 buf[2048];
	__u32 n = 0, wrong = 0;
	struct frame f;
	ssize_t len;

	fd_nonblock(tap.fd, true);
	while ((len = read(tap.fd, buf, sizeof(buf))) > 0) {
		wrong += len != VHOST_HDR + 200 ||
			 !frame_parse(buf + VHOST_HDR, 200, &f) ||
			 f.seq != n || frame_fault(buf + VHOST_HDR, 200, &f);
		n++;
	}
	is(n, 200, "%s: read() gets all", what);
	is(wrong, 0, "%s: in order", what);
	ok(xsk_completes(&x, 200), "%s: all complete", what);
}

static void backend_goes(void)
{
	stall(200);
	vhost_backend(&vh, -1);
	reads_rest("without backend");
	vhost_backend(&vh, tap.fd);
	while (xsk_ready(&x.comp))
		xsk_comp_get(&x.comp);
	xsk_release(&x.comp);
	send_frames(&x, 100, 1);
	guest_gets(100, "the backend again");
	down();
}

static void vhost_goes(void)
{
	stall(200);
	vhost_close(&vh);
	reads_rest("vhost closed");
	xsk_close(&x);
	tap_close(&tap);
}

static void queue_shrinks(void)
{
	unsigned int i;
	size_t len;

	if (xsk_copy_mode()) {
		skip("copy mode", "queue length under a stalled guest");
		return;
	}
	stall(200);
	for (i = 0; i < 20; i++)
		if (tap_qlen_try(DEV, 1 + i * 37 % 300))
			bail("txqueuelen");
	/* What fell out completes, what is left arrives. */
	vhost_post(&vh, 200);
	for (i = 0; vhost_receive(&vh, &len, 300); i++)
		;
	ok(i <= 200, "%u frames are left", i);
	ok(xsk_completes(&x, 200), "all complete");
	down();
}

enum step { SOCKET, DEVICE, FD, BACKEND, VHOST, STEPS };

static void take(enum step s, bool *vhost_open_still)
{
	switch (s) {
	case SOCKET:
		xsk_close(&x);
		break;
	case DEVICE:
		/* Without its last fd it is gone already. */
		if (tap_exists(DEV))
			tap_del(DEV);
		break;
	case FD:
		tap_close(&tap);
		break;
	case BACKEND:
		if (*vhost_open_still)
			vhost_backend_try(&vh, -1);
		break;
	default:
		vhost_close(&vh);
		*vhost_open_still = false;
	}
}

/* Order number N of the five steps. */
static void order(unsigned int n, enum step *out)
{
	bool used[STEPS] = { false };
	unsigned int i, j, k, base = 120;

	for (i = 0; i < STEPS; i++) {
		base /= STEPS - i;
		k = n / base;
		n %= base;
		for (j = 0; used[j] || k--;)
			j++;
		out[i] = j;
		used[j] = true;
	}
}

static void every_order(void)
{
	enum step s[STEPS];
	long long start;
	unsigned int n, i, slow = 0, orders = rounds(60);

	for (n = 0; n < orders; n++) {
		bool open = true;

		/* 7 and 120 have no factor in common: each comes once. */
		order(n * 7 % 120, s);
		stall(n % 3 ? 100 : 40);
		for (i = 0; i < STEPS; i++) {
			start = now_ms();
			take(s[i], &open);
			slow += now_ms() - start > WAIT_MS / 2;
		}
	}
	is(slow, 0, "every order of going away is prompt");
	ok(tap_gone(DEV), "and leaves no device");
}

/* A process that has it all dies while the guest stalls. */
static void process_killed(void)
{
	unsigned int i, n = rounds(10), bad = 0;
	pid_t child;
	int p[2];
	char c;

	for (i = 0; i < n; i++) {
		if (pipe(p))
			bail("pipe");
		child = fork();
		if (!child) {
			stall(150);
			if (write(p[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		close(p[1]);
		bad += read(p[0], &c, 1) != 1;
		close(p[0]);
		kill(child, SIGKILL);
		bad += child_wait(child) != 128 + SIGKILL;
		bad += !tap_gone(DEV);
	}
	is(bad, 0, "the process is killed");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "to_guest", to_guest },
		{ "from_guest", from_guest },
		{ "verdicts", verdicts },
		{ "guest_resumes", guest_resumes },
		{ "socket_goes", socket_goes },
		{ "backend_goes", backend_goes },
		{ "vhost_goes", vhost_goes },
		{ "queue_shrinks", queue_shrinks },
		{ "every_order", every_order },
		{ "process_killed", process_killed },
	};

	if (mod_probe("vhost_net")) {
		tap_start();
		skip_all("no vhost_net for this kernel");
	}
	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
