// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls that are measured, and what each is given.
 *
 * Structs of other ABIs are written out here, for no 64-bit header has them. A
 * number of an ioctl holds the size of its argument, so a wrong one is refused.
 */
#include <errno.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "pcm_bench.h"

/* Behind the argument, in the same low memory: pointers to data, and the data. */
#define POINTERS_AT	1024
#define DATA_AT		2048
#define DATA_AT_2	3072

/* Small, so that what is measured is the call and not the copying. */
#define FRAMES 2
#define BURST 128

#define PLAIN	(SNDRV_PCM_SYNC_PTR_APPL | SNDRV_PCM_SYNC_PTR_AVAIL_MIN)
#define HWSYNC	(PLAIN | SNDRV_PCM_SYNC_PTR_HWSYNC)

struct sync_ptr32 {
	__u32 flags;
	__u32 status[16];
	__u32 control[16];
};

/* As 64-bit programs have it, and in size as x32 and time64 programs have it. */
struct sync_ptr64 {
	__u32 flags;
	__u32 pad;
	__u64 status[8];
	__u64 control[8];
};

struct xferi32 {
	__s32 result;
	__u32 buf;
	__u32 frames;
};

struct xfern32 {
	__s32 result;
	__u32 bufs;
	__u32 frames;
};

struct status32 {
	__u32 state;
	__s32 trigger[2], tstamp[2];
	__u32 appl_ptr, hw_ptr;
	__s32 delay;
	__u32 avail, avail_max, overrange, suspended_state, audio_tstamp_data;
	__s32 audio[2], driver[2];
	__u32 accuracy;
	__u8 reserved[52 - 4 * sizeof(__s32)];
};

struct status_time64 {
	__u32 state, pad;
	__s64 trigger[2], tstamp[2];
	__u32 appl_ptr, hw_ptr;
	__s32 delay;
	__u32 avail, avail_max, overrange, suspended_state, audio_tstamp_data;
	__s64 audio[2], driver[2];
	__u32 accuracy;
	__u8 reserved[52 - 4 * sizeof(__s64)];
};

#define SYNC_PTR32	_IOWR('A', 0x23, struct sync_ptr32)
#define SYNC_PTR64	_IOWR('A', 0x23, struct sync_ptr64)
#define STATUS32	_IOR('A', 0x20, struct status32)
#define STATUS_TIME64	_IOR('A', 0x20, struct status_time64)
#define STATUS_EXT32	_IOWR('A', 0x24, struct status32)
#define STATUS_EXT_TIME64 _IOWR('A', 0x24, struct status_time64)
#define DELAY32		_IOR('A', 0x21, __s32)
#define REWIND32	_IOW('A', 0x46, __u32)
#define FORWARD32	_IOW('A', 0x49, __u32)
#define WRITEI32	_IOW('A', 0x50, struct xferi32)
#define READI32		_IOR('A', 0x51, struct xferi32)
#define WRITEN32	_IOW('A', 0x52, struct xfern32)
#define READN32		_IOR('A', 0x53, struct xfern32)

static void plain(void *arg)
{
	*(__u32 *)arg = PLAIN;
}

static void hwsync(void *arg)
{
	*(__u32 *)arg = HWSYNC;
}

static void nothing(void *arg)
{
	(void)arg;
}

static void one_frame(void *arg)
{
	*(snd_pcm_uframes_t *)arg = 1;
}

static void one_frame32(void *arg)
{
	*(__u32 *)arg = 1;
}

static void xferi(void *arg)
{
	struct snd_xferi *x = arg;

	x->buf = arg + DATA_AT;
	x->frames = FRAMES;
}

static void xferi32(void *arg)
{
	struct xferi32 *x = arg;

	x->buf = (uintptr_t)arg + DATA_AT;
	x->frames = FRAMES;
}

static void xfern(void *arg)
{
	struct snd_xfern *x = arg;
	void **bufs = arg + POINTERS_AT;

	bufs[0] = arg + DATA_AT;
	bufs[1] = arg + DATA_AT_2;
	x->bufs = bufs;
	x->frames = FRAMES;
}

static void xfern32(void *arg)
{
	struct xfern32 *x = arg;
	__u32 *bufs = arg + POINTERS_AT;

	bufs[0] = (uintptr_t)arg + DATA_AT;
	bufs[1] = (uintptr_t)arg + DATA_AT_2;
	x->bufs = (uintptr_t)bufs;
	x->frames = FRAMES;
}

/* What is transferred is taken back in time, so that there is always more. */
#define TAKE_BACK .burst = BURST, .undo_cmd = SNDRV_PCM_IOCTL_REWIND, \
		  .undo_frames = BURST * FRAMES

/**
 * calls - all calls, in the order in which they are shown
 */
const struct call calls[] = {
	{ "sync", NATIVE, .cmd = SYNC_PTR64, .argument = plain },
	{ "sync", COMPAT32, .cmd = SYNC_PTR32, .argument = plain },
	{ "sync", X32, .cmd = SYNC_PTR64, .argument = plain },
	{ "sync", TIME64, .cmd = SYNC_PTR64, .argument = plain },
	{ "hwsync", NATIVE, .cmd = SYNC_PTR64, .argument = hwsync },
	{ "hwsync", COMPAT32, .cmd = SYNC_PTR32, .argument = hwsync },
	{ "hwsync", X32, .cmd = SYNC_PTR64, .argument = hwsync },
	{ "hwsync", TIME64, .cmd = SYNC_PTR64, .argument = hwsync },
	{ "writei", NATIVE, .cmd = SNDRV_PCM_IOCTL_WRITEI_FRAMES, .argument = xferi, TAKE_BACK },
	{ "writei", COMPAT32, .cmd = WRITEI32, .argument = xferi32, TAKE_BACK },
	{ "readi", NATIVE, .cmd = SNDRV_PCM_IOCTL_READI_FRAMES, .argument = xferi,
	  .capture = true, TAKE_BACK },
	{ "readi", COMPAT32, .cmd = READI32, .argument = xferi32, .capture = true, TAKE_BACK },
	{ "writen", NATIVE, .cmd = SNDRV_PCM_IOCTL_WRITEN_FRAMES, .argument = xfern,
	  .noninterleaved = true, TAKE_BACK },
	{ "writen", COMPAT32, .cmd = WRITEN32, .argument = xfern32, .noninterleaved = true,
	  TAKE_BACK },
	{ "readn", NATIVE, .cmd = SNDRV_PCM_IOCTL_READN_FRAMES, .argument = xfern,
	  .capture = true, .noninterleaved = true, TAKE_BACK },
	{ "readn", COMPAT32, .cmd = READN32, .argument = xfern32, .capture = true,
	  .noninterleaved = true, TAKE_BACK },
	{ "rewind", NATIVE, .cmd = SNDRV_PCM_IOCTL_REWIND, .argument = one_frame,
	  .burst = BURST, .undo_cmd = SNDRV_PCM_IOCTL_FORWARD, .undo_frames = BURST },
	{ "rewind", COMPAT32, .cmd = REWIND32, .argument = one_frame32,
	  .burst = BURST, .undo_cmd = SNDRV_PCM_IOCTL_FORWARD, .undo_frames = BURST },
	{ "forward", NATIVE, .cmd = SNDRV_PCM_IOCTL_FORWARD, .argument = one_frame,
	  .burst = BURST, .undo_cmd = SNDRV_PCM_IOCTL_REWIND, .undo_frames = BURST },
	{ "forward", COMPAT32, .cmd = FORWARD32, .argument = one_frame32,
	  .burst = BURST, .undo_cmd = SNDRV_PCM_IOCTL_REWIND, .undo_frames = BURST },
	{ "delay", NATIVE, .cmd = SNDRV_PCM_IOCTL_DELAY, .argument = nothing },
	{ "delay", COMPAT32, .cmd = DELAY32, .argument = nothing },
	{ "status", NATIVE, .cmd = SNDRV_PCM_IOCTL_STATUS, .argument = nothing },
	{ "status", COMPAT32, .cmd = STATUS32, .argument = nothing },
	{ "status", TIME64, .cmd = STATUS_TIME64, .argument = nothing },
	{ "statusext", NATIVE, .cmd = SNDRV_PCM_IOCTL_STATUS_EXT, .argument = nothing },
	{ "statusext", COMPAT32, .cmd = STATUS_EXT32, .argument = nothing },
	{ "statusext", TIME64, .cmd = STATUS_EXT_TIME64, .argument = nothing },
	{ "refused", NATIVE, .cmd = REFUSED, .argument = nothing, .refusal = ENOTTY },
	{ "refused", COMPAT32, .cmd = REFUSED, .argument = nothing, .refusal = ENOTTY },
};

const size_t call_count = ARRAY_SIZE(calls);
