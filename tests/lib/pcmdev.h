/* SPDX-License-Identifier: GPL-2.0-only */
/* PCM devices by their ioctls alone, without alsa-lib. */
#ifndef SHORTPATH_PCMDEV_H
#define SHORTPATH_PCMDEV_H

#include <sound/asound.h>

#include "pcmcall.h"

enum { PLAYBACK, CAPTURE };

/* How a stream is to be set up; the zeros of an empty one mean "any". */
struct pcm_setup {
	enum pcm_door door;	/* by which it is set up */
	int access;		/* SNDRV_PCM_ACCESS_* */
	int format;		/* SNDRV_PCM_FORMAT_* */
	unsigned int channels, rate, period, buffer;
	/* software */
	int tstamp;		/* SNDRV_PCM_TSTAMP_* */
	__u64 start, stop;	/* thresholds; 0: never */
};

struct pcm_dev {
	int fd;
	int card, device, stream;
	unsigned int frame_bytes;
	unsigned int channels;
	unsigned int buffer;
	__u64 boundary;
};

/*
 * Cards on real buses come a little after their drivers: wait for those that this
 * machine must have, "Intel" on PCI and "Audio" on USB. False when one never comes.
 */
bool pcm_wait_cards(void);
/* The number of the card whose /proc/asound/NAME there is; -1. */
int pcm_card(const char *name);
/* Whether that stream is there. */
bool pcm_has(int card, int device, int stream);
/* Open, non-blocking; -1 and errno. Waits for the node to appear. */
int pcm_open(struct pcm_dev *p, int card, int device, int stream);
void pcm_close(struct pcm_dev *p);

/* Each as pcm_ioctl() returns. */
long pcm_hw_params(struct pcm_dev *p, const struct pcm_setup *s);
long pcm_sw_params(struct pcm_dev *p, const struct pcm_setup *s);
long pcm_do(struct pcm_dev *p, unsigned int cmd);

/* Open, set up and prepare; bails where that cannot be. */
void pcm_ready(struct pcm_dev *p, int card, int device, int stream,
	       const struct pcm_setup *s);
/* Running: filled (playback) and started. */
void pcm_start(struct pcm_dev *p);
/* From PREPARED to RUNNING, or on to where one more call leads from there. */
void pcm_go(struct pcm_dev *p, int state);
int pcm_state(struct pcm_dev *p);
__u64 pcm_appl_ptr(struct pcm_dev *p);

#endif /* SHORTPATH_PCMDEV_H */
