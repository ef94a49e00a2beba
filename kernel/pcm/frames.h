/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * READI, WRITEI, READN, WRITEN, REWIND, FORWARD and DELAY with one window before
 * and one after what they do. Part of pcm_main.c, behind the upstream pcm_native.c,
 * which does it.
 *
 * Those of a 64-bit program store 0 as the result before they begin, so that an
 * address that cannot be written is found out before anything has been played;
 * those of a 32-bit program do not, and skip pcm_enter(). Both as ever.
 *
 * Context: process context, no locks held. The open file keeps substream and runtime.
 */
#ifndef SHORTPATH_PCM_FRAMES_H
#define SHORTPATH_PCM_FRAMES_H

#include <linux/slab.h>

#include "enter.h"
#include "user_window.h"

#define FRAMES_CHANNELS_MAX	128

typedef snd_pcm_sframes_t (*frames_move_t)(struct snd_pcm_substream *substream,
					   snd_pcm_uframes_t frames);

static __always_inline bool frames_open(struct snd_pcm_substream *substream)
{
	return READ_ONCE(substream->runtime->state) == SNDRV_PCM_STATE_OPEN;
}

static __always_inline snd_pcm_sframes_t
frames_xferi(struct snd_pcm_substream *substream, void __user *buf,
	     snd_pcm_uframes_t frames)
{
	if (substream->stream == SNDRV_PCM_STREAM_PLAYBACK)
		return snd_pcm_lib_write(substream, buf, frames);
	return snd_pcm_lib_read(substream, buf, frames);
}

static __always_inline snd_pcm_sframes_t
frames_xfern(struct snd_pcm_substream *substream, void __user **bufs,
	     snd_pcm_uframes_t frames)
{
	if (substream->stream == SNDRV_PCM_STREAM_PLAYBACK)
		return snd_pcm_lib_writev(substream, bufs, frames);
	return snd_pcm_lib_readv(substream, bufs, frames);
}

/* The end of the calls that store a result. */
static __always_inline long frames_result(snd_pcm_sframes_t result,
					  snd_pcm_sframes_t __user *user)
{
	if (pcm_put_user(result, user))
		return -EFAULT;
	return result < 0 ? result : 0;
}

static noinline long frames_xferi_native(struct snd_pcm_substream *substream,
					 struct snd_xferi __user *user)
{
	snd_pcm_uframes_t frames;
	void __user *buf;
	int err;

	err = pcm_enter(substream);
	if (err < 0)
		return err;
	if (frames_open(substream))
		return -EBADFD;
	if (!pcm_window_begin(rw, user, sizeof(*user)))
		return -EFAULT;
	unsafe_put_user(0, &user->result, fault);
	unsafe_get_user(buf, &user->buf, fault);
	unsafe_get_user(frames, &user->frames, fault);
	user_access_end();

	return frames_result(frames_xferi(substream, buf, frames), &user->result);
fault:
	user_access_end();
	return -EFAULT;
}

/* The channels' addresses, in one window. */
static __always_inline int frames_get_bufs(void __user **bufs,
					   void __user * __user *user,
					   unsigned int channels)
{
	unsigned int i;

	if (!pcm_window_begin(read, user, channels * sizeof(*user)))
		return -EFAULT;
	for (i = 0; i < channels; i++)
		unsafe_get_user(bufs[i], &user[i], fault);
	user_read_access_end();
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

static noinline long frames_xfern_native(struct snd_pcm_substream *substream,
					 struct snd_xfern __user *user)
{
	unsigned int channels;
	snd_pcm_uframes_t frames;
	snd_pcm_sframes_t result = 0;
	void __user * __user *from;
	void __user **bufs;
	int err;

	err = pcm_enter(substream);
	if (err < 0)
		return err;
	if (frames_open(substream))
		return -EBADFD;
	channels = READ_ONCE(substream->runtime->channels);
	if (channels > FRAMES_CHANNELS_MAX)
		return -EINVAL;
	if (!pcm_window_begin(rw, user, sizeof(*user)))
		return -EFAULT;
	unsafe_put_user(0, &user->result, fault);
	unsafe_get_user(from, &user->bufs, fault);
	unsafe_get_user(frames, &user->frames, fault);
	user_access_end();

	bufs = kmalloc_array(channels, sizeof(*bufs), GFP_KERNEL);
	if (!bufs)
		return -ENOMEM;
	err = frames_get_bufs(bufs, from, channels);
	if (!err)
		result = frames_xfern(substream, bufs, frames);
	kfree(bufs);
	/* What could not be begun has no result but the 0 that is there. */
	return err < 0 ? err : frames_result(result, &user->result);
fault:
	user_access_end();
	return -EFAULT;
}

/* REWIND and FORWARD */
static __always_inline long frames_move_native(struct snd_pcm_substream *substream,
					       snd_pcm_uframes_t __user *user,
					       frames_move_t move)
{
	snd_pcm_uframes_t frames;
	int err;

	err = pcm_enter(substream);
	if (err < 0)
		return err;
	if (!pcm_window_begin(rw, user, sizeof(*user)))
		return -EFAULT;
	unsafe_get_user(frames, user, fault);
	unsafe_put_user(0, user, fault);
	user_access_end();

	return frames_result(move(substream, frames),
			     (snd_pcm_sframes_t __user *)user);
fault:
	user_access_end();
	return -EFAULT;
}

static noinline long frames_rewind_native(struct snd_pcm_substream *substream,
					  snd_pcm_uframes_t __user *user)
{
	return frames_move_native(substream, user, snd_pcm_rewind);
}

static noinline long frames_forward_native(struct snd_pcm_substream *substream,
					   snd_pcm_uframes_t __user *user)
{
	return frames_move_native(substream, user, snd_pcm_forward);
}

static noinline long frames_delay_native(struct snd_pcm_substream *substream,
					 snd_pcm_sframes_t __user *user)
{
	snd_pcm_sframes_t delay = 0;
	int err;

	err = pcm_enter(substream);
	if (err < 0)
		return err;
	err = snd_pcm_delay(substream, &delay);
	if (err)
		return err;
	return pcm_put_user(delay, user);
}

#ifdef CONFIG_COMPAT
/* What the transfers of a 32-bit program look at first. */
static __always_inline int frames_enter_compat(struct snd_pcm_substream *substream,
					       int dir)
{
	if (!substream->runtime)
		return -ENOTTY;
	if (substream->stream != dir)
		return -EINVAL;
	return frames_open(substream) ? -EBADFD : 0;
}

static noinline long frames_xferi_compat(struct snd_pcm_substream *substream,
					 int dir, struct snd_xferi32 __user *user)
{
	compat_uptr_t buf;
	u32 frames;
	int err;

	err = frames_enter_compat(substream, dir);
	if (err < 0)
		return err;
	if (!pcm_window_begin(read, user, sizeof(*user)))
		return -EFAULT;
	unsafe_get_user(buf, &user->buf, fault);
	unsafe_get_user(frames, &user->frames, fault);
	user_read_access_end();

	err = frames_xferi(substream, compat_ptr(buf), frames);
	if (err < 0)
		return err;
	return pcm_put_user(err, &user->result);
fault:
	user_read_access_end();
	return -EFAULT;
}

static __always_inline int frames_get_bufs_compat(void __user **bufs,
						  compat_uptr_t __user *user,
						  unsigned int channels)
{
	unsigned int i;

	if (!pcm_window_begin(read, user, channels * sizeof(*user)))
		return -EFAULT;
	for (i = 0; i < channels; i++) {
		compat_uptr_t buf;

		unsafe_get_user(buf, &user[i], fault);
		bufs[i] = compat_ptr(buf);
	}
	user_read_access_end();
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

/* Returns the frames transferred, as ever, not 0. */
static noinline long frames_xfern_compat(struct snd_pcm_substream *substream,
					 int dir, struct snd_xfern32 __user *user)
{
	unsigned int channels;
	compat_uptr_t from;
	void __user **bufs;
	u32 frames;
	int err;

	err = frames_enter_compat(substream, dir);
	if (err < 0)
		return err;
	channels = READ_ONCE(substream->runtime->channels);
	if (channels > FRAMES_CHANNELS_MAX)
		return -EINVAL;
	if (!pcm_window_begin(read, user, sizeof(*user)))
		return -EFAULT;
	unsafe_get_user(from, &user->bufs, fault);
	unsafe_get_user(frames, &user->frames, fault);
	user_read_access_end();

	bufs = kmalloc_array(channels, sizeof(*bufs), GFP_KERNEL);
	if (!bufs)
		return -ENOMEM;
	err = frames_get_bufs_compat(bufs, compat_ptr(from), channels);
	if (!err)
		err = frames_xfern(substream, bufs, frames);
	kfree(bufs);
	if (err >= 0 && pcm_put_user(err, &user->result))
		err = -EFAULT;
	return err;
fault:
	user_read_access_end();
	return -EFAULT;
}

static __always_inline long frames_move_compat(struct snd_pcm_substream *substream,
					       u32 __user *user,
					       frames_move_t move)
{
	u32 frames;
	int result;

	if (pcm_get_user(frames, user))
		return -EFAULT;
	result = move(substream, frames);
	if (pcm_put_user(result, user))
		return -EFAULT;
	return result < 0 ? result : 0;
}

static noinline long frames_rewind_compat(struct snd_pcm_substream *substream,
					  u32 __user *user)
{
	return frames_move_compat(substream, user, snd_pcm_rewind);
}

static noinline long frames_forward_compat(struct snd_pcm_substream *substream,
					   u32 __user *user)
{
	return frames_move_compat(substream, user, snd_pcm_forward);
}

static noinline long frames_delay_compat(struct snd_pcm_substream *substream,
					 s32 __user *user)
{
	snd_pcm_sframes_t delay;
	int err;

	err = snd_pcm_delay(substream, &delay);
	if (err)
		return err;
	return pcm_put_user(delay, user);
}
#endif /* CONFIG_COMPAT */

#endif /* SHORTPATH_PCM_FRAMES_H */
