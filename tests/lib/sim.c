// SPDX-License-Identifier: GPL-2.0-only
/* Software remote processors through configfs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "module.h"
#include "sim.h"

static pid_t sim_owner;

static void attr_path(char *path, const struct sim *s, const char *attr)
{
	snprintf(path, PATH_MAX, SIM_ROOT "/%s/%s", s->name, attr);
}

/* Call FN for every folder in DIR except configfs' own default groups. */
static void each_folder(const char *dir, void (*fn)(const char *path))
{
	DIR *d = opendir(dir);
	char path[PATH_MAX];
	struct stat st;

	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "stats"))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >= PATH_MAX)
			continue;
		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			fn(path);
	}
	closedir(d);
}

static void remove_folder(const char *path)
{
	if (rmdir(path))
		fprintf(stderr, "# rmdir %s: %s\n", path, err_name(errno));
}

static void remove_remote(const char *path)
{
	char live[PATH_MAX];

	snprintf(live, sizeof(live), "%s/live", path);
	file_set(live, "0");
	each_folder(path, remove_folder);
	remove_folder(path);
}

void sim_clear(void)
{
	each_folder(SIM_ROOT, remove_remote);
}

/* Children that exit() must not take their parent's remotes away. */
static void clear_at_exit(void)
{
	if (getpid() == sim_owner)
		sim_clear();
}

static void end_by_signal(int sig)
{
	clear_at_exit();
	signal(sig, SIG_DFL);
	raise(sig);
}

void sim_start(void)
{
	static const char *const modules[] = {
		"rpmsg_ctrl", "rpmsg_char", "rpmsg_ns", "virtio_rpmsg_bus",
		"rpmsg_sim",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modules); i++)
		if (mod_probe(modules[i]))
			bail("modprobe %s", modules[i]);
	if (access(SIM_ROOT, F_OK))
		bail("%s is missing", SIM_ROOT);
	sim_owner = getpid();
	sim_clear();
	atexit(clear_at_exit);
	signal(SIGTERM, end_by_signal);
	signal(SIGINT, end_by_signal);
	signal(SIGPIPE, SIG_IGN);
}

void sim_make(struct sim *s, const char *name)
{
	char path[PATH_MAX];

	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(path, sizeof(path), SIM_ROOT "/%s", name);
	if (mkdir(path, 0755))
		bail("mkdir %s", path);
}

void sim_service(struct sim *s, const char *service, const char *behaviour)
{
	char path[PATH_MAX], attr[80];

	attr_path(path, s, service);
	if (mkdir(path, 0755))
		bail("mkdir %s", path);
	snprintf(attr, sizeof(attr), "%s/behaviour", service);
	sim_set(s, attr, behaviour);
	snprintf(attr, sizeof(attr), "%s/rate", service);
	sim_set(s, attr, "0");
}

void sim_retire(struct sim *s, const char *service)
{
	char path[PATH_MAX];

	attr_path(path, s, service);
	if (rmdir(path))
		bail("rmdir %s", path);
}

static bool find_node(void *arg)
{
	struct sim *s = arg;
	char pattern[PATH_MAX];
	glob_t g;

	snprintf(pattern, sizeof(pattern),
		 "/sys/bus/virtio/devices/%s/*/rpmsg/rpmsg_ctrl*", s->dev);
	if (!glob(pattern, GLOB_NOSORT, NULL, &g) && g.gl_pathc == 1)
		snprintf(s->node, sizeof(s->node), "/dev/%s",
			 strrchr(g.gl_pathv[0], '/') + 1);
	globfree(&g);
	return s->node[0];
}

void sim_find_node(struct sim *s)
{
	s->node[0] = '\0';
	if (!wait_until(find_node, s, WAIT_MS))
		bail("no control device below %s", s->dev);
	if (!wait_path(s->node, true, WAIT_MS))
		bail("%s does not appear", s->node);
}

void sim_live(struct sim *s)
{
	char path[PATH_MAX];

	sim_set(s, "live", "1");
	attr_path(path, s, "dev_name");
	if (file_get(path, s->dev, sizeof(s->dev)) || !s->dev[0])
		bail("%s is live but names no device", s->name);
	sim_find_node(s);
}

void sim_dead(struct sim *s)
{
	sim_set(s, "live", "0");
	s->dev[0] = '\0';
	s->node[0] = '\0';
}

void sim_remove(struct sim *s)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SIM_ROOT "/%s", s->name);
	each_folder(path, remove_folder);
	if (rmdir(path))
		bail("rmdir %s", path);
}

int sim_open_ctrl(const struct sim *s)
{
	int fd = open(s->node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		bail("open %s", s->node);
	return fd;
}

int sim_up(struct sim *s, const char *name, int bufs)
{
	sim_make(s, name);
	sim_setn(s, "num_bufs", bufs);
	sim_service(s, "echo", "echo");
	sim_service(s, "sink", "sink");
	sim_service(s, "source", "source");
	sim_live(s);
	return sim_open_ctrl(s);
}

int sim_set_try(const struct sim *s, const char *attr, const char *value)
{
	char path[PATH_MAX];

	attr_path(path, s, attr);
	return file_set(path, value);
}

void sim_set(const struct sim *s, const char *attr, const char *value)
{
	if (sim_set_try(s, attr, value))
		bail("%s: cannot write \"%s\" to %s", s->name, value, attr);
}

void sim_setn(const struct sim *s, const char *attr, long long value)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%lld", value);
	sim_set(s, attr, buf);
}

long long sim_num(const struct sim *s, const char *attr)
{
	char path[PATH_MAX];

	attr_path(path, s, attr);
	return file_num(path);
}

__u32 sim_addr(const struct sim *s, const char *service)
{
	char attr[80];

	snprintf(attr, sizeof(attr), "%s/addr", service);
	return sim_num(s, attr);
}

struct sim_wait {
	const struct sim *s;
	const char *attr;
	long long value;
};

static bool sim_there(void *arg)
{
	struct sim_wait *w = arg;

	return sim_num(w->s, w->attr) >= w->value;
}

bool sim_reaches(const struct sim *s, const char *attr, long long value)
{
	struct sim_wait w = { s, attr, value };

	return wait_until(sim_there, &w, WAIT_MS);
}

void sim_channel(const struct sim *s, const char *service, char *path)
{
	snprintf(path, PATH_MAX, "/sys/bus/rpmsg/devices/%s.%s.-1.%u", s->dev,
		 service, sim_addr(s, service));
}
