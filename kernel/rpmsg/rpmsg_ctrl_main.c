// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module of several objects cannot have one of its own name, so rpmsg_ctrl.ko
 * takes the hooked upstream rpmsg_ctrl.c under this one.
 */
#include "rpmsg_ctrl.c"
