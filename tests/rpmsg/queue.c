// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive queue is bounded: a slow reader keeps the oldest 256 messages,
 * what comes beyond is dropped and counted, nobody else notices.
 *
 * The series on the mailing list queued without bound.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

#define SRC	5000
#define SENT	600

static struct sim sim;

/* Have the remote send N more messages; they have arrived when this returns. */
static void send_burst(int fd, unsigned int n)
{
	long long before = fdinfo_num(fd, "rpmsg-rx-messages") +
			   fdinfo_num(fd, "rpmsg-rx-dropped");
	long long sent = sim_num(&sim, "source/tx_messages");
	long long end = now_ms() + WAIT_MS;

	sim_setn(&sim, "source/burst", n);
	ok(sim_reaches(&sim, "source/tx_messages", sent + n),
	   "the remote has sent %u", n);
	while (fdinfo_num(fd, "rpmsg-rx-messages") +
	       fdinfo_num(fd, "rpmsg-rx-dropped") < before + n) {
		if (now_ms() >= end)
			bail("messages vanished");
		nap_ms(5);
	}
}

static int up(int *ctrl)
{
	*ctrl = sim_up(&sim, "queue", 64);
	sim_setn(&sim, "source/dst", SRC);
	return ept_open(*ctrl, SRC, sim_addr(&sim, "source"), O_RDWR);
}

static __u64 sequence(const void *msg)
{
	__u64 v;

	memcpy(&v, msg, sizeof(v));
	return le64toh(v);
}

/* Read what is queued; how many, and whether numbered from FIRST on. */
static unsigned int drain(int fd, __u64 first, size_t size)
{
	unsigned int n = 0, wrong = 0;
	char buf[EPT_MTU];

	while (ept_poll(fd, POLLIN) & POLLIN) {
		if (read(fd, buf, sizeof(buf)) != (ssize_t)size)
			bail("message %u has a wrong size", n);
		wrong += sequence(buf) != first + n;
		n++;
	}
	is(wrong, 0, "numbered from %llu on", (unsigned long long)first);
	return n;
}

static void bounded(void)
{
	int ctrl, fd = up(&ctrl), other;
	__u64 first = 0;

	other = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	send_burst(fd, SENT);
	is(fdinfo_num(fd, "rpmsg-queued"), EPT_QUEUE_MAX, "queued");
	is(fdinfo_num(fd, "rpmsg-queued-bytes"), EPT_QUEUE_MAX * 32, "bytes");
	is(fdinfo_num(fd, "rpmsg-rx-dropped"), SENT - EPT_QUEUE_MAX, "dropped");
	ok(ept_echoes(other, 100, 1), "another endpoint is not affected");
	is(drain(fd, first, 32), EPT_QUEUE_MAX, "the oldest ones are kept");
	send_burst(fd, 10);
	is(drain(fd, first + SENT, 32), 10, "there is room again");
	is(fdinfo_num(fd, "rpmsg-rx-dropped"), SENT - EPT_QUEUE_MAX,
	   "no more was dropped");
	close(other);
	close(fd);
	close(ctrl);
}

static void just_full(void)
{
	int ctrl, fd = up(&ctrl);

	send_burst(fd, EPT_QUEUE_MAX);
	is(fdinfo_num(fd, "rpmsg-rx-dropped"), 0, "256 fit");
	send_burst(fd, 1);
	is(fdinfo_num(fd, "rpmsg-rx-dropped"), 1, "the 257th does not");
	is(drain(fd, 0, 32), EPT_QUEUE_MAX, "256 are read");
	close(fd);
	close(ctrl);
}

static void large_messages(void)
{
	int ctrl, fd = up(&ctrl);

	sim_setn(&sim, "source/size", EPT_MTU);
	send_burst(fd, 300);
	is(fdinfo_num(fd, "rpmsg-queued"), EPT_QUEUE_MAX, "queued");
	is(fdinfo_num(fd, "rpmsg-queued-bytes"), EPT_QUEUE_MAX * EPT_MTU,
	   "bytes, below 256 KiB");
	is(drain(fd, 0, EPT_MTU), EPT_QUEUE_MAX, "all whole");
	close(fd);
	close(ctrl);
}

/* Four queues full, one reader: the transport's buffers keep going round. */
static void many_slow_readers(void)
{
	int ctrl, fd = up(&ctrl), slow[4], i;

	for (i = 0; i < 4; i++)
		slow[i] = ept_open(ctrl, SRC + 1 + i, 1, O_RDWR);
	for (i = 0; i < 4; i++) {
		sim_setn(&sim, "source/dst", SRC + 1 + i);
		send_burst(slow[i], 400);
		is(fdinfo_num(slow[i], "rpmsg-rx-dropped"), 400 - EPT_QUEUE_MAX,
		   "slow reader %d lost what it had no room for", i);
	}
	sim_setn(&sim, "source/dst", SRC);
	send_burst(fd, 20);
	is(drain(fd, 1600, 32), 20, "the reader got all of its own");
	for (i = 0; i < 4; i++)
		close(slow[i]);
	close(fd);
	close(ctrl);
}

static void full_then_removed(void)
{
	int ctrl, fd = up(&ctrl);
	char c;

	send_burst(fd, 300);
	sim_dead(&sim);
	is(drain(fd, 0, 32), EPT_QUEUE_MAX, "a full queue outlives the remote");
	fails(read(fd, &c, 1), EPIPE, "then it ends");
	close(fd);
	close(ctrl);
}

static void full_then_closed(void)
{
	int ctrl, fd = up(&ctrl);

	send_burst(fd, 300);
	works(close(fd), "close with a full queue");
	fd = ept_open(ctrl, SRC, 1, O_RDWR);
	is(ept_poll(fd, POLLIN), 0, "the address's next owner sees none of it");
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "bounded", bounded },
		{ "just_full", just_full },
		{ "large_messages", large_messages },
		{ "many_slow_readers", many_slow_readers },
		{ "full_then_removed", full_then_removed },
		{ "full_then_closed", full_then_closed },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
