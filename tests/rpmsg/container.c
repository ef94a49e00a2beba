// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passing only the control device into a container is enough: with no /sys,
 * no /proc and a /dev that holds one node, endpoints are made and talk. The
 * legacy ioctl makes a node that appears on the host alone.
 *
 *   host                     container (own mount, pid, ipc and uts names)
 *   /dev/rpmsg_ctrlN ------> /dev/rpmsg_ctrl     and nothing else
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define NODE	"/dev/rpmsg_ctrl"

/* Exit codes of the child, so that a failure names its step. */
enum step {
	FINE, UNSHARE, ROOT, NODE_MADE, PIVOT, NOT_EMPTY, OPEN, CREATE, ECHO,
	LEGACY_CREATE, LEGACY_VISIBLE, ID_MAP,
};

static struct sim sim;
static __u32 echo_addr;
static char root[32];

static void step(bool good, enum step s)
{
	if (good)
		return;
	fprintf(stderr, "# container: stage %d: %s\n", s, err_name(errno));
	_exit(s);
}

static int entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	if (!d)
		return -1;
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* A root that holds an empty /dev. */
static void make_root(void)
{
	char dev[PATH_MAX];

	step(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), ROOT);
	step(!mount("container", root, "tmpfs", 0, "size=1m"), ROOT);
	snprintf(dev, sizeof(dev), "%s/dev", root);
	step(!mkdir(dev, 0755), ROOT);
}

static void bind_node(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" NODE, root);
	step(!close(open(path, O_CREAT | O_WRONLY, 0600)), NODE_MADE);
	step(!mount(sim.node, path, NULL, MS_BIND, NULL), NODE_MADE);
}

static void make_node(void)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" NODE, root);
	step(!stat(sim.node, &st), NODE_MADE);
	step(!mknod(path, S_IFCHR | 0600, st.st_rdev), NODE_MADE);
}

static void enter_root(void)
{
	step(!chdir(root), PIVOT);
	step(!syscall(SYS_pivot_root, ".", "."), PIVOT);
	step(!umount2(".", MNT_DETACH), PIVOT);
	step(!chdir("/"), PIVOT);
}

static void enter_chroot(void)
{
	step(!chroot(root) && !chdir("/"), PIVOT);
}

/* The program in the container: it knows nothing but NODE. */
static void talk(void)
{
	struct rpmsg_endpoint_info legacy = { .name = "legacy", .src = -1 };
	int ctrl, fd;

	step(entries("/") == 1 && entries("/dev") == 1, NOT_EMPTY);
	ctrl = open(NODE, O_RDWR | O_CLOEXEC);
	step(ctrl >= 0, OPEN);
	fd = ept_try(ctrl, EPT_ANY, echo_addr, O_RDWR);
	step(fd >= 0, CREATE);
	step(ept_echoes(fd, 100, 1), ECHO);
	legacy.dst = echo_addr;
	step(!ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, &legacy), LEGACY_CREATE);
	step(entries("/dev") == 1, LEGACY_VISIBLE);
	_exit(FINE);
}

static void map_ids(void)
{
	file_set("/proc/self/setgroups", "deny");
	step(!file_set("/proc/self/uid_map", "0 0 1"), ID_MAP);
	step(!file_set("/proc/self/gid_map", "0 0 1"), ID_MAP);
}

static int container(int names, void (*node)(void), void (*enter)(void))
{
	pid_t pid = fork();
	int status;

	if (pid)
		return child_status(pid);
	step(!unshare(names), UNSHARE);
	if (names & CLONE_NEWUSER)
		map_ids();
	make_root();
	node();
	/* The first child is process 1 of the new pid names. */
	pid = fork();
	if (!pid) {
		enter();
		talk();
	}
	step(waitpid(pid, &status, 0) == pid && WIFEXITED(status), UNSHARE);
	_exit(WEXITSTATUS(status));
}

static void up(void)
{
	close(sim_up(&sim, "container", 8));
	echo_addr = sim_addr(&sim, "echo");
}

#define NAMES	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)

static void pivot(void)
{
	up();
	is(container(NAMES, bind_node, enter_root), FINE,
	   "bind-mounted node, pivot_root, own pid/ipc/uts/mount names");
}

static void chrooted(void)
{
	up();
	is(container(NAMES, make_node, enter_chroot), FINE,
	   "mknod'ed node, chroot");
}

static void user_names(void)
{
	int ret;

	if (access("/proc/self/ns/user", F_OK)) {
		skip("no user namespaces", "container with its own users");
		return;
	}
	up();
	ret = container(NAMES | CLONE_NEWUSER, bind_node, enter_root);
	is(ret, FINE, "bind-mounted node, own users as well");
}

/* A container that gets no node at all, only an fd. */
static void only_fd(void)
{
	int ctrl = sim_up(&sim, "container", 8), fd;
	pid_t pid;

	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	pid = fork();
	if (!pid) {
		step(!unshare(NAMES), UNSHARE);
		make_root();
		enter_root();
		step(!setuid(65534), ID_MAP);
		step(entries("/dev") == 0, NOT_EMPTY);
		step(ept_echoes(fd, 100, 1), ECHO);
		_exit(FINE);
	}
	is(child_status(pid), FINE, "an inherited fd talks, as nobody, no /dev");
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "pivot", pivot },
		{ "chroot", chrooted },
		{ "user_names", user_names },
		{ "only_fd", only_fd },
	};
	int ret;

	snprintf(root, sizeof(root), "/tmp/rpmsg-container-XXXXXX");
	if (!mkdtemp(root))
		return 1;
	ret = rig_main(argc, argv, cases, ARRAY_SIZE(cases));
	rmdir(root);
	return ret;
}
