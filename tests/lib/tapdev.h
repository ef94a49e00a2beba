/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TAP (and TUN) devices: making, changing, looking at them.
 *
 * A function that cannot do its work bails; the ones with _try report.
 */
#ifndef SHORTPATH_TAPDEV_H
#define SHORTPATH_TAPDEV_H

#include <linux/if_tun.h>
#include <linux/types.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TAP_PLAIN	(IFF_TAP | IFF_NO_PI)
#define TAP_VNET	(IFF_TAP | IFF_NO_PI | IFF_VNET_HDR)

struct tapdev {
	char name[IFNAMSIZ];
	int fd;			/* its first queue */
	int flags;
	unsigned int hdr;	/* bytes in front of each frame on the fd */
};

/* A queue's fd of device NAME (made when it is not there); -1 and errno. */
int tap_queue_try(const char *name, int flags);
int tap_queue(const char *name, int flags);
/* A new device, up, with the vnet header of HDR bytes if FLAGS ask for one. */
void tap_make(struct tapdev *t, const char *name, int flags,
	      unsigned int hdr);
/* The usual one: plain frames on the fd, an ordinary TAP. */
void tap_open(struct tapdev *t, const char *name);
/* Close the fd; the device goes with its last one. */
void tap_close(struct tapdev *t);

int tap_attach_try(int fd, bool attach);

bool tap_exists(const char *name);
/* Wait until the device is there, or not. */
bool tap_gone(const char *name);
int tap_index(const char *name);
int tap_up_try(const char *name, bool up);
void tap_up(const char *name, bool up);
int tap_mtu_try(const char *name, int mtu);
void tap_mtu(const char *name, int mtu);
int tap_qlen_try(const char *name, int len);
/* `ip link del`; its exit status. */
int tap_del(const char *name);

/* Wait MS for EVENTS; what came. */
short fd_poll(int fd, short events, int ms);
void fd_nonblock(int fd, bool on);

/* A packet socket that sees what arrives on the device, of one ethertype. */
int tap_sniffer(const char *name, __u16 ethertype);

/* One figure of `ip -s link` (/sys/class/net/NAME/statistics/WHAT). */
long long link_stat(const char *name, const char *what);
/* One figure of `ethtool -S`; -1 when there is none of that name. */
long long ethtool_stat(const char *name, const char *what);
/* The figure WHAT of queue Q, in full "tx_queue_Q_xsk_WHAT". */
long long xsk_stat(const char *name, const char *dir, unsigned int q,
		   const char *what);
/* Wait until it is exactly VALUE. */
bool xsk_stat_is(const char *name, const char *dir, unsigned int q,
		 const char *what, long long value);

/* Enter a new network namespace; the old one's fd. */
int netns_new(void);
void netns_enter(int fd);

#endif /* SHORTPATH_TAPDEV_H */
