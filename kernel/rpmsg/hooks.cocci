// SPDX-License-Identifier: GPL-2.0-only
//
// The lines that change inside the upstream rpmsg files, once for all kernels.
// The logic is in the files beside this one. How often each rule must land is
// said by the line `//= RULE | FILE | COUNT [SERIES=COUNT] | TEXT` above it:
// see kernel/assemble, which proves it.

// ---- rpmsg_ctrl.c -------------------------------------------------------

// Which file is this? The include rules below hang on it.
@is_ctrl@
@@
struct rpmsg_ctrldev { ... };

//= ctrl_include | rpmsg_ctrl.c | 1 | #include "eptfd.h"
@ctrl_include depends on is_ctrl@
@@
 #include "rpmsg_internal.h"
+#include "eptfd.h"

// The endpoint fds of one control device; outlives it, see eptfd.c.
//= ctrl_field | rpmsg_ctrl.c | 1 | struct eptfd_set *eptfds;
@ctrl_field@
@@
 struct rpmsg_ctrldev {
 	...
 	struct mutex ctrl_lock;
+	/* private: the endpoint fds, see eptfd.c */
+	struct eptfd_set *eptfds;
 };

// Before anything of the stock path is run, so that the rest stays as it was.
//= ctrl_ioctl_create | rpmsg_ctrl.c | 1 | eptfd_create(ctrldev->eptfds
@ctrl_ioctl_create@
symbol ctrldev, cmd, argp, eptinfo;
@@
 rpmsg_ctrldev_ioctl(...)
 {
 	...
+	if (cmd == RPMSG_CREATE_EPT_FD_IOCTL && eptfd_enabled())
+		return eptfd_create(ctrldev->eptfds, argp);
 	if (copy_from_user(&eptinfo, argp, sizeof(eptinfo)))
 		return -EFAULT;
 	...
 }

// The stock ioctls after the remote is gone: rpdev was dangling.
//= ctrl_ioctl_gone | rpmsg_ctrl.c | 1 | eptfd_ctrl_check(
@ctrl_ioctl_gone@
symbol ctrldev, cmd, chinfo, ret;
@@
 rpmsg_ctrldev_ioctl(...)
 {
 	<...
 	mutex_lock(&ctrldev->ctrl_lock);
+	ret = eptfd_ctrl_check(ctrldev->rpdev, cmd, &chinfo);
+	if (ret) {
+		mutex_unlock(&ctrldev->ctrl_lock);
+		return ret;
+	}
 	...>
 }

// The control device's hold on its set ends with its memory.
//= ctrl_free | rpmsg_ctrl.c | 2 | eptfd_set_put(ctrldev->eptfds);
@ctrl_free@
symbol ctrldev;
@@
+	eptfd_set_put(ctrldev->eptfds);
 	kfree(ctrldev);

//= ctrl_probe | rpmsg_ctrl.c | 1 | eptfd_set_create(rpdev)
@ctrl_probe@
symbol ctrldev, rpdev;
@@
 rpmsg_ctrldev_probe(...)
 {
 	...
 	ctrldev->rpdev = rpdev;
+	ctrldev->eptfds = eptfd_set_create(rpdev);
+	if (!ctrldev->eptfds) {
+		kfree(ctrldev);
+		return -ENOMEM;
+	}
 	...
 }

// Ioctls under way have ended, later ones see NULL. The stock destruction of
// the legacy endpoints follows as it was.
//= ctrl_remove | rpmsg_ctrl.c | 1 | eptfd_set_kill(ctrldev->eptfds);
@ctrl_remove@
symbol ctrldev, rpdev, ret;
@@
 rpmsg_ctrldev_remove(...)
 {
 	...
 	int ret;
+
+	/* no ioctl uses rpdev from here on */
+	eptfd_set_kill(ctrldev->eptfds);
+	mutex_lock(&ctrldev->ctrl_lock);
+	ctrldev->rpdev = NULL;
+	mutex_unlock(&ctrldev->ctrl_lock);
 	...
 }

// ---- rpmsg_char.c -------------------------------------------------------

@is_char@
@@
struct rpmsg_eptdev { ... };

//= char_include | rpmsg_char.c | 1 | #include "chardev.h"
@char_include depends on is_char@
@@
 #include "rpmsg_internal.h"
+#include "chardev.h"

//= char_field | rpmsg_char.c | 1 | struct txwait txwait;
@char_field@
@@
 struct rpmsg_eptdev {
 	...
+	/* private: stands on the transport's wait queue, see txwait.h */
+	struct txwait txwait;
 };

// The node can be opened, and destroyed through it, while it is still being
// added; open() waits for the same lock.
//= char_add_whole | rpmsg_char.c | 1 | /* an open waits until all is in place */
@char_add_whole@
symbol eptdev, ret, dev;
@@
 rpmsg_chrdev_eptdev_add(...)
 {
 	...
+	/* an open waits until all is in place */
+	mutex_lock(&eptdev->ept_lock);
 	ret = cdev_device_add(&eptdev->cdev, &eptdev->dev);
-	if (ret)
+	if (ret) {
+		mutex_unlock(&eptdev->ept_lock);
 		goto free_ept_ida;
+	}
 	...
 	dev->release = rpmsg_eptdev_release_device;
+	mutex_unlock(&eptdev->ept_lock);
 	...
 }

// A second RPMSG_DESTROY_EPT_IOCTL; later kernels have this.
//= char_destroy_twice | rpmsg_char.c | 0 6.1=1 | if (!eptdev->rpdev) {
@char_destroy_twice@
symbol eptdev;
@@
 rpmsg_chrdev_eptdev_destroy(...)
 {
 	...
 	mutex_lock(&eptdev->ept_lock);
+	if (!eptdev->rpdev) {
+		mutex_unlock(&eptdev->ept_lock);
+		return 0;
+	}
 	eptdev->rpdev = NULL;
 	...
 }

// The lock is held until the node is gone, so that a removal that finds it
// destroyed also finds it gone: else the control device is deleted before its
// child, and sysfs warns.
//= char_destroy_whole | rpmsg_char.c | 1 | /* gone for whoever waits for the lock */
@char_destroy_whole@
symbol eptdev;
@@
 rpmsg_chrdev_eptdev_destroy(...)
 {
 	...
 	if (eptdev->ept) { ... }
-	mutex_unlock(&eptdev->ept_lock);
 	...
 	cdev_device_del(&eptdev->cdev, &eptdev->dev);
+	/* gone for whoever waits for the lock */
+	mutex_unlock(&eptdev->ept_lock);
 	put_device(&eptdev->dev);
 	...
 }

// Nothing of ours may stay on the transport's wait queue: it goes with the
// transport, the eptdev may stay.
//= char_disarm | rpmsg_char.c | 2 | txwait_disarm(&eptdev->txwait);
@char_disarm@
symbol eptdev;
@@
 if (eptdev->ept) {
+	txwait_disarm(&eptdev->txwait);
 	...
 	if (!eptdev->default_ept)
 		rpmsg_destroy_ept(eptdev->ept);
 	eptdev->ept = NULL;
 }

// The poller's entry goes on our queue, never on the transport's; and the
// endpoint may have gone while we waited for the lock.
//= char_poll | rpmsg_char.c | 1 | chardev_poll(
@char_poll@
symbol eptdev, filp, wait;
@@
-rpmsg_poll(eptdev->ept, filp, wait)
+chardev_poll(&eptdev->txwait, eptdev->ept, filp, &eptdev->readq)

//= char_flow | rpmsg_char.c | 1 6.1=0 | chardev_set_flow_control(
@char_flow@
symbol eptdev, set;
expression dst;
@@
-rpmsg_set_flow_control(eptdev->ept, set, dst)
+chardev_set_flow_control(&eptdev->ept_lock, &eptdev->ept, set, dst)

// The length is user space's: a refused allocation is an answer, not a WARN.
//= char_write_nowarn | rpmsg_char.c | 1 | __GFP_NOWARN)
@char_write_nowarn@
symbol len;
@@
-kzalloc(len, GFP_KERNEL)
+kzalloc(len, GFP_KERNEL | __GFP_NOWARN)

// A default endpoint receives from the start, opened or not: what it queued
// and nobody read went nowhere.
//= char_purge | rpmsg_char.c | 1 | skb_queue_purge(&eptdev->queue);
@char_purge@
symbol eptdev;
@@
 rpmsg_eptdev_release_device(...)
 {
 	...
+	skb_queue_purge(&eptdev->queue);
 	kfree(eptdev);
 }

// ---- rpmsg_core.c -------------------------------------------------------

@is_core@
@@
rpmsg_unregister_device(...) { ... }

//= core_include | rpmsg_core.c | 1 | #include "unregister.h"
@core_include depends on is_core@
@@
 #include "rpmsg_internal.h"
+#include "unregister.h"

// The loser of a race says what a later caller would have been told.
//= core_unregister | rpmsg_core.c | 1 | if (!unregister_once(dev)) {
@core_unregister@
symbol dev;
@@
 rpmsg_unregister_device(...)
 {
 	...
-	device_unregister(dev);
+	if (!unregister_once(dev)) {
+		put_device(dev);
+		return -EINVAL;
+	}
 	...
 }

// ---- virtio_rpmsg_bus.c -------------------------------------------------

@has_poll@
@@
virtio_rpmsg_poll(...) { ... }

//= virtio_include | virtio_rpmsg_bus.c | 1 | #include "virtio_tx.h"
@virtio_include@
@@
+#include "unregister.h"
+#include "virtio_addr.h"
+#include "virtio_tx.h"
+
 static const struct rpmsg_endpoint_ops virtio_endpoint_ops = {
 	...
 };

// The bus has a poll of its own since 7.0.
//= virtio_poll | virtio_rpmsg_bus.c | 1 7.3=0 | .poll = virtio_tx_poll,
@virtio_poll depends on !has_poll@
@@
 static const struct rpmsg_endpoint_ops virtio_endpoint_ops = {
+	.poll = virtio_tx_poll,
 	...
 };

// Without Tx callbacks nobody tells a poller that a buffer came back.
//= virtio_keep_cb | virtio_rpmsg_bus.c | 2 7.3=0 | virtio_tx_keep_cb(vrp->svq);
@virtio_keep_cb@
symbol vrp;
@@
-virtqueue_disable_cb(vrp->svq);
+virtio_tx_keep_cb(vrp->svq);

// Takes a mutex inside the condition of wait_event: a nested sleep.
//= virtio_wait | virtio_rpmsg_bus.c | 1 | virtio_tx_wait_buf(
@virtio_wait@
symbol vrp, msg;
expression timeout;
@@
-wait_event_interruptible_timeout(vrp->sendq, (msg = get_a_tx_buf(vrp)), timeout)
+virtio_tx_wait_buf(vrp, &msg, timeout)

// Stock goes round and round until the 15 s are over when a signal is pending.
//= virtio_signal | virtio_rpmsg_bus.c | 1 | if (err < 0)
@virtio_signal@
symbol err;
@@
 rpmsg_send_offchannel_raw(...)
 {
 	<...
 	while (...) {
 		...
 		if (!err) { ... }
+		if (err < 0)
+			return err;
 	}
 	...>
 }

// See virtio_addr.h: no WARN for an address that is none, and less work.
//= virtio_addr_alloc | virtio_rpmsg_bus.c | 1 | virtio_addr_alloc(
@virtio_addr_alloc@
symbol vrp, ept;
expression min, max;
@@
-idr_alloc(&vrp->endpoints, ept, min, max, GFP_KERNEL)
+virtio_addr_alloc(&vrp->endpoints, ept, min, max)

//= virtio_addr_free | virtio_rpmsg_bus.c | 1 | virtio_addr_free(
@virtio_addr_free@
symbol vrp, ept;
@@
-idr_remove(&vrp->endpoints, ept->addr)
+virtio_addr_free(&vrp->endpoints, ept->addr)

// A program that asks for a taken address in a loop would fill the log.
//= virtio_addr_quiet | virtio_rpmsg_bus.c | 1 | dev_err_ratelimited(dev, "idr_alloc
@virtio_addr_quiet@
symbol dev, id;
@@
-dev_err(dev, "idr_alloc failed: %d\n", id)
+dev_err_ratelimited(dev, "idr_alloc failed: %d\n", id)

// A used length shorter than the header made the next test pass for any length.
//= virtio_short | virtio_rpmsg_bus.c | 1 | len < sizeof(struct rpmsg_hdr)
@virtio_short@
symbol vrp, len, msg_len;
@@
-len > vrp->buf_size || msg_len > (len - sizeof(struct rpmsg_hdr))
+len > vrp->buf_size || len < sizeof(struct rpmsg_hdr) || msg_len > (len - sizeof(struct rpmsg_hdr))

// A name-service callback, under the cb_lock of its own endpoint, destroys the
// endpoint of the channel it retires. Never the other way round.
//= virtio_nested | virtio_rpmsg_bus.c | 1 | mutex_lock_nested(&ept->cb_lock, SINGLE_DEPTH_NESTING);
@virtio_nested@
symbol ept;
@@
 __rpmsg_destroy_ept(...)
 {
 	<...
-	mutex_lock(&ept->cb_lock);
+	mutex_lock_nested(&ept->cb_lock, SINGLE_DEPTH_NESTING);
 	...>
 }

// The channels that go with the transport, against RPMSG_RELEASE_DEV_IOCTL.
//= virtio_unregister | virtio_rpmsg_bus.c | 1 | unregister_once(dev);
@virtio_unregister@
symbol dev;
@@
 rpmsg_remove_device(...)
 {
 	...
-	device_unregister(dev);
+	unregister_once(dev);
 	...
 }
