/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A seeded player of PCM system calls: the same seed and sequence number make
 * the same calls, with the same arguments in the same memory, whichever
 * snd-pcm is loaded, and each call's outcome is put down whole: what it
 * returned, every byte of user memory at and around its argument, what the core
 * keeps of the stream, and what the driver was asked meanwhile.
 *
 * It plays on pcm_sim, a card without a clock, so all of this is determined by
 * the calls alone. The time of day, which is not, is checked for plausibility
 * and then replaced by a mark.
 */
#ifndef SHORTPATH_PCMPLAY_H
#define SHORTPATH_PCMPLAY_H

#include "pcmcall.h"
#include "pcmdev.h"
#include "pcmmem.h"
#include "pcmsim.h"

enum pcm_kind {
	CALL_SYNC, CALL_HWSYNC, CALL_DELAY, CALL_REWIND, CALL_FORWARD,
	CALL_STATUS, CALL_STATUS_EXT, CALL_XFERI, CALL_XFERN, CALL_PVERSION,
	CALL_STATE, CALL_SW_PARAMS, CALL_HW_PARAMS, CALL_DEVICE,
	CALL_KINDS
};

/* Where an argument is: in a view of the memory, or at no such place. */
struct pcm_place {
	int view;		/* -1: at ADDRESS */
	unsigned int offset;
	__u64 address;
};

/* One call, before it is made. */
struct pcm_step {
	enum pcm_kind kind;
	enum pcm_layout layout;	/* CALL_SYNC */
	enum pcm_door door;
	unsigned int cmd;
	unsigned int size;	/* of the argument */
	struct pcm_place place;
	unsigned int flags;
	__u64 appl_ptr, avail_min;	/* CALL_SYNC; CALL_REWIND: frames, ... */
	struct pcm_place data;	/* transfers */
	__u64 frames;
	int value;		/* CALL_DEVICE, CALL_STATE */
	int thread;
	__u64 fill;		/* seed of the pattern round the argument */
	/* the stream before it */
	int device;
	int state;
	int ack_result;
	unsigned int buffer;
	__u64 was_appl_ptr, boundary, boundary32;
};

#define OUTCOME_AROUND	16
#define OUTCOME_MEM	(STATUS64_SIZE + 2 * OUTCOME_AROUND)

/* One call's outcome. Whole structs are compared: no byte is left undefined. */
struct pcm_outcome {
	__s64 ret;
	/* the core's */
	__u64 hw_ptr, appl_ptr, avail_min;
	__s64 tstamp[2], audio_tstamp[2];
	/* the driver's */
	__u64 trace, last_ack;
	__u64 data;		/* what was transferred */
	__s32 state, suspended;
	__u32 operations, acks, pointers;
	/* the user's memory */
	__u32 stray;		/* bytes of it written elsewhere */
	__u32 mem_len, argument;	/* where in mem the argument begins */
	unsigned char mem[OUTCOME_MEM];
};

struct pcm_player {
	__u64 seed;
	/* Told each step and its outcome; false ends the sequence. */
	bool (*each)(struct pcm_player *pl, const struct pcm_step *s,
		     const struct pcm_outcome *o);
	void *arg;
	unsigned long sequence, step;
	unsigned long calls;	/* made so far */
	unsigned long states[9], faults;
};

/* Once a program. */
void pcm_player_init(void);
/* Modules are loaded: make the card. */
void pcm_player_up(void);
void pcm_player_down(void);
/* Play one sequence. */
void pcm_play(struct pcm_player *pl, unsigned long sequence);

/* Does the argument's window in the outcome differ from what was put there? */
bool pcm_memory_kept(const struct pcm_step *s, const struct pcm_outcome *o);
const char *pcm_kind_name(enum pcm_kind kind);

/* One line. */
void pcm_step_text(const struct pcm_step *s, char *buf, size_t size);
/* What differs, as diag lines. */
void pcm_outcome_differ(const struct pcm_step *s, const struct pcm_outcome *a,
			const struct pcm_outcome *b);

#endif /* SHORTPATH_PCMPLAY_H */
