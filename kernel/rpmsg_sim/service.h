/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Services of a remote: what answers at an address, and how.
 *
 * Lifetime: from mkdir to rmdir of its configfs directory; if Linux was told of
 * it, until Linux has been told that it is gone, or the remote stops, whichever
 * is first (it then sits on the remote's list @leaving). Lock: the remote's
 * @lock guards all services of that remote. The functions for remote.c are
 * called with it held; those for configfs.c take it.
 *
 * A new kind of behaviour is one more struct sim_behaviour. A later issue adds
 * one that hands messages to user space; it will want its own queue, and calls
 * sim_remote_kick() when it has something to send.
 */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include <linux/list.h>
#include <linux/types.h>

#include "message.h"
#include "pace.h"

struct sim_msg;
struct sim_remote;
struct sim_service;

#define SIM_ADDR_FIRST	1024u	/* where addresses are given out from */
#define SIM_SIZE_MAX	496u	/* payload of virtio_rpmsg_bus's buffers */

/**
 * struct sim_behaviour - what a service does
 * @name: for configfs
 * @receive: take a message; 0, or -ENOBUFS to be offered it again when Linux
 *	has given us buffers
 * @due: how many messages to send on its own account now, asked only when it is
 *	known to whom; NULL: never any
 * @wait: nanoseconds until @due has more; U64_MAX: not by the passing of time
 */
struct sim_behaviour {
	const char *name;
	int (*receive)(struct sim_service *svc, const struct sim_msg *msg);
	u32 (*due)(struct sim_service *svc, u64 now);
	u64 (*wait)(const struct sim_service *svc, u64 now);
};

/* What can be read of a service, as one consistent picture. */
struct sim_service_info {
	u32 addr;
	u32 dst;
	u32 last_src;
	u32 rate;
	u32 size;
	bool announce;
	const char *behaviour;
	u64 rx_messages;
	u64 tx_messages;
};

/* for remote.c */
int sim_services_receive(struct sim_remote *r, const struct sim_msg *msg);
void sim_services_announce(struct sim_remote *r);
bool sim_services_transmit(struct sim_remote *r, u64 now);
void sim_services_start(struct sim_remote *r);
void sim_services_reset(struct sim_remote *r);

/* for configfs.c */
struct sim_service *sim_service_create(struct sim_remote *r, const char *name);
void sim_service_retire(struct sim_service *svc);
void sim_service_info(struct sim_service *svc, struct sim_service_info *info);
int sim_service_set_addr(struct sim_service *svc, u32 addr);
int sim_service_set_dst(struct sim_service *svc, u32 dst);
int sim_service_set_rate(struct sim_service *svc, u32 rate);
int sim_service_set_size(struct sim_service *svc, u32 size);
int sim_service_set_announce(struct sim_service *svc, bool on);
int sim_service_set_behaviour(struct sim_service *svc, const char *name);
int sim_service_burst(struct sim_service *svc, u32 count);

#endif
