// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of the legacy endpoint device that stock kernels have and ours must
 * not, one regression test each:
 *
 * destroy_twice       6.1 dereferenced NULL: the second DESTROY tore the
 *                     device down again (upstream fixed it later)
 * poll_destroyed      poll took the lock after looking at the endpoint and
 *                     handed NULL to rpmsg_poll() when DESTROY came between
 * flow_destroyed      SET_INCOMING_FLOWCONTROL used the endpoint unlooked-at
 *                     (6.12 and later): NULL after DESTROY
 * ctrl_after_remove   an ioctl on a control fd that outlived its remote used
 *                     the freed rpmsg device
 * src_negative        src >= 0x80000000 became a negative id: WARN in
 *                     idr_alloc(), which any user of the node could cause
 * open_removed        open of the node racing removal read rpdev unlocked
 * release_self        RELEASE_DEV that names the control device's own channel
 *                     removed it under its own ioctl
 * destroy_while_added the node can be opened, and destroyed through it, while
 *                     the create ioctl is still adding it
 * destroy_remove      DESTROY racing removal deleted parent before child: WARN
 * epoll_outlives      epoll stood on a wait queue inside the bus, which is
 *                     freed with the remote (7.0 and later)
 * write_huge          a write of any length was allocated as it came: WARN
 * write_signal        a blocked write ignored signals and spun until 15 s were
 *                     over
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;
static int ctrl;

static int create(__u32 src)
{
	struct rpmsg_endpoint_info info = { .name = "legacy", .src = src };

	info.dst = sim_addr(&sim, "echo");
	return ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, &info);
}

/* The node that create() made: the one below our control device. */
static void node_path(char *path)
{
	char pattern[PATH_MAX];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/sys/class/rpmsg/%s/rpmsg[0-9]*",
		 strrchr(sim.node, '/') + 1);
	if (glob(pattern, 0, NULL, &g) || g.gl_pathc != 1)
		bail("%s matches %zu", pattern, g.gl_pathc);
	snprintf(path, PATH_MAX, "/dev/%s", strrchr(g.gl_pathv[0], '/') + 1);
	globfree(&g);
}

static int open_new(__u32 src)
{
	char path[PATH_MAX];
	int fd;

	ctrl = sim_up(&sim, "faults", 8);
	if (create(src))
		bail("RPMSG_CREATE_EPT_IOCTL");
	node_path(path);
	if (!wait_path(path, true, WAIT_MS))
		bail("%s does not appear", path);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		bail("open %s", path);
	return fd;
}

static void down(int fd)
{
	close(fd);
	close(ctrl);
}

static void destroy_twice(void)
{
	int fd = open_new(11000);

	works(ept_destroy(fd), "DESTROY");
	works(ept_destroy(fd), "DESTROY again");
	works(ept_destroy(fd), "and again");
	down(fd);
}

static void poll_destroyed(void)
{
	int fd = open_new(11001);

	works(ept_destroy(fd), "DESTROY");
	is(ept_poll(fd, POLLIN | POLLOUT), POLLERR, "poll says ERR, as before");
	down(fd);
}

static void *poller(void *arg)
{
	int fd = *(int *)arg;

	while (!(ept_poll(fd, POLLIN | POLLOUT) & POLLERR))
		;
	return NULL;
}

static void poll_during_destroy(void)
{
	unsigned int i, n = rounds(20), bad = 0;
	pthread_t t;
	int fd;

	for (i = 0; i < n; i++) {
		fd = open_new(EPT_ANY);
		if (pthread_create(&t, NULL, poller, &fd))
			bail("pthread_create");
		bad += ept_destroy(fd) != 0;
		pthread_join(t, NULL);
		down(fd);
		sim_remove(&sim);
	}
	is(bad, 0, "poll against DESTROY");
}

static void flow_destroyed(void)
{
	int fd, restricted;

	if (!kernel_from(6, 12)) {
		skip("6.1 knows no flow control", "flow control after DESTROY");
		return;
	}
	fd = open_new(11002);
	fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1), EOPNOTSUPP,
	      "virtio cannot set it");
	works(ept_destroy(fd), "DESTROY");
	fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1), EINVAL,
	      "set after DESTROY, as stock answered behind its WARN");
	works(ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted),
	      "get after DESTROY");
	down(fd);
}

static void ctrl_after_remove(void)
{
	static const unsigned long cmd[] = {
		RPMSG_CREATE_EPT_IOCTL, RPMSG_CREATE_DEV_IOCTL,
		RPMSG_RELEASE_DEV_IOCTL,
	};
	struct rpmsg_endpoint_info info = { .name = "legacy", .src = 11003 };
	size_t i;

	ctrl = sim_up(&sim, "faults", 8);
	sim_remove(&sim);
	for (i = 0; i < ARRAY_SIZE(cmd); i++)
		fails(ioctl(ctrl, cmd[i], &info), ENETRESET,
		      "ioctl %zu after the remote is gone", i + 1);
	close(ctrl);
}

static void src_negative(void)
{
	char path[PATH_MAX];

	ctrl = sim_up(&sim, "faults", 8);
	works(create(0x80000000), "create takes any src, as before");
	node_path(path);
	if (!wait_path(path, true, WAIT_MS))
		bail("%s does not appear", path);
	fails(open(path, O_RDWR), EINVAL, "open refuses it, without a WARN");
	close(ctrl);
}

static void *opener(void *arg)
{
	int fd = open(arg, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return NULL;
}

static void open_removed(void)
{
	unsigned int i, n = rounds(15);
	char path[PATH_MAX];
	pthread_t t;

	for (i = 0; i < n; i++) {
		ctrl = sim_up(&sim, "faults", 8);
		if (create(EPT_ANY))
			bail("create");
		node_path(path);
		if (!wait_path(path, true, WAIT_MS))
			bail("%s", path);
		if (pthread_create(&t, NULL, opener, path))
			bail("pthread_create");
		sim_dead(&sim);
		pthread_join(t, NULL);
		close(ctrl);
		sim_remove(&sim);
	}
	ok(i == n, "open against removal");
}

static void used_removed(void)
{
	int fd = open_new(11004);
	char c;

	sim_remove(&sim);
	fails(read(fd, &c, 1), EPIPE, "read after removal");
	fails(write(fd, "x", 1), EPIPE, "write after removal");
	is(ept_poll(fd, POLLIN | POLLOUT), POLLERR, "poll after removal");
	works(ept_destroy(fd), "DESTROY after removal");
	down(fd);
}

static void release_self(void)
{
	struct rpmsg_endpoint_info info = {
		.name = "rpmsg_ctrl", .src = EPT_ANY, .dst = EPT_ANY,
	};
	struct actor a;

	ctrl = sim_up(&sim, "faults", 8);
	a = (struct actor){
		.fd = ctrl, .cmd = RPMSG_RELEASE_DEV_IOCTL, .buf = &info,
	};
	actor_start(&a, act_ioctl);
	if (!ok(actor_ended(&a, WAIT_MS), "releasing oneself returns"))
		bail("stuck");
	is(a.ret, -1, "it fails");
	is(a.err, EBUSY, "with EBUSY");
	works(create(EPT_ANY), "the control device still works");
	close(ctrl);
}

/* Destroys every node that appears in /dev, as soon as it does, until told. */
static void *destroyer(void *arg)
{
	char buf[4096], path[PATH_MAX];
	int in = *(int *)arg, fd;
	struct inotify_event *e;
	ssize_t n, at;

	for (;;) {
		n = read(in, buf, sizeof(buf));
		for (at = 0; at < n; at += sizeof(*e) + e->len) {
			e = (void *)(buf + at);
			if (!strcmp(e->name, "rpmsg-test-end"))
				return NULL;
			snprintf(path, sizeof(path), "/dev/%s", e->name);
			fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
			if (fd < 0)
				continue;
			ept_destroy(fd);
			close(fd);
		}
	}
}

static void destroy_while_added(void)
{
	unsigned int i, n = rounds(100), bad = 0;
	pthread_t t;
	int in;

	ctrl = sim_up(&sim, "faults", 8);
	in = inotify_init1(IN_CLOEXEC);
	if (in < 0 || inotify_add_watch(in, "/dev", IN_CREATE) < 0)
		bail("inotify");
	if (pthread_create(&t, NULL, destroyer, &in))
		bail("pthread_create");
	for (i = 0; i < n; i++)
		bad += create(EPT_ANY) != 0;
	is(bad, 0, "create against open and DESTROY of the new node");
	close(open("/dev/rpmsg-test-end", O_CREAT | O_RDWR, 0600));
	pthread_join(t, NULL);
	unlink("/dev/rpmsg-test-end");
	close(in);
	close(ctrl);
}

static void *remover(void *arg)
{
	(void)arg;
	sim_dead(&sim);
	return NULL;
}

static void destroy_remove(void)
{
	unsigned int i, n = rounds(15), bad = 0;
	pthread_t t;
	int fd;

	for (i = 0; i < n; i++) {
		fd = open_new(EPT_ANY);
		if (pthread_create(&t, NULL, remover, NULL))
			bail("pthread_create");
		bad += ept_destroy(fd) != 0;
		pthread_join(t, NULL);
		down(fd);
		sim_remove(&sim);
	}
	is(bad, 0, "DESTROY against removal");
}

static void epoll_outlives(void)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT };
	int fd = open_new(EPT_ANY), ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e))
		bail("epoll");
	epoll_wait(ep, &e, 1, 0);
	sim_remove(&sim);
	/* Take the memory again, so that a stale pointer shows. */
	close(sim_up(&sim, "faults2", 8));
	is(epoll_wait(ep, &e, 1, WAIT_MS), 1, "epoll says something");
	is(e.events, EPOLLERR, "ERR");
	works(epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL), "taken out of the set");
	close(ep);
	down(fd);
}

static void no_op(int sig)
{
	(void)sig;
}

static void write_huge(void)
{
	size_t len = 64 << 20;
	int fd = open_new(EPT_ANY);
	char *big = calloc(1, len);

	if (!big)
		bail("calloc");
	fails(write(fd, big, len), ENOMEM, "64 MiB are refused, no WARN");
	free(big);
	down(fd);
}

static void write_signal(void)
{
	struct sigaction sa = { .sa_handler = no_op };
	struct actor a = { .buf = "stuck", .len = 5 };
	int fd = open_new(EPT_ANY);

	sigaction(SIGUSR1, &sa, NULL);
	sim_set(&sim, "hold_tx", "1");
	ept_fill(fd);
	fcntl(fd, F_SETFL, 0);
	actor_block(&a, fd, act_write);
	actor_signal(&a, SIGUSR1);
	if (!ok(actor_ended(&a, WAIT_MS), "a signal ends a blocked write"))
		bail("stuck");
	is(a.err, EINTR, "with EINTR");
	ok(a.ms < PROMPT_MS, "promptly (%lld ms)", a.ms);
	down(fd);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "destroy_twice", destroy_twice },
		{ "poll_destroyed", poll_destroyed },
		{ "poll_during_destroy", poll_during_destroy },
		{ "flow_destroyed", flow_destroyed },
		{ "ctrl_after_remove", ctrl_after_remove },
		{ "src_negative", src_negative },
		{ "open_removed", open_removed },
		{ "used_removed", used_removed },
		{ "release_self", release_self },
		{ "destroy_while_added", destroy_while_added },
		{ "destroy_remove", destroy_remove },
		{ "epoll_outlives", epoll_outlives },
		{ "write_huge", write_huge },
		{ "write_signal", write_signal },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
