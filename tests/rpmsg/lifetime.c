// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every order in which an endpoint fd can end, and every way it can travel:
 * close, DESTROY, exit, kill, exec, fork, dup, SCM_RIGHTS. In each the
 * endpoint lives exactly as long as the last reference to the file, or until
 * DESTROY, and its address is free afterwards.
 *
 * The series on the mailing list leaked the object and its id on close()
 * without DESTROY, and dereferenced NULL on the second DESTROY.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define SRC	4000

static struct sim sim;
static int ctrl;

static int up(__u32 flags)
{
	ctrl = sim_up(&sim, "life", 16);
	return ept_open(ctrl, SRC, sim_addr(&sim, "echo"), flags);
}

/* The proof that nothing stayed: the very same address can be had again. */
static void address_free(void)
{
	int fd = ept_try(ctrl, SRC, 1, O_RDWR);

	works(fd, "the address is free");
	close(fd);
	close(ctrl);
}

static void just_close(void)
{
	int fd = up(O_RDWR);

	is(ept_live(), 1, "one live endpoint");
	works(close(fd), "close");
	is(ept_live(), 0, "gone at once");
	address_free();
}

static void destroy_close(void)
{
	int fd = up(O_RDWR);

	works(ept_destroy(fd), "DESTROY");
	is(ept_live(), 0, "gone at once");
	works(close(fd), "close");
	address_free();
}

static void destroy_twice(void)
{
	int fd = up(O_RDWR);
	char c;

	works(ept_destroy(fd), "DESTROY");
	works(ept_destroy(fd), "DESTROY again");
	works(ept_destroy(fd), "and again");
	fails(read(fd, &c, 1), EPIPE, "read after it");
	fails(write(fd, "x", 1), EPIPE, "write after it");
	is(ept_poll(fd, POLLIN | POLLOUT), POLL_DEAD, "poll after it");
	close(fd);
	address_free();
}

static void destroy_frees_address(void)
{
	int fd = up(O_RDWR), other;

	works(ept_destroy(fd), "DESTROY");
	other = ept_open(ctrl, SRC, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(other, 10, 1), "a second endpoint has the address");
	works(ept_destroy(fd), "DESTROY of the first again");
	ok(ept_echoes(other, 10, 2), "does not touch the second");
	close(fd);
	ok(ept_echoes(other, 10, 3), "nor does its close");
	close(other);
	address_free();
}

static void destroy_discards(void)
{
	int fd = up(O_RDWR);
	char c;

	if (write(fd, "hello", 5) != 5)
		bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 1), "one message is queued");
	works(ept_destroy(fd), "DESTROY");
	fails(read(fd, &c, 1), EPIPE, "what was queued is discarded");
	is(fdinfo_num(fd, "rpmsg-queued"), 0, "fdinfo agrees");
	is(fdinfo_num(fd, "rpmsg-queued-bytes"), 0, "in bytes too");
	close(fd);
	address_free();
}

static void close_with_queue(void)
{
	int fd = up(O_RDWR), i;

	for (i = 0; i < 8; i++)
		if (write(fd, "hello", 5) != 5)
			bail("write");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 8), "eight messages queued");
	works(close(fd), "close with a full queue");
	address_free();
}

static void ctrl_closed_first(void)
{
	int fd = up(O_RDWR);

	close(ctrl);
	ok(ept_echoes(fd, 30, 4), "works without the control device open");
	close(fd);
	ctrl = sim_open_ctrl(&sim);
	address_free();
}

static void on_child_exit(void)
{
	pid_t pid;

	ctrl = sim_up(&sim, "life", 16);
	pid = fork();
	if (!pid) {
		ept_open(ctrl, SRC, 1, O_RDWR);
		_exit(ept_live() == 1 ? 0 : 1);
	}
	is(child_status(pid), 0, "a child created one and exits");
	is(ept_live(), 0, "it is gone with the child");
	address_free();
}

static void on_child_kill(void)
{
	int fds[2];
	pid_t pid;
	char c;

	ctrl = sim_up(&sim, "life", 16);
	if (pipe2(fds, O_CLOEXEC))
		bail("pipe");
	pid = fork();
	if (!pid) {
		int fd = ept_open(ctrl, SRC, 1, O_RDWR);

		if (write(fds[1], "x", 1) != 1)
			_exit(1);
		_exit(read(fd, &c, 1) < 0);
	}
	if (read(fds[0], &c, 1) != 1)
		bail("the child died");
	is(ept_live(), 1, "a child created one and reads");
	kill(pid, SIGKILL);
	is(child_status(pid), -1, "it is killed");
	is(ept_live(), 0, "the endpoint is gone with it");
	close(fds[0]);
	close(fds[1]);
	address_free();
}

/* exec'd part: say whether FD is open and still talks, and how many live. */
static int after_exec(const char *arg)
{
	int fd = atoi(arg);

	if (fcntl(fd, F_GETFD) < 0)
		return 10 + ept_live();
	return ept_echoes(fd, 12, 7) ? 20 + ept_live() : 30;
}

static int exec_with(int fd)
{
	pid_t pid = fork();
	char arg[16];

	if (pid)
		return child_status(pid);
	snprintf(arg, sizeof(arg), "%d", fd);
	execl("/proc/self/exe", "lifetime", "--after-exec", arg, NULL);
	_exit(1);
}

/* Created in the child, so that nobody else holds it. */
static int exec_own(__u32 flags)
{
	pid_t pid = fork();
	char arg[16];

	if (pid)
		return child_status(pid);
	snprintf(arg, sizeof(arg), "%d",
		 ept_open(ctrl, SRC, sim_addr(&sim, "echo"), flags));
	execl("/proc/self/exe", "lifetime", "--after-exec", arg, NULL);
	_exit(1);
}

static void on_exec(void)
{
	int fd;

	ctrl = sim_up(&sim, "life", 16);
	is(exec_own(O_RDWR), 21, "exec keeps it: open, talking, one live");
	is(ept_live(), 0, "gone when that program ended");
	is(exec_own(O_RDWR | O_CLOEXEC), 10,
	   "exec with O_CLOEXEC: closed, and gone while the program lives");
	fd = ept_open(ctrl, SRC, sim_addr(&sim, "echo"), O_RDWR | O_CLOEXEC);
	is(exec_with(fd), 11, "inherited by fork: exec closes only its own");
	ok(ept_echoes(fd, 12, 8), "the parent's still talks");
	close(fd);
	address_free();
}

static void on_fork(void)
{
	int fd = up(O_RDWR), pipefd[2];
	pid_t pid;
	char c;

	if (pipe(pipefd))
		bail("pipe");
	pid = fork();
	if (!pid) {
		close(pipefd[1]);
		/* End of file: the parent has closed its fd. */
		if (read(pipefd[0], &c, 1))
			_exit(1);
		_exit(ept_live() == 1 && ept_echoes(fd, 10, 9) ? 0 : 2);
	}
	close(fd);
	is(ept_live(), 1, "the child holds it when the parent has closed");
	close(pipefd[0]);
	close(pipefd[1]);
	is(child_status(pid), 0, "the child talks on it");
	is(ept_live(), 0, "gone when the child ended");
	address_free();
}

static void destroy_in_child(void)
{
	int fd = up(O_RDWR);
	pid_t pid = fork();

	if (!pid)
		_exit(ept_destroy(fd) ? 1 : 0);
	is(child_status(pid), 0, "DESTROY in a child");
	fails(write(fd, "x", 1), EPIPE, "is seen by the parent");
	close(fd);
	address_free();
}

static void dup_shares(void)
{
	int fd = up(O_RDWR), copy = dup(fd);

	close(fd);
	ok(ept_echoes(copy, 10, 1), "the copy works when the first is closed");
	is(ept_live(), 1, "one live endpoint");
	close(copy);
	is(ept_live(), 0, "gone with the copy");
	address_free();
}

/* The receiver: forked before the fd exists, so only SCM_RIGHTS brings it. */
static void receiver(int sock)
{
	int fd = fd_recv(sock);
	char c;

	/* Wait until the sender has closed its own. */
	if (read(sock, &c, 1) != 1)
		_exit(1);
	if (!ept_echoes(fd, 40, 5))
		_exit(2);
	_exit(0);
}

static void scm_rights(void)
{
	int sv[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		bail("socketpair");
	pid = fork();
	if (!pid)
		receiver(sv[1]);
	close(sv[1]);
	fd = up(O_RDWR | O_CLOEXEC);
	fd_send(sv[0], fd);
	close(fd);
	close(ctrl);
	is(ept_live(), 1, "alive in the message or the receiver");
	if (write(sv[0], "x", 1) != 1)
		bail("write");
	is(child_status(pid), 0, "the receiver talks on it");
	ok(ept_live_is(0), "gone when the receiver ended");
	close(sv[0]);
	ctrl = sim_open_ctrl(&sim);
	address_free();
}

static void scm_never_received(void)
{
	int sv[2], fd = up(O_RDWR);

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		bail("socketpair");
	fd_send(sv[0], fd);
	close(fd);
	is(ept_live(), 1, "alive in the unread message");
	close(sv[0]);
	close(sv[1]);
	ok(ept_live_is(0), "gone with the sockets");
	address_free();
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "close", just_close },
		{ "destroy_close", destroy_close },
		{ "destroy_twice", destroy_twice },
		{ "destroy_frees_address", destroy_frees_address },
		{ "destroy_discards", destroy_discards },
		{ "close_with_queue", close_with_queue },
		{ "ctrl_closed_first", ctrl_closed_first },
		{ "exit", on_child_exit },
		{ "kill", on_child_kill },
		{ "exec", on_exec },
		{ "fork", on_fork },
		{ "destroy_in_child", destroy_in_child },
		{ "dup", dup_shares },
		{ "scm_rights", scm_rights },
		{ "scm_never_received", scm_never_received },
	};

	if (argc == 3 && !strcmp(argv[1], "--after-exec")) {
		tap_start();
		return after_exec(argv[2]);
	}
	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
