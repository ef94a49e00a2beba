/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of intended differences between the stock snd-pcm and ours:
 * tests/pcm/differences, which says how it is read.
 */
#ifndef SHORTPATH_PCMTABLE_H
#define SHORTPATH_PCMTABLE_H

#include <stdbool.h>

#include "pcmplay.h"

/* Read it; rows of other kernels are left out. Bails on what it cannot read. */
void pcm_table_read(const char *path);
/*
 * Does a stock call of this outcome fall under a row after which the two may be
 * in different states? Such a call ends its sequence.
 */
bool pcm_table_ends(const struct pcm_step *s, const struct pcm_outcome *stock);
/*
 * The two outcomes differ: as some row says? Counts how often each row is used.
 */
bool pcm_table_allows(const struct pcm_step *s, const struct pcm_outcome *stock,
		      const struct pcm_outcome *ours);
/* Call FN for every row of this kernel. */
void pcm_table_each(void (*fn)(const char *name, unsigned long used));

#endif /* SHORTPATH_PCMTABLE_H */
