// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tx metadata: a checksum that the sender asks for is filled in, or left to a
 * reader who said that it can do it (TUN_F_CSUM), as the vnet header then says.
 * A timestamp is written when asked for. Linux 6.1 has no Tx metadata.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/virtio_net.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapc0"
#define META	24
#define LEN	142	/* Ethernet, IPv4, UDP and 100 bytes */
#define START	34	/* of UDP */
#define OFFSET	6	/* of its checksum */

#define META_CHECKSUM	2
#define META_TIMESTAMP	1

struct metadata {
	__u64 flags;
	union {
		struct {
			__u16 csum_start, csum_offset;
			__u32 reserved;
			__u64 launch_time;
		} request;
		__u64 tx_timestamp;
	};
};

static struct tapdev tap;
static struct xsk x;

static void up(int flags, unsigned int hdr)
{
	struct xsk_shape s = XSK_SMALL;

	s.umem_flags = XDP_UMEM_TX_METADATA_LEN;
	s.tx_meta = META;
	tap_make(&tap, DEV, flags, hdr);
	xsk_open(&x, &s, DEV, 0, XDP_USE_NEED_WAKEUP);
}

static void down(void)
{
	xsk_close(&x);
	tap_close(&tap);
}

static __u16 sum(const __u8 *p, size_t n, __u32 s)
{
	size_t i;

	for (i = 0; i < n; i += 2)
		s += p[i] << 8 | p[i + 1];
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

/* The sum over UDP's pseudo-header, not inverted. */
static __u16 pseudo(const __u8 *p)
{
	return sum(p + 26, 8, 17 + LEN - START);
}

/* A UDP packet, with the pseudo-header's sum as its checksum. */
static struct metadata *packet(__u8 *p)
{
	__u16 s;
	int i;

	memset(p, 0, LEN);
	p[0] = 2;
	p[6] = 2;
	p[12] = 8;
	p[14] = 0x45;
	p[17] = LEN - 14;
	p[22] = 64;
	p[23] = 17;
	memcpy(p + 26, "\x0a\x01\x02\x03\x0a\x01\x02\x04", 8);
	p[START + 5] = LEN - START;
	for (i = START + 8; i < LEN; i++)
		p[i] = i * 7;
	s = pseudo(p);
	p[START + OFFSET] = s >> 8;
	p[START + OFFSET + 1] = s & 255;
	memset(p - META, 0, META);
	return (void *)(p - META);
}

/* Send the packet at chunk 0; what a reader gets. */
static const __u8 *sent(__u32 options)
{
	static __u8 buf[2048];

	xsk_tx_put(&x, META, LEN, options);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	if (!(fd_poll(tap.fd, POLLIN, 5000) & POLLIN) ||
	    read(tap.fd, buf, sizeof(buf)) != (ssize_t)(tap.hdr + LEN))
		bail("the packet does not arrive");
	if (!xsk_completes(&x, 1))
		bail("the packet does not complete");
	xsk_comp_get(&x.comp);
	xsk_release(&x.comp);
	return buf;
}

static bool sum_is_right(const __u8 *p)
{
	return sum(p + START, LEN - START, pseudo(p)) == 0xffff;
}

static struct metadata *ask(__u64 flags, __u16 start, __u16 offset)
{
	struct metadata *m = packet(x.area + META);

	m->flags = flags;
	m->request.csum_start = start;
	m->request.csum_offset = offset;
	return m;
}

static void filled_in(void)
{
	const __u8 *p;

	up(TAP_PLAIN, 0);
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	ok(sum_is_right(p), "no vnet header: the checksum is filled in");
	ok(!memcmp(p + START + 8, x.area + META + START + 8,
		   LEN - START - 8), "the rest is as it was");
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(0);
	ok(!sum_is_right(p) && !memcmp(p, x.area + META, LEN),
	   "without the option it is left alone");
	ask(0, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	ok(!memcmp(p, x.area + META, LEN), "without the flag too");
	down();
}

static void left_to_reader(void)
{
	const struct virtio_net_hdr *h;
	const __u8 *p;

	up(TAP_VNET, 12);
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	h = (const void *)p;
	is(h->flags, 0, "a reader without TUN_F_CSUM: no flag");
	ok(sum_is_right(p + 12), "and the checksum is filled in");
	if (ioctl(tap.fd, TUNSETOFFLOAD, TUN_F_CSUM))
		bail("TUNSETOFFLOAD");
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	is(h->flags, VIRTIO_NET_HDR_F_NEEDS_CSUM, "with TUN_F_CSUM: the flag");
	is(h->csum_start, START, "csum_start");
	is(h->csum_offset, OFFSET, "csum_offset");
	is(h->gso_type, VIRTIO_NET_HDR_GSO_NONE, "no segmentation");
	ok(!memcmp(p + 12, x.area + META, LEN), "the packet is as it was");
	ask(0, 0, 0);
	p = sent(0);
	is(h->flags, 0, "one that asks for nothing: no flag");
	if (ioctl(tap.fd, TUNSETOFFLOAD, 0))
		bail("TUNSETOFFLOAD");
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	is(h->flags, 0, "TUN_F_CSUM taken back: no flag");
	ok(sum_is_right(p + 12), "and the checksum is filled in");
	down();
}

/* Places for a checksum where there is no packet: no harm. */
static void odd_places(void)
{
	static const __u16 odd[][2] = {
		{ LEN, 0 }, { LEN - 1, 0 }, { LEN - 2, 0 }, { 0, LEN - 2 },
		{ 0xffff, 0xffff }, { 0xffff, 0 }, { 0, 0xffff }, { 0, 0 },
		{ 1, 1 }, { START + 1, OFFSET },
	};
	const __u8 *p;
	size_t i;

	up(TAP_PLAIN, 0);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		ask(META_CHECKSUM, odd[i][0], odd[i][1]);
		sent(XDP_TX_METADATA);
		ask(~0ULL, odd[i][0], odd[i][1]);
		/* Flags that there are not make it invalid for some cores. */
		xsk_tx_put(&x, META, LEN, XDP_TX_METADATA);
		xsk_publish(&x.tx);
		xsk_kick(&x);
		nap_ms(1);
		fd_nonblock(tap.fd, true);
		for (char b[2048]; read(tap.fd, b, sizeof(b)) > 0;)
			;
		nap_ms(1);
		while (xsk_ready(&x.comp))
			xsk_comp_get(&x.comp);
		xsk_release(&x.comp);
	}
	ask(META_CHECKSUM, START, OFFSET);
	p = sent(XDP_TX_METADATA);
	ok(sum_is_right(p), "after odd requests a good one works");
	down();
}

static void stamped(void)
{
	struct metadata *m;
	__u64 first;

	up(TAP_PLAIN, 0);
	m = ask(META_TIMESTAMP, 0, 0);
	sent(XDP_TX_METADATA);
	first = m->tx_timestamp;
	ok(first, "a timestamp is there at completion");
	m = ask(META_TIMESTAMP, 0, 0);
	sent(XDP_TX_METADATA);
	ok(m->tx_timestamp > first, "and a later one is later");
	down();
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "filled_in", filled_in },
		{ "left_to_reader", left_to_reader },
		{ "odd_places", odd_places },
		{ "stamped", stamped },
	};

	if (!kernel_from(6, 12) || xsk_copy_mode()) {
		tap_start();
		skip_all("needs Tx metadata in zero-copy: Linux 6.12");
	}
	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
