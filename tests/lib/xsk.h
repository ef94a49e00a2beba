/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AF_XDP sockets by their raw system calls, so that each flag, each shape of
 * UMEM and each broken ring can be tried.
 *
 * Rings are driven in two steps as the kernel does: write or read entries, then
 * publish. A function that cannot do its work bails; the ones with _try report.
 */
#ifndef SHORTPATH_XSK_H
#define SHORTPATH_XSK_H

#include <linux/if_xdp.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What Debian 12's header does not know yet. */
#ifndef XDP_USE_SG
#define XDP_USE_SG		0x10
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD		0x1
#endif
#ifndef XDP_TX_METADATA
#define XDP_TX_METADATA		0x2
#endif
#ifndef XDP_UMEM_TX_METADATA_LEN
#define XDP_UMEM_TX_METADATA_LEN	0x4
#endif
#ifndef XDP_TXMD_FLAGS_CHECKSUM
#define XDP_TXMD_FLAGS_CHECKSUM	0x2
#endif

/* Sizes of a UMEM and of the rings; a ring of size 0 is not made. */
struct xsk_shape {
	__u32 chunk, chunks, headroom, umem_flags, tx_meta;
	__u32 rx, tx, fill, comp;
	bool huge;		/* in huge pages, so physically contiguous */
};

/* One direction each, and both, in the sizes that programs commonly use. */
#define XSK_TXONLY ((struct xsk_shape){ .chunk = 2048, .chunks = 4096, \
	.tx = 2048, .fill = 64, .comp = 2048 })
#define XSK_RXONLY ((struct xsk_shape){ .chunk = 2048, .chunks = 4096, \
	.rx = 2048, .fill = 2048, .comp = 64 })
#define XSK_BOTH ((struct xsk_shape){ .chunk = 2048, .chunks = 4096, \
	.rx = 2048, .tx = 2048, .fill = 2048, .comp = 2048 })
/* A UMEM of 64 chunks, quickly made. */
#define XSK_SMALL ((struct xsk_shape){ .chunk = 2048, .chunks = 64, \
	.rx = 64, .tx = 64, .fill = 64, .comp = 64 })

struct xsk_ring {
	__u32 *producer, *consumer, *flags;
	void *descs;
	__u32 size;
	__u32 head;		/* our own index, not published yet */
	void *map;
	size_t map_len;
};

struct xsk {
	int fd;
	__u8 *area;		/* the UMEM */
	size_t len;
	bool owner;		/* unmap it at the end */
	__u32 chunk, chunks, headroom;
	struct xsk_ring rx, tx, fill, comp;
	__u8 *given;		/* per chunk: on our fill ring, see inflow.h */
};

/* The flag of a bind that this run is about: SHORTPATH_XSK=copy for XDP_COPY. */
bool xsk_copy_mode(void);
__u16 xsk_mode(void);

/* Socket, UMEM and rings, not bound. */
int xsk_make_try(struct xsk *x, const struct xsk_shape *shape);
void xsk_make(struct xsk *x, const struct xsk_shape *shape);
/* A socket to be bound to OWNER's UMEM, with the rings that SHAPE names. */
void xsk_make_shared(struct xsk *x, const struct xsk *owner,
		     const struct xsk_shape *shape);
int xsk_bind_try(struct xsk *x, const char *dev, __u32 queue,
		 __u16 flags);
int xsk_bind_shared_try(struct xsk *x, const struct xsk *owner,
			const char *dev, __u32 queue);
/* Make and bind with xsk_mode() beside FLAGS. */
void xsk_open(struct xsk *x, const struct xsk_shape *shape, const char *dev,
	      __u32 queue, __u16 flags);
int xsk_open_try(struct xsk *x, const struct xsk_shape *shape, const char *dev,
		 __u32 queue, __u16 flags);
void xsk_close(struct xsk *x);

bool xsk_zerocopy(const struct xsk *x);
struct xdp_statistics xsk_statistics(const struct xsk *x);

/* Entries that can be written now: SIZE minus what the other side has left. */
__u32 xsk_room(const struct xsk_ring *r);
/* Entries that can be read now. */
__u32 xsk_ready(const struct xsk_ring *r);
/* Publish what was written (producer side) or read (consumer side). */
void xsk_publish(struct xsk_ring *r);
void xsk_release(struct xsk_ring *r);

void xsk_tx_put(struct xsk *x, __u64 addr, __u32 len, __u32 options);
void xsk_fill_put(struct xsk_ring *fill, __u64 addr);
__u64 xsk_comp_get(struct xsk_ring *comp);
struct xdp_desc xsk_rx_get(struct xsk *x);
/* Put chunks FIRST .. FIRST + N - 1 on the fill ring and publish them. */
void xsk_fill_chunks(struct xsk *x, __u32 first, __u32 n);
/* Where an address points, in unaligned mode too. */
__u8 *xsk_data(const struct xsk *x, __u64 addr);

bool xsk_wants_wakeup(const struct xsk_ring *r);
/* sendto() with nothing; -1 and errno. */
int xsk_kick(const struct xsk *x);
/* recvfrom() with nothing. */
int xsk_kick_rx(const struct xsk *x);

/* Send what was put, kick, and wait until N more completions are there. */
bool xsk_completes(struct xsk *x, __u32 n);

#endif /* SHORTPATH_XSK_H */
