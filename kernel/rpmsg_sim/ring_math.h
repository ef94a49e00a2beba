/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Split-ring arithmetic of the device side, pure (see plain.h for how to test).
 *
 * The driver owns the avail ring and the descriptor table and may write
 * anything there at any time. So each value is read from the shared memory
 * exactly once, by vring_dev.c, and judged here as a plain number; whatever
 * these functions let pass is safe to use as an index, a length or a range.
 *
 * Two kinds of fault: a wrong index or head means that the two sides no longer
 * agree where they are, and the ring is dead until a reset (ring_fault_fatal());
 * any other fault spoils one chain only.
 */
#ifndef SIM_RING_MATH_H
#define SIM_RING_MATH_H

#include "plain.h"

#define RING_NUM_MIN	2u	/* entries of a ring, a power of two */
#define RING_NUM_MAX	256u
#define RING_MAX_SEGS	8u	/* descriptors of a chain; rpmsg uses one */
#define RING_MAX_BYTES	4096u	/* bytes of a chain; rpmsg uses 512 */

/* flags of a split-ring descriptor (virtio 1.2, 2.7.5) */
#define RING_F_NEXT	1u
#define RING_F_WRITE	2u

enum ring_fault {
	RING_OK,
	RING_BAD_INDEX,		/* more chains made available than entries */
	RING_BAD_HEAD,		/* a head outside the descriptor table */
	RING_BAD_NEXT,		/* a next outside the descriptor table */
	RING_BAD_FLAGS,		/* unknown flags, or indirect (never offered) */
	RING_BAD_DIRECTION,	/* readable where writable is due, or the reverse */
	RING_BAD_RANGE,		/* empty, or past the end of the address space */
	RING_TOO_MANY,		/* more descriptors than allowed, or a loop */
	RING_TOO_LONG,		/* more bytes than allowed */
};

/**
 * struct ring_desc - one descriptor, in the CPU's byte order
 * @addr: physical address of the buffer
 * @len: bytes of the buffer
 * @flags: RING_F_*
 * @next: next descriptor of the chain, if RING_F_NEXT
 */
struct ring_desc {
	u64 addr;
	u32 len;
	u16 flags;
	u16 next;
};

/**
 * struct ring_walk - a walk along one descriptor chain
 * @num: entries of the descriptor table
 * @next: the descriptor to look at now; always below @num
 * @seen: descriptors accepted so far; never above RING_MAX_SEGS
 * @bytes: bytes accepted so far; never above RING_MAX_BYTES
 * @writable: the chain is for the device to write
 * @more: there is a descriptor to look at
 */
struct ring_walk {
	u16 num;
	u16 next;
	u16 seen;
	u32 bytes;
	bool writable;
	bool more;
};

/* Whether a ring may have @num entries. */
static inline bool ring_num_ok(u32 num)
{
	return num >= RING_NUM_MIN && num <= RING_NUM_MAX && !(num & (num - 1));
}

/* The place in a ring of @num entries that the free-running @idx names. */
static inline u16 ring_slot(u16 idx, u16 num)
{
	return idx & (num - 1);
}

/**
 * ring_pending() - how many chains the driver has added
 * @avail: the driver's free-running index
 * @last: ours: how many chains we have taken so far, modulo 2^16
 * @num: entries of the ring
 * @pending: set to the number of chains to take, at most @num
 *
 * Return: RING_OK or RING_BAD_INDEX.
 */
static inline enum ring_fault ring_pending(u16 avail, u16 last, u16 num,
					   u16 *pending)
{
	u16 n = avail - last;

	if (n > num) {
		*pending = 0;
		return RING_BAD_INDEX;
	}
	*pending = n;
	return RING_OK;
}

/**
 * ring_walk_begin() - start a walk
 * @w: the walk
 * @num: entries of the descriptor table
 * @head: first descriptor of the chain
 * @writable: every buffer of the chain must be for the device to write;
 *	otherwise every buffer must be for the device to read
 *
 * Return: RING_OK or RING_BAD_HEAD.
 */
static inline enum ring_fault ring_walk_begin(struct ring_walk *w, u16 num,
					      u16 head, bool writable)
{
	memset(w, 0, sizeof(*w));
	if (head >= num)
		return RING_BAD_HEAD;
	w->num = num;
	w->next = head;
	w->writable = writable;
	w->more = true;
	return RING_OK;
}

/**
 * ring_walk_step() - judge the descriptor @w->next and go on
 * @w: the walk; @w->more must be true
 * @d: what the driver wrote there
 *
 * A loop needs no table of visited descriptors: it meets the limit on their
 * number. After a fault the walk is over.
 *
 * Return: RING_OK, then @d may be used and @w->more says whether there is
 * another; or the fault.
 */
static inline enum ring_fault ring_walk_step(struct ring_walk *w,
					     const struct ring_desc *d)
{
	w->more = false;
	if (w->seen >= RING_MAX_SEGS)
		return RING_TOO_MANY;
	if (d->flags & ~(RING_F_NEXT | RING_F_WRITE))
		return RING_BAD_FLAGS;
	if (!!(d->flags & RING_F_WRITE) != w->writable)
		return RING_BAD_DIRECTION;
	if (!d->len || d->addr + (d->len - 1) < d->addr)
		return RING_BAD_RANGE;
	if (d->len > RING_MAX_BYTES - w->bytes)
		return RING_TOO_LONG;
	if (d->flags & RING_F_NEXT) {
		if (d->next >= w->num)
			return RING_BAD_NEXT;
		w->next = d->next;
		w->more = true;
	}
	w->seen++;
	w->bytes += d->len;
	return RING_OK;
}

/* Whether after @fault nothing more can be taken from the ring. */
static inline bool ring_fault_fatal(enum ring_fault fault)
{
	return fault == RING_BAD_INDEX || fault == RING_BAD_HEAD;
}

/* A few words for the log. */
static inline const char *ring_fault_name(enum ring_fault fault)
{
	switch (fault) {
	case RING_OK:
		return "no fault";
	case RING_BAD_INDEX:
		return "index ahead of the ring";
	case RING_BAD_HEAD:
		return "head outside the table";
	case RING_BAD_NEXT:
		return "next outside the table";
	case RING_BAD_FLAGS:
		return "unknown descriptor flags";
	case RING_BAD_DIRECTION:
		return "wrong direction";
	case RING_BAD_RANGE:
		return "bad address range";
	case RING_TOO_MANY:
		return "chain has too many descriptors";
	case RING_TOO_LONG:
		return "chain has too many bytes";
	}
	return "unknown fault";
}

#endif
