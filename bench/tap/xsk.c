// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP sockets by the kernel's own interface, without a library: four rings
 * shared with the kernel, each with one writer and one reader.
 */
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap_bench.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

#define MASK (XSK_SLOTS - 1)

/* The socket is bound, but not as was asked for. */
static int not_zerocopy(void)
{
	fprintf(stderr,
		"tap-bench: no zero-copy: is this shortpath's tun, with xsk_zerocopy=Y?\n");
	return -1;
}

static int map_ring(struct xsk *x, struct xsk_ring *r, int option, off_t page,
		    const struct xdp_ring_offset *off, size_t slot_size)
{
	const int slots = XSK_SLOTS;

	r->map_size = off->desc + XSK_SLOTS * slot_size;
	r->map = mmap(NULL, r->map_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, x->fd, page);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		fprintf(stderr, "tap-bench: AF_XDP ring %d of %d: ", option, slots);
		return tap_complain("mmap");
	}
	r->producer = (__u32 *)((char *)r->map + off->producer);
	r->consumer = (__u32 *)((char *)r->map + off->consumer);
	r->flags = (__u32 *)((char *)r->map + off->flags);
	r->slots = (char *)r->map + off->desc;
	return 0;
}

static int map_rings(struct xsk *x)
{
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);

	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len))
		return tap_complain("XDP_MMAP_OFFSETS");
	if (map_ring(x, &x->tx, XDP_TX_RING, XDP_PGOFF_TX_RING, &off.tx,
		     sizeof(struct xdp_desc)) ||
	    map_ring(x, &x->rx, XDP_RX_RING, XDP_PGOFF_RX_RING, &off.rx,
		     sizeof(struct xdp_desc)) ||
	    map_ring(x, &x->fill, XDP_UMEM_FILL_RING, XDP_UMEM_PGOFF_FILL_RING,
		     &off.fr, sizeof(__u64)) ||
	    map_ring(x, &x->done, XDP_UMEM_COMPLETION_RING,
		     XDP_UMEM_PGOFF_COMPLETION_RING, &off.cr, sizeof(__u64)))
		return -1;
	return 0;
}

static int register_umem(struct xsk *x)
{
	struct xdp_umem_reg reg = {
		.len = (__u64)XSK_FRAMES * XSK_FRAME_SIZE,
		.chunk_size = XSK_FRAME_SIZE,
	};

	x->umem = mmap(NULL, reg.len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (x->umem == MAP_FAILED) {
		x->umem = NULL;
		return tap_complain("memory for packets");
	}
	reg.addr = (uintptr_t)x->umem;
	if (setsockopt(x->fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)))
		return tap_complain("XDP_UMEM_REG");
	return 0;
}

static int size_rings(struct xsk *x)
{
	static const int options[] = {
		XDP_TX_RING, XDP_RX_RING, XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING,
	};
	const int slots = XSK_SLOTS;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (setsockopt(x->fd, SOL_XDP, options[i], &slots, sizeof(slots)))
			return tap_complain("size of an AF_XDP ring");
	return 0;
}

static int bind_to(struct xsk *x, const struct tap *t)
{
	struct sockaddr_xdp sxdp = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_USE_NEED_WAKEUP | (x->copy ? XDP_COPY : XDP_ZEROCOPY),
		.sxdp_ifindex = t->ifindex,
	};
	struct xdp_options options = {};
	socklen_t len = sizeof(options);

	if (bind(x->fd, (struct sockaddr *)&sxdp, sizeof(sxdp))) {
		if (errno == EOPNOTSUPP && !x->copy)
			return not_zerocopy();
		return tap_complain("binding an AF_XDP socket");
	}
	if (getsockopt(x->fd, SOL_XDP, XDP_OPTIONS, &options, &len))
		return tap_complain("XDP_OPTIONS");
	if (x->copy == !(options.flags & XDP_OPTIONS_ZEROCOPY))
		return 0;
	return not_zerocopy();
}

/* Half of the frames are for receiving, the others for sending. */
static void give_frames(struct xsk *x)
{
	__u64 *slots = x->fill.slots;
	__u32 i;

	for (i = 0; i < XSK_SLOTS; i++)
		slots[i] = (__u64)i * XSK_FRAME_SIZE;
	x->fill.at = XSK_SLOTS;
	__atomic_store_n(x->fill.producer, x->fill.at, __ATOMIC_RELEASE);
	for (; i < XSK_FRAMES; i++)
		x->unused[x->unused_count++] = (__u64)i * XSK_FRAME_SIZE;
}

/**
 * xsk_open() - a socket that sends and receives on queue 0 of a device
 * @x: the socket
 * @t: the device
 * @copy: the kernel copies packets; otherwise they stay where they are
 *
 * Return: 0, or -1 after a message.
 */
int xsk_open(struct xsk *x, const struct tap *t, bool copy)
{
	memset(x, 0, sizeof(*x));
	x->copy = copy;
	x->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (x->fd < 0)
		return tap_complain("an AF_XDP socket");
	if (register_umem(x) || size_rings(x) || map_rings(x))
		goto fail;
	give_frames(x);
	if (bind_to(x, t))
		goto fail;
	return 0;
fail:
	xsk_close(x);
	return -1;
}

/**
 * xsk_close() - close it and free what it had
 * @x: the socket, also one that was never opened if it is all zero
 */
void xsk_close(struct xsk *x)
{
	struct xsk_ring *rings[] = { &x->tx, &x->rx, &x->fill, &x->done };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rings); i++)
		if (rings[i]->map)
			munmap(rings[i]->map, rings[i]->map_size);
	if (x->fd > 0)
		close(x->fd);
	if (x->umem)
		munmap(x->umem, (size_t)XSK_FRAMES * XSK_FRAME_SIZE);
	memset(x, 0, sizeof(*x));
}

/**
 * xsk_paint() - put a packet into every frame that is there for sending
 * @x: the socket, before it has sent anything
 * @packet: the packet
 * @size: its bytes
 */
void xsk_paint(struct xsk *x, const __u8 *packet, size_t size)
{
	unsigned int i;

	for (i = 0; i < x->unused_count; i++)
		memcpy(x->umem + x->unused[i], packet, size);
}

static bool wants_wakeup(const struct xsk_ring *r)
{
	return __atomic_load_n(r->flags, __ATOMIC_ACQUIRE) & XDP_RING_NEED_WAKEUP;
}

/* Frames that were sent are unused again. */
static void reap(struct xsk *x)
{
	struct xsk_ring *r = &x->done;
	__u32 end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	const __u64 *slots = r->slots;

	if (r->at == end)
		return;
	while (r->at != end)
		x->unused[x->unused_count++] = slots[r->at++ & MASK];
	__atomic_store_n(r->consumer, r->at, __ATOMIC_RELEASE);
}

/* What a wake-up may say, none of which is a fault: try again later. */
static int wake(struct xsk *x)
{
	if (sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0 || errno == EAGAIN ||
	    errno == EBUSY || errno == ENOBUFS)
		return 0;
	return tap_complain("waking the AF_XDP socket");
}

/**
 * xsk_send() - hand over packets that xsk_paint() has prepared
 * @x: the socket
 * @size: bytes of each
 * @n: how many there are
 *
 * Return: how many were taken, 0 if there is no room now, -1 after a message.
 */
int xsk_send(struct xsk *x, size_t size, unsigned int n)
{
	struct xsk_ring *r = &x->tx;
	struct xdp_desc *slots = r->slots, *desc;
	__u32 room;
	unsigned int i;

	reap(x);
	room = XSK_SLOTS - (r->at - __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE));
	if (n > room)
		n = room;
	if (n > x->unused_count)
		n = x->unused_count;
	for (i = 0; i < n; i++) {
		desc = &slots[r->at++ & MASK];
		desc->addr = x->unused[--x->unused_count];
		desc->len = size;
		desc->options = 0;
	}
	if (n)
		__atomic_store_n(r->producer, r->at, __ATOMIC_SEQ_CST);
	if (wants_wakeup(r) && wake(x))
		return -1;
	return n;
}

/**
 * xsk_receive() - take packets and give their frames back at once
 * @x: the socket
 * @size: bytes that each must have
 * @n: at most so many
 *
 * Return: how many there were, maybe 0, or -1 after a message.
 */
int xsk_receive(struct xsk *x, size_t size, unsigned int n)
{
	struct xsk_ring *r = &x->rx, *f = &x->fill;
	__u32 there = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - r->at;
	const struct xdp_desc *slots = r->slots, *desc;
	__u64 *fill = f->slots;
	__u32 i;

	if (n > there)
		n = there;
	for (i = 0; i < n; i++) {
		desc = &slots[r->at++ & MASK];
		if (desc->len != size) {
			fprintf(stderr, "tap-bench: received %u bytes instead of %zu\n",
				desc->len, size);
			return -1;
		}
		fill[f->at++ & MASK] = desc->addr & ~(__u64)(XSK_FRAME_SIZE - 1);
	}
	if (n) {
		__atomic_store_n(r->consumer, r->at, __ATOMIC_RELEASE);
		__atomic_store_n(f->producer, f->at, __ATOMIC_SEQ_CST);
	}
	if (wants_wakeup(f) && recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL) < 0 &&
	    errno != EAGAIN && errno != EBUSY && errno != ENETDOWN)
		return tap_complain("waking the AF_XDP socket");
	return n;
}

/**
 * xsk_came_intact() - whether the next packet is there, and is this one
 * @x: the socket; the packet stays in its ring
 * @packet: what is expected
 * @size: its bytes
 *
 * Return: so it is.
 */
bool xsk_came_intact(struct xsk *x, const __u8 *packet, size_t size)
{
	const struct xdp_desc *desc = x->rx.slots;

	if (__atomic_load_n(x->rx.producer, __ATOMIC_ACQUIRE) == x->rx.at)
		return false;
	desc += x->rx.at & MASK;
	return desc->len == size && !memcmp(x->umem + desc->addr, packet, size);
}
