/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels, so that nothing else has to know.
 *
 * Told by what the kernel's headers define, not by version numbers, since
 * distributions carry changes back. Must come before any of our headers: the
 * uAPI header of ours defines what the kernel's lacks.
 */
#ifndef SHORTPATH_RPMSG_COMPAT_H
#define SHORTPATH_RPMSG_COMPAT_H

#ifdef _UAPI_SHORTPATH_LINUX_RPMSG_H
#error "compat.h must be included before uapi/linux/rpmsg.h"
#endif

#include <linux/rpmsg.h>

/*
 * Flow control came with 6.6: the callback in the endpoint and
 * rpmsg_set_flow_control() with commit 8ce49c2a2aa5 ("rpmsg: core: Add signal
 * API support"), ioctls 5 and 6 with commit 5550201c0fe2 ("rpmsg: char: Add
 * RPMSG GET/SET FLOWCONTROL IOCTL support").
 */
#ifdef RPMSG_SET_INCOMING_FLOWCONTROL
#define COMPAT_FLOW_CONTROL	1

static inline void compat_set_flow_cb(struct rpmsg_endpoint *ept,
				      int (*cb)(struct rpmsg_device *rpdev,
						void *priv, bool enable))
{
	ept->flow_cb = cb;
}

static inline int compat_set_flow_control(struct rpmsg_endpoint *ept,
					  bool pause, u32 dst)
{
	return rpmsg_set_flow_control(ept, pause, dst);
}
#else
#define COMPAT_FLOW_CONTROL	0

static inline void compat_set_flow_cb(struct rpmsg_endpoint *ept,
				      int (*cb)(struct rpmsg_device *rpdev,
						void *priv, bool enable))
{
}

static inline int compat_set_flow_control(struct rpmsg_endpoint *ept,
					  bool pause, u32 dst)
{
	return -EOPNOTSUPP;
}
#endif

/*
 * No shim is needed for: rpmsg_trysendto() taking const void * (7.x; ours is
 * not const), rpmsg_class and struct rpmsg_device's driver_override (only
 * upstream's own lines use them), the bus's poll (7.0; a hook adds it where it
 * is not there).
 */

#endif /* SHORTPATH_RPMSG_COMPAT_H */
