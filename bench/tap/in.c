// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets written to a TAP device's descriptor, received by an AF_XDP socket
 * with and without a copy.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap_bench.h"

struct inlet {
	struct tap tap;
	struct xsk xsk;
	struct xdp_redirect redirect;
	const __u8 *content;
	struct flow flow;
};

static int write_produce(struct flow *f, unsigned int n)
{
	struct inlet *in = f->ctx;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (write(in->tap.fd, in->content, f->size) != (ssize_t)f->size)
			return tap_complain("writing to a TAP device");
	return n;
}

static int xsk_consume(struct flow *f, unsigned int n, bool wait)
{
	struct inlet *in = f->ctx;
	int got;

	do {
		got = xsk_receive(&in->xsk, f->size, n);
	} while (!got && wait);
	return got;
}

static void xsk_reset(struct flow *f)
{
	while (xsk_consume(f, BURST, false) > 0)
		;
}

/* Before anything is timed: what is received is what was written. */
static int prove(struct inlet *in)
{
	int tries;

	if (write_produce(&in->flow, 1) < 0)
		return -1;
	for (tries = 0; tries < 100; tries++) {
		if (xsk_came_intact(&in->xsk, in->content, in->flow.size))
			return xsk_receive(&in->xsk, in->flow.size, 1) == 1 ? 0 : -1;
		usleep(10000);
	}
	fprintf(stderr, "tap-bench: %s: a packet that was written did not come, or altered\n",
		in->tap.name);
	return -1;
}

static int inlet_open(struct inlet *in, bool copy, const char *from, size_t size)
{
	in->redirect.program = -1;
	in->redirect.map = -1;
	in->flow = (struct flow) {
		.produce = write_produce, .consume = xsk_consume, .reset = xsk_reset,
		.ctx = in, .size = size,
	};
	if (tap_open(&in->tap, copy ? "bench-copy" : "bench-zc", 0))
		return -1;
	/* With this stock tun takes its quickest way, too. */
	fcntl(in->tap.fd, F_SETFL, O_NONBLOCK);
	tap_packet((__u8 *)in->content, size, in->tap.mac, from, "10.77.0.1", 9);
	if (xsk_open(&in->xsk, &in->tap, copy) ||
	    xdp_redirect_attach(&in->redirect, &in->tap, &in->xsk))
		return -1;
	return prove(in);
}

static void inlet_close(struct inlet *in)
{
	if (!in->tap.ifindex)
		return;
	xdp_redirect_detach(&in->redirect);
	xsk_close(&in->xsk);
	tap_close(&in->tap);
}

static int compare(const struct tap_options *opt, struct inlet *both, size_t size)
{
	char name[32];
	struct bench_side sides[] = {
		{ .name = name, .side = "old", .ctx = &both[0].flow },
		{ .name = name, .side = "new", .ctx = &both[1].flow },
	};

	snprintf(name, sizeof(name), "rx-%zu", size);
	return flow_compare(opt, sides, ARRAY_SIZE(sides));
}

/**
 * bench_in() - the case rx-SIZE
 * @opt: command line
 * @size: bytes of a packet
 *
 * Return: 0, or -1 after a message.
 */
int bench_in(const struct tap_options *opt, size_t size)
{
	static struct inlet both[2];
	__u8 content[2][MAX_SIZE];
	int i, ret = 0;

	memset(both, 0, sizeof(both));
	for (i = 0; i < 2 && !ret; i++) {
		both[i].content = content[i];
		if (flow_wanted(opt, i ? "new" : "old"))
			ret = inlet_open(&both[i], !i, "10.77.0.2", size);
	}
	if (!ret)
		ret = compare(opt, both, size);
	for (i = 0; i < 2; i++)
		inlet_close(&both[i]);
	return ret;
}
