/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet sockets; see packet_socket.c. */
#ifndef PACKET_SOCKET_H
#define PACKET_SOCKET_H

#include <sys/socket.h>

#include "tap_bench.h"

/**
 * struct packet_socket - a packet socket that sends
 * @fd: the socket
 * @messages: for sendmmsg()
 * @iov: what they all send
 * @ring: the mapped ring, or NULL
 * @at: the ring's next frame
 * @size: bytes of a packet, for the ring
 */
struct packet_socket {
	int fd;
	struct mmsghdr messages[BURST];
	struct iovec iov;
	__u8 *ring;
	unsigned int at;
	size_t size;
};

int packet_open(struct packet_socket *p, const struct tap *t, const __u8 *packet,
		size_t size);
int packet_send(struct packet_socket *p, unsigned int n);
int packet_ring_open(struct packet_socket *p, const struct tap *t, const __u8 *packet,
		     size_t size);
int packet_ring_send(struct packet_socket *p, unsigned int n);
void packet_close(struct packet_socket *p);

#endif
