/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the tap benchmark share. */
#ifndef TAP_BENCH_H
#define TAP_BENCH_H

#include <linux/types.h>
#include <sys/types.h>

#include "bench.h"

/* Packets that a program hands over at a time, whichever way it sends. */
#define BURST 32

/* The longest packet there is here. */
#define MAX_SIZE 1514
#define MIN_SIZE 60

/* Where a packet's payload begins: Ethernet, IPv4, UDP. */
#define HEADERS (14 + 20 + 8)

/**
 * struct tap_options - the command line
 * @plan: clock and rounds
 * @ops: packets a round
 * @side: measure this side alone ("old", "new"), or NULL: all
 */
struct tap_options {
	struct bench_plan plan;
	long ops;
	const char *side;
};

int tap_complain(const char *what);
void tap_pin(int cpu);
int tap_become_realtime(void);

/**
 * struct tap - a TAP device and the descriptor of its only queue
 * @fd: read() takes what the system sends, write() hands in
 * @ifindex: of the device
 * @mac: of the device
 * @name: of the device
 */
struct tap {
	int fd;
	int ifindex;
	__u8 mac[6];
	char name[16];
};

int tap_open(struct tap *t, const char *name, int flags);
int tap_set_address(const struct tap *t, const char *address);
int tap_bridge(const char *bridge, const struct tap *a, const struct tap *b);
void tap_unbridge(const char *bridge);
void tap_close(struct tap *t);
void tap_drain(const struct tap *t);
void tap_packet(__u8 *packet, size_t size, const __u8 mac[6],
		const char *from, const char *to, __u16 port);

/* Descriptors in each ring, frames in a UMEM, bytes in a frame. */
#define XSK_SLOTS 1024u
#define XSK_FRAMES 2048u
#define XSK_FRAME_SIZE 2048u

struct xsk_ring {
	__u32 *producer;
	__u32 *consumer;
	__u32 *flags;
	void *slots;
	void *map;
	size_t map_size;
	__u32 at;
};

/**
 * struct xsk - an AF_XDP socket on queue 0 of a device, with its own UMEM
 * @fd: the socket
 * @umem: the memory that frames lie in
 * @tx: ring of packets to send
 * @done: ring of frames that were sent
 * @rx: ring of packets that came
 * @fill: ring of frames to receive into
 * @unused: addresses of frames that no ring has
 * @unused_count: how many
 * @copy: bound in copy mode
 */
struct xsk {
	int fd;
	__u8 *umem;
	struct xsk_ring tx, done, rx, fill;
	__u64 unused[XSK_FRAMES];
	unsigned int unused_count;
	bool copy;
};

int xsk_open(struct xsk *x, const struct tap *t, bool copy);
void xsk_close(struct xsk *x);
void xsk_paint(struct xsk *x, const __u8 *packet, size_t size);
int xsk_send(struct xsk *x, size_t size, unsigned int n);
int xsk_receive(struct xsk *x, size_t size, unsigned int n);
bool xsk_came_intact(struct xsk *x, const __u8 *packet, size_t size);

/**
 * struct xdp_redirect - a program that hands queue 0's packets to a socket
 * @program: descriptor of the program
 * @map: of the map with the socket in it
 * @ifindex: the device that it is attached to
 */
struct xdp_redirect {
	int program;
	int map;
	int ifindex;
};

int xdp_redirect_attach(struct xdp_redirect *r, const struct tap *t, const struct xsk *x);
void xdp_redirect_detach(struct xdp_redirect *r);

/* Packets that are on their way at once where producer and consumer take turns. */
#define FLIGHT 256

/**
 * struct flow - packets from a producer to a consumer
 * @produce: hand over at most @n packets; how many it were, -1 after a message
 * @consume: take at most @n packets, waiting for the first if @wait; likewise
 * @reset: take what is left after the producer has stopped
 * @ctx: for these
 * @size: bytes of a packet
 * @yields: a thread of the kernel carries the packets; it has to get the CPU
 * @parts: the producer's time and the consumer's, where they take turns
 */
struct flow {
	int (*produce)(struct flow *f, unsigned int n);
	int (*consume)(struct flow *f, unsigned int n, bool wait);
	void (*reset)(struct flow *f);
	void *ctx;
	size_t size;
	bool yields;
	struct bench_part parts[2];
};

bool flow_wanted(const struct tap_options *opt, const char *side);
int flow_compare(const struct tap_options *opt, struct bench_side *sides, size_t count);

int bench_out(const struct tap_options *opt, size_t size);
int bench_in(const struct tap_options *opt, size_t size);
int bench_vhost(const struct tap_options *opt, size_t size);
int bench_stack(const struct tap_options *opt);

#endif
