// SPDX-License-Identifier: GPL-2.0-only
/*
 * One measurement of two testpmd processes that run already: the one sends
 * through a TAP device to the other. Their counters are asked for through
 * DPDK's telemetry sockets, commands go to the sender's terminal, which is a
 * fifo. Between two looks at the counters nobody is disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "tap_counters.h"

/* What any one thing may take. */
#define PATIENCE_MS 20000

struct window {
	const char *name;
	const char *side;
	const char *device;
	const char *commands;
	const char *sender_at;
	const char *receiver_at;
	long size;
	long warmup_ms;
	long window_ms;
	int terminal;
	int sender;
	int receiver;
};

/* What both ports have counted at a time. */
struct counts {
	long long at;
	unsigned long long sent;
	unsigned long long received;
	unsigned long long bytes;
};

/*
 * What the device has passed on and thrown away. What the sender counted is not
 * it: when it is stopped, packets that it has put into its ring stay there.
 */
struct fate {
	unsigned long long passed;
	unsigned long long dropped;
	unsigned long long zerocopied;
};

static void die(const char *format, ...)
{
	va_list args;

	fputs("testpmd-window: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void pause_ms(long ms)
{
	usleep(ms * 1000);
}

/* A telemetry socket greets whoever connects. */
static int connect_to(const char *path)
{
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char greeting[1024];
	int fd;

	if (strlen(path) >= sizeof(un.sun_path))
		die("%s: too long a name", path);
	memcpy(un.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		die("%s: %s (is its testpmd running?)", path, strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (recv(fd, greeting, sizeof(greeting), 0) <= 0)
		die("%s: does not answer", path);
	return fd;
}

static unsigned long long number(const char *answer, const char *key)
{
	const char *at = strstr(answer, key);

	if (!at)
		die("no %s in testpmd's answer: %s", key, answer);
	return strtoull(at + strlen(key), NULL, 10);
}

static void ask(int fd, char *answer, size_t size)
{
	static const char question[] = "/ethdev/stats,0";
	ssize_t n;

	if (send(fd, question, strlen(question), MSG_NOSIGNAL) < 0)
		die("testpmd has ended");
	n = recv(fd, answer, size - 1, 0);
	if (n <= 0)
		die("testpmd does not answer");
	answer[n] = '\0';
}

/* The time is the middle of that in which the receiver may have answered. */
static struct counts look(const struct window *w)
{
	char answer[16384];
	struct counts c;
	long long before;

	ask(w->sender, answer, sizeof(answer));
	c.sent = number(answer, "\"opackets\":");
	before = bench_now();
	ask(w->receiver, answer, sizeof(answer));
	c.at = (before + bench_now()) / 2;
	c.received = number(answer, "\"ipackets\":");
	c.bytes = number(answer, "\"ibytes\":");
	return c;
}

static void tell(const struct window *w, const char *format, ...)
{
	char line[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(w->terminal, line, n) != n)
		die("%s: %s", w->commands, strerror(errno));
}

static bool same(const struct counts *a, const struct counts *b)
{
	return a->sent == b->sent && a->received == b->received;
}

/* Until nothing has moved for a while. */
static struct counts wait_for_silence(const struct window *w)
{
	struct counts last = look(w), c;
	long waited;
	int still = 0;

	for (waited = 0; waited < PATIENCE_MS; waited += 50) {
		pause_ms(50);
		c = look(w);
		still = same(&c, &last) ? still + 1 : 0;
		if (still == 3)
			return c;
		last = c;
	}
	die("%s: packets go on for %d s after testpmd was stopped", w->name, PATIENCE_MS / 1000);
	return last;
}

static void wait_for_traffic(const struct window *w, const struct counts *start)
{
	struct counts c;
	long waited;

	for (waited = 0; waited < PATIENCE_MS; waited += 20) {
		c = look(w);
		if (c.received > start->received + 1000)
			return;
		pause_ms(20);
	}
	die("%s, %s: within %d s testpmd counted %llu packets sent, %llu received", w->name,
	    w->side, PATIENCE_MS / 1000, c.sent - start->sent, c.received - start->received);
}

/* What arrives is as long as it should be: the command was obeyed. */
static void check_size(const struct window *w, const struct counts *a, const struct counts *b)
{
	double size = (double)(b->bytes - a->bytes) / (b->received - a->received);

	if (size < w->size - 0.5 || size > w->size + 0.5)
		die("%s: packets have %.1f bytes instead of %ld", w->name, size, w->size);
}

/* The new path is taken when it is meant, and only then. */
static void check_path(const struct window *w, unsigned long long zerocopied,
		       unsigned long long received)
{
	bool is_new = !strcmp(w->side, "new");

	if (is_new && zerocopied < received / 2)
		die("%s: %llu packets, %llu of them uncopied: is this shortpath's tun?",
		    w->name, received, zerocopied);
	if (!is_new && zerocopied)
		die("%s: %llu packets went uncopied in copy mode", w->name, zerocopied);
}

static unsigned long long statistic(const struct window *w, const char *name)
{
	unsigned long long value;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", w->device, name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &value) != 1)
		die("%s: %s", path, strerror(errno));
	fclose(f);
	return value;
}

static struct fate fate_of(const struct window *w)
{
	return (struct fate) {
		.passed = statistic(w, "tx_packets"),
		.dropped = statistic(w, "tx_dropped"),
		.zerocopied = tap_zerocopied(w->device),
	};
}

/* To people: what became of the packets of the whole run. */
static void say_fate(const struct window *w, const struct fate *a, const struct fate *b,
		     unsigned long long received, double rate)
{
	unsigned long long dropped = b->dropped - a->dropped;
	long long astray = b->passed - a->passed - received;

	fprintf(stderr, "bench: tap: %s, %s: %.1f thousand/s received; ", w->name, w->side,
		rate);
	fprintf(stderr, "of %llu packets the device dropped %llu (%.1f%%), %lld got lost later\n",
		received + dropped, dropped, 100.0 * dropped / (received + dropped), astray);
	printf("#lost %s %s\t%lld\n", w->name, w->side, dropped + astray);
}

static void rate(const struct window *w, const char *prefix, const char *name,
		 unsigned long long n, long long ns)
{
	printf("tap\t%s%s\twall\tpps\t%s\t%.1f\n", prefix, name, w->side, n * 1e9 / ns);
}

/* "testpmd-64" has a row "sent-64" beside it. */
static const char *tail_of(const char *name)
{
	static const char head[] = "testpmd-";

	return strncmp(name, head, strlen(head)) ? name : name + strlen(head);
}

static void measure(struct window *w)
{
	struct counts start, a, b, end;
	unsigned long long received;
	struct fate before, after;

	tell(w, "stop\n");
	start = wait_for_silence(w);
	before = fate_of(w);
	tell(w, "set txpkts %ld\nstart\n", w->size);
	wait_for_traffic(w, &start);
	pause_ms(w->warmup_ms);
	a = look(w);
	pause_ms(w->window_ms);
	b = look(w);
	tell(w, "stop\n");
	end = wait_for_silence(w);
	received = end.received - start.received;
	after = fate_of(w);
	check_size(w, &a, &b);
	check_path(w, after.zerocopied - before.zerocopied, received);
	rate(w, "", w->name, b.received - a.received, b.at - a.at);
	rate(w, "sent-", tail_of(w->name), b.sent - a.sent, b.at - a.at);
	say_fate(w, &before, &after, received,
		 (b.received - a.received) * 1e6 / (b.at - a.at));
}

static void help(FILE *out)
{
	fprintf(out,
		"usage: testpmd-window OPTIONS\n"
		"\n"
		"Print the sample rows of CASE, and how much was sent, of two running testpmd.\n"
		"  -c CASE    the case's name\n"
		"  -s SIDE    old: copy mode. new: zero-copy. Which it is, is checked\n"
		"  -n SIZE    bytes of a packet\n"
		"  -d DEVICE  the TAP device\n"
		"  -i FIFO    where the sender reads commands\n"
		"  -t SOCKET  the sender's telemetry\n"
		"  -r SOCKET  the receiver's telemetry\n"
		"  -u MS      time before the window (300)\n"
		"  -w MS      the window (1500)\n");
}

static void option(struct window *w, int c)
{
	switch (c) {
	case 'c':
		w->name = optarg;
		return;
	case 's':
		w->side = optarg;
		return;
	case 'n':
		w->size = atol(optarg);
		return;
	case 'd':
		w->device = optarg;
		return;
	case 'i':
		w->commands = optarg;
		return;
	case 't':
		w->sender_at = optarg;
		return;
	case 'r':
		w->receiver_at = optarg;
		return;
	case 'u':
		w->warmup_ms = atol(optarg);
		return;
	case 'w':
		w->window_ms = atol(optarg);
		return;
	default:
		help(c == 'h' ? stdout : stderr);
		exit(c == 'h' ? 0 : 2);
	}
}

int main(int argc, char **argv)
{
	struct window w = { .warmup_ms = 300, .window_ms = 1500 };
	int c;

	while ((c = getopt(argc, argv, "c:s:n:d:i:t:r:u:w:h")) != -1)
		option(&w, c);
	if (!w.name || !w.side || !w.device || !w.commands || !w.sender_at ||
	    !w.receiver_at || w.size < 1 || w.window_ms < 1) {
		help(stderr);
		return 2;
	}
	w.terminal = open(w.commands, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (w.terminal < 0)
		die("%s: %s (has testpmd ended?)", w.commands, strerror(errno));
	w.sender = connect_to(w.sender_at);
	w.receiver = connect_to(w.receiver_at);
	measure(&w);
	return 0;
}
