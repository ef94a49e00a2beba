// SPDX-License-Identifier: GPL-2.0-only
/*
 * Be the other side of a TAP device, as a virtual machine is: count the packets
 * that tap-send numbers, until none comes for five seconds.
 *
 *   cc -o tap-read docs/examples/tap-read.c
 *   ./tap-read tap0
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NUMBER_AT	42	/* behind the Ethernet, IPv4 and UDP headers */
#define PATIENCE	5000	/* milliseconds */

/* The descriptor of TAP device @name, which is made if it is not there. */
static int open_tap(const char *name)
{
	struct ifreq req = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &req)) {
		perror(name);
		return -1;
	}
	return fd;
}

/* The next packet of tap-send: its number, or -1. Others are passed over. */
static long next_number(int fd)
{
	static const unsigned char from[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	unsigned char packet[2048];
	unsigned int number;
	ssize_t len;

	while (poll(&readable, 1, PATIENCE) > 0) {
		len = read(fd, packet, sizeof(packet));
		if (len < 0) {
			perror("read");
			return -1;
		}
		if (len < NUMBER_AT + (ssize_t)sizeof(number) ||
		    memcmp(packet + ETH_ALEN, from, ETH_ALEN))
			continue;
		memcpy(&number, packet + NUMBER_AT, sizeof(number));
		return ntohl(number);
	}
	return -1;
}

int main(int argc, char **argv)
{
	unsigned long n = 0, disorder = 0;
	long number;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: tap-read DEVICE\n");
		return 2;
	}
	fd = open_tap(argv[1]);
	if (fd < 0)
		return 1;
	while ((number = next_number(fd)) >= 0)
		disorder += (unsigned long)number != n++;
	printf("read %lu packets, %s\n", n,
	       disorder ? "not as they were numbered" : "each in its turn");
	return disorder || !n;
}
