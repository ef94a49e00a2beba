/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measuring two or more ways of doing the same thing, turn by turn.
 *
 * A sample row is one line: path case clock unit side value, with tabs
 * between; bench/summarise makes the results of them.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

enum bench_clock {
	BENCH_WALL,	/* CLOCK_MONOTONIC is time */
	BENCH_ICOUNT,	/* one nanosecond of it is one instruction */
};

/**
 * struct bench_part - a piece of the operation, with a row of its own
 * @name: the row is called CASE-NAME
 * @spent: @run adds to it the time the piece took, by bench_now()
 */
struct bench_part {
	const char *name;
	long long spent;
};

/**
 * struct bench_side - one way of doing a case's operation
 * @name: the case's name
 * @also: other cases of which this is a side too, the last one NULL; or NULL
 * @side: "old", "new" or "floor"
 * @ops: operations timed in one round
 * @per_second: report operations a second instead of the time of one
 *		(by the wall clock; instructions are always those of one)
 * @run: do the operation @n times; 0, or -1 after saying what went wrong
 * @ctx: for @run, @begin and @end
 * @begin: called before a turn, or NULL; 0, or -1 after saying what went wrong
 * @end: called after it, also after one that failed, or NULL
 * @parts: pieces that @run measures itself, or NULL
 * @part_count: how many
 */
struct bench_side {
	const char *name;
	const char *const *also;
	const char *side;
	long ops;
	bool per_second;
	int (*run)(void *ctx, long n);
	void *ctx;
	int (*begin)(void *ctx);
	void (*end)(void *ctx);
	struct bench_part *parts;
	size_t part_count;
};

/**
 * struct bench_plan - how a set of sides is measured
 * @path: the path's name, the first column of every row
 * @clock: what the clock counts
 * @warmup: rounds that are run and not reported, so that nothing is new any more
 * @rounds: rounds that are
 */
struct bench_plan {
	const char *path;
	enum bench_clock clock;
	int warmup;
	int rounds;
};

long long bench_now(void);
int bench_clock_parse(const char *text, enum bench_clock *clock);
int bench_clock_check(enum bench_clock clock);
long bench_number(const char *tool, const char *text);
bool bench_plan_option(struct bench_plan *plan, const char *tool, int c,
		       const char *value);
int bench_interleave(const struct bench_plan *plan,
		     const struct bench_side *sides, size_t count);

#endif
