/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sound card in software without a clock: card.c is the card and its PCM
 * devices, control.c the file through which a test program makes and moves it.
 */
#ifndef PCM_SIM_CARD_H
#define PCM_SIM_CARD_H

#include <sound/core.h>
#include <sound/pcm.h>

#include "pcm_sim_uapi.h"

/* One direction of one device. Guarded by the stream lock once it is open. */
struct sim_stream {
	struct pcm_sim_trace *trace;
	snd_pcm_uframes_t pos;		/* in the buffer */
	u64 frames;			/* since prepare */
	int ack_result;
	bool xrun;
};

struct sim_file;

struct sim_card {
	struct snd_card *card;
	struct sim_file *owner;		/* control.c's */
	struct snd_pcm *pcm[PCM_SIM_DEVICES];
	struct sim_stream stream[PCM_SIM_STREAMS];
};

/* TRACE: PCM_SIM_STREAMS of them; they outlive the card. */
struct sim_card *sim_card_new(struct device *parent, unsigned long devices,
			      struct pcm_sim_trace *trace);
int sim_card_move(struct sim_card *sim, unsigned int cmd,
		  const struct pcm_sim_request *req);
int sim_card_look(struct sim_card *sim, struct pcm_sim_look *look);
int sim_card_take(struct sim_card *sim, const struct pcm_sim_take *take);

#endif
