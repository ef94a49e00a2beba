/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 32-bit program's system calls, by the 32-bit entry: a 64-bit program's
 * arguments must be below 4 GiB. Needs no 32-bit libraries.
 */
#ifndef SHORTPATH_SYSCALL32_H
#define SHORTPATH_SYSCALL32_H

#ifdef __x86_64__

#define SYS32_GETPID	20
#define SYS32_IOCTL	54

/* As the kernel answers: negative errno. Without the entry: SIGSEGV. */
static inline int syscall32(int nr, unsigned int a, unsigned int b,
			    unsigned int c)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a" (ret)
			 : "0" (nr), "b" (a), "c" (b), "d" (c)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

#endif /* __x86_64__ */
#endif /* SHORTPATH_SYSCALL32_H */
