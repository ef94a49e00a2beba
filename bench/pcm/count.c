// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call does that its instructions do not tell the price of: windows into
 * user memory, speculation barriers, spinlocks.
 *
 * First the functions that the calls run are found out, then the places in them
 * where that is done, then how often one call comes by each. The stream's lock is
 * known by where it lies: inside the stream that the driver is asked about.
 */
#include <stdio.h>

#include "kernel_text.h"
#include "pcm_bench.h"
#include "sites.h"
#include "tracefs.h"

/* A call is counted so often; interrupts only ever add to it. */
#define TRIES 3

static int scan_at(__u64 address)
{
	const struct function *f = function_at(address);

	return f ? sites_scan(f) : 0;
}

static int scan_call(const struct call *call, const char *name, void *ctx)
{
	struct op *op = op_new(call);
	int ret;

	(void)name;
	(void)ctx;
	if (!op)
		return -1;
	/* the first call may run what later ones do not */
	ret = op_begin(op) || op_once(op) || trace_functions_of(op_once, op, scan_at) ? -1 : 0;
	op_free(op);
	return ret;
}

static int scan(char **patterns)
{
	int ret;

	if (sites_scan_helpers())
		return -1;
	ret = trace_functions_begin() ? -1 : calls_wanted(patterns, scan_call, NULL);
	trace_functions_end();
	return ret;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int count_sites(struct op *op, struct sites_run *run)
{
	struct sites_run again;
	int i;

	if (sites_count(op_once, op, run))
		return -1;
	for (i = 1; i < TRIES; i++) {
		if (sites_count(op_once, op, &again))
			return -1;
		run->windows = least(run->windows, again.windows);
		run->barriers = least(run->barriers, again.barriers);
	}
	return 0;
}

static int count_locks(struct op *op, struct locks *locks)
{
	struct locks again;
	int i;

	if (trace_locks_of(op_once, op, locks))
		return -1;
	for (i = 1; i < TRIES; i++) {
		if (trace_locks_of(op_once, op, &again))
			return -1;
		locks->all = least(locks->all, again.all);
		locks->stream = least(locks->stream, again.stream);
	}
	return 0;
}

static void row(const struct pcm_options *opt, const char *what, const char *name, int count)
{
	printf("pcm\t%s-%s\t%s\tcount\t%s\t%d\n", what, name,
	       opt->plan.clock == BENCH_ICOUNT ? "icount" : "wall", opt->side, count);
}

static int count_call_sites(const struct call *call, const char *name, void *ctx)
{
	const struct pcm_options *opt = ctx;
	struct op *op = op_new(call);
	struct sites_run run;
	int ret;

	if (!op)
		return -1;
	ret = op_begin(op) || op_once(op) || count_sites(op, &run) ? -1 : 0;
	if (!ret) {
		row(opt, "windows", name, run.windows);
		row(opt, "barriers", name, run.barriers);
	}
	op_free(op);
	return ret;
}

static int count_call_locks(const struct call *call, const char *name, void *ctx)
{
	const struct pcm_options *opt = ctx;
	struct op *op = op_new(call);
	struct locks locks;
	int ret;

	if (!op)
		return -1;
	ret = op_begin(op) || op_once(op) || trace_stream_is(op_position, op) ||
	      count_locks(op, &locks) ? -1 : 0;
	if (!ret) {
		row(opt, "rounds", name, locks.stream);
		row(opt, "locks", name, locks.all);
	}
	op_free(op);
	return ret;
}

/**
 * bench_count() - windows, barriers and locks of the calls
 * @opt: command line, with the side that this module is
 * @patterns: which calls
 *
 * Return: 0, or -1 after a message.
 */
int bench_count(const struct pcm_options *opt, char **patterns)
{
	int ret;

	if (kernel_text_open())
		return -1;
	ret = scan(patterns) || calls_wanted(patterns, count_call_sites, (void *)opt) ? -1 : 0;
	if (!ret) {
		ret = trace_locks_begin() ? -1 :
		      calls_wanted(patterns, count_call_locks, (void *)opt);
		trace_locks_end();
	}
	sites_forget();
	kernel_text_close();
	return ret;
}
