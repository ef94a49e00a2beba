// SPDX-License-Identifier: GPL-2.0-only
/* The pcm benchmark's command line; bench/pcm/guest calls it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcm_bench.h"

static void help(FILE *out)
{
	fprintf(out,
		"usage: pcm-bench [OPTIONS] calls [CASE...] | count [CASE...] | play\n"
		"\n"
		"Print sample rows of the PCM module that is loaded: path case clock unit side\n"
		"value. CASE may have wildcards; without one, all that this kernel takes.\n"
		"  calls      what a call costs, beside a refused one (floor)\n"
		"  count      user-access windows, speculation barriers, rounds of the stream's\n"
		"             lock in one call\n"
		"  play       a player: what its SYNC_PTR calls have of its CPU time\n"
		"  -c CLOCK   wall (default) or icount\n"
		"  -r N       rounds reported (10)\n"
		"  -w N       rounds before them that are not (1)\n"
		"  -n N       calls a round (1000)\n"
		"  -s SIDE    what the loaded module is: old or new (old)\n"
		"  -t N       seconds that the player plays (3)\n");
}

static long to_long(const char *text)
{
	return bench_number(TOOL, text);
}

static void option(struct pcm_options *opt, int c)
{
	if (bench_plan_option(&opt->plan, TOOL, c, optarg))
		return;
	switch (c) {
	case 'n':
		opt->ops = to_long(optarg);
		return;
	case 's':
		opt->side = optarg;
		return;
	case 't':
		opt->seconds = to_long(optarg);
		return;
	case 'h':
		help(stdout);
		exit(0);
	default:
		help(stderr);
		exit(2);
	}
}

static int dispatch(const struct pcm_options *opt, int argc, char **argv)
{
	if (argc >= 1 && !strcmp(argv[0], "calls"))
		return bench_calls(opt, argv + 1);
	if (argc >= 1 && !strcmp(argv[0], "count"))
		return bench_count(opt, argv + 1);
	if (argc == 1 && !strcmp(argv[0], "play"))
		return bench_play(opt);
	help(stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct pcm_options opt = {
		.plan = { .path = "pcm", .warmup = 1, .rounds = 10 },
		.ops = 1000, .side = "old", .seconds = 3,
	};
	int c;

	while ((c = getopt(argc, argv, "c:r:w:n:s:t:h")) != -1)
		option(&opt, c);
	if (bench_clock_check(opt.plan.clock))
		return 1;
	return dispatch(&opt, argc - optind, argv + optind) ? 1 : 0;
}
