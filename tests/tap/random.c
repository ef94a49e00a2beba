// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several processes set up, send, receive and tear down at random on the same
 * device and on ones of their own; now and then one is killed. It goes on for
 * SHORTPATH_RANDOM seconds (10 unless set), from SHORTPATH_SEED. The kernel
 * stays silent, and in the end nothing is outstanding.
 *
 * The XDP programs are loaded before all that and stay on devices of their own:
 * for the first and the last device of a program the kernel patches the code
 * that calls it, and under traffic an emulated processor may take the
 * breakpoint of such a patch for a real one.
 */
/* time-limit: 900 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "taprig.h"
#include "vhostdev.h"

#define PROCESSES	4
#define SHARED		"tapz"
#define QUEUES		3

static const __u32 lens[] = { 60, 1514, 64, 700, 14 };

static unsigned int seed;
static long long end;

/* For each process a program, and the device that holds it. */
static struct xprog held[PROCESSES];
static struct tapdev holder[PROCESSES];
static const struct xprog *mine;

static unsigned int below(unsigned int n)
{
	return rand_r(&seed) % n;
}

struct world {
	struct tapdev tap;
	bool shared;
	struct xsk x;
	struct xprog prog;
	struct vhostdev vh;
	struct tx_flow tx;
	struct rx_flow rx;
	struct in_writer in;
	struct in_reader out;
	bool sends, reads, has_vhost, has_prog, bound;
};

static void device_get(struct world *w)
{
	static const int flags[] = {
		TAP_PLAIN, TAP_VNET, TAP_PLAIN | IFF_MULTI_QUEUE, IFF_TAP,
		TAP_PLAIN | IFF_NAPI, TAP_VNET | IFF_MULTI_QUEUE,
	};
	char name[16];
	int f;

	w->shared = below(2);
	if (w->shared) {
		snprintf(w->tap.name, sizeof(w->tap.name), SHARED);
		w->tap.flags = TAP_VNET | IFF_MULTI_QUEUE;
		w->tap.hdr = VHOST_HDR;
		/* All of its queues may be taken. */
		w->tap.fd = tap_queue_try(SHARED, w->tap.flags);
		return;
	}
	f = flags[below(ARRAY_SIZE(flags))];
	snprintf(name, sizeof(name), "tapz%d", getpid());
	tap_make(&w->tap, name, f, VHOST_HDR);
}

static void socket_get(struct world *w)
{
	struct xsk_shape s = {
		.chunk = below(2) ? 2048 : 4096, .chunks = 512,
		.headroom = below(2) * 64, .rx = 1U << below(10),
		.tx = 1U << below(10), .fill = 1U << below(10),
		.comp = 1U << below(10),
		.umem_flags = below(3) ? 0 : XDP_UMEM_UNALIGNED_CHUNK_FLAG,
	};
	static const __u16 modes[] = { XDP_ZEROCOPY, 0, XDP_ZEROCOPY, XDP_COPY };
	__u16 mode = modes[below(4)] | (below(2) ? XDP_USE_NEED_WAKEUP : 0);

	xsk_make(&w->x, &s);
	w->bound = !xsk_bind_try(&w->x, w->tap.name,
				 w->shared ? below(QUEUES) : 0, mode);
	if (w->bound && below(3)) {
		xprog_again(&w->prog, mine, w->tap.name, XPROG_NATIVE);
		xprog_socket_try(&w->prog, below(2), &w->x);
		w->has_prog = true;
	}
}

static void threads_start(struct world *w)
{
	w->tx = (struct tx_flow){
		.x = { &w->x }, .source = 1, .batch = 1 + below(64),
		.lens = lens, .n_lens = ARRAY_SIZE(lens), .chunks = 256,
		.lossy = true, .wake = below(3),
	};
	w->out = (struct in_reader){
		.x = &w->x, .first = 256, .chunks = 256, .lossy = true,
		.poll = below(2),
	};
	if (w->bound) {
		in_reader_start(&w->out);
		tx_start(&w->tx);
		w->sends = true;
	}
	if (w->tap.fd < 0)
		return;
	w->has_vhost = w->tap.flags & IFF_VNET_HDR && below(2);
	if (w->has_vhost) {
		vhost_open(&w->vh);
		if (!vhost_backend_try(&w->vh, w->tap.fd))
			vhost_post(&w->vh, below(VHOST_RING));
		return;
	}
	w->rx = (struct rx_flow){
		.fd = w->tap.fd, .hdr = w->tap.hdr, .lossy = true,
		.take = below(TAKES), .copied = true,
	};
	w->in = (struct in_writer){
		.fd = w->tap.fd, .hdr = w->tap.hdr, .source = 2, .lens = lens,
		.n_lens = ARRAY_SIZE(lens), .lossy = true,
	};
	rx_start(&w->rx);
	in_writer_start(&w->in);
	w->reads = true;
}

static void disturb(struct world *w)
{
	const char *name = w->tap.name;
	__u8 frame[64];
	int i;

	switch (below(8)) {
	case 0:
		tap_qlen_try(name, 1 + below(600));
		break;
	case 1:
		tap_mtu_try(name, 68 + below(1700));
		break;
	case 2:
		if (tap_exists(name)) {
			tap_up_try(name, false);
			nap_ms(below(3));
			tap_up_try(name, true);
		}
		break;
	case 3:
		if (w->tap.fd >= 0 && w->tap.flags & IFF_MULTI_QUEUE) {
			tap_attach_try(w->tap.fd, false);
			nap_ms(below(3));
			tap_attach_try(w->tap.fd, true);
		}
		break;
	case 4:
		if (!w->shared && !below(3))
			tap_del(name);
		break;
	case 5:
		if (w->has_vhost) {
			memset(frame, 2, sizeof(frame));
			for (i = 0; i < 20; i++)
				vhost_send(&w->vh, frame, sizeof(frame));
			vhost_backend_try(&w->vh, below(2) ? -1 : w->tap.fd);
		}
		break;
	default:
		nap_ms(below(20));
	}
}

/* Give everything up, in some order. */
static void leave(struct world *w)
{
	bool done[3] = { false };
	unsigned int left = 3, i;

	while (left) {
		i = below(3);
		if (done[i])
			continue;
		done[i] = true;
		left--;
		if (i == 0) {
			close(w->x.fd);
			w->x.fd = -1;
		} else if (i == 1 && w->tap.fd >= 0) {
			close(w->tap.fd);
		} else if (i == 2 && w->has_vhost) {
			vhost_close(&w->vh);
		}
	}
	if (w->sends && (!tx_stop(&w->tx) || !in_reader_stop(&w->out)))
		bail("a thread hangs");
	if (w->reads && (!rx_stop(&w->rx) || !in_writer_stop(&w->in)))
		bail("a thread hangs");
	if (w->has_prog)
		xprog_detach(&w->prog);
	xsk_close(&w->x);
}

static int live(void)
{
	struct world w;
	int i, n;

	while (now_ms() < end) {
		memset(&w, 0, sizeof(w));
		device_get(&w);
		socket_get(&w);
		threads_start(&w);
		n = below(6);
		for (i = 0; i < n; i++)
			disturb(&w);
		leave(&w);
	}
	return 0;
}

static void hold(void)
{
	char name[16];
	int i;

	for (i = 0; i < PROCESSES; i++) {
		snprintf(name, sizeof(name), "tapzh%d", i);
		tap_make(&holder[i], name, TAP_PLAIN, 0);
		xprog_redirect(&held[i], name, XPROG_NATIVE);
	}
}

static void let_go(void)
{
	int i;

	for (i = 0; i < PROCESSES; i++) {
		xprog_detach(&held[i]);
		tap_close(&holder[i]);
	}
}

static pid_t spawn(unsigned int i)
{
	unsigned int other = rand_r(&seed);
	pid_t pid = fork();

	if (pid)
		return pid;
	seed = other;
	mine = &held[i];
	_exit(live());
}

static void chaos(void)
{
	const char *time = getenv("SHORTPATH_RANDOM");
	const char *from = getenv("SHORTPATH_SEED");
	unsigned int i, killed = 0, bad = 0;
	pid_t pid[PROCESSES];
	struct tapdev tap;
	int seconds = time ? atoi(time) : 10, status;

	seed = from ? (unsigned int)atoi(from) : (unsigned int)now_ms();
	diag("seed %u, %d seconds", seed, seconds);
	end = now_ms() + seconds * 1000LL;
	tap_make(&tap, SHARED, TAP_VNET | IFF_MULTI_QUEUE, VHOST_HDR);
	hold();
	for (i = 0; i < PROCESSES; i++)
		pid[i] = spawn(i);
	while (now_ms() < end) {
		nap_ms(200 + below(800));
		i = below(PROCESSES);
		kill(pid[i], SIGKILL);
		status = child_wait(pid[i]);
		if (status != 128 + SIGKILL && status) {
			diag("a process ended with %d", status);
			bad++;
		}
		killed++;
		pid[i] = spawn(i);
	}
	for (i = 0; i < PROCESSES; i++) {
		status = child_wait(pid[i]);
		if (status)
			diag("a process ended with %d", status);
		bad += status != 0;
	}
	is(bad, 0, "every process ends well (%u killed)", killed);
	if (have_stats())
		for (i = 0; i < QUEUES; i++)
			ok(xsk_stat(SHARED, "tx", i, "outstanding") <= 0 ||
			   xsk_stat_is(SHARED, "tx", i, "outstanding", 0),
			   "queue %u: nothing outstanding", i);
	let_go();
	tap_close(&tap);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "chaos", chaos },
	};

	mod_probe("vhost_net");
	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
