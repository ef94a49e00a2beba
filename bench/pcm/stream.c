// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream of snd-dummy, opened and configured by system calls alone: what is
 * measured is the kernel, whatever alsa-lib is installed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pcm_bench.h"

#define CARD 0
#define CHANNELS 2

/* How far ahead of the hardware the program is when it starts to play: a second. */
#define LEAD_FRAMES 8192
/* How much has been recorded before it starts to read. */
#define RECORDED_FRAMES 512
#define PATIENCE_US 2000000
#define NAP_US 5000

static struct snd_mask *mask(struct snd_pcm_hw_params *p, int which)
{
	return &p->masks[which - SNDRV_PCM_HW_PARAM_FIRST_MASK];
}

static void only(struct snd_pcm_hw_params *p, int which, unsigned int bit)
{
	memset(mask(p, which), 0, sizeof(struct snd_mask));
	mask(p, which)->bits[bit / 32] = 1U << (bit % 32);
}

static void exactly(struct snd_pcm_hw_params *p, int which, unsigned int value)
{
	p->intervals[which - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL] = (struct snd_interval) {
		.min = value, .max = value, .integer = 1,
	};
}

static int set_hw_params(const struct stream *s)
{
	const struct stream_shape *shape = s->shape;
	struct snd_pcm_hw_params p = { .rmask = ~0U, .info = ~0U };
	size_t i;

	memset(p.masks, 0xff, sizeof(p.masks));
	for (i = 0; i < ARRAY_SIZE(p.intervals); i++)
		p.intervals[i].max = ~0U;
	only(&p, SNDRV_PCM_HW_PARAM_ACCESS, shape->access);
	only(&p, SNDRV_PCM_HW_PARAM_FORMAT, (unsigned int)SNDRV_PCM_FORMAT_S16_LE);
	exactly(&p, SNDRV_PCM_HW_PARAM_CHANNELS, CHANNELS);
	exactly(&p, SNDRV_PCM_HW_PARAM_RATE, shape->rate);
	exactly(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, shape->period);
	exactly(&p, SNDRV_PCM_HW_PARAM_BUFFER_SIZE, shape->buffer);
	return ioctl(s->fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p) ? pcm_complain("HW_PARAMS") : 0;
}

/* The stream starts when it is told to and never stops by itself. */
static int set_sw_params(const struct stream *s)
{
	struct snd_pcm_sw_params p = {
		.period_step = 1, .avail_min = s->shape->period,
		.start_threshold = ~0UL >> 1, .stop_threshold = ~0UL >> 1,
		.proto = SNDRV_PCM_VERSION,
	};

	return ioctl(s->fd, SNDRV_PCM_IOCTL_SW_PARAMS, &p) ? pcm_complain("SW_PARAMS") : 0;
}

/**
 * stream_open() - open and configure one
 * @s: where it is stored
 * @shape: its parameters
 * @playback: whether it plays
 *
 * Return: 0, or -1 after a message.
 */
int stream_open(struct stream *s, const struct stream_shape *shape, bool playback)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/snd/pcmC%dD%d%c", CARD, shape->device,
		 playback ? 'p' : 'c');
	s->shape = shape;
	s->playback = playback;
	s->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0)
		return pcm_complain(path);
	if (!set_hw_params(s) && !set_sw_params(s))
		return 0;
	stream_close(s);
	return -1;
}

static int run_ahead(const struct stream *s)
{
	snd_pcm_uframes_t frames = LEAD_FRAMES;

	return ioctl(s->fd, SNDRV_PCM_IOCTL_FORWARD, &frames) ? pcm_complain("FORWARD") : 0;
}

static int wait_for_frames(const struct stream *s)
{
	snd_pcm_sframes_t recorded = 0;
	int waited;

	for (waited = 0; waited < PATIENCE_US; waited += NAP_US) {
		if (ioctl(s->fd, SNDRV_PCM_IOCTL_DELAY, &recorded))
			return pcm_complain("DELAY");
		if (recorded >= RECORDED_FRAMES)
			return 0;
		usleep(NAP_US);
	}
	fprintf(stderr, "%s: nothing is recorded\n", TOOL);
	return -1;
}

/**
 * stream_begin() - start the stream anew
 * @s: the stream
 *
 * It is running then, and a few hundred frames can be taken back (playback) or
 * read (capture).
 *
 * Return: 0, or -1 after a message.
 */
int stream_begin(const struct stream *s)
{
	ioctl(s->fd, SNDRV_PCM_IOCTL_DROP);
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_PREPARE))
		return pcm_complain("PREPARE");
	if (s->playback && run_ahead(s))
		return -1;
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_START))
		return pcm_complain("START");
	return s->playback ? 0 : wait_for_frames(s);
}

/**
 * stream_close() - close it
 * @s: the stream
 */
void stream_close(struct stream *s)
{
	close(s->fd);
	s->fd = -1;
}
