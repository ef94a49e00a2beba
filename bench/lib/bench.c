// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measuring two or more ways of doing the same thing, turn by turn.
 *
 * Rounds go A B C A B C, so that whatever drifts (a neighbour on the host, the
 * translator's cache, the clock of the processor) falls on all sides alike.
 * The clock is read once before and once after a round, never inside it: under
 * the counted clock its own instructions would otherwise be part of the figure.
 *
 * What an operation leaves for later (RCU callbacks, delayed frees) is done
 * during those that follow.  Every turn therefore begins with operations that
 * are not timed: they leave as much as the last ones will.  Before them is a
 * pause of a few grace periods, for what the side before has left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* Of a turn's operations, one in so many comes first and is not timed. */
#define LEAD 4

#define PAUSE_US 40000

static const char * const clock_names[] = {
	[BENCH_WALL] = "wall",
	[BENCH_ICOUNT] = "icount",
};

/**
 * bench_now() - the clock
 *
 * Return: nanoseconds, which by the counted clock are instructions.
 */
long long bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/**
 * bench_clock_parse() - the clock of a name
 * @text: "wall" or "icount"
 * @clock: where it is stored
 *
 * Return: 0, or -1 if there is no such clock.
 */
int bench_clock_parse(const char *text, enum bench_clock *clock)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(clock_names); i++) {
		if (strcmp(text, clock_names[i]) == 0) {
			*clock = i;
			return 0;
		}
	}
	return -1;
}

/* Exactly two instructions a turn, so that they can be counted. */
static int count_down(long turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
	return 0;
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r" (turns) : : "cc");
	return 0;
#else
	(void)turns;
	return -1;
#endif
}

/**
 * bench_clock_check() - refuse to call something instructions that is time
 * @clock: the clock as the caller was told
 *
 * The guest cannot ask its machine whether the clock is counted; it can run a
 * known number of instructions and look.  Interrupts and other processes only
 * ever add to it, so the least of some tries counts.
 *
 * Return: 0 if the clock is what it is said to be, -1 after a message if not.
 */
int bench_clock_check(enum bench_clock clock)
{
	const long turns = 1000000;
	long long start, spent, least = -1;
	int tries;

	if (clock != BENCH_ICOUNT)
		return 0;
	for (tries = 0; tries < 10; tries++) {
		start = bench_now();
		if (count_down(turns)) {
			fprintf(stderr, "bench: the counted clock is not checked on this CPU\n");
			return 0;
		}
		spent = bench_now() - start;
		if (least < 0 || spent < least)
			least = spent;
	}
	if (least >= 2 * turns && least <= 2 * turns + turns / 100)
		return 0;
	fprintf(stderr, "bench: not a counted clock: %ld instructions took %lld (no -icount?)\n",
		2 * turns, least);
	return -1;
}

/* NAME, or NAME-PART. */
static void row(const struct bench_plan *plan, const struct bench_side *side,
		const char *name, const char *part, long long spent)
{
	const char *unit = plan->clock == BENCH_ICOUNT ? "insn" : "ns";
	double value = (double)spent / side->ops;

	if (plan->clock == BENCH_WALL && side->per_second) {
		unit = "pps";
		value = 1e9 / value;
	}
	printf("%s\t%s%s%s\t%s\t%s\t%s\t%.1f\n", plan->path, name,
	       part ? "-" : "", part ? part : "", clock_names[plan->clock],
	       unit, side->side, value);
}

static void report(const struct bench_plan *plan, const struct bench_side *side,
		   long long spent)
{
	const char *const *also;
	size_t i;

	row(plan, side, side->name, NULL, spent);
	for (i = 0; i < side->part_count; i++)
		row(plan, side, side->name, side->parts[i].name,
		    side->parts[i].spent);
	for (also = side->also; also && *also; also++)
		row(plan, side, *also, NULL, spent);
}

static int run_timed(const struct bench_side *side, long long *spent)
{
	long long start;
	size_t i;

	if (side->run(side->ctx, side->ops / LEAD + 1))
		return -1;
	for (i = 0; i < side->part_count; i++)
		side->parts[i].spent = 0;
	start = bench_now();
	if (side->run(side->ctx, side->ops))
		return -1;
	*spent = bench_now() - start;
	return 0;
}

static int turn(const struct bench_plan *plan, const struct bench_side *side,
		bool reported)
{
	long long spent = 0;
	int ret;

	usleep(PAUSE_US);
	ret = side->begin ? side->begin(side->ctx) : 0;
	if (!ret)
		ret = run_timed(side, &spent);
	if (side->end)
		side->end(side->ctx);
	if (!ret && reported)
		report(plan, side, spent);
	return ret;
}

/**
 * bench_interleave() - run all sides turn by turn and print their samples
 * @plan: clock and rounds
 * @sides: the sides, in the order of their turns
 * @count: how many
 *
 * Return: 0, or -1 if a side failed.
 */
int bench_interleave(const struct bench_plan *plan,
		     const struct bench_side *sides, size_t count)
{
	size_t i;
	int r;

	for (r = 0; r < plan->warmup + plan->rounds; r++)
		for (i = 0; i < count; i++)
			if (turn(plan, &sides[i], r >= plan->warmup))
				return -1;
	return fflush(stdout) ? -1 : 0;
}

/**
 * bench_number() - a number from the command line
 * @tool: the program's name, for the message
 * @text: what was given
 *
 * Return: the number, not negative; ends the program with 2 when it is none.
 */
long bench_number(const char *tool, const char *text)
{
	char *end;
	long value = strtol(text, &end, 0);

	if (*text && !*end && value >= 0)
		return value;
	fprintf(stderr, "%s: %s: not a number\n", tool, text);
	exit(2);
}

/**
 * bench_plan_option() - the options that every benchmark has: -c, -r, -w
 * @plan: where they go
 * @tool: the program's name, for messages
 * @c: the option
 * @value: what was given with it
 *
 * Return: false when it is another option; ends the program with 2 when the
 * value is wrong.
 */
bool bench_plan_option(struct bench_plan *plan, const char *tool, int c,
		       const char *value)
{
	switch (c) {
	case 'c':
		if (!bench_clock_parse(value, &plan->clock))
			return true;
		fprintf(stderr, "%s: %s: no such clock\n", tool, value);
		exit(2);
	case 'r':
		plan->rounds = bench_number(tool, value);
		return true;
	case 'w':
		plan->warmup = bench_number(tool, value);
		return true;
	default:
		return false;
	}
}
