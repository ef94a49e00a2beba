// SPDX-License-Identifier: GPL-2.0-only
/* The two rings of /dev/vhost-net in this process's own memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/vhost.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "tapdev.h"
#include "vhostdev.h"

#define RING_BYTES	16384	/* more than vring_size() of VHOST_RING */
#define BUFS_BYTES	(VHOST_RING * VHOST_BUF)
#define MEM_BYTES	(2 * (RING_BYTES + BUFS_BYTES))

static void must(int ret, const char *what)
{
	if (ret)
		bail("%s", what);
}

static void memory_set(struct vhostdev *v)
{
	struct {
		struct vhost_memory m;
		struct vhost_memory_region r;
	} t = { .m.nregions = 1 };

	/* The guest's addresses are our own. */
	t.r.guest_phys_addr = (uintptr_t)v->mem;
	t.r.userspace_addr = (uintptr_t)v->mem;
	t.r.memory_size = MEM_BYTES;
	must(ioctl(v->fd, VHOST_SET_MEM_TABLE, &t), "VHOST_SET_MEM_TABLE");
}

static void ring_set(struct vhostdev *v, unsigned int i)
{
	struct vhost_ring *r = &v->ring[i];
	struct vhost_vring_state num = { i, VHOST_RING }, base = { i, 0 };
	struct vhost_vring_addr a = { .index = i };
	struct vhost_vring_file f = { .index = i };
	__u8 *p = (__u8 *)v->mem + i * (RING_BYTES + BUFS_BYTES);

	vring_init(&r->v, VHOST_RING, p, 4096);
	r->bufs = p + RING_BYTES;
	r->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->call = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	a.desc_user_addr = (uintptr_t)r->v.desc;
	a.avail_user_addr = (uintptr_t)r->v.avail;
	a.used_user_addr = (uintptr_t)r->v.used;
	must(ioctl(v->fd, VHOST_SET_VRING_NUM, &num), "VHOST_SET_VRING_NUM");
	must(ioctl(v->fd, VHOST_SET_VRING_BASE, &base), "VHOST_SET_VRING_BASE");
	must(ioctl(v->fd, VHOST_SET_VRING_ADDR, &a), "VHOST_SET_VRING_ADDR");
	f.fd = r->kick;
	must(ioctl(v->fd, VHOST_SET_VRING_KICK, &f), "VHOST_SET_VRING_KICK");
	f.fd = r->call;
	must(ioctl(v->fd, VHOST_SET_VRING_CALL, &f), "VHOST_SET_VRING_CALL");
}

void vhost_open(struct vhostdev *v)
{
	__u64 features = 1ULL << VIRTIO_F_VERSION_1 |
			 1ULL << VIRTIO_NET_F_MRG_RXBUF;
	unsigned int i;

	memset(v, 0, sizeof(*v));
	v->fd = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);
	if (v->fd < 0)
		bail("/dev/vhost-net");
	v->mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (v->mem == MAP_FAILED)
		bail("mmap");
	must(ioctl(v->fd, VHOST_SET_OWNER), "VHOST_SET_OWNER");
	must(ioctl(v->fd, VHOST_SET_FEATURES, &features), "VHOST_SET_FEATURES");
	memory_set(v);
	for (i = 0; i < 2; i++)
		ring_set(v, i);
}

int vhost_backend_try(struct vhostdev *v, int tap)
{
	struct vhost_vring_file f = { .fd = tap };

	for (f.index = 0; f.index < 2; f.index++)
		if (ioctl(v->fd, VHOST_NET_SET_BACKEND, &f))
			return -1;
	return 0;
}

void vhost_backend(struct vhostdev *v, int tap)
{
	must(vhost_backend_try(v, tap), "VHOST_NET_SET_BACKEND");
}

void vhost_close(struct vhostdev *v)
{
	unsigned int i;

	close(v->fd);
	for (i = 0; i < 2; i++) {
		close(v->ring[i].kick);
		close(v->ring[i].call);
	}
	munmap(v->mem, MEM_BYTES);
}

static void kick(struct vhost_ring *r)
{
	__u64 one = 1;

	if (write(r->kick, &one, sizeof(one)) < 0 && errno != EAGAIN)
		bail("kick");
}

/* Make entry I of the descriptor table available. */
static void offer(struct vhost_ring *r, __u16 i, __u32 len, __u16 flags)
{
	r->v.desc[i] = (struct vring_desc){
		.addr = (uintptr_t)(r->bufs + i * VHOST_BUF),
		.len = len, .flags = flags,
	};
	r->v.avail->ring[r->avail++ % VHOST_RING] = i;
	__atomic_store_n(&r->v.avail->idx, r->avail, __ATOMIC_RELEASE);
}

void vhost_post(struct vhostdev *v, unsigned int n)
{
	struct vhost_ring *r = &v->ring[0];

	while (n--)
		offer(r, r->avail % VHOST_RING, VHOST_BUF, VRING_DESC_F_WRITE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	kick(r);
}

static __u16 used_idx(const struct vhost_ring *r)
{
	return __atomic_load_n(&r->v.used->idx, __ATOMIC_ACQUIRE);
}

const __u8 *vhost_receive(struct vhostdev *v, size_t *len, int ms)
{
	struct vhost_ring *r = &v->ring[0];
	long long end = now_ms() + ms;
	struct vring_used_elem *e;
	__u64 n;

	while (used_idx(r) == r->used) {
		if (now_ms() > end)
			return NULL;
		fd_poll(r->call, POLLIN, 1);
		if (read(r->call, &n, sizeof(n)) < 0 && errno != EAGAIN)
			bail("call");
	}
	e = &r->v.used->ring[r->used++ % VHOST_RING];
	*len = e->len - VHOST_HDR;
	return r->bufs + e->id * VHOST_BUF + VHOST_HDR;
}

bool vhost_send(struct vhostdev *v, const void *p, size_t len)
{
	struct vhost_ring *r = &v->ring[1];
	__u16 i = r->avail % VHOST_RING;

	/* Entries are used in order: vhost_net keeps to it. */
	if ((__u16)(r->avail - used_idx(r)) >= VHOST_RING)
		return false;
	memset(r->bufs + i * VHOST_BUF, 0, VHOST_HDR);
	memcpy(r->bufs + i * VHOST_BUF + VHOST_HDR, p, len);
	offer(r, i, VHOST_HDR + len, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	kick(r);
	return true;
}
