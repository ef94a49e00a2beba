/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Positions in the FIFO of frames that one queue has taken from the AF_XDP Tx
 * ring: pure arithmetic, also tested in user space.
 *
 *        completed            given            taken
 *   ........|------------------|----------------|............
 *           tail               next             head
 *
 * [tail, next) is in the ring or with a consumer, in any state; [next, head)
 * waits for room in the ring. The completion ring is positional: entries are
 * published oldest first, so what is published is the prefix of done frames.
 * Counters run free and wrap; the size is a power of two.
 */
#ifndef SHORTPATH_TAP_FIFO_H
#define SHORTPATH_TAP_FIFO_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

struct tap_fifo {
	__u32 head;	/* frames taken */
	__u32 next;	/* frames given to the ring */
	__u32 tail;	/* frames completed */
	__u32 mask;	/* size - 1 */
};

static inline __u32 tap_fifo_room(const struct tap_fifo *fifo)
{
	return fifo->mask + 1 - (fifo->head - fifo->tail);
}

static inline __u32 tap_fifo_backlog(const struct tap_fifo *fifo)
{
	return fifo->head - fifo->next;
}

static inline __u32 tap_fifo_index(const struct tap_fifo *fifo, __u32 pos)
{
	return pos & fifo->mask;
}

/* Does a packet of @segs frames at @pos have the last position of a batch? */
static inline bool tap_fifo_marks(__u32 pos, __u32 segs, __u32 batch)
{
	return pos % batch + segs >= batch;
}

#endif /* SHORTPATH_TAP_FIFO_H */
