/* SPDX-License-Identifier: GPL-2.0-only */
/* The running kernel's functions: their names, and their bytes as they are now. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct function - a function of the kernel or of a module
 * @start: its address
 * @name: its name
 * @module: the module's name, or "" for the kernel itself
 */
struct function {
	__u64 start;
	char name[64];
	char module[32];
};

int kernel_text_open(void);
void kernel_text_close(void);

const struct function *function_at(__u64 address);
const struct function *function_named(const char *name, const char *module);
__u64 function_end(const struct function *f);

const struct function *functions_first(void);
const struct function *functions_next(const struct function *f);

int kernel_bytes(__u64 address, void *buffer, size_t size);

#endif
