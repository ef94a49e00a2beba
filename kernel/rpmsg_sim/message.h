/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rpmsg wire format, pure (see plain.h for how to test).
 *
 * Everything on the wire is little endian, because rpmsg_sim insists on
 * VIRTIO_F_VERSION_1. Bytes are put and got one by one, so neither alignment
 * nor the CPU's byte order matters.
 */
#ifndef SIM_MESSAGE_H
#define SIM_MESSAGE_H

#include "plain.h"

#define MSG_HDR_LEN	16u		/* src, dst, reserved, len, flags */
#define MSG_ADDR_ANY	0xffffffffu
#define MSG_NS_ADDR	53u		/* the name service, on either side */
#define MSG_NAME_LEN	32u		/* bytes of a name with its NUL */
#define MSG_NS_LEN	40u		/* name, addr, flags */
#define MSG_NS_DESTROY	1u		/* flag: the service goes away */
#define MSG_SEQ_LEN	8u		/* leading sequence number of a source */

/**
 * struct msg_hdr - the header of a message, in the CPU's byte order
 * @src: address of the sender
 * @dst: address of the receiver
 * @len: bytes of payload that follow
 * @flags: none are defined
 */
struct msg_hdr {
	u32 src;
	u32 dst;
	u16 len;
	u16 flags;
};

/**
 * struct msg_ns - a name-service message, in the CPU's byte order
 * @name: name of the service, always terminated
 * @addr: its address
 * @destroy: it goes away (otherwise: it is there now)
 */
struct msg_ns {
	char name[MSG_NAME_LEN];
	u32 addr;
	bool destroy;
};

static inline void msg_put16(u8 *p, u16 v)
{
	p[0] = v & 0xff;
	p[1] = v >> 8;
}

static inline void msg_put32(u8 *p, u32 v)
{
	msg_put16(p, v & 0xffff);
	msg_put16(p + 2, v >> 16);
}

static inline void msg_put64(u8 *p, u64 v)
{
	msg_put32(p, v & 0xffffffff);
	msg_put32(p + 4, v >> 32);
}

static inline u16 msg_get16(const u8 *p)
{
	return p[0] | p[1] << 8;
}

static inline u32 msg_get32(const u8 *p)
{
	return msg_get16(p) | (u32)msg_get16(p + 2) << 16;
}

/* Write @h to the MSG_HDR_LEN bytes at @raw. */
static inline void msg_hdr_encode(u8 *raw, const struct msg_hdr *h)
{
	msg_put32(raw, h->src);
	msg_put32(raw + 4, h->dst);
	msg_put32(raw + 8, 0);
	msg_put16(raw + 12, h->len);
	msg_put16(raw + 14, h->flags);
}

/**
 * msg_hdr_decode() - read and judge a header
 * @h: set on success
 * @raw: the first bytes of the buffer
 * @bytes: bytes of the whole buffer
 *
 * Return: 0; -EPROTO if the buffer does not hold the header, or not as much
 * payload as the header says.
 */
static inline int msg_hdr_decode(struct msg_hdr *h, const u8 *raw, size_t bytes)
{
	if (bytes < MSG_HDR_LEN)
		return -EPROTO;
	h->src = msg_get32(raw);
	h->dst = msg_get32(raw + 4);
	h->len = msg_get16(raw + 12);
	h->flags = msg_get16(raw + 14);
	return h->len > bytes - MSG_HDR_LEN ? -EPROTO : 0;
}

/* Write @ns to the MSG_NS_LEN bytes at @raw. */
static inline void msg_ns_encode(u8 *raw, const struct msg_ns *ns)
{
	size_t i;

	memset(raw, 0, MSG_NAME_LEN);
	for (i = 0; i < MSG_NAME_LEN - 1 && ns->name[i]; i++)
		raw[i] = ns->name[i];
	msg_put32(raw + MSG_NAME_LEN, ns->addr);
	msg_put32(raw + MSG_NAME_LEN + 4, ns->destroy ? MSG_NS_DESTROY : 0);
}

/**
 * msg_ns_decode() - read and judge a name-service message
 * @ns: set on success
 * @raw: the payload
 * @bytes: bytes of the payload
 *
 * Return: 0; -EPROTO if the payload has not the size of such a message.
 */
static inline int msg_ns_decode(struct msg_ns *ns, const u8 *raw, size_t bytes)
{
	if (bytes != MSG_NS_LEN)
		return -EPROTO;
	memcpy(ns->name, raw, MSG_NAME_LEN - 1);
	ns->name[MSG_NAME_LEN - 1] = '\0';
	ns->addr = msg_get32(raw + MSG_NAME_LEN);
	ns->destroy = msg_get32(raw + MSG_NAME_LEN + 4) & MSG_NS_DESTROY;
	return 0;
}

/*
 * Write the payload of message @seq of a source: the sequence number, cut off
 * if @bytes are fewer than its own, then at each offset the offset's low byte.
 */
static inline void msg_fill(u8 *buf, size_t bytes, u64 seq)
{
	u8 head[MSG_SEQ_LEN];
	size_t i;

	msg_put64(head, seq);
	for (i = 0; i < bytes; i++)
		buf[i] = i < MSG_SEQ_LEN ? head[i] : (i & 0xff);
}

#endif
