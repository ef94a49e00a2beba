// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that race create, use, DESTROY, close and removal for a fixed number
 * of rounds. What each call answers is left open within what the uAPI allows;
 * that nothing stays and nothing splats is not.
 *
 * The series on the mailing list installed the fd before the endpoint existed,
 * so a thread that guessed the number could close it under the ioctl.
 *
 * Each race runs in a child of its own: closing guessed numbers would close
 * this program's own files.
 */
/* time-limit: 600 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define FIRST_FD	50	/* what the child's endpoints begin at */
#define GUESSES		4

static struct sim sim;
static int ctrl;
static unsigned int todo;
static __u32 echo_addr;
static bool stop;

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* An errno that the uAPI does not name is a finding. */
static void allow(int ret, const char *call, const int *errs)
{
	int err = errno;

	if (ret >= 0)
		return;
	while (*errs)
		if (err == *errs++)
			return;
	fprintf(stderr, "# %s: unexpected %s\n", call, err_name(err));
	_exit(3);
}

#define ALLOW(ret, call, ...) \
	allow(ret, call, (const int[]){ __VA_ARGS__, 0 })

/* Occupy the numbers below FIRST_FD, so that guesses hit endpoints only. */
static void occupy(void)
{
	int fd;

	do
		fd = dup(ctrl);
	while (fd >= 0 && fd < FIRST_FD - 1);
}

static void *creator(void *arg)
{
	unsigned int i;
	int fd;

	(void)arg;
	for (i = 0; i < todo; i++) {
		fd = ept_try(ctrl, i & 1 ? 10000 : EPT_ANY, echo_addr,
			     O_RDWR | O_NONBLOCK);
		ALLOW(fd, "create", EADDRINUSE, ENETRESET);
		if (fd >= 0 && i & 2)
			ALLOW(ept_destroy(fd), "DESTROY", EBADF, EFAULT, EINVAL);
		if (fd >= 0)
			close(fd);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	return NULL;
}

static void *closer(void *arg)
{
	int i;

	(void)arg;
	while (!stopped())
		for (i = 0; i < GUESSES; i++)
			close(FIRST_FD + i);
	return NULL;
}

static void *duper(void *arg)
{
	int i;

	(void)arg;
	while (!stopped())
		for (i = 0; i < GUESSES; i++)
			if (dup2(ctrl, FIRST_FD + i) >= 0)
				close(FIRST_FD + i);
	return NULL;
}

static void *user(void *arg)
{
	char buf[32] = "race";
	int i, fd;

	(void)arg;
	while (!stopped()) {
		for (i = 0; i < GUESSES; i++) {
			fd = FIRST_FD + i;
			ALLOW(write(fd, buf, 4), "write", EBADF, EINVAL, EPIPE,
			      EAGAIN);
			ALLOW(read(fd, buf, sizeof(buf)), "read", EBADF, EINVAL,
			      EPIPE, EAGAIN);
			ept_poll(fd, POLLIN | POLLOUT);
		}
	}
	return NULL;
}

/* Run these threads to their end in a child. */
static int race(void *(*const fn[])(void *), size_t n)
{
	pthread_t t[8];
	pid_t pid = fork();
	size_t i;

	if (pid)
		return child_status(pid);
	fd_limit(1024);
	occupy();
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, fn[i], NULL))
			_exit(2);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	_exit(0);
}

static void up(unsigned int base)
{
	todo = rounds(base);
	ctrl = sim_up(&sim, "race", 16);
	echo_addr = sim_addr(&sim, "echo");
}

static void create_close(void)
{
	void *(*const fn[])(void *) = { creator, closer };

	up(500);
	is(race(fn, 2), 0, "create against close of guessed numbers");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

static void create_dup2(void)
{
	void *(*const fn[])(void *) = { creator, duper };

	up(500);
	is(race(fn, 2), 0, "create against dup2 onto guessed numbers");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

static void create_use(void)
{
	void *(*const fn[])(void *) = { creator, user, creator, closer };

	up(300);
	is(race(fn, 4), 0, "two creators, a user and a closer");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

/* One shared endpoint a round: everybody meets at the barrier, then races. */
static pthread_barrier_t barrier;
static int shared;

static void *round_destroy(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		pthread_barrier_wait(&barrier);
		ALLOW(ept_destroy(shared), "DESTROY", EBADF);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *round_ioctl(void *arg)
{
	char buf[32] = "race";
	int restricted;
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		pthread_barrier_wait(&barrier);
		ALLOW(ioctl(shared, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted),
		      "get flow control", EINVAL);
		ALLOW(ioctl(shared, RPMSG_SET_INCOMING_FLOWCONTROL, 1),
		      "set flow control", EINVAL, EOPNOTSUPP, EPIPE);
		ALLOW(write(shared, buf, 4), "write", EPIPE, EAGAIN);
		ALLOW(read(shared, buf, sizeof(buf)), "read", EPIPE, EAGAIN);
		ept_poll(shared, POLLIN | POLLOUT);
		fdinfo_str(shared, "rpmsg-state", buf, sizeof(buf));
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* Makes the endpoint between the rounds, in which nobody else touches it. */
static void *round_maker(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		shared = ept_open(ctrl, 10001, echo_addr, O_RDWR | O_NONBLOCK);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		close(shared);
	}
	return NULL;
}

static void ioctl_destroy(void)
{
	void *(*const fn[])(void *) = {
		round_maker, round_ioctl, round_destroy, round_destroy,
	};

	up(300);
	pthread_barrier_init(&barrier, NULL, ARRAY_SIZE(fn));
	is(race(fn, ARRAY_SIZE(fn)), 0, "ioctls, read, write, poll against DESTROY");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

/* The remote flips while threads create and talk through whatever is there. */
static void *chaser(void *arg)
{
	char buf[32] = "chase";
	int ctl, fd;

	(void)arg;
	while (!stopped()) {
		ctl = open(sim.node, O_RDWR | O_CLOEXEC);
		if (ctl < 0)
			continue;
		fd = ept_try(ctl, EPT_ANY, echo_addr, O_RDWR | O_NONBLOCK);
		ALLOW(fd, "create", ENETRESET);
		if (fd >= 0) {
			ALLOW(write(fd, buf, 5), "write", EPIPE, EAGAIN);
			ALLOW(read(fd, buf, sizeof(buf)), "read", EPIPE, EAGAIN);
			ept_poll(fd, POLLIN | POLLOUT);
			if (fd & 1)
				ALLOW(ept_destroy(fd), "DESTROY", 0);
			close(fd);
		}
		close(ctl);
	}
	return NULL;
}

static void *flipper(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		sim_set(&sim, "live", "0");
		sim_set(&sim, "live", "1");
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	return NULL;
}

static void create_remove(void)
{
	void *(*const fn[])(void *) = { flipper, chaser, chaser };

	up(20);
	close(ctrl);
	is(race(fn, ARRAY_SIZE(fn)), 0, "create and use against removal");
	ok(ept_live_is(0), "nothing is left");
}

/* Sleepers of all kinds, woken by removal in every round. */
static void *round_flip(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		sim_find_node(&sim);
		ctrl = sim_open_ctrl(&sim);
		shared = ept_open(ctrl, EPT_ANY, echo_addr, O_RDWR);
		pthread_barrier_wait(&barrier);
		sim_set(&sim, "live", "0");
		pthread_barrier_wait(&barrier);
		close(shared);
		close(ctrl);
		sim_set(&sim, "live", "1");
	}
	return NULL;
}

static void *round_reader(void *arg)
{
	char buf[32];
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		pthread_barrier_wait(&barrier);
		while (read(shared, buf, sizeof(buf)) >= 0)
			;
		if (errno != EPIPE)
			_exit(4);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *round_writer(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		pthread_barrier_wait(&barrier);
		while (write(shared, "flood", 5) == 5)
			;
		if (errno != EPIPE)
			_exit(5);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void traffic_remove(void)
{
	void *(*const fn[])(void *) = {
		round_flip, round_reader, round_writer, round_writer,
	};

	up(15);
	close(ctrl);
	pthread_barrier_init(&barrier, NULL, ARRAY_SIZE(fn));
	is(race(fn, ARRAY_SIZE(fn)), 0, "readers and writers against removal");
	ok(ept_live_is(0), "nothing is left");
}

/*
 * Both sides take one channel away. Stock unregisters its device twice and the
 * driver core dereferences NULL, within seconds.
 */
static void *channel_flipper(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < todo; i++) {
		sim_service(&sim, "both", "sink");
		sim_retire(&sim, "both");
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	return NULL;
}

static void *channel_releaser(void *arg)
{
	struct rpmsg_endpoint_info info = {
		.name = "both", .src = EPT_ANY, .dst = EPT_ANY,
	};

	(void)arg;
	while (!stopped())
		ALLOW(ioctl(ctrl, RPMSG_RELEASE_DEV_IOCTL, &info), "release",
		      EINVAL);
	return NULL;
}

static void release_retire(void)
{
	void *(*const fn[])(void *) = {
		channel_flipper, channel_releaser, channel_releaser,
	};

	up(150);
	is(race(fn, ARRAY_SIZE(fn)), 0, "RELEASE_DEV against the name service");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "create_close", create_close },
		{ "create_dup2", create_dup2 },
		{ "create_use", create_use },
		{ "ioctl_destroy", ioctl_destroy },
		{ "create_remove", create_remove },
		{ "traffic_remove", traffic_remove },
		{ "release_retire", release_retire },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
