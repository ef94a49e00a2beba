// SPDX-License-Identifier: GPL-2.0-only
/*
 * A player, period by period: what alsa-lib does in each pass where it has no
 * mapped status and control, and a tone to play. What is measured is the share of
 * its processor time that goes into the PCM's ioctls.
 *
 * Only the counted clock makes shares that are the same everywhere, so there is no
 * other.
 */
#include <poll.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kernel_text.h"
#include "pcm_bench.h"
#include "profile.h"

#define RATE 48000
#define PERIOD 32
#define BUFFER 256
#define CHANNELS 2
#define PROFILE_LINES 24
#define PATIENCE_MS 2000

#define ASK (SNDRV_PCM_SYNC_PTR_APPL | SNDRV_PCM_SYNC_PTR_AVAIL_MIN)

struct pointers32 {
	__u32 flags;
	struct {
		__s32 state, pad;
		__u32 hw_ptr;
		__u32 more[13];
	} status;
	struct {
		__u32 appl_ptr, avail_min;
		__u32 more[14];
	} control;
};

/**
 * struct player - a stream that is fed
 * @stream: the stream
 * @layout: native or compat32
 * @enter: how its ioctls are made
 * @pointers: argument of SYNC_PTR, in low memory
 * @area: the stream's buffer
 * @hw_ptr: as SYNC_PTR said last
 * @appl_ptr: what has been written
 * @phase: of the tone
 */
struct player {
	struct stream stream;
	enum layout layout;
	enter_fn enter;
	void *pointers;
	__s16 *area;
	unsigned long hw_ptr;
	unsigned long appl_ptr;
	__u32 phase;
};

static const struct stream_shape mapped = {
	.access = SNDRV_PCM_ACCESS_MMAP_INTERLEAVED, .device = 0,
	.rate = RATE, .period = PERIOD, .buffer = BUFFER,
};

static int sync32(struct player *p, unsigned int flags)
{
	struct pointers32 *s = p->pointers;

	s->flags = flags;
	s->control.appl_ptr = p->appl_ptr;
	s->control.avail_min = PERIOD;
	if (p->enter(p->stream.fd, _IOWR('A', 0x23, struct pointers32), s) < 0)
		return -1;
	p->hw_ptr = s->status.hw_ptr;
	return 0;
}

static int sync64(struct player *p, unsigned int flags)
{
	struct snd_pcm_sync_ptr *s = p->pointers;

	s->flags = flags;
	s->c.control.appl_ptr = p->appl_ptr;
	s->c.control.avail_min = PERIOD;
	if (p->enter(p->stream.fd, SNDRV_PCM_IOCTL_SYNC_PTR, s) < 0)
		return -1;
	p->hw_ptr = s->s.status.hw_ptr;
	return 0;
}

static int sync_pointers(struct player *p, unsigned int flags)
{
	return p->layout == COMPAT32 ? sync32(p, flags) : sync64(p, flags);
}

static unsigned long room(const struct player *p)
{
	return p->hw_ptr + BUFFER - p->appl_ptr;
}

/* A triangle: no more work than a player has that mixes nothing. */
static void write_tone(struct player *p, unsigned long frames)
{
	unsigned long i, at;
	__s16 value;

	for (i = 0; i < frames; i++) {
		at = (p->appl_ptr + i) % BUFFER;
		p->phase += 0x02000000;
		value = (__s16)((p->phase >> 16 ^ (p->phase & 0x80000000 ? 0x7fff : 0)) >> 2);
		p->area[CHANNELS * at] = value;
		p->area[CHANNELS * at + 1] = value;
	}
}

/*
 * One pass: wait; snd_pcm_state(), snd_pcm_avail() (which is two calls),
 * snd_pcm_mmap_begin(), the tone, snd_pcm_mmap_commit().
 */
static int pass(struct player *p)
{
	struct pollfd writable = { .fd = p->stream.fd, .events = POLLOUT };

	if (poll(&writable, 1, PATIENCE_MS) != 1) {
		fprintf(stderr, "%s: nothing is played\n", TOOL);
		return -1;
	}
	if (sync_pointers(p, ASK) || sync_pointers(p, ASK | SNDRV_PCM_SYNC_PTR_HWSYNC) ||
	    sync_pointers(p, ASK) || sync_pointers(p, ASK))
		return -1;
	while (room(p) >= PERIOD) {
		write_tone(p, PERIOD);
		p->appl_ptr += PERIOD;
		if (sync_pointers(p, 0))
			return -1;
	}
	return 0;
}

static int play(struct player *p, long seconds)
{
	long passes = seconds * RATE / PERIOD;

	while (passes--)
		if (pass(p))
			return -1;
	return 0;
}

static int fill(struct player *p)
{
	while (room(p) >= PERIOD) {
		write_tone(p, PERIOD);
		p->appl_ptr += PERIOD;
	}
	return sync_pointers(p, 0);
}

static int begin(struct player *p)
{
	if (ioctl(p->stream.fd, SNDRV_PCM_IOCTL_PREPARE))
		return pcm_complain("PREPARE");
	if (fill(p) || ioctl(p->stream.fd, SNDRV_PCM_IOCTL_START))
		return pcm_complain("starting to play");
	return 0;
}

static int open_player(struct player *p)
{
	size_t size = BUFFER * CHANNELS * sizeof(*p->area);

	p->enter = enter_as(p->layout);
	p->pointers = low_memory(4096);
	if (!p->pointers || stream_open(&p->stream, &mapped, true))
		return -1;
	p->area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->stream.fd,
		       SNDRV_PCM_MMAP_OFFSET_DATA);
	if (p->area != MAP_FAILED)
		return 0;
	stream_close(&p->stream);
	return pcm_complain("mmap");
}

static void row(const struct pcm_options *opt, const char *layout, const char *what,
		double percent)
{
	printf("pcm\tplay-%s%s\ticount\tpercent\t%s\t%.2f\n", layout, what, opt->side, percent);
}

static int measure(const struct pcm_options *opt, enum layout layout)
{
	struct player p = { .layout = layout };
	struct profile *profile;
	struct share share;
	int ret;

	if (open_player(&p))
		return -1;
	/* the first second is not looked at */
	ret = begin(&p) ? -1 : play(&p, 1);
	profile = ret ? NULL : profile_begin();
	if (profile) {
		ret = play(&p, opt->seconds);
		fprintf(stderr, "profile of a player, %s, %s module:\n", layout_names[layout],
			opt->side);
		ret = profile_end(profile, &share, PROFILE_LINES) || ret ? -1 : 0;
		if (!ret) {
			row(opt, layout_names[layout], "", share.self);
			row(opt, layout_names[layout], "-inclusive", share.all);
		}
	}
	stream_close(&p.stream);
	return profile ? ret : -1;
}

/**
 * bench_play() - the player, as a 64-bit and as a 32-bit program
 * @opt: command line, with the side that this module is
 *
 * Return: 0, or -1 after a message.
 */
int bench_play(const struct pcm_options *opt)
{
	static const enum layout layouts[] = { NATIVE, COMPAT32 };
	size_t i;
	int r, ret = 0;

	if (opt->plan.clock != BENCH_ICOUNT) {
		fprintf(stderr, "%s: play needs the counted clock\n", TOOL);
		return -1;
	}
	if (kernel_text_open())
		return -1;
	for (r = 0; !ret && r < opt->plan.rounds; r++)
		for (i = 0; !ret && i < ARRAY_SIZE(layouts); i++)
			if (layout_is_there(layouts[i]))
				ret = measure(opt, layouts[i]);
	kernel_text_close();
	return ret;
}
