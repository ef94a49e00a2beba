/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * STATUS and STATUS_EXT (ext) for one layout. Included once for each, with
 *
 *   STATUS_FUNCTION	its name
 *   STATUS_LAYOUT	the user's struct
 *   STATUS_RSVD	the struct has reserved bytes behind its state
 *   STATUS_DRIVER(part)	what is told as driver_tstamp
 *
 * Writes go up in addresses. The function returns 0 or a negative errno.
 *
 * Context: process context, no locks held.
 */
static noinline long STATUS_FUNCTION(struct snd_pcm_substream *substream,
				     struct STATUS_LAYOUT __user *user, bool ext)
{
	struct snd_pcm_status64 status = {};
	u32 __user *word;
	unsigned int i;
	int err;

	err = status_get(substream, &status, &user->audio_tstamp_data, ext);
	if (err < 0)
		return err;
	err = -EFAULT;
	if (!pcm_window_begin(write, user, sizeof(*user)))
		return err;
	unsafe_put_user(status.state, &user->state, fault);
#if STATUS_RSVD
	BUILD_BUG_ON(sizeof(user->rsvd) != sizeof(*word));
	unsafe_put_user(0, (u32 __user *)user->rsvd, fault);
#endif
	unsafe_put_user(status.trigger_tstamp_sec, &user->trigger_tstamp_sec, fault);
	unsafe_put_user(status.trigger_tstamp_nsec, &user->trigger_tstamp_nsec, fault);
	unsafe_put_user(status.tstamp_sec, &user->tstamp_sec, fault);
	unsafe_put_user(status.tstamp_nsec, &user->tstamp_nsec, fault);
	unsafe_put_user(status.appl_ptr, &user->appl_ptr, fault);
	unsafe_put_user(status.hw_ptr, &user->hw_ptr, fault);
	unsafe_put_user(status.delay, &user->delay, fault);
	unsafe_put_user(status.avail, &user->avail, fault);
	unsafe_put_user(status.avail_max, &user->avail_max, fault);
	unsafe_put_user(status.overrange, &user->overrange, fault);
	unsafe_put_user(status.suspended_state, &user->suspended_state, fault);
	unsafe_put_user(status.audio_tstamp_data, &user->audio_tstamp_data, fault);
	unsafe_put_user(status.audio_tstamp_sec, &user->audio_tstamp_sec, fault);
	unsafe_put_user(status.audio_tstamp_nsec, &user->audio_tstamp_nsec, fault);
	unsafe_put_user(STATUS_DRIVER(sec), &user->driver_tstamp_sec, fault);
	unsafe_put_user(STATUS_DRIVER(nsec), &user->driver_tstamp_nsec, fault);
	unsafe_put_user(status.audio_tstamp_accuracy, &user->audio_tstamp_accuracy, fault);
	BUILD_BUG_ON(sizeof(user->reserved) % sizeof(*word));
	word = (u32 __user *)user->reserved;
#pragma GCC unroll 16
	for (i = 0; i < sizeof(user->reserved) / sizeof(*word); i++)
		unsafe_put_user(0, &word[i], fault);
	err = 0;
fault:
	user_write_access_end();
	return err;
}

#undef STATUS_FUNCTION
#undef STATUS_LAYOUT
#undef STATUS_RSVD
#undef STATUS_DRIVER
