// SPDX-License-Identifier: GPL-2.0-only
/*
 * rpmsg_sim's traffic: echo, sink and source count truly, sources number their
 * messages, hold_tx keeps buffers back, and a remote that flips under load
 * harms nobody.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;
static int ctrl;

static int up(const char *service, __u32 src, int bufs)
{
	ctrl = sim_up(&sim, "traffic", bufs);
	return ept_open(ctrl, src, sim_addr(&sim, service), O_RDWR);
}

static void down(int fd)
{
	close(fd);
	close(ctrl);
}

static void echo_counts(void)
{
	int fd = up("echo", 12000, 8), i, bad = 0;
	long long rx = sim_num(&sim, "stats/rx_messages");
	long long tx = sim_num(&sim, "stats/tx_messages");

	for (i = 0; i < 40; i++)
		bad += !ept_echoes(fd, 25, i);
	is(bad, 0, "40 echoes, unchanged");
	is(sim_num(&sim, "echo/rx_messages"), 40, "the service received 40");
	is(sim_num(&sim, "echo/tx_messages"), 40, "and sent 40");
	is(sim_num(&sim, "echo/last_src"), 12000, "from our address");
	is(sim_num(&sim, "stats/rx_messages"), rx + 40, "the remote: received");
	is(sim_num(&sim, "stats/tx_messages"), tx + 40, "and sent");
	is(sim_num(&sim, "stats/malformed"), 0, "nothing malformed");
	down(fd);
}

static void byte_counts(void)
{
	int fd = up("sink", EPT_ANY, 8), i;
	long long rx = sim_num(&sim, "stats/rx_bytes");
	char buf[100] = "";

	for (i = 0; i < 10; i++)
		if (write(fd, buf, sizeof(buf)) != sizeof(buf))
			bail("write");
	ok(sim_reaches(&sim, "sink/rx_messages", 10), "the sink received 10");
	is(sim_num(&sim, "stats/rx_bytes") - rx, 1000, "1000 bytes");
	is(sim_num(&sim, "sink/tx_messages"), 0, "and sent nothing");
	is(ept_poll(fd, POLLIN), 0, "nothing came back");
	down(fd);
}

static void nobody_there(void)
{
	int fd = up("echo", EPT_ANY, 8), lost, i;

	lost = ept_open(ctrl, EPT_ANY, 999999, O_RDWR);
	for (i = 0; i < 20; i++)
		if (write(lost, "lost", 4) != 4)
			bail("write");
	ok(ept_echoes(fd, 10, 1), "messages to nobody block nobody");
	is(ept_poll(lost, POLLIN), 0, "and bring no answer");
	close(lost);
	down(fd);
}

/* The next N messages are numbered on from *SEQ, SIZE bytes each. */
static int numbered(int fd, __u64 *seq, unsigned int n, ssize_t size)
{
	unsigned char buf[EPT_MTU];
	__u64 got;
	int bad = 0;

	while (n--) {
		if (ept_recv(fd, buf, sizeof(buf)) != size)
			return -1;
		memcpy(&got, buf, sizeof(got));
		bad += le64toh(got) != (*seq)++;
	}
	return bad;
}

static void source_bursts(void)
{
	int fd = up("source", 12001, 8);
	__u64 seq = 0;

	sim_set(&sim, "source/dst", "12001");
	sim_set(&sim, "source/burst", "1");
	is(numbered(fd, &seq, 1, 32), 0, "a burst of one: number 0");
	sim_set(&sim, "source/burst", "100");
	is(numbered(fd, &seq, 100, 32), 0, "100 through 8 buffers, in order");
	sim_set(&sim, "source/size", "496");
	sim_set(&sim, "source/burst", "20");
	is(numbered(fd, &seq, 20, 496), 0, "20 of 496 bytes");
	sim_set(&sim, "source/size", "8");
	sim_set(&sim, "source/burst", "20");
	is(numbered(fd, &seq, 20, 8), 0, "20 of 8 bytes");
	is(sim_num(&sim, "source/tx_messages"), 141, "all counted");
	is(ept_poll(fd, POLLIN), 0, "and no more");
	down(fd);
}

static void source_rate(void)
{
	int fd = up("source", 12002, 16);
	long long start, ms, sent;
	__u64 seq = 0;

	sim_set(&sim, "source/dst", "12002");
	sim_set(&sim, "source/rate", "100");
	start = now_ms();
	is(numbered(fd, &seq, 60, 32), 0, "60 messages at 100 a second");
	ms = now_ms() - start;
	ok(ms > 300 && ms < 6000, "take about 600 ms (%lld)", ms);
	sim_set(&sim, "source/rate", "0");
	sent = sim_num(&sim, "source/tx_messages");
	nap_ms(200);
	is(sim_num(&sim, "source/tx_messages"), sent, "rate 0 stops");
	down(fd);
}

/* A source with no destination of its own sends to whoever spoke last. */
static void source_answers(void)
{
	int fd = up("source", 12003, 8);
	__u64 seq = 0;

	is(write(fd, "hello", 5), 5, "speak to the source");
	ok(sim_reaches(&sim, "source/rx_messages", 1), "it heard");
	sim_set(&sim, "source/burst", "3");
	is(numbered(fd, &seq, 3, 32), 0, "its messages come here");
	down(fd);
}

static void hold_tx(void)
{
	int fd = up("sink", EPT_ANY, 8);

	sim_set(&sim, "hold_tx", "1");
	is(ept_fill(fd), 8, "held: as many as there are buffers");
	is(sim_num(&sim, "sink/rx_messages"), 0, "none is processed");
	sim_set(&sim, "hold_tx", "0");
	ok(sim_reaches(&sim, "sink/rx_messages", 8), "released: all are");
	is(write(fd, "x", 1), 1, "writing goes on");
	ok(sim_reaches(&sim, "sink/rx_messages", 9), "and arrives");
	down(fd);
}

static void hold_tx_removed(void)
{
	int fd = up("sink", EPT_ANY, 8);

	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	sim_dead(&sim);
	sim_live(&sim);
	close(ctrl);
	close(fd);
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_RDWR);
	sim_set(&sim, "hold_tx", "0");
	is(write(fd, "x", 1), 1, "a remote removed while holding comes back");
	ok(sim_reaches(&sim, "stats/rx_messages", 1), "and receives");
	down(fd);
}

static void retire_under_load(void)
{
	int fd = up("source", 12004, 16);

	sim_set(&sim, "source/dst", "12004");
	sim_set(&sim, "source/rate", "2000");
	ok(fdinfo_reaches(fd, "rpmsg-rx-messages", 20), "a source at work");
	sim_retire(&sim, "source");
	sim_retire(&sim, "echo");
	is(write(fd, "x", 1), 1, "retired: writing to it goes to nobody");
	down(fd);
}

static bool stop;

static void *talker(void *arg)
{
	int ctl, fd;
	char buf[64] = "";

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ctl = open(sim.node, O_RDWR | O_CLOEXEC);
		if (ctl < 0)
			continue;
		fd = ept_try(ctl, EPT_ANY, 1024, O_RDWR | O_NONBLOCK);
		if (fd >= 0) {
			while (write(fd, buf, 32) == 32)
				if (read(fd, buf, sizeof(buf)) < 0 &&
				    errno == EPIPE)
					break;
			close(fd);
		}
		close(ctl);
	}
	return NULL;
}

static void flip_under_load(void)
{
	unsigned int i, n = rounds(10);
	pthread_t t[2];
	int fd;

	fd = up("echo", EPT_ANY, 16);
	stop = false;
	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, talker, NULL))
			bail("pthread_create");
	sim_set(&sim, "source/dst", "1024");
	sim_set(&sim, "source/rate", "20000");
	for (i = 0; i < n; i++) {
		sim_set(&sim, "live", "0");
		sim_set(&sim, "live", "1");
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	sim_set(&sim, "source/rate", "0");
	down(fd);
	sim_find_node(&sim);
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, 12005, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "it still talks");
	is(sim_num(&sim, "stats/malformed"), 0, "and saw nothing malformed");
	down(fd);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "echo_counts", echo_counts },
		{ "byte_counts", byte_counts },
		{ "nobody_there", nobody_there },
		{ "source_bursts", source_bursts },
		{ "source_rate", source_rate },
		{ "source_answers", source_answers },
		{ "hold_tx", hold_tx },
		{ "hold_tx_removed", hold_tx_removed },
		{ "retire_under_load", retire_under_load },
		{ "flip_under_load", flip_under_load },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
