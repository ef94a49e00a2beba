/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the rpmsg benchmark share. */
#ifndef EPT_BENCH_H
#define EPT_BENCH_H

#include "bench.h"

/**
 * struct ept_options - the command line
 * @plan: clock and rounds
 * @ops: operations a round on the new side
 * @ctrl: control device
 * @node: device node that the next legacy endpoint gets
 * @dst: address of the remote's echo service
 */
struct ept_options {
	struct bench_plan plan;
	long ops;
	const char *ctrl;
	const char *node;
	unsigned int dst;
};

int ept_complain(const char *what);

int ept_open_ctrl(const struct ept_options *opt);
int ept_create_legacy(int ctrl, const char *node, unsigned int dst);
int ept_create_fd(int ctrl, unsigned int dst);
int ept_destroy(int fd);

int floor_two_ioctls(void *ctx, long n);
int floor_one_ioctl(void *ctx, long n);

int bench_floor(const struct ept_options *opt, const char *name);
int bench_create(const struct ept_options *opt);
int bench_roundtrip(const struct ept_options *opt, size_t size);
int bench_stream(const struct ept_options *opt, size_t size);

#endif
