/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rpmsg endpoints as file descriptors: what the hooks in rpmsg_ctrl.c call.
 * The uAPI is described in uapi/linux/rpmsg.h, the workings in eptfd.c.
 */
#ifndef SHORTPATH_EPTFD_H
#define SHORTPATH_EPTFD_H

#include "compat.h"
#include "uapi/linux/rpmsg.h"

struct eptfd_set;

/**
 * eptfd_enabled() - is RPMSG_CREATE_EPT_FD_IOCTL switched on
 *
 * Return: the module parameter ept_fd. When false the ioctl must be left to the
 * stock code, which refuses it.
 */
bool eptfd_enabled(void);

/**
 * eptfd_create() - RPMSG_CREATE_EPT_FD_IOCTL
 * @set: endpoint fds of the control device
 * @uinfo: struct rpmsg_endpoint_fd_info in user space
 *
 * Context: process, no lock held; may sleep on user memory.
 * Return: 0 or a negative errno, as the uAPI header lists them.
 */
long eptfd_create(struct eptfd_set *set, void __user *uinfo);

/**
 * eptfd_set_create() - start to keep endpoint fds for a control device
 * @rpdev: rpmsg device they are created on
 *
 * Return: a set with one reference, or NULL without memory.
 */
struct eptfd_set *eptfd_set_create(struct rpmsg_device *rpdev);

/**
 * eptfd_set_kill() - the remote processor goes away
 * @set: endpoint fds of its control device
 *
 * Ends every endpoint and wakes everybody who waits on one; no new one can be
 * made. Afterwards nothing here touches the rpmsg device or its transport.
 * Waits for no one who could be waiting on user space.
 *
 * Context: process.
 */
void eptfd_set_kill(struct eptfd_set *set);

/**
 * eptfd_set_put() - give up a reference
 * @set: the set, or NULL
 */
void eptfd_set_put(struct eptfd_set *set);

/**
 * eptfd_ctrl_check() - may a stock ioctl of a control device go on
 * @rpdev: the control device's rpmsg device, NULL once the remote is gone
 * @cmd: the ioctl
 * @chinfo: its argument
 *
 * Stock went on with a dangling @rpdev, and RPMSG_RELEASE_DEV_IOCTL that names
 * the control device itself waits for the lock its own caller holds since
 * commit c23965b7f7d9 ("rpmsg: ctrl: Add lock to rpmsg_ctrldev_remove").
 *
 * Context: under ctrl_lock.
 * Return: 0, -ENETRESET without a remote, -EBUSY for the control device itself.
 */
int eptfd_ctrl_check(const struct rpmsg_device *rpdev, unsigned int cmd,
		     const struct rpmsg_channel_info *chinfo);

#endif /* SHORTPATH_EPTFD_H */
