// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that can go away does so under load, in every order: the socket,
 * the fd, either process, the device, its network namespace, a queue; and what
 * can change changes: queue length, MTU, up and down. Each for a fixed number
 * of rounds. What remains works at once; afterwards nothing is outstanding, no
 * page is pinned, and the module can be unloaded.
 */
/* time-limit: 400 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapd0"
#define LOAD_MS	30

static const __u32 lens[] = { 60, 1514, 64, 300 };

/* A queue under load both ways: four threads. */
struct load {
	struct xsk x;
	struct xprog prog;
	struct tx_flow tx;
	struct rx_flow rx;
	struct in_writer in;
	struct in_reader out;
	bool sends, reads;
	__u8 id;		/* tells several at once apart */
};

static struct tapdev tap;

/* Bind to queue Q as soon as its last owner is gone. */
static void bind_soon(struct load *l, __u32 q)
{
	long long end = now_ms() + WAIT_MS;

	while (xsk_bind_try(&l->x, DEV, q, xsk_mode() | XDP_USE_NEED_WAKEUP)) {
		if (errno != EBUSY || now_ms() > end)
			bail("bind to queue %u", q);
		sched_yield();
	}
}

/* The threads that use the socket. */
static void load_socket(struct load *l)
{
	static const enum wake how[] = { WAKE_STRICT, WAKE_POLL, WAKE_ALWAYS };
	static unsigned int turn;

	l->tx = (struct tx_flow){
		.x = { &l->x }, .source = 1 + 2 * l->id, .batch = 32, .lens = lens,
		.n_lens = ARRAY_SIZE(lens), .chunks = 512, .lossy = true,
		.wake = how[turn++ % ARRAY_SIZE(how)],
	};
	l->out = (struct in_reader){
		.x = &l->x, .first = 512, .chunks = 512, .lossy = true,
		.poll = turn & 1,
	};
	in_reader_start(&l->out);
	tx_start(&l->tx);
	l->sends = true;
}

/* The threads that use the queue's fd. */
static void load_fd(struct load *l, int fd)
{
	static unsigned int turn;

	l->rx = (struct rx_flow){
		.fd = fd, .take = turn++ % TAKES, .lossy = true,
		.from = { &l->tx }, .copied = xsk_copy_mode(),
	};
	l->in = (struct in_writer){
		.fd = fd, .source = 2 + 2 * l->id, .lens = lens,
		.n_lens = ARRAY_SIZE(lens),
		.give = GIVE_WRITE, .lossy = true,
		/* to the receiver, who stays, it is one flow */
		.sent = l->in.sent,
	};
	rx_start(&l->rx);
	in_writer_start(&l->in);
	l->reads = true;
}

/* A new socket on queue Q, without threads; the program leads to it. */
static void load_make(struct load *l, __u32 q)
{
	struct xsk_shape s = {
		.chunk = 2048, .chunks = 1024, .rx = 512, .tx = 512,
		.fill = 512, .comp = 512,
	};

	memset(l, 0, sizeof(*l));
	xsk_make(&l->x, &s);
	bind_soon(l, q);
	l->prog.map = -1;
}

static void load_start(struct load *l, __u32 q, int fd)
{
	load_make(l, q);
	xprog_redirect(&l->prog, DEV, XPROG_NATIVE);
	xprog_socket(&l->prog, q, &l->x);
	load_fd(l, fd);
	load_socket(l);
}

/* Close the socket; its rings stay mapped while threads look at them. */
static void close_socket(struct load *l)
{
	close(l->x.fd);
	l->x.fd = -1;
}

/* Stop what runs; false, with a word about it, when something was wrong. */
static bool load_stop(struct load *l)
{
	bool fine = true;

	if (l->sends && (!tx_stop(&l->tx) || !in_reader_stop(&l->out)))
		bail("hangs: %s %s", l->tx.fault, l->out.fault);
	if (l->reads && (!rx_stop(&l->rx) || !in_writer_stop(&l->in)))
		bail("hangs: %s %s", l->rx.fault, l->in.fault);
	l->sends = false;
	l->reads = false;
	if (l->tx.fault[0] || l->rx.fault[0] || l->in.fault[0] ||
	    l->out.fault[0]) {
		diag("sender: %s; reader: %s; writer: %s; receiver: %s",
		     l->tx.fault, l->rx.fault, l->in.fault, l->out.fault);
		fine = false;
	}
	if (l->prog.map >= 0)
		xprog_detach(&l->prog);
	xsk_close(&l->x);
	return fine;
}

static bool idle(unsigned int q)
{
	if (!have_stats())
		return true;
	if (xsk_stat_is(DEV, "tx", q, "outstanding", 0))
		return true;
	diag("queue %u: %lld outstanding", q,
	     xsk_stat(DEV, "tx", q, "outstanding"));
	return false;
}

/* What others left in the queue. */
static void drain(int fd)
{
	char buf[2048];

	fd_nonblock(fd, true);
	while (read(fd, buf, sizeof(buf)) >= 0)
		;
}

/* A new socket on queue Q finds all in order. */
static void as_new(__u32 q, int fd, const char *what)
{
	struct load l;

	ok(idle(q), "%s: nothing is outstanding", what);
	drain(fd);
	load_make(&l, q);
	xprog_redirect(&l.prog, DEV, XPROG_NATIVE);
	xprog_socket(&l.prog, q, &l.x);
	flow_works(&l.x, fd, 0, 500, what);
	fd_nonblock(fd, false);
	in_works(&l.x, fd, 0, 500, what);
	load_stop(&l);
	ok(idle(q), "%s: nothing is outstanding in the end", what);
}

static void socket_goes(void)
{
	unsigned int i, n = rounds(15), bad = 0;
	struct load l;

	tap_open(&tap, DEV);
	for (i = 0; i < n; i++) {
		load_start(&l, 0, tap.fd);
		nap_ms(i % 3 ? LOAD_MS : 1);
		close_socket(&l);
		nap_ms(i % 2);
		bad += !load_stop(&l);
	}
	is(bad, 0, "the socket is closed under load");
	as_new(0, tap.fd, "after the socket");
	tap_close(&tap);
}

static void fd_goes(void)
{
	unsigned int i, n = rounds(15), bad = 0;
	struct load l;

	for (i = 0; i < n; i++) {
		tap_open(&tap, DEV);
		load_start(&l, 0, tap.fd);
		nap_ms(i % 3 ? LOAD_MS : 1);
		close(tap.fd);
		if (i & 1)
			close_socket(&l);
		bad += !load_stop(&l);
		bad += !tap_gone(DEV);
	}
	is(bad, 0, "the fd is closed under load, and the device goes");
}

static void device_goes(void)
{
	unsigned int i, n = rounds(10), bad = 0;
	long long start;
	struct load l;

	for (i = 0; i < n; i++) {
		tap_open(&tap, DEV);
		load_start(&l, 0, tap.fd);
		nap_ms(LOAD_MS);
		if (i % 3 == 1)
			close_socket(&l);
		start = now_ms();
		bad += tap_del(DEV) != 0;
		bad += now_ms() - start > WAIT_MS / 2;
		bad += tap_exists(DEV);
		if (i % 3 == 2)
			close(tap.fd);
		bad += !load_stop(&l);
		if (i % 3 != 2)
			close(tap.fd);
	}
	is(bad, 0, "the device is deleted under load");
}

/* The device moves to a namespace of a child, which ends. */
static void namespace_goes(void)
{
	char pid[16], c;
	const char *const argv[] = {
		"ip", "link", "set", DEV, "netns", pid, NULL
	};
	unsigned int i, n = rounds(8), bad = 0;
	struct load l;
	int p[2];
	pid_t child;

	for (i = 0; i < n; i++) {
		if (pipe(p))
			bail("pipe");
		child = fork();
		if (!child) {
			close(netns_new());
			if (write(p[1], "x", 1) == 1)
				pause();
			_exit(1);
		}
		if (read(p[0], &c, 1) != 1)
			bail("no child");
		close(p[0]);
		close(p[1]);
		tap_open(&tap, DEV);
		load_start(&l, 0, tap.fd);
		nap_ms(LOAD_MS);
		snprintf(pid, sizeof(pid), "%d", child);
		bad += run(argv) != 0;
		nap_ms(i % 4 * 5);
		if (i & 1)
			close_socket(&l);
		kill(child, SIGKILL);
		bad += child_wait(child) != 128 + SIGKILL;
		bad += !load_stop(&l);
		close(tap.fd);
	}
	is(bad, 0, "the device moves away under load and dies there");
}

/* All in a namespace that only its own objects hold. */
static void namespace_dies(void)
{
	unsigned int i, n = rounds(8), bad = 0;
	struct load l;
	pid_t child;

	for (i = 0; i < n; i++) {
		child = fork();
		if (!child) {
			close(netns_new());
			tap_open(&tap, DEV);
			load_start(&l, 0, tap.fd);
			nap_ms(LOAD_MS);
			_exit(0);
		}
		bad += child_wait(child) != 0;
	}
	is(bad, 0, "process, sockets, device and namespace end at once");
}

static void sender_killed(void)
{
	unsigned int i, n = rounds(10), bad = 0;
	struct load l, child_load;
	pid_t child;

	tap_open(&tap, DEV);
	for (i = 0; i < n; i++) {
		memset(&l, 0, sizeof(l));
		l.x.fd = -1;
		l.prog.map = -1;
		child = fork();
		if (!child) {
			close(tap.fd);
			load_make(&child_load, 0);
			xprog_redirect(&child_load.prog, DEV, XPROG_NATIVE);
			xprog_socket(&child_load.prog, 0, &child_load.x);
			load_socket(&child_load);
			for (;;)
				pause();
		}
		l.tx = (struct tx_flow){ .lens = lens, .n_lens = 4,
					 .source = 1, .sockets = 1 };
		drain(tap.fd);
		load_fd(&l, tap.fd);
		nap_ms(3 * LOAD_MS);
		kill(child, SIGKILL);
		bad += child_wait(child) != 128 + SIGKILL;
		bad += !load_stop(&l);
	}
	is(bad, 0, "the sender's process is killed under load");
	as_new(0, tap.fd, "after the sender");
	tap_close(&tap);
}

static void reader_killed(void)
{
	unsigned int i, n = rounds(10), bad = 0;
	struct load l, child_load;
	pid_t child;
	int p[2];
	char c;

	for (i = 0; i < n; i++) {
		if (pipe(p))
			bail("pipe");
		child = fork();
		if (!child) {
			memset(&child_load, 0, sizeof(child_load));
			child_load.tx = (struct tx_flow){
				.lens = lens, .n_lens = 4, .source = 1,
				.sockets = 1,
			};
			tap_open(&tap, DEV);
			load_fd(&child_load, tap.fd);
			if (write(p[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		if (read(p[0], &c, 1) != 1)
			bail("no child");
		close(p[0]);
		close(p[1]);
		load_make(&l, 0);
		xprog_redirect(&l.prog, DEV, XPROG_NATIVE);
		xprog_socket(&l.prog, 0, &l.x);
		load_socket(&l);
		nap_ms(LOAD_MS);
		kill(child, SIGKILL);
		bad += child_wait(child) != 128 + SIGKILL;
		bad += !tap_gone(DEV);
		bad += !load_stop(&l);
	}
	is(bad, 0, "the reader's process is killed under load");
}

static void queues_detach(void)
{
	unsigned int i, n = rounds(30), bad = 0;
	struct load l[2];
	int fd[2], q;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	fd[0] = tap.fd;
	fd[1] = tap_queue(DEV, tap.flags);
	load_start(&l[0], 0, fd[0]);
	load_make(&l[1], 1);
	l[1].id = 1;
	xprog_socket(&l[0].prog, 1, &l[1].x);
	load_fd(&l[1], fd[1]);
	load_socket(&l[1]);
	/* The other fd moves up each time: an even number is no change. */
	for (i = 0; i < (n + 1) / 2 * 2; i++) {
		bad += tap_attach_try(fd[i & 1], false) != 0;
		nap_ms(i % 5);
		bad += tap_attach_try(fd[i & 1], true) != 0;
		nap_ms(i % 3);
	}
	is(bad, 0, "detached and attached under load");
	for (q = 1; q >= 0; q--)
		ok(load_stop(&l[q]), "queue %d is fine", q);
	as_new(0, fd[0], "first queue");
	as_new(1, fd[1], "second queue");
	close(fd[1]);
	tap_close(&tap);
}

/* A socket whose queue has lost its fd, and gets another one. */
static void queue_closes(void)
{
	unsigned int i, n = rounds(10), bad = 0;
	struct load l;
	int fd;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	fd = tap_queue(DEV, tap.flags);
	load_start(&l, 1, fd);
	for (i = 0; i < n; i++) {
		nap_ms(LOAD_MS);
		close(fd);
		rx_stop(&l.rx);
		in_writer_stop(&l.in);
		nap_ms(i % 3 * 10);
		fd = tap_queue(DEV, tap.flags);
		load_fd(&l, fd);
	}
	nap_ms(LOAD_MS);
	ok(l.rx.got[1] > 0, "the last fd got frames");
	bad += !load_stop(&l);
	is(bad, 0, "a queue's fd closes under load, another one comes");
	as_new(1, fd, "with the last fd");
	close(fd);
	tap_close(&tap);
}

/* Change the device by FN under load; what remains must then be as new. */
static void changes(void (*fn)(unsigned int i), const char *what)
{
	unsigned int i, n = rounds(40);
	struct load l;

	tap_open(&tap, DEV);
	load_start(&l, 0, tap.fd);
	for (i = 0; i < n; i++) {
		fn(i);
		nap_ms(i % 4);
	}
	tap_qlen_try(DEV, 500);
	tap_mtu(DEV, 1500);
	tap_up(DEV, true);
	/* The very same socket goes on. */
	memset(l.rx.got, 0, sizeof(l.rx.got));
	memset(l.out.got, 0, sizeof(l.out.got));
	nap_ms(5 * LOAD_MS);
	ok(l.rx.got[1] > 0, "%s: frames go on to the fd", what);
	ok(l.out.got[2] > 0, "%s: frames go on to the socket", what);
	ok(load_stop(&l), "%s: nothing wrong", what);
	as_new(0, tap.fd, what);
	tap_close(&tap);
}

static void qlen(unsigned int i)
{
	static const int n[] = { 1, 1000, 2, 64, 3, 5000, 10, 500 };

	if (tap_qlen_try(DEV, n[i % ARRAY_SIZE(n)]))
		bail("txqueuelen");
}

static void mtu(unsigned int i)
{
	static const int n[] = { 68, 1500, 576, 1700, 9000, 1280, 65521 };

	/* What does not fit the UMEM may be refused. */
	tap_mtu_try(DEV, n[i % ARRAY_SIZE(n)]);
}

static void updown(unsigned int i)
{
	tap_up(DEV, i & 1);
}

static void queue_length(void)
{
	changes(qlen, "queue length");
}

static void mtu_changes(void)
{
	changes(mtu, "MTU");
}

static void goes_down(void)
{
	changes(updown, "down and up");
}

/* One socket after the other at the same queue, without a pause. */
static void rebinds(void)
{
	unsigned int i, n = rounds(40), bad = 0;
	struct load l, fd_load;

	memset(&fd_load, 0, sizeof(fd_load));
	fd_load.x.fd = -1;
	fd_load.prog.map = -1;
	fd_load.tx = (struct tx_flow){ .lens = lens, .n_lens = 4, .source = 1,
				       .sockets = 1 };
	tap_open(&tap, DEV);
	load_fd(&fd_load, tap.fd);
	for (i = 0; i < n; i++) {
		load_make(&l, 0);
		xprog_redirect(&l.prog, DEV, XPROG_NATIVE);
		xprog_socket(&l.prog, 0, &l.x);
		load_socket(&l);
		nap_ms(i % 8);
		bad += !load_stop(&l);
		/* The next sender begins anew at 0. */
		rx_stop(&fd_load.rx);
		drain(tap.fd);
		fd_load.rx.next[1] = 0;
		rx_start(&fd_load.rx);
	}
	is(bad, 0, "bound again at once");
	load_stop(&fd_load);
	as_new(0, tap.fd, "after many bindings");
	tap_close(&tap);
}

/* Frames that nobody has read when the socket goes are never to be seen. */
static void unread_frames(void)
{
	unsigned int i, n = rounds(10), bad = 0, seen = 0;
	long long purged = 0;
	char buf[2048];
	struct load l;

	tap_open(&tap, DEV);
	fd_nonblock(tap.fd, true);
	for (i = 0; i < n; i++) {
		__u32 j, frames = 1 + i * 23 % 300;

		load_make(&l, 0);
		for (j = 0; j < frames; j++)
			xsk_tx_put(&l.x, (__u64)j * 2048, 60, 0);
		xsk_publish(&l.x.tx);
		bad += xsk_kick(&l.x) < 0;
		if (have_stats())
			bad += xsk_stat(DEV, "tx", 0, "outstanding") != frames;
		purged += frames;
		load_stop(&l);
		bad += !idle(0);
		while (read(tap.fd, buf, sizeof(buf)) >= 0)
			seen++;
		bad += errno != EAGAIN;
	}
	is(bad, 0, "the socket closes over unread frames");
	if (have_stats()) {
		is(seen, 0, "none of them is read afterwards");
		is(xsk_stat(DEV, "tx", 0, "drop_unread"), purged,
		   "they are counted");
	}
	as_new(0, tap.fd, "after unread frames");
	tap_close(&tap);
}

/* The UMEM is accounted to who may lock only so much: is it given back? */
static int locks_one_umem(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];
	struct rlimit r = { 2 << 20, 2 << 20 };
	struct xsk_shape s = {
		.chunk = 2048, .chunks = 1024, .rx = 512, .tx = 512,
		.fill = 512, .comp = 512,
	};
	long long end;
	struct xsk x;
	int i;

	if (setrlimit(RLIMIT_MEMLOCK, &r) || syscall(SYS_capget, &h, d))
		return 2;
	d[0].effective &= ~(1U << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &h, d))
		return 3;
	for (i = 0; i < 30; i++) {
		end = now_ms() + WAIT_MS;
		while (xsk_make_try(&x, &s))
			if (errno != ENOBUFS || now_ms() > end)
				return 4;
		while (xsk_bind_try(&x, DEV, 0, xsk_mode()))
			if (errno != EBUSY || now_ms() > end)
				return 5;
		xsk_tx_put(&x, 0, 60, 0);
		xsk_publish(&x.tx);
		xsk_kick(&x);
		xsk_close(&x);
	}
	return 0;
}

static void locked_memory(void)
{
	pid_t child;

	tap_open(&tap, DEV);
	child = fork();
	if (!child)
		_exit(locks_one_umem());
	is(child_wait(child), 0, "each UMEM is given back to the user's limit");
	tap_close(&tap);
}

static bool unloaded(void *arg)
{
	(void)arg;
	return !mod_remove("tun");
}

static void unload(void)
{
	unsigned int i, n = rounds(3), bad = 0;
	struct load l;

	if (mod_loaded("vhost_net"))
		mod_remove("vhost_net");
	for (i = 0; i < n; i++) {
		tap_open(&tap, DEV);
		load_start(&l, 0, tap.fd);
		nap_ms(LOAD_MS);
		close(tap.fd);
		bad += !load_stop(&l);
		if (!wait_until(unloaded, NULL, WAIT_MS)) {
			diag("tun stays loaded: %s", err_name(errno));
			bad++;
		}
		if (mod_probe("tun"))
			bail("modprobe tun");
	}
	is(bad, 0, "the module goes right after its last device");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "socket_goes", socket_goes },
		{ "fd_goes", fd_goes },
		{ "device_goes", device_goes },
		{ "namespace_goes", namespace_goes },
		{ "namespace_dies", namespace_dies },
		{ "sender_killed", sender_killed },
		{ "reader_killed", reader_killed },
		{ "queues_detach", queues_detach },
		{ "queue_closes", queue_closes },
		{ "queue_length", queue_length },
		{ "mtu_changes", mtu_changes },
		{ "goes_down", goes_down },
		{ "rebinds", rebinds },
		{ "unread_frames", unread_frames },
		{ "locked_memory", locked_memory },
		{ "unload", unload },
	};

	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
