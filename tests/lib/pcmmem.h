/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory of every kind, below 4 GiB: two pages that are there twice, once
 * to be written and read by the test, once as a view to be handed to the
 * kernel, with another protection on each of the two.
 *
 *        own:   | page 0 | page 1 |                 always writable
 *        view: -| page 0 | page 1 |-                - nothing is mapped
 */
#ifndef SHORTPATH_PCMMEM_H
#define SHORTPATH_PCMMEM_H

#include <stdbool.h>
#include <linux/types.h>
#include <stddef.h>

#define MEM_PAGE	4096
#define MEM_SIZE	(2 * MEM_PAGE)

enum mem_view {
	MEM_RW_RW, MEM_RW_NONE, MEM_NONE_RW, MEM_RW_RO, MEM_RO_RW, MEM_RO_RO,
	MEM_RW_EOF,	/* the second page is beyond the end of the file */
	MEM_TOP,	/* rw|rw, on either side of 4 GiB; only if asked for */
	MEM_VIEWS
};

struct mem {
	unsigned char *own;
	unsigned char *view[MEM_VIEWS];
};

/* TOP: this one has the view at 4 GiB. */
void mem_make(struct mem *m, bool top);

extern const char *const mem_view_names[MEM_VIEWS];

#endif /* SHORTPATH_PCMMEM_H */
