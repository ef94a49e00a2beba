// SPDX-License-Identifier: GPL-2.0-only
/*
 * Play a tone with nothing but system calls. Where the sound card is, and how far
 * we are, goes through one ioctl, SYNC_PTR, as with alsa-lib wherever the kernel
 * cannot share that with the program by mapped memory.
 *
 *   cc -O2 -o pcm-play docs/examples/pcm-play.c
 *   ./pcm-play /dev/snd/pcmC0D0p 1
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <sound/asound.h>

#define RATE		48000
#define CHANNELS	2
#define PERIOD		1024UL	/* frames; we are woken once a period */
#define BUFFER		(16 * PERIOD)
#define TIMED_CALLS	200

static void only(struct snd_pcm_hw_params *p, int mask, unsigned int bit)
{
	struct snd_mask *m = &p->masks[mask - SNDRV_PCM_HW_PARAM_FIRST_MASK];

	memset(m, 0, sizeof(*m));
	m->bits[0] = 1U << bit;
}

static void exactly(struct snd_pcm_hw_params *p, int interval, unsigned int value)
{
	struct snd_interval *i = &p->intervals[interval - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];

	*i = (struct snd_interval) { .min = value, .max = value, .integer = 1 };
}

/* Everything is possible but what we name: 16 bits, stereo, mapped. */
static int set_hw_params(int fd)
{
	struct snd_pcm_hw_params p = { .rmask = ~0U, .info = ~0U };
	int i;

	memset(p.masks, 0xff, sizeof(p.masks));
	for (i = 0; i <= SNDRV_PCM_HW_PARAM_LAST_INTERVAL - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL; i++)
		p.intervals[i].max = ~0U;
	only(&p, SNDRV_PCM_HW_PARAM_ACCESS, SNDRV_PCM_ACCESS_MMAP_INTERLEAVED);
	only(&p, SNDRV_PCM_HW_PARAM_FORMAT, (unsigned int)SNDRV_PCM_FORMAT_S16_LE);
	exactly(&p, SNDRV_PCM_HW_PARAM_CHANNELS, CHANNELS);
	exactly(&p, SNDRV_PCM_HW_PARAM_RATE, RATE);
	exactly(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, PERIOD);
	exactly(&p, SNDRV_PCM_HW_PARAM_BUFFER_SIZE, BUFFER);
	return ioctl(fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p);
}

static int set_sw_params(int fd)
{
	struct snd_pcm_sw_params p = {
		.period_step = 1, .avail_min = PERIOD,
		.start_threshold = BUFFER, .stop_threshold = BUFFER,
		.proto = SNDRV_PCM_VERSION,
	};

	return ioctl(fd, SNDRV_PCM_IOCTL_SW_PARAMS, &p);
}

/*
 * Where the card is: sync->s.status.hw_ptr. The driver is asked; our own position
 * and the wake-up threshold come from the kernel, too, and are left as they are.
 */
static int ask(int fd, struct snd_pcm_sync_ptr *sync)
{
	sync->flags = SNDRV_PCM_SYNC_PTR_HWSYNC | SNDRV_PCM_SYNC_PTR_APPL |
		      SNDRV_PCM_SYNC_PTR_AVAIL_MIN;
	return ioctl(fd, SNDRV_PCM_IOCTL_SYNC_PTR, sync);
}

/* Tell the kernel that @frames more are ready to be played. */
static int commit(int fd, struct snd_pcm_sync_ptr *sync, unsigned long frames)
{
	sync->c.control.appl_ptr += frames;
	sync->flags = SNDRV_PCM_SYNC_PTR_AVAIL_MIN;
	return ioctl(fd, SNDRV_PCM_IOCTL_SYNC_PTR, sync);
}

/* A period of a soft square wave of 375 Hz, behind what has been written. */
static void write_period(short *area, unsigned long appl_ptr)
{
	unsigned long i, at;

	for (i = 0; i < PERIOD; i++) {
		at = (appl_ptr + i) % BUFFER;
		area[2 * at] = (appl_ptr + i) & 64 ? 2000 : -2000;
		area[2 * at + 1] = area[2 * at];
	}
}

/* Write whatever there is room for. */
static int refill(int fd, struct snd_pcm_sync_ptr *sync, short *area)
{
	if (ask(fd, sync))
		return -1;
	while (sync->c.control.appl_ptr + PERIOD <= sync->s.status.hw_ptr + BUFFER) {
		write_period(area, sync->c.control.appl_ptr);
		if (commit(fd, sync, PERIOD))
			return -1;
	}
	return 0;
}

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* What a call costs while the card is playing. */
static int time_calls(int fd, struct snd_pcm_sync_ptr *sync)
{
	double start = nanoseconds();
	int i;

	for (i = 0; i < TIMED_CALLS; i++)
		if (ask(fd, sync))
			return -1;
	printf("a call takes %.0f ns\n", (nanoseconds() - start) / TIMED_CALLS);
	return 0;
}

static int play(int fd, short *area, unsigned long frames)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };
	struct snd_pcm_sync_ptr sync = { 0 };

	if (refill(fd, &sync, area) || ioctl(fd, SNDRV_PCM_IOCTL_START) ||
	    time_calls(fd, &sync))
		return -1;
	while (sync.s.status.hw_ptr < frames) {
		if (poll(&writable, 1, 1000) < 0 || refill(fd, &sync, area))
			return -1;
		if (sync.s.status.state != SNDRV_PCM_STATE_RUNNING) {
			fprintf(stderr, "we were too slow\n");
			return -1;
		}
	}
	printf("played %lu frames\n", frames);
	return ioctl(fd, SNDRV_PCM_IOCTL_DROP);
}

int main(int argc, char **argv)
{
	short *area;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: pcm-play /dev/snd/pcmCxDyp SECONDS\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0 || set_hw_params(fd) || set_sw_params(fd)) {
		perror(argv[1]);
		return 1;
	}
	area = mmap(NULL, BUFFER * CHANNELS * sizeof(*area), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, SNDRV_PCM_MMAP_OFFSET_DATA);
	if (area == MAP_FAILED || ioctl(fd, SNDRV_PCM_IOCTL_PREPARE)) {
		perror(argv[1]);
		return 1;
	}
	if (play(fd, area, strtoul(argv[2], NULL, 10) * RATE)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
