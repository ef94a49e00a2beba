/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process, waited for with a limit. */
#ifndef SHORTPATH_CHILD_H
#define SHORTPATH_CHILD_H

#include <sys/types.h>

/*
 * Its exit status, or 128 and the signal that ended it; -1 when it had to be
 * killed after MS milliseconds.
 */
int child_wait_ms(pid_t pid, int ms);

#endif /* SHORTPATH_CHILD_H */
