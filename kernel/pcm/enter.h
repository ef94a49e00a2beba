/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes before every call: is there a stream, and is its card powered?
 *
 * snd_power_wait() takes a reference on the card's power, looks, and gives it
 * back: an atomic operation twice and, since the last reference wakes whoever
 * waits for that, the wait queue's lock in between. The reference is gone when it
 * returns, so all that its caller has is the answer, and that can be had by
 * looking. Only a card that is suspended or going away needs the whole of it.
 *
 * Context: process context, no locks; may sleep.
 */
#ifndef SHORTPATH_PCM_ENTER_H
#define SHORTPATH_PCM_ENTER_H

#include <sound/core.h>
#include <sound/pcm.h>

/**
 * pcm_power_wait() - wait until the card is powered up
 * @card: the card
 *
 * Return: 0, or -ENODEV when the card is being removed, as snd_power_wait().
 */
static inline int pcm_power_wait(struct snd_card *card)
{
	if (likely(snd_power_get_state(card) == SNDRV_CTL_POWER_D0 &&
		   !READ_ONCE(card->shutdown)))
		return 0;
	return snd_power_wait(card);
}

/**
 * pcm_enter() - what a call on a PCM looks at first, in this order
 * @substream: of the open file
 *
 * Without the stream lock: what matters is looked at again under it.
 *
 * Return: 0; -ENXIO, -EBADFD after a disconnect, -ENODEV while one is under way.
 */
static __always_inline int pcm_enter(struct snd_pcm_substream *substream)
{
	if (PCM_RUNTIME_CHECK(substream))
		return -ENXIO;
	if (READ_ONCE(substream->runtime->state) == SNDRV_PCM_STATE_DISCONNECTED)
		return -EBADFD;
	return pcm_power_wait(substream->pcm->card);
}

#endif /* SHORTPATH_PCM_ENTER_H */
