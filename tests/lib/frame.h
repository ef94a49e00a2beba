/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ethernet frames that say of themselves what they must look like: who sent
 * them, which one this is, how long it is; each byte behind follows from that.
 * So a frame that is cut, mixed up or overwritten too early shows.
 *
 *   destination  02 LL LL LL LL 00   length
 *   source       02 SS NN NN NN NN   sender, sequence number
 *   ethertype    88 b5 or 88 b6 by turns
 */
#ifndef SHORTPATH_FRAME_H
#define SHORTPATH_FRAME_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define FRAME_TYPE	0x88b5	/* IEEE 802 local experimental, this and next */
#define FRAME_MIN	14

struct frame {
	__u8 source;
	__u32 seq;
	__u32 len;
};

__u16 frame_type(__u32 seq);
/* Write LEN >= FRAME_MIN bytes. */
void frame_write(void *buf, __u32 len, __u8 source, __u32 seq);
/* Bytes FROM .. FROM + LEN - 1 of a frame of TOTAL bytes: for segments. */
void frame_write_part(void *buf, __u32 from, __u32 len, __u32 total,
		      __u8 source, __u32 seq);
/* One of ours (by its header); F says which. */
bool frame_parse(const void *buf, size_t len, struct frame *f);
/* NULL when the first LEN bytes are those of F, else what is wrong. */
const char *frame_fault(const void *buf, size_t len, const struct frame *f);

#endif /* SHORTPATH_FRAME_H */
