/* SPDX-License-Identifier: GPL-2.0-only */
/* Where user-access windows open and speculation barriers stand, and how often
 * a call comes by there.
 */
#ifndef SITES_H
#define SITES_H

#include <linux/types.h>

struct function;

/**
 * struct sites_run - how often one call came by
 * @windows: instructions that open user memory (stac)
 * @barriers: instructions that wait for all before them (lfence)
 */
struct sites_run {
	int windows;
	int barriers;
};

int sites_scan(const struct function *f);
int sites_scan_helpers(void);
int sites_count(int (*call)(void *ctx), void *ctx, struct sites_run *run);
void sites_forget(void);

#endif
