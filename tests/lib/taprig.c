// SPDX-License-Identifier: GPL-2.0-only
/* The frame of a tap test program. */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "taprig.h"

#define VMSTAT	"/proc/vmstat"

static int fds_before;
static long long pins_before;
static int links_before;

static long long memory_stat(const char *what)
{
	char line[128];
	long long v = -1;
	FILE *f = fopen(VMSTAT, "re");

	if (!f)
		bail(VMSTAT);
	while (v < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, what, strlen(what)) &&
		    line[strlen(what)] == ' ')
			v = atoll(line + strlen(what));
	fclose(f);
	if (v < 0)
		bail("no %s in " VMSTAT, what);
	return v;
}

long long pinned_pages(void)
{
	/* The processors' own shares of the counters are added first. */
	if (file_set("/proc/sys/vm/stat_refresh", "1"))
		bail("stat_refresh");
	return memory_stat("nr_foll_pin_acquired") - memory_stat("nr_foll_pin_released");
}

static bool pins_are(void *arg)
{
	return pinned_pages() == *(long long *)arg;
}

bool pinned_is(long long pages)
{
	return wait_until(pins_are, &pages, WAIT_MS);
}

static int links(void)
{
	DIR *d = opendir("/sys/class/net");
	int n = 0;

	if (!d)
		bail("/sys/class/net");
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static bool links_are(void *arg)
{
	return links() == *(int *)arg;
}

static void note_state(void)
{
	fds_before = fd_count();
	pins_before = pinned_pages();
	links_before = links();
}

static void check_state(void)
{
	is(fd_count(), fds_before, "no file descriptor stays behind");
	if (!ok(wait_until(links_are, &links_before, WAIT_MS),
		"no device stays behind"))
		diag("there are %d, were %d", links(), links_before);
	if (!ok(pinned_is(pins_before), "no page stays pinned"))
		diag("%lld pages more than before",
		     pinned_pages() - pins_before);
	ok(waitpid(-1, NULL, WNOHANG) == -1, "no child stays behind");
}

bool have_stats(void)
{
	return !xsk_copy_mode();
}

int child_wait(pid_t pid)
{
	return child_wait_ms(pid, 3 * WAIT_MS);
}

static void interrupted(int sig)
{
	(void)sig;
}

int taprig_main(int argc, char **argv, const struct tap_case *cases, size_t n)
{
	static const struct tap_hooks hooks = { note_state, check_state };
	struct sigaction sa = { .sa_handler = interrupted };

	tap_start();
	if (mod_probe("tun"))
		bail("modprobe tun");
	/* Nobody but us shall send through the devices made here. */
	file_set("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	signal(SIGPIPE, SIG_IGN);
	/* Only ends a blocking call of another thread. */
	sigaction(SIGUSR1, &sa, NULL);
	return tap_run(argc, argv, cases, n, &hooks);
}
