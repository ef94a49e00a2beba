/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * STATUS and STATUS_EXT with one window to write and, for the latter, one to read.
 * Part of pcm_main.c, behind the upstream pcm_native.c, whose snd_pcm_status64()
 * fills a struct on the stack under the stream lock. From there it goes to the user
 * in the user's layout, without another struct in between.
 *
 * All of the user's struct is written, what carries no value as zeros.
 *
 * Context: process context, no locks held. The open file keeps substream and runtime.
 */
#ifndef SHORTPATH_PCM_STATUS_H
#define SHORTPATH_PCM_STATUS_H

#include "enter.h"
#include "user_window.h"

/* The extended form says in audio_tstamp_data what it wants. */
static __always_inline int status_get(struct snd_pcm_substream *substream,
				      struct snd_pcm_status64 *status,
				      u32 __user *config, bool ext)
{
	if (ext && pcm_get_user(status->audio_tstamp_data, config))
		return -EFAULT;
	return snd_pcm_status64(substream, status);
}

#define STATUS_FUNCTION		status_native
#define STATUS_LAYOUT		snd_pcm_status64
#define STATUS_RSVD		1
#define STATUS_DRIVER(part)	status.driver_tstamp_##part
#include "status_body.h"

/* A 32-bit program is told audio_tstamp twice, as ever. */
#define STATUS_FUNCTION		status_compat32
#define STATUS_LAYOUT		snd_pcm_status32
#define STATUS_RSVD		0
#define STATUS_DRIVER(part)	status.audio_tstamp_##part
#include "status_body.h"

#ifdef CONFIG_COMPAT
#define STATUS_FUNCTION		status_compat64
#define STATUS_LAYOUT		compat_snd_pcm_status64
#define STATUS_RSVD		1
#define STATUS_DRIVER(part)	status.audio_tstamp_##part
#include "status_body.h"
#endif

/* The calls of a 64-bit program, any layout. */
static noinline long status_ioctl(struct snd_pcm_substream *substream,
				  unsigned int cmd, void __user *user)
{
	int err = pcm_enter(substream);

	if (err < 0)
		return err;
	switch (cmd) {
	case SNDRV_PCM_IOCTL_STATUS64:
		return status_native(substream, user, false);
	case SNDRV_PCM_IOCTL_STATUS_EXT64:
		return status_native(substream, user, true);
	case SNDRV_PCM_IOCTL_STATUS32:
		return status_compat32(substream, user, false);
	default:
		return status_compat32(substream, user, true);
	}
}

#endif /* SHORTPATH_PCM_STATUS_H */
