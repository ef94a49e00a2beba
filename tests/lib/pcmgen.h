/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator behind pcmplay.c: which stream, and which call next. */
#ifndef SHORTPATH_PCMGEN_H
#define SHORTPATH_PCMGEN_H

#include "pcmplay.h"

struct pcm_gen {
	__u64 random;
	bool x32;		/* has this kernel that door? */
	bool threads;		/* several take turns */
	/* where arguments and transferred frames are */
	const struct mem *args, *data;
	/* the stream */
	struct pcm_setup setup;
	int device, stream;
	int target;		/* the state that it is brought into at first */
	bool goes;		/* it is disconnected on the way */
	bool linked;		/* to the device's other stream */
};

#define GEN_THREADS	3

__u64 gen_random(struct pcm_gen *g);
unsigned int gen_below(struct pcm_gen *g, unsigned int n);
/* The stream of a sequence. */
void gen_stream(struct pcm_gen *g, __u64 seed, unsigned long sequence);
/* The next call, on a stream that is now as LOOK says. */
void gen_step(struct pcm_gen *g, const struct pcm_dev *p,
	      const struct pcm_sim_look *look, struct pcm_step *s);
/* A pattern that no small number and no time of day looks like. */
void gen_fill(__u64 seed, unsigned char *mem, size_t len);

#endif /* SHORTPATH_PCMGEN_H */
