// SPDX-License-Identifier: GPL-2.0-only
/* The system calls of a PCM by every door, and SYNC_PTR in every layout. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "pcmcall.h"
#include "syscall32.h"
#include "tap.h"

#define X32_BIT		0x40000000
#define X32_IOCTL	514

#define SYNC(size)	_IOC(_IOC_READ | _IOC_WRITE, 'A', 0x23, (size))

/* Offsets are of asound.h's structures as each ABI lays them out. */
const struct pcm_format pcm_formats[LAYOUTS] = {
	[NATIVE] = {
		"native", DOOR_64, SYNC(136), 136,
		.flags = { 0, 4 }, .state = { 8, 4 }, .hw_ptr = { 16, 8 },
		.sec = { 24, 8 }, .nsec = { 32, 8 }, .suspended = { 40, 4 },
		.audio_sec = { 48, 8 }, .audio_nsec = { 56, 8 },
		.appl_ptr = { 72, 8 }, .avail_min = { 80, 8 },
	},
	[COMPAT32] = {
		"compat32", DOOR_32, SYNC(132), 132,
		.flags = { 0, 4 }, .state = { 4, 4 }, .hw_ptr = { 12, 4 },
		.sec = { 16, 4 }, .nsec = { 20, 4 }, .suspended = { 24, 4 },
		.audio_sec = { 28, 4 }, .audio_nsec = { 32, 4 },
		.appl_ptr = { 68, 4 }, .avail_min = { 72, 4 },
	},
	[X32] = {
		"x32", DOOR_X32, SYNC(136), 136,
		.flags = { 0, 4 }, .state = { 8, 4 }, .hw_ptr = { 16, 4 },
		.sec = { 24, 8 }, .nsec = { 32, 8 }, .suspended = { 40, 4 },
		.audio_sec = { 48, 8 }, .audio_nsec = { 56, 8 },
		.appl_ptr = { 72, 4 }, .avail_min = { 76, 4 },
	},
	[TIME64] = {
		"time64", DOOR_32, SYNC(136), 136,
		.flags = { 0, 4 }, .state = { 8, 4 }, .hw_ptr = { 16, 8 },
		.sec = { 24, 8 }, .nsec = { 32, 8 }, .suspended = { 40, 4 },
		.audio_sec = { 48, 8 }, .audio_nsec = { 56, 8 },
		.appl_ptr = { 72, 4 }, .avail_min = { 76, 4 },
	},
	[NATIVE32] = {
		"native32", DOOR_64, SYNC(132), 132,
		.flags = { 0, 4 }, .state = { 4, 4 }, .hw_ptr = { 12, 4 },
		.sec = { 16, 4 }, .nsec = { 20, 4 }, .suspended = { 24, 4 },
		.audio_sec = { 28, 4 }, .audio_nsec = { 32, 4 },
		.appl_ptr = { 68, 4 }, .avail_min = { 72, 4 },
	},
};

static long ioctl_64(long number, int fd, unsigned int cmd, __u64 arg)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a" (ret)
			 : "0" (number), "D" ((long)fd), "S" ((long)cmd), "d" (arg)
			 : "rcx", "r11", "memory");
	return ret;
}

long pcm_ioctl(enum pcm_door door, int fd, unsigned int cmd, __u64 arg)
{
	switch (door) {
	case DOOR_32:
		return syscall32(SYS32_IOCTL, fd, cmd, arg);
	case DOOR_X32:
		/* The kernel returns an int there. */
		return (int)ioctl_64(X32_BIT | X32_IOCTL, fd, cmd, arg);
	default:
		return ioctl_64(SYS_ioctl, fd, cmd, arg);
	}
}

bool pcm_has_door(enum pcm_door door)
{
	/* A kernel without it knows no such call; one with it, no such file. */
	return pcm_ioctl(door, -1, SNDRV_PCM_IOCTL_HWSYNC, 0) == -EBADF;
}

__u64 pcm_get(const void *mem, struct pcm_field f)
{
	__u64 v = 0;

	memcpy(&v, (const char *)mem + f.at, f.size);
	return v;
}

__s64 pcm_get_signed(const void *mem, struct pcm_field f)
{
	__u64 v = pcm_get(mem, f);

	return f.size == 4 ? (__s32)v : (__s64)v;
}

void pcm_put(void *mem, struct pcm_field f, __u64 value)
{
	memcpy((char *)mem + f.at, &value, f.size);
}

void pcm_sync_put(enum pcm_layout l, void *mem, const struct pcm_sync *s)
{
	const struct pcm_format *f = &pcm_formats[l];

	pcm_put(mem, f->flags, s->flags);
	pcm_put(mem, f->appl_ptr, s->appl_ptr);
	pcm_put(mem, f->avail_min, s->avail_min);
}

void pcm_sync_get(enum pcm_layout l, const void *mem, struct pcm_sync *s)
{
	const struct pcm_format *f = &pcm_formats[l];

	s->flags = pcm_get(mem, f->flags);
	s->state = pcm_get_signed(mem, f->state);
	s->hw_ptr = pcm_get(mem, f->hw_ptr);
	s->sec = pcm_get_signed(mem, f->sec);
	s->nsec = pcm_get_signed(mem, f->nsec);
	s->suspended = pcm_get_signed(mem, f->suspended);
	s->audio_sec = pcm_get_signed(mem, f->audio_sec);
	s->audio_nsec = pcm_get_signed(mem, f->audio_nsec);
	s->appl_ptr = pcm_get(mem, f->appl_ptr);
	s->avail_min = pcm_get(mem, f->avail_min);
}

long pcm_sync_ptr(enum pcm_layout l, int fd, struct pcm_sync *s)
{
	static __thread char *mem;
	long ret;

	if (!mem)
		mem = pcm_low_memory(SYNC_SIZE_MAX);
	memset(mem, 0xa5, SYNC_SIZE_MAX);
	pcm_sync_put(l, mem, s);
	ret = pcm_ioctl(pcm_formats[l].door, fd, pcm_formats[l].cmd, addr(mem));
	pcm_sync_get(l, mem, s);
	return ret;
}

void *pcm_low_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (p == MAP_FAILED)
		bail("no memory below 2 GiB");
	return p;
}

const char *pcm_state_name(int state)
{
	static const char *const names[] = {
		"OPEN", "SETUP", "PREPARED", "RUNNING", "XRUN", "DRAINING",
		"PAUSED", "SUSPENDED", "DISCONNECTED",
	};

	return state >= 0 && state < (int)ARRAY_SIZE(names) ? names[state] :
							      "no state";
}
