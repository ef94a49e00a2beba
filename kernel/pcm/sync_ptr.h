/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SNDRV_PCM_IOCTL_SYNC_PTR: one window to read, one round of the stream lock, one
 * window to write. Part of pcm_main.c, behind the upstream pcm_native.c.
 *
 * What is read goes into a struct sync_ptr on the stack, which the locked part
 * answers in, and from there back to the user: no user memory is touched under
 * the lock. The four layouts differ in the windows only: sync_body.h.
 *
 * Lock: the stream's, a spinlock with interrupts off or, for a non-atomic PCM, a
 * mutex. It covers the hardware pointer, appl_ptr with the driver's ack, avail_min
 * and the snapshot, so that all of the answer is of one moment.
 *
 * Lifetime: the open file keeps substream and runtime.
 */
#ifndef SHORTPATH_PCM_SYNC_PTR_H
#define SHORTPATH_PCM_SYNC_PTR_H

#include "enter.h"
#include "sync_boundary.h"
#include "sync_layout.h"
#include "user_window.h"

/*
 * Under the stream lock. A stream that was disconnected since pcm_enter() is
 * refused here; with HWSYNC that is one of the states do_pcm_hwsync() refuses.
 */
static __always_inline int sync_state(struct snd_pcm_substream *substream,
				      const struct sync_ptr *sync)
{
	if (sync->flags & SNDRV_PCM_SYNC_PTR_HWSYNC)
		return do_pcm_hwsync(substream);
	if (unlikely(substream->runtime->state == SNDRV_PCM_STATE_DISCONNECTED))
		return -EBADFD;
	return 0;
}

/* Under the stream lock. On an error appl_ptr and avail_min are what they were. */
static __always_inline int sync_pointers(struct snd_pcm_substream *substream,
					 struct sync_ptr *sync)
{
	struct snd_pcm_mmap_control *control = substream->runtime->control;
	const struct snd_pcm_mmap_status *status = substream->runtime->status;

	if (!(sync->flags & SNDRV_PCM_SYNC_PTR_APPL)) {
		int err = pcm_lib_apply_appl_ptr(substream, sync->appl_ptr);

		if (err < 0)
			return err;
	} else {
		/* The control page may be mapped: it can change at any time. */
		sync->appl_ptr = READ_ONCE(control->appl_ptr);
	}
	if (!(sync->flags & SNDRV_PCM_SYNC_PTR_AVAIL_MIN))
		WRITE_ONCE(control->avail_min, sync->avail_min);
	else
		sync->avail_min = READ_ONCE(control->avail_min);
	sync->state = (__force u32)status->state;
	sync->hw_ptr = status->hw_ptr;
	sync->tstamp_sec = status->tstamp.tv_sec;
	sync->tstamp_nsec = status->tstamp.tv_nsec;
	sync->suspended_state = (__force u32)status->suspended_state;
	sync->audio_tstamp_sec = status->audio_tstamp.tv_sec;
	sync->audio_tstamp_nsec = status->audio_tstamp.tv_nsec;
	return 0;
}

/*
 * A buffer that is not coherent is synced outside the lock: it can take long.
 * For the CPU that is after HWSYNC and, as ever, before the ack of a driver that
 * has one, so for such a driver, and only then, there are two rounds.
 */
static noinline int sync_explicit(struct snd_pcm_substream *substream,
				  struct sync_ptr *sync)
{
	bool apply = !(sync->flags & SNDRV_PCM_SYNC_PTR_APPL);
	bool for_cpu = sync->flags & SNDRV_PCM_SYNC_PTR_HWSYNC;
	int err;

	snd_pcm_stream_lock_irq(substream);
	err = sync_state(substream, sync);
	if (for_cpu && apply && substream->ops->ack) {
		snd_pcm_stream_unlock_irq(substream);
		snd_pcm_dma_buffer_sync(substream, SNDRV_DMA_SYNC_CPU);
		for_cpu = false;
		snd_pcm_stream_lock_irq(substream);
	}
	if (err >= 0)
		err = sync_pointers(substream, sync);
	snd_pcm_stream_unlock_irq(substream);
	if (for_cpu)
		snd_pcm_dma_buffer_sync(substream, SNDRV_DMA_SYNC_CPU);
	if (err >= 0 && apply)
		snd_pcm_dma_buffer_sync(substream, SNDRV_DMA_SYNC_DEVICE);
	return err;
}

static __always_inline int sync_answer(struct snd_pcm_substream *substream,
				       struct sync_ptr *sync)
{
	int err;

	if (unlikely(substream->runtime->info & SNDRV_PCM_INFO_EXPLICIT_SYNC)) {
		/* A copy: whose address is not taken can stay in registers. */
		struct sync_ptr copy = *sync;

		err = sync_explicit(substream, &copy);
		*sync = copy;
		return err;
	}
	snd_pcm_stream_lock_irq(substream);
	err = sync_state(substream, sync);
	if (err >= 0)
		err = sync_pointers(substream, sync);
	snd_pcm_stream_unlock_irq(substream);
	return err;
}

static noinline snd_pcm_uframes_t sync_boundary(struct snd_pcm_runtime *runtime)
{
	return recalculate_boundary(runtime) ?: 0x7fffffff;
}

/* The pointers for a program whose own have 32 bits. */
static __always_inline void sync_reduce(struct snd_pcm_substream *substream,
					struct sync_ptr *sync)
{
	snd_pcm_uframes_t boundary;

	if (likely(sync_below_boundary(sync->hw_ptr, sync->appl_ptr)))
		return;
	boundary = sync_boundary(substream->runtime);
	sync->hw_ptr = sync_wrap(sync->hw_ptr, boundary);
	/* What the user gave goes back as it came. */
	if (sync->flags & SNDRV_PCM_SYNC_PTR_APPL)
		sync->appl_ptr = sync_wrap(sync->appl_ptr, boundary);
}

#define SYNC_AT(layout, member, type, path) \
	(offsetof(struct layout, member) == offsetof(struct type, path))

#ifdef CONFIG_64BIT
static_assert(sizeof(struct sync_native) == sizeof(struct snd_pcm_sync_ptr));
static_assert(SYNC_AT(sync_native, state, snd_pcm_sync_ptr, s.status.state));
static_assert(SYNC_AT(sync_native, hw_ptr, snd_pcm_sync_ptr, s.status.hw_ptr));
static_assert(SYNC_AT(sync_native, suspended_state, snd_pcm_sync_ptr,
		      s.status.suspended_state));
static_assert(SYNC_AT(sync_native, appl_ptr, snd_pcm_sync_ptr, c.control.appl_ptr));
static_assert(SYNC_AT(sync_native, avail_min, snd_pcm_sync_ptr, c.control.avail_min));
#define SYNC_FUNCTION	sync_ptr_native
#define SYNC_LAYOUT	sync_native
#define SYNC_WHOLE	COMPAT_NATIVE_WHOLE
#define SYNC_REDUCE	false
#include "sync_body.h"
#else
/* The programs of a 32-bit kernel have natively what is time64 here. */
static_assert(SYNC_AT(sync_time64, appl_ptr, snd_pcm_sync_ptr, c.control.appl_ptr));
static_assert(SYNC_AT(sync_time64, avail_min, snd_pcm_sync_ptr, c.control.avail_min));
#define sync_ptr_native	sync_ptr_time64
#endif

static_assert(sizeof(struct sync_compat32) == sizeof(struct snd_pcm_sync_ptr32));
static_assert(SYNC_AT(sync_compat32, state, snd_pcm_sync_ptr32, s.status.state));
static_assert(SYNC_AT(sync_compat32, hw_ptr, snd_pcm_sync_ptr32, s.status.hw_ptr));
static_assert(SYNC_AT(sync_compat32, suspended_state, snd_pcm_sync_ptr32,
		      s.status.suspended_state));
static_assert(SYNC_AT(sync_compat32, appl_ptr, snd_pcm_sync_ptr32, c.control.appl_ptr));
static_assert(SYNC_AT(sync_compat32, avail_min, snd_pcm_sync_ptr32, c.control.avail_min));
#define SYNC_FUNCTION	sync_ptr_compat32
#define SYNC_LAYOUT	sync_compat32
#define SYNC_WHOLE	false
#define SYNC_REDUCE	true
#include "sync_body.h"

#if defined(CONFIG_COMPAT) || !defined(CONFIG_64BIT)
static_assert(sizeof(struct sync_time64) == sizeof(struct snd_pcm_sync_ptr));
static_assert(SYNC_AT(sync_time64, state, snd_pcm_sync_ptr, s.status.state));
static_assert(SYNC_AT(sync_time64, suspended_state, snd_pcm_sync_ptr,
		      s.status.suspended_state));
#define SYNC_FUNCTION	sync_ptr_time64
#define SYNC_LAYOUT	sync_time64
#define SYNC_WHOLE	true
#define SYNC_REDUCE	false
#include "sync_body.h"
#endif

#ifdef CONFIG_X86_X32_ABI
static_assert(sizeof(struct sync_x32) == sizeof(struct snd_pcm_sync_ptr_x32));
static_assert(SYNC_AT(sync_x32, state, snd_pcm_sync_ptr_x32, s.status.state));
static_assert(SYNC_AT(sync_x32, hw_ptr, snd_pcm_sync_ptr_x32, s.status.hw_ptr));
static_assert(SYNC_AT(sync_x32, suspended_state, snd_pcm_sync_ptr_x32,
		      s.status.suspended_state));
static_assert(SYNC_AT(sync_x32, appl_ptr, snd_pcm_sync_ptr_x32, c.control.appl_ptr));
static_assert(SYNC_AT(sync_x32, avail_min, snd_pcm_sync_ptr_x32, c.control.avail_min));
#define SYNC_FUNCTION	sync_ptr_x32
#define SYNC_LAYOUT	sync_x32
#define SYNC_WHOLE	false
#define SYNC_REDUCE	true
#include "sync_body.h"
#endif

#endif /* SHORTPATH_PCM_SYNC_PTR_H */
