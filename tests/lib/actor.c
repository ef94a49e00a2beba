// SPDX-License-Identifier: GPL-2.0-only
/* One system call made by another thread. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "actor.h"
#include "file.h"

ssize_t act_read(struct actor *a)
{
	return read(a->fd, a->buf, a->len);
}

ssize_t act_write(struct actor *a)
{
	return write(a->fd, a->buf, a->len);
}

ssize_t act_poll(struct actor *a)
{
	struct pollfd p = { .fd = a->fd, .events = a->events };
	int ret = poll(&p, 1, WAIT_MS * 2);

	a->revents = p.revents;
	return ret;
}

ssize_t act_ioctl(struct actor *a)
{
	return ioctl(a->fd, a->cmd, a->buf);
}

static void *actor_main(void *arg)
{
	struct actor *a = arg;
	long long start = now_ms();

	__atomic_store_n(&a->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	errno = 0;
	a->ret = a->fn(a);
	a->err = errno;
	a->ms = now_ms() - start;
	return NULL;
}

void actor_start(struct actor *a, ssize_t (*fn)(struct actor *a))
{
	a->fn = fn;
	a->tid = 0;
	if (pthread_create(&a->thread, NULL, actor_main, a))
		bail("pthread_create");
	a->running = true;
}

struct actor_wait {
	struct actor *a;
	long nr;
};

/* The state letter of /proc/self/task/TID/stat, behind the name's ')'. */
static char task_state(int tid)
{
	char path[64], buf[256], *p;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	if (file_get(path, buf, sizeof(buf)))
		return '?';
	p = strrchr(buf, ')');
	return p ? p[2] : '?';
}

static bool sleeps_in(void *arg)
{
	struct actor_wait *w = arg;
	int tid = __atomic_load_n(&w->a->tid, __ATOMIC_ACQUIRE);
	char path[64], buf[256], *end;
	long nr;

	if (!tid || task_state(tid) != 'S')
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	if (file_get(path, buf, sizeof(buf)))
		return false;
	nr = strtol(buf, &end, 10);
	return end != buf && nr == w->nr;
}

bool actor_blocked(struct actor *a, long nr)
{
	struct actor_wait w = { a, nr };

	return wait_until(sleeps_in, &w, WAIT_MS);
}

bool actor_ended(struct actor *a, int ms)
{
	struct timespec t;

	if (!a->running)
		return true;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_nsec -= 1000000000L;
		t.tv_sec++;
	}
	if (pthread_timedjoin_np(a->thread, NULL, &t))
		return false;
	a->running = false;
	return true;
}

void actor_signal(struct actor *a, int sig)
{
	pthread_kill(a->thread, sig);
}

void actor_block(struct actor *a, int fd, ssize_t (*fn)(struct actor *a))
{
	long nr = fn == act_read ? SYS_read : fn == act_write ? SYS_write :
		  fn == act_poll ? SYS_poll : SYS_ioctl;

	a->fd = fd;
	actor_start(a, fn);
	if (!actor_blocked(a, nr))
		bail("the call does not block (ret %zd %s)", a->ret,
		     err_name(a->err));
}
