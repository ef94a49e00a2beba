// SPDX-License-Identifier: GPL-2.0-only
/* User memory of every kind. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "pcmmem.h"
#include "tap.h"

const char *const mem_view_names[MEM_VIEWS] = {
	"rw|rw", "rw|none", "none|rw", "rw|ro", "ro|rw", "ro|ro", "rw|eof",
	"4 GiB",
};

static const int prot[MEM_VIEWS][2] = {
	[MEM_RW_RW] = { PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE },
	[MEM_RW_NONE] = { PROT_READ | PROT_WRITE, PROT_NONE },
	[MEM_NONE_RW] = { PROT_NONE, PROT_READ | PROT_WRITE },
	[MEM_RW_RO] = { PROT_READ | PROT_WRITE, PROT_READ },
	[MEM_RO_RW] = { PROT_READ, PROT_READ | PROT_WRITE },
	[MEM_RO_RO] = { PROT_READ, PROT_READ },
	[MEM_RW_EOF] = { PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE },
	[MEM_TOP] = { PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE },
};

/* A page of nothing on either side. */
static unsigned char *reserve(enum mem_view v)
{
	void *want = NULL, *p;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (v == MEM_TOP) {
		want = (void *)((1UL << 32) - 2 * MEM_PAGE);
		flags |= MAP_FIXED_NOREPLACE;
	} else {
		flags |= MAP_32BIT;
	}
	p = mmap(want, 4 * MEM_PAGE, PROT_NONE, flags, -1, 0);
	if (p == MAP_FAILED)
		bail("no room for a view");
	return p;
}

static void view_make(struct mem *m, enum mem_view v, int fd)
{
	int page;

	m->view[v] = reserve(v) + MEM_PAGE;
	for (page = 0; page < 2; page++) {
		unsigned char *at = m->view[v] + page * MEM_PAGE;
		/* The file ends behind its second page. */
		off_t from = v == MEM_RW_EOF && page ? MEM_SIZE : page * MEM_PAGE;

		if (mmap(at, MEM_PAGE, prot[v][page], MAP_SHARED | MAP_FIXED, fd,
			 from) != at)
			bail("mmap of a view");
	}
}

void mem_make(struct mem *m, bool top)
{
	int fd = memfd_create("mem", MFD_CLOEXEC), v;

	if (fd < 0 || ftruncate(fd, MEM_SIZE))
		bail("memfd");
	m->own = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m->own == MAP_FAILED)
		bail("mmap");
	for (v = 0; v < MEM_VIEWS - !top; v++)
		view_make(m, v, fd);
	close(fd);
}
