// SPDX-License-Identifier: GPL-2.0-only
/* The table of intended differences: reading it, and asking it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "pcmtable.h"
#include "tap.h"

#define ROWS_MAX	32
#define CODES_MAX	8
#define CALLS_MAX	8

/* What a row says of one side. */
struct side {
	bool ret, core, driver, mem;	/* may differ */
	int codes[CODES_MAX];		/* but returns one of these */
	int n_codes;
	int acks;			/* -1: any */
	bool kept, whole, zero;
};

typedef bool (*condition_fn)(const struct pcm_step *s, const struct pcm_outcome *stock);

struct row {
	char name[32];
	struct { int kind, layout; } calls[CALLS_MAX];
	int n_calls;
	condition_fn when[8];
	int n_when;
	struct side stock, ours;
	bool ends;
	unsigned long used;
};

static struct row rows[ROWS_MAX];
static int n_rows;

/* ---- WHEN ---- */

/* appl_ptr as the layout can say it. */
static __u64 said_appl_ptr(const struct pcm_step *s)
{
	return pcm_formats[s->layout].appl_ptr.size == 4 ? (__u32)s->appl_ptr :
							   s->appl_ptr;
}

static bool applies(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return !(s->flags & SNDRV_PCM_SYNC_PTR_APPL);
}

static bool moves(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return said_appl_ptr(s) != s->was_appl_ptr;
}

static bool refused(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	__u64 to = said_appl_ptr(s);
	__s64 step = to - s->was_appl_ptr;

	(void)stock;
	if (to >= s->boundary)
		return true;
	if (s->device != PCM_SIM_APPLPTR)
		return false;
	if (step < 0)
		step += s->boundary;
	return step > (__s64)s->buffer;
}

static bool accepted(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	return !refused(s, stock);
}

static bool acked(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return s->device != PCM_SIM_PLAIN && !s->ack_result;
}

static bool ack_fails(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return s->device != PCM_SIM_PLAIN && s->ack_result;
}

static bool disconnected(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return s->state == (int)SNDRV_PCM_STATE_DISCONNECTED;
}

static bool faults(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)s;
	return stock->ret == -EFAULT;
}

/* How much of the argument lies on the first page; 0 where all of it does. */
static unsigned int on_first_page(const struct pcm_step *s)
{
	if (s->place.view < 0 || s->place.offset >= MEM_PAGE ||
	    s->place.offset + s->size <= MEM_PAGE)
		return 0;
	return MEM_PAGE - s->place.offset;
}

static bool is_cut(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return on_first_page(s);
}

static bool time64(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	(void)stock;
	return s->size == STATUS_COMPAT64_SIZE;
}

static const struct {
	const char *name;
	condition_fn fn;
} conditions[] = {
	{ "applies", applies }, { "moves", moves }, { "accepted", accepted },
	{ "refused", refused }, { "acked", acked }, { "ack-fails", ack_fails },
	{ "disconnected", disconnected }, { "cut", is_cut }, { "fault", faults },
	{ "time64", time64 },
};

/* ---- reading ---- */

static bool has_kernel(char *list)
{
	const char *series = getenv("SHORTPATH_KERNEL");
	struct utsname u;
	char *word;

	uname(&u);
	while ((word = strsep(&list, ","))) {
		size_t n = strlen(word);

		if (!strcmp(word, "all") || (series && !strcmp(word, series)))
			return true;
		if (!series && !strncmp(u.release, word, n) &&
		    (u.release[n] == '.' || u.release[n] == '-'))
			return true;
	}
	return false;
}

static void read_call(struct row *r, char *word)
{
	char *layout = strchr(word, '/');
	int k, l = -1;

	if (layout) {
		*layout++ = 0;
		for (l = 0; l < LAYOUTS && strcmp(pcm_formats[l].name, layout); l++)
			;
	}
	for (k = 0; k < CALL_KINDS && strcmp(pcm_kind_name(k), word); k++)
		;
	if (k == CALL_KINDS || l == LAYOUTS || r->n_calls == CALLS_MAX)
		bail("row %s: there is no call %s", r->name, word);
	r->calls[r->n_calls].kind = k;
	r->calls[r->n_calls++].layout = l;
}

static void read_when(struct row *r, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(conditions); i++)
		if (!strcmp(conditions[i].name, word))
			break;
	if (i == ARRAY_SIZE(conditions) || r->n_when == (int)ARRAY_SIZE(r->when))
		bail("row %s: there is no condition %s", r->name, word);
	r->when[r->n_when++] = conditions[i].fn;
}

static int code(const char *name)
{
	int e;

	if (!strcmp(name, "0"))
		return 0;
	for (e = 1; e < 134; e++)
		if (!strcmp(err_name(e), name))
			return -e;
	bail("there is no errno %s", name);
}

static void read_codes(struct side *side, char *list)
{
	char *word;

	side->ret = true;
	while ((word = strsep(&list, "|"))) {
		if (side->n_codes == CODES_MAX)
			bail("too many codes");
		side->codes[side->n_codes++] = code(word);
	}
}

static void read_side(struct row *r, struct side *side, char *list)
{
	char *word;

	side->acks = -1;
	while ((word = strsep(&list, ","))) {
		if (!strncmp(word, "ret=", 4))
			read_codes(side, word + 4);
		else if (!strcmp(word, "core"))
			side->core = true;
		else if (!strcmp(word, "driver"))
			side->driver = true;
		else if (!strncmp(word, "acks=", 5))
			side->acks = atoi(word + 5);
		else if (!strncmp(word, "mem", 3))
			side->mem = true;
		else
			bail("row %s: nothing is called %s", r->name, word);
		side->kept |= !strcmp(word, "mem=kept");
		side->whole |= !strcmp(word, "mem=whole");
		side->zero |= !strcmp(word, "mem=zero");
	}
}

static void read_row(char *line)
{
	char name[32], kernels[64], calls[128], when[128], stock[128], ours[128], then[8];
	char *rest, *word;
	struct row *r;

	if (sscanf(line, "%31s %63s %127s %127s %127s %127s %7s", name, kernels,
		   calls, when, stock, ours, then) != 7)
		bail("a row of the table has seven columns: %s", line);
	if (!has_kernel(kernels))
		return;
	if (n_rows == ROWS_MAX)
		bail("the table is too long");
	r = &rows[n_rows++];
	memset(r, 0, sizeof(*r));
	snprintf(r->name, sizeof(r->name), "%s", name);
	for (rest = calls; (word = strsep(&rest, ","));)
		read_call(r, word);
	for (rest = when; (word = strsep(&rest, "+"));)
		read_when(r, word);
	read_side(r, &r->stock, stock);
	read_side(r, &r->ours, ours);
	r->ends = !strcmp(then, "end");
}

void pcm_table_read(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[1024];

	if (!f)
		bail("%s", path);
	n_rows = 0;
	while (fgets(line, sizeof(line), f))
		if (line[0] != '#' && line[0] != '\n')
			read_row(line);
	fclose(f);
}

/* ---- asking ---- */

static bool side_holds(const struct side *side, const struct pcm_step *s,
		       const struct pcm_outcome *o)
{
	int i;

	if (side->ret) {
		for (i = 0; i < side->n_codes && side->codes[i] != o->ret; i++)
			;
		if (i == side->n_codes)
			return false;
	}
	if (side->acks >= 0 && (unsigned int)side->acks != o->acks)
		return false;
	return !side->kept || pcm_memory_kept(s, o);
}

static bool row_is(const struct row *r, const struct pcm_step *s,
		   const struct pcm_outcome *stock)
{
	int i;

	for (i = 0; i < r->n_calls; i++)
		if (r->calls[i].kind == (int)s->kind &&
		    (r->calls[i].layout < 0 || r->calls[i].layout == (int)s->layout))
			break;
	if (i == r->n_calls)
		return false;
	for (i = 0; i < r->n_when; i++)
		if (!r->when[i](s, stock))
			return false;
	return side_holds(&r->stock, s, stock);
}

bool pcm_table_ends(const struct pcm_step *s, const struct pcm_outcome *stock)
{
	int i;

	for (i = 0; i < n_rows; i++)
		if (rows[i].ends && row_is(&rows[i], s, stock))
			return true;
	return false;
}

static bool mem_same(const struct row *r, const struct pcm_step *s,
		     const struct pcm_outcome *stock, const struct pcm_outcome *ours)
{
	unsigned int cut = on_first_page(s) + stock->argument, i;

	if (stock->mem_len != ours->mem_len || stock->argument != ours->argument)
		return false;
	for (i = 0; i < stock->mem_len; i++) {
		if (stock->mem[i] == ours->mem[i])
			continue;
		if (!r->stock.mem && !r->ours.mem)
			return false;
		if (r->ours.whole && !(i < cut && i + 8 > cut))
			return false;
		if (r->stock.zero && stock->mem[i])
			return false;
	}
	return true;
}

static bool core_same(const struct pcm_outcome *a, const struct pcm_outcome *b)
{
	return a->hw_ptr == b->hw_ptr && a->appl_ptr == b->appl_ptr &&
	       a->avail_min == b->avail_min && a->state == b->state &&
	       a->suspended == b->suspended &&
	       !memcmp(a->tstamp, b->tstamp, sizeof(a->tstamp)) &&
	       !memcmp(a->audio_tstamp, b->audio_tstamp, sizeof(a->audio_tstamp));
}

static bool driver_same(const struct pcm_outcome *a, const struct pcm_outcome *b)
{
	return a->trace == b->trace && a->operations == b->operations &&
	       a->pointers == b->pointers &&
	       a->acks == b->acks && a->last_ack == b->last_ack;
}

static bool row_allows(const struct row *r, const struct pcm_step *s,
		       const struct pcm_outcome *stock, const struct pcm_outcome *ours)
{
	if (!row_is(r, s, stock) || !side_holds(&r->ours, s, ours))
		return false;
	if (!r->stock.ret && !r->ours.ret && stock->ret != ours->ret)
		return false;
	if (!r->stock.core && !r->ours.core && !core_same(stock, ours))
		return false;
	if (!r->stock.driver && !r->ours.driver && !driver_same(stock, ours))
		return false;
	return stock->data == ours->data && stock->stray == ours->stray &&
	       mem_same(r, s, stock, ours);
}

bool pcm_table_allows(const struct pcm_step *s, const struct pcm_outcome *stock,
		      const struct pcm_outcome *ours)
{
	int i;

	for (i = 0; i < n_rows; i++) {
		if (!row_allows(&rows[i], s, stock, ours))
			continue;
		rows[i].used++;
		return true;
	}
	return false;
}

void pcm_table_each(void (*fn)(const char *name, unsigned long used))
{
	int i;

	for (i = 0; i < n_rows; i++)
		fn(rows[i].name, rows[i].used);
}
