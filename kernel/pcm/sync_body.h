/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl for one layout. Included once for each, with
 *
 *   SYNC_FUNCTION	its name
 *   SYNC_LAYOUT	the struct in sync_layout.h
 *   SYNC_WHOLE		write flags and gaps too: all of the struct is written
 *   SYNC_REDUCE	hw_ptr and appl_ptr wrap within 31 bits
 *
 * Writes go up in addresses: when one faults, what lies before it is written and
 * the rest is not. The function returns 0 or a negative errno.
 *
 * Context: process context, no locks held.
 */
static noinline long SYNC_FUNCTION(struct snd_pcm_substream *substream,
				   struct SYNC_LAYOUT __user *user)
{
	struct sync_ptr sync = {};
	unsigned int i;
	int err;

	err = pcm_enter(substream);
	if (err < 0)
		return err;
	err = -EFAULT;
	if (!pcm_window_begin(read, user, sizeof(*user)))
		return err;
	unsafe_get_user(sync.flags, &user->flags, read_fault);
	unsafe_get_user(sync.appl_ptr, &user->appl_ptr, read_fault);
	unsafe_get_user(sync.avail_min, &user->avail_min, read_fault);
	user_read_access_end();

	err = sync_answer(substream, &sync);
	if (err < 0)
		return err;
	if (SYNC_REDUCE)
		sync_reduce(substream, &sync);

	err = -EFAULT;
	if (!pcm_window_begin(write, user, sizeof(*user)))
		return err;
	if (SYNC_WHOLE) {
		unsafe_put_user(sync.flags, &user->flags, fault);
		for (i = 0; i < ARRAY_SIZE(user->flags_gap); i++)
			unsafe_put_user(0, &user->flags_gap[i], fault);
	}
	unsafe_put_user(sync.state, &user->state, fault);
	if (SYNC_WHOLE)
		for (i = 0; i < ARRAY_SIZE(user->state_gap); i++)
			unsafe_put_user(0, &user->state_gap[i], fault);
	unsafe_put_user(sync.hw_ptr, &user->hw_ptr, fault);
	unsafe_put_user(sync.tstamp_sec, &user->tstamp_sec, fault);
	unsafe_put_user(sync.tstamp_nsec, &user->tstamp_nsec, fault);
	unsafe_put_user(sync.suspended_state, &user->suspended_state, fault);
	if (SYNC_WHOLE)
		for (i = 0; i < ARRAY_SIZE(user->suspended_gap); i++)
			unsafe_put_user(0, &user->suspended_gap[i], fault);
	unsafe_put_user(sync.audio_tstamp_sec, &user->audio_tstamp_sec, fault);
	unsafe_put_user(sync.audio_tstamp_nsec, &user->audio_tstamp_nsec, fault);
	if (SYNC_WHOLE) {
		for (i = 0; i < ARRAY_SIZE(user->status_rest); i++)
			unsafe_put_user(0, &user->status_rest[i], fault);
		for (i = 0; i < ARRAY_SIZE(user->appl_ptr_gap); i++)
			unsafe_put_user(0, &user->appl_ptr_gap[i], fault);
	}
	unsafe_put_user(sync.appl_ptr, &user->appl_ptr, fault);
	if (SYNC_WHOLE)
		for (i = 0; i < ARRAY_SIZE(user->avail_min_gap); i++)
			unsafe_put_user(0, &user->avail_min_gap[i], fault);
	unsafe_put_user(sync.avail_min, &user->avail_min, fault);
	if (SYNC_WHOLE) {
#pragma GCC unroll 16
		for (i = 0; i < ARRAY_SIZE(user->control_rest); i++)
			unsafe_put_user(0, &user->control_rest[i], fault);
	}
	err = 0;
fault:
	user_write_access_end();
	return err;
read_fault:
	user_read_access_end();
	return err;
}

#undef SYNC_FUNCTION
#undef SYNC_LAYOUT
#undef SYNC_WHOLE
#undef SYNC_REDUCE
