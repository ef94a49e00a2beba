// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP, a TAP device, vhost_net and a virtqueue: what a virtual machine gets,
 * without the machine. The virtqueue is ours, in this process's memory; vhost_net's
 * own thread fills it. With one CPU that thread runs while we yield, so the
 * figure is the sum of all: sender, TAP device, vhost_net, receiver.
 */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/vhost.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <linux/virtio_ring.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap_bench.h"

#define SLOTS 1024u
#define BUFFER 2048u
#define RX_QUEUE 0
#define HEADER sizeof(struct virtio_net_hdr_mrg_rxbuf)

struct machine {
	struct tap tap;
	struct xsk xsk;
	int vhost;
	int kick;
	int call;
	__u8 *memory;
	struct vring ring;
	__u16 seen;
	struct flow flow;
};

#define RING_SIZE 65536u
#define MEMORY (RING_SIZE + SLOTS * BUFFER)

static __u8 *buffer_at(const struct machine *m, unsigned int i)
{
	return m->memory + RING_SIZE + i * BUFFER;
}

/* All buffers are there to be filled; no interrupts, we look for ourselves. */
static int make_ring(struct machine *m)
{
	unsigned int i;

	m->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (m->memory == MAP_FAILED) {
		m->memory = NULL;
		return tap_complain("memory for a virtqueue");
	}
	vring_init(&m->ring, SLOTS, m->memory, 4096);
	for (i = 0; i < SLOTS; i++) {
		m->ring.desc[i].addr = (uintptr_t)buffer_at(m, i);
		m->ring.desc[i].len = BUFFER;
		m->ring.desc[i].flags = VRING_DESC_F_WRITE;
		m->ring.avail->ring[i] = i;
	}
	m->ring.avail->flags = VRING_AVAIL_F_NO_INTERRUPT;
	m->ring.avail->idx = SLOTS;
	return 0;
}

static int set_memory(struct machine *m)
{
	struct {
		struct vhost_memory head;
		struct vhost_memory_region region;
	} table = { .head = { .nregions = 1 } };

	table.region.guest_phys_addr = (uintptr_t)m->memory;
	table.region.userspace_addr = (uintptr_t)m->memory;
	table.region.memory_size = MEMORY;
	return ioctl(m->vhost, VHOST_SET_MEM_TABLE, &table);
}

static int start_vhost(struct machine *m)
{
	__u64 features = 1ULL << VIRTIO_F_VERSION_1 | 1ULL << VIRTIO_NET_F_MRG_RXBUF;
	struct vhost_vring_state state = { .index = RX_QUEUE, .num = SLOTS };
	struct vhost_vring_state base = { .index = RX_QUEUE };
	struct vhost_vring_file backend = { .index = RX_QUEUE, .fd = m->tap.fd };
	struct vhost_vring_file kick = { .index = RX_QUEUE, .fd = m->kick };
	struct vhost_vring_file call = { .index = RX_QUEUE, .fd = m->call };
	struct vhost_vring_addr addr = {
		.index = RX_QUEUE,
		.desc_user_addr = (uintptr_t)m->ring.desc,
		.used_user_addr = (uintptr_t)m->ring.used,
		.avail_user_addr = (uintptr_t)m->ring.avail,
	};

	if (ioctl(m->vhost, VHOST_SET_OWNER) || set_memory(m) ||
	    ioctl(m->vhost, VHOST_SET_FEATURES, &features) ||
	    ioctl(m->vhost, VHOST_SET_VRING_NUM, &state) ||
	    ioctl(m->vhost, VHOST_SET_VRING_BASE, &base) ||
	    ioctl(m->vhost, VHOST_SET_VRING_ADDR, &addr) ||
	    ioctl(m->vhost, VHOST_SET_VRING_KICK, &kick) ||
	    ioctl(m->vhost, VHOST_SET_VRING_CALL, &call) ||
	    ioctl(m->vhost, VHOST_NET_SET_BACKEND, &backend))
		return tap_complain("setting vhost_net up");
	return 0;
}

static int xsk_produce(struct flow *f, unsigned int n)
{
	struct machine *m = f->ctx;

	return xsk_send(&m->xsk, f->size, n);
}

static void wake_vhost(struct machine *m)
{
	if (!(__atomic_load_n(&m->ring.used->flags, __ATOMIC_SEQ_CST) & VRING_USED_F_NO_NOTIFY))
		eventfd_write(m->kick, 1);
}

static int queue_consume(struct flow *f, unsigned int n, bool wait)
{
	struct machine *m = f->ctx;
	struct vring_used_elem *e;
	__u16 avail = m->ring.avail->idx;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (__atomic_load_n(&m->ring.used->idx, __ATOMIC_ACQUIRE) == m->seen)
			break;
		e = &m->ring.used->ring[m->seen++ % SLOTS];
		if (e->len != HEADER + f->size) {
			fprintf(stderr, "tap-bench: vhost_net gave %u bytes instead of %zu\n",
				e->len, HEADER + f->size);
			return -1;
		}
		m->ring.avail->ring[avail++ % SLOTS] = e->id;
	}
	if (i) {
		__atomic_store_n(&m->ring.avail->idx, avail, __ATOMIC_SEQ_CST);
		wake_vhost(m);
	} else if (!wait) {
		sched_yield();
	}
	return i;
}

static void queue_reset(struct flow *f)
{
	int idle;

	for (idle = 0; idle < 20; idle++) {
		while (queue_consume(f, BURST, true) > 0)
			idle = 0;
		usleep(1000);
	}
}

static int prove(struct machine *m, const __u8 *content)
{
	int tries;

	if (xsk_produce(&m->flow, 1) != 1)
		return -1;
	for (tries = 0; tries < 500; tries++) {
		if (__atomic_load_n(&m->ring.used->idx, __ATOMIC_ACQUIRE) != m->seen)
			break;
		usleep(10000);
	}
	if (tries < 500 && !memcmp(buffer_at(m, m->ring.used->ring[0].id) + HEADER, content,
				   m->flow.size))
		return queue_consume(&m->flow, 1, false) == 1 ? 0 : -1;
	fprintf(stderr, "tap-bench: vhost_net: a packet did not come, or altered\n");
	return -1;
}

static int machine_open(struct machine *m, bool copy, const __u8 *content, size_t size)
{
	m->flow = (struct flow) {
		.produce = xsk_produce, .consume = queue_consume, .reset = queue_reset,
		.ctx = m, .size = size, .yields = true,
	};
	if (tap_open(&m->tap, copy ? "bench-copy" : "bench-zc", IFF_VNET_HDR))
		return -1;
	if (xsk_open(&m->xsk, &m->tap, copy))
		return -1;
	xsk_paint(&m->xsk, content, size);
	m->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	m->call = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	m->vhost = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);
	if (m->vhost < 0)
		return tap_complain("/dev/vhost-net");
	if (make_ring(m) || start_vhost(m))
		return -1;
	return prove(m, content);
}

static void machine_close(struct machine *m)
{
	if (!m->tap.ifindex)
		return;
	if (m->vhost > 0)
		close(m->vhost);
	if (m->kick > 0)
		close(m->kick);
	if (m->call > 0)
		close(m->call);
	xsk_close(&m->xsk);
	tap_close(&m->tap);
	if (m->memory)
		munmap(m->memory, MEMORY);
}

static int compare(const struct tap_options *opt, struct machine *both, size_t size)
{
	char name[32];
	struct bench_side sides[] = {
		{ .name = name, .side = "old", .ctx = &both[0].flow },
		{ .name = name, .side = "new", .ctx = &both[1].flow },
	};

	snprintf(name, sizeof(name), "vhost-%zu", size);
	return flow_compare(opt, sides, ARRAY_SIZE(sides));
}

/**
 * bench_vhost() - the case vhost-SIZE
 * @opt: command line
 * @size: bytes of a packet
 *
 * Return: 0, or -1 after a message.
 */
int bench_vhost(const struct tap_options *opt, size_t size)
{
	static const __u8 nobody[6] = { 0x02, 0, 0, 0, 0, 0x88 };
	static struct machine both[2];
	__u8 content[MAX_SIZE];
	int i, ret = 0;

	memset(both, 0, sizeof(both));
	tap_packet(content, size, nobody, "10.77.0.1", "10.77.0.2", 9);
	for (i = 0; i < 2 && !ret; i++)
		if (flow_wanted(opt, i ? "new" : "old"))
			ret = machine_open(&both[i], !i, content, size);
	if (!ret)
		ret = compare(opt, both, size);
	for (i = 0; i < 2; i++)
		machine_close(&both[i]);
	return ret;
}
