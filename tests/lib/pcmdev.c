// SPDX-License-Identifier: GPL-2.0-only
/* PCM devices by their ioctls alone, without alsa-lib. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "pcmdev.h"

/* What a 32-bit program hands over: hw_params without the fifo's long. */
#define HW_PARAMS32_SIZE	604
#define IOCTL_HW_PARAMS32	_IOC(_IOC_READ | _IOC_WRITE, 'A', 0x11, HW_PARAMS32_SIZE)

struct sw_params32 {
	__s32 tstamp_mode;
	__u32 period_step, sleep_min, avail_min, xfer_align, start_threshold,
		 stop_threshold, silence_threshold, silence_size, boundary, proto,
		 tstamp_type;
	unsigned char reserved[56];
};

#define IOCTL_SW_PARAMS32	_IOWR('A', 0x13, struct sw_params32)

int pcm_card(const char *name)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/asound/%s", name);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -1;
	link[n] = 0;
	return atoi(link + strlen("card"));
}

/* A device of this class (the first digits of its code) on the PCI bus. */
static bool pci_has(const char *class)
{
	char text[32];
	bool found = false;
	glob_t g;
	size_t i;

	if (glob("/sys/bus/pci/devices/*/class", 0, NULL, &g))
		return false;
	for (i = 0; i < g.gl_pathc; i++)
		if (!file_get(g.gl_pathv[i], text, sizeof(text)))
			found |= !strncmp(text, class, strlen(class));
	globfree(&g);
	return found;
}

static bool card_there(void *name)
{
	return pcm_card(name) >= 0;
}

bool pcm_wait_cards(void)
{
	static const struct {
		const char *name, *class, *driver;
	} cards[] = {
		{ "Intel", "0x0403", "/sys/module/snd_hda_intel" },
		{ "Audio", "0x0c0330", "/sys/module/snd_usb_audio" },
	};
	bool all = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		if (!access(cards[i].driver, F_OK) && pci_has(cards[i].class))
			all &= wait_until(card_there, (void *)cards[i].name, WAIT_MS);
	return all;
}

static void node_path(char *path, int card, int device, int stream)
{
	snprintf(path, PATH_MAX, "/dev/snd/pcmC%dD%d%c", card, device,
		 stream == PLAYBACK ? 'p' : 'c');
}

bool pcm_has(int card, int device, int stream)
{
	char path[PATH_MAX];

	node_path(path, card, device, stream);
	return !access(path, F_OK);
}

int pcm_open(struct pcm_dev *p, int card, int device, int stream)
{
	char path[PATH_MAX];

	memset(p, 0, sizeof(*p));
	p->card = card;
	p->device = device;
	p->stream = stream;
	node_path(path, card, device, stream);
	if (access(path, F_OK) && !wait_path(path, true, WAIT_MS)) {
		p->fd = -1;
		errno = ENOENT;
		return -1;
	}
	p->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return p->fd < 0 ? -1 : 0;
}

void pcm_close(struct pcm_dev *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static struct snd_interval *interval(struct snd_pcm_hw_params *h, int param)
{
	return &h->intervals[param - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];
}

static void any(struct snd_pcm_hw_params *h)
{
	size_t i;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < ARRAY_SIZE(h->masks); i++)
		h->masks[i] = (struct snd_mask){ .bits = { UINT_MAX, UINT_MAX } };
	for (i = 0; i < ARRAY_SIZE(h->intervals); i++)
		h->intervals[i].max = UINT_MAX;
	h->rmask = UINT_MAX;
	h->info = UINT_MAX;
}

static void only_mask(struct snd_pcm_hw_params *h, int param, unsigned int bit)
{
	struct snd_mask *m = &h->masks[param - SNDRV_PCM_HW_PARAM_FIRST_MASK];

	memset(m, 0, sizeof(*m));
	m->bits[bit / 32] = 1U << bit % 32;
}

static void only(struct snd_pcm_hw_params *h, int param, unsigned int value)
{
	struct snd_interval *i = interval(h, param);

	if (value)
		*i = (struct snd_interval){ .min = value, .max = value, .integer = 1 };
}

long pcm_hw_params(struct pcm_dev *p, const struct pcm_setup *s)
{
	static __thread struct snd_pcm_hw_params *h;
	long ret;

	if (!h)
		h = pcm_low_memory(sizeof(*h));
	any(h);
	only_mask(h, SNDRV_PCM_HW_PARAM_ACCESS, s->access);
	only_mask(h, SNDRV_PCM_HW_PARAM_FORMAT, s->format);
	only(h, SNDRV_PCM_HW_PARAM_CHANNELS, s->channels);
	only(h, SNDRV_PCM_HW_PARAM_RATE, s->rate);
	only(h, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, s->period);
	only(h, SNDRV_PCM_HW_PARAM_BUFFER_SIZE, s->buffer);
	ret = pcm_ioctl(s->door, p->fd, s->door == DOOR_64 ?
			SNDRV_PCM_IOCTL_HW_PARAMS : IOCTL_HW_PARAMS32, addr(h));
	if (ret)
		return ret;
	p->frame_bytes = interval(h, SNDRV_PCM_HW_PARAM_FRAME_BITS)->min / 8;
	p->channels = interval(h, SNDRV_PCM_HW_PARAM_CHANNELS)->min;
	p->buffer = interval(h, SNDRV_PCM_HW_PARAM_BUFFER_SIZE)->min;
	return 0;
}

static long sw_params64(struct pcm_dev *p, const struct pcm_setup *s)
{
	struct snd_pcm_sw_params w = {
		.tstamp_mode = s->tstamp, .period_step = 1, .avail_min = 1,
		.start_threshold = s->start ? s->start : LONG_MAX,
		.stop_threshold = s->stop ? s->stop : LONG_MAX,
		.proto = SNDRV_PROTOCOL_VERSION(2, 0, 15),
		.tstamp_type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC,
	};
	long ret = pcm_ioctl(DOOR_64, p->fd, SNDRV_PCM_IOCTL_SW_PARAMS, addr(&w));

	p->boundary = w.boundary;
	return ret;
}

static long sw_params32(struct pcm_dev *p, const struct pcm_setup *s)
{
	static __thread struct sw_params32 *w;
	long ret;

	if (!w)
		w = pcm_low_memory(sizeof(*w));
	*w = (struct sw_params32){
		.tstamp_mode = s->tstamp, .period_step = 1, .avail_min = 1,
		.start_threshold = s->start ? s->start : INT_MAX,
		.stop_threshold = s->stop ? s->stop : INT_MAX,
		.proto = SNDRV_PROTOCOL_VERSION(2, 0, 15),
		.tstamp_type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC,
	};
	ret = pcm_ioctl(s->door, p->fd, IOCTL_SW_PARAMS32, addr(w));
	p->boundary = w->boundary;
	return ret;
}

long pcm_sw_params(struct pcm_dev *p, const struct pcm_setup *s)
{
	return s->door == DOOR_64 ? sw_params64(p, s) : sw_params32(p, s);
}

long pcm_do(struct pcm_dev *p, unsigned int cmd)
{
	return pcm_ioctl(DOOR_64, p->fd, cmd, 0);
}

void pcm_ready(struct pcm_dev *p, int card, int device, int stream,
	       const struct pcm_setup *s)
{
	long ret;

	if (pcm_open(p, card, device, stream))
		bail("cannot open card %d device %d stream %d", card, device,
		     stream);
	ret = pcm_hw_params(p, s);
	if (!ret)
		ret = pcm_sw_params(p, s);
	if (!ret)
		ret = pcm_do(p, SNDRV_PCM_IOCTL_PREPARE);
	errno = -ret;
	if (ret)
		bail("cannot set up card %d device %d stream %d", card, device,
		     stream);
}

void pcm_start(struct pcm_dev *p)
{
	struct pcm_sync s = { .appl_ptr = p->buffer, .avail_min = 1 };
	long ret = 0;

	if (p->stream == PLAYBACK)
		ret = pcm_sync_ptr(NATIVE, p->fd, &s);
	if (!ret)
		ret = pcm_do(p, SNDRV_PCM_IOCTL_START);
	errno = -ret;
	if (ret)
		bail("cannot start");
}

static void look(struct pcm_dev *p, struct pcm_sync *s)
{
	long ret;

	*s = (struct pcm_sync){
		.flags = SNDRV_PCM_SYNC_PTR_APPL | SNDRV_PCM_SYNC_PTR_AVAIL_MIN,
	};
	ret = pcm_sync_ptr(NATIVE, p->fd, s);
	errno = -ret;
	if (ret)
		bail("SYNC_PTR that only looks");
}

void pcm_go(struct pcm_dev *p, int state)
{
	pcm_start(p);
	if (state == SNDRV_PCM_STATE_XRUN)
		pcm_do(p, SNDRV_PCM_IOCTL_XRUN);
	else if (state == SNDRV_PCM_STATE_DRAINING)
		pcm_do(p, SNDRV_PCM_IOCTL_DRAIN);
	else if (state == SNDRV_PCM_STATE_PAUSED)
		pcm_ioctl(DOOR_64, p->fd, SNDRV_PCM_IOCTL_PAUSE, 1);
}

int pcm_state(struct pcm_dev *p)
{
	struct pcm_sync s;

	look(p, &s);
	return s.state;
}

__u64 pcm_appl_ptr(struct pcm_dev *p)
{
	struct pcm_sync s;

	look(p, &s);
	return s.appl_ptr;
}
