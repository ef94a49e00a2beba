/* SPDX-License-Identifier: GPL-2.0-only */
/* Which snd-pcm is loaded: the stock one or ours, both in one boot. */
#ifndef SHORTPATH_PCMMOD_H
#define SHORTPATH_PCMMOD_H

#include <stdbool.h>

enum pcm_set { PCM_STOCK, PCM_OURS };

/*
 * Unload everything that uses snd-pcm, load that one, then DRIVERS (names as
 * "snd-dummy pcm_devs=4", NULL last); bails. Nothing may be open. A name behind
 * "?" may be one that this kernel has not.
 */
void pcm_load(enum pcm_set set, const char *const drivers[]);
/* Unload all of it; bails. */
void pcm_unload(void);
/* Is it our module, with its off switch? */
bool pcm_is_ours(void);
/* The off switch; ours only. */
void pcm_short(bool on);
/* However the program ends, the next one finds no sound module loaded. */
void pcm_unload_at_exit(void);
/* Where the stock module comes from. */
const char *pcm_stock_path(void);

#endif /* SHORTPATH_PCMMOD_H */
