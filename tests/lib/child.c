// SPDX-License-Identifier: GPL-2.0-only
/* A child process, waited for with a limit. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "child.h"
#include "file.h"

struct child {
	pid_t pid;
	int status;
};

static bool child_over(void *arg)
{
	struct child *c = arg;

	return waitpid(c->pid, &c->status, WNOHANG) == c->pid;
}

int child_wait_ms(pid_t pid, int ms)
{
	struct child c = { .pid = pid };

	if (wait_until(child_over, &c, ms))
		return WIFEXITED(c.status) ? WEXITSTATUS(c.status) :
					     128 + WTERMSIG(c.status);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}
