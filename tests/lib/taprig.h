/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame of a tap test program: loads the module, runs the cases, and
 * checks after each of them that no file descriptor, no device, no child and no
 * page of a UMEM stayed behind.
 */
#ifndef SHORTPATH_TAPRIG_H
#define SHORTPATH_TAPRIG_H

#include "actor.h"
#include "fds.h"
#include "file.h"
#include "flow.h"
#include "frame.h"
#include "inflow.h"
#include "module.h"
#include "tap.h"
#include "tapdev.h"
#include "xprog.h"
#include "xsk.h"

int taprig_main(int argc, char **argv, const struct tap_case *cases, size_t n);

/* Pages that the kernel has pinned for long, the whole system's. */
long long pinned_pages(void);
bool pinned_is(long long pages);

/* Whether the zero-copy figures are there: not in copy mode. */
bool have_stats(void);

/* Wait for child PID; its exit status, 128 + signal, -1 after WAIT_MS. */
int child_wait(pid_t pid);

#endif /* SHORTPATH_TAPRIG_H */
