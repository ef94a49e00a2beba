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
 * Flow control came with 6.6, "rpmsg: core: Add signal API support" and
 * "rpmsg: char: Add RPMSG GET/SET FLOWCONTROL IOCTL support": a callback in the
 * endpoint, rpmsg_set_flow_control(), ioctls 5 and 6.
 */
#ifdef RPMSG_SET_INCOMING_FLOWCONTROL
#define COMPAT_FLOW_CONTROL	1
typedef rpmsg_flowcontrol_cb_t compat_flow_cb_t;

static inline void compat_set_flow_cb(struct rpmsg_endpoint *ept,
				      compat_flow_cb_t cb)
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
typedef int (*compat_flow_cb_t)(struct rpmsg_device *rpdev, void *priv,
				bool enable);

static inline void compat_set_flow_cb(struct rpmsg_endpoint *ept,
				      compat_flow_cb_t cb)
{
}

static inline int compat_set_flow_control(struct rpmsg_endpoint *ept,
					  bool pause, u32 dst)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* SHORTPATH_RPMSG_COMPAT_H */
