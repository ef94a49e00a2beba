/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls of a PCM by every door of an x86-64 kernel, made from one
 * 64-bit program: the 64-bit one, the 32-bit one (int $0x80) and the x32 one
 * (bit 30 of the call's number; the kernel needs syscall.x32=y). And what
 * SYNC_PTR's argument looks like at each of them.
 */
#ifndef SHORTPATH_PCMCALL_H
#define SHORTPATH_PCMCALL_H

#include <stdbool.h>
#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include <sound/asound.h>

enum pcm_door { DOOR_64, DOOR_32, DOOR_X32, DOORS };

/* One call of ioctl(): what the kernel returned, errors negative. */
long pcm_ioctl(enum pcm_door door, int fd, unsigned int cmd, __u64 arg);
/* Whether this kernel has that door. */
bool pcm_has_door(enum pcm_door door);

/* The layouts of SYNC_PTR. */
enum pcm_layout {
	NATIVE,		/* 64-bit */
	COMPAT32,	/* 32-bit, 32-bit time */
	X32,		/* x32 */
	TIME64,		/* 32-bit, 64-bit time: avail_min where it was by mistake */
	NATIVE32,	/* COMPAT32's structure by the 64-bit door */
	LAYOUTS
};

struct pcm_field {
	__u8 at, size;
};

/* Where SYNC_PTR's argument has what. */
struct pcm_format {
	const char *name;
	enum pcm_door door;
	unsigned int cmd;
	unsigned int size;
	struct pcm_field flags, state, hw_ptr, sec, nsec, suspended, audio_sec,
			 audio_nsec, appl_ptr, avail_min;
};

extern const struct pcm_format pcm_formats[LAYOUTS];

__u64 pcm_get(const void *mem, struct pcm_field f);
__s64 pcm_get_signed(const void *mem, struct pcm_field f);
void pcm_put(void *mem, struct pcm_field f, __u64 value);

/* SYNC_PTR's argument in no layout at all. */
struct pcm_sync {
	unsigned int flags;
	__u64 appl_ptr, avail_min, hw_ptr;
	int state, suspended;
	__s64 sec, nsec, audio_sec, audio_nsec;
};

#define SYNC_SIZE_MAX	136

void pcm_sync_put(enum pcm_layout l, void *mem, const struct pcm_sync *s);
void pcm_sync_get(enum pcm_layout l, const void *mem, struct pcm_sync *s);
/* SYNC_PTR with memory of its own below 4 GiB; as pcm_ioctl() returns. */
long pcm_sync_ptr(enum pcm_layout l, int fd, struct pcm_sync *s);

/* The other calls whose argument is not the same at every door. */
#define IOCTL_DELAY32		_IOR('A', 0x21, __s32)
#define IOCTL_REWIND32		_IOW('A', 0x46, __u32)
#define IOCTL_FORWARD32		_IOW('A', 0x49, __u32)

struct pcm_xferi32 {
	__s32 result;
	__u32 buf;
	__u32 frames;
};

#define IOCTL_WRITEI32		_IOW('A', 0x50, struct pcm_xferi32)
#define IOCTL_READI32		_IOR('A', 0x51, struct pcm_xferi32)
#define IOCTL_WRITEN32		_IOW('A', 0x52, struct pcm_xferi32)
#define IOCTL_READN32		_IOR('A', 0x53, struct pcm_xferi32)

#define STATUS32_SIZE		108	/* 32-bit, 32-bit time */
#define STATUS_COMPAT64_SIZE	128	/* 32-bit, 64-bit time, and x32 */
#define STATUS64_SIZE		152	/* 64-bit */
#define IOCTL_STATUS(size)	_IOC(_IOC_READ, 'A', 0x20, (size))
#define IOCTL_STATUS_EXT(size)	_IOC(_IOC_READ | _IOC_WRITE, 'A', 0x24, (size))

/* Memory that every door can reach, zeroed; lives as long as the program. */
void *pcm_low_memory(size_t size);
/* An address as an ioctl argument. */
static inline __u64 addr(const void *p)
{
	return (uintptr_t)p;
}

const char *pcm_state_name(int state);

#endif /* SHORTPATH_PCMCALL_H */
