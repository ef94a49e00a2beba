// SPDX-License-Identifier: GPL-2.0-only
/* The tap benchmark's command line; bench/tap/guest calls it. */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap_bench.h"

#define TOOL "tap-bench"

static void help(FILE *out)
{
	fprintf(out,
		"usage: tap-bench [OPTIONS] read|rx|vhost SIZE... | stack\n"
		"\n"
		"Print sample rows: path case clock unit side value.\n"
		"  read       AF_XDP and other ways of sending to a TAP device, read()\n"
		"  rx         write() to a TAP device, AF_XDP receives\n"
		"  vhost      AF_XDP sends, vhost_net fills a virtqueue\n"
		"  stack      a UDP socket and the device, both ways; needs -s\n"
		"  -c CLOCK   wall (default) or icount\n"
		"  -r N       rounds reported (10)\n"
		"  -w N       rounds before them that are not (1)\n"
		"  -n N       packets a round (10000)\n"
		"  -s SIDE    measure nothing but this side: old or new\n");
}

/**
 * tap_complain() - say what failed, and why
 * @what: what was tried; errno says the rest
 *
 * Return: -1.
 */
int tap_complain(const char *what)
{
	fprintf(stderr, "tap-bench: %s: %s\n", what, strerror(errno));
	return -1;
}

/**
 * tap_pin() - let the calling thread run on one CPU alone, if there is such a one
 * @cpu: its number
 */
void tap_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/**
 * tap_become_realtime() - let nothing else run in between
 *
 * Return: 0, or -1 after a message.
 */
int tap_become_realtime(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return tap_complain("sched_setscheduler");
	return 0;
}

static long to_long(const char *text)
{
	return bench_number(TOOL, text);
}

static void set_side(struct tap_options *opt, const char *name)
{
	opt->side = name;
	if (!strcmp(name, "old") || !strcmp(name, "new"))
		return;
	fprintf(stderr, "tap-bench: %s: no such side\n", name);
	exit(2);
}

static void option(struct tap_options *opt, int c)
{
	if (bench_plan_option(&opt->plan, TOOL, c, optarg))
		return;
	switch (c) {
	case 'n':
		opt->ops = to_long(optarg);
		return;
	case 's':
		set_side(opt, optarg);
		return;
	case 'h':
		help(stdout);
		exit(0);
	default:
		help(stderr);
		exit(2);
	}
}

static int sizes(const struct tap_options *opt, char **argv,
		 int (*bench)(const struct tap_options *opt, size_t size))
{
	long size;

	while (*argv) {
		size = to_long(*argv++);
		if (size < MIN_SIZE || size > MAX_SIZE) {
			fprintf(stderr, "tap-bench: a packet has %d to %d bytes\n",
				MIN_SIZE, MAX_SIZE);
			return -1;
		}
		if (bench(opt, size))
			return -1;
	}
	return 0;
}

static int dispatch(const struct tap_options *opt, int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[0], "read"))
		return sizes(opt, argv + 1, bench_out);
	if (argc >= 2 && !strcmp(argv[0], "rx"))
		return sizes(opt, argv + 1, bench_in);
	if (argc >= 2 && !strcmp(argv[0], "vhost"))
		return sizes(opt, argv + 1, bench_vhost);
	if (argc == 1 && !strcmp(argv[0], "stack") && opt->side)
		return bench_stack(opt);
	help(stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct tap_options opt = {
		.plan = { .path = "tap", .warmup = 1, .rounds = 10 },
		.ops = 10000,
	};
	int c;

	while ((c = getopt(argc, argv, "c:r:w:n:s:h")) != -1)
		option(&opt, c);
	if (bench_clock_check(opt.plan.clock))
		return 1;
	return dispatch(&opt, argc - optind, argv + optind) ? 1 : 0;
}
