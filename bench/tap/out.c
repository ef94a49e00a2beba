// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that programs send to a TAP device, read() from its descriptor: sent
 * by AF_XDP with and without a copy, and in the ways that there are besides.
 * Each has a device of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "packet_socket.h"
#include "tap_bench.h"

#define BRIDGE "bench-br"

enum way { COPY, ZEROCOPY, SENDMMSG, TXRING, BRIDGED, WAYS };

/* Where the packets of a way enter, and where they are read. */
struct outlet {
	struct tap tap;
	struct tap other;	/* BRIDGED: the device that is written to */
	struct xsk xsk;
	struct packet_socket packet;
	const __u8 *content;
	struct flow flow;
};

static int xsk_produce(struct flow *f, unsigned int n)
{
	struct outlet *o = f->ctx;

	return xsk_send(&o->xsk, f->size, n);
}

static int sendmmsg_produce(struct flow *f, unsigned int n)
{
	struct outlet *o = f->ctx;

	return packet_send(&o->packet, n);
}

static int txring_produce(struct flow *f, unsigned int n)
{
	struct outlet *o = f->ctx;

	return packet_ring_send(&o->packet, n);
}

static int bridge_produce(struct flow *f, unsigned int n)
{
	struct outlet *o = f->ctx;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (write(o->other.fd, o->content, f->size) != (ssize_t)f->size)
			return tap_complain("writing to a TAP device");
	return n;
}

/* Whoever else sends (a bridge asks for multicast groups) is passed over. */
static int read_one(struct outlet *o, __u8 *packet)
{
	ssize_t got;

	do {
		got = read(o->tap.fd, packet, MAX_SIZE);
	} while (got >= 0 && got != (ssize_t)o->flow.size);
	if (got > 0)
		return 1;
	return errno == EAGAIN ? 0 : tap_complain("reading from a TAP device");
}

static int read_consume(struct flow *f, unsigned int n, bool wait)
{
	__u8 packet[MAX_SIZE];
	struct outlet *o = f->ctx;
	unsigned int i;
	int ret;

	(void)wait;	/* the descriptor itself waits or not */
	for (i = 0; i < n; i++) {
		ret = read_one(o, packet);
		if (ret < 0)
			return -1;
		if (!ret)
			break;
	}
	return i;
}

static void read_reset(struct flow *f)
{
	struct outlet *o = f->ctx;

	tap_drain(&o->tap);
}

static int open_producer(struct outlet *o, enum way how)
{
	switch (how) {
	case COPY:
	case ZEROCOPY:
		if (xsk_open(&o->xsk, &o->tap, how == COPY))
			return -1;
		xsk_paint(&o->xsk, o->content, o->flow.size);
		o->flow.produce = xsk_produce;
		return 0;
	case SENDMMSG:
		o->flow.produce = sendmmsg_produce;
		return packet_open(&o->packet, &o->tap, o->content, o->flow.size);
	case TXRING:
		o->flow.produce = txring_produce;
		return packet_ring_open(&o->packet, &o->tap, o->content, o->flow.size);
	default:
		o->flow.produce = bridge_produce;
		if (tap_open(&o->other, "bench-in", 0))
			return -1;
		return tap_bridge(BRIDGE, &o->tap, &o->other);
	}
}

static int outlet_open(struct outlet *o, enum way how, const __u8 *content, size_t size)
{
	static const char * const names[WAYS] = {
		"bench-copy", "bench-zc", "bench-mmsg", "bench-ring", "bench-out",
	};

	o->content = content;
	o->flow.size = size;
	o->flow.ctx = o;
	o->flow.consume = read_consume;
	o->flow.reset = read_reset;
	if (tap_open(&o->tap, names[how], 0))
		return -1;
	return open_producer(o, how);
}

static void outlet_close(struct outlet *o)
{
	if (!o->tap.ifindex)
		return;
	xsk_close(&o->xsk);
	packet_close(&o->packet);
	if (o->other.ifindex) {
		tap_unbridge(BRIDGE);
		tap_close(&o->other);
	}
	tap_close(&o->tap);
}

/* Before anything is timed: what is read is what was sent. */
static int prove(struct outlet *o)
{
	struct pollfd p = { .fd = o->tap.fd, .events = POLLIN };
	__u8 packet[MAX_SIZE];

	tap_drain(&o->tap);
	if (o->flow.produce(&o->flow, 1) < 0)
		return -1;
	if (poll(&p, 1, 5000) != 1) {
		fprintf(stderr, "tap-bench: %s: a packet that was sent did not come\n",
			o->tap.name);
		return -1;
	}
	if (read_one(o, packet) == 1 && !memcmp(packet, o->content, o->flow.size))
		return 0;
	fprintf(stderr, "tap-bench: %s: a packet came altered\n", o->tap.name);
	return -1;
}

static const char *side_of(enum way how)
{
	return how == ZEROCOPY ? "new" : "old";
}

static int open_all(const struct tap_options *opt, struct outlet *outlets,
		    const __u8 *content, size_t size)
{
	enum way how;

	for (how = 0; how < WAYS; how++) {
		if (!flow_wanted(opt, side_of(how)))
			continue;
		if (outlet_open(&outlets[how], how, content, size) || prove(&outlets[how]))
			return -1;
		if (opt->plan.clock == BENCH_ICOUNT)
			fcntl(outlets[how].tap.fd, F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static int compare(const struct tap_options *opt, struct outlet *outlets, size_t size)
{
	static const char * const kinds[WAYS] = {
		"read", "read", "alt-sendmmsg", "alt-txring", "alt-bridge",
	};
	char names[WAYS][32];
	const char *also[WAYS] = { names[SENDMMSG], names[TXRING], names[BRIDGED] };
	struct bench_side sides[WAYS] = {};
	enum way how;

	for (how = 0; how < WAYS; how++) {
		snprintf(names[how], sizeof(names[how]), "%s-%zu", kinds[how], size);
		sides[how].name = names[how];
		sides[how].side = side_of(how);
		sides[how].ctx = &outlets[how].flow;
	}
	sides[ZEROCOPY].also = also;
	return flow_compare(opt, sides, WAYS);
}

/**
 * bench_out() - the cases read-SIZE and alt-*-SIZE
 * @opt: command line
 * @size: bytes of a packet
 *
 * Return: 0, or -1 after a message.
 */
int bench_out(const struct tap_options *opt, size_t size)
{
	static const __u8 nobody[6] = { 0x02, 0, 0, 0, 0, 0x88 };
	static struct outlet outlets[WAYS];
	__u8 content[MAX_SIZE];
	enum way how;
	int ret;

	memset(outlets, 0, sizeof(outlets));
	tap_packet(content, size, nobody, "10.77.0.1", "10.77.0.2", 9);
	ret = open_all(opt, outlets, content, size);
	if (!ret)
		ret = compare(opt, outlets, size);
	for (how = 0; how < WAYS; how++)
		outlet_close(&outlets[how]);
	return ret;
}
