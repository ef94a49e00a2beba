/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest's network card without a guest: the two rings of /dev/vhost-net in
 * this process's own memory, with a TAP's fd as the backend. The fd must have a
 * vnet header of VHOST_HDR bytes.
 */
#ifndef SHORTPATH_VHOSTDEV_H
#define SHORTPATH_VHOSTDEV_H

#include <linux/types.h>
#include <linux/virtio_ring.h>
#include <stdbool.h>
#include <stddef.h>

#define VHOST_HDR	12
#define VHOST_RING	256
#define VHOST_BUF	2048

struct vhost_ring {
	struct vring v;
	int kick, call;
	__u16 avail, used;	/* our own indexes */
	__u8 *bufs;		/* one of VHOST_BUF bytes for each entry */
};

struct vhostdev {
	int fd;
	void *mem;
	struct vhost_ring ring[2];	/* Rx of the guest, and Tx */
};

void vhost_open(struct vhostdev *v);
/* Let it use the TAP's queue, or nothing (-1); -1 and errno. */
int vhost_backend_try(struct vhostdev *v, int tap);
void vhost_backend(struct vhostdev *v, int tap);
void vhost_close(struct vhostdev *v);

/* Give N more buffers to the guest's Rx ring. */
void vhost_post(struct vhostdev *v, unsigned int n);
/* One packet from it within MS: its bytes behind the header; or NULL. */
const __u8 *vhost_receive(struct vhostdev *v, size_t *len, int ms);
/* Send LEN bytes at P; false when the ring is full. */
bool vhost_send(struct vhostdev *v, const void *p, size_t len);

#endif /* SHORTPATH_VHOSTDEV_H */
