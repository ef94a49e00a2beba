// SPDX-License-Identifier: GPL-2.0-only
/* The generator behind pcmplay.c: which stream, and which call next. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "pcmgen.h"
#include "tap.h"

__u64 gen_random(struct pcm_gen *g)
{
	__u64 z = g->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

unsigned int gen_below(struct pcm_gen *g, unsigned int n)
{
	return (gen_random(g) >> 32) * n >> 32;
}

static bool one_in(struct pcm_gen *g, unsigned int n)
{
	return !gen_below(g, n);
}

void gen_fill(__u64 seed, unsigned char *mem, size_t len)
{
	struct pcm_gen g = { .random = seed };
	__u64 v;
	size_t n;

	for (; len; mem += n, len -= n) {
		v = gen_random(&g) | 0x8080808080808080ULL;
		n = len < sizeof(v) ? len : sizeof(v);
		memcpy(mem, &v, n);
	}
}

void gen_stream(struct pcm_gen *g, __u64 seed, unsigned long sequence)
{
	static const unsigned int periods[] = { 8, 16, 48, 64, 100, 256, 1024 };
	static const unsigned int rates[] = { 8000, 44100, 48000, 192000 };
	struct pcm_setup *s = &g->setup;

	g->random = seed;
	g->random = gen_random(g) ^ sequence * 0x9e3779b97f4a7c15ULL;
	memset(s, 0, sizeof(*s));
	g->device = gen_below(g, PCM_SIM_DEVICES);
	g->stream = gen_below(g, 2);
	g->threads = one_in(g, 16);
	g->goes = one_in(g, 32);
	g->linked = one_in(g, 8);
	g->target = gen_below(g, SNDRV_PCM_STATE_SUSPENDED + 2);
	s->door = one_in(g, 3) ? DOOR_32 : DOOR_64;
	s->access = one_in(g, 3) ? SNDRV_PCM_ACCESS_RW_NONINTERLEAVED :
				   SNDRV_PCM_ACCESS_RW_INTERLEAVED;
	s->format = gen_below(g, 2) ? SNDRV_PCM_FORMAT_S16_LE :
				      SNDRV_PCM_FORMAT_S32_LE;
	s->channels = 1 + gen_below(g, 4);
	s->rate = rates[gen_below(g, ARRAY_SIZE(rates))];
	s->period = periods[gen_below(g, ARRAY_SIZE(periods))];
	s->buffer = s->period * (1 + gen_below(g, 4));
	s->tstamp = gen_below(g, 2) ? SNDRV_PCM_TSTAMP_ENABLE : SNDRV_PCM_TSTAMP_NONE;
	s->start = one_in(g, 3) ? s->period : 0;
	s->stop = one_in(g, 3) ? s->buffer : 0;
}

/* A call by a door that this kernel has. */
static enum pcm_door any_door(struct pcm_gen *g)
{
	enum pcm_door d = gen_below(g, DOORS);

	return d == DOOR_X32 && !g->x32 ? DOOR_64 : d;
}

static enum pcm_layout any_layout(struct pcm_gen *g)
{
	/* The two that are alike count as one. */
	enum pcm_layout l = gen_below(g, 9) / 2;

	return l == X32 && !g->x32 ? NATIVE : l;
}

static __u64 bad_address(struct pcm_gen *g, enum pcm_door door, unsigned int size)
{
	static const __u64 high[] = {
		0x0000800000000000, 0x8000000000000000, 0xffffffff81000000,
		0xffff888000000000, 0xffffc90000000000, 0xffffffffff600000,
		0xffffffffffffffff,
		/* the ends of what a program can have, with 4 and 5 levels */
		0x00007ffffffff000, 0x00fffffffffff000, 0x0100000000000000,
	};
	static const __u64 low[] = { 0, 8, 4088 };
	__u64 at;

	if (one_in(g, 3))
		return low[gen_below(g, ARRAY_SIZE(low))];
	/* Nothing is mapped round these. */
	if (door != DOOR_64)
		return (one_in(g, 2) ? 0xffffd000U : 0x1000U) - gen_below(g, size);
	at = high[gen_below(g, ARRAY_SIZE(high))];
	return one_in(g, 2) ? at - gen_below(g, size) : at;
}

/* Where a structure is cut when it lies on both pages. */
static unsigned int cut(struct pcm_gen *g, unsigned int size)
{
	unsigned int at = 1 + gen_below(g, size - 1);

	return one_in(g, 2) ? at : (at & ~3U) + 4 * (at < 4);
}

static void any_place(struct pcm_gen *g, struct pcm_place *p, enum pcm_door door,
		      unsigned int size)
{
	unsigned int r = gen_below(g, 32);

	*p = (struct pcm_place){ .view = MEM_RW_RW };
	if (!size)
		return;
	if (r < 20) {
		p->offset = 64 + gen_below(g, (MEM_PAGE - 256) / 8) * 8;
	} else if (r < 22) {
		p->offset = 64 + gen_below(g, MEM_PAGE - 256);
	} else if (r < 24) {
		p->offset = MEM_PAGE - cut(g, size);
	} else if (r < 28) {
		p->view = gen_below(g, MEM_TOP);
		p->offset = MEM_PAGE - cut(g, size);
	} else if (r < 30) {
		p->view = gen_below(g, MEM_TOP);
		p->offset = gen_below(g, 2) * MEM_PAGE + 64 +
			    gen_below(g, (MEM_PAGE - 256) / 4) * 4;
	} else if (r < 31) {
		p->view = MEM_TOP;
		p->offset = MEM_PAGE - cut(g, size);
	} else {
		p->view = -1;
		p->address = bad_address(g, door, size);
	}
}

/* Kept off the middle of a time: half of one is no time. */
static void keep_off(struct pcm_place *p, struct pcm_field f)
{
	unsigned int first = MEM_PAGE - p->offset;

	if (p->view >= 0 && p->offset < MEM_PAGE && first > f.at &&
	    first < f.at + (unsigned int)f.size)
		p->offset = MEM_PAGE - f.at;
}

static __u64 any_appl_ptr(struct pcm_gen *g, const struct pcm_dev *p,
			  const struct pcm_sim_look *look)
{
	__u64 boundary = look->boundary;

	switch (gen_below(g, 16)) {
	case 0:
		return boundary - gen_below(g, 4);
	case 1:
		return boundary + gen_below(g, 2);
	case 2:
		return gen_random(g) >> 32;
	case 3:
		return gen_random(g);
	case 4:
		return 0x7fffffff - gen_below(g, 3);
	case 5:
		return look->appl_ptr - gen_below(g, p->buffer + 1);
	case 6:
	case 7:
		return look->appl_ptr;
	case 8:
		return look->hw_ptr;
	case 9:
		return look->hw_ptr + p->buffer;
	default:
		return (look->appl_ptr + gen_below(g, p->buffer + 1)) %
		       (boundary ? boundary : 1);
	}
}

static __u64 any_avail_min(struct pcm_gen *g, const struct pcm_dev *p)
{
	switch (gen_below(g, 5)) {
	case 0:
		return gen_random(g);
	case 1:
		return gen_random(g) >> 32;
	case 2:
		return 0;
	default:
		return 1 + gen_below(g, p->buffer + 1);
	}
}

static void gen_sync(struct pcm_gen *g, const struct pcm_dev *p,
		     const struct pcm_sim_look *look, struct pcm_step *s)
{
	const struct pcm_format *f;

	s->layout = any_layout(g);
	f = &pcm_formats[s->layout];
	s->door = f->door;
	s->cmd = f->cmd;
	s->size = f->size;
	s->flags = one_in(g, 12) ? gen_random(g) : gen_below(g, 8);
	s->appl_ptr = any_appl_ptr(g, p, look);
	s->avail_min = any_avail_min(g, p);
	any_place(g, &s->place, s->door, s->size);
	keep_off(&s->place, f->sec);
	keep_off(&s->place, f->nsec);
}

static void gen_frames(struct pcm_gen *g, const struct pcm_dev *p, struct pcm_step *s,
		       unsigned int cmd64, unsigned int cmd32)
{
	s->door = any_door(g);
	s->cmd = s->door == DOOR_64 ? cmd64 : cmd32;
	s->size = _IOC_SIZE(s->cmd);
	s->frames = one_in(g, 4) ? gen_random(g) : gen_below(g, p->buffer * 2 + 1);
	any_place(g, &s->place, s->door, s->size);
}

static void gen_status(struct pcm_gen *g, struct pcm_step *s, bool ext)
{
	static const unsigned int sizes[] = { STATUS32_SIZE, STATUS_COMPAT64_SIZE };

	s->door = any_door(g);
	s->size = s->door == DOOR_64 ? STATUS64_SIZE : sizes[gen_below(g, 2)];
	s->cmd = ext ? IOCTL_STATUS_EXT(s->size) : IOCTL_STATUS(s->size);
	/* Type of the audio time, and whether the delay is part of it. */
	s->flags = gen_below(g, 6) | gen_below(g, 2) << 4;
	/* Whole, or cut where no time is: all of it is times. */
	any_place(g, &s->place, s->door, s->size);
	if (s->place.view >= 0 && s->place.offset < MEM_PAGE &&
	    s->place.offset + s->size > MEM_PAGE)
		s->place.offset = MEM_PAGE - 4;
}

static void gen_transfer(struct pcm_gen *g, const struct pcm_dev *p, struct pcm_step *s)
{
	static const unsigned int cmds[2][2][2] = {
		/* [one pointer a channel][64, 32][playback, capture] */
		{ { SNDRV_PCM_IOCTL_WRITEI_FRAMES, SNDRV_PCM_IOCTL_READI_FRAMES },
		  { IOCTL_WRITEI32, IOCTL_READI32 } },
		{ { SNDRV_PCM_IOCTL_WRITEN_FRAMES, SNDRV_PCM_IOCTL_READN_FRAMES },
		  { IOCTL_WRITEN32, IOCTL_READN32 } },
	};
	bool noninterleaved = g->setup.access == SNDRV_PCM_ACCESS_RW_NONINTERLEAVED;
	int way = p->stream;

	if (one_in(g, 16))
		noninterleaved = !noninterleaved;
	if (one_in(g, 24))
		way = !way;
	s->kind = noninterleaved ? CALL_XFERN : CALL_XFERI;
	s->door = any_door(g);
	s->cmd = cmds[noninterleaved][s->door != DOOR_64][way];
	s->size = _IOC_SIZE(s->cmd);
	any_place(g, &s->place, s->door, s->size);
	any_place(g, &s->data, s->door, 64);
	if (s->data.view >= 0)
		s->data.offset &= ~7U;
	switch (gen_below(g, 8)) {
	case 0:
		s->frames = gen_random(g);
		break;
	case 1:
		s->frames = p->buffer * 2;
		break;
	default:
		s->frames = gen_below(g, 32);
	}
	/*
	 * From no address silence is written, as much as is asked for: where
	 * appl_ptr is far behind, a stock kernel then goes on for years.
	 */
	if (s->data.view < 0 && !s->data.address)
		s->frames %= 4096;
}

static void gen_state(struct pcm_gen *g, const struct pcm_sim_look *look,
		      struct pcm_step *s)
{
	static const unsigned int cmds[] = {
		SNDRV_PCM_IOCTL_PREPARE, SNDRV_PCM_IOCTL_START,
		SNDRV_PCM_IOCTL_START, SNDRV_PCM_IOCTL_PREPARE,
		SNDRV_PCM_IOCTL_PAUSE, SNDRV_PCM_IOCTL_PAUSE,
		SNDRV_PCM_IOCTL_DROP, SNDRV_PCM_IOCTL_DRAIN,
		SNDRV_PCM_IOCTL_RESUME, SNDRV_PCM_IOCTL_XRUN,
		SNDRV_PCM_IOCTL_RESET, SNDRV_PCM_IOCTL_HW_FREE,
		SNDRV_PCM_IOCTL_UNLINK,
	};

	s->kind = CALL_STATE;
	s->door = any_door(g);
	s->cmd = cmds[gen_below(g, ARRAY_SIZE(cmds))];
	s->value = gen_below(g, 2);
	/* Out of where little can be done. */
	if (look->state == SNDRV_PCM_STATE_OPEN) {
		s->kind = CALL_HW_PARAMS;
		s->door = g->setup.door;
	} else if (look->state != SNDRV_PCM_STATE_RUNNING &&
		   look->state != SNDRV_PCM_STATE_PREPARED && one_in(g, 3)) {
		s->cmd = SNDRV_PCM_IOCTL_PREPARE;
	} else if (one_in(g, 10)) {
		s->kind = CALL_SW_PARAMS;
		s->door = one_in(g, 2) ? DOOR_32 : DOOR_64;
	}
}

static void gen_device(struct pcm_gen *g, const struct pcm_dev *p, struct pcm_step *s)
{
	static const int results[] = { 0, 0, 0, -EPIPE, -EINVAL, -EIO };
	unsigned int r = gen_below(g, 16);

	s->kind = CALL_DEVICE;
	s->cmd = PCM_SIM_ADVANCE;
	if (r == 0) {
		s->cmd = PCM_SIM_SUSPEND;
	} else if (r == 1) {
		s->cmd = PCM_SIM_XRUN;
	} else if (r < 4) {
		s->cmd = PCM_SIM_ACK_RESULT;
		s->value = results[gen_below(g, ARRAY_SIZE(results))];
	} else if (g->goes && r < 6) {
		s->cmd = one_in(g, 4) ? PCM_SIM_UNPLUG : PCM_SIM_DISCONNECT;
	} else if (g->setup.buffer > g->setup.period && one_in(g, 2)) {
		/* What an interrupt finds must have moved on by a period. */
		s->flags = PCM_SIM_ELAPSED;
		s->value = g->setup.period + gen_below(g, p->buffer - g->setup.period);
	} else {
		s->value = gen_below(g, p->buffer);
	}
}

void gen_step(struct pcm_gen *g, const struct pcm_dev *p,
	      const struct pcm_sim_look *look, struct pcm_step *s)
{
	unsigned int r = gen_below(g, 100);

	memset(s, 0, sizeof(*s));
	s->fill = gen_random(g);
	s->thread = g->threads ? (int)gen_below(g, GEN_THREADS) : -1;
	if (r < 64) {
		gen_sync(g, p, look, s);
	} else if (r < 66) {
		s->kind = CALL_HWSYNC;
		s->door = any_door(g);
		s->cmd = SNDRV_PCM_IOCTL_HWSYNC;
	} else if (r < 70) {
		s->kind = CALL_DELAY;
		gen_frames(g, p, s, SNDRV_PCM_IOCTL_DELAY, IOCTL_DELAY32);
	} else if (r < 73) {
		s->kind = CALL_REWIND;
		gen_frames(g, p, s, SNDRV_PCM_IOCTL_REWIND, IOCTL_REWIND32);
	} else if (r < 76) {
		s->kind = CALL_FORWARD;
		gen_frames(g, p, s, SNDRV_PCM_IOCTL_FORWARD, IOCTL_FORWARD32);
	} else if (r < 80) {
		s->kind = r < 78 ? CALL_STATUS : CALL_STATUS_EXT;
		gen_status(g, s, r >= 78);
	} else if (r < 85) {
		gen_transfer(g, p, s);
	} else if (r < 86) {
		s->kind = CALL_PVERSION;
		gen_frames(g, p, s, SNDRV_PCM_IOCTL_PVERSION, SNDRV_PCM_IOCTL_PVERSION);
	} else if (r < 93) {
		gen_state(g, look, s);
	} else {
		gen_device(g, p, s);
	}
}
