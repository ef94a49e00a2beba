// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading modules, their parameters, the running kernel. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "module.h"

int run(const char *const argv[])
{
	pid_t pid = fork();
	int st;

	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[0], (char **)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &st, 0) != pid)
		bail("no child for %s", argv[0]);
	return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

int mod_probe(const char *name)
{
	const char *const argv[] = { "modprobe", name, NULL };

	return run(argv) ? -1 : 0;
}

int mod_insert(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret, err;

	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, "", 0);
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

int mod_remove(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

bool mod_loaded(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return !access(path, F_OK);
}

static void param_path(char *path, const char *module, const char *param)
{
	snprintf(path, PATH_MAX, "/sys/module/%s/parameters/%s", module, param);
}

bool mod_has_param(const char *module, const char *param)
{
	char path[PATH_MAX];

	param_path(path, module, param);
	return !access(path, F_OK);
}

long mod_param(const char *module, const char *param)
{
	char path[PATH_MAX], buf[64];

	param_path(path, module, param);
	if (file_get(path, buf, sizeof(buf)))
		bail("cannot read %s", path);
	if (!strcmp(buf, "Y") || !strcmp(buf, "N"))
		return *buf == 'Y';
	return file_num(path);
}

void mod_param_set(const char *module, const char *param, const char *value)
{
	char path[PATH_MAX];

	param_path(path, module, param);
	if (file_set(path, value))
		bail("cannot write \"%s\" to %s", value, path);
}

bool kernel_from(int major, int minor)
{
	struct utsname u;
	int have_major, have_minor;

	if (uname(&u) ||
	    sscanf(u.release, "%d.%d", &have_major, &have_minor) != 2)
		bail("uname");
	return have_major > major ||
	       (have_major == major && have_minor >= minor);
}
