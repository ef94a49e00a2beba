/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of local addresses of a virtio remote processor: what the hooks in
 * virtio_rpmsg_bus.c call instead of idr_alloc() and idr_remove().
 *
 * Stock frees the tree nodes below the last dynamic address together with it
 * (through RCU) and makes them anew for the next: for a program that creates
 * and destroys endpoints one after the other, a tenth of all the work. So the
 * lowest dynamic address, once used, stays in the tree with a NULL entry while
 * it is free, and with it the nodes of the first 64. Which address is handed
 * out is what it was: the lowest free one, and any free one by request.
 *
 * Context: under endpoints_lock. The tree ends with idr_destroy() as ever.
 */
#ifndef SHORTPATH_VIRTIO_ADDR_H
#define SHORTPATH_VIRTIO_ADDR_H

#include <linux/err.h>
#include <linux/idr.h>

/* First dynamic address; RPMSG_RESERVED_ADDRESSES of the bus. */
#define VIRTIO_ADDR_LOWEST	1024

/**
 * virtio_addr_alloc() - find and take a free address
 * @idr: the table
 * @ept: whom it is for
 * @min: lowest address wanted; negative for one that is none, which idr_alloc()
 *	would refuse with a WARN
 * @max: one above the highest, or 0 for any
 *
 * Return: the address or a negative errno, as idr_alloc().
 */
static inline int virtio_addr_alloc(struct idr *idr, void *ept, int min,
				    int max)
{
	if (min < 0)
		return -EINVAL;
	if (min == VIRTIO_ADDR_LOWEST && !idr_find(idr, min) &&
	    !IS_ERR(idr_replace(idr, ept, min)))
		return min;
	return idr_alloc(idr, ept, min, max, GFP_KERNEL);
}

/**
 * virtio_addr_free() - give an address back
 * @idr: the table
 * @addr: the address, taken with virtio_addr_alloc()
 */
static inline void virtio_addr_free(struct idr *idr, int addr)
{
	if (addr == VIRTIO_ADDR_LOWEST)
		idr_replace(idr, NULL, addr);
	else
		idr_remove(idr, addr);
}

#endif /* SHORTPATH_VIRTIO_ADDR_H */
