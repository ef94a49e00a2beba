// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making an endpoint and giving it back.
 *
 * create-destroy-close does with both paths what the mailing list's program
 * does.  create-close is what a program with a descriptor need do: close() is
 * enough there, while the old path keeps its device until it is destroyed.
 */
#include <unistd.h>

#include "ept_bench.h"

/* A legacy operation takes as long as some forty of the others. */
#define LEGACY_SHARE 10

struct create {
	int ctrl;
	const struct ept_options *opt;
};

static int old_create_destroy_close(void *ctx, long n)
{
	struct create *c = ctx;
	int fd;

	while (n--) {
		fd = ept_create_legacy(c->ctrl, c->opt->node, c->opt->dst);
		if (fd < 0 || ept_destroy(fd))
			return -1;
	}
	return 0;
}

static int new_create_destroy_close(void *ctx, long n)
{
	struct create *c = ctx;
	int fd;

	while (n--) {
		fd = ept_create_fd(c->ctrl, c->opt->dst);
		if (fd < 0 || ept_destroy(fd))
			return -1;
	}
	return 0;
}

static int new_create_close(void *ctx, long n)
{
	struct create *c = ctx;
	int fd;

	while (n--) {
		fd = ept_create_fd(c->ctrl, c->opt->dst);
		if (fd < 0)
			return -1;
		close(fd);
	}
	return 0;
}

/**
 * bench_create() - both cases, old against new against their floors
 * @opt: command line
 *
 * Return: 0, or -1 after a message.
 */
int bench_create(const struct ept_options *opt)
{
	static const char destroy[] = "create-destroy-close";
	static const char release[] = "create-close";
	static const char * const release_too[] = { release, NULL };
	struct create c = { .ctrl = ept_open_ctrl(opt), .opt = opt };
	long few = opt->ops / LEGACY_SHARE + 1;
	struct bench_side sides[] = {
		{ .name = destroy, .also = release_too, .side = "old", .ops = few,
		  .run = old_create_destroy_close, .ctx = &c },
		{ .name = destroy, .side = "new", .ops = opt->ops,
		  .run = new_create_destroy_close, .ctx = &c },
		{ .name = destroy, .side = "floor", .ops = opt->ops,
		  .run = floor_two_ioctls },
		{ .name = release, .side = "new", .ops = opt->ops,
		  .run = new_create_close, .ctx = &c },
		{ .name = release, .side = "floor", .ops = opt->ops,
		  .run = floor_one_ioctl },
	};
	int ret;

	if (c.ctrl < 0)
		return -1;
	ret = bench_interleave(&opt->plan, sides, ARRAY_SIZE(sides));
	close(c.ctrl);
	return ret;
}
