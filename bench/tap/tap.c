// SPDX-License-Identifier: GPL-2.0-only
/* TAP devices, and the packets that go through them. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap_bench.h"

static void set_name(char to[IFNAMSIZ], const char *name)
{
	snprintf(to, IFNAMSIZ, "%.*s", IFNAMSIZ - 1, name);
}

/* An ioctl of network devices, on a socket made for it. */
static int device_ioctl(unsigned long request, void *arg, const char *what)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return tap_complain("socket");
	ret = ioctl(fd, request, arg);
	if (ret < 0)
		tap_complain(what);
	close(fd);
	return ret < 0 ? -1 : 0;
}

/*
 * Up, and without ARP: packets to whatever neighbour leave at once, with the
 * device's own address as their destination.
 */
static int bring_up(const struct tap *t)
{
	struct ifreq ifr = { .ifr_flags = IFF_UP | IFF_NOARP };

	set_name(ifr.ifr_name, t->name);
	return device_ioctl(SIOCSIFFLAGS, &ifr, "bringing the TAP device up");
}

static int read_mac(struct tap *t)
{
	struct ifreq ifr = {};

	set_name(ifr.ifr_name, t->name);
	if (device_ioctl(SIOCGIFHWADDR, &ifr, "SIOCGIFHWADDR"))
		return -1;
	memcpy(t->mac, ifr.ifr_hwaddr.sa_data, sizeof(t->mac));
	return 0;
}

/**
 * tap_open() - make a TAP device and bring it up
 * @t: the device
 * @name: what it is called
 * @flags: IFF_VNET_HDR: packets have a header in front, of 12 bytes; or 0
 *
 * Return: 0, or -1 after a message.
 */
int tap_open(struct tap *t, const char *name, int flags)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI | flags };
	int header = 12;

	set_name(ifr.ifr_name, name);
	t->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (t->fd < 0)
		return tap_complain("/dev/net/tun");
	if (ioctl(t->fd, TUNSETIFF, &ifr)) {
		tap_complain("TUNSETIFF");
		goto fail;
	}
	if (flags & IFF_VNET_HDR && ioctl(t->fd, TUNSETVNETHDRSZ, &header)) {
		tap_complain("TUNSETVNETHDRSZ");
		goto fail;
	}
	set_name(t->name, ifr.ifr_name);
	t->ifindex = if_nametoindex(t->name);
	if (!read_mac(t) && !bring_up(t))
		return 0;
fail:
	tap_close(t);
	return -1;
}

/**
 * tap_close() - the device goes with its only descriptor
 * @t: the device
 */
void tap_close(struct tap *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/**
 * tap_set_address() - give it an IPv4 address, with a network of 256
 * @t: the device
 * @address: in dotted notation
 *
 * Return: 0, or -1 after a message.
 */
int tap_set_address(const struct tap *t, const char *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct ifreq ifr = {};

	set_name(ifr.ifr_name, t->name);
	inet_pton(AF_INET, address, &in.sin_addr);
	memcpy(&ifr.ifr_addr, &in, sizeof(in));
	if (device_ioctl(SIOCSIFADDR, &ifr, "SIOCSIFADDR"))
		return -1;
	inet_pton(AF_INET, "255.255.255.0", &in.sin_addr);
	memcpy(&ifr.ifr_netmask, &in, sizeof(in));
	return device_ioctl(SIOCSIFNETMASK, &ifr, "SIOCSIFNETMASK");
}

static int add_port(const char *bridge, const struct tap *t)
{
	struct ifreq ifr = { .ifr_ifindex = t->ifindex };

	set_name(ifr.ifr_name, bridge);
	return device_ioctl(SIOCBRADDIF, &ifr, "adding a TAP device to the bridge");
}

/**
 * tap_bridge() - make a bridge of two devices
 * @bridge: its name
 * @a: one
 * @b: the other
 *
 * Return: 0, or -1 after a message.
 */
int tap_bridge(const char *bridge, const struct tap *a, const struct tap *b)
{
	struct ifreq ifr = { .ifr_flags = IFF_UP };
	char name[IFNAMSIZ] = {};

	set_name(name, bridge);
	set_name(ifr.ifr_name, bridge);
	if (device_ioctl(SIOCBRADDBR, name, "making a bridge (is there the module bridge?)"))
		return -1;
	if (!add_port(bridge, a) && !add_port(bridge, b) &&
	    !device_ioctl(SIOCSIFFLAGS, &ifr, "bringing the bridge up"))
		return 0;
	tap_unbridge(bridge);
	return -1;
}

/**
 * tap_unbridge() - remove a bridge
 * @bridge: its name
 */
void tap_unbridge(const char *bridge)
{
	struct ifreq ifr = {};
	char name[IFNAMSIZ] = {};

	set_name(name, bridge);
	set_name(ifr.ifr_name, bridge);
	device_ioctl(SIOCSIFFLAGS, &ifr, "taking the bridge down");
	device_ioctl(SIOCBRDELBR, name, "removing the bridge");
}

/**
 * tap_drain() - read what is left, until there is nothing for 10 ms
 * @t: the device
 */
void tap_drain(const struct tap *t)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	__u8 packet[MAX_SIZE];

	while (poll(&p, 1, 10) == 1 && read(t->fd, packet, sizeof(packet)) > 0)
		;
}

static __u16 ip_checksum(const __u8 *header)
{
	__u32 sum = 0;
	int i;

	for (i = 0; i < 20; i += 2)
		sum += header[i] << 8 | header[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put16(__u8 *at, __u16 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

/**
 * tap_packet() - a UDP datagram in an Ethernet frame
 * @packet: where it is written
 * @size: bytes of the whole frame
 * @mac: where it goes
 * @from: IPv4 source, in dotted notation
 * @to: IPv4 destination
 * @port: where it goes
 */
void tap_packet(__u8 *packet, size_t size, const __u8 mac[6],
		const char *from, const char *to, __u16 port)
{
	static const __u8 source[6] = { 0x02, 0, 0, 0, 0, 0x77 };
	__u8 *ip = packet + 14, *udp = ip + 20;
	size_t i;

	memset(packet, 0, HEADERS);
	memcpy(packet, mac, 6);
	memcpy(packet + 6, source, 6);
	put16(packet + 12, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, size - 14);
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	inet_pton(AF_INET, from, ip + 12);
	inet_pton(AF_INET, to, ip + 16);
	put16(ip + 10, ip_checksum(ip));
	put16(udp, port);
	put16(udp + 2, port);
	put16(udp + 4, size - 34);
	for (i = HEADERS; i < size; i++)
		packet[i] = i * 7 + size;
}
