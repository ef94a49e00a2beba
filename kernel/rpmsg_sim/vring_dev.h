/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device side of a split virtqueue: takes buffers that Linux made
 * available, moves bytes to or from them, gives them back as used.
 *
 * Lifetime: a struct sim_ring belongs to its remote and outlives the virtqueue;
 * it is attached to one from find_vqs to del_vqs. Lock: every function here is
 * called with the remote's lock held, which is what keeps the virtqueue there.
 * Context: process context; nothing here sleeps.
 */
#ifndef SIM_VRING_DEV_H
#define SIM_VRING_DEV_H

#include <linux/types.h>
#include <uapi/linux/virtio_ring.h>

#include "ring_math.h"

struct virtqueue;

/**
 * struct sim_ring - the device side of one virtqueue
 * @vq: the virtqueue, NULL while detached
 * @vr: the rings' addresses
 * @writable: Linux's receive ring: its buffers are for us to write
 * @dead: a fatal fault was seen; nothing is taken until the next attach
 * @taken: how many chains were taken, modulo 2^16
 * @used: how many were given back, modulo 2^16
 * @shown: how many of these Linux can see, modulo 2^16
 */
struct sim_ring {
	struct virtqueue *vq;
	struct vring vr;
	bool writable;
	bool dead;
	u16 taken;
	u16 used;
	u16 shown;
};

/**
 * struct sim_chain - one buffer of the ring, checked
 * @head: its first descriptor
 * @segs: entries of @seg in use
 * @bytes: bytes of all
 * @seg: where they are
 */
struct sim_chain {
	u16 head;
	u16 segs;
	u32 bytes;
	struct {
		u64 addr;
		u32 len;
	} seg[RING_MAX_SEGS];
};

void sim_ring_attach(struct sim_ring *ring, struct virtqueue *vq, bool writable);
void sim_ring_detach(struct sim_ring *ring);

int sim_ring_peek(struct sim_ring *ring, struct sim_chain *chain);
void sim_ring_give_back(struct sim_ring *ring, const struct sim_chain *chain,
			u32 written);
void sim_ring_drop(struct sim_ring *ring, const struct sim_chain *chain);
bool sim_ring_show(struct sim_ring *ring);

int sim_chain_read(const struct sim_chain *chain, u32 offset, void *to, u32 len);
int sim_chain_write(const struct sim_chain *chain, u32 offset, const void *from,
		    u32 len);

#endif
