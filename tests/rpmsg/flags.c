// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each combination of access mode, O_NONBLOCK and O_CLOEXEC: the new fd has
 * exactly these, and the access mode is honoured everywhere. O_WRONLY queues
 * nothing, O_RDONLY cannot write.
 *
 * The series on the mailing list queued without bound on O_WRONLY endpoints.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;

static bool readable(__u32 flags)
{
	return (flags & O_ACCMODE) == O_RDONLY || (flags & O_ACCMODE) == O_RDWR;
}

static bool writable(__u32 flags)
{
	return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

static void one(int ctrl, __u32 flags)
{
	static const char *const mode[] = { "r", "w", "rw", "-" };
	int fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), flags);
	char c, text[16] = "";

	diag("flags 0%o", flags);
	is(fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK),
	   flags & (O_ACCMODE | O_NONBLOCK), "F_GETFL");
	is(fcntl(fd, F_GETFD), flags & O_CLOEXEC ? FD_CLOEXEC : 0, "F_GETFD");
	fdinfo_str(fd, "rpmsg-mode", text, sizeof(text));
	is_str(text, mode[flags & O_ACCMODE], "fdinfo mode");
	if (!readable(flags))
		fails(read(fd, &c, 1), EBADF, "cannot read");
	else if (flags & O_NONBLOCK)
		fails(read(fd, &c, 1), EAGAIN, "may read");
	if (writable(flags))
		is(write(fd, "x", 1), 1, "may write");
	else
		fails(write(fd, "x", 1), EBADF, "cannot write");
	works(ept_destroy(fd), "DESTROY needs no mode");
	close(fd);
}

static void combinations(void)
{
	int ctrl = sim_up(&sim, "flags", 16);
	__u32 mode;

	for (mode = 0; mode <= O_ACCMODE; mode++) {
		one(ctrl, mode);
		one(ctrl, mode | O_NONBLOCK);
		one(ctrl, mode | O_CLOEXEC);
		one(ctrl, mode | O_NONBLOCK | O_CLOEXEC);
	}
	close(ctrl);
}

/* The access mode is the endpoint's, not the control device's. */
static void ctrl_mode(void)
{
	int ctrl, fd;

	close(sim_up(&sim, "flags", 16));
	ctrl = open(sim.node, O_RDONLY | O_CLOEXEC);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "created through a read-only control fd");
	close(fd);
	close(ctrl);
}

static void setfl(void)
{
	int ctrl = sim_up(&sim, "flags", 16);
	int fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	struct actor a = { .buf = &(char){ 0 }, .len = 1 };
	char c;

	works(fcntl(fd, F_SETFL, O_NONBLOCK), "set O_NONBLOCK later");
	fails(read(fd, &c, 1), EAGAIN, "read does not block");
	works(fcntl(fd, F_SETFL, 0), "clear it");
	actor_block(&a, fd, act_read);
	is(write(fd, "y", 1), 1, "a message for the blocked reader");
	ok(actor_ended(&a, WAIT_MS), "it returns");
	is(a.ret, 1, "with the message");
	close(fd);
	close(ctrl);
}

static void wronly_queues_nothing(void)
{
	int ctrl = sim_up(&sim, "flags", 16), fd, i;
	unsigned int n = 40;

	fd = ept_open(ctrl, 7000, sim_addr(&sim, "source"), O_WRONLY);
	sim_set(&sim, "source/dst", "7000");
	for (i = 0; i < 2; i++) {
		sim_setn(&sim, "source/burst", n / 2);
		ok(sim_reaches(&sim, "source/tx_messages", n / 2 * (i + 1)),
		   "the remote sent %u messages", n / 2);
	}
	ok(fdinfo_reaches(fd, "rpmsg-rx-dropped", n), "all are counted as dropped");
	is(fdinfo_num(fd, "rpmsg-queued"), 0, "none is queued");
	is(fdinfo_num(fd, "rpmsg-queued-bytes"), 0, "no byte is");
	is(ept_poll(fd, POLLIN), 0, "poll never says POLLIN");
	is(write(fd, "x", 1), 1, "writing works");
	close(fd);
	close(ctrl);
}

static void rdonly_writes_nothing(void)
{
	int ctrl = sim_up(&sim, "flags", 16);
	int fd = ept_open(ctrl, 7000, sim_addr(&sim, "sink"), O_RDONLY);
	struct iovec v = { "x", 1 };
	char c[32];

	fails(write(fd, "x", 1), EBADF, "write");
	fails(writev(fd, &v, 1), EBADF, "writev");
	is(ept_poll(fd, POLLOUT), 0, "poll never says POLLOUT");
	is(fdinfo_num(fd, "rpmsg-tx-messages"), 0, "nothing sent");
	is(sim_num(&sim, "sink/rx_messages"), 0, "the remote got nothing");
	sim_set(&sim, "source/dst", "7000");
	sim_set(&sim, "source/burst", "1");
	is(ept_recv(fd, c, sizeof(c)), 32, "reading works");
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "combinations", combinations },
		{ "ctrl_mode", ctrl_mode },
		{ "setfl", setfl },
		{ "wronly_queues_nothing", wronly_queues_nothing },
		{ "rdonly_writes_nothing", rdonly_writes_nothing },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
