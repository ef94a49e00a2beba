// SPDX-License-Identifier: GPL-2.0-only
/* The frame of an rpmsg test program. */
#define _GNU_SOURCE
#include <unistd.h>

#include "child.h"
#include "rig.h"

static int fds_before;

static void note_state(void)
{
	fds_before = fd_count();
}

static void check_state(void)
{
	ok(ept_live_is(0), "no live endpoint stays behind");
	is(fd_count(), fds_before, "no file descriptor stays behind");
	sim_clear();
}

int rig_main(int argc, char **argv, const struct tap_case *cases, size_t n)
{
	static const struct tap_hooks hooks = { note_state, check_state };

	tap_start();
	sim_start();
	return tap_run(argc, argv, cases, n, &hooks);
}

int child_status(pid_t pid)
{
	int status = child_wait_ms(pid, WAIT_MS);

	return status < 128 ? status : -1;
}

void *nowhere(void)
{
	void *p = (void *)8;

	__asm__("" : "+r" (p));
	return p;
}
