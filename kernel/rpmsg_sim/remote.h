/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A remote: the simulated processor at the other side of one virtio device.
 * What it does with messages is its services' business (service.h); how Linux
 * finds it is virtio_dev.h's.
 *
 * Lifetime: from mkdir to rmdir of its configfs directory. It outlives every
 * virtio device that it goes live with, and every service.
 *
 * Locks, outermost first:
 *   @live_lock: serializes going live and not, and guards the settings that
 *	must not change in between (@num_bufs, @name_service) and @vdev. Held
 *	across registering and unregistering the virtio device, that is across
 *	the probe and remove of its driver, and so across every function that
 *	virtio_dev.c calls here. The work items never take it.
 *   @lock: the remote's state: rings, services, counters. A ring is touched
 *	only under it and only while @running, so clearing @running under it
 *	ends all access. Never held while Linux's receive callback runs.
 *
 * Contexts: sim_remote_kick() is called from anywhere, everything else in
 * process context. Three things run by themselves:
 *   @run: one turn of the processor: takes messages, answers, sends what is due.
 *   @irq: the interrupt line of Linux's receive ring. Its handler runs the
 *	callbacks of rpmsg drivers, which may well block until we return a Tx
 *	buffer, so @run must not wait for it.
 *   @timer: queues @run when a source has something to send.
 */
#ifndef SIM_REMOTE_H
#define SIM_REMOTE_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "message.h"
#include "vring_dev.h"

struct sim_service;
struct sim_vdev;

/* Limits of one turn, so that neither side and no service is kept waiting. */
#define SIM_TURN_RECEIVE	64
#define SIM_TURN_SEND		64

#define SIM_DEV_NAME_LEN	24

/**
 * struct sim_stats - counters of a remote since it was made
 * @rx_messages: messages received from Linux, whatever their address
 * @rx_bytes: bytes of payload in these
 * @tx_messages: messages sent to Linux, announcements included
 * @tx_bytes: bytes of payload in these
 * @announces: name-service messages, both kinds, both ways
 * @no_buffer: times that there was no rx buffer to send in
 * @malformed: ring entries and messages that made no sense
 */
struct sim_stats {
	u64 rx_messages;
	u64 rx_bytes;
	u64 tx_messages;
	u64 tx_bytes;
	u64 announces;
	u64 no_buffer;
	u64 malformed;
};

/* What can be read of a remote beside its counters. */
struct sim_remote_info {
	char dev_name[SIM_DEV_NAME_LEN];
	unsigned int num_bufs;
	bool name_service;
	bool hold_tx;
};

/**
 * struct sim_msg - a message from Linux
 * @hdr: its header; @hdr.len bytes of payload are there
 * @data: its payload, a private copy
 */
struct sim_msg {
	struct msg_hdr hdr;
	const u8 *data;
};

/**
 * struct sim_remote - a simulated remote processor
 * @name: its name
 * @live_lock: see above
 * @vdev: the virtio device, NULL when not live (@live_lock)
 * @num_bufs: entries of a ring (@live_lock)
 * @name_service: offer VIRTIO_RPMSG_F_NS (@live_lock)
 * @lock: see above; guards everything below
 * @dev_name: name of the virtio device, empty when not live
 * @running: the driver is there (DRIVER_OK); the rings may be touched
 * @has_ns: VIRTIO_RPMSG_F_NS was agreed upon
 * @hold_tx: leave what Linux sends where it is
 * @to_linux: the ring of Linux's receive buffers
 * @from_linux: the ring of messages that Linux sent
 * @services: the services, in the order in which they are served
 * @leaving: services that are gone, but Linux does not know it yet
 * @stats: counters
 * @run: one turn
 * @irq: interrupt for @to_linux
 * @timer: wakes @run for sources
 * @in: payload of the message being received
 * @out: payload of the message being sent
 */
struct sim_remote {
	char *name;

	struct mutex live_lock;	/* the outer one */
	struct sim_vdev *vdev;
	unsigned int num_bufs;
	bool name_service;

	struct mutex lock;	/* the inner one */
	char dev_name[SIM_DEV_NAME_LEN];
	bool running;
	bool has_ns;
	bool hold_tx;
	struct sim_ring to_linux;
	struct sim_ring from_linux;
	struct list_head services;
	struct list_head leaving;
	struct sim_stats stats;

	struct work_struct run;
	struct work_struct irq;
	struct hrtimer timer;
	u8 in[RING_MAX_BYTES];
	u8 out[RING_MAX_BYTES];
};

/* for module.c */
int sim_remote_init(void);
void sim_remote_exit(void);

/* for configfs.c */
struct sim_remote *sim_remote_create(const char *name);
void sim_remote_destroy(struct sim_remote *r);
int sim_remote_set_live(struct sim_remote *r, bool live);
int sim_remote_set_num_bufs(struct sim_remote *r, u32 num);
int sim_remote_set_name_service(struct sim_remote *r, bool on);
int sim_remote_set_hold_tx(struct sim_remote *r, bool on);
void sim_remote_info(struct sim_remote *r, struct sim_remote_info *info);
void sim_remote_stats(struct sim_remote *r, struct sim_stats *stats);

/* for virtio_dev.c */
void sim_remote_attach(struct sim_remote *r, struct virtqueue *to_linux,
		       struct virtqueue *from_linux);
void sim_remote_detach(struct sim_remote *r);
void sim_remote_start(struct sim_remote *r, bool has_ns);
void sim_remote_stop(struct sim_remote *r);
void sim_remote_sync(struct sim_remote *r);

/* for everyone */
void sim_remote_kick(struct sim_remote *r);
int sim_remote_send(struct sim_remote *r, u32 src, u32 dst, const u8 *data,
		    u32 len);
void sim_remote_wake_in(struct sim_remote *r, u64 ns);

#endif
