// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtio device of a live remote: a transport in software.
 *
 * virtio core and the driver (virtio_rpmsg_bus) call the operations below in
 * process context, one at a time but for two: get_status also from sysfs, and
 * notify from any sender, in any context, possibly under the sender's lock; it
 * only queues work.
 *
 * Order of one life: reset, get_features, finalize_features, find_vqs, (driver
 * fills its receive ring), set_status(DRIVER_OK), traffic, reset, del_vqs. The
 * rings may be touched from DRIVER_OK to reset, and a driver that fails to
 * probe may call del_vqs without reset. Unbinding and binding the driver goes
 * through it again.
 *
 * The parent is a platform device without a driver: virtio_rpmsg_bus allocates
 * its message buffers from it, so it has a DMA mask.
 */
#include <linux/atomic.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/kmod.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/virtio_ids.h>
#include <linux/virtio_ring.h>
#include <linux/wait.h>

#include "compat.h"
#include "remote.h"
#include "virtio_dev.h"

#define SIM_VENDOR	0x53494d00	/* "SIM" */
#define SIM_F_NS	0		/* VIRTIO_RPMSG_F_NS */

/* Linux's receive ring and its transmit ring, in the bus's order. */
#define SIM_NUM_VQS	2
#define SIM_VQ_TO_LINUX	0
#define SIM_VQ_FROM_LINUX 1

/**
 * struct sim_vdev - a virtio device
 * @vdev: what virtio core knows; its reference count is this struct's
 * @parent: the platform device above it
 * @remote: whose device it is; valid until sim_vdev_unregister() returns
 * @num_bufs: entries of a ring
 * @name_service: offer VIRTIO_RPMSG_F_NS
 * @status: the device status
 */
struct sim_vdev {
	struct virtio_device vdev;
	struct platform_device *parent;
	struct sim_remote *remote;
	unsigned int num_bufs;
	bool name_service;
	u8 status;
};

/* Devices whose memory is still there, and who waits for them to go. */
static atomic_t sim_vdevs = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(sim_vdevs_gone);

static struct sim_vdev *to_sim_vdev(struct virtio_device *vdev)
{
	return container_of(vdev, struct sim_vdev, vdev);
}

/* There is no configuration space: it reads as zeros. */
static void sim_get(struct virtio_device *vdev, unsigned int offset, void *buf,
		    unsigned int len)
{
	memset(buf, 0, len);
}

static void sim_set(struct virtio_device *vdev, unsigned int offset,
		    const void *buf, unsigned int len)
{
}

static u8 sim_get_status(struct virtio_device *vdev)
{
	return READ_ONCE(to_sim_vdev(vdev)->status);
}

static void sim_set_status(struct virtio_device *vdev, u8 status)
{
	struct sim_vdev *v = to_sim_vdev(vdev);
	u8 news = status & ~v->status;

	WRITE_ONCE(v->status, status);
	if (news & VIRTIO_CONFIG_S_DRIVER_OK)
		sim_remote_start(v->remote, __virtio_test_bit(vdev, SIM_F_NS));
}

static void sim_reset(struct virtio_device *vdev)
{
	struct sim_vdev *v = to_sim_vdev(vdev);

	sim_remote_stop(v->remote);
	WRITE_ONCE(v->status, 0);
}

static u64 sim_get_features(struct virtio_device *vdev)
{
	u64 features = BIT_ULL(VIRTIO_F_VERSION_1);

	if (to_sim_vdev(vdev)->name_service)
		features |= BIT_ULL(SIM_F_NS);
	return features;
}

static int sim_finalize_features(struct virtio_device *vdev)
{
	vring_transport_features(vdev);
	/* message.h and vring_dev.c know little endian only */
	return __virtio_test_bit(vdev, VIRTIO_F_VERSION_1) ? 0 : -EINVAL;
}

static bool sim_notify(struct virtqueue *vq)
{
	sim_remote_kick(to_sim_vdev(vq->vdev)->remote);
	return true;
}

static void sim_del_vqs(struct virtio_device *vdev)
{
	struct virtqueue *vq, *next;

	sim_remote_detach(to_sim_vdev(vdev)->remote);
	list_for_each_entry_safe(vq, next, &vdev->vqs, list)
		vring_del_virtqueue(vq);
}

static struct virtqueue *sim_make_vq(struct sim_vdev *v, unsigned int index,
				     vq_callback_t *callback, const char *name)
{
	struct virtqueue *vq;

	/* weak barriers: the device is another CPU, not a bus away */
	vq = vring_create_virtqueue(index, v->num_bufs, PAGE_SIZE, &v->vdev,
				    true, false, false, sim_notify, callback,
				    name);
	if (vq)
		vq->num_max = v->num_bufs;
	return vq;
}

static int sim_find_vqs(struct virtio_device *vdev, unsigned int nvqs,
			struct virtqueue *vqs[],
			struct virtqueue_info info[],
			struct irq_affinity *desc)
{
	struct sim_vdev *v = to_sim_vdev(vdev);
	unsigned int i;

	if (nvqs != SIM_NUM_VQS)
		return -EINVAL;
	for (i = 0; i < nvqs; i++) {
		vqs[i] = sim_make_vq(v, i, info[i].callback, info[i].name);
		if (!vqs[i]) {
			sim_del_vqs(vdev);
			return -ENOMEM;
		}
	}
	sim_remote_attach(v->remote, vqs[SIM_VQ_TO_LINUX],
			  vqs[SIM_VQ_FROM_LINUX]);
	return 0;
}

SIM_DEFINE_FIND_VQS(sim_find_vqs);

static void sim_synchronize_cbs(struct virtio_device *vdev)
{
	sim_remote_sync(to_sim_vdev(vdev)->remote);
}

static const char *sim_bus_name(struct virtio_device *vdev)
{
	return dev_name(vdev->dev.parent);
}

static const struct virtio_config_ops sim_config_ops = {
	.get = sim_get,
	.set = sim_set,
	.get_status = sim_get_status,
	.set_status = sim_set_status,
	.reset = sim_reset,
	.find_vqs = SIM_FIND_VQS(sim_find_vqs),
	.del_vqs = sim_del_vqs,
	.synchronize_cbs = sim_synchronize_cbs,
	.get_features = sim_get_features,
	.finalize_features = sim_finalize_features,
	.bus_name = sim_bus_name,
};

static void sim_vdev_release(struct device *dev)
{
	kfree(to_sim_vdev(dev_to_virtio(dev)));
	if (atomic_dec_and_test(&sim_vdevs))
		wake_up_all(&sim_vdevs_gone);
}

static struct platform_device *sim_parent_register(struct sim_remote *r)
{
	struct platform_device_info info = {
		.id = PLATFORM_DEVID_NONE,
		.dma_mask = DMA_BIT_MASK(64),
	};
	struct platform_device *pdev;

	info.name = kasprintf(GFP_KERNEL, "rpmsg-sim.%s", r->name);
	if (!info.name)
		return ERR_PTR(-ENOMEM);
	pdev = platform_device_register_full(&info);
	kfree(info.name);
	if (!IS_ERR(pdev))
		sim_set_coherent(&pdev->dev);
	return pdev;
}

static struct sim_vdev *sim_vdev_alloc(struct sim_remote *r,
				       struct platform_device *parent)
{
	struct sim_vdev *v = kzalloc(sizeof(*v), GFP_KERNEL);

	if (!v)
		return NULL;
	v->parent = parent;
	v->remote = r;
	v->vdev.id.device = VIRTIO_ID_RPMSG;
	v->vdev.id.vendor = SIM_VENDOR;
	v->vdev.config = &sim_config_ops;
	v->vdev.dev.parent = &parent->dev;
	v->vdev.dev.release = sim_vdev_release;
	atomic_inc(&sim_vdevs);
	return v;
}

/**
 * sim_vdev_register() - make a remote's virtio device
 * @r: the remote, its @live_lock held
 * @num_bufs: entries of a ring
 * @name_service: offer VIRTIO_RPMSG_F_NS
 *
 * If the driver is loaded it has been probed on return. That it may have failed
 * is no failure here: the device is there, without a driver.
 *
 * Return: the device or an ERR_PTR().
 */
struct sim_vdev *sim_vdev_register(struct sim_remote *r, unsigned int num_bufs,
				   bool name_service)
{
	struct platform_device *parent = sim_parent_register(r);
	struct sim_vdev *v;
	int ret;

	if (IS_ERR(parent))
		return ERR_CAST(parent);
	v = sim_vdev_alloc(r, parent);
	if (!v) {
		platform_device_unregister(parent);
		return ERR_PTR(-ENOMEM);
	}
	v->num_bufs = num_bufs;
	v->name_service = name_service;
	ret = register_virtio_device(&v->vdev);
	if (ret) {
		put_device(&v->vdev.dev);
		platform_device_unregister(parent);
		return ERR_PTR(ret);
	}
	return v;
}

/**
 * sim_vdev_unregister() - take the device away from under its driver
 * @v: the device, not to be used again
 *
 * On return nothing refers to the remote any more.
 */
void sim_vdev_unregister(struct sim_vdev *v)
{
	struct platform_device *parent = v->parent;

	unregister_virtio_device(&v->vdev);
	platform_device_unregister(parent);
}

/**
 * sim_vdev_name() - the name of the device, as in /sys/bus/virtio/devices
 * @v: the device
 *
 * Return: the name.
 */
const char *sim_vdev_name(const struct sim_vdev *v)
{
	return dev_name(&v->vdev.dev);
}

/* Whether @dev is an rpmsg control device that nobody drives. */
static int sim_wants_ctrl(struct device *dev, void *unused)
{
	return !dev->driver && strstr(dev_name(dev), ".rpmsg_ctrl.");
}

/**
 * sim_vdev_request_drivers() - load the drivers that udev would
 * @v: the device, registered
 *
 * The uevents of the device and of the control device below it make udev load
 * the bus driver and rpmsg_ctrl. Not every system runs udev, so ask for those
 * two if they are not there. A driver that is there already, of whatever
 * origin, is left alone, and so is a system without modprobe.
 */
void sim_vdev_request_drivers(struct sim_vdev *v)
{
	if (!v->vdev.dev.driver)
		request_module("virtio:d%08Xv%08X", v->vdev.id.device,
			       v->vdev.id.vendor);
	if (device_for_each_child(&v->vdev.dev, NULL, sim_wants_ctrl))
		request_module("rpmsg:rpmsg_ctrl");
}

/**
 * sim_vdev_exit() - wait until the memory of all devices is gone
 *
 * All are unregistered; only somebody who still holds a reference can make us
 * wait. For unloading the module, which holds their release function.
 */
void sim_vdev_exit(void)
{
	wait_event(sim_vdevs_gone, !atomic_read(&sim_vdevs));
}
