// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program can send with where there is no AF_XDP: packet sockets, by
 * sendmmsg() or through a mapped ring. Both go past the queueing discipline, as
 * AF_XDP does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet_socket.h"

#define FRAME_SIZE 2048u
#define FRAMES 1024u
#define BLOCK_SIZE (64 * FRAME_SIZE)

static int bind_to(struct packet_socket *p, const struct tap *t)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_ifindex = t->ifindex,
	};
	const int one = 1;

	/* Protocol 0: it receives nothing. */
	p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (p->fd < 0)
		return tap_complain("a packet socket");
	if (setsockopt(p->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)))
		return tap_complain("PACKET_QDISC_BYPASS");
	if (bind(p->fd, (struct sockaddr *)&ll, sizeof(ll)))
		return tap_complain("binding a packet socket");
	return 0;
}

/**
 * packet_open() - a packet socket that sends by sendmmsg()
 * @p: the socket
 * @t: the device it sends to
 * @packet: what it sends
 * @size: bytes of it
 *
 * Return: 0, or -1 after a message.
 */
int packet_open(struct packet_socket *p, const struct tap *t, const __u8 *packet,
		size_t size)
{
	int i;

	memset(p, 0, sizeof(*p));
	if (bind_to(p, t))
		return -1;
	p->iov.iov_base = (void *)packet;
	p->iov.iov_len = size;
	for (i = 0; i < BURST; i++) {
		p->messages[i].msg_hdr.msg_iov = &p->iov;
		p->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

/* The device's queue was full: the packets are gone, no fault. */
static bool was_full(void)
{
	return errno == ENOBUFS || errno == EAGAIN;
}

/**
 * packet_send() - hand over packets by sendmmsg()
 * @p: the socket
 * @n: how many, up to BURST
 *
 * Return: how many were taken, or -1 after a message.
 */
int packet_send(struct packet_socket *p, unsigned int n)
{
	int ret;

	if (!n)
		return 0;
	ret = sendmmsg(p->fd, p->messages, n, MSG_DONTWAIT);
	if (ret >= 0)
		return ret;
	return was_full() ? 0 : tap_complain("sendmmsg");
}

/**
 * packet_ring_open() - a packet socket with a ring for sending
 * @p: the socket
 * @t: the device it sends to
 * @packet: what it sends, put into all frames once and for all
 * @size: bytes of it
 *
 * Return: 0, or -1 after a message.
 */
int packet_ring_open(struct packet_socket *p, const struct tap *t, const __u8 *packet,
		     size_t size)
{
	struct tpacket_req req = {
		.tp_block_size = BLOCK_SIZE,
		.tp_block_nr = FRAMES * FRAME_SIZE / BLOCK_SIZE,
		.tp_frame_size = FRAME_SIZE,
		.tp_frame_nr = FRAMES,
	};
	const int version = TPACKET_V2;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	if (bind_to(p, t))
		return -1;
	if (setsockopt(p->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)))
		return tap_complain("PACKET_TX_RING");
	p->ring = mmap(NULL, (size_t)FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, p->fd, 0);
	if (p->ring == MAP_FAILED) {
		p->ring = NULL;
		return tap_complain("mapping the packet socket's ring");
	}
	p->size = size;
	for (i = 0; i < FRAMES; i++)
		memcpy(p->ring + i * FRAME_SIZE + TPACKET2_HDRLEN - sizeof(struct sockaddr_ll),
		       packet, size);
	return 0;
}

/**
 * packet_ring_send() - hand over packets through the ring
 * @p: the socket
 * @n: how many
 *
 * Return: how many were taken, or -1 after a message.
 */
int packet_ring_send(struct packet_socket *p, unsigned int n)
{
	struct tpacket2_hdr *hdr;
	unsigned int i;

	for (i = 0; i < n; i++) {
		hdr = (void *)(p->ring + p->at % FRAMES * FRAME_SIZE);
		if (__atomic_load_n(&hdr->tp_status, __ATOMIC_ACQUIRE) != TP_STATUS_AVAILABLE)
			break;
		hdr->tp_len = p->size;
		__atomic_store_n(&hdr->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
		p->at++;
	}
	if (send(p->fd, NULL, 0, MSG_DONTWAIT) < 0 && !was_full())
		return tap_complain("sending from the packet socket's ring");
	return i;
}

/**
 * packet_close() - close either kind
 * @p: the socket
 */
void packet_close(struct packet_socket *p)
{
	if (p->ring)
		munmap(p->ring, (size_t)FRAMES * FRAME_SIZE);
	if (p->fd > 0)
		close(p->fd);
	memset(p, 0, sizeof(*p));
}
