// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated remote processor. See remote.h for lifetimes, locks, contexts.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/virtio_ring.h>

#include "compat.h"
#include "remote.h"
#include "service.h"
#include "virtio_dev.h"

/* Sources are served in batches of at least this much time. */
#define SIM_TICK_NS	(NSEC_PER_SEC / 1000)

static struct workqueue_struct *sim_wq;

/**
 * sim_remote_kick() - let the remote look at its rings and services
 * @r: the remote
 *
 * From any context; in vain, but harmless, when it is not running.
 */
void sim_remote_kick(struct sim_remote *r)
{
	queue_work(sim_wq, &r->run);
}

/**
 * sim_remote_wake_in() - kick the remote later
 * @r: the remote, running and locked
 * @ns: when
 */
void sim_remote_wake_in(struct sim_remote *r, u64 ns)
{
	lockdep_assert_held(&r->lock);
	hrtimer_start(&r->timer, ns_to_ktime(max_t(u64, ns, SIM_TICK_NS)),
		      HRTIMER_MODE_REL);
}

static enum hrtimer_restart sim_remote_timer(struct hrtimer *timer)
{
	sim_remote_kick(container_of(timer, struct sim_remote, timer));
	return HRTIMER_NORESTART;
}

/* Write one message into the receive buffer @chain. */
static int sim_remote_fill(const struct sim_chain *chain,
			   const struct msg_hdr *hdr, const u8 *data)
{
	u8 raw[MSG_HDR_LEN];
	int ret;

	if (chain->bytes < MSG_HDR_LEN + hdr->len)
		return -EPROTO;
	msg_hdr_encode(raw, hdr);
	ret = sim_chain_write(chain, 0, raw, MSG_HDR_LEN);
	return ret ?: sim_chain_write(chain, MSG_HDR_LEN, data, hdr->len);
}

/**
 * sim_remote_send() - send a message to Linux
 * @r: the remote, locked
 * @src: address of the sender
 * @dst: address of the receiver
 * @data: payload
 * @len: bytes of it
 *
 * Return: 0; -ENOBUFS if Linux has no buffer for it now: keep the message and
 * send it in a later turn, since Linux kicks when it has buffers again.
 */
int sim_remote_send(struct sim_remote *r, u32 src, u32 dst, const u8 *data,
		    u32 len)
{
	struct msg_hdr hdr = { .src = src, .dst = dst, .len = len };
	struct sim_chain chain;
	int ret;

	lockdep_assert_held(&r->lock);
	while ((ret = sim_ring_peek(&r->to_linux, &chain))) {
		if (ret > 0 && !sim_remote_fill(&chain, &hdr, data)) {
			sim_ring_give_back(&r->to_linux, &chain,
					   MSG_HDR_LEN + len);
			r->stats.tx_messages++;
			r->stats.tx_bytes += len;
			return 0;
		}
		/* malformed, or too short for this one: useless to us */
		r->stats.malformed++;
		if (ret > 0)
			sim_ring_drop(&r->to_linux, &chain);
	}
	r->stats.no_buffer++;
	return -ENOBUFS;
}

/* Read the message in @chain; its payload goes to r->in. */
static int sim_remote_fetch(struct sim_remote *r, const struct sim_chain *chain,
			    struct sim_msg *msg)
{
	u8 raw[MSG_HDR_LEN];
	int ret;

	ret = sim_chain_read(chain, 0, raw, MSG_HDR_LEN);
	ret = ret ?: msg_hdr_decode(&msg->hdr, raw, chain->bytes);
	ret = ret ?: sim_chain_read(chain, MSG_HDR_LEN, r->in, msg->hdr.len);
	msg->data = r->in;
	return ret;
}

/* Linux announced a service of its own: we know no use for it but to count. */
static int sim_remote_heard(struct sim_remote *r, const struct sim_msg *msg)
{
	struct msg_ns ns;
	int ret = msg_ns_decode(&ns, msg->data, msg->hdr.len);

	if (!ret)
		r->stats.announces++;
	return ret;
}

/*
 * Hand the message in @chain to whom it is for. Returns 0 when done with it,
 * -ENOBUFS to be offered it again, -EPROTO if it was malformed.
 */
static int sim_remote_deliver(struct sim_remote *r,
			      const struct sim_chain *chain)
{
	struct sim_msg msg;
	int ret;

	ret = sim_remote_fetch(r, chain, &msg);
	if (!ret && msg.hdr.dst == MSG_NS_ADDR)
		ret = sim_remote_heard(r, &msg);
	else if (!ret)
		ret = sim_services_receive(r, &msg);
	if (ret)
		return ret;
	r->stats.rx_messages++;
	r->stats.rx_bytes += msg.hdr.len;
	return 0;
}

/* Take what Linux sent. Returns whether there may be more to take at once. */
static bool sim_remote_receive(struct sim_remote *r)
{
	unsigned int budget = SIM_TURN_RECEIVE;
	struct sim_chain chain;
	int ret;

	while (!r->hold_tx && budget--) {
		ret = sim_ring_peek(&r->from_linux, &chain);
		if (!ret)
			return false;
		if (ret < 0) {
			r->stats.malformed++;
			continue;
		}
		ret = sim_remote_deliver(r, &chain);
		/* leave it there: that is the back-pressure on Linux */
		if (ret == -ENOBUFS)
			return false;
		if (ret)
			r->stats.malformed++;
		sim_ring_give_back(&r->from_linux, &chain, 0);
	}
	return !r->hold_tx;
}

/* Let Linux see what the turn has done: one interrupt a ring, if at all. */
static void sim_remote_interrupt(struct sim_remote *r)
{
	if (sim_ring_show(&r->to_linux))
		queue_work(sim_wq, &r->irq);
	/* by virtio's rules this callback does not sleep; it wakes senders */
	if (sim_ring_show(&r->from_linux))
		vring_interrupt(0, r->from_linux.vq);
}

static void sim_remote_run(struct work_struct *work)
{
	struct sim_remote *r = container_of(work, struct sim_remote, run);
	bool again = false;

	mutex_lock(&r->lock);
	if (r->running) {
		sim_services_announce(r);
		again = sim_remote_receive(r);
		again |= sim_services_transmit(r, ktime_get_ns());
		sim_remote_interrupt(r);
	}
	mutex_unlock(&r->lock);
	if (again)
		sim_remote_kick(r);
}

/* Lock against the virtqueue's end: sim_remote_stop() waits for this work. */
static void sim_remote_irq(struct work_struct *work)
{
	struct sim_remote *r = container_of(work, struct sim_remote, irq);
	struct virtqueue *vq;

	mutex_lock(&r->lock);
	vq = r->running ? r->to_linux.vq : NULL;
	mutex_unlock(&r->lock);
	if (vq)
		vring_interrupt(0, vq);
}

/**
 * sim_remote_attach() - the driver has set up its rings
 * @r: the remote
 * @to_linux: virtqueue of Linux's receive buffers
 * @from_linux: virtqueue of messages from Linux
 */
void sim_remote_attach(struct sim_remote *r, struct virtqueue *to_linux,
		       struct virtqueue *from_linux)
{
	mutex_lock(&r->lock);
	sim_ring_attach(&r->to_linux, to_linux, true);
	sim_ring_attach(&r->from_linux, from_linux, false);
	mutex_unlock(&r->lock);
}

/**
 * sim_remote_start() - the driver is ready (DRIVER_OK)
 * @r: the remote
 * @has_ns: the driver knows the name service
 */
void sim_remote_start(struct sim_remote *r, bool has_ns)
{
	mutex_lock(&r->lock);
	r->running = r->to_linux.vq && r->from_linux.vq;
	r->has_ns = has_ns;
	sim_services_start(r);
	mutex_unlock(&r->lock);
	sim_remote_kick(r);
}

/**
 * sim_remote_sync() - wait until nothing runs that began before
 * @r: the remote
 */
void sim_remote_sync(struct sim_remote *r)
{
	flush_work(&r->run);
	flush_work(&r->irq);
}

/**
 * sim_remote_stop() - the driver resets the device
 * @r: the remote, running or not
 *
 * On return no ring is touched and no callback runs, until the next start. May
 * have to wait for a callback of an rpmsg driver, as for any interrupt handler.
 */
void sim_remote_stop(struct sim_remote *r)
{
	mutex_lock(&r->lock);
	r->running = false;
	sim_services_reset(r);
	mutex_unlock(&r->lock);
	/* @run arms the timer only while running, so this is final */
	hrtimer_cancel(&r->timer);
	cancel_work_sync(&r->run);
	cancel_work_sync(&r->irq);
}

/**
 * sim_remote_detach() - the driver takes its rings away
 * @r: the remote; stopped here if the driver, failing to probe, did not
 */
void sim_remote_detach(struct sim_remote *r)
{
	sim_remote_stop(r);
	mutex_lock(&r->lock);
	sim_ring_detach(&r->to_linux);
	sim_ring_detach(&r->from_linux);
	mutex_unlock(&r->lock);
}

static void sim_remote_set_dev_name(struct sim_remote *r, const char *name)
{
	mutex_lock(&r->lock);
	strscpy(r->dev_name, name, sizeof(r->dev_name));
	mutex_unlock(&r->lock);
}

static int sim_remote_go_live(struct sim_remote *r)
{
	struct sim_vdev *vdev;

	vdev = sim_vdev_register(r, r->num_bufs, r->name_service);
	if (IS_ERR(vdev))
		return PTR_ERR(vdev);
	r->vdev = vdev;
	sim_remote_set_dev_name(r, sim_vdev_name(vdev));
	sim_vdev_request_drivers(vdev);
	return 0;
}

static void sim_remote_go_dead(struct sim_remote *r)
{
	sim_remote_set_dev_name(r, "");
	sim_vdev_unregister(r->vdev);
	r->vdev = NULL;
}

/**
 * sim_remote_set_live() - register or remove the virtio device
 * @r: the remote
 * @live: which; nothing happens if it is so already
 *
 * Return: 0 or an errno; then the remote is as before.
 */
int sim_remote_set_live(struct sim_remote *r, bool live)
{
	int ret = 0;

	if (mutex_lock_interruptible(&r->live_lock))
		return -ERESTARTSYS;
	if (live && !r->vdev)
		ret = sim_remote_go_live(r);
	else if (!live && r->vdev)
		sim_remote_go_dead(r);
	mutex_unlock(&r->live_lock);
	return ret;
}

/**
 * sim_remote_set_num_bufs() - set the size of the rings
 * @r: the remote
 * @num: entries of each
 *
 * Return: 0; -ERANGE; -EBUSY while live; -ERESTARTSYS.
 */
int sim_remote_set_num_bufs(struct sim_remote *r, u32 num)
{
	int ret = -EBUSY;

	if (!ring_num_ok(num))
		return -ERANGE;
	if (mutex_lock_interruptible(&r->live_lock))
		return -ERESTARTSYS;
	if (!r->vdev) {
		WRITE_ONCE(r->num_bufs, num);
		ret = 0;
	}
	mutex_unlock(&r->live_lock);
	return ret;
}

/**
 * sim_remote_set_name_service() - offer the name service or not
 * @r: the remote
 * @on: which
 *
 * Return: 0; -EBUSY while live; -ERESTARTSYS.
 */
int sim_remote_set_name_service(struct sim_remote *r, bool on)
{
	int ret = -EBUSY;

	if (mutex_lock_interruptible(&r->live_lock))
		return -ERESTARTSYS;
	if (!r->vdev) {
		WRITE_ONCE(r->name_service, on);
		ret = 0;
	}
	mutex_unlock(&r->live_lock);
	return ret;
}

/**
 * sim_remote_set_hold_tx() - stop or resume to take what Linux sends
 * @r: the remote
 * @on: stop
 *
 * Return: 0.
 */
int sim_remote_set_hold_tx(struct sim_remote *r, bool on)
{
	mutex_lock(&r->lock);
	r->hold_tx = on;
	mutex_unlock(&r->lock);
	sim_remote_kick(r);
	return 0;
}

/**
 * sim_remote_info() - read settings and state
 * @r: the remote
 * @info: set
 *
 * Does not wait for one that is going live.
 */
void sim_remote_info(struct sim_remote *r, struct sim_remote_info *info)
{
	mutex_lock(&r->lock);
	memcpy(info->dev_name, r->dev_name, sizeof(info->dev_name));
	info->num_bufs = READ_ONCE(r->num_bufs);
	info->name_service = READ_ONCE(r->name_service);
	info->hold_tx = r->hold_tx;
	mutex_unlock(&r->lock);
}

/**
 * sim_remote_stats() - read the counters
 * @r: the remote
 * @stats: set
 */
void sim_remote_stats(struct sim_remote *r, struct sim_stats *stats)
{
	mutex_lock(&r->lock);
	*stats = r->stats;
	mutex_unlock(&r->lock);
}

/**
 * sim_remote_create() - make a remote, not live
 * @name: its name
 *
 * Return: the remote or an ERR_PTR().
 */
struct sim_remote *sim_remote_create(const char *name)
{
	struct sim_remote *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->name = kstrdup(name, GFP_KERNEL);
	if (!r->name) {
		kfree(r);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&r->live_lock);
	mutex_init(&r->lock);
	INIT_LIST_HEAD(&r->services);
	INIT_LIST_HEAD(&r->leaving);
	INIT_WORK(&r->run, sim_remote_run);
	INIT_WORK(&r->irq, sim_remote_irq);
	sim_timer_setup(&r->timer, sim_remote_timer);
	r->num_bufs = RING_NUM_MAX;
	r->name_service = true;
	return r;
}

/**
 * sim_remote_destroy() - remove a remote, live or not
 * @r: the remote; no service is left, and nobody else knows it any more
 */
void sim_remote_destroy(struct sim_remote *r)
{
	mutex_lock(&r->live_lock);
	if (r->vdev)
		sim_remote_go_dead(r);
	mutex_unlock(&r->live_lock);
	/* a kick from configfs may be left even of one that was never live */
	cancel_work_sync(&r->run);
	mutex_destroy(&r->live_lock);
	mutex_destroy(&r->lock);
	kfree(r->name);
	kfree(r);
}

/**
 * sim_remote_init() - make what all remotes share
 *
 * Return: 0 or -ENOMEM.
 */
int sim_remote_init(void)
{
	/* unbound: echo runs beside the sender, not after it on its CPU */
	sim_wq = alloc_workqueue("rpmsg_sim", WQ_UNBOUND, 0);
	return sim_wq ? 0 : -ENOMEM;
}

/**
 * sim_remote_exit() - undo sim_remote_init(); no remote is left
 */
void sim_remote_exit(void)
{
	destroy_workqueue(sim_wq);
}
