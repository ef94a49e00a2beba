// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our snd-pcm answers as the stock one does: both are driven, in one boot,
 * through the same seeded sequences of calls (pcmplay.h) and after each call the
 * result, every byte of user memory round the argument, what the core keeps of
 * the stream, and what the driver was asked, are the same, except as the table
 * in tests/pcm/differences says.
 *
 * SHORTPATH_CALLS system calls on each (a million unless set), from
 * SHORTPATH_SEED; with SHORTPATH_SEQUENCE only that sequence is played, aloud.
 *
 * Switched off, ours is as the stock one without exception.
 *
 * That the player itself is deterministic, and that a difference is found, is
 * tested first: the stock module against itself, then against a record of it
 * that has been changed.
 */
/* time-limit: 600 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "file.h"
#include "pcmmod.h"
#include "pcmplay.h"
#include "pcmtable.h"
#include "tap.h"

static_assert(sizeof(struct pcm_outcome) % 8 == 0 &&
	      offsetof(struct pcm_outcome, mem) + OUTCOME_MEM == sizeof(struct pcm_outcome),
	      "outcomes are compared whole");

#define RECORDS		600000
#define SEQUENCES	20000
#define STEPS_MOST	256
#define REPORTS		10

static const char *const drivers[] = { "snd-pcm-sim", NULL };

/* What the stock module did: sequence by sequence, its outcomes in a row. */
static struct {
	struct pcm_outcome *outcome;
	size_t n;
	size_t first[SEQUENCES + 1];
	unsigned long from;	/* the first sequence's number */
	size_t sequences;
} record;

static unsigned long differences, allowed;
static bool table_on, aloud, switched_off;

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static void say(const struct pcm_player *pl, const struct pcm_step *s,
		const struct pcm_outcome *o)
{
	char text[512];

	if (!aloud)
		return;
	pcm_step_text(s, text, sizeof(text));
	diag("%lu.%lu %s: %lld, %s appl_ptr 0x%llx hw_ptr 0x%llx, %u acks",
	     pl->sequence, pl->step, text, (long long)o->ret,
	     pcm_state_name(o->state), (unsigned long long)o->appl_ptr,
	     (unsigned long long)o->hw_ptr, o->acks);
}

static bool write_down(struct pcm_player *pl, const struct pcm_step *s,
		       const struct pcm_outcome *o)
{
	record.outcome[record.n++] = *o;
	say(pl, s, o);
	return !(table_on && pcm_table_ends(s, o));
}

static void report(const struct pcm_player *pl, const struct pcm_step *s,
		   const struct pcm_outcome *stock, const struct pcm_outcome *ours)
{
	if (differences++ >= REPORTS)
		return;
	diag("seed %llu, sequence %lu, step %lu:", (unsigned long long)pl->seed,
	     pl->sequence, pl->step);
	pcm_outcome_differ(s, stock, ours);
}

static bool compare(struct pcm_player *pl, const struct pcm_step *s,
		    const struct pcm_outcome *o)
{
	size_t sequence = pl->sequence - record.from;
	size_t at = record.first[sequence] + pl->step;
	const struct pcm_outcome *stock = &record.outcome[at];

	say(pl, s, o);
	if (memcmp(stock, o, sizeof(*o))) {
		if (!table_on || !pcm_table_allows(s, stock, o)) {
			report(pl, s, stock, o);
			return false;
		}
		allowed++;
	}
	/* Where the stock one ended, there is nothing more to compare with. */
	return at + 1 < record.first[sequence + 1];
}

static void record_room(void)
{
	size_t size = RECORDS * sizeof(struct pcm_outcome);

	record.outcome = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (record.outcome == MAP_FAILED)
		bail("no memory for the record");
}

/* Record sequences from FROM on until CALLS are made or the record is full. */
static void record_stock(struct pcm_player *pl, unsigned long from,
			 unsigned long calls)
{
	unsigned long until = pl->calls + calls;

	record.n = 0;
	record.sequences = 0;
	record.from = from;
	pcm_load(PCM_STOCK, drivers);
	pcm_player_up();
	pl->each = write_down;
	while (pl->calls < until && record.n + STEPS_MOST < RECORDS &&
	       record.sequences < SEQUENCES) {
		record.first[record.sequences] = record.n;
		pcm_play(pl, from + record.sequences++);
		record.first[record.sequences] = record.n;
	}
	pcm_player_down();
}

static void replay(struct pcm_player *pl, enum pcm_set set)
{
	size_t i;

	pcm_load(set, drivers);
	if (switched_off)
		pcm_short(false);
	pcm_player_up();
	pl->each = compare;
	for (i = 0; i < record.sequences && differences < 2 * REPORTS; i++)
		pcm_play(pl, record.from + i);
	pcm_player_down();
}

static struct pcm_player player(void)
{
	return (struct pcm_player){ .seed = number("SHORTPATH_SEED", 1) };
}

/* The stock module against itself: no row of the table, no difference. */
static void same(void)
{
	struct pcm_player a = player(), b = player();

	table_on = false;
	differences = 0;
	record_stock(&a, 1000000, 20000);
	replay(&b, PCM_STOCK);
	is(differences, 0, "stock against stock, %lu calls: no difference", b.calls);
	is(b.calls, a.calls, "and as many calls");
}

/* A record that is wrong in one bit of one outcome is found out. */
static void one_wrong(struct pcm_player *pl, size_t at, void *field, const char *what)
{
	unsigned char *byte = field;

	differences = 0;
	*byte ^= 1;
	diag("expected: a difference in %s", what);
	replay(pl, PCM_STOCK);
	*byte ^= 1;
	is(differences, 1, "outcome %zu has another %s: found", at, what);
}

static void finds(void)
{
	struct pcm_player a = player(), b = player();
	struct pcm_outcome *o;
	size_t at;

	table_on = false;
	record_stock(&a, 2000000, 1000);
	for (at = record.n / 2; !record.outcome[at].mem_len; at++)
		;
	o = &record.outcome[at];
	one_wrong(&b, at, &o->ret, "result");
	one_wrong(&b, at, &o->mem[o->argument + 3], "byte of the argument");
	one_wrong(&b, at, &o->mem[0], "byte before the argument");
	one_wrong(&b, at, &o->appl_ptr, "appl_ptr");
	one_wrong(&b, at, &o->trace, "order of driver calls");
	differences = 0;
}

/* Switched off, ours is the stock module: no row of the table applies. */
static void disabled(void)
{
	struct pcm_player a = player(), b = player();

	table_on = false;
	differences = 0;
	switched_off = true;
	record_stock(&a, 3000000, 20000);
	replay(&b, PCM_OURS);
	switched_off = false;
	is(differences, 0, "ours switched off, %lu calls: no difference", b.calls);
}

static void row_used(const char *name, unsigned long used)
{
	ok(used, "row %s of the table: %lu times", name, used);
}

/* How far the sequences went: a test of nothing would pass too. */
static void coverage(const struct pcm_player *pl)
{
	int i;

	for (i = 0; i <= SNDRV_PCM_STATE_DISCONNECTED; i++)
		ok(pl->states[i] > pl->calls / 1000, "state %s: %lu steps",
		   pcm_state_name(i), pl->states[i]);
	ok(pl->faults > pl->calls / 50, "%lu faulting addresses", pl->faults);
}

static void both(void)
{
	bool debug = getenv("SHORTPATH_DEBUG") && *getenv("SHORTPATH_DEBUG");
	unsigned long calls = number("SHORTPATH_CALLS", debug ? 40000 : 1000000);
	unsigned long next = 0, only = number("SHORTPATH_SEQUENCE", ULONG_MAX);
	struct pcm_player a = player(), b = player();
	long long start = now_ms(), stock_ms = 0;

	table_on = true;
	differences = 0;
	if (only != ULONG_MAX) {
		aloud = true;
		next = only;
		calls = 1;
	}
	while (a.calls < calls && differences < REPORTS) {
		stock_ms -= now_ms();
		record_stock(&a, next, calls - a.calls);
		stock_ms += now_ms();
		replay(&b, PCM_OURS);
		next += record.sequences;
	}
	diag("%lu calls on the stock module in %lld ms, %lu on ours in %lld ms, seed %llu",
	     a.calls, stock_ms, b.calls, now_ms() - start - stock_ms,
	     (unsigned long long)a.seed);
	is(differences, 0, "%lu calls in %lu sequences: no unlisted difference (%lu listed)",
	   b.calls, next, allowed);
	if (aloud)
		return;
	coverage(&b);
	if (!debug)
		pcm_table_each(row_used);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "same", same },
		{ "finds", finds },
		{ "disabled", disabled },
		{ "both", both },
	};
	char path[PATH_MAX];

	tap_start();
	snprintf(path, sizeof(path), "%s/tests/pcm/differences",
		 getenv("SHORTPATH_TOP") ?: "");
	pcm_table_read(path);
	pcm_unload_at_exit();
	pcm_player_init();
	record_room();
	if (!pcm_has_door(DOOR_X32))
		bail("this kernel was not booted with syscall.x32=y");
	return tap_run(argc, argv, cases, ARRAY_SIZE(cases), NULL);
}
