/* SPDX-License-Identifier: GPL-2.0-only */
/* Where this process spends its processor time, by sampling. */
#ifndef PROFILE_H
#define PROFILE_H

/**
 * struct share - what a PCM's ioctl has of a process's time, in percent
 * @self: its own functions and those that access user memory
 * @all: it and all that it calls
 * @samples: of how many
 */
struct share {
	double self;
	double all;
	long samples;
};

struct profile;

struct profile *profile_begin(void);
int profile_end(struct profile *p, struct share *share, int lines);

#endif
