/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the kernel's tracer about one call of this process. */
#ifndef TRACEFS_H
#define TRACEFS_H

#include <linux/types.h>

/**
 * struct locks - what a call did with spinlocks
 * @all: how many it took
 * @stream: how many of them were the stream's
 */
struct locks {
	int all;
	int stream;
};

int trace_functions_begin(void);
int trace_functions_of(int (*call)(void *ctx), void *ctx, int (*each)(__u64 address));
void trace_functions_end(void);

int trace_locks_begin(void);
int trace_stream_is(int (*call)(void *ctx), void *ctx);
int trace_locks_of(int (*call)(void *ctx), void *ctx, struct locks *locks);
void trace_locks_end(void);

#endif
