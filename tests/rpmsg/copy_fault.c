// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl's structure lies where the kernel cannot read or cannot write.
 * Whatever fails, exactly nothing may stay: no fd, no endpoint, no address.
 *
 * The series on the mailing list installed the fd and created the endpoint
 * before copying the result: a failed copy left both behind, unreachable.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rig.h"

#define SRC	6000

static struct sim sim;
static int ctrl;
static char *page;	/* two pages */
static long psize;

static void map_pages(void)
{
	psize = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, 2 * psize, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		bail("mmap");
}

/* Give the first and second page these rights. */
static void protect(int first, int second)
{
	if (mprotect(page, psize, first) ||
	    mprotect(page + psize, psize, second))
		bail("mprotect");
}

/* The request with its first BYTES in the first page, the rest behind. */
static struct rpmsg_endpoint_fd_info *place(size_t bytes)
{
	struct rpmsg_endpoint_fd_info info;

	protect(PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE);
	ept_info(&info, SRC, sim_addr(&sim, "echo"), O_RDWR);
	memcpy(page + psize - bytes, &info, sizeof(info));
	return (void *)(page + psize - bytes);
}

static void nothing_left(int next, int count, const char *what)
{
	int fd;

	is(ept_live(), 0, "%s: no endpoint", what);
	is(fd_count(), count, "%s: no fd", what);
	fd = ept_try(ctrl, SRC, sim_addr(&sim, "echo"), O_RDWR);
	is(fd, next, "%s: the address and the fd number are free", what);
	ok(ept_echoes(fd, 10, 1), "%s: and work", what);
	close(fd);
}

static void faults(size_t bytes, int first, int second, const char *what)
{
	struct rpmsg_endpoint_fd_info *info;
	int next, count;

	ctrl = sim_up(&sim, "fault", 8);
	map_pages();
	info = place(bytes);
	protect(first, second);
	next = fd_next();
	count = fd_count();
	fails(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, info), EFAULT, "%s", what);
	nothing_left(next, count, what);
	munmap(page, 2 * psize);
	close(ctrl);
}

static void read_only(void)
{
	faults(0, PROT_READ | PROT_WRITE, PROT_READ, "read-only page");
}

static void read_only_last_word(void)
{
	faults(44, PROT_READ | PROT_WRITE, PROT_READ, "only fd is read-only");
}

static void read_only_all_but_last(void)
{
	faults(44, PROT_READ, PROT_READ | PROT_WRITE, "only fd is writable");
}

static void unreadable(void)
{
	faults(0, PROT_READ | PROT_WRITE, PROT_NONE, "page without rights");
}

static void half_unreadable(void)
{
	faults(20, PROT_READ | PROT_WRITE, PROT_NONE, "second half unreadable");
}

static void unmapped(void)
{
	static void *const bad[] = { NULL, (void *)8, (void *)-4096L,
				     (void *)(1L << 62) };
	int next, count;
	size_t i;

	ctrl = sim_up(&sim, "fault", 8);
	map_pages();
	munmap(page + psize, psize);
	next = fd_next();
	count = fd_count();
	fails(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, page + psize), EFAULT,
	      "page that is not there");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		fails(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, bad[i]), EFAULT,
		      "address %p", bad[i]);
	nothing_left(next, count, "no page");
	munmap(page, psize);
	close(ctrl);
}

/* A leak of one object a call would not show in one call's counters. */
static void repeated(void)
{
	struct rpmsg_endpoint_fd_info *info;
	unsigned int i, n = rounds(2000), wrong = 0;
	int next, count;

	ctrl = sim_up(&sim, "fault", 8);
	map_pages();
	info = place(0);
	protect(PROT_READ | PROT_WRITE, PROT_READ);
	next = fd_next();
	count = fd_count();
	for (i = 0; i < n; i++)
		wrong += ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, info) != -1 ||
			 errno != EFAULT;
	is(wrong, 0, "always EFAULT");
	nothing_left(next, count, "repeated");
	munmap(page, 2 * psize);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "read_only", read_only },
		{ "read_only_last_word", read_only_last_word },
		{ "read_only_all_but_last", read_only_all_but_last },
		{ "unreadable", unreadable },
		{ "half_unreadable", half_unreadable },
		{ "unmapped", unmapped },
		{ "repeated", repeated },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
