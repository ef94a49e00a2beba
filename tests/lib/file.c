// SPDX-License-Identifier: GPL-2.0-only
/* Small text files, and bounded waits for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "file.h"

int file_get(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	err = errno;
	close(fd);
	errno = err;
	if (n < 0)
		return -1;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int file_set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return n < 0 ? -1 : 0;
}

long long file_num(const char *path)
{
	char buf[64], *end;
	long long v;

	if (file_get(path, buf, sizeof(buf)))
		bail("cannot read %s", path);
	v = strtoll(buf, &end, 0);
	if (end == buf || *end)
		bail("%s holds \"%s\", not a number", path, buf);
	return v;
}

void nap_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

int wait_limit_ms(void)
{
	static int ms;
	const char *scale = getenv("SHORTPATH_SCALE_TIME");
	int times = scale ? atoi(scale) : 1;

	if (!ms)
		ms = 20000 * (times > 0 ? times : 1);
	return ms;
}

bool wait_until(bool (*cond)(void *arg), void *arg, int ms)
{
	long long end = now_ms() + ms;
	int nap = 1;

	while (!cond(arg)) {
		if (now_ms() >= end)
			return cond(arg);
		nap_ms(nap);
		if (nap < 50)
			nap *= 2;
	}
	return true;
}

/* Wait for anything to happen in the watched folder. */
static void inotify_wait(int in, long long ms)
{
	char buf[sizeof(struct inotify_event) + NAME_MAX + 1];
	struct pollfd p = { .fd = in, .events = POLLIN };

	if (ms > 0 && poll(&p, 1, ms) == 1 && read(in, buf, sizeof(buf)) < 0)
		bail("inotify read");
}

bool wait_path(const char *path, bool there, int ms)
{
	long long end = now_ms() + ms;
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	bool done;
	int in;

	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	in = inotify_init1(IN_CLOEXEC);
	if (in < 0 || inotify_add_watch(in, dir, IN_CREATE | IN_DELETE) < 0)
		bail("inotify on %s", dir);
	for (;;) {
		done = !access(path, F_OK) == there;
		if (done || now_ms() >= end)
			break;
		inotify_wait(in, end - now_ms());
	}
	close(in);
	return done;
}
