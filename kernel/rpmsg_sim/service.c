// SPDX-License-Identifier: GPL-2.0-only
/*
 * Services of a remote. See service.h for lifetimes and locks.
 *
 * Of the name service only two facts are kept: whether a service is to be
 * announced, and whether it is. Each turn sends what brings the second to the
 * first, so nothing is queued and nothing has to be allocated for it.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "remote.h"
#include "service.h"

/**
 * struct sim_service - a service
 * @remote: its remote
 * @node: in the remote's list @services or @leaving
 * @name: as announced
 * @addr: where it answers
 * @dst: where it sends to; MSG_ADDR_ANY: to @last_src
 * @last_src: who sent to it last; MSG_ADDR_ANY: nobody since the last start
 * @behaviour: what it does
 * @announce: Linux is to know of it
 * @announced: Linux knows of it
 * @pace: when a source sends
 * @size: payload of what it sends on its own account
 * @seq: sequence number of the next of these
 * @burst: how many are to be sent at once
 * @rx_messages: counter
 * @tx_messages: counter, without announcements
 */
struct sim_service {
	struct sim_remote *remote;
	struct list_head node;
	char name[MSG_NAME_LEN];
	u32 addr;
	u32 dst;
	u32 last_src;
	const struct sim_behaviour *behaviour;
	bool announce;
	bool announced;
	struct pace pace;
	u32 size;
	u64 seq;
	u64 burst;
	u64 rx_messages;
	u64 tx_messages;
};

/* Where @svc sends to on its own account; MSG_ADDR_ANY: nowhere yet. */
static u32 sim_service_target(const struct sim_service *svc)
{
	return svc->dst == MSG_ADDR_ANY ? svc->last_src : svc->dst;
}

static int sim_service_send(struct sim_service *svc, u32 dst, const u8 *data,
			    u32 len)
{
	int ret = sim_remote_send(svc->remote, svc->addr, dst, data, len);

	if (!ret)
		svc->tx_messages++;
	return ret;
}

static int sim_echo_receive(struct sim_service *svc, const struct sim_msg *msg)
{
	return sim_service_send(svc, msg->hdr.src, msg->data, msg->hdr.len);
}

static int sim_sink_receive(struct sim_service *svc, const struct sim_msg *msg)
{
	return 0;
}

static u32 sim_source_due(struct sim_service *svc, u64 now)
{
	return pace_due(&svc->pace, now);
}

static u64 sim_source_wait(const struct sim_service *svc, u64 now)
{
	if (!svc->pace.rate || sim_service_target(svc) == MSG_ADDR_ANY)
		return U64_MAX;
	return pace_wait(&svc->pace, now);
}

static const struct sim_behaviour sim_behaviours[] = {
	{ .name = "echo", .receive = sim_echo_receive },
	{ .name = "sink", .receive = sim_sink_receive },
	{
		.name = "source",
		.receive = sim_sink_receive,
		.due = sim_source_due,
		.wait = sim_source_wait,
	},
};

static struct sim_service *sim_service_at(struct sim_remote *r, u32 addr)
{
	struct sim_service *svc;

	list_for_each_entry(svc, &r->services, node)
		if (svc->addr == addr)
			return svc;
	return NULL;
}

/* Nothing is owed for the time when there was nobody to send to. */
static void sim_service_heard(struct sim_service *svc, u32 src)
{
	if (sim_service_target(svc) == MSG_ADDR_ANY)
		pace_restart(&svc->pace, ktime_get_ns());
	svc->last_src = src;
}

/**
 * sim_services_receive() - a message has arrived
 * @r: the remote, locked
 * @msg: the message
 *
 * Return: 0 when done with it, also if nobody is at its address; -ENOBUFS to be
 * offered it again when Linux has given us buffers.
 */
int sim_services_receive(struct sim_remote *r, const struct sim_msg *msg)
{
	struct sim_service *svc = sim_service_at(r, msg->hdr.dst);
	int ret;

	if (!svc)
		return 0;
	ret = svc->behaviour->receive(svc, msg);
	if (ret)
		return ret;
	svc->rx_messages++;
	sim_service_heard(svc, msg->hdr.src);
	return 0;
}

/* Tell Linux that @svc is there, or gone. */
static int sim_service_tell(struct sim_service *svc, bool there)
{
	struct msg_ns ns = { .addr = svc->addr, .destroy = !there };
	u8 raw[MSG_NS_LEN];
	int ret;

	strscpy(ns.name, svc->name, sizeof(ns.name));
	msg_ns_encode(raw, &ns);
	ret = sim_remote_send(svc->remote, MSG_NS_ADDR, MSG_NS_ADDR, raw,
			      sizeof(raw));
	if (ret)
		return ret;
	svc->announced = there;
	svc->remote->stats.announces++;
	return 0;
}

static void sim_service_free(struct sim_service *svc)
{
	list_del(&svc->node);
	kfree(svc);
}

/**
 * sim_services_announce() - tell Linux what it should know but does not
 * @r: the remote, running and locked
 *
 * Those that leave come first: another may have taken their name and address.
 */
void sim_services_announce(struct sim_remote *r)
{
	struct sim_service *svc, *next;

	lockdep_assert_held(&r->lock);
	if (!r->has_ns)
		return;
	list_for_each_entry_safe(svc, next, &r->leaving, node) {
		if (sim_service_tell(svc, false))
			return;
		sim_service_free(svc);
	}
	list_for_each_entry(svc, &r->services, node)
		if (svc->announce != svc->announced &&
		    sim_service_tell(svc, svc->announce))
			return;
}

/* How many messages @svc has to send on its own account now. */
static u64 sim_service_due(struct sim_service *svc, u64 now)
{
	if (sim_service_target(svc) == MSG_ADDR_ANY)
		return 0;
	if (!svc->behaviour->due)
		return svc->burst;
	return svc->burst + svc->behaviour->due(svc, now);
}

/* Send the next message of the sequence, of the burst if there is one. */
static int sim_service_emit(struct sim_service *svc)
{
	u8 *out = svc->remote->out;
	int ret;

	msg_fill(out, svc->size, svc->seq);
	ret = sim_service_send(svc, sim_service_target(svc), out, svc->size);
	if (ret)
		return ret;
	svc->seq++;
	if (svc->burst)
		svc->burst--;
	else
		svc->pace.sent++;
	return 0;
}

/* Returns -ENOBUFS, or whether @svc has more to send at once. */
static int sim_service_transmit(struct sim_service *svc, u64 now)
{
	u64 due = sim_service_due(svc, now);
	unsigned int budget = SIM_TURN_SEND;

	for (; due && budget; due--, budget--)
		if (sim_service_emit(svc))
			return -ENOBUFS;
	return !!due;
}

/* When the first service has something to send again; U64_MAX: never. */
static u64 sim_services_wait(struct sim_remote *r, u64 now)
{
	struct sim_service *svc;
	u64 wait = U64_MAX;

	list_for_each_entry(svc, &r->services, node)
		if (svc->behaviour->wait)
			wait = min(wait, svc->behaviour->wait(svc, now));
	return wait;
}

/**
 * sim_services_transmit() - send what the services have to send by themselves
 * @r: the remote, running and locked
 * @now: the time
 *
 * Return: whether there is more to send at once. If Linux is out of buffers
 * there is not: its next kick brings us back.
 */
bool sim_services_transmit(struct sim_remote *r, u64 now)
{
	struct sim_service *svc;
	bool more = false;
	u64 wait;
	int ret;

	lockdep_assert_held(&r->lock);
	list_for_each_entry(svc, &r->services, node) {
		ret = sim_service_transmit(svc, now);
		if (ret < 0) {
			/* who came too late is first in the next turn */
			list_rotate_to_front(&svc->node, &r->services);
			return false;
		}
		more |= ret;
	}
	wait = sim_services_wait(r, now);
	if (!more && wait != U64_MAX)
		sim_remote_wake_in(r, wait);
	return more;
}

/**
 * sim_services_start() - a driver has come
 * @r: the remote, locked
 */
void sim_services_start(struct sim_remote *r)
{
	struct sim_service *svc;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&r->lock);
	list_for_each_entry(svc, &r->services, node)
		pace_restart(&svc->pace, now);
}

/**
 * sim_services_reset() - forget all that was with the driver that goes
 * @r: the remote, locked
 */
void sim_services_reset(struct sim_remote *r)
{
	struct sim_service *svc, *next;

	lockdep_assert_held(&r->lock);
	list_for_each_entry_safe(svc, next, &r->leaving, node)
		sim_service_free(svc);
	list_for_each_entry(svc, &r->services, node) {
		svc->announced = false;
		svc->last_src = MSG_ADDR_ANY;
		svc->burst = 0;
	}
}

static u32 sim_free_addr(struct sim_remote *r)
{
	u32 addr = SIM_ADDR_FIRST;

	while (sim_service_at(r, addr))
		addr++;
	return addr;
}

/**
 * sim_service_create() - add a service to a remote, live or not
 * @r: the remote
 * @name: its name, shorter than MSG_NAME_LEN
 *
 * Return: the service or an ERR_PTR().
 */
struct sim_service *sim_service_create(struct sim_remote *r, const char *name)
{
	struct sim_service *svc = kzalloc(sizeof(*svc), GFP_KERNEL);

	if (!svc)
		return ERR_PTR(-ENOMEM);
	svc->remote = r;
	strscpy(svc->name, name, sizeof(svc->name));
	svc->dst = MSG_ADDR_ANY;
	svc->last_src = MSG_ADDR_ANY;
	svc->behaviour = &sim_behaviours[0];
	svc->announce = true;
	svc->pace.rate = 100;
	svc->size = 32;

	mutex_lock(&r->lock);
	svc->addr = sim_free_addr(r);
	list_add_tail(&svc->node, &r->services);
	mutex_unlock(&r->lock);
	sim_remote_kick(r);
	return svc;
}

/**
 * sim_service_retire() - take a service away
 * @svc: the service, not to be used again
 */
void sim_service_retire(struct sim_service *svc)
{
	struct sim_remote *r = svc->remote;

	mutex_lock(&r->lock);
	if (svc->announced)
		list_move_tail(&svc->node, &r->leaving);
	else
		sim_service_free(svc);
	mutex_unlock(&r->lock);
	sim_remote_kick(r);
}

/**
 * sim_service_info() - read all there is to read
 * @svc: the service
 * @info: set
 */
void sim_service_info(struct sim_service *svc, struct sim_service_info *info)
{
	mutex_lock(&svc->remote->lock);
	*info = (struct sim_service_info) {
		.addr = svc->addr,
		.dst = svc->dst,
		.last_src = svc->last_src,
		.rate = svc->pace.rate,
		.size = svc->size,
		.announce = svc->announce,
		.behaviour = svc->behaviour->name,
		.rx_messages = svc->rx_messages,
		.tx_messages = svc->tx_messages,
	};
	mutex_unlock(&svc->remote->lock);
}

/**
 * sim_service_set_addr() - choose the address
 * @svc: the service
 * @addr: the address
 *
 * Return: 0; -EINVAL if it is the name service's or no address at all;
 * -EBUSY while Linux knows of the service, or is about to; -EADDRINUSE.
 */
int sim_service_set_addr(struct sim_service *svc, u32 addr)
{
	struct sim_remote *r = svc->remote;
	struct sim_service *other;
	int ret = 0;

	if (addr == MSG_NS_ADDR || addr == MSG_ADDR_ANY)
		return -EINVAL;
	mutex_lock(&r->lock);
	other = sim_service_at(r, addr);
	if (svc->announced || (r->running && svc->announce))
		ret = -EBUSY;
	else if (other && other != svc)
		ret = -EADDRINUSE;
	else
		svc->addr = addr;
	mutex_unlock(&r->lock);
	return ret;
}

/**
 * sim_service_set_dst() - choose where to send to
 * @svc: the service
 * @dst: an address of Linux; MSG_ADDR_ANY: to whoever sent to it last
 *
 * Return: 0.
 */
int sim_service_set_dst(struct sim_service *svc, u32 dst)
{
	mutex_lock(&svc->remote->lock);
	svc->dst = dst;
	pace_restart(&svc->pace, ktime_get_ns());
	mutex_unlock(&svc->remote->lock);
	sim_remote_kick(svc->remote);
	return 0;
}

/**
 * sim_service_set_rate() - choose how fast a source is
 * @svc: the service
 * @rate: messages a second, 0: none
 *
 * Return: 0 or -ERANGE.
 */
int sim_service_set_rate(struct sim_service *svc, u32 rate)
{
	if (rate > PACE_RATE_MAX)
		return -ERANGE;
	mutex_lock(&svc->remote->lock);
	svc->pace.rate = rate;
	pace_restart(&svc->pace, ktime_get_ns());
	mutex_unlock(&svc->remote->lock);
	sim_remote_kick(svc->remote);
	return 0;
}

/**
 * sim_service_set_size() - choose how long its own messages are
 * @svc: the service
 * @size: bytes of payload
 *
 * Return: 0 or -ERANGE.
 */
int sim_service_set_size(struct sim_service *svc, u32 size)
{
	if (size > SIM_SIZE_MAX)
		return -ERANGE;
	mutex_lock(&svc->remote->lock);
	svc->size = size;
	mutex_unlock(&svc->remote->lock);
	return 0;
}

/**
 * sim_service_set_announce() - tell Linux of it or not
 * @svc: the service
 * @on: which; at once, if the remote is live
 *
 * Return: 0.
 */
int sim_service_set_announce(struct sim_service *svc, bool on)
{
	mutex_lock(&svc->remote->lock);
	svc->announce = on;
	mutex_unlock(&svc->remote->lock);
	sim_remote_kick(svc->remote);
	return 0;
}

/**
 * sim_service_set_behaviour() - choose what it does
 * @svc: the service
 * @name: name of the behaviour, maybe with a newline after it
 *
 * Return: 0; -EINVAL if there is none of that name.
 */
int sim_service_set_behaviour(struct sim_service *svc, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sim_behaviours); i++)
		if (sysfs_streq(name, sim_behaviours[i].name))
			break;
	if (i == ARRAY_SIZE(sim_behaviours))
		return -EINVAL;
	mutex_lock(&svc->remote->lock);
	svc->behaviour = &sim_behaviours[i];
	pace_restart(&svc->pace, ktime_get_ns());
	mutex_unlock(&svc->remote->lock);
	sim_remote_kick(svc->remote);
	return 0;
}

/**
 * sim_service_burst() - send messages at once
 * @svc: the service
 * @count: how many, beside those that wait already
 *
 * Return: 0; -ERANGE if too many wait; -ENOTCONN if no driver is there to
 * receive them; -EDESTADDRREQ if it is not known to whom to send.
 */
int sim_service_burst(struct sim_service *svc, u32 count)
{
	struct sim_remote *r = svc->remote;
	int ret = 0;

	mutex_lock(&r->lock);
	if (!r->running)
		ret = -ENOTCONN;
	else if (sim_service_target(svc) == MSG_ADDR_ANY)
		ret = -EDESTADDRREQ;
	else if (!count || svc->burst + count > U32_MAX)
		ret = -ERANGE;
	else
		svc->burst += count;
	mutex_unlock(&r->lock);
	sim_remote_kick(r);
	return ret;
}
