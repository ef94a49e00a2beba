// SPDX-License-Identifier: GPL-2.0-only
/* TAP (and TUN) devices: making, changing, looking at them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file.h"
#include "module.h"
#include "tapdev.h"

static void name_request(struct ifreq *r, const char *name)
{
	memset(r, 0, sizeof(*r));
	snprintf(r->ifr_name, sizeof(r->ifr_name), "%s", name);
}

int tap_queue_try(const char *name, int flags)
{
	struct ifreq r;
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	int err;

	if (fd < 0)
		bail("/dev/net/tun");
	name_request(&r, name);
	r.ifr_flags = flags;
	if (!ioctl(fd, TUNSETIFF, &r))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

int tap_queue(const char *name, int flags)
{
	int fd = tap_queue_try(name, flags);

	if (fd < 0)
		bail("TUNSETIFF %s 0x%x", name, flags);
	return fd;
}

void tap_make(struct tapdev *t, const char *name, int flags, unsigned int hdr)
{
	int size = hdr;

	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->flags = flags;
	t->fd = tap_queue(name, flags);
	if (flags & IFF_VNET_HDR) {
		if (ioctl(t->fd, TUNSETVNETHDRSZ, &size))
			bail("TUNSETVNETHDRSZ %u", hdr);
		t->hdr = hdr;
	}
	if (!(flags & IFF_NO_PI))
		t->hdr += sizeof(struct tun_pi);
	tap_up(name, true);
}

void tap_open(struct tapdev *t, const char *name)
{
	tap_make(t, name, TAP_PLAIN, 0);
}

void tap_close(struct tapdev *t)
{
	close(t->fd);
	t->fd = -1;
}

int tap_attach_try(int fd, bool attach)
{
	struct ifreq r = {
		.ifr_flags = attach ? IFF_ATTACH_QUEUE : IFF_DETACH_QUEUE,
	};

	return ioctl(fd, TUNSETQUEUE, &r);
}

bool tap_exists(const char *name)
{
	return if_nametoindex(name);
}

static bool is_gone(void *arg)
{
	return !tap_exists(arg);
}

bool tap_gone(const char *name)
{
	return wait_until(is_gone, (void *)name, WAIT_MS);
}

int tap_index(const char *name)
{
	int i = if_nametoindex(name);

	if (!i)
		bail("no device %s", name);
	return i;
}

/* An ioctl of any socket about the device. */
static int dev_ioctl(unsigned long cmd, struct ifreq *r)
{
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret, err;

	if (s < 0)
		bail("socket");
	ret = ioctl(s, cmd, r);
	err = errno;
	close(s);
	errno = err;
	return ret;
}

int tap_up_try(const char *name, bool up)
{
	struct ifreq r;

	name_request(&r, name);
	if (dev_ioctl(SIOCGIFFLAGS, &r))
		return -1;
	if (up)
		r.ifr_flags |= IFF_UP;
	else
		r.ifr_flags &= ~IFF_UP;
	return dev_ioctl(SIOCSIFFLAGS, &r);
}

void tap_up(const char *name, bool up)
{
	if (tap_up_try(name, up))
		bail("%s %s", name, up ? "up" : "down");
}

int tap_mtu_try(const char *name, int mtu)
{
	struct ifreq r;

	name_request(&r, name);
	r.ifr_mtu = mtu;
	return dev_ioctl(SIOCSIFMTU, &r);
}

void tap_mtu(const char *name, int mtu)
{
	if (tap_mtu_try(name, mtu))
		bail("%s mtu %d", name, mtu);
}

int tap_qlen_try(const char *name, int len)
{
	struct ifreq r;

	name_request(&r, name);
	r.ifr_qlen = len;
	return dev_ioctl(SIOCSIFTXQLEN, &r);
}

int tap_del(const char *name)
{
	const char *const argv[] = { "ip", "link", "del", name, NULL };

	return run(argv);
}

short fd_poll(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, ms);

	if (n < 0 && errno != EINTR)
		bail("poll");
	return n > 0 ? p.revents : 0;
}

void fd_nonblock(int fd, bool on)
{
	int fl = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? fl | O_NONBLOCK : fl & ~O_NONBLOCK);
}

int tap_sniffer(const char *name, __u16 ethertype)
{
	struct sockaddr_ll a = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ethertype),
		.sll_ifindex = tap_index(name),
	};
	int room = 8 << 20;
	int s = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof(a)))
		bail("packet socket on %s", name);
	setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return s;
}

long long link_stat(const char *name, const char *what)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", name,
		 what);
	return file_num(path);
}

/* SIOCETHTOOL with DATA; whether the device answered. */
static bool ethtool(const char *name, void *data)
{
	struct ifreq r;

	name_request(&r, name);
	r.ifr_data = data;
	return !dev_ioctl(SIOCETHTOOL, &r);
}

static __u32 ethtool_count(const char *name)
{
	struct {
		struct ethtool_sset_info info;
		__u32 n;
	} set = { .info.cmd = ETHTOOL_GSSET_INFO };

	set.info.sset_mask = 1ULL << ETH_SS_STATS;
	if (!ethtool(name, &set) || !set.info.sset_mask)
		return 0;
	return set.n;
}

/* The index of WHAT among N names, or N. */
static __u32 ethtool_find(const char *name, __u32 n, const char *what)
{
	struct ethtool_gstrings *s;
	__u32 i = n;

	s = calloc(1, sizeof(*s) + (n + 64) * ETH_GSTRING_LEN);
	if (!s)
		bail("no memory");
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = ETH_SS_STATS;
	s->len = n;
	if (ethtool(name, s))
		for (i = 0; i < s->len; i++)
			if (!strncmp((char *)s->data + i * ETH_GSTRING_LEN,
				     what, ETH_GSTRING_LEN))
				break;
	free(s);
	return i < n ? i : n;
}

long long ethtool_stat(const char *name, const char *what)
{
	__u32 n = ethtool_count(name), at;
	struct ethtool_stats *s;
	long long v = -1;

	at = ethtool_find(name, n, what);
	if (at >= n)
		return -1;
	s = calloc(1, sizeof(*s) + (n + 64) * sizeof(__u64));
	if (!s)
		bail("no memory");
	s->cmd = ETHTOOL_GSTATS;
	s->n_stats = n;
	if (ethtool(name, s))
		v = s->data[at];
	free(s);
	return v;
}

long long xsk_stat(const char *name, const char *dir, unsigned int q,
		   const char *what)
{
	char full[ETH_GSTRING_LEN + 32];

	snprintf(full, sizeof(full), "%s_queue_%u_xsk_%s", dir, q, what);
	return ethtool_stat(name, full);
}

struct stat_wait {
	const char *name, *dir, *what;
	unsigned int q;
	long long value;
};

static bool stat_there(void *arg)
{
	struct stat_wait *w = arg;

	return xsk_stat(w->name, w->dir, w->q, w->what) == w->value;
}

bool xsk_stat_is(const char *name, const char *dir, unsigned int q,
		 const char *what, long long value)
{
	struct stat_wait w = { name, dir, what, q, value };

	return wait_until(stat_there, &w, WAIT_MS / 4);
}

int netns_new(void)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || unshare(CLONE_NEWNET))
		bail("a new network namespace");
	return fd;
}

void netns_enter(int fd)
{
	if (setns(fd, CLONE_NEWNET))
		bail("setns");
}
