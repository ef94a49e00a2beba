// SPDX-License-Identifier: GPL-2.0-only
/* The frame of an rpmsg test program. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

struct child_wait {
	pid_t pid;
	int status;
};

static bool child_ended(void *arg)
{
	struct child_wait *w = arg;

	return waitpid(w->pid, &w->status, WNOHANG) == w->pid;
}

int child_status(pid_t pid)
{
	struct child_wait w = { .pid = pid };

	if (wait_until(child_ended, &w, WAIT_MS))
		return WIFEXITED(w.status) ? WEXITSTATUS(w.status) : -1;
	kill(pid, SIGKILL);
	return -1;
}

void *nowhere(void)
{
	void *p = (void *)8;

	__asm__("" : "+r" (p));
	return p;
}
