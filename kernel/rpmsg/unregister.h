/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One unregistration per channel: what the hooks in rpmsg_core.c and
 * virtio_rpmsg_bus.c call instead of device_unregister().
 *
 * A channel can be taken away by RPMSG_RELEASE_DEV_IOCTL, by the remote's name
 * service and with the remote itself, all at once. Each finds the device and
 * holds a reference, so its memory stays; but whoever came second deleted it
 * once more, and the driver core took the links of a device that had none.
 *
 * Holds: the driver core's own "dead" mark, set under the device lock, which
 * device_del() sets anyway; who set it deletes. It may be gone already for who
 * comes second, or go a moment later: a channel's removal uses the transport
 * only from a control device's ioctl, which that device's removal waits for,
 * or from the name service, which the transport ends before its channels.
 */
#ifndef SHORTPATH_RPMSG_UNREGISTER_H
#define SHORTPATH_RPMSG_UNREGISTER_H

#include <linux/device.h>

/**
 * unregister_once() - unregister a channel's device unless somebody does
 * @dev: the device; the caller holds a reference of its own
 *
 * Context: process context, device lock not held.
 *
 * Return: true when this call unregistered it.
 */
static inline bool unregister_once(struct device *dev)
{
	bool mine;

	device_lock(dev);
	mine = kill_device(dev);
	device_unlock(dev);
	if (mine)
		device_unregister(dev);
	return mine;
}

#endif /* SHORTPATH_RPMSG_UNREGISTER_H */
