// SPDX-License-Identifier: GPL-2.0-only
/*
 * snd-pcm.ko with the short way: takes the hooked upstream pcm_native.c under this
 * one (what it is made of is static there), and has here what the hooks call: the
 * ioctls of a PCM's file. They know the calls that a program makes all the time,
 * and hand all others, and with the switch off every call, to the stock function.
 *
 * Context: process context, no locks held. The open file keeps everything.
 */
struct file;
struct snd_card;

static long pcm_short_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg);
static int pcm_short_power_wait(struct snd_card *card);
#ifdef CONFIG_COMPAT
static long pcm_short_ioctl_compat(struct file *file, unsigned int cmd,
				   unsigned long arg);
#else
#define pcm_short_ioctl_compat NULL
#endif

#include "pcm_native.c"

#include "enter.h"
#include "frames.h"
#include "status.h"
#include "sync_ptr.h"

static bool short_sync_ptr = true;
module_param(short_sync_ptr, bool, 0644);
MODULE_PARM_DESC(short_sync_ptr,
		 "The short way for the calls made all the time (default: on).");

static int pcm_short_power_wait(struct snd_card *card)
{
	if (unlikely(!READ_ONCE(short_sync_ptr)))
		return snd_power_wait(card);
	return pcm_power_wait(card);
}

static noinline long pcm_short_call(struct file *file, unsigned int cmd,
				    void __user *argp)
{
	struct snd_pcm_file *pcm_file = file->private_data;
	struct snd_pcm_substream *substream = pcm_file->substream;

	switch (cmd) {
	case __SNDRV_PCM_IOCTL_SYNC_PTR32:
		return sync_ptr_compat32(substream, argp);
	case SNDRV_PCM_IOCTL_STATUS32:
	case SNDRV_PCM_IOCTL_STATUS_EXT32:
	case SNDRV_PCM_IOCTL_STATUS64:
	case SNDRV_PCM_IOCTL_STATUS_EXT64:
		return status_ioctl(substream, cmd, argp);
	case SNDRV_PCM_IOCTL_DELAY:
		return frames_delay_native(substream, argp);
	case SNDRV_PCM_IOCTL_REWIND:
		return frames_rewind_native(substream, argp);
	case SNDRV_PCM_IOCTL_FORWARD:
		return frames_forward_native(substream, argp);
	case SNDRV_PCM_IOCTL_WRITEI_FRAMES:
	case SNDRV_PCM_IOCTL_READI_FRAMES:
		return frames_xferi_native(substream, argp);
	case SNDRV_PCM_IOCTL_WRITEN_FRAMES:
	case SNDRV_PCM_IOCTL_READN_FRAMES:
		return frames_xfern_native(substream, argp);
	}
	return snd_pcm_ioctl(file, cmd, (unsigned long)argp);
}

/* The most frequent call first, before the search through the others. */
static long pcm_short_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct snd_pcm_file *pcm_file = file->private_data;
	void __user *argp = (void __user *)arg;

	if (unlikely(!READ_ONCE(short_sync_ptr)))
		return snd_pcm_ioctl(file, cmd, arg);
	if (likely(cmd == __SNDRV_PCM_IOCTL_SYNC_PTR64))
		return sync_ptr_native(pcm_file->substream, argp);
	return pcm_short_call(file, cmd, argp);
}

#ifdef CONFIG_COMPAT
static long sync_ptr_wide(struct snd_pcm_substream *substream, void __user *argp)
{
#ifdef CONFIG_X86_X32_ABI
	if (in_x32_syscall())
		return sync_ptr_x32(substream, argp);
#endif
	return sync_ptr_time64(substream, argp);
}

static noinline long pcm_short_call_compat(struct file *file, unsigned int cmd,
					   void __user *argp)
{
	struct snd_pcm_file *pcm_file = file->private_data;
	struct snd_pcm_substream *substream = pcm_file->substream;

	switch (cmd) {
	case __SNDRV_PCM_IOCTL_SYNC_PTR64:
		return sync_ptr_wide(substream, argp);
	case SNDRV_PCM_IOCTL_STATUS_COMPAT32:
		return status_compat32(substream, argp, false);
	case SNDRV_PCM_IOCTL_STATUS_EXT_COMPAT32:
		return status_compat32(substream, argp, true);
	case SNDRV_PCM_IOCTL_STATUS_COMPAT64:
		return status_compat64(substream, argp, false);
	case SNDRV_PCM_IOCTL_STATUS_EXT_COMPAT64:
		return status_compat64(substream, argp, true);
	case SNDRV_PCM_IOCTL_DELAY32:
		return frames_delay_compat(substream, argp);
	case SNDRV_PCM_IOCTL_REWIND32:
		return frames_rewind_compat(substream, argp);
	case SNDRV_PCM_IOCTL_FORWARD32:
		return frames_forward_compat(substream, argp);
	case SNDRV_PCM_IOCTL_WRITEI_FRAMES32:
		return frames_xferi_compat(substream, SNDRV_PCM_STREAM_PLAYBACK, argp);
	case SNDRV_PCM_IOCTL_READI_FRAMES32:
		return frames_xferi_compat(substream, SNDRV_PCM_STREAM_CAPTURE, argp);
	case SNDRV_PCM_IOCTL_WRITEN_FRAMES32:
		return frames_xfern_compat(substream, SNDRV_PCM_STREAM_PLAYBACK, argp);
	case SNDRV_PCM_IOCTL_READN_FRAMES32:
		return frames_xfern_compat(substream, SNDRV_PCM_STREAM_CAPTURE, argp);
	}
	return snd_pcm_ioctl_compat(file, cmd, (unsigned long)argp);
}

static long pcm_short_ioctl_compat(struct file *file, unsigned int cmd,
				   unsigned long arg)
{
	struct snd_pcm_file *pcm_file = file->private_data;
	void __user *argp = compat_ptr(arg);

	if (unlikely(!READ_ONCE(short_sync_ptr)))
		return snd_pcm_ioctl_compat(file, cmd, arg);
	/* The pages with status and control have another layout there. */
	pcm_file->no_compat_mmap = 1;
	if (likely(cmd == __SNDRV_PCM_IOCTL_SYNC_PTR32))
		return sync_ptr_compat32(pcm_file->substream, argp);
	return pcm_short_call_compat(file, cmd, argp);
}
#endif /* CONFIG_COMPAT */
