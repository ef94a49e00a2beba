/* SPDX-License-Identifier: GPL-2.0-only */
/* The user interface of rpmsg_sim. */
#ifndef SIM_CONFIGFS_H
#define SIM_CONFIGFS_H

int sim_configfs_init(void);
void sim_configfs_exit(void);

#endif
