// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call costs, by either clock. The module that is loaded is one side; its
 * caller says which. The floor is measured in turns with the old
 * side alone: it is what a stock kernel refuses a call for.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "pcm_bench.h"

#define NAME_SIZE 64

static bool wanted(const char *name, char **patterns)
{
	if (!*patterns)
		return true;
	while (*patterns)
		if (!fnmatch(*patterns++, name, 0))
			return true;
	return false;
}

/**
 * calls_wanted() - which calls the command line means, and this kernel takes
 * @patterns: names, with wildcards; none means all
 * @each: called for every one, until it returns something else than 0
 * @ctx: for @each
 *
 * Return: 0, or what @each returned.
 */
int calls_wanted(char **patterns,
		 int (*each)(const struct call *call, const char *name, void *ctx), void *ctx)
{
	char name[NAME_SIZE];
	size_t i;
	int ret;

	for (i = 0; i < call_count; i++) {
		op_name(&calls[i], name, sizeof(name));
		if (!wanted(name, patterns) || !layout_is_there(calls[i].layout))
			continue;
		ret = each(&calls[i], name, ctx);
		if (ret)
			return ret;
	}
	return 0;
}

static int measure(const struct call *call, const char *name, void *ctx)
{
	const struct pcm_options *opt = ctx;
	struct op *op = op_new(call);
	/* a burst is not left half done */
	long ops = call->burst ? opt->ops / call->burst * call->burst + call->burst : opt->ops;
	struct bench_side sides[] = {
		{ .name = name, .side = opt->side, .ops = ops, .run = op_run,
		  .begin = op_begin, .ctx = op },
		{ .name = name, .side = "floor", .ops = ops, .run = op_refused,
		  .begin = op_begin, .ctx = op },
	};
	int ret;

	if (!op)
		return -1;
	ret = bench_interleave(&opt->plan, sides, strcmp(opt->side, "old") ? 1 : 2);
	op_free(op);
	return ret;
}

/**
 * bench_calls() - the calls
 * @opt: command line, with the side that this module is
 * @patterns: which ones
 *
 * Return: 0, or -1 after a message.
 */
int bench_calls(const struct pcm_options *opt, char **patterns)
{
	return calls_wanted(patterns, measure, (void *)opt);
}
