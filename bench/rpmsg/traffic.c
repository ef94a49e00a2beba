// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the remote's echo service and back, on a legacy node and on an
 * endpoint descriptor, both open at once.
 *
 * roundtrip: one message in flight, the time until it is back.
 * stream: a window of messages written, then read; messages a second.
 *
 * The driver runs these as a real-time process.  Otherwise the scheduler now
 * and then has the remote's worker take the CPU in the middle of a write; how
 * often, differs from side to side and from kernel to kernel by chance, and
 * outweighs what the paths themselves differ by.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ept_bench.h"

/* Fewer than the buffers of a vring and than an endpoint's queue may hold. */
#define WINDOW 32
#define MAX_SIZE 496

struct traffic {
	int fd;
	size_t size;
	unsigned char out[MAX_SIZE];
	unsigned char in[MAX_SIZE];
};

static int send_one(struct traffic *t)
{
	ssize_t n = write(t->fd, t->out, t->size);

	if (n == (ssize_t)t->size)
		return 0;
	if (n < 0)
		return ept_complain("write");
	fprintf(stderr, "ept-bench: wrote %zd of %zu bytes\n", n, t->size);
	return -1;
}

static int receive_one(struct traffic *t)
{
	ssize_t n = read(t->fd, t->in, sizeof(t->in));

	if (n == (ssize_t)t->size)
		return 0;
	if (n < 0)
		return ept_complain("read");
	fprintf(stderr, "ept-bench: the echo of %zu bytes has %zd\n", t->size, n);
	return -1;
}

static int roundtrip(void *ctx, long n)
{
	while (n--)
		if (send_one(ctx) || receive_one(ctx))
			return -1;
	return 0;
}

static int stream(void *ctx, long n)
{
	long burst, i;

	for (; n; n -= burst) {
		burst = n < WINDOW ? n : WINDOW;
		for (i = 0; i < burst; i++)
			if (send_one(ctx))
				return -1;
		for (i = 0; i < burst; i++)
			if (receive_one(ctx))
				return -1;
	}
	return 0;
}

/* Before anything is timed: what comes back is what went out. */
static int prove_echo(struct traffic *t)
{
	size_t i;

	for (i = 0; i < t->size; i++)
		t->out[i] = i * 7 + t->fd;
	memset(t->in, 0, sizeof(t->in));
	if (roundtrip(t, 1))
		return -1;
	if (memcmp(t->in, t->out, t->size) == 0)
		return 0;
	fprintf(stderr, "ept-bench: the echo came back altered\n");
	return -1;
}

static int become_realtime(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return ept_complain("sched_setscheduler");
	return 0;
}

static int compare(const struct ept_options *opt, const char *name, bool per_second,
		   int (*run)(void *ctx, long n), struct traffic *both)
{
	struct bench_side sides[] = {
		{ .name = name, .side = "old", .ops = opt->ops,
		  .per_second = per_second, .run = run, .ctx = &both[0] },
		{ .name = name, .side = "new", .ops = opt->ops,
		  .per_second = per_second, .run = run, .ctx = &both[1] },
	};

	if (become_realtime() || prove_echo(&both[0]) || prove_echo(&both[1]))
		return -1;
	return bench_interleave(&opt->plan, sides, ARRAY_SIZE(sides));
}

static int with_endpoints(const struct ept_options *opt, const char *kind,
			  size_t size, bool per_second,
			  int (*run)(void *ctx, long n))
{
	struct traffic both[2] = { { .size = size }, { .size = size } };
	char name[32];
	int ctrl, ret = -1;

	if (size < 1 || size > MAX_SIZE) {
		fprintf(stderr, "ept-bench: a message has 1 to %d bytes\n", MAX_SIZE);
		return -1;
	}
	snprintf(name, sizeof(name), "%s-%zu", kind, size);
	ctrl = ept_open_ctrl(opt);
	if (ctrl < 0)
		return -1;
	both[0].fd = ept_create_legacy(ctrl, opt->node, opt->dst);
	both[1].fd = both[0].fd < 0 ? -1 : ept_create_fd(ctrl, opt->dst);
	if (both[1].fd >= 0)
		ret = compare(opt, name, per_second, run, both);
	if (both[0].fd >= 0 && ept_destroy(both[0].fd))
		ret = -1;
	if (both[1].fd >= 0 && ept_destroy(both[1].fd))
		ret = -1;
	close(ctrl);
	return ret;
}

/**
 * bench_roundtrip() - time of one message there and back
 * @opt: command line
 * @size: bytes of payload
 *
 * Return: 0, or -1 after a message.
 */
int bench_roundtrip(const struct ept_options *opt, size_t size)
{
	return with_endpoints(opt, "roundtrip", size, false, roundtrip);
}

/**
 * bench_stream() - messages a second, there and back
 * @opt: command line
 * @size: bytes of payload
 *
 * Return: 0, or -1 after a message.
 */
int bench_stream(const struct ept_options *opt, size_t size)
{
	return with_endpoints(opt, "stream", size, true, stream);
}
