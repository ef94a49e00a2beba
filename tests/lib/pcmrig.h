/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame of a pcm test program: loads our snd-pcm and the card without a
 * clock, runs the cases, and checks after each of them that no file descriptor
 * and no child stayed behind.
 *
 * With SHORTPATH_PCM=stock in the environment the stock module is loaded: what
 * only ours does must then fail.
 */
#ifndef SHORTPATH_PCMRIG_H
#define SHORTPATH_PCMRIG_H

#include "actor.h"
#include "fds.h"
#include "file.h"
#include "module.h"
#include "pcmcall.h"
#include "pcmdev.h"
#include "pcmmem.h"
#include "pcmmod.h"
#include "pcmsim.h"
#include "tap.h"

int pcmrig_main(int argc, char **argv, const struct tap_case *cases, size_t n);
/* The same with other drivers than pcm_sim. */
int pcmrig_main_with(int argc, char **argv, const struct tap_case *cases, size_t n,
		     const char *const drivers[]);
/* Load that module, with the drivers of this program. */
void pcmrig_load(enum pcm_set set);
bool pcmrig_stock(void);
/* Does the kernel that runs have what Linux 7.3 has? */
bool pcmrig_73(void);

/* A stream of the card without a clock, ready: 2 channels, S16_LE. */
struct rig_stream {
	struct pcm_sim sim;
	struct pcm_dev p;
};

#define RIG_PERIOD	64
#define RIG_BUFFER	256
#define RIG_FRAME	4	/* bytes */

void rig_up(struct rig_stream *r, int device, int stream);
void rig_down(struct rig_stream *r);
/* Into this state; from PREPARED. */
void rig_state(struct rig_stream *r, int state);

#endif /* SHORTPATH_PCMRIG_H */
