// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ten thousand endpoints at once: distinct addresses, all usable, and their
 * end - by close, by exit, by removal of the remote - takes bounded time.
 */
/* time-limit: 300 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

#define MANY	10000
/* Generous: stock hardware needs milliseconds. */
#define END_MS	30000

static struct sim sim;
static int fds[MANY];

static int by_value(const void *a, const void *b)
{
	__u32 x = *(__u32 *)a, y = *(__u32 *)b;

	return (x > y) - (x < y);
}

static unsigned int duplicates(__u32 *v, size_t n)
{
	unsigned int dup = 0;
	size_t i;

	qsort(v, n, sizeof(*v), by_value);
	for (i = 1; i < n; i++)
		dup += v[i] == v[i - 1];
	return dup;
}

static void create_all(int ctrl)
{
	struct rpmsg_endpoint_fd_info info;
	static __u32 src[MANY];
	__u32 echo = sim_addr(&sim, "echo");
	long long start = now_ms();
	int i;

	for (i = 0; i < MANY; i++) {
		ept_info(&info, EPT_ANY, echo, O_RDWR | O_NONBLOCK);
		if (ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info))
			bail("create number %d", i);
		fds[i] = info.fd;
		src[i] = info.src;
	}
	diag("created %d in %lld ms", MANY, now_ms() - start);
	is(ept_live(), MANY, "all live");
	is(duplicates(src, MANY), 0, "no address twice");
}

static void samples_talk(void)
{
	int i, bad = 0;

	for (i = 0; i < MANY; i += MANY / 20)
		bad += !ept_echoes(fds[i], 20, i);
	bad += !ept_echoes(fds[MANY - 1], 20, 1);
	is(bad, 0, "samples of them talk");
}

static void ended(long long start, const char *how)
{
	long long ms = now_ms() - start;

	ok(ms < END_MS, "%s of all took %lld ms", how, ms);
	is(ept_live(), 0, "none lives");
}

static void close_all(void)
{
	int i;

	for (i = 0; i < MANY; i++)
		close(fds[i]);
}

static void by_close(void)
{
	int ctrl = sim_up(&sim, "many", 64);
	long long start;

	fd_limit(MANY + 100);
	create_all(ctrl);
	samples_talk();
	start = now_ms();
	close_all();
	ended(start, "close");
	close(ctrl);
}

static void by_removal(void)
{
	int ctrl = sim_up(&sim, "many", 64), i, dead = 0;
	long long start;

	fd_limit(MANY + 100);
	create_all(ctrl);
	start = now_ms();
	sim_dead(&sim);
	ended(start, "removal");
	for (i = 0; i < MANY; i++)
		dead += ept_poll(fds[i], POLLIN) == POLL_DEAD;
	is(dead, MANY, "each says so");
	close_all();
	close(ctrl);
}

static void by_exit(void)
{
	int ctrl = sim_up(&sim, "many", 64), i;
	long long start;
	pid_t pid;

	fd_limit(MANY + 100);
	pid = fork();
	if (!pid) {
		for (i = 0; i < MANY; i++)
			ept_open(ctrl, EPT_ANY, 1, O_RDWR);
		_exit(ept_live() == MANY ? 0 : 1);
	}
	start = now_ms();
	is(child_status(pid), 0, "a child made them all and exited");
	ended(start, "creation and exit");
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "by_close", by_close },
		{ "by_removal", by_removal },
		{ "by_exit", by_exit },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
