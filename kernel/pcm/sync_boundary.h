/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where hw_ptr and appl_ptr wrap for a program with 32-bit pointers: pure
 * arithmetic, also tested in user space.
 *
 * Such a program sees both modulo a boundary that fits 31 bits: the buffer size
 * doubled as often as it stays at or below 0x7fffffff less the buffer size; the
 * buffer size itself where even that is more; 0x7fffffff without a buffer. To
 * work it out, and to divide by it, is dear and hardly ever needed.
 */
#ifndef SHORTPATH_SYNC_BOUNDARY_H
#define SHORTPATH_SYNC_BOUNDARY_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/*
 * No boundary is less. Let b be the buffer size and r = 0x7fffffff - b the room.
 * If b > r, then b > 0x3fffffff, and b is the boundary. Otherwise r >= 2^30, and
 * some doubling of b lies in (r / 2, r]: the boundary is more than 2^29.
 */
#define SYNC_BOUNDARY_LEAST	0x20000000UL /* 2^29 */

/**
 * sync_below_boundary() - can the two pointers be handed out as they are
 * @hw_ptr: in frames
 * @appl_ptr: in frames
 *
 * Return: false when they must be compared with the boundary itself.
 */
static inline bool sync_below_boundary(unsigned long hw_ptr,
				       unsigned long appl_ptr)
{
	return (hw_ptr | appl_ptr) < SYNC_BOUNDARY_LEAST;
}

/**
 * sync_wrap() - a pointer as a program with 32-bit pointers sees it
 * @ptr: in frames
 * @boundary: not 0
 *
 * Return: @ptr modulo @boundary, without a division where it is below.
 */
static inline unsigned long sync_wrap(unsigned long ptr, unsigned long boundary)
{
	return ptr < boundary ? ptr : ptr % boundary;
}

#endif /* SHORTPATH_SYNC_BOUNDARY_H */
