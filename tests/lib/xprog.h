/* SPDX-License-Identifier: GPL-2.0-only */
/* XDP programs of a few hand-written instructions, and attaching them. */
#ifndef SHORTPATH_XPROG_H
#define SHORTPATH_XPROG_H

#include <linux/types.h>
#include <stdbool.h>

#include "xsk.h"

struct xprog {
	int prog, map;		/* fds; no map: -1 */
	int ifindex;
	__u32 flags;		/* of the attachment */
};

#define XPROG_NATIVE	4U	/* XDP_FLAGS_DRV_MODE */
#define XPROG_GENERIC	2U	/* XDP_FLAGS_SKB_MODE */
#define XPROG_FRAGS	0x80000000U	/* the program takes multi-buffer frames */

/* What arrives on queue N goes to the socket that is at N, else XDP_PASS. */
void xprog_redirect(struct xprog *p, const char *dev, __u32 flags);
/* Everything gets ACTION (XDP_DROP, XDP_PASS, XDP_TX, XDP_ABORTED, any). */
void xprog_action(struct xprog *p, const char *dev, __u32 flags, int action);
/* Everything goes out of device TO. */
void xprog_forward(struct xprog *p, const char *dev, __u32 flags,
		   const char *to);
/* Cut or grow at head and tail by these many bytes, then as xprog_redirect. */
void xprog_adjust(struct xprog *p, const char *dev, __u32 flags, int head,
		  int tail);
/* OTHER's program, with its map, on one more device. */
void xprog_again(struct xprog *p, const struct xprog *other, const char *dev,
		 __u32 flags);
/* The socket of a queue. */
void xprog_socket(struct xprog *p, __u32 queue, const struct xsk *x);
int xprog_socket_try(struct xprog *p, __u32 queue, const struct xsk *x);
void xprog_detach(struct xprog *p);

#endif /* SHORTPATH_XPROG_H */
