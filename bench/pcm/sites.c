// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where user-access windows open and speculation barriers stand, and how often
 * a call comes by there.
 *
 * The instructions are looked for in the kernel's text as it runs. What looks
 * like one may be part of another: therefore each place is counted by a hardware
 * breakpoint, which only ever hits an instruction's beginning. There are four of
 * these, so a call is made once for each four places.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel_text.h"
#include "pcm_bench.h"
#include "sites.h"

#define BREAKPOINTS 4
#define LENGTH 3
#define MAX_FUNCTION 65536

static const unsigned char stac[LENGTH] = { 0x0f, 0x01, 0xcb };
static const unsigned char lfence[LENGTH] = { 0x0f, 0xae, 0xe8 };

struct site {
	__u64 address;
	bool window;
};

static struct site *sites;
static size_t site_count;

static int add_site(__u64 address, bool window)
{
	struct site *more;
	size_t i;

	for (i = 0; i < site_count; i++)
		if (sites[i].address == address)
			return 0;
	more = realloc(sites, (site_count + 1) * sizeof(*more));
	if (!more)
		return pcm_complain("scanning the kernel's text");
	sites = more;
	sites[site_count++] = (struct site) { .address = address, .window = window };
	return 0;
}

/**
 * sites_forget() - forget all places
 */
void sites_forget(void)
{
	free(sites);
	sites = NULL;
	site_count = 0;
}

/**
 * sites_scan() - look for them in a function
 * @f: the function
 *
 * Return: 0, or -1 after a message.
 */
int sites_scan(const struct function *f)
{
	static unsigned char text[MAX_FUNCTION];
	size_t size = function_end(f) - f->start, i;

	/* beyond the last one of a module there is nothing that belongs to it */
	if (size > MAX_FUNCTION)
		size = 4096;
	if (kernel_bytes(f->start, text, size)) {
		fprintf(stderr, "%s: cannot read the text of %s\n", TOOL, f->name);
		return -1;
	}
	for (i = 0; i + LENGTH <= size; i++) {
		bool window = !memcmp(text + i, stac, LENGTH);

		if ((window || !memcmp(text + i, lfence, LENGTH)) &&
		    add_site(f->start + i, window))
			return -1;
	}
	return 0;
}

/**
 * sites_scan_helpers() - look for them in what copies to and from user memory
 *
 * These are written in assembler, which the tracer of functions does not see.
 *
 * Return: 0, or -1 after a message.
 */
int sites_scan_helpers(void)
{
	static const char * const prefixes[] = {
		"__get_user_", "__put_user_", "_copy_to_", "_copy_from_", "__copy_user_",
		"copy_user_", "rep_movs_", "rep_stos_", "__clear_user", "clear_user_",
	};
	const struct function *f;
	size_t i;

	for (f = functions_first(); f; f = functions_next(f))
		for (i = 0; i < ARRAY_SIZE(prefixes); i++)
			if (!strncmp(f->name, prefixes[i], strlen(prefixes[i])) && sites_scan(f))
				return -1;
	return 0;
}

/* One more in the group of @leader, or the first one of a group: off for now. */
static int watch(__u64 address, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X, .bp_addr = address, .bp_len = sizeof(long),
		.exclude_user = 1, .exclude_hv = 1, .disabled = leader < 0,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? pcm_complain("a hardware breakpoint") : fd;
}

static void add_hits(const struct site *site, int fd, struct sites_run *run)
{
	__u64 count;

	if (read(fd, &count, sizeof(count)) != sizeof(count) || !count)
		return;
	*(site->window ? &run->windows : &run->barriers) += count;
	if (getenv("PCM_BENCH_SITES"))
		fprintf(stderr, "%s: %s: %s+%#llx, %llu times\n", TOOL,
			site->window ? "window" : "barrier", function_at(site->address)->name,
			site->address - function_at(site->address)->start, count);
}

/* The switch itself touches no user memory, so all that is hit is the call's. */
static int between_switches(int leader, int (*call)(void *ctx), void *ctx)
{
	int ret;

	if (ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return pcm_complain("switching breakpoints on");
	ret = call(ctx);
	if (ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP))
		return pcm_complain("switching breakpoints off");
	return ret;
}

/* One call with breakpoints at some places. */
static int count_at(const struct site *site, size_t count, int (*call)(void *ctx), void *ctx,
		    struct sites_run *run)
{
	int fds[BREAKPOINTS], ret = 0;
	size_t i, opened;

	for (opened = 0; !ret && opened < count; opened++) {
		fds[opened] = watch(site[opened].address, opened ? fds[0] : -1);
		ret = fds[opened] < 0 ? -1 : 0;
	}
	if (!ret)
		ret = between_switches(fds[0], call, ctx);
	for (i = 0; i < opened; i++) {
		if (fds[i] < 0)
			continue;
		if (!ret)
			add_hits(&site[i], fds[i], run);
		close(fds[i]);
	}
	return ret;
}

/**
 * sites_count() - how often a call comes by
 * @call: makes it, once
 * @ctx: for @call
 * @run: where that is stored
 *
 * Return: 0, or -1 after a message.
 */
int sites_count(int (*call)(void *ctx), void *ctx, struct sites_run *run)
{
	size_t i, count;

	*run = (struct sites_run) { 0 };
	for (i = 0; i < site_count; i += count) {
		count = site_count - i < BREAKPOINTS ? site_count - i : BREAKPOINTS;
		if (count_at(sites + i, count, call, ctx, run))
			return -1;
	}
	return 0;
}
