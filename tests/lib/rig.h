/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame of an rpmsg test program: loads the modules, runs the cases, and
 * checks after each of them that no file descriptor and no live endpoint
 * stayed behind.
 */
#ifndef SHORTPATH_RIG_H
#define SHORTPATH_RIG_H

#include "actor.h"
#include "ept.h"
#include "fds.h"
#include "file.h"
#include "module.h"
#include "sim.h"
#include "tap.h"

int rig_main(int argc, char **argv, const struct tap_case *cases, size_t n);

/* Wait for child PID; its exit status, or -1 after WAIT_MS (then killed). */
int child_status(pid_t pid);

/* An address that is never mapped, hidden from the compiler's checks. */
void *nowhere(void);

/* A call woke "promptly": not by the bus's own 15 s timeout. */
#define PROMPT_MS	10000

#endif /* SHORTPATH_RIG_H */
