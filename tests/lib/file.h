/* SPDX-License-Identifier: GPL-2.0-only */
/* Small text files (sysfs, configfs, procfs), and waiting for them. */
#ifndef SHORTPATH_FILE_H
#define SHORTPATH_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tap.h"

/*
 * Every bounded wait: far beyond what a working kernel needs, emulated too. Longer
 * by SHORTPATH_SCALE_TIME, which the lab sets for a debug kernel.
 */
#define WAIT_MS		wait_limit_ms()
int wait_limit_ms(void);

/* The file's text without the last newline; -1 and errno on failure. */
int file_get(const char *path, char *buf, size_t size);
/* Write TEXT in one write(); -1 and errno on failure. */
int file_set(const char *path, const char *text);
/* A file that holds one number; bails when it does not. */
long long file_num(const char *path);

/*
 * Wait until COND(ARG) holds, napping ever longer in between: for counters
 * that have no event to wait for. False when MS went by in vain.
 */
bool wait_until(bool (*cond)(void *arg), void *arg, int ms);
/* Wait until PATH exists (or not), woken by inotify on its folder. */
bool wait_path(const char *path, bool there, int ms);

void nap_ms(int ms);

#endif /* SHORTPATH_FILE_H */
