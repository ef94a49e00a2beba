// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device side of a split virtqueue. See vring_dev.h for lifetime and locks
 * and ring_math.h for what is checked.
 *
 * The rings are little endian (VIRTIO_F_VERSION_1), without event index and
 * indirect descriptors (neither is offered). We always want to be notified, so
 * used->flags stays 0; the driver may ask not to be interrupted, and is heeded.
 *
 * Buffers are named by physical address (VIRTIO_F_ACCESS_PLATFORM is not
 * offered). Only ordinary memory that is online is touched: not a hole, not a
 * device's, not what the boot code reserved.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/highmem.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/virtio.h>
#include <linux/virtio_byteorder.h>

#include "vring_dev.h"

/**
 * sim_ring_attach() - begin to serve a virtqueue
 * @ring: the ring, detached
 * @vq: a split virtqueue that nobody uses yet
 * @writable: whether its buffers are for the device to write
 */
void sim_ring_attach(struct sim_ring *ring, struct virtqueue *vq, bool writable)
{
	memset(ring, 0, sizeof(*ring));
	ring->vq = vq;
	ring->vr = *virtqueue_get_vring(vq);
	ring->writable = writable;
}

/**
 * sim_ring_detach() - never touch the virtqueue again
 * @ring: the ring
 */
void sim_ring_detach(struct sim_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
}

static struct ring_desc sim_ring_desc(const struct sim_ring *ring, u16 i)
{
	const struct vring_desc *d = &ring->vr.desc[i];

	return (struct ring_desc) {
		.addr = __virtio64_to_cpu(true, READ_ONCE(d->addr)),
		.len = __virtio32_to_cpu(true, READ_ONCE(d->len)),
		.flags = __virtio16_to_cpu(true, READ_ONCE(d->flags)),
		.next = __virtio16_to_cpu(true, READ_ONCE(d->next)),
	};
}

static enum ring_fault sim_ring_pending(const struct sim_ring *ring, u16 *n)
{
	__virtio16 avail;

	/* the chains that the index covers are read after the index */
	avail = smp_load_acquire(&ring->vr.avail->idx);
	return ring_pending(__virtio16_to_cpu(true, avail), ring->taken,
			    ring->vr.num, n);
}

/* Whether the memory of @d may be touched. */
static bool sim_range_ok(const struct ring_desc *d)
{
	u64 end = d->addr + (d->len - 1);
	u64 pfn;

	if (end > PHYS_ADDR_MAX)
		return false;
	for (pfn = PHYS_PFN(d->addr); pfn <= PHYS_PFN(end); pfn++) {
		struct page *page = pfn_to_online_page(pfn);

		if (!page || PageReserved(page))
			return false;
	}
	return true;
}

static enum ring_fault sim_ring_walk(const struct sim_ring *ring,
				     struct sim_chain *chain)
{
	struct ring_walk w;
	enum ring_fault fault;

	fault = ring_walk_begin(&w, ring->vr.num, chain->head, ring->writable);
	while (!fault && w.more) {
		struct ring_desc d = sim_ring_desc(ring, w.next);

		fault = ring_walk_step(&w, &d);
		if (!fault && !sim_range_ok(&d))
			fault = RING_BAD_RANGE;
		if (fault)
			break;
		chain->seg[chain->segs].addr = d.addr;
		chain->seg[chain->segs++].len = d.len;
	}
	chain->bytes = w.bytes;
	return fault;
}

/**
 * sim_ring_peek() - look at the next buffer without taking it
 * @ring: the ring
 * @chain: set to the buffer
 *
 * A spoilt buffer is dropped, see sim_ring_drop(); after a fatal fault the ring
 * is empty for good.
 *
 * Return: 1 if there is one, 0 if not; -EPROTO if the driver's entry was
 * malformed: count it and ask again.
 */
int sim_ring_peek(struct sim_ring *ring, struct sim_chain *chain)
{
	enum ring_fault fault;
	u16 pending, slot;

	if (!ring->vq || ring->dead)
		return 0;
	fault = sim_ring_pending(ring, &pending);
	if (!fault && !pending)
		return 0;
	if (!fault) {
		slot = ring_slot(ring->taken, ring->vr.num);
		chain->head = __virtio16_to_cpu(true,
						READ_ONCE(ring->vr.avail->ring[slot]));
		chain->segs = 0;
		fault = sim_ring_walk(ring, chain);
	}
	if (!fault)
		return 1;

	pr_warn_ratelimited("%s ring: %s\n", ring->writable ? "rx" : "tx",
			    ring_fault_name(fault));
	if (ring_fault_fatal(fault))
		ring->dead = true;
	else
		sim_ring_drop(ring, chain);
	return -EPROTO;
}

/**
 * sim_ring_give_back() - take the buffer last peeked at and mark it used
 * @ring: the ring
 * @chain: the buffer
 * @written: bytes written into it
 *
 * Linux sees it after sim_ring_show().
 */
void sim_ring_give_back(struct sim_ring *ring, const struct sim_chain *chain,
			u32 written)
{
	u16 slot = ring_slot(ring->used, ring->vr.num);
	struct vring_used_elem *e = &ring->vr.used->ring[slot];

	WRITE_ONCE(e->id, __cpu_to_virtio32(true, chain->head));
	WRITE_ONCE(e->len, __cpu_to_virtio32(true, written));
	ring->taken++;
	ring->used++;
}

/**
 * sim_ring_drop() - take the buffer last peeked at as useless
 * @ring: the ring
 * @chain: the buffer; only its head is used
 *
 * One that Linux sent goes back to it. One for us to fill does not: Linux would
 * take what is in it for a message.
 */
void sim_ring_drop(struct sim_ring *ring, const struct sim_chain *chain)
{
	if (ring->writable)
		ring->taken++;
	else
		sim_ring_give_back(ring, chain, 0);
}

/**
 * sim_ring_show() - let Linux see every buffer given back so far
 * @ring: the ring
 *
 * Return: whether Linux wants an interrupt for it.
 */
bool sim_ring_show(struct sim_ring *ring)
{
	if (!ring->vq || ring->shown == ring->used)
		return false;
	ring->shown = ring->used;
	/* the entries, and the bytes in the buffers, before the index */
	smp_store_release(&ring->vr.used->idx,
			  __cpu_to_virtio16(true, ring->used));
	/*
	 * The index before the flag: a driver that enables interrupts and then
	 * looks at the index must not miss both.
	 */
	smp_mb();
	return !(__virtio16_to_cpu(true, READ_ONCE(ring->vr.avail->flags)) &
		 VRING_AVAIL_F_NO_INTERRUPT);
}

/* One page's share of a copy between @buf and the physical address @addr. */
static u32 sim_copy_page(u64 addr, void *buf, u32 len, bool to_chain)
{
	u32 in_page = offset_in_page(addr);
	void *page = kmap_local_pfn(PHYS_PFN(addr));

	len = min_t(u32, len, PAGE_SIZE - in_page);
	if (to_chain)
		memcpy(page + in_page, buf, len);
	else
		memcpy(buf, page + in_page, len);
	kunmap_local(page);
	return len;
}

static int sim_chain_copy(const struct sim_chain *chain, u32 offset, void *buf,
			  u32 len, bool to_chain)
{
	unsigned int i;

	if (offset > chain->bytes || len > chain->bytes - offset)
		return -EPROTO;
	for (i = 0; len; i++) {
		u64 addr = chain->seg[i].addr + offset;
		u32 here = chain->seg[i].len;

		if (offset >= here) {
			offset -= here;
			continue;
		}
		here = min(len, here - offset);
		offset = 0;
		len -= here;
		while (here) {
			u32 n = sim_copy_page(addr, buf, here, to_chain);

			addr += n;
			buf += n;
			here -= n;
		}
	}
	return 0;
}

/**
 * sim_chain_read() - copy out of a buffer
 * @chain: the buffer
 * @offset: where to begin
 * @to: where to copy to
 * @len: how many bytes
 *
 * Return: 0; -EPROTO if the buffer does not hold them.
 */
int sim_chain_read(const struct sim_chain *chain, u32 offset, void *to, u32 len)
{
	return sim_chain_copy(chain, offset, to, len, false);
}

/**
 * sim_chain_write() - copy into a buffer
 * @chain: the buffer, of a ring whose buffers are for us to write
 * @offset: where to begin
 * @from: where to copy from
 * @len: how many bytes
 *
 * Return: 0; -EPROTO if the buffer does not hold them.
 */
int sim_chain_write(const struct sim_chain *chain, u32 offset, const void *from,
		    u32 len)
{
	/* only read from when copying into the chain */
	return sim_chain_copy(chain, offset, (void *)from, len, true);
}
