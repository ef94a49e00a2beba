// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every memory allocation inside the create ioctl made to fail in turn (the
 * debug kernel's failslab): each time ENOMEM, and nothing stays behind.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

#define SLAB	"/sys/kernel/debug/failslab/"
#define NTH	"/proc/thread-self/fail-nth"
#define MOST	200

static struct sim sim;
static int ctrl;

/* Fail the thread's next Nth allocation; 0 says it was used up. */
static void fail_nth(int n)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%d", n);
	if (file_set(NTH, buf))
		bail(NTH);
}

static void arm(void)
{
	file_set(SLAB "ignore-gfp-wait", "N");
	file_set(SLAB "cache-filter", "N");
	file_set(SLAB "verbose", "0");
	file_set("/sys/kernel/debug/fail_page_alloc/verbose", "0");
}

static bool has_nth(void)
{
	if (!access(NTH, W_OK) && !access(SLAB "verbose", F_OK))
		return true;
	skip("no CONFIG_FAULT_INJECTION", "allocation failures");
	return false;
}

/* One try; false when the Nth allocation was never reached. */
static bool try_nth(int n, __u32 src, unsigned int *wrong)
{
	struct rpmsg_endpoint_fd_info info;
	int ret, err, left;

	ept_info(&info, src, sim_addr(&sim, "echo"), O_RDWR);
	fail_nth(n);
	ret = ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info);
	err = errno;
	left = file_num(NTH);
	fail_nth(0);
	if (!ret)
		close(info.fd);
	else if (err != ENOMEM && ++*wrong)
		diag("allocation %d: %s", n, err_name(err));
	if (ept_live() && ++*wrong)
		diag("allocation %d: an endpoint is left", n);
	return !left;
}

static void every_allocation(__u32 src)
{
	unsigned int wrong = 0;
	int n, count, next;

	if (!has_nth())
		return;
	ctrl = sim_up(&sim, "inject", 8);
	arm();
	next = fd_next();
	count = fd_count();
	for (n = 1; n < MOST && try_nth(n, src, &wrong); n++)
		;
	ok(n > 2 && n < MOST, "%d allocations were made to fail", n - 1);
	is(wrong, 0, "each gave ENOMEM, or did no harm");
	is(fd_count(), count, "no fd is left");
	is(fd_next(), next, "no number is lost");
	close(ept_open(ctrl, src, 1, O_RDWR));
	close(ctrl);
}

static void any_src(void)
{
	every_allocation(EPT_ANY);
}

static void given_src(void)
{
	every_allocation(9100);
}

/* Receiving allocates too: what cannot be stored is dropped and counted. */
static void write_fails(void)
{
	unsigned int wrong = 0;
	int fd, n, left = 0;

	if (!has_nth())
		return;
	ctrl = sim_up(&sim, "inject", 8);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_RDWR);
	arm();
	for (n = 1; n < MOST && !left; n++) {
		fail_nth(n);
		wrong += write(fd, "x", 1) != 1 && errno != ENOMEM;
		left = file_num(NTH);
		fail_nth(0);
	}
	is(wrong, 0, "write succeeds or gives ENOMEM");
	close(fd);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "no Tx buffer was lost");
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "any_src", any_src },
		{ "given_src", given_src },
		{ "write", write_fails },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
