/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtio device through which Linux sees a live remote.
 *
 * Lifetime: registered and unregistered under the remote's @live_lock. Its
 * memory goes when its last reference does, which may be later; by then it no
 * longer knows the remote. sim_vdev_exit() waits for that.
 */
#ifndef SIM_VIRTIO_DEV_H
#define SIM_VIRTIO_DEV_H

#include <linux/types.h>

struct sim_remote;
struct sim_vdev;

struct sim_vdev *sim_vdev_register(struct sim_remote *r, unsigned int num_bufs,
				   bool name_service);
void sim_vdev_unregister(struct sim_vdev *v);
const char *sim_vdev_name(const struct sim_vdev *v);
void sim_vdev_request_drivers(struct sim_vdev *v);
void sim_vdev_exit(void);

#endif
