// SPDX-License-Identifier: GPL-2.0-only
/*
 * rpmsg_sim: remote processors in software, behind the real virtio_rpmsg_bus.
 *
 *   configfs.c    the user interface: directories and attributes
 *        |
 *   service.c     what answers at an address: echo, sink, source, bursts
 *        |
 *   remote.c      the processor: turns, messages, counters   (message.h, pace.h)
 *        |    \
 *   vring_dev.c  \       the device side of a virtqueue      (ring_math.h)
 *        |     virtio_dev.c     the virtio device and its parent
 *        |          |
 *   virtqueues   virtio core, virtio_rpmsg_bus: Linux, unchanged
 *
 * Lifetimes: each configfs directory holds this module, so it can be unloaded
 * only when all are gone, and with them all remotes, services and virtio
 * devices (remote.h, service.h, virtio_dev.h). What may be left is the memory
 * of a virtio device that somebody still has a reference to; unloading waits
 * for it.
 *
 * Locks and contexts: remote.h.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "configfs.h"
#include "remote.h"
#include "virtio_dev.h"

static int __init sim_init(void)
{
	int ret = sim_remote_init();

	if (ret)
		return ret;
	ret = sim_configfs_init();
	if (ret)
		sim_remote_exit();
	return ret;
}

static void __exit sim_exit(void)
{
	sim_configfs_exit();
	sim_vdev_exit();
	sim_remote_exit();
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("Remote processors in software for rpmsg");
MODULE_AUTHOR("The shortpath authors");
MODULE_LICENSE("GPL");
