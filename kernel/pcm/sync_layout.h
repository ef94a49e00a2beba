/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The four layouts in which user space hands over struct snd_pcm_sync_ptr. Also
 * compiled in user space, where they are compared with what programs see.
 *
 *   native	64-bit programs
 *   compat32	32-bit programs with 32-bit time
 *   time64	32-bit programs with 64-bit time; its avail_min is where a mistake
 *		in the protocol's version 2.0.15 put it
 *   x32	x32 programs
 *
 * The structs are flat and name the same thing alike, so that one body of code
 * serves all: sync_body.h. What carries no value is an array, which may be empty.
 */
#ifndef SHORTPATH_SYNC_LAYOUT_H
#define SHORTPATH_SYNC_LAYOUT_H

#include <linux/types.h>

/* Of the two, only one is defined in the kernel. */
#if defined(__KERNEL__) && defined(__BIG_ENDIAN)
#define SYNC_BIG_ENDIAN	1
#else
#define SYNC_BIG_ENDIAN	0
#endif

/**
 * struct sync_ptr - a call's question and answer, in the kernel's types
 * @flags: SNDRV_PCM_SYNC_PTR_*
 * @state: answer
 * @suspended_state: answer
 * @hw_ptr: answer, in frames
 * @appl_ptr: question and answer, in frames
 * @avail_min: question and answer, in frames
 * @tstamp_sec: answer
 * @tstamp_nsec: answer
 * @audio_tstamp_sec: answer
 * @audio_tstamp_nsec: answer
 */
struct sync_ptr {
	__u32 flags;
	__u32 state;
	__u32 suspended_state;
	unsigned long hw_ptr;
	unsigned long appl_ptr;
	unsigned long avail_min;
	__s64 tstamp_sec;
	__s64 tstamp_nsec;
	__s64 audio_tstamp_sec;
	__s64 audio_tstamp_nsec;
};

struct sync_native {
	__u32 flags;
	__u32 flags_gap[1];
	__u32 state;
	__u32 state_gap[1];
	__u64 hw_ptr;
	__s64 tstamp_sec;
	__s64 tstamp_nsec;
	__u32 suspended_state;
	__u32 suspended_gap[1];
	__s64 audio_tstamp_sec;
	__s64 audio_tstamp_nsec;
	__u64 status_rest[1];
	__u32 appl_ptr_gap[0];
	__u64 appl_ptr;
	__u32 avail_min_gap[0];
	__u64 avail_min;
	__u64 control_rest[6];
};

struct sync_compat32 {
	__u32 flags;
	__u32 flags_gap[0];
	__u32 state;
	__u32 state_gap[1];
	__u32 hw_ptr;
	__s32 tstamp_sec;
	__s32 tstamp_nsec;
	__u32 suspended_state;
	__u32 suspended_gap[0];
	__s32 audio_tstamp_sec;
	__s32 audio_tstamp_nsec;
	__u32 status_rest[8];
	__u32 appl_ptr_gap[0];
	__u32 appl_ptr;
	__u32 avail_min_gap[0];
	__u32 avail_min;
	__u32 control_rest[14];
};

struct sync_time64 {
	__u32 flags;
	__u32 flags_gap[1];
	__u32 state;
	__u32 state_gap[1];
	__u64 hw_ptr;
	__s64 tstamp_sec;
	__s64 tstamp_nsec;
	__u32 suspended_state;
	__u32 suspended_gap[1];
	__s64 audio_tstamp_sec;
	__s64 audio_tstamp_nsec;
	__u64 status_rest[1];
	__u32 appl_ptr_gap[SYNC_BIG_ENDIAN];
	__u32 appl_ptr;
	__u32 avail_min_gap[2 * SYNC_BIG_ENDIAN];
	__u32 avail_min;
	__u32 control_rest[14 - 3 * SYNC_BIG_ENDIAN];
};

struct sync_x32 {
	__u32 flags;
	__u32 flags_gap[1];
	__u32 state;
	__u32 state_gap[1];
	__u32 hw_ptr;
	__u32 hw_ptr_gap[1];
	__s64 tstamp_sec;
	__s64 tstamp_nsec;
	__u32 suspended_state;
	__u32 suspended_gap[1];
	__s64 audio_tstamp_sec;
	__s64 audio_tstamp_nsec;
	__u32 status_rest[2];
	__u32 appl_ptr_gap[0];
	__u32 appl_ptr;
	__u32 avail_min_gap[0];
	__u32 avail_min;
	__u32 control_rest[14];
};

#endif /* SHORTPATH_SYNC_LAYOUT_H */
