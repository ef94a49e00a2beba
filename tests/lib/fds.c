// SPDX-License-Identifier: GPL-2.0-only
/* File descriptors of this process, as /proc shows them. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fds.h"
#include "file.h"

int fd_count(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -1;	/* the folder's own */

	if (!d)
		bail("/proc/self/fd");
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

int fd_next(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		bail("/dev/null");
	close(fd);
	return fd;
}

void fd_limit(unsigned long n)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		bail("getrlimit");
	r.rlim_cur = n;
	if (r.rlim_max < n)
		r.rlim_max = n;
	if (setrlimit(RLIMIT_NOFILE, &r))
		bail("setrlimit RLIMIT_NOFILE to %lu", n);
}

bool fdinfo_str(int fd, const char *key, char *buf, size_t size)
{
	size_t len = strlen(key);
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || strncmp(line + len, ":\t", 2))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(buf, size, "%s", line + len + 2);
		found = true;
	}
	fclose(f);
	return found;
}

long long fdinfo_num(int fd, const char *key)
{
	char buf[64], *end;
	long long v;

	if (!fdinfo_str(fd, key, buf, sizeof(buf)))
		bail("fd %d: no %s in fdinfo", fd, key);
	v = strtoll(buf, &end, 0);
	if (end == buf || *end)
		bail("fd %d: %s is \"%s\", not a number", fd, key, buf);
	return v;
}

struct fdinfo_wait {
	int fd;
	const char *key;
	long long value;
};

static bool fdinfo_there(void *arg)
{
	struct fdinfo_wait *w = arg;

	return fdinfo_num(w->fd, w->key) >= w->value;
}

bool fdinfo_reaches(int fd, const char *key, long long value)
{
	struct fdinfo_wait w = { fd, key, value };

	return wait_until(fdinfo_there, &w, WAIT_MS);
}

void fd_send(int sock, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	struct iovec iov = { .iov_base = "f", .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = u.buf, .msg_controllen = sizeof(u.buf),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	if (sendmsg(sock, &msg, 0) != 1)
		bail("sendmsg SCM_RIGHTS");
}

int fd_recv(int sock)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = u.buf, .msg_controllen = sizeof(u.buf),
	};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(sock, &msg, 0) != 1)
		bail("recvmsg SCM_RIGHTS");
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		bail("no fd in the message");
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}
