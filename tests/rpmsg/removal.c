// SPDX-License-Identifier: GPL-2.0-only
/*
 * The remote processor goes away before, during and after read, write, poll
 * and a blocked write. The endpoint fd then is a valid, inert fd: poll says
 * HUP and ERR, what is queued can still be read, everything else fails.
 *
 * The series on the mailing list kept a dangling rpdev: use-after-free on the
 * next write, poll or close.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

#define BUFS	8
#define WRITERS	4

static struct sim sim;
static int ctrl;

static int up(const char *service, __u32 flags)
{
	ctrl = sim_up(&sim, "gone", BUFS);
	return ept_open(ctrl, EPT_ANY, sim_addr(&sim, service), flags);
}

/* All that a dead and drained endpoint must say. */
static void is_dead(int fd, const char *when)
{
	char c, state[32] = "";

	fails(read(fd, &c, 1), EPIPE, "%s: read", when);
	fails(write(fd, "x", 1), EPIPE, "%s: write", when);
	is(ept_poll(fd, POLLIN | POLLOUT | POLLPRI), POLL_DEAD, "%s: poll", when);
	fdinfo_str(fd, "rpmsg-state", state, sizeof(state));
	is_str(state, "removed", "%s: fdinfo", when);
	is(ept_live(), 0, "%s: no endpoint is live", when);
	works(ept_destroy(fd), "%s: DESTROY", when);
	works(ept_destroy(fd), "%s: DESTROY again", when);
	works(close(fd), "%s: close", when);
}

static void before(void)
{
	int fd = up("echo", O_RDWR);

	sim_dead(&sim);
	is_dead(fd, "idle");
	close(ctrl);
}

static void before_nonblock(void)
{
	int fd = up("echo", O_RDWR | O_NONBLOCK);
	char c;

	fails(read(fd, &c, 1), EAGAIN, "nothing there yet");
	sim_dead(&sim);
	is_dead(fd, "idle, O_NONBLOCK");
	close(ctrl);
}

static void by_rmdir(void)
{
	int fd = up("echo", O_RDWR);

	sim_remove(&sim);
	is_dead(fd, "rmdir of the live remote");
	close(ctrl);
}

static void after_traffic(void)
{
	int fd = up("echo", O_RDWR);

	ok(ept_echoes(fd, 50, 1), "talked before");
	sim_dead(&sim);
	is_dead(fd, "after traffic");
	close(ctrl);
}

static void close_only(void)
{
	int fd = up("echo", O_RDWR);

	sim_dead(&sim);
	works(close(fd), "close is the first call after removal");
	close(ctrl);
}

static void destroyed_before(void)
{
	char c, state[32] = "";
	int fd = up("echo", O_RDWR);

	works(ept_destroy(fd), "DESTROY, then the remote goes");
	sim_dead(&sim);
	fails(read(fd, &c, 1), EPIPE, "read");
	is(ept_poll(fd, POLLIN | POLLOUT), POLL_DEAD, "poll");
	fdinfo_str(fd, "rpmsg-state", state, sizeof(state));
	is_str(state, "destroyed", "the first cause stays in fdinfo");
	close(fd);
	close(ctrl);
}

static void drain(void)
{
	int fd = up("echo", O_RDWR);
	char msg[16];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(msg, sizeof(msg), "message %d", i);
		if (write(fd, msg, 9) != 9)
			bail("write");
	}
	ok(fdinfo_reaches(fd, "rpmsg-queued", 3), "three messages are queued");
	sim_dead(&sim);
	for (i = 0; i < 3; i++) {
		is(ept_poll(fd, POLLIN), POLLIN | POLL_DEAD,
		   "poll with %d queued", 3 - i);
		memset(msg, 0, sizeof(msg));
		is(read(fd, msg, sizeof(msg)), 9, "read drains");
		is(msg[8], '0' + i, "in order");
	}
	is_dead(fd, "drained");
	close(ctrl);
}

/* Start FN on FD, take the remote away while it sleeps, await its return. */
static void remove_during(struct actor *a, int fd, ssize_t (*fn)(struct actor *))
{
	long long start;

	actor_block(a, fd, fn);
	start = now_ms();
	sim_dead(&sim);
	if (!ok(actor_ended(a, WAIT_MS), "the call returns"))
		bail("cannot go on with a thread that never returns");
	ok(now_ms() - start < PROMPT_MS, "promptly (%lld ms)", now_ms() - start);
}

static void during_read(void)
{
	int fd = up("echo", O_RDWR);
	char buf[16];
	struct actor a = { .buf = buf, .len = sizeof(buf) };

	remove_during(&a, fd, act_read);
	is(a.ret, -1, "read fails");
	is(a.err, EPIPE, "with EPIPE");
	is_dead(fd, "after a blocked read");
	close(ctrl);
}

static void during_poll(void)
{
	int fd = up("echo", O_RDWR);
	struct actor a = { .events = POLLIN };

	remove_during(&a, fd, act_poll);
	is(a.ret, 1, "poll returns one");
	is(a.revents, POLL_DEAD, "HUP and ERR");
	is_dead(fd, "after a blocked poll");
	close(ctrl);
}

static void during_poll_out(void)
{
	int fd = up("sink", O_RDWR);
	struct actor a = { .events = POLLOUT };

	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	remove_during(&a, fd, act_poll);
	is(a.ret, 1, "poll for POLLOUT returns one");
	is(a.revents, POLL_DEAD, "HUP and ERR");
	is_dead(fd, "after a blocked poll for output");
	close(ctrl);
}

static void during_write(void)
{
	int fd = up("sink", O_RDWR);
	struct actor a = { .buf = "stuck", .len = 5 };

	sim_set(&sim, "hold_tx", "1");
	is(ept_fill(fd), BUFS, "all Tx buffers are taken");
	remove_during(&a, fd, act_write);
	is(a.ret, -1, "write fails");
	is(a.err, EPIPE, "with EPIPE");
	is_dead(fd, "after a blocked write");
	close(ctrl);
}

static void during_many_writes(void)
{
	struct actor a[WRITERS];
	int fd[WRITERS], i;

	fd[0] = up("sink", O_RDWR);
	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd[0]);
	for (i = 0; i < WRITERS; i++) {
		/* Two threads on the first fd, one each on the others. */
		fd[i] = i < 2 ? fd[0] :
			ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_WRONLY);
		a[i] = (struct actor){ .buf = "stuck", .len = 5 };
		actor_block(&a[i], fd[i], act_write);
	}
	sim_dead(&sim);
	for (i = 0; i < WRITERS; i++) {
		if (!ok(actor_ended(&a[i], WAIT_MS), "writer %d returns", i))
			bail("stuck");
		is(a[i].err, EPIPE, "with EPIPE");
		ok(a[i].ms < WAIT_MS, "after %lld ms", a[i].ms);
	}
	for (i = 1; i < WRITERS; i++)
		if (fd[i] != fd[0])
			close(fd[i]);
	is_dead(fd[0], "after blocked writes");
	close(ctrl);
}

static void destroy_during(void)
{
	int fd = up("sink", O_RDWR);
	char buf[16];
	struct actor r = { .buf = buf, .len = sizeof(buf) };
	struct actor w = { .buf = "stuck", .len = 5 };
	struct actor p = { .events = POLLIN };

	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	actor_block(&r, fd, act_read);
	actor_block(&w, fd, act_write);
	actor_block(&p, fd, act_poll);
	works(ept_destroy(fd), "DESTROY while others read, write and poll");
	if (!ok(actor_ended(&r, WAIT_MS), "the reader returns") ||
	    !ok(actor_ended(&w, WAIT_MS), "the writer returns") ||
	    !ok(actor_ended(&p, WAIT_MS), "the poller returns"))
		bail("stuck");
	is(r.err, EPIPE, "read: EPIPE");
	is(w.err, EPIPE, "write: EPIPE");
	is(p.revents, POLL_DEAD, "poll: HUP and ERR");
	ok(w.ms < PROMPT_MS, "promptly (%lld ms)", w.ms);
	close(fd);
	close(ctrl);
}

static void other_remote_lives(void)
{
	struct sim other;
	int fd = up("echo", O_RDWR), octrl, ofd;

	octrl = sim_up(&other, "stays", BUFS);
	ofd = ept_open(octrl, EPT_ANY, sim_addr(&other, "echo"), O_RDWR);
	ok(ept_echoes(ofd, 10, 1), "a second remote talks");
	sim_dead(&sim);
	is(ept_live(), 1, "the other's endpoint is the only live one");
	ok(ept_echoes(ofd, 10, 2), "and still talks");
	is(ept_poll(ofd, POLLIN), 0, "no HUP there");
	close(ofd);
	is_dead(fd, "first remote");
	close(octrl);
	close(ctrl);
}

static void comes_back(void)
{
	int old = up("echo", O_RDWR), fd, newctrl;

	sim_dead(&sim);
	sim_live(&sim);
	newctrl = sim_open_ctrl(&sim);
	fd = ept_open(newctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "the returned remote talks on a new fd");
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), ENETRESET,
	      "the old control fd stays dead");
	fails(write(old, "x", 1), EPIPE, "so does the old endpoint");
	close(fd);
	is_dead(old, "old endpoint");
	close(newctrl);
	close(ctrl);
}

static void many_at_once(void)
{
	int fd[64], i, dead = 0;

	fd[0] = up("echo", O_RDWR);
	for (i = 1; i < 64; i++)
		fd[i] = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	is(ept_live(), 64, "64 live");
	sim_dead(&sim);
	is(ept_live(), 0, "none after removal");
	for (i = 0; i < 64; i++) {
		dead += ept_poll(fd[i], POLLIN) == POLL_DEAD;
		close(fd[i]);
	}
	is(dead, 64, "all of them dead");
	close(ctrl);
}

/* The remote goes while messages flow both ways; its rounds need no luck. */
static void during_traffic(void)
{
	unsigned int i, n = rounds(6), bad = 0;
	struct actor r, w;
	char buf[32];
	int fd, from;

	for (i = 0; i < n; i++) {
		fd = up("echo", O_RDWR);
		from = ept_open(ctrl, 5000, sim_addr(&sim, "source"), O_RDWR);
		sim_set(&sim, "source/dst", "5000");
		sim_set(&sim, "source/rate", "5000");
		sim_set(&sim, "hold_tx", "1");
		ept_fill(fd);
		r = (struct actor){ .buf = buf, .len = sizeof(buf) };
		w = (struct actor){ .buf = "stuck", .len = 5 };
		actor_block(&w, fd, act_write);
		sim_set(&sim, "hold_tx", "0");
		r.fd = from;
		actor_start(&r, act_read);
		sim_remove(&sim);
		if (!actor_ended(&r, WAIT_MS) || !actor_ended(&w, WAIT_MS))
			bail("stuck in round %u", i);
		bad += w.ret < 0 && w.err != EPIPE;
		bad += r.ret < 0 && r.err != EPIPE;
		bad += ept_live() != 0;
		close(from);
		close(fd);
		close(ctrl);
	}
	is(bad, 0, "every call ends well or with EPIPE");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "before", before },
		{ "before_nonblock", before_nonblock },
		{ "by_rmdir", by_rmdir },
		{ "after_traffic", after_traffic },
		{ "close_only", close_only },
		{ "destroyed_before", destroyed_before },
		{ "drain", drain },
		{ "during_read", during_read },
		{ "during_poll", during_poll },
		{ "during_poll_out", during_poll_out },
		{ "during_write", during_write },
		{ "during_many_writes", during_many_writes },
		{ "destroy_during", destroy_during },
		{ "other_remote_lives", other_remote_lives },
		{ "comes_back", comes_back },
		{ "many_at_once", many_at_once },
		{ "during_traffic", during_traffic },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
