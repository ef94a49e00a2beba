/* SPDX-License-Identifier: GPL-2.0-only */
/* A sound card without a clock: kernel/pcm_sim, from a test program. */
#ifndef SHORTPATH_PCMSIM_H
#define SHORTPATH_PCMSIM_H

#include "../../kernel/pcm_sim/pcm_sim_uapi.h"
#include "pcmdev.h"

struct pcm_sim {
	int fd;
	int card;
	struct pcm_sim_trace *trace;	/* PCM_SIM_STREAMS of them */
};

/* A card with these devices (bits); bails. */
void pcm_sim_up(struct pcm_sim *sim, unsigned int devices);
/* The card goes; its own files may still be open. */
void pcm_sim_down(struct pcm_sim *sim);

static inline struct pcm_sim_trace *pcm_sim_trace_of(struct pcm_sim *sim,
						     const struct pcm_dev *p)
{
	return &sim->trace[p->device * 2 + p->stream];
}

/* One of PCM_SIM_* for this stream; 0 or a negative errno. */
long pcm_sim_try(struct pcm_sim *sim, const struct pcm_dev *p, unsigned int cmd,
		 int value, unsigned int flags);
/* The same; bails when it fails. */
void pcm_sim_do(struct pcm_sim *sim, const struct pcm_dev *p, unsigned int cmd,
		int value, unsigned int flags);
/* What is in its buffer; 0 or a negative errno. */
long pcm_sim_take(struct pcm_sim *sim, const struct pcm_dev *p, void *to, size_t size);
void pcm_sim_look(struct pcm_sim *sim, const struct pcm_dev *p,
		  struct pcm_sim_look *look);

#endif /* SHORTPATH_PCMSIM_H */
