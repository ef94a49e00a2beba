// SPDX-License-Identifier: GPL-2.0-only
/* AF_XDP sockets by their raw system calls. */
#define _GNU_SOURCE
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file.h"
#include "xsk.h"

#define HUGE_PAGE	(2UL << 20)

#ifndef AF_XDP
#define AF_XDP	44
#endif
#ifndef SOL_XDP
#define SOL_XDP	283
#endif

/* The structure as 6.12 knows it; for 6.1 its last field is padding. */
struct umem_reg {
	__u64 addr, len;
	__u32 chunk_size, headroom, flags, tx_metadata_len;
};

bool xsk_copy_mode(void)
{
	const char *mode = getenv("SHORTPATH_XSK");

	return mode && !strcmp(mode, "copy");
}

__u16 xsk_mode(void)
{
	return xsk_copy_mode() ? XDP_COPY : XDP_ZEROCOPY;
}

static int ring_size(int fd, int opt, __u32 size)
{
	return size ? setsockopt(fd, SOL_XDP, opt, &size, sizeof(size)) : 0;
}

static int ring_map(struct xsk_ring *r, int fd, __u32 size, size_t entry,
		    const struct xdp_ring_offset *off, __u64 pgoff)
{
	__u8 *p;

	if (!size)
		return 0;
	r->map_len = off->desc + size * entry;
	p = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_POPULATE, fd, pgoff);
	if (p == MAP_FAILED)
		return -1;
	r->map = p;
	r->size = size;
	r->producer = (__u32 *)(p + off->producer);
	r->consumer = (__u32 *)(p + off->consumer);
	r->flags = (__u32 *)(p + off->flags);
	r->descs = p + off->desc;
	return 0;
}

static int rings_make(struct xsk *x, const struct xsk_shape *s)
{
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);

	if (ring_size(x->fd, XDP_UMEM_FILL_RING, s->fill) ||
	    ring_size(x->fd, XDP_UMEM_COMPLETION_RING, s->comp) ||
	    ring_size(x->fd, XDP_RX_RING, s->rx) ||
	    ring_size(x->fd, XDP_TX_RING, s->tx) ||
	    getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len))
		return -1;
	if (ring_map(&x->fill, x->fd, s->fill, sizeof(__u64), &off.fr,
		     XDP_UMEM_PGOFF_FILL_RING) ||
	    ring_map(&x->comp, x->fd, s->comp, sizeof(__u64), &off.cr,
		     XDP_UMEM_PGOFF_COMPLETION_RING) ||
	    ring_map(&x->rx, x->fd, s->rx, sizeof(struct xdp_desc), &off.rx,
		     XDP_PGOFF_RX_RING) ||
	    ring_map(&x->tx, x->fd, s->tx, sizeof(struct xdp_desc), &off.tx,
		     XDP_PGOFF_TX_RING))
		return -1;
	return 0;
}

static int umem_register(struct xsk *x, const struct xsk_shape *s)
{
	struct umem_reg reg = {
		.addr = (uintptr_t)x->area, .len = x->len,
		.chunk_size = s->chunk, .headroom = s->headroom,
		.flags = s->umem_flags, .tx_metadata_len = s->tx_meta,
	};

	return setsockopt(x->fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg));
}

static void ring_unmap(struct xsk_ring *r)
{
	if (r->map)
		munmap(r->map, r->map_len);
	memset(r, 0, sizeof(*r));
}

void xsk_close(struct xsk *x)
{
	if (x->fd >= 0)
		close(x->fd);
	x->fd = -1;
	ring_unmap(&x->rx);
	ring_unmap(&x->tx);
	ring_unmap(&x->fill);
	ring_unmap(&x->comp);
	if (x->owner && x->area)
		munmap(x->area, x->len);
	x->area = NULL;
	free(x->given);
	x->given = NULL;
}

static void socket_make(struct xsk *x)
{
	memset(x, 0, sizeof(*x));
	x->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (x->fd < 0)
		bail("socket AF_XDP");
}

/* Close X after a failed call, with that call's errno kept. */
static int undo(struct xsk *x)
{
	int err = errno;

	xsk_close(x);
	errno = err;
	return -1;
}

int xsk_make_try(struct xsk *x, const struct xsk_shape *shape)
{
	socket_make(x);
	x->chunk = shape->chunk;
	x->chunks = shape->chunks;
	x->headroom = shape->headroom;
	x->len = (size_t)shape->chunk * shape->chunks;
	x->owner = true;
	if (shape->huge)
		x->len = (x->len + HUGE_PAGE - 1) & -HUGE_PAGE;
	x->area = mmap(NULL, x->len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE |
		       (shape->huge ? MAP_HUGETLB : 0), -1, 0);
	if (x->area == MAP_FAILED)
		bail("mmap of %zu bytes", x->len);
	if (umem_register(x, shape) || rings_make(x, shape))
		return undo(x);
	return 0;
}

void xsk_make(struct xsk *x, const struct xsk_shape *shape)
{
	if (xsk_make_try(x, shape))
		bail("AF_XDP socket, %u chunks of %u", shape->chunks,
		     shape->chunk);
}

void xsk_make_shared(struct xsk *x, const struct xsk *owner,
		     const struct xsk_shape *shape)
{
	socket_make(x);
	x->chunk = owner->chunk;
	x->chunks = owner->chunks;
	x->headroom = owner->headroom;
	x->area = owner->area;
	x->len = owner->len;
	if (rings_make(x, shape))
		bail("rings of a socket that shares a UMEM");
}

int xsk_bind_try(struct xsk *x, const char *dev, __u32 queue,
		 __u16 flags)
{
	struct sockaddr_xdp a = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_ifindex = if_nametoindex(dev),
		.sxdp_queue_id = queue,
	};

	return bind(x->fd, (struct sockaddr *)&a, sizeof(a));
}

int xsk_bind_shared_try(struct xsk *x, const struct xsk *owner,
			const char *dev, __u32 queue)
{
	struct sockaddr_xdp a = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_SHARED_UMEM,
		.sxdp_ifindex = if_nametoindex(dev),
		.sxdp_queue_id = queue,
		.sxdp_shared_umem_fd = owner->fd,
	};

	return bind(x->fd, (struct sockaddr *)&a, sizeof(a));
}

int xsk_open_try(struct xsk *x, const struct xsk_shape *shape, const char *dev,
		 __u32 queue, __u16 flags)
{
	xsk_make(x, shape);
	if (xsk_bind_try(x, dev, queue, xsk_mode() | flags))
		return undo(x);
	return 0;
}

void xsk_open(struct xsk *x, const struct xsk_shape *shape, const char *dev,
	      __u32 queue, __u16 flags)
{
	if (xsk_open_try(x, shape, dev, queue, flags))
		bail("bind to %s queue %u flags 0x%x", dev, queue,
		     xsk_mode() | flags);
}

bool xsk_zerocopy(const struct xsk *x)
{
	struct xdp_options o = { 0 };
	socklen_t len = sizeof(o);

	if (getsockopt(x->fd, SOL_XDP, XDP_OPTIONS, &o, &len))
		bail("XDP_OPTIONS");
	return o.flags & XDP_OPTIONS_ZEROCOPY;
}

struct xdp_statistics xsk_statistics(const struct xsk *x)
{
	struct xdp_statistics s = { 0 };
	socklen_t len = sizeof(s);

	if (getsockopt(x->fd, SOL_XDP, XDP_STATISTICS, &s, &len))
		bail("XDP_STATISTICS");
	return s;
}

__u32 xsk_room(const struct xsk_ring *r)
{
	__u32 seen = __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE);

	return r->size - (r->head - seen);
}

__u32 xsk_ready(const struct xsk_ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - r->head;
}

void xsk_publish(struct xsk_ring *r)
{
	__atomic_store_n(r->producer, r->head, __ATOMIC_RELEASE);
}

void xsk_release(struct xsk_ring *r)
{
	__atomic_store_n(r->consumer, r->head, __ATOMIC_RELEASE);
}

void xsk_tx_put(struct xsk *x, __u64 addr, __u32 len, __u32 options)
{
	struct xdp_desc *d = x->tx.descs;

	d[x->tx.head++ & (x->tx.size - 1)] = (struct xdp_desc){
		.addr = addr, .len = len, .options = options,
	};
}

void xsk_fill_put(struct xsk_ring *fill, __u64 addr)
{
	__u64 *d = fill->descs;

	d[fill->head++ & (fill->size - 1)] = addr;
}

__u64 xsk_comp_get(struct xsk_ring *comp)
{
	const __u64 *d = comp->descs;

	return d[comp->head++ & (comp->size - 1)];
}

struct xdp_desc xsk_rx_get(struct xsk *x)
{
	const struct xdp_desc *d = x->rx.descs;

	return d[x->rx.head++ & (x->rx.size - 1)];
}

void xsk_fill_chunks(struct xsk *x, __u32 first, __u32 n)
{
	__u32 i;

	if (xsk_room(&x->fill) < n)
		bail("a fill ring of %u has no room for %u", x->fill.size, n);
	for (i = 0; i < n; i++)
		xsk_fill_put(&x->fill, (__u64)(first + i) * x->chunk);
	xsk_publish(&x->fill);
}

__u8 *xsk_data(const struct xsk *x, __u64 addr)
{
	return x->area + (addr & XSK_UNALIGNED_BUF_ADDR_MASK) +
	       (addr >> XSK_UNALIGNED_BUF_OFFSET_SHIFT);
}

bool xsk_wants_wakeup(const struct xsk_ring *r)
{
	/* What was published must be seen before the flag is looked at. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(r->flags, __ATOMIC_RELAXED) &
	       XDP_RING_NEED_WAKEUP;
}

int xsk_kick(const struct xsk *x)
{
	return sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
}

int xsk_kick_rx(const struct xsk *x)
{
	return recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

struct completion_wait {
	struct xsk *x;
	__u32 n;
};

static bool completed(void *arg)
{
	struct completion_wait *w = arg;

	if (xsk_ready(&w->x->comp) >= w->n)
		return true;
	xsk_kick(w->x);
	return false;
}

bool xsk_completes(struct xsk *x, __u32 n)
{
	struct completion_wait w = { x, n };

	xsk_publish(&x->tx);
	return wait_until(completed, &w, WAIT_MS / 4);
}
