// SPDX-License-Identifier: GPL-2.0-only
/* Ethernet frames that say of themselves what they must look like. */
#include <string.h>

#include "frame.h"

#define NOISE	65536	/* longer than any frame, twice */

/* One run of noise; each frame's payload is it from another place on. */
static const __u8 *noise(__u8 source, __u32 seq)
{
	static __u8 table[2 * NOISE];
	static __u32 made;
	__u32 i, v = 12345;

	if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
		/* Threads that come here together write the same. */
		for (i = 0; i < sizeof(table); i++) {
			v = v * 1664525 + 1013904223;
			table[i] = v >> 24;
		}
		__atomic_store_n(&made, 1, __ATOMIC_RELEASE);
	}
	return table + (seq * 2654435761u + source * 40503u) % NOISE;
}

__u16 frame_type(__u32 seq)
{
	return FRAME_TYPE + (seq & 1);
}

static void put32(__u8 *p, __u32 v)
{
	p[0] = v >> 24;
	p[1] = v >> 16;
	p[2] = v >> 8;
	p[3] = v;
}

static __u32 get32(const __u8 *p)
{
	return (__u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void header(__u8 *h, __u32 len, __u8 source, __u32 seq)
{
	h[0] = 2;
	put32(h + 1, len);
	h[5] = 0;
	h[6] = 2;
	h[7] = source;
	put32(h + 8, seq);
	h[12] = frame_type(seq) >> 8;
	h[13] = frame_type(seq) & 255;
}

void frame_write_part(void *buf, __u32 from, __u32 len, __u32 total,
		      __u8 source, __u32 seq)
{
	__u8 h[FRAME_MIN], *p = buf;
	__u32 i;

	header(h, total, source, seq);
	for (i = 0; i < len && from + i < FRAME_MIN; i++)
		p[i] = h[from + i];
	if (i < len)
		memcpy(p + i, noise(source, seq) + from + i - FRAME_MIN,
		       len - i);
}

void frame_write(void *buf, __u32 len, __u8 source, __u32 seq)
{
	frame_write_part(buf, 0, len, len, source, seq);
}

bool frame_parse(const void *buf, size_t len, struct frame *f)
{
	const __u8 *p = buf;

	if (len < FRAME_MIN || p[12] != FRAME_TYPE >> 8 ||
	    (p[13] & ~3) != (FRAME_TYPE & 0xfc) || p[0] != 2 || p[6] != 2)
		return false;
	f->len = get32(p + 1);
	f->source = p[7];
	f->seq = get32(p + 8);
	return true;
}

const char *frame_fault(const void *buf, size_t len, const struct frame *f)
{
	__u8 h[FRAME_MIN];

	header(h, f->len, f->source, f->seq);
	if (memcmp(buf, h, sizeof(h)))
		return "its header is not as sent";
	if (memcmp((const __u8 *)buf + FRAME_MIN, noise(f->source, f->seq),
		   len - FRAME_MIN))
		return "its bytes are not as sent";
	return NULL;
}
