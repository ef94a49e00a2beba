// SPDX-License-Identifier: GPL-2.0-only
/*
 * The legacy path (ioctls 1 to 6 and the endpoint nodes) answers as on a stock
 * kernel: one scripted sequence of calls is run on modules built from the
 * distribution's source without our hooks, then on ours, and every answer
 * compared. What must differ is listed in differences[].
 *
 * Calls that crash the stock modules are not in the script; legacy_faults.c
 * has them.
 */
/* time-limit: 300 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rig.h"

#define MOST	200

struct answer {
	char call[56];
	char got[72];
};

struct record {
	struct answer a[MOST];
	size_t n;
};

/* The answers that are meant to differ, and both versions of them. */
static const struct difference {
	const char *call, *stock, *ours;
} differences[] = {
	{ "ctrl: create an endpoint fd", "-1 EINVAL", "0" },
};

static struct sim sim;
static struct record *rec;	/* the one being written */
static int ctrl;

PRINTF(2, 3)
static void note(const char *call, const char *fmt, ...)
{
	struct answer *a = &rec->a[rec->n++];
	va_list ap;

	if (rec->n > MOST)
		bail("more than %d answers", MOST);
	snprintf(a->call, sizeof(a->call), "%s", call);
	va_start(ap, fmt);
	vsnprintf(a->got, sizeof(a->got), fmt, ap);
	va_end(ap);
}

static void note_ret(const char *call, long ret)
{
	if (ret < 0)
		note(call, "-1 %s", err_name(errno));
	else
		note(call, "%ld", ret);
}

/* Files: the number differs with what the test has open, so only "fd". */
static int note_open(const char *call, int fd)
{
	note_ret(call, fd < 0 ? fd : 0);
	return fd;
}

static void note_poll(const char *call, int fd)
{
	note(call, "0x%x", ept_poll(fd, POLLIN | POLLOUT | POLLPRI | POLLRDNORM |
				    POLLWRNORM));
}

static long create(const char *name, __u32 src, const char *service)
{
	struct rpmsg_endpoint_info info = { .src = src, .dst = EPT_ANY };

	memcpy(info.name, name, strnlen(name, sizeof(info.name)));
	if (service)
		info.dst = sim_addr(&sim, service);
	return ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, &info);
}

/* The first line of an attribute of endpoint device NAME. */
static void note_attr(const char *name, const char *attr)
{
	char path[PATH_MAX], text[64], call[56];

	snprintf(call, sizeof(call), "sysfs: %.16s %.16s", name, attr);
	snprintf(path, sizeof(path), "/sys/class/rpmsg/%s/%s", name, attr);
	if (file_get(path, text, sizeof(text)))
		note_ret(call, -1);
	else
		note(call, "%s", text);
}

/* Which endpoint nodes there are, by name. */
static void note_nodes(const char *call)
{
	char text[72] = "";
	glob_t g;
	size_t i, len = 0;

	if (!glob("/dev/rpmsg[0-9]*", 0, NULL, &g))
		for (i = 0; i < g.gl_pathc; i++)
			len += snprintf(text + len, sizeof(text) - len, "%s ",
					g.gl_pathv[i] + 5);
	globfree(&g);
	note(call, "%s", text);
}

static int open_node(const char *call, const char *path, int flags)
{
	if (!wait_path(path, true, WAIT_MS))
		bail("%s does not appear", path);
	return note_open(call, open(path, flags | O_CLOEXEC));
}

/* Wait for the echo of what was just sent. */
static void wait_in(int fd)
{
	if (!(ept_poll_ms(fd, POLLIN, WAIT_MS) & POLLIN))
		bail("no echo");
}

static void script_ctrl(void)
{
	struct rpmsg_endpoint_fd_info fd_info;
	struct rpmsg_endpoint_info info = { .name = "nothing", .src = 1 };
	char c;

	note_ret("ctrl: unknown ioctl", ioctl(ctrl, _IO(0xb5, 0x70), &info));
	note_ret("ctrl: other magic", ioctl(ctrl, _IO(0xb6, 1), &info));
	note_ret("ctrl: ioctl 1 without structure",
		 ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, NULL));
	note_ret("ctrl: unknown ioctl without structure",
		 ioctl(ctrl, _IO(0xb5, 0x70), NULL));
	note_ret("ctrl: ioctl 2 on the control device",
		 ioctl(ctrl, RPMSG_DESTROY_EPT_IOCTL, &info));
	note_ret("ctrl: release of no channel",
		 ioctl(ctrl, RPMSG_RELEASE_DEV_IOCTL, &info));
	note_ret("ctrl: read", read(ctrl, &c, 1));
	note_ret("ctrl: write", write(ctrl, "x", 1));
	ept_info(&fd_info, EPT_ANY, 1, O_RDWR);
	note_ret("ctrl: create an endpoint fd",
		 ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &fd_info));
	if (fd_info.fd >= 0)
		close(fd_info.fd);
	note_nodes("ctrl: nodes");
}

static void script_create(void)
{
	note_ret("create: explicit src", create("one", 2001, "echo"));
	note_ret("create: same src again", create("two", 2001, "echo"));
	note_ret("create: any src", create("any", EPT_ANY, "sink"));
	note_ret("create: a name of 32 bytes",
		 create("abcdefghijklmnopqrstuvwxyz012345", 2002, "echo"));
	note_ret("create: no dst", create("nodst", 2003, NULL));
	note_nodes("create: nodes");
	note_attr("rpmsg0", "name");
	note_attr("rpmsg0", "src");
	note_attr("rpmsg0", "dst");
	note_attr("rpmsg2", "src");
	note_attr("rpmsg3", "name");
	note_attr("rpmsg4", "dst");
}

static void script_io(int fd)
{
	static char big[EPT_MTU + 1];
	struct iovec v[2] = { { "ab", 2 }, { "cd", 2 } };
	char buf[EPT_MTU];

	note_poll("io: poll, idle", fd);
	note_ret("io: read, empty", read(fd, buf, 1));
	note_ret("io: write", write(fd, "hello", 5));
	wait_in(fd);
	note_poll("io: poll, one queued", fd);
	note_ret("io: read, short buffer", read(fd, buf, 2));
	note_ret("io: read, rest is gone", read(fd, buf, sizeof(buf)));
	note_ret("io: write of nothing", write(fd, "", 0));
	wait_in(fd);
	note_ret("io: read of nothing", read(fd, buf, sizeof(buf)));
	note_ret("io: write the MTU", write(fd, big, EPT_MTU));
	wait_in(fd);
	note_ret("io: read the MTU", read(fd, buf, sizeof(buf)));
	note_ret("io: write over the MTU", write(fd, big, sizeof(big)));
	note_ret("io: writev", writev(fd, v, 2));
	wait_in(fd);
	note_ret("io: read into nowhere", read(fd, nowhere(), 4));
	note_ret("io: read, that one is gone", read(fd, buf, sizeof(buf)));
	note_ret("io: write from nowhere", write(fd, nowhere(), 4));
	note_ret("io: lseek", lseek(fd, 0, SEEK_SET));
}

static void script_ioctl(int fd)
{
	int restricted = 7;

	note_ret("ept: unknown ioctl", ioctl(fd, _IO(0xb5, 0x70)));
	note_ret("ept: ioctl 1", ioctl(fd, RPMSG_CREATE_EPT_IOCTL, NULL));
	note_ret("ept: get flow control",
		 ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted));
	note("ept: its answer", "%d", restricted);
	note_ret("ept: set flow control",
		 ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1));
	note_ret("ept: set flow control to 2",
		 ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 2));
}

static void script_end(int fd)
{
	char buf[8];

	note_ret("end: DESTROY", ept_destroy(fd));
	note_ret("end: read", read(fd, buf, sizeof(buf)));
	note_ret("end: write", write(fd, "x", 1));
	note_poll("end: poll", fd);
	note_nodes("end: nodes");
	note_ret("end: open again", open("/dev/rpmsg0", O_RDWR));
	note_ret("end: close", close(fd));
}

static void script_node(void)
{
	int fd = open_node("node: open", "/dev/rpmsg0", O_RDWR | O_NONBLOCK);

	open_node("node: open twice", "/dev/rpmsg0", O_RDWR);
	open_node("node: open one whose src is taken", "/dev/rpmsg1", O_RDWR);
	script_io(fd);
	script_ioctl(fd);
	note_ret("node: close", close(fd));
	note_nodes("node: nodes after close");
	fd = open_node("node: open after close", "/dev/rpmsg0",
		       O_RDWR | O_NONBLOCK);
	note_ret("node: write", write(fd, "again", 5));
	wait_in(fd);
	note_ret("node: close with a message queued", close(fd));
	fd = open_node("node: open, message is gone", "/dev/rpmsg0",
		       O_RDWR | O_NONBLOCK);
	note_poll("node: poll", fd);
	script_end(fd);
}

/* Address by address: who is given which, as the remote sees it. */
static void note_src(const char *call, int fd)
{
	long long before = sim_num(&sim, "echo/rx_messages");

	if (write(fd, "who am I", 8) != 8)
		bail("write");
	if (!sim_reaches(&sim, "echo/rx_messages", before + 1))
		bail("the message does not arrive");
	note(call, "%lld", sim_num(&sim, "echo/last_src"));
}

static int open_numbered(const char *call, int number)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/rpmsg%d", number);
	return open_node(call, path, O_RDWR | O_NONBLOCK);
}

static void script_addresses(void)
{
	/* The numbers that are free by then, the last one for src 1024. */
	static const int node[] = { 0, 5, 6, 7, 8 };
	int fd[5], i;

	for (i = 0; i < 4; i++)
		note_ret("address: create, any", create("any", EPT_ANY, "echo"));
	note_ret("address: create, 1024", create("lowest", 1024, "echo"));
	note_nodes("address: nodes");
	for (i = 0; i < 3; i++) {
		fd[i] = open_numbered("address: open", node[i]);
		note_src("address: in turn", fd[i]);
	}
	close(fd[1]);
	fd[1] = open_numbered("address: open", node[1]);
	note_src("address: the gap is filled", fd[1]);
	open_numbered("address: open 1024 while it is taken", node[4]);
	close(fd[0]);
	fd[4] = open_numbered("address: open 1024", node[4]);
	note_src("address: the lowest, by request", fd[4]);
	fd[0] = open_numbered("address: open", node[0]);
	note_src("address: the lowest is taken", fd[0]);
	close(fd[4]);
	fd[3] = open_numbered("address: open", node[3]);
	note_src("address: the lowest again", fd[3]);
	for (i = 0; i < 4; i++)
		note_ret("address: DESTROY", ept_destroy(fd[i]) | close(fd[i]));
	note_nodes("address: nodes at the end");
}

static void script_modes(void)
{
	char c;
	int fd;

	fd = open_node("mode: O_RDONLY", "/dev/rpmsg2", O_RDONLY | O_NONBLOCK);
	note_ret("mode: write to O_RDONLY", write(fd, "x", 1));
	close(fd);
	fd = open_node("mode: O_WRONLY", "/dev/rpmsg2", O_WRONLY | O_NONBLOCK);
	note_ret("mode: read from O_WRONLY", read(fd, &c, 1));
	note_ret("mode: write to O_WRONLY", write(fd, "x", 1));
	close(fd);
	fd = open_node("mode: no dst", "/dev/rpmsg4", O_RDWR);
	note_ret("mode: write without dst", write(fd, "x", 1));
	close(fd);
}

static void script_full(void)
{
	int fd = open_node("full: open", "/dev/rpmsg2", O_RDWR | O_NONBLOCK);

	sim_set(&sim, "hold_tx", "1");
	note("full: messages until EAGAIN", "%d", ept_fill(fd));
	note_ret("full: one more", write(fd, "x", 1));
	note_poll("full: poll", fd);
	sim_set(&sim, "hold_tx", "0");
	close(fd);
}

/* A channel made from here: rpmsg_char binds it by name. */
static void script_channel(void)
{
	struct rpmsg_endpoint_info info = { .name = "rpmsg-raw", .src = 2010 };
	char c;
	int fd;

	info.dst = sim_addr(&sim, "echo");
	note_ret("channel: create", ioctl(ctrl, RPMSG_CREATE_DEV_IOCTL, &info));
	note_ret("channel: create again",
		 ioctl(ctrl, RPMSG_CREATE_DEV_IOCTL, &info));
	note_nodes("channel: nodes");
	fd = open_node("channel: open", "/dev/rpmsg0", O_RDWR | O_NONBLOCK);
	note_ret("channel: DESTROY of a default endpoint", ept_destroy(fd));
	note_ret("channel: write", write(fd, "raw", 3));
	wait_in(fd);
	note_poll("channel: poll", fd);
	note_ret("channel: read", read(fd, &c, 1));
	note_ret("channel: release",
		 ioctl(ctrl, RPMSG_RELEASE_DEV_IOCTL, &info));
	note_ret("channel: read after release", read(fd, &c, 1));
	note_poll("channel: poll after release", fd);
	close(fd);
	note_ret("channel: release again",
		 ioctl(ctrl, RPMSG_RELEASE_DEV_IOCTL, &info));
	note_nodes("channel: nodes after release");
}

static void script_removed(void)
{
	struct actor r = { .buf = &(char){ 0 }, .len = 1 };
	int fd = open_node("removed: open", "/dev/rpmsg3", O_RDWR), busy;
	char c;

	busy = open_node("removed: open", "/dev/rpmsg2", O_RDWR);
	actor_block(&r, busy, act_read);
	sim_dead(&sim);
	if (!actor_ended(&r, WAIT_MS))
		bail("the reader is stuck");
	errno = r.err;
	note_ret("removed: blocked read", r.ret);
	note_ret("removed: read", read(fd, &c, 1));
	note_ret("removed: write", write(fd, "x", 1));
	note_poll("removed: poll", fd);
	note_nodes("removed: nodes");
	note_ret("removed: close", close(fd));
	close(busy);
}

static void play(struct record *r)
{
	rec = r;
	ctrl = sim_up(&sim, "legacy", 16);
	script_ctrl();
	script_create();
	script_node();
	script_channel();
	script_modes();
	script_full();
	script_addresses();
	script_removed();
	close(ctrl);
	sim_remove(&sim);
}

static const char *const order[] = {
	"rpmsg_core", "rpmsg_ns", "virtio_rpmsg_bus", "rpmsg_char", "rpmsg_ctrl",
};

static bool removes(void *module)
{
	return !mod_remove(module) || errno == ENOENT;
}

static void unload_all(void)
{
	size_t i;

	for (i = ARRAY_SIZE(order); i--;)
		if (!wait_until(removes, (void *)order[i], WAIT_MS))
			bail("cannot unload %s", order[i]);
}

/* However this ends, the next program finds our modules: no bail in here. */
static void restore(void)
{
	size_t i;

	if (mod_has_param("rpmsg_ctrl", "ept_fd"))
		return;
	for (i = ARRAY_SIZE(order); i--;)
		wait_until(removes, (void *)order[i], WAIT_MS);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		mod_probe(order[i]);
}

static void load_unhooked(const char *dir)
{
	char path[PATH_MAX];
	size_t i;

	unload_all();
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		snprintf(path, sizeof(path), "%s/%s.ko", dir, order[i]);
		if (mod_insert(path))
			bail("cannot load %s", path);
	}
	if (mod_has_param("rpmsg_ctrl", "ept_fd"))
		bail("%s holds our own modules", dir);
}

static void load_ours(void)
{
	size_t i;

	unload_all();
	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (mod_probe(order[i]))
			bail("modprobe %s", order[i]);
	if (!mod_has_param("rpmsg_ctrl", "ept_fd"))
		bail("modprobe does not find our modules");
}

static void compare(const struct answer *stock, const struct answer *ours)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(differences); i++) {
		if (strcmp(differences[i].call, stock->call))
			continue;
		is_str(stock->got, differences[i].stock, "%s (stock)",
		       stock->call);
		is_str(ours->got, differences[i].ours, "%s (ours)", ours->call);
		return;
	}
	is_str(ours->got, stock->got, "%s: %s", stock->call, stock->got);
}

int main(void)
{
	static struct record stock, ours;
	const char *dir = getenv("SHORTPATH_UNHOOKED");
	size_t i;

	tap_start();
	if (!dir || !*dir)
		skip_all("SHORTPATH_UNHOOKED is not set");
	/*
	 * What KASAN and kmemleak say of the stock modules is not ours to
	 * judge, and delayed kobject release makes node numbers random.
	 */
	if (getenv("SHORTPATH_DEBUG") && *getenv("SHORTPATH_DEBUG"))
		skip_all("a debug kernel would judge the stock modules");
	/* Runs after the clean-up that sim_start() registers. */
	atexit(restore);
	sim_start();
	load_unhooked(dir);
	play(&stock);
	load_ours();
	play(&ours);
	is(ours.n, stock.n, "as many answers");
	for (i = 0; i < stock.n && i < ours.n; i++)
		compare(&stock.a[i], &ours.a[i]);
	return tap_done();
}
