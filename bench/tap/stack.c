// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ordinary traffic, without AF_XDP: datagrams that a socket sends through a TAP
 * device, read from its descriptor, and datagrams written to the descriptor,
 * received by the socket. One tun module is measured a time; its caller says
 * which side that is.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap_bench.h"

#define HERE "10.77.0.1"
#define THERE "10.77.0.2"
#define PORT 5077

/* Short packets, so that the copy hides as little as can be. */
#define SIZE 64

struct stack {
	struct tap tap;
	int socket;
	struct sockaddr_in peer;
	__u8 packet[SIZE];
	struct bench_part parts[2];
};

static int one_out(struct stack *s)
{
	__u8 packet[MAX_SIZE];
	ssize_t n;

	if (sendto(s->socket, s->packet + HEADERS, SIZE - HEADERS, 0,
		   (struct sockaddr *)&s->peer, sizeof(s->peer)) < 0)
		return tap_complain("sending a datagram");
	n = read(s->tap.fd, packet, sizeof(packet));
	if (n == SIZE)
		return 0;
	if (n < 0)
		return tap_complain("reading from a TAP device");
	fprintf(stderr, "tap-bench: read %zd bytes instead of %d\n", n, SIZE);
	return -1;
}

static int one_in(struct stack *s)
{
	__u8 payload[MAX_SIZE];
	ssize_t n;

	if (write(s->tap.fd, s->packet, SIZE) != SIZE)
		return tap_complain("writing to a TAP device");
	n = recv(s->socket, payload, sizeof(payload), MSG_DONTWAIT);
	if (n == SIZE - HEADERS)
		return 0;
	if (n < 0)
		return tap_complain("receiving a datagram");
	fprintf(stderr, "tap-bench: received %zd bytes instead of %d\n", n, SIZE - HEADERS);
	return -1;
}

static int run(void *ctx, long n)
{
	struct stack *s = ctx;
	long long start, half;
	long burst, i;

	for (; n > 0; n -= burst) {
		burst = n < FLIGHT ? n : FLIGHT;
		start = bench_now();
		for (i = 0; i < burst; i++)
			if (one_out(s))
				return -1;
		half = bench_now();
		for (i = 0; i < burst; i++)
			if (one_in(s))
				return -1;
		s->parts[0].spent += half - start;
		s->parts[1].spent += bench_now() - half;
	}
	return 0;
}

static int open_socket(struct stack *s)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
	};

	s->peer = here;
	inet_pton(AF_INET, HERE, &here.sin_addr);
	inet_pton(AF_INET, THERE, &s->peer.sin_addr);
	s->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->socket < 0)
		return tap_complain("socket");
	if (bind(s->socket, (struct sockaddr *)&here, sizeof(here)))
		return tap_complain("bind");
	return 0;
}

/**
 * bench_stack() - the case stack
 * @opt: command line, with the side that this module is
 *
 * Return: 0, or -1 after a message.
 */
int bench_stack(const struct tap_options *opt)
{
	struct stack s = { .socket = -1, .parts = { { .name = "out" }, { .name = "in" } } };
	struct bench_side side = {
		.name = "stack", .side = opt->side, .ops = opt->ops, .run = run, .ctx = &s,
		.parts = s.parts, .part_count = ARRAY_SIZE(s.parts),
	};
	int ret = -1;

	if (tap_become_realtime() || tap_open(&s.tap, "bench-stack", 0))
		return -1;
	tap_packet(s.packet, SIZE, s.tap.mac, THERE, HERE, PORT);
	if (!tap_set_address(&s.tap, HERE) && !open_socket(&s)) {
		tap_drain(&s.tap);
		ret = bench_interleave(&opt->plan, &side, 1);
	}
	if (s.socket >= 0)
		close(s.socket);
	tap_close(&s.tap);
	return ret;
}
