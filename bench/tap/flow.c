// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets from a producer to a consumer.
 *
 * By the wall's clock the producer is a thread with a CPU of its own that never
 * pauses, and what counts is how many packets the consumer, on the other CPU,
 * gets a second; what the producer hands over in vain is nobody's gain.
 *
 * By the counted clock, with one CPU, they take turns in one thread: so many
 * packets are produced, then all of them consumed, and each side's instructions
 * are counted for themselves.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap_bench.h"

#define PRODUCER_CPU 0
#define CONSUMER_CPU 1

/*
 * Time without a packet, after which one is taken for lost: a thread that shall
 * carry them may have to wait for its share of the CPU.
 */
#define PATIENCE_NS 200000000LL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct flow *running;
static bool parked;

static struct flow *next_flow(void)
{
	struct flow *f;

	pthread_mutex_lock(&lock);
	while (!running) {
		parked = true;
		pthread_cond_broadcast(&changed);
		pthread_cond_wait(&changed, &lock);
	}
	parked = false;
	f = running;
	pthread_mutex_unlock(&lock);
	return f;
}

static void *producer(void *unused)
{
	struct flow *f;

	(void)unused;
	tap_pin(PRODUCER_CPU);
	for (;;) {
		f = next_flow();
		while (__atomic_load_n(&running, __ATOMIC_RELAXED) == f)
			if (f->produce(f, BURST) < 0)
				exit(1);
	}
	return NULL;
}

/* Set what the producer works at; with NULL wait until it rests. */
static void set_running(struct flow *f)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&running, f, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&changed);
	while (!f && !parked)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static int wall_begin(void *ctx)
{
	set_running(ctx);
	return 0;
}

static void wall_end(void *ctx)
{
	struct flow *f = ctx;

	set_running(NULL);
	f->reset(f);
}

static int wall_run(void *ctx, long n)
{
	struct flow *f = ctx;
	int got;

	while (n > 0) {
		got = f->consume(f, n < BURST ? n : BURST, true);
		if (got < 0)
			return -1;
		n -= got;
	}
	return 0;
}

static int produce_all(struct flow *f, int n)
{
	int sent = 0, ret;

	while (sent < n) {
		ret = f->produce(f, n - sent < BURST ? n - sent : BURST);
		if (ret < 0)
			return -1;
		if (!ret)
			break;
		sent += ret;
	}
	return sent;
}

static int consume_all(struct flow *f, int n)
{
	long long idle_since = 0;
	int got = 0, ret;

	while (got < n) {
		ret = f->consume(f, n - got < BURST ? n - got : BURST, false);
		if (ret < 0)
			return -1;
		got += ret;
		if (ret) {
			idle_since = 0;
			continue;
		}
		/* What the producer was told to ask for again. */
		if (f->produce(f, 0) < 0)
			return -1;
		if (!idle_since)
			idle_since = bench_now();
		if (bench_now() - idle_since > PATIENCE_NS) {
			fprintf(stderr, "tap-bench: of %d packets that were sent %d came\n",
				n, got);
			return -1;
		}
	}
	return 0;
}

static int turns_run(void *ctx, long n)
{
	struct flow *f = ctx;
	long long start, handed_over;
	int sent;

	while (n > 0) {
		start = bench_now();
		sent = produce_all(f, n < FLIGHT ? n : FLIGHT);
		if (sent < 0)
			return -1;
		if (!sent) {
			fprintf(stderr, "tap-bench: no packet can be sent any more\n");
			return -1;
		}
		handed_over = bench_now();
		if (consume_all(f, sent))
			return -1;
		f->parts[0].spent += handed_over - start;
		f->parts[1].spent += bench_now() - handed_over;
		n -= sent;
	}
	return 0;
}

/**
 * flow_wanted() - whether a side is to be measured
 * @opt: command line
 * @side: its name
 *
 * Return: so it is.
 */
bool flow_wanted(const struct tap_options *opt, const char *side)
{
	return !opt->side || !strcmp(opt->side, side);
}

static int start_producer(void)
{
	static bool started;
	pthread_t thread;

	if (started)
		return 0;
	started = true;
	tap_pin(CONSUMER_CPU);
	if (!pthread_create(&thread, NULL, producer, NULL))
		return 0;
	fprintf(stderr, "tap-bench: no thread for the producer\n");
	return -1;
}

/**
 * flow_compare() - measure flows against each other
 * @opt: command line
 * @sides: name, side, also and ctx, which is a struct flow; those that are not
 *	   wanted are left out
 * @count: how many
 *
 * Return: 0, or -1 after a message.
 */
int flow_compare(const struct tap_options *opt, struct bench_side *sides, size_t count)
{
	bool turns = opt->plan.clock == BENCH_ICOUNT, yields = false;
	size_t i, wanted = 0;
	struct flow *f;

	for (i = 0; i < count; i++) {
		if (!flow_wanted(opt, sides[i].side))
			continue;
		f = sides[i].ctx;
		sides[i].ops = opt->ops;
		sides[i].per_second = true;
		sides[i].run = turns ? turns_run : wall_run;
		sides[i].begin = turns ? NULL : wall_begin;
		sides[i].end = turns ? NULL : wall_end;
		yields |= f->yields;
		f->parts[0].name = "producer";
		f->parts[1].name = "consumer";
		if (turns && !f->yields && strncmp(sides[i].name, "alt-", 4)) {
			sides[i].parts = f->parts;
			sides[i].part_count = ARRAY_SIZE(f->parts);
		}
		sides[wanted++] = sides[i];
	}
	if (turns && !yields && tap_become_realtime())
		return -1;
	if (!turns && start_producer())
		return -1;
	return bench_interleave(&opt->plan, sides, wanted);
}
