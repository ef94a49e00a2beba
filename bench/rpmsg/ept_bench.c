// SPDX-License-Identifier: GPL-2.0-only
/* The rpmsg benchmark's command line; bench/rpmsg/guest calls it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ept_bench.h"

#define TOOL "ept-bench"

static void help(FILE *out)
{
	fprintf(out,
		"usage: ept-bench [OPTIONS] floor CASE | create | roundtrip SIZE... | stream SIZE...\n"
		"\n"
		"Print sample rows: path case clock unit side value.\n"
		"  -c CLOCK   wall (default) or icount\n"
		"  -r N       rounds reported (10)\n"
		"  -w N       rounds before them that are not (1)\n"
		"  -n N       operations a round (1000)\n"
		"  -d ADDR    address of the remote's echo service (1024)\n"
		"  -C PATH    control device (/dev/rpmsg_ctrl0)\n"
		"  -N PATH    the next legacy node (/dev/rpmsg0)\n");
}

static long to_long(const char *text)
{
	return bench_number(TOOL, text);
}

static void option(struct ept_options *opt, int c)
{
	if (bench_plan_option(&opt->plan, TOOL, c, optarg))
		return;
	switch (c) {
	case 'n':
		opt->ops = to_long(optarg);
		return;
	case 'd':
		opt->dst = to_long(optarg);
		return;
	case 'C':
		opt->ctrl = optarg;
		return;
	case 'N':
		opt->node = optarg;
		return;
	case 'h':
		help(stdout);
		exit(0);
	default:
		help(stderr);
		exit(2);
	}
}

static int sizes(const struct ept_options *opt, char **argv,
		 int (*bench)(const struct ept_options *opt, size_t size))
{
	while (*argv)
		if (bench(opt, to_long(*argv++)))
			return -1;
	return 0;
}

static int dispatch(const struct ept_options *opt, int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[0], "floor"))
		return bench_floor(opt, argv[1]);
	if (argc == 1 && !strcmp(argv[0], "create"))
		return bench_create(opt);
	if (argc >= 2 && !strcmp(argv[0], "roundtrip"))
		return sizes(opt, argv + 1, bench_roundtrip);
	if (argc >= 2 && !strcmp(argv[0], "stream"))
		return sizes(opt, argv + 1, bench_stream);
	help(stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct ept_options opt = {
		.plan = { .path = "rpmsg", .warmup = 1, .rounds = 10 },
		.ops = 1000, .dst = 1024,
		.ctrl = "/dev/rpmsg_ctrl0", .node = "/dev/rpmsg0",
	};
	int c;

	while ((c = getopt(argc, argv, "c:r:w:n:d:C:N:h")) != -1)
		option(&opt, c);
	if (bench_clock_check(opt.plan.clock))
		return 1;
	return dispatch(&opt, argc - optind, argv + optind) ? 1 : 0;
}
