/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading modules, their parameters, the running kernel. */
#ifndef SHORTPATH_MODULE_H
#define SHORTPATH_MODULE_H

#include <stdbool.h>

/* modprobe NAME; 0, or -1. */
int mod_probe(const char *name);
/* Load the file PATH; -1 and errno on failure. */
int mod_insert(const char *path);
/* Unload NAME unless it is in use; -1 and errno on failure. */
int mod_remove(const char *name);
bool mod_loaded(const char *name);

/* A number or bool (as 0 and 1) parameter; bails when it is not there. */
long mod_param(const char *module, const char *param);
void mod_param_set(const char *module, const char *param, const char *value);
bool mod_has_param(const char *module, const char *param);

/* uname -r is MAJOR.MINOR or later. */
bool kernel_from(int major, int minor);

/* Run a program found by PATH, output to stderr; its exit status, or -1. */
int run(const char *const argv[]);

#endif /* SHORTPATH_MODULE_H */
