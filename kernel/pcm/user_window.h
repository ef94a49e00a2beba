/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows: stretches of code in which user memory is open, and within which
 * unsafe_get_user() and unsafe_put_user() may be used. Opening one is what is
 * dear about a user access, so a call opens one to read and one to write.
 *
 * Context: process context, page faults allowed. No lock may be held, and
 * nothing may be called within a window.
 */
#ifndef SHORTPATH_PCM_USER_WINDOW_H
#define SHORTPATH_PCM_USER_WINDOW_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat.h"

/**
 * pcm_window_begin() - open a window
 * @mode: read, write or rw
 * @uptr: variable with the user address; harmless afterwards, see compat.h
 * @size: how many bytes may be accessed from there on, less than a page
 *
 * To be closed with the matching user_read_access_end(), user_write_access_end()
 * or, for rw, user_access_end(), also after a fault.
 *
 * Return: false, and no window, when the address is not a user's.
 */
#define pcm_window_begin(mode, uptr, size) ({					\
	typeof(uptr) *__ptr = &(uptr);						\
	size_t __size = (size);							\
	bool __open = true;							\
										\
	BUILD_BUG_ON(__builtin_constant_p(__size) && __size >= PAGE_SIZE);	\
	might_fault();								\
	if (can_do_masked_user_access())					\
		*__ptr = masked_user_##mode##_access_begin(*__ptr);		\
	else									\
		__open = user_##mode##_access_begin(*__ptr, __size);		\
	__open;									\
})

/**
 * pcm_put_user() - put_user() in a window of its own
 * @value: to write
 * @to: user address
 *
 * Without the call, the comparison and the barrier of put_user().
 *
 * Return: 0 or -EFAULT.
 */
#define pcm_put_user(value, to) ({						\
	__label__ fault;							\
	__auto_type __uptr = (to);						\
	int __err = -EFAULT;							\
										\
	if (pcm_window_begin(write, __uptr, sizeof(*__uptr))) {			\
		unsafe_put_user(value, __uptr, fault);				\
		__err = 0;							\
fault:										\
		user_write_access_end();					\
	}									\
	__err;									\
})

/**
 * pcm_get_user() - get_user() in a window of its own
 * @value: variable to read into
 * @from: user address
 *
 * Return: 0 or -EFAULT.
 */
#define pcm_get_user(value, from) ({						\
	__label__ fault;							\
	__auto_type __uptr = (from);						\
	int __err = -EFAULT;							\
										\
	if (pcm_window_begin(read, __uptr, sizeof(*__uptr))) {			\
		unsafe_get_user(value, __uptr, fault);				\
		__err = 0;							\
fault:										\
		user_read_access_end();						\
	}									\
	__err;									\
})

#endif /* SHORTPATH_PCM_USER_WINDOW_H */
