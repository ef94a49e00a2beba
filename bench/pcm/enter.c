// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making an ioctl as a program of another ABI does, from a 64-bit one.
 *
 * What the kernel takes a call for depends on how it was entered: int $0x80 is a
 * 32-bit program's way in, bit 30 of the system call's number an x32 program's.
 * Arguments have to be in the low 2 GB then.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "pcm_bench.h"

#define IA32_IOCTL	54
#define X32_IOCTL	(0x40000000 | 514)

const char * const layout_names[LAYOUTS] = {
	[NATIVE] = "native",
	[COMPAT32] = "compat32",
	[X32] = "x32",
	[TIME64] = "time64",
};

/**
 * pcm_complain() - say which system call failed, and why
 * @what: what was tried
 *
 * Return: -1.
 */
int pcm_complain(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", TOOL, what, strerror(errno));
	return -1;
}

#if defined(__x86_64__)
static long by_syscall(long number, int fd, unsigned long cmd, void *arg)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a" (ret)
			 : "a" (number), "D" ((long)fd), "S" (cmd), "d" (arg)
			 : "rcx", "r11", "memory");
	return ret;
}

static long enter_native(int fd, unsigned long cmd, void *arg)
{
	return by_syscall(SYS_ioctl, fd, cmd, arg);
}

static long enter_x32(int fd, unsigned long cmd, void *arg)
{
	return by_syscall(X32_IOCTL, fd, cmd, arg);
}

static long enter_ia32(int fd, unsigned long cmd, void *arg)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a" (ret)
			 : "a" (IA32_IOCTL), "b" ((long)fd), "c" (cmd), "d" (arg)
			 : "r8", "r9", "r10", "r11", "memory");
	return ret;
}
#else
static long enter_native(int fd, unsigned long cmd, void *arg)
{
	return syscall(SYS_ioctl, fd, cmd, arg) < 0 ? -errno : 0;
}

static long refuse(int fd, unsigned long cmd, void *arg)
{
	(void)fd;
	(void)cmd;
	(void)arg;
	return -EOPNOTSUPP;
}

#define enter_x32 refuse
#define enter_ia32 refuse
#endif

/**
 * enter_as() - how a program enters the kernel
 * @layout: whose program
 *
 * Return: a function that makes an ioctl; it returns what the kernel does.
 */
enter_fn enter_as(enum layout layout)
{
	switch (layout) {
	case COMPAT32:
	case TIME64:
		return enter_ia32;
	case X32:
		return enter_x32;
	default:
		return enter_native;
	}
}

/**
 * layout_is_there() - whether this kernel takes such calls
 * @layout: whose program makes them
 *
 * Return: false for x32 on a kernel that was booted without syscall.x32=y, for
 * 32-bit programs on one that has none.
 */
bool layout_is_there(enum layout layout)
{
	return enter_as(layout)(-1, 0, NULL) == -EBADF;
}

/**
 * low_memory() - memory that a pointer of 32 bits reaches
 * @size: how much
 *
 * Return: the memory, zeroed, or NULL after a message.
 */
void *low_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_32BIT, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	pcm_complain("mmap");
	return NULL;
}
