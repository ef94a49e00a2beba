// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal interrupts a blocked read, write or poll at once; with SA_RESTART
 * read and write go on afterwards as if nothing had been.
 *
 * The bus's own blocking send ignores signals: it loops until a buffer comes
 * or 15 seconds are over, so that even SIGKILL waits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;
static int ctrl;
static int handled;

static void handler(int sig)
{
	(void)sig;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void handle(int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	handled = 0;
	if (sigaction(SIGUSR1, &sa, NULL))
		bail("sigaction");
}

static int up(const char *service, bool fill)
{
	int fd;

	ctrl = sim_up(&sim, "signals", 8);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, service), O_RDWR);
	if (fill) {
		sim_set(&sim, "hold_tx", "1");
		ept_fill(fd);
	}
	return fd;
}

static void down(int fd)
{
	close(fd);
	close(ctrl);
}

/* A signal without SA_RESTART ends the call. */
static void interrupts(struct actor *a, int fd, ssize_t (*fn)(struct actor *))
{
	long long start;

	handle(0);
	actor_block(a, fd, fn);
	start = now_ms();
	actor_signal(a, SIGUSR1);
	if (!ok(actor_ended(a, WAIT_MS), "the call returns"))
		bail("stuck");
	ok(now_ms() - start < PROMPT_MS, "promptly (%lld ms)", now_ms() - start);
	is(a->ret, -1, "it failed");
	is(a->err, EINTR, "with EINTR");
	is(handled, 1, "the handler ran");
}

static void read_eintr(void)
{
	char buf[16];
	struct actor a = { .buf = buf, .len = sizeof(buf) };
	int fd = up("echo", false);

	interrupts(&a, fd, act_read);
	ok(ept_echoes(fd, 10, 1), "the endpoint still works");
	down(fd);
}

static void write_eintr(void)
{
	struct actor a = { .buf = "never", .len = 5 };
	int fd = up("sink", true);

	interrupts(&a, fd, act_write);
	is(fdinfo_num(fd, "rpmsg-tx-messages"), 8, "it was not sent");
	sim_set(&sim, "hold_tx", "0");
	is(write(fd, "after", 5), 5, "the endpoint still works");
	ok(sim_reaches(&sim, "sink/rx_messages", 9), "that one arrives");
	is(sim_num(&sim, "sink/rx_messages"), 9, "the interrupted does not");
	down(fd);
}

static void poll_eintr(void)
{
	struct actor a = { .events = POLLIN };
	int fd = up("echo", false);

	interrupts(&a, fd, act_poll);
	down(fd);
}

static bool handled_once(void *arg)
{
	(void)arg;
	return __atomic_load_n(&handled, __ATOMIC_RELAXED) == 1;
}

/* With SA_RESTART the thread sleeps in the same call again. */
static void restarts(struct actor *a, int fd, ssize_t (*fn)(struct actor *),
		     long nr)
{
	handle(SA_RESTART);
	actor_block(a, fd, fn);
	actor_signal(a, SIGUSR1);
	ok(wait_until(handled_once, NULL, WAIT_MS), "the handler ran");
	ok(actor_blocked(a, nr), "the call sleeps again");
}

static void read_restart(void)
{
	char buf[16];
	struct actor a = { .buf = buf, .len = sizeof(buf) };
	int fd = up("echo", false);

	restarts(&a, fd, act_read, SYS_read);
	is(write(fd, "go", 2), 2, "a message comes");
	if (!ok(actor_ended(&a, WAIT_MS), "the call returns"))
		bail("stuck");
	is(a.ret, 2, "with it");
	down(fd);
}

static void write_restart(void)
{
	struct actor a = { .buf = "again", .len = 5 };
	int fd = up("sink", true);

	restarts(&a, fd, act_write, SYS_write);
	sim_set(&sim, "hold_tx", "0");
	if (!ok(actor_ended(&a, WAIT_MS), "the call returns"))
		bail("stuck");
	is(a.ret, 5, "the message is sent");
	ok(sim_reaches(&sim, "sink/rx_messages", 9), "once");
	is(sim_num(&sim, "sink/rx_messages"), 9, "and only once");
	down(fd);
}

/* A child blocked in OP must be gone soon after SIGKILL. */
static void killed(const char *op, int fd)
{
	long long start;
	int sync[2];
	pid_t pid;
	char c;

	if (pipe(sync))
		bail("pipe");
	pid = fork();
	if (!pid) {
		if (write(sync[1], "x", 1) != 1)
			_exit(1);
		_exit(*op == 'r' ? read(fd, &c, 1) : write(fd, "x", 1));
	}
	if (read(sync[0], &c, 1) != 1)
		bail("child");
	/* Whether it sleeps already makes no difference to what must hold. */
	start = now_ms();
	kill(pid, SIGKILL);
	is(child_status(pid), -1, "SIGKILL while it %ss", op);
	ok(now_ms() - start < PROMPT_MS, "promptly (%lld ms)", now_ms() - start);
	close(sync[0]);
	close(sync[1]);
}

static void sigkill(void)
{
	int fd = up("sink", true);

	killed("read", fd);
	killed("write", fd);
	down(fd);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "read_eintr", read_eintr },
		{ "write_eintr", write_eintr },
		{ "poll_eintr", poll_eintr },
		{ "read_restart", read_restart },
		{ "write_restart", write_restart },
		{ "sigkill", sigkill },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
