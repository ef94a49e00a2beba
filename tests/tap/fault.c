// SPDX-License-Identifier: GPL-2.0-only
/*
 * A read() or write() on the fd whose memory never comes (a userfaultfd that
 * nobody serves) holds up nobody else: the RTNL is free, the socket closes, the
 * device disappears, promptly. When the memory comes the call ends.
 */
/* time-limit: 200 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapf0"
#define DEV2	"tapf1"
#define SOON_MS	8000

static struct tapdev tap, other;
static struct xsk x;
static struct xprog prog;
static char *area;	/* two pages: there, and never there */
static int uffd;
static struct actor stuck;

static void memory_make(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	area = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (area == MAP_FAILED || uffd < 0 || ioctl(uffd, UFFDIO_API, &api))
		bail("userfaultfd");
	memset(area, 1, 4096);
	reg.range.start = (uintptr_t)area + 4096;
	reg.range.len = 4096;
	if (ioctl(uffd, UFFDIO_REGISTER, &reg))
		bail("UFFDIO_REGISTER");
}

/* Wait until somebody is caught. */
static bool caught(void)
{
	struct uffd_msg m;

	return (fd_poll(uffd, POLLIN, SOON_MS) & POLLIN) &&
	       read(uffd, &m, sizeof(m)) == sizeof(m) &&
	       m.event == UFFD_EVENT_PAGEFAULT;
}

static void memory_comes(void)
{
	static char page[4096];
	struct uffdio_copy c = {
		.dst = (uintptr_t)area + 4096, .src = (uintptr_t)page,
		.len = 4096,
	};

	if (ioctl(uffd, UFFDIO_COPY, &c) && errno != EEXIST)
		bail("UFFDIO_COPY");
}

static void memory_free(void)
{
	close(uffd);
	munmap(area, 8192);
}

static void send_frames(__u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		frame_write(x.area + i * x.chunk, 200, 1, i);
		xsk_tx_put(&x, (__u64)i * x.chunk, 200, 0);
	}
	xsk_publish(&x.tx);
	if (xsk_kick(&x) < 0)
		bail("kick");
}

/* A read that begins in the page that is there and sticks in the other. */
static void stick_reading(size_t there)
{
	tap_open(&tap, DEV);
	tap_open(&other, DEV2);
	memory_make();
	xsk_open(&x, &XSK_SMALL, DEV, 0, XDP_USE_NEED_WAKEUP);
	send_frames(10);
	stuck = (struct actor){
		.fd = tap.fd, .buf = area + 4096 - there, .len = 4096,
	};
	actor_start(&stuck, act_read);
	if (!caught())
		bail("the read does not get stuck");
}

static void stick_writing(size_t there)
{
	tap_open(&tap, DEV);
	tap_open(&other, DEV2);
	memory_make();
	xsk_open(&x, &XSK_SMALL, DEV, 0, XDP_USE_NEED_WAKEUP);
	xprog_redirect(&prog, DEV, XPROG_NATIVE);
	xprog_socket(&prog, 0, &x);
	xsk_fill_chunks(&x, 32, 32);
	stuck = (struct actor){
		.fd = tap.fd, .buf = area + 4096 - there, .len = 300,
	};
	actor_start(&stuck, act_write);
	if (!caught())
		bail("the write does not get stuck");
}

/* The RTNL is free, and other devices and queues work. */
static void others_live(void)
{
	const char *const argv[] = { "ip", "link", "set", DEV2, "mtu", "1400",
				     NULL };
	long long start = now_ms();
	struct xsk y;

	is(run(argv), 0, "ip link on another device");
	ok(now_ms() - start < SOON_MS, "answers (%lld ms)", now_ms() - start);
	xsk_open(&y, &XSK_SMALL, DEV2, 0, 0);
	flow_works(&y, other.fd, 0, 200, "another device's socket works");
	xsk_close(&y);
}

static void socket_closes(void)
{
	long long start = now_ms();

	xsk_close(&x);
	ok(now_ms() - start < SOON_MS, "the socket closes (%lld ms)",
	   now_ms() - start);
	/* The queue's last owner is gone when it can be bound again. */
	xsk_make(&x, &XSK_SMALL);
	while (xsk_bind_try(&x, DEV, 0, xsk_mode() | XDP_USE_NEED_WAKEUP)) {
		if (errno != EBUSY || now_ms() - start > WAIT_MS)
			bail("bind");
		nap_ms(5);
	}
	ok(now_ms() - start < SOON_MS, "another one binds (%lld ms)",
	   now_ms() - start);
}

static bool is_gone(void *arg)
{
	(void)arg;
	return !tap_exists(DEV);
}

/*
 * The device disappears at once. The command itself returns when the stuck call
 * has let go of the device, on a stock kernel as well: the call holds it.
 */
static pid_t device_goes(void)
{
	pid_t child = fork();

	if (!child)
		_exit(tap_del(DEV));
	ok(wait_until(is_gone, NULL, SOON_MS), "ip link del: the device is gone");
	return child;
}

static void call_ends(const char *what)
{
	memory_comes();
	if (!ok(actor_ended(&stuck, SOON_MS), "%s ends when memory comes", what))
		bail("it never returns");
	diag("%s: %zd %s", what, stuck.ret,
	     stuck.ret < 0 ? err_name(stuck.err) : "");
}

static void all_down(void)
{
	xsk_close(&x);
	tap_close(&tap);
	tap_close(&other);
	memory_free();
}

static void read_sticks(size_t there)
{
	pid_t del;

	stick_reading(there);
	others_live();
	socket_closes();
	send_frames(3);
	xsk_kick(&x);
	del = device_goes();
	others_live();
	call_ends("read()");
	is(child_wait(del), 0, "so does ip link del");
	ok(stuck.ret <= 200, "with one frame at most");
	all_down();
}

static void read_at_once(void)
{
	read_sticks(0);
}

static void read_half_way(void)
{
	read_sticks(100);
}

/* Nobody goes away: the frame is whole when its memory comes. */
static void read_resumes(void)
{
	struct frame f;

	stick_reading(100);
	others_live();
	call_ends("read()");
	is(stuck.ret, 200, "with all of the frame");
	ok(frame_parse(stuck.buf, 200, &f) && f.seq == 0 &&
	   !frame_fault(stuck.buf, 200, &f), "as it was sent");
	fd_nonblock(tap.fd, true);
	for (char buf[2048]; read(tap.fd, buf, sizeof(buf)) == 200;)
		;
	ok(xsk_completes(&x, 10), "all frames complete");
	all_down();
}

/* More frames, with a call only where the ring asks for it; how many are read. */
static int later_ones(__u32 first, int n)
{
	char buf[2048];
	int i, got = 0;

	for (i = 0; i < n; i++, first++) {
		frame_write(x.area + first * x.chunk, 200, 1, first);
		xsk_tx_put(&x, (__u64)first * x.chunk, 200, 0);
		xsk_publish(&x.tx);
		if (xsk_wants_wakeup(&x.tx))
			xsk_kick(&x);
	}
	while (got < n && fd_poll(tap.fd, POLLIN, SOON_MS) & POLLIN)
		got += read(tap.fd, buf, sizeof(buf)) == 200;
	return got;
}

/*
 * Two readers of one fd: the second is not held up by the first, which has one frame
 * and nothing else. Failed before: need_wakeup
 * stayed clear as long as it had that, and nobody took what was sent meanwhile.
 */
static void read_beside(void)
{
	char buf[2048];
	int i;

	stick_reading(0);
	fd_nonblock(tap.fd, true);
	for (i = 0; i < 9; i++)
		if (read(tap.fd, buf, sizeof(buf)) != 200)
			break;
	ok(i >= 8, "another reader gets the other frames (%d)", i);
	is(later_ones(10, 4), 4, "and those that are sent meanwhile");
	call_ends("read()");
	if (stuck.ret == 200)
		i++;
	ok(i >= 9, "and the stuck one's is not lost (%d)", i);
	while (read(tap.fd, buf, sizeof(buf)) == 200)
		;
	ok(xsk_completes(&x, 14), "all frames complete");
	all_down();
}

static void write_sticks(size_t there)
{
	pid_t del;

	stick_writing(there);
	others_live();
	socket_closes();
	del = device_goes();
	others_live();
	call_ends("write()");
	is(child_wait(del), 0, "so does ip link del");
	xprog_detach(&prog);
	all_down();
}

static void write_at_once(void)
{
	write_sticks(0);
}

static void write_half_way(void)
{
	write_sticks(100);
}

static void write_resumes(void)
{
	struct in_writer w;
	__u32 len = 60;
	int i;

	stick_writing(100);
	others_live();
	/* Another writer of the same fd has the way free. */
	w = (struct in_writer){ .fd = tap.fd, .source = 3, .lens = &len,
				.n_lens = 1 };
	for (i = 0; i < 20; i++)
		in_write(&w, i);
	is(xsk_ready(&x.rx), 20, "frames of another writer arrive meanwhile");
	call_ends("write()");
	is(stuck.ret, 300, "with all of the frame");
	is(xsk_ready(&x.rx), 21, "which arrives");
	xprog_detach(&prog);
	all_down();
}

/* Killed while stuck: the process ends, and all of it goes. */
static void process_killed(void)
{
	int p[2], status;
	char c = 0;
	pid_t child;

	if (pipe(p))
		bail("pipe");
	child = fork();
	if (!child) {
		stick_reading(10);
		if (write(p[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(p[1]);
	ok(read(p[0], &c, 1) == 1, "a process is stuck");
	close(p[0]);
	kill(child, SIGKILL);
	status = child_wait(child);
	is(status, 128 + SIGKILL, "it can be killed");
	ok(tap_gone(DEV), "its device goes");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "read_at_once", read_at_once },
		{ "read_half_way", read_half_way },
		{ "read_resumes", read_resumes },
		{ "read_beside", read_beside },
		{ "write_at_once", write_at_once },
		{ "write_half_way", write_half_way },
		{ "write_resumes", write_resumes },
		{ "process_killed", process_killed },
	};

	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
