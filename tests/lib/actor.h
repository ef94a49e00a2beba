/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One system call made by another thread, so that the test can act while it
 * is blocked, and can give up on it when it never returns.
 */
#ifndef SHORTPATH_ACTOR_H
#define SHORTPATH_ACTOR_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct actor {
	ssize_t (*fn)(struct actor *a);
	int fd;			/* what the ready-made calls work on */
	void *buf;
	size_t len;
	short events;
	unsigned long cmd;
	/* results, valid once actor_ended() said true */
	ssize_t ret;
	int err;
	short revents;
	long long ms;		/* how long the call took */
	/* private */
	pthread_t thread;
	int tid;
	bool running;
};

void actor_start(struct actor *a, ssize_t (*fn)(struct actor *a));
/* Wait until the thread sleeps interruptibly in system call NR. */
bool actor_blocked(struct actor *a, long nr);
/* Wait for the call to return; false (and the thread lives on) after MS. */
bool actor_ended(struct actor *a, int ms);
void actor_signal(struct actor *a, int sig);

/* Ready-made: fill in fd and what the call needs, then start one of these. */
ssize_t act_read(struct actor *a);
ssize_t act_write(struct actor *a);
ssize_t act_poll(struct actor *a);
ssize_t act_ioctl(struct actor *a);

/* Start FN on FD and wait until it sleeps; bails when it does not. */
void actor_block(struct actor *a, int fd, ssize_t (*fn)(struct actor *a));

#endif /* SHORTPATH_ACTOR_H */
