// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll and epoll on an endpoint fd: input, output, level- and edge-triggered,
 * one-shot, after DESTROY, after the remote has gone, and an epoll set that
 * outlives the remote.
 *
 * The legacy device of 7.x hands epoll a wait queue inside the bus's memory,
 * which is freed with the remote while the epoll entry still points there.
 *
 * epoll_exclusive is a regression test: the end of an endpoint woke one of
 * several EPOLLEXCLUSIVE waiters, and the others slept for good.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

#define BUFS		8
#define IN		(POLLIN | POLLRDNORM)
#define OUT		(POLLOUT | POLLWRNORM)

static struct sim sim;
static int ctrl;

static int up(const char *service, __u32 flags)
{
	ctrl = sim_up(&sim, "poll", BUFS);
	return ept_open(ctrl, EPT_ANY, sim_addr(&sim, service), flags);
}

static void down(int fd)
{
	close(fd);
	close(ctrl);
}

static int watch(int fd, __u32 events)
{
	struct epoll_event e = { .events = events, .data.u32 = 77 };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e))
		bail("epoll");
	return ep;
}

/* What epoll reports within MS, or 0. */
static __u32 epoll_next(int ep, int ms)
{
	struct epoll_event e = { 0 };
	int n = epoll_wait(ep, &e, 1, ms);

	if (n < 0)
		bail("epoll_wait");
	return n ? e.events : 0;
}

static void send_one(int fd)
{
	if (write(fd, "hello", 5) != 5)
		bail("write");
}

static void take_one(int fd)
{
	char buf[16];

	if (read(fd, buf, sizeof(buf)) != 5)
		bail("read");
}

static void input(void)
{
	int fd = up("echo", O_RDWR);

	is(ept_poll(fd, IN | POLLPRI), 0, "nothing yet");
	is(ept_poll_ms(fd, IN, 50), 0, "a time-out is a time-out");
	send_one(fd);
	send_one(fd);
	is(ept_poll_ms(fd, IN, WAIT_MS), IN, "a message is there");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 2), "and a second");
	take_one(fd);
	is(ept_poll(fd, IN), IN, "one is left");
	take_one(fd);
	is(ept_poll(fd, IN), 0, "none is left");
	down(fd);
}

static void wakes(void)
{
	struct actor a = { .events = POLLIN };
	int fd = up("echo", O_RDWR);

	actor_block(&a, fd, act_poll);
	send_one(fd);
	if (!ok(actor_ended(&a, WAIT_MS), "poll returns"))
		bail("stuck");
	is(a.revents, POLLIN, "with POLLIN");
	ok(a.ms < PROMPT_MS, "promptly (%lld ms)", a.ms);
	down(fd);
}

static void select_too(void)
{
	struct timeval t = { .tv_sec = WAIT_MS / 1000 };
	int fd = up("echo", O_RDWR);
	fd_set r;

	FD_ZERO(&r);
	FD_SET(fd, &r);
	send_one(fd);
	is(select(fd + 1, &r, NULL, NULL, &t), 1, "select wakes for input");
	down(fd);
}

static void modes(void)
{
	int fd = up("sink", O_RDONLY);

	is(ept_poll(fd, OUT), 0, "O_RDONLY: never OUT");
	down(fd);
	sim_remove(&sim);
	fd = up("sink", O_WRONLY);
	is(ept_poll(fd, IN), 0, "O_WRONLY: never IN");
	down(fd);
	sim_remove(&sim);
	fd = up("sink", O_ACCMODE);
	is(ept_poll(fd, IN | OUT), 0, "no access: neither");
	ept_destroy(fd);
	is(ept_poll(fd, IN | OUT), POLL_DEAD, "but HUP and ERR");
	down(fd);
}

static void output(void)
{
	struct actor a = { .events = POLLOUT };
	int fd = up("sink", O_RDWR);

	is(ept_poll(fd, OUT), OUT, "buffers are free");
	sim_set(&sim, "hold_tx", "1");
	is(ept_fill(fd), BUFS, "all are taken");
	is(ept_poll(fd, OUT), 0, "no buffer, no OUT");
	actor_block(&a, fd, act_poll);
	sim_set(&sim, "hold_tx", "0");
	if (!ok(actor_ended(&a, WAIT_MS), "poll returns when one is free"))
		bail("stuck");
	is(a.revents, POLLOUT, "with POLLOUT");
	is(write(fd, "x", 1), 1, "and a write goes through");
	down(fd);
}

static void epoll_level(void)
{
	int fd = up("echo", O_RDWR), ep = watch(fd, EPOLLIN);

	is(epoll_next(ep, 0), 0, "nothing yet");
	send_one(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLIN, "a message");
	is(epoll_next(ep, 0), EPOLLIN, "level: said again");
	take_one(fd);
	is(epoll_next(ep, 0), 0, "read: no longer");
	close(ep);
	down(fd);
}

static void epoll_edge(void)
{
	int fd = up("echo", O_RDWR), ep = watch(fd, EPOLLIN | EPOLLET);

	is(epoll_next(ep, 0), 0, "nothing yet");
	send_one(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLIN, "a message");
	is(epoll_next(ep, 50), 0, "edge: said once, though still queued");
	send_one(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLIN, "the next is a new edge");
	is(epoll_next(ep, 50), 0, "said once");
	take_one(fd);
	take_one(fd);
	send_one(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLIN, "after draining: a new edge");
	close(ep);
	down(fd);
}

static void epoll_oneshot(void)
{
	int fd = up("echo", O_RDWR), ep = watch(fd, EPOLLIN | EPOLLONESHOT);
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT };

	send_one(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLIN, "a message");
	send_one(fd);
	ok(fdinfo_reaches(fd, "rpmsg-queued", 2), "a second comes");
	is(epoll_next(ep, 0), 0, "one-shot: not said");
	works(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &e), "armed again");
	is(epoll_next(ep, 0), EPOLLIN, "said");
	close(ep);
	down(fd);
}

static void epoll_output(void)
{
	int fd = up("sink", O_RDWR), ep;

	ep = watch(fd, EPOLLOUT | EPOLLET);
	is(epoll_next(ep, 0), EPOLLOUT, "buffers are free");
	is(epoll_next(ep, 0), 0, "edge: said once");
	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	is(epoll_next(ep, 0), 0, "full: nothing said");
	sim_set(&sim, "hold_tx", "0");
	is(epoll_next(ep, WAIT_MS), EPOLLOUT, "an edge when one is free");
	close(ep);
	down(fd);
}

static void epoll_destroy(void)
{
	int fd = up("echo", O_RDWR), ep = watch(fd, EPOLLIN | EPOLLET);

	ept_destroy(fd);
	is(epoll_next(ep, WAIT_MS), EPOLLHUP | EPOLLERR, "DESTROY is an edge");
	is(epoll_next(ep, 0), 0, "said once");
	close(ep);
	ep = watch(fd, 0);
	is(epoll_next(ep, 0), EPOLLHUP | EPOLLERR, "level: without being asked");
	is(epoll_next(ep, 0), EPOLLHUP | EPOLLERR, "and again");
	close(ep);
	down(fd);
}

static void epoll_removed(void)
{
	int fd = up("echo", O_RDWR), ep;

	send_one(fd);
	ok(fdinfo_reaches(fd, "rpmsg-queued", 1), "one message queued");
	ep = watch(fd, EPOLLIN | EPOLLET);
	is(epoll_next(ep, 0), EPOLLIN, "said");
	sim_dead(&sim);
	is(epoll_next(ep, WAIT_MS), EPOLLIN | EPOLLHUP | EPOLLERR,
	   "removal is an edge; the queued message is still there");
	take_one(fd);
	is(ept_poll(fd, IN), POLL_DEAD, "drained");
	close(ep);
	down(fd);
}

/* Entries made while the remote was there are used and freed after it. */
static void epoll_outlives(void)
{
	int fd = up("echo", O_RDWR), fd2, ep, ep2;

	fd2 = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_WRONLY);
	ep = watch(fd, EPOLLIN | EPOLLOUT);
	ep2 = watch(fd2, EPOLLOUT | EPOLLET);
	epoll_next(ep, 0);
	sim_remove(&sim);
	/* Take the memory again, so that a stale pointer shows. */
	close(sim_up(&sim, "poll2", BUFS));
	ok(epoll_next(ep, 0) & EPOLLHUP, "epoll of a dead endpoint");
	ok(epoll_next(ep2, 0) & EPOLLHUP, "edge-triggered too");
	works(epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL), "taken out of the set");
	close(fd);
	close(ep);
	works(close(fd2), "closed while in a set");
	is(epoll_next(ep2, 0), 0, "which is then empty");
	close(ep2);
	close(ctrl);
}

static void epoll_close_first(void)
{
	int fd = up("echo", O_RDWR), ep = watch(fd, EPOLLIN | EPOLLOUT);

	sim_remove(&sim);
	works(close(ep), "the set goes first, the dead endpoint after");
	close(fd);
	close(ctrl);
}

static ssize_t act_epoll(struct actor *a)
{
	return epoll_wait(a->fd, a->buf, 1, -1);
}

/* Three sets that each watch @fd exclusively, each with its own waiter. */
static void exclusive_waiters(struct actor *a, struct epoll_event *e, int fd)
{
	int i;

	for (i = 0; i < 3; i++) {
		a[i].buf = &e[i];
		a[i].fd = watch(fd, EPOLLIN | EPOLLEXCLUSIVE);
		actor_start(&a[i], act_epoll);
		if (!actor_blocked(&a[i], SYS_epoll_wait))
			bail("the waiter does not wait");
	}
}

static void all_woken(struct actor *a, struct epoll_event *e, const char *how)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (!ok(actor_ended(&a[i], WAIT_MS), "%s: waiter %d", how, i))
			bail("a waiter is stuck");
		ok(e[i].events & EPOLLHUP, "%s: waiter %d sees HUP", how, i);
		close(a[i].fd);
	}
}

static void epoll_exclusive(void)
{
	struct epoll_event e[3] = { 0 };
	struct actor a[3] = { 0 };
	int fd = up("echo", O_RDWR);

	exclusive_waiters(a, e, fd);
	ept_destroy(fd);
	all_woken(a, e, "DESTROY wakes all");
	close(fd);

	memset(a, 0, sizeof(a));
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	exclusive_waiters(a, e, fd);
	sim_dead(&sim);
	all_woken(a, e, "removal wakes all");
	down(fd);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "input", input },
		{ "wakes", wakes },
		{ "select", select_too },
		{ "modes", modes },
		{ "output", output },
		{ "epoll_level", epoll_level },
		{ "epoll_edge", epoll_edge },
		{ "epoll_oneshot", epoll_oneshot },
		{ "epoll_output", epoll_output },
		{ "epoll_destroy", epoll_destroy },
		{ "epoll_removed", epoll_removed },
		{ "epoll_outlives", epoll_outlives },
		{ "epoll_close_first", epoll_close_first },
		{ "epoll_exclusive", epoll_exclusive },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
