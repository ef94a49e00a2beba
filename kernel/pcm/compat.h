/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels, so that nothing else has to know.
 */
#ifndef SHORTPATH_PCM_COMPAT_H
#define SHORTPATH_PCM_COMPAT_H

#include <linux/uaccess.h>
#include <linux/version.h>

/*
 * A user address is made harmless in one of two ways. It is compared with the
 * limit, and a barrier (LFENCE on x86-64) keeps the processor from going on with
 * an address that will turn out to be bad: user_access_begin(). Or whatever lies
 * above the limit is replaced by the limit itself, with instructions that depend
 * on the data and are not predicted: there is nothing to guess, and nothing to
 * wait for. That is mask_user_address(), since 6.12 on x86-64, commit 2865baf54077
 * ("x86: support user address masking instead of non-speculative conditional").
 *
 * Before, the same is done here: CMP and CMOVA. The limit is TASK_SIZE_MAX, at
 * which a guard page begins that no mm can have mapped; so an access at it, or
 * less than a page above, always faults, and the fault is what access_ok() would
 * have answered: EFAULT. It holds only for what is smaller than a page: see
 * pcm_window_begin().
 *
 * Elsewhere user_access_begin() it is; arm64, for one, needs no barrier in it.
 */
#if !defined(can_do_masked_user_access) && defined(CONFIG_X86_64)
static __always_inline void __user *mask_user_address(const void __user *ptr)
{
	unsigned long max = TASK_SIZE_MAX;

	asm("cmp %1,%0\n\t"
	    "cmova %1,%0"
	    : "+r" (ptr)
	    : "r" (max)
	    : "cc");
	return (void __user *)ptr;
}

#define masked_user_access_begin(uptr) ({			\
	__auto_type __masked = (uptr);				\
								\
	__masked = mask_user_address(__masked);			\
	__uaccess_begin();					\
	__masked;						\
})
#define can_do_masked_user_access()	1
#endif

#ifndef can_do_masked_user_access
#define can_do_masked_user_access()		0
#define masked_user_access_begin(uptr)		((typeof(uptr))NULL)
#endif

/* Masked windows for reading or for writing alone, and names for those for both,
 * came with 6.19, commit e497310b4ffb ("uaccess: Provide scoped user access
 * regions").
 */
#ifndef masked_user_read_access_begin
#define masked_user_read_access_begin(uptr)	masked_user_access_begin(uptr)
#define masked_user_write_access_begin(uptr)	masked_user_access_begin(uptr)
#endif

#ifndef user_rw_access_begin
#define user_rw_access_begin(uptr, size)	user_access_begin(uptr, size)
#define masked_user_rw_access_begin(uptr)	masked_user_access_begin(uptr)
#endif

/* Before 6.17 the native layout was copied back as a whole, gaps and flags and
 * all; since commit 8629eea901b8 ("ALSA: pcm: Convert snd_pcm_sync_ptr() to
 * user_access_begin/user_access_end()") only what carries a value is.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define COMPAT_NATIVE_WHOLE	1
#else
#define COMPAT_NATIVE_WHOLE	0
#endif

#endif /* SHORTPATH_PCM_COMPAT_H */
