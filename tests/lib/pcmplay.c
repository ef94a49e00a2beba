// SPDX-License-Identifier: GPL-2.0-only
/* A seeded player of PCM system calls: makes them, puts down what they did. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pcmgen.h"
#include "pcmplay.h"
#include "tap.h"

#define STEPS_MIN	60
#define STEPS_MORE	120
/* The whole of the memory is looked at every so many steps. */
#define LOOK_ROUND	64
/* Where the buffers of a transfer with one a channel are named. */
#define BUFS_AT		(MEM_SIZE - 64)

struct worker {
	pthread_t thread;
	sem_t go, done;
	const struct pcm_step *step;
	long ret;
};

static struct {
	struct mem args, data;
	struct pcm_sim card, own_card, *sim;
	struct pcm_dev dev, other;	/* OTHER: what it is linked to */
	struct pcm_gen gen;
	struct worker worker[GEN_THREADS];
	int ack_result;	 /* as the driver was last told */
	/* s of either clock that a stream may go by */
	__s64 began[2];
} player;

/* ---- addresses and arguments ---- */

static __u64 place_address(const struct mem *m, const struct pcm_place *p)
{
	if (p->view < 0)
		return p->address;
	return addr(m->view[p->view]) + p->offset;
}

static __u64 argument(const struct pcm_step *s)
{
	if (s->size)
		return place_address(&player.args, &s->place);
	return s->value;
}

/* The bytes round an argument that its outcome shows: [*from, return value). */
static unsigned int window(const struct pcm_step *s, unsigned int *from)
{
	unsigned int end = s->place.offset + s->size + OUTCOME_AROUND;

	*from = s->place.offset < OUTCOME_AROUND ? 0 : s->place.offset - OUTCOME_AROUND;
	return end > MEM_SIZE ? MEM_SIZE : end;
}

static unsigned int audio_data_at(unsigned int size)
{
	switch (size) {
	case STATUS32_SIZE:
		return 48;
	case STATUS_COMPAT64_SIZE:
		return 68;
	default:
		return 92;
	}
}

static void put_bufs(const struct pcm_step *s)
{
	unsigned char *bufs = player.data.own + BUFS_AT;
	__u64 at = place_address(&player.data, &s->data);
	size_t size = s->door == DOOR_64 ? 8 : 4;
	unsigned int i;

	for (i = 0; i < player.gen.setup.channels; i++, at += 512)
		memcpy(bufs + i * size, &at, size);
}

static void put_transfer(const struct pcm_step *s, unsigned char *mem)
{
	__u64 buf = place_address(&player.data, &s->data);
	struct mem *m = &player.data;

	if (s->kind == CALL_XFERN) {
		put_bufs(s);
		/* In the second page of a view: some cannot be read. */
		buf = addr(m->view[s->data.view < 0 || s->data.view == MEM_TOP ?
				   MEM_RW_RW : s->data.view]) + BUFS_AT;
	}
	if (s->door == DOOR_64) {
		memcpy(mem + 8, &buf, 8);
		memcpy(mem + 16, &s->frames, 8);
	} else {
		memcpy(mem + 4, &buf, 4);
		memcpy(mem + 8, &s->frames, 4);
	}
}

/* What the kernel is to find at the argument's address. */
static void put_argument(const struct pcm_step *s, unsigned char *own)
{
	struct pcm_sync sync = {
		.flags = s->flags, .appl_ptr = s->appl_ptr,
		.avail_min = s->avail_min,
	};
	unsigned char *mem = own + s->place.offset;
	unsigned int from, end;

	if (!s->size || s->place.view < 0)
		return;
	end = window(s, &from);
	gen_fill(s->fill, own + from, end - from);
	switch (s->kind) {
	case CALL_SYNC:
		pcm_sync_put(s->layout, mem, &sync);
		break;
	case CALL_REWIND:
	case CALL_FORWARD:
		memcpy(mem, &s->frames, s->size);
		break;
	case CALL_STATUS_EXT:
		memcpy(mem + audio_data_at(s->size), &s->flags, 4);
		break;
	case CALL_XFERI:
	case CALL_XFERN:
		put_transfer(s, mem);
		break;
	default:
		break;
	}
}

/* ---- times of day ---- */

#define TIME_MARK	0x7e

/* A stream goes by the second one until it is told otherwise. */
static const clockid_t clocks[2] = { CLOCK_MONOTONIC, CLOCK_REALTIME };

static bool is_second(__s64 v)
{
	struct timespec now;
	int i;

	for (i = 0; i < 2; i++) {
		if (v < player.began[i])
			continue;
		clock_gettime(clocks[i], &now);
		if (v <= now.tv_sec)
			return true;
	}
	return false;
}

static void mark_time(void *mem, struct pcm_field sec, struct pcm_field nsec)
{
	__s64 ns = pcm_get_signed(mem, nsec);

	if (is_second(pcm_get_signed(mem, sec)))
		memset((char *)mem + sec.at, TIME_MARK, sec.size);
	if (ns > 0 && ns < 1000000000)
		memset((char *)mem + nsec.at, TIME_MARK, nsec.size);
}

/* The times in a status: of its trigger, its own, the driver's. */
static void mark_status(unsigned char *mem, unsigned int size)
{
	static const struct {
		unsigned int size;
		__u8 at[3], width;
	} shapes[] = {
		{ STATUS64_SIZE, { 8, 24, 112 }, 8 },
		{ STATUS_COMPAT64_SIZE, { 8, 24, 24 }, 8 },
		{ STATUS32_SIZE, { 4, 12, 60 }, 4 },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		__u8 w = shapes[i].width;

		if (shapes[i].size != size)
			continue;
		for (k = 0; k < 3; k++) {
			__u8 at = shapes[i].at[k];

			mark_time(mem, (struct pcm_field){ at, w },
				  (struct pcm_field){ at + w, w });
		}
	}
}

static void mark_times(const struct pcm_step *s, struct pcm_outcome *o)
{
	static const struct pcm_field sec = { 0, 8 }, nsec = { 8, 8 };
	unsigned char *mem = o->mem + o->argument;

	mark_time(o->tstamp, sec, nsec);
	if (s->kind == CALL_SYNC && o->mem_len)
		mark_time(mem, pcm_formats[s->layout].sec,
			  pcm_formats[s->layout].nsec);
	if ((s->kind == CALL_STATUS || s->kind == CALL_STATUS_EXT) && o->mem_len)
		mark_status(mem, s->size);
}

/* ---- outcomes ---- */

static __u64 hash_words(const void *mem, size_t size)
{
	const __u64 *w = mem;
	__u64 h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < size / 8; i++)
		h = ((h ^ w[i]) * 0x100000001b3ULL) ^ h >> 29;
	return h;
}

static bool all_zero(const unsigned char *mem, size_t size)
{
	return !mem[0] && !memcmp(mem, mem + 1, size - 1);
}

/* Take what is at and round the argument, and leave the memory zeroed. */
static void take_memory(const struct pcm_step *s, struct pcm_outcome *o)
{
	unsigned int from, end;

	if (!s->size || s->place.view < 0)
		return;
	end = window(s, &from);
	o->mem_len = end - from;
	o->argument = s->place.offset - from;
	memcpy(o->mem, player.args.own + from, o->mem_len);
	memset(player.args.own + from, 0, o->mem_len);
}

static void take_data(const struct pcm_step *s, struct pcm_outcome *o)
{
	if (s->kind != CALL_XFERI && s->kind != CALL_XFERN)
		return;
	o->data = hash_words(player.data.own, MEM_SIZE);
}

static void take_core(struct pcm_outcome *o, struct pcm_sim_look *look)
{
	pcm_sim_look(player.sim, &player.dev, look);
	o->hw_ptr = look->hw_ptr;
	o->appl_ptr = look->appl_ptr;
	o->avail_min = look->avail_min;
	memcpy(o->tstamp, look->tstamp, sizeof(o->tstamp));
	memcpy(o->audio_tstamp, look->audio_tstamp, sizeof(o->audio_tstamp));
	o->state = look->state;
	o->suspended = look->suspended_state;
}

static void take_driver(struct pcm_outcome *o)
{
	struct pcm_sim_trace *t = pcm_sim_trace_of(player.sim, &player.dev);

	o->trace = t->hash;
	o->operations = t->operations;
	o->acks = t->acks;
	o->pointers = t->pointers;
	o->last_ack = t->last_ack;
}

/* ---- calls ---- */

static long call_device(const struct pcm_step *s)
{
	long ret;

	/* The core knows the pointer when it moves on by a period. */
	if (s->cmd == PCM_SIM_ADVANCE && s->flags & PCM_SIM_ELAPSED)
		pcm_do(&player.dev, SNDRV_PCM_IOCTL_HWSYNC);
	ret = pcm_sim_try(player.sim, &player.dev, s->cmd, s->value, s->flags);
	if (s->cmd == PCM_SIM_ACK_RESULT && !ret)
		player.ack_result = s->value;
	return ret;
}

static long call(const struct pcm_step *s)
{
	struct pcm_setup setup = player.gen.setup;

	setup.door = s->door;
	switch (s->kind) {
	case CALL_DEVICE:
		return call_device(s);
	case CALL_HW_PARAMS:
		return pcm_hw_params(&player.dev, &setup);
	case CALL_SW_PARAMS:
		return pcm_sw_params(&player.dev, &setup);
	default:
		return pcm_ioctl(s->door, player.dev.fd, s->cmd, argument(s));
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (;;) {
		while (sem_wait(&w->go))
			;
		w->ret = call(w->step);
		sem_post(&w->done);
	}
	return NULL;
}

static long call_by(const struct pcm_step *s)
{
	struct worker *w;

	if (s->thread < 0)
		return call(s);
	w = &player.worker[s->thread];
	w->step = s;
	sem_post(&w->go);
	while (sem_wait(&w->done))
		;
	return w->ret;
}

static void step_do(const struct pcm_step *s, struct pcm_outcome *o,
		    struct pcm_sim_look *look)
{
	struct pcm_sim_trace *t = pcm_sim_trace_of(player.sim, &player.dev);

	memset(o, 0, sizeof(*o));
	put_argument(s, player.args.own);
	if (s->kind == CALL_XFERI || s->kind == CALL_XFERN)
		player.data.own[s->fill % BUFS_AT] = s->fill >> 56;
	t->hash = 0;
	t->operations = 0;
	t->acks = 0;
	t->pointers = 0;
	t->last_ack = 0;
	o->ret = call_by(s);
	take_driver(o);
	take_memory(s, o);
	take_data(s, o);
	take_core(o, look);
	mark_times(s, o);
}

/* ---- sequences ---- */

void pcm_player_init(void)
{
	struct timespec now;
	int i;

	for (i = 0; i < 2; i++) {
		clock_gettime(clocks[i], &now);
		player.began[i] = now.tv_sec;
	}
	mem_make(&player.args, true);
	mem_make(&player.data, false);
	player.gen.x32 = pcm_has_door(DOOR_X32);
	for (i = 0; i < GEN_THREADS; i++) {
		struct worker *w = &player.worker[i];

		sem_init(&w->go, 0, 0);
		sem_init(&w->done, 0, 0);
		if (pthread_create(&w->thread, NULL, work, w))
			bail("pthread_create");
	}
}

void pcm_player_up(void)
{
	pcm_sim_up(&player.card, (1 << PCM_SIM_DEVICES) - 1);
}

void pcm_player_down(void)
{
	pcm_sim_down(&player.card);
}

/* Set the new stream up, as far as it is to be. */
static void set_up(int target)
{
	struct pcm_dev *p = &player.dev;
	struct pcm_gen *g = &player.gen;

	p->buffer = g->setup.buffer;
	p->channels = g->setup.channels;
	if (target == SNDRV_PCM_STATE_OPEN)
		return;
	if (pcm_hw_params(p, &g->setup) || pcm_sw_params(p, &g->setup))
		bail("cannot set up a stream");
	if (target != SNDRV_PCM_STATE_SETUP && pcm_do(p, SNDRV_PCM_IOCTL_PREPARE))
		bail("cannot prepare a stream");
}

/* From PREPARED on. */
static void move_on(int target)
{
	struct pcm_dev *p = &player.dev;

	if (target <= (int)SNDRV_PCM_STATE_PREPARED)
		return;
	pcm_go(p, target);
	if (target == SNDRV_PCM_STATE_SUSPENDED)
		pcm_sim_try(player.sim, p, PCM_SIM_SUSPEND, 0, 0);
}

/* Both then start, stop and pause as one, under one lock. */
static void link_other(void)
{
	struct pcm_sync full = { .appl_ptr = player.gen.setup.buffer, .avail_min = 1 };
	struct pcm_gen *g = &player.gen;
	struct pcm_dev *other = &player.other;

	pcm_ready(other, player.sim->card, g->device, !g->stream, &g->setup);
	if (pcm_ioctl(DOOR_64, player.dev.fd, SNDRV_PCM_IOCTL_LINK, other->fd))
		bail("cannot link two streams");
	/* One that plays can start only when there is something to play. */
	if (other->stream == PLAYBACK)
		pcm_sync_ptr(NATIVE, other->fd, &full);
}

static void stream_up(void)
{
	struct pcm_gen *g = &player.gen;

	player.sim = &player.card;
	if (g->goes) {
		/* One that can go and does not take the others with it. */
		player.sim = &player.own_card;
		pcm_sim_up(player.sim, 1U << g->device);
	}
	if (pcm_open(&player.dev, player.sim->card, g->device, g->stream))
		bail("cannot open a stream");
	player.ack_result = 0;
	player.other.fd = -1;
	set_up(g->target);
	if (g->linked && g->target >= (int)SNDRV_PCM_STATE_PREPARED)
		link_other();
	move_on(g->target);
}

static void stream_down(void)
{
	pcm_close(&player.dev);
	pcm_close(&player.other);
	if (player.gen.goes)
		pcm_sim_down(player.sim);
}

static __u64 boundary32(const struct pcm_sim_look *look, unsigned int buffer)
{
	__u64 b = buffer;

	if (look->state == SNDRV_PCM_STATE_OPEN || !buffer)
		return 0x7fffffff;
	while (b * 2 <= 0x7fffffffUL - buffer)
		b *= 2;
	return b;
}

static void note_before(struct pcm_step *s, const struct pcm_sim_look *look)
{
	s->device = player.dev.device;
	s->state = look->state;
	s->ack_result = player.ack_result;
	s->buffer = player.dev.buffer;
	s->was_appl_ptr = look->appl_ptr;
	s->boundary = look->boundary;
	s->boundary32 = boundary32(look, player.dev.buffer);
}

/* What has been played, or is there to be captured, at the end. */
static void last_outcome(struct pcm_player *pl)
{
	struct pcm_step s = { .kind = CALL_DEVICE, .thread = -1 };
	struct pcm_outcome o = { 0 };
	size_t size = player.dev.frame_bytes * player.dev.buffer;
	static unsigned char all[1 << 16];

	o.stray = !all_zero(player.args.own, MEM_SIZE);
	o.ret = pcm_sim_take(player.sim, &player.dev, all, size);
	if (!o.ret)
		o.data = hash_words(all, size);
	pl->each(pl, &s, &o);
}

void pcm_play(struct pcm_player *pl, unsigned long sequence)
{
	struct pcm_gen *g = &player.gen;
	struct pcm_sim_look look;
	struct pcm_outcome o;
	struct pcm_step s;
	unsigned int n;

	pl->sequence = sequence;
	gen_stream(g, pl->seed, sequence);
	memset(player.data.own, sequence, MEM_SIZE);
	stream_up();
	n = STEPS_MIN + gen_below(g, STEPS_MORE);
	pcm_sim_look(player.sim, &player.dev, &look);
	for (pl->step = 0; pl->step < n; pl->step++) {
		gen_step(g, &player.dev, &look, &s);
		note_before(&s, &look);
		pl->states[look.state]++;
		step_do(&s, &o, &look);
		pl->calls += s.kind != CALL_DEVICE;
		pl->faults += o.ret == -EFAULT;
		if (pl->step % LOOK_ROUND == 0)
			o.stray = !all_zero(player.args.own, MEM_SIZE);
		if (!pl->each(pl, &s, &o))
			break;
	}
	if (pl->step == n)
		last_outcome(pl);
	stream_down();
}

bool pcm_memory_kept(const struct pcm_step *s, const struct pcm_outcome *o)
{
	static unsigned char put[MEM_SIZE];
	unsigned int from;

	if (!o->mem_len)
		return true;
	put_argument(s, put);
	window(s, &from);
	return !memcmp(put + from, o->mem, o->mem_len);
}

/* ---- for people ---- */

static const char *const kinds[CALL_KINDS] = {
	"sync_ptr", "hwsync", "delay", "rewind", "forward", "status",
	"status_ext", "xferi", "xfern", "pversion", "state", "sw_params",
	"hw_params", "device",
};

const char *pcm_kind_name(enum pcm_kind kind)
{
	return kinds[kind];
}

static const char *const doors[DOORS] = { "64", "32", "x32" };

static int place_text(char *buf, size_t size, const struct pcm_place *p)
{
	if (p->view < 0)
		return snprintf(buf, size, "0x%llx", (unsigned long long)p->address);
	return snprintf(buf, size, "%s+%u", mem_view_names[p->view], p->offset);
}

void pcm_step_text(const struct pcm_step *s, char *buf, size_t size)
{
	char place[48] = "-", data[48] = "-";

	if (s->size)
		place_text(place, sizeof(place), &s->place);
	if (s->kind == CALL_XFERI || s->kind == CALL_XFERN)
		place_text(data, sizeof(data), &s->data);
	snprintf(buf, size,
		 "%s%s%s by door %s: cmd 0x%x at %s, flags 0x%x appl_ptr 0x%llx avail_min 0x%llx frames 0x%llx data %s value %d thread %d; before: device %d %s appl_ptr 0x%llx boundary 0x%llx",
		 kinds[s->kind], s->kind == CALL_SYNC ? " " : "",
		 s->kind == CALL_SYNC ? pcm_formats[s->layout].name : "",
		 doors[s->door], s->cmd, place, s->flags,
		 (unsigned long long)s->appl_ptr, (unsigned long long)s->avail_min,
		 (unsigned long long)s->frames, data, s->value, s->thread,
		 s->device, pcm_state_name(s->state),
		 (unsigned long long)s->was_appl_ptr,
		 (unsigned long long)s->boundary);
}

static void differ(const char *what, long long a, long long b)
{
	if (a != b)
		diag("    %s: stock %lld (0x%llx), ours %lld (0x%llx)", what, a, a,
		     b, b);
}

void pcm_outcome_differ(const struct pcm_step *s, const struct pcm_outcome *a,
			const struct pcm_outcome *b)
{
	char text[512];
	unsigned int i, shown = 0;

	pcm_step_text(s, text, sizeof(text));
	diag("  %s", text);
	differ("returned", a->ret, b->ret);
	differ("hw_ptr", a->hw_ptr, b->hw_ptr);
	differ("appl_ptr", a->appl_ptr, b->appl_ptr);
	differ("avail_min", a->avail_min, b->avail_min);
	differ("tstamp", a->tstamp[0], b->tstamp[0]);
	differ("audio tstamp", a->audio_tstamp[0], b->audio_tstamp[0]);
	differ("state", a->state, b->state);
	differ("suspended state", a->suspended, b->suspended);
	differ("bytes written elsewhere", a->stray, b->stray);
	differ("driver operations", a->operations, b->operations);
	differ("driver acks", a->acks, b->acks);
	differ("driver pointers", a->pointers, b->pointers);
	differ("appl_ptr at the last ack", a->last_ack, b->last_ack);
	differ("driver trace", a->trace, b->trace);
	differ("transferred data", a->data, b->data);
	differ("bytes seen", a->mem_len, b->mem_len);
	for (i = 0; i < OUTCOME_MEM && shown < 24; i++) {
		if (a->mem[i] == b->mem[i])
			continue;
		diag("    byte %d of the argument: stock 0x%02x, ours 0x%02x",
		     (int)i - (int)a->argument, a->mem[i], b->mem[i]);
		shown++;
	}
}
