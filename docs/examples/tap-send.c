// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send numbered UDP packets into a TAP device through an AF_XDP socket, without
 * a copy on this side. As root:
 *
 *   cc -o tap-send docs/examples/tap-send.c
 *   ./tap-send tap0 1000
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_xdp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define CHUNKS	1024		/* as many as each ring has entries */
#define CHUNK	2048		/* bytes; a packet lies in one */
#define PATIENCE 5000		/* milliseconds without a packet being read */

#define IP_AT		sizeof(struct ether_header)
#define UDP_AT		(IP_AT + sizeof(struct iphdr))
#define NUMBER_AT	(UDP_AT + sizeof(struct udphdr))
#define LENGTH		64

/* A ring as it is mapped: the indices run free, the kernel has the other one. */
struct ring {
	__u32 *producer;
	__u32 *consumer;
	__u32 *flags;
	void *entries;
};

static __u8 *umem;
static struct ring tx, completion;
static __u8 packet[LENGTH];	/* what each is, but for its number */

static int fail(const char *what)
{
	fprintf(stderr, "tap-send: %s: %s\n", what, strerror(errno));
	return -1;
}

/* What bind() refuses for, as far as its errno says. */
static const char *refusal(int err)
{
	switch (err) {
	case EOPNOTSUPP:
		return "no zero-copy: stock or switched off tun module, or no TAP";
	case EBUSY:
		return "the queue has another AF_XDP socket";
	case EINVAL:
		return "no such queue, or the MTU does not fit into a chunk";
	case ENODEV:
		return "no such device";
	default:
		return strerror(err);
	}
}

/* Give socket @fd its memory: CHUNKS pieces that rings name by their offset. */
static int make_umem(int fd)
{
	struct xdp_umem_reg reg = {
		.len = CHUNKS * CHUNK,
		.chunk_size = CHUNK,
	};

	umem = mmap(NULL, reg.len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (umem == MAP_FAILED)
		return fail("memory");
	reg.addr = (unsigned long)umem;
	if (setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)))
		return fail("XDP_UMEM_REG");
	return 0;
}

static int map_ring(int fd, struct ring *ring, const struct xdp_ring_offset *at,
		    size_t entry, off_t which)
{
	__u8 *map = mmap(NULL, at->desc + CHUNKS * entry, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, fd, which);

	if (map == MAP_FAILED)
		return fail("mapping a ring");
	ring->producer = (__u32 *)(map + at->producer);
	ring->consumer = (__u32 *)(map + at->consumer);
	ring->flags = (__u32 *)(map + at->flags);
	ring->entries = map + at->desc;
	return 0;
}

static int make_ring(int fd, int which)
{
	int entries = CHUNKS;

	if (setsockopt(fd, SOL_XDP, which, &entries, sizeof(entries)))
		return fail("making a ring");
	return 0;
}

/* A sender needs no fill ring, but the kernel binds no socket without one. */
static int make_rings(int fd)
{
	struct xdp_mmap_offsets at;
	socklen_t len = sizeof(at);

	if (make_ring(fd, XDP_TX_RING) ||
	    make_ring(fd, XDP_UMEM_COMPLETION_RING) ||
	    make_ring(fd, XDP_UMEM_FILL_RING))
		return -1;
	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &len))
		return fail("XDP_MMAP_OFFSETS");
	if (map_ring(fd, &tx, &at.tx, sizeof(struct xdp_desc), XDP_PGOFF_TX_RING))
		return -1;
	return map_ring(fd, &completion, &at.cr, sizeof(__u64),
			XDP_UMEM_PGOFF_COMPLETION_RING);
}

/* An AF_XDP socket on queue 0 of @device, or -1. */
static int open_socket(const char *device)
{
	struct sockaddr_xdp addr = {
		.sxdp_family = AF_XDP,
		.sxdp_ifindex = if_nametoindex(device),
		.sxdp_queue_id = 0,
		.sxdp_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP,
	};
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return fail("AF_XDP socket");
	if (make_umem(fd) || make_rings(fd))
		return -1;
	ret = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	if (ret) {
		fprintf(stderr, "tap-send: %s: %s\n", device, refusal(errno));
		return -1;
	}
	return fd;
}

static int is_zerocopy(int fd)
{
	struct xdp_options options = { 0 };
	socklen_t len = sizeof(options);

	getsockopt(fd, SOL_XDP, XDP_OPTIONS, &options, &len);
	return options.flags & XDP_OPTIONS_ZEROCOPY;
}

static __u16 ip_checksum(const struct iphdr *ip)
{
	const __u16 *word = (const __u16 *)ip;
	__u32 sum = 0;
	size_t i;

	for (i = 0; i < sizeof(*ip) / sizeof(*word); i++)
		sum += word[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* UDP in IPv4 in Ethernet, from 198.18.0.1 to port 9 of 198.18.0.2. */
static void make_packet(void)
{
	struct ether_header eth = {
		.ether_dhost = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.ether_shost = { 2, 0, 0, 0, 0, 1 },
		.ether_type = htons(ETHERTYPE_IP),
	};
	struct iphdr ip = {
		.version = 4,
		.ihl = sizeof(ip) / 4,
		.tot_len = htons(LENGTH - IP_AT),
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.saddr = inet_addr("198.18.0.1"),
		.daddr = inet_addr("198.18.0.2"),
	};
	struct udphdr udp = {
		.source = htons(9),
		.dest = htons(9),
		.len = htons(LENGTH - UDP_AT),
	};

	ip.check = ip_checksum(&ip);
	memcpy(packet, &eth, sizeof(eth));
	memcpy(packet + IP_AT, &ip, sizeof(ip));
	memcpy(packet + UDP_AT, &udp, sizeof(udp));
}

/* Write packet @number into its chunk, and a descriptor into the Tx ring. */
static void queue_packet(__u32 number)
{
	struct xdp_desc *desc = tx.entries;
	__u64 chunk = number % CHUNKS * CHUNK;
	__u32 n = htonl(number);

	memcpy(umem + chunk, packet, LENGTH);
	memcpy(umem + chunk + NUMBER_AT, &n, sizeof(n));
	desc[number % CHUNKS] = (struct xdp_desc){ .addr = chunk, .len = LENGTH };
}

/* Hand over what was queued, and wake the kernel if it says that it sleeps. */
static int hand_over(int fd, __u32 queued)
{
	int ret = 0;

	__atomic_store_n(tx.producer, queued, __ATOMIC_RELEASE);
	/* the flag is read after others can see the descriptors */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(tx.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
		ret = sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
	if (ret && errno != EAGAIN && errno != EBUSY)
		return fail("waking the kernel");
	return 0;
}

/*
 * How many packets have been read, of all: their chunks are free. On a TAP they
 * complete in the order in which they were queued, so their number is enough.
 */
static __u32 completed(void)
{
	__u32 n = __atomic_load_n(completion.producer, __ATOMIC_ACQUIRE);

	__atomic_store_n(completion.consumer, n, __ATOMIC_RELEASE);
	return n;
}

static int send_packets(int fd, __u32 count)
{
	__u32 queued = 0, done = 0, before;
	int idle = 0;

	while (done < count) {
		while (queued < count && queued - done < CHUNKS)
			queue_packet(queued++);
		if (hand_over(fd, queued))
			return -1;
		before = done;
		done = completed();
		idle = done == before ? idle + 1 : 0;
		if (idle > PATIENCE) {
			fprintf(stderr, "tap-send: %u of %u packets were read, then no more\n",
				done, count);
			return -1;
		}
		/* no call waits for completions */
		if (idle)
			poll(NULL, 0, 1);
	}
	return 0;
}

int main(int argc, char **argv)
{
	__u32 count;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: tap-send DEVICE COUNT\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 0);
	make_packet();
	fd = open_socket(argv[1]);
	if (fd < 0 || send_packets(fd, count))
		return 1;
	printf("sent %u packets, %s\n", count,
	       is_zerocopy(fd) ? "zero-copy" : "copied");
	return 0;
}
