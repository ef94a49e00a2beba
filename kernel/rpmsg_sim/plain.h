/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the pure headers stand on.
 *
 * ring_math.h, message.h and pace.h hold the logic of rpmsg_sim that needs no
 * kernel: they touch nothing but their arguments, take no lock, allocate
 * nothing, and compile in user space as well, where the unit tests run them
 * exhaustively under ASan and UBSan:
 *
 *	cc -std=gnu11 -fsanitize=address,undefined -Ikernel/rpmsg_sim test.c
 *
 * with `#include "ring_math.h"` and so on; no other flag or file is needed.
 */
#ifndef SIM_PLAIN_H
#define SIM_PLAIN_H

#ifdef __KERNEL__

#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

#endif

#endif
