// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything inside the create ioctl that can fail made to fail in turn (the
 * debug kernel's fault injection): each time ENOMEM for an allocation or
 * EFAULT for a copy, and nothing stays behind.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

#define SLAB	"/sys/kernel/debug/failslab/"
#define NTH	"/proc/thread-self/fail-nth"
#define MOST	200

static struct sim sim;
static int ctrl;

static int nth_fd = -1;

/* Fail the thread's next Nth chance to fail, whatever it is. */
static void fail_nth(int n)
{
	char buf[16];
	int len = snprintf(buf, sizeof(buf), "%d", n), tries = 0;

	/* A count that is still running can hit this very write. */
	while (pwrite(nth_fd, buf, len, 0) != len)
		if (++tries > MOST)
			bail(NTH);
}

/* Was it reached? Then the count is 0; a count of 1 hits this very read. */
static bool used_up(void)
{
	char buf[16] = "";

	return pread(nth_fd, buf, sizeof(buf) - 1, 0) > 0 && atoi(buf) == 0;
}

static bool injected(int err)
{
	return err == ENOMEM || err == EFAULT;
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
	nth_fd = open(NTH, O_RDWR | O_CLOEXEC);
	if (nth_fd >= 0 && !access(SLAB "verbose", F_OK))
		return true;
	if (nth_fd >= 0)
		close(nth_fd);
	skip("no CONFIG_FAULT_INJECTION", "allocation failures");
	return false;
}

/* One try; false when the Nth chance was never reached. */
static bool try_nth(int n, __u32 src, unsigned int *wrong)
{
	struct rpmsg_endpoint_fd_info info;
	bool reached;
	int ret, err;

	ept_info(&info, src, sim_addr(&sim, "echo"), O_RDWR);
	fail_nth(n);
	ret = ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info);
	err = errno;
	reached = used_up();
	fail_nth(0);
	if (!ret)
		close(info.fd);
	else if (!injected(err) && ++*wrong)
		diag("failure %d: %s", n, err_name(err));
	if (ept_live() && ++*wrong)
		diag("failure %d: an endpoint is left", n);
	return reached;
}

static void every_failure(__u32 src)
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
	ok(n > 2 && n < MOST, "%d things were made to fail", n - 1);
	is(wrong, 0, "each gave ENOMEM or EFAULT, or did no harm");
	is(fd_count(), count, "no fd is left");
	is(fd_next(), next, "no number is lost");
	close(ept_open(ctrl, src, 1, O_RDWR));
	close(ctrl);
	close(nth_fd);
}

static void any_src(void)
{
	every_failure(EPT_ANY);
}

static void given_src(void)
{
	every_failure(9100);
}

static void write_fails(void)
{
	unsigned int wrong = 0;
	bool reached = true;
	int fd, n;

	if (!has_nth())
		return;
	ctrl = sim_up(&sim, "inject", 8);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_RDWR);
	arm();
	for (n = 1; n < MOST && reached; n++) {
		fail_nth(n);
		wrong += write(fd, "x", 1) != 1 && !injected(errno);
		reached = used_up();
		fail_nth(0);
	}
	ok(n > 2 && n < MOST, "%d things were made to fail", n - 2);
	is(wrong, 0, "write succeeds, or gives ENOMEM or EFAULT");
	close(fd);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	for (n = 0; n < 24; n++)
		wrong += !ept_echoes(fd, 10, n);
	is(wrong, 0, "no Tx buffer was lost");
	close(fd);
	close(ctrl);
	close(nth_fd);
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
