// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing: blocking and not, message borders, short buffers, the
 * MTU, vectors, faulting buffers, running out of Tx buffers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rig.h"

#define BUFS	8

static struct sim sim;
static int ctrl;

static int up(const char *service, __u32 flags)
{
	ctrl = sim_up(&sim, "io", BUFS);
	return ept_open(ctrl, EPT_ANY, sim_addr(&sim, service), flags);
}

static void down(int fd)
{
	close(fd);
	close(ctrl);
}

static void sizes(void)
{
	static const size_t size[] = { 0, 1, 2, 3, 8, 63, 64, 255, 495, EPT_MTU };
	int fd = up("echo", O_RDWR);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(size); i++)
		ok(ept_echoes(fd, size[i], i), "%zu bytes", size[i]);
	down(fd);
}

static void one_message_a_read(void)
{
	int fd = up("echo", O_RDWR);
	char buf[64];

	if (write(fd, "first", 5) != 5 || write(fd, "second!", 7) != 7 ||
	    write(fd, "", 0))
		bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 3), "three messages queued");
	is(read(fd, buf, sizeof(buf)), 5, "the first alone");
	is(read(fd, buf, sizeof(buf)), 7, "then the second");
	is(read(fd, buf, sizeof(buf)), 0, "then the empty one");
	is(ept_poll(fd, POLLIN), 0, "then nothing");
	down(fd);
}

static void short_buffer(void)
{
	int fd = up("echo", O_RDWR | O_NONBLOCK);
	char buf[8] = "";

	if (write(fd, "shortened", 9) != 9 || write(fd, "whole", 5) != 5)
		bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 2), "two messages queued");
	is(read(fd, buf, 4), 4, "a short buffer takes what fits");
	ok(!memcmp(buf, "shor", 4), "the beginning");
	is(read(fd, buf, sizeof(buf)), 5, "the rest is dropped");
	ok(!memcmp(buf, "whole", 5), "the next message is whole");
	if (write(fd, "gone", 4) != 4)
		bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 1), "one more");
	is(read(fd, buf, 0), 0, "a buffer of no size");
	fails(read(fd, buf, 4), EAGAIN, "took the message");
	down(fd);
}

static void mtu(void)
{
	static const size_t size[] = { EPT_MTU + 1, 512, 4096, 1 << 20, 1 << 30,
				       0x7ffff000 };
	int fd = up("echo", O_RDWR);
	size_t i;
	char *big;

	/* Never touched: the size alone must be enough to refuse it. */
	big = mmap(NULL, 0x7ffff000, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (big == MAP_FAILED)
		bail("mmap");
	for (i = 0; i < ARRAY_SIZE(size); i++)
		fails(write(fd, big, size[i]), EMSGSIZE, "%zu bytes", size[i]);
	fails(write(fd, nowhere(), EPT_MTU + 1), EMSGSIZE,
	      "size is looked at before the bytes are");
	is(fdinfo_num(fd, "rpmsg-tx-messages"), 0, "nothing was sent");
	ok(ept_echoes(fd, EPT_MTU, 1), "exactly the MTU works");
	munmap(big, 0x7ffff000);
	down(fd);
}

static void mtu_no_wait(void)
{
	int fd = up("sink", O_RDWR);
	char buf[EPT_MTU + 1] = "";

	sim_set(&sim, "hold_tx", "1");
	is(ept_fill(fd), BUFS, "all Tx buffers are taken");
	fails(write(fd, buf, sizeof(buf)), EMSGSIZE,
	      "too big is refused at once, not after a buffer is free");
	down(fd);
}

static void faulting_write(void)
{
	int fd = up("echo", O_RDWR), i, wrong = 0;

	for (i = 0; i < BUFS * 3; i++)
		wrong += write(fd, nowhere(), 16) != -1 || errno != EFAULT;
	is(wrong, 0, "a bad buffer gives EFAULT");
	is(fdinfo_num(fd, "rpmsg-tx-messages"), 0, "nothing was sent");
	for (i = 0; i < BUFS * 3; i++)
		wrong += !ept_echoes(fd, 16, i);
	is(wrong, 0, "and costs no Tx buffer");
	down(fd);
}

static void faulting_read(void)
{
	int fd = up("echo", O_RDWR | O_NONBLOCK);
	char buf[8];

	if (write(fd, "lost", 4) != 4 || write(fd, "kept", 4) != 4)
		bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 2), "two messages queued");
	fails(read(fd, nowhere(), 16), EFAULT, "a bad buffer gives EFAULT");
	is(read(fd, buf, sizeof(buf)), 4, "the next read has the next message");
	ok(!memcmp(buf, "kept", 4), "the faulting one is consumed");
	fails(read(fd, buf, sizeof(buf)), EAGAIN, "nothing is left");
	down(fd);
}

static void vectors(void)
{
	int fd = up("echo", O_RDWR);
	char a[3], b[10] = "";
	struct iovec out[] = { { "abc", 3 }, { "defg", 4 } };
	struct iovec in[] = { { a, 3 }, { b, sizeof(b) } };

	is(writev(fd, out, 2), 7, "writev makes one message");
	is(ept_poll_ms(fd, POLLIN, WAIT_MS), POLLIN, "it returns");
	is(readv(fd, in, 2), 7, "readv takes one message");
	ok(!memcmp(a, "abc", 3) && !memcmp(b, "defg", 4), "in order");
	down(fd);
}

static void nonblock(void)
{
	int fd = up("sink", O_RDWR | O_NONBLOCK), n;
	char c;

	fails(read(fd, &c, 1), EAGAIN, "nothing to read");
	sim_set(&sim, "hold_tx", "1");
	n = ept_fill(fd);
	is(n, BUFS, "as many writes as there are buffers");
	fails(write(fd, "x", 1), EAGAIN, "then none");
	fails(write(fd, "x", 1), EAGAIN, "still none");
	sim_set(&sim, "hold_tx", "0");
	ok(sim_reaches(&sim, "sink/rx_messages", n), "the remote catches up");
	is(write(fd, "x", 1), 1, "buffers are free again");
	ok(sim_reaches(&sim, "sink/rx_messages", n + 1), "and it arrives");
	down(fd);
}

static void blocked_write(void)
{
	int fd = up("sink", O_RDWR), n;
	struct actor a = { .buf = "late", .len = 4 };

	sim_set(&sim, "hold_tx", "1");
	n = ept_fill(fd);
	actor_block(&a, fd, act_write);
	sim_set(&sim, "hold_tx", "0");
	if (!ok(actor_ended(&a, WAIT_MS), "the blocked writer returns"))
		bail("stuck");
	is(a.ret, 4, "its message is sent");
	ok(a.ms < PROMPT_MS, "promptly (%lld ms)", a.ms);
	ok(sim_reaches(&sim, "sink/rx_messages", n + 1), "and arrives");
	down(fd);
}

static void blocked_writers_all_go(void)
{
	struct actor a[BUFS + 2];
	int fd = up("sink", O_RDWR), n, wrong = 0;
	size_t i;

	sim_set(&sim, "hold_tx", "1");
	n = ept_fill(fd);
	for (i = 0; i < ARRAY_SIZE(a); i++) {
		a[i] = (struct actor){ .buf = "late", .len = 4 };
		actor_block(&a[i], fd, act_write);
	}
	sim_set(&sim, "hold_tx", "0");
	for (i = 0; i < ARRAY_SIZE(a); i++) {
		if (!actor_ended(&a[i], WAIT_MS))
			bail("writer %zu is stuck", i);
		wrong += a[i].ret != 4 || a[i].ms >= WAIT_MS;
	}
	is(wrong, 0, "more blocked writers than buffers all get through");
	ok(sim_reaches(&sim, "sink/rx_messages", n + ARRAY_SIZE(a)),
	   "and all messages arrive");
	down(fd);
}

/* A blocked writer holds no lock that a reader or DESTROY needs. */
static void blocked_write_blocks_nobody(void)
{
	int fd = up("sink", O_RDWR), other;
	struct actor a = { .buf = "stuck", .len = 5 };
	char buf[64];

	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	actor_block(&a, fd, act_write);
	other = ept_open(ctrl, 7100, 1, O_RDWR | O_NONBLOCK);
	fails(read(other, buf, 1), EAGAIN, "another endpoint is created, reads");
	fails(write(other, "x", 1), EAGAIN, "and writes without blocking");
	sim_set(&sim, "source/dst", "7100");
	sim_set(&sim, "source/burst", "1");
	is(ept_recv(other, buf, sizeof(buf)), 32, "and receives");
	is(ept_poll(fd, POLLIN), 0, "the blocked one can be polled");
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fails(read(fd, buf, 1), EAGAIN, "and read");
	works(ept_destroy(fd), "and destroyed");
	if (!ok(actor_ended(&a, WAIT_MS), "the writer returns"))
		bail("stuck");
	is(a.err, EPIPE, "with EPIPE");
	close(other);
	down(fd);
}

static void blocked_read(void)
{
	char buf[32] = "";
	struct actor a = { .buf = buf, .len = sizeof(buf) };
	int fd = up("echo", O_RDWR);

	actor_block(&a, fd, act_read);
	is(write(fd, "wake up", 7), 7, "write while another thread reads");
	if (!ok(actor_ended(&a, WAIT_MS), "the reader returns"))
		bail("stuck");
	is(a.ret, 7, "with the message");
	is_str(buf, "wake up", "the very one");
	down(fd);
}

static void two_readers(void)
{
	char b1[8], b2[8];
	struct actor a1 = { .buf = b1, .len = 8 }, a2 = { .buf = b2, .len = 8 };
	int fd = up("echo", O_RDWR);

	actor_block(&a1, fd, act_read);
	actor_block(&a2, fd, act_read);
	is(write(fd, "x", 1), 1, "one message for two readers");
	is(write(fd, "yy", 2), 2, "and a second");
	if (!ok(actor_ended(&a1, WAIT_MS) && actor_ended(&a2, WAIT_MS),
		"both return"))
		bail("stuck");
	is(a1.ret + a2.ret, 3, "each with one message");
	down(fd);
}

static void order(void)
{
	int fd = up("echo", O_RDWR), wrong = 0;
	__u32 i, got, n = rounds(500);

	for (i = 0; i < n; i++)
		wrong += write(fd, &i, sizeof(i)) != sizeof(i) ||
			 ept_recv(fd, &got, sizeof(got)) != sizeof(got) ||
			 got != i;
	is(wrong, 0, "messages come back as sent, none lost");
	is(fdinfo_num(fd, "rpmsg-rx-messages"), n, "fdinfo counts them");
	down(fd);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "sizes", sizes },
		{ "one_message_a_read", one_message_a_read },
		{ "short_buffer", short_buffer },
		{ "mtu", mtu },
		{ "mtu_no_wait", mtu_no_wait },
		{ "faulting_write", faulting_write },
		{ "faulting_read", faulting_read },
		{ "vectors", vectors },
		{ "nonblock", nonblock },
		{ "blocked_write", blocked_write },
		{ "blocked_writers_all_go", blocked_writers_all_go },
		{ "blocked_write_blocks_nobody", blocked_write_blocks_nobody },
		{ "blocked_read", blocked_read },
		{ "two_readers", two_readers },
		{ "order", order },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
