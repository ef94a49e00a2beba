// SPDX-License-Identifier: GPL-2.0-only
/*
 * rpmsg endpoints as file descriptors (RPMSG_CREATE_EPT_FD_IOCTL).
 *
 * Objects and lifetimes
 *
 *   struct eptfd      one endpoint fd. Owned by its struct file: made before it,
 *                     freed by its release.
 *   struct eptfd_set  the endpoint fds of one control device. Held by the
 *                     control device and by each of its eptfds, so it outlives
 *                     both; an fd that is still open holds no device, and the
 *                     number of a control device that went can be used again.
 *   rpmsg_endpoint    belongs to the rpmsg core. An eptfd is "linked" from the
 *                     creation of its endpoint to the destruction: on its set's
 *                     list, counted in eptfd_live. Three may end it, whoever is
 *                     first: RPMSG_DESTROY_EPT_IOCTL, the last close, and the
 *                     removal of the remote (eptfd_set_kill()). From then on the
 *                     fd is inert and touches neither endpoint nor transport.
 *
 * Locks, outermost first
 *
 *   eptfd_set.lock    mutex: rpdev, the list, and with it every change of
 *                     eptfd.linked. Held while an endpoint is created or
 *                     destroyed, so that a removal waits for both.
 *   eptfd.lock        mutex: ept, tx, tx_messages, tx_bytes. Held while a message
 *                     is handed to the transport, never while waiting for a
 *                     buffer.
 *   eptfd.qlock       spinlock, any context: messages, queue.
 *
 * Under none of them is user memory touched: a page fault that never ends stalls
 * its own caller only.
 *
 * Contexts: eptfd_rx() and eptfd_flow() run in whatever context the transport
 * calls back in, under the endpoint's cb_lock where it has one; after
 * rpmsg_destroy_ept() they run no more. Everything else is process context.
 *
 * End of an endpoint: ept is cleared (writers fail), the endpoint is destroyed
 * (no more messages come), state is set (readers may conclude that an empty
 * queue stays empty), sleepers are woken, linked is cleared. Clearing linked is
 * the last touch of the object by whoever ends it: see eptfd_release().
 */

#include <linux/anon_inodes.h>
#include <linux/atomic.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "eptfd.h"
#include "eptfd_args.h"
#include "eptfd_queue.h"
#include "txwait.h"

static_assert(sizeof(struct rpmsg_endpoint_fd_info) == 48);
static_assert(RPMSG_CREATE_EPT_FD_IOCTL == 0xC030B507);
static_assert(RPMSG_ADDR_ANY == EPTFD_ADDR_ANY);

/* How often a blocked writer looks where the transport tells nothing. */
#define EPTFD_RETRY_MS	10

enum eptfd_state {
	EPTFD_LIVE,
	EPTFD_DESTROYED,
	EPTFD_REMOVED,
};

/**
 * struct eptfd_set - the endpoint fds of one control device
 * @refs: the control device and each struct eptfd
 * @lock: guards the fields below
 * @rpdev: what endpoints are created on; NULL once the remote is gone
 * @list: linked struct eptfd
 */
struct eptfd_set {
	struct kref refs;
	struct mutex lock;	/* outermost */
	struct rpmsg_device *rpdev;
	struct hlist_head list;
};

/**
 * struct eptfd_msg - a received message
 * @node: in struct eptfd's messages
 * @len: length of the payload
 * @data: the payload
 */
struct eptfd_msg {
	struct list_head node;
	size_t len;
	u8 data[];
};

/**
 * struct eptfd - one endpoint fd
 * @set: its set; a reference is held
 * @node: in @set's list while @linked; under set->lock
 * @linked: there is an endpoint; written under set->lock, see the file header
 * @readable: the access mode receives; constant
 * @flow_paused: the remote asked us to pause; READ_ONCE and WRITE_ONCE
 * @flow_updated: and that was not read yet; READ_ONCE and WRITE_ONCE
 * @state: enum eptfd_state; written under set->lock, read by anybody
 * @chinfo: name and addresses as they turned out; constant once visible
 * @mtu: longest message to send; constant once visible
 * @waitq: everybody who waits on the fd
 * @lock: guards @ept, @tx, @tx_messages, @tx_bytes
 * @ept: the endpoint, NULL from its end on
 * @tx: our entry on the transport's wait queue
 * @tx_messages: messages sent
 * @tx_bytes: payload bytes sent
 * @qlock: guards @messages, @queue
 * @messages: struct eptfd_msg, oldest first
 * @queue: accounting of @messages
 */
struct eptfd {
	struct eptfd_set *set;
	struct hlist_node node;
	bool linked;
	bool readable;
	bool flow_paused;
	bool flow_updated;
	int state;
	struct rpmsg_channel_info chinfo;
	size_t mtu;
	wait_queue_head_t waitq;

	struct mutex lock;	/* below set->lock */
	struct rpmsg_endpoint *ept;
	struct txwait tx;
	u64 tx_messages;
	u64 tx_bytes;

	spinlock_t qlock;	/* innermost */
	struct list_head messages;
	struct eptfd_queue queue;
};

static bool ept_fd = true;
module_param(ept_fd, bool, 0644);
MODULE_PARM_DESC(ept_fd, "Offer RPMSG_CREATE_EPT_FD_IOCTL (default: Y)");

/* Linked eptfds of all sets. */
static atomic_t eptfd_live = ATOMIC_INIT(0);

static int eptfd_live_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&eptfd_live));
}

static const struct kernel_param_ops eptfd_live_ops = {
	.get = eptfd_live_get,
};

module_param_cb(ept_fd_live, &eptfd_live_ops, NULL, 0444);
MODULE_PARM_DESC(ept_fd_live, "Endpoint fds that hold a live endpoint now");

bool eptfd_enabled(void)
{
	return READ_ONCE(ept_fd);
}

/* ---- receiving ---------------------------------------------------------- */

/* A dropped message is gone: nobody is told but the counter. */
static void eptfd_drop(struct eptfd *ep)
{
	unsigned long flags;

	spin_lock_irqsave(&ep->qlock, flags);
	eptfd_queue_drop(&ep->queue);
	spin_unlock_irqrestore(&ep->qlock, flags);
}

static bool eptfd_enqueue(struct eptfd *ep, struct eptfd_msg *msg)
{
	unsigned long flags;
	bool fits;

	spin_lock_irqsave(&ep->qlock, flags);
	fits = eptfd_queue_add(&ep->queue, msg->len);
	if (fits)
		list_add_tail(&msg->node, &ep->messages);
	spin_unlock_irqrestore(&ep->qlock, flags);

	return fits;
}

static struct eptfd_msg *eptfd_dequeue(struct eptfd *ep)
{
	struct eptfd_msg *msg;
	unsigned long flags;

	spin_lock_irqsave(&ep->qlock, flags);
	msg = list_first_entry_or_null(&ep->messages, struct eptfd_msg, node);
	if (msg) {
		list_del(&msg->node);
		eptfd_queue_take(&ep->queue, msg->len);
	}
	spin_unlock_irqrestore(&ep->qlock, flags);

	return msg;
}

static bool eptfd_has_message(const struct eptfd *ep)
{
	return !list_empty_careful(&ep->messages);
}

static void eptfd_purge(struct eptfd *ep)
{
	struct eptfd_msg *msg;

	if (!eptfd_has_message(ep))
		return;
	while ((msg = eptfd_dequeue(ep)))
		kfree(msg);
}

/*
 * Looking before waking spares the lock of an empty queue. The barrier in
 * wq_has_sleeper() pairs with one between going on the queue and looking for
 * the event: in wait_event, in eptfd_poll(), and for writers ep->lock.
 */
static void eptfd_wake(struct eptfd *ep, __poll_t events)
{
	if (wq_has_sleeper(&ep->waitq))
		wake_up_interruptible_poll(&ep->waitq, events);
}

/* What concerns everybody, waiters with EPOLLEXCLUSIVE too. */
static void eptfd_wake_all(struct eptfd *ep, __poll_t events)
{
	if (wq_has_sleeper(&ep->waitq))
		__wake_up(&ep->waitq, TASK_INTERRUPTIBLE, 0,
			  poll_to_key(events));
}

/*
 * Copies and returns, so that the transport has its buffer back at once however
 * slow the reader is.
 */
static int eptfd_rx(struct rpmsg_device *rpdev, void *buf, int len, void *priv,
		    u32 src)
{
	struct eptfd *ep = priv;
	struct eptfd_msg *msg = NULL;

	/* A hint only, to spare the allocation; eptfd_enqueue() decides. */
	if (ep->readable && data_race(eptfd_queue_fits(&ep->queue, len)))
		msg = kmalloc(struct_size(msg, data, len),
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!msg) {
		eptfd_drop(ep);
		return 0;
	}

	msg->len = len;
	memcpy(msg->data, buf, len);
	if (!eptfd_enqueue(ep, msg)) {
		kfree(msg);
		eptfd_drop(ep);
		return 0;
	}
	eptfd_wake(ep, EPOLLIN | EPOLLRDNORM);
	return 0;
}

static int eptfd_flow(struct rpmsg_device *rpdev, void *priv, bool enable)
{
	struct eptfd *ep = priv;

	WRITE_ONCE(ep->flow_paused, enable);
	/* Pairs with eptfd_get_flow(): whoever sees it sees the value. */
	smp_store_release(&ep->flow_updated, true);
	eptfd_wake_all(ep, EPOLLPRI);
	return 0;
}

static enum eptfd_state eptfd_state(const struct eptfd *ep)
{
	/* Pairs with eptfd_end_locked(): what was queued before is seen. */
	return smp_load_acquire(&ep->state);
}

/* A message to read; -EPIPE or -EAGAIN when there is none. */
static struct eptfd_msg *eptfd_next(struct eptfd *ep)
{
	/* In this order: after the end no message is added. */
	enum eptfd_state state = eptfd_state(ep);
	struct eptfd_msg *msg = eptfd_dequeue(ep);

	if (msg)
		return msg;
	return ERR_PTR(state == EPTFD_LIVE ? -EAGAIN : -EPIPE);
}

static bool eptfd_nonblock(const struct kiocb *iocb)
{
	return (iocb->ki_filp->f_flags & O_NONBLOCK) ||
	       (iocb->ki_flags & IOCB_NOWAIT);
}

static ssize_t eptfd_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct eptfd *ep = iocb->ki_filp->private_data;
	struct eptfd_msg *msg;
	ssize_t ret;

	for (;;) {
		msg = eptfd_next(ep);
		if (msg != ERR_PTR(-EAGAIN) || eptfd_nonblock(iocb))
			break;
		ret = wait_event_interruptible(ep->waitq,
					       eptfd_has_message(ep) ||
					       eptfd_state(ep) != EPTFD_LIVE);
		if (ret)
			return ret;
	}
	if (IS_ERR(msg))
		return PTR_ERR(msg);

	ret = min(iov_iter_count(to), msg->len);
	if (copy_to_iter(msg->data, ret, to) != ret)
		ret = -EFAULT;
	kfree(msg);
	return ret;
}

/* ---- sending ------------------------------------------------------------ */

/* One try; -EAGAIN without a buffer, with the wake-up ordered if @wait. */
static int eptfd_try_send(struct eptfd *ep, void *buf, size_t len, bool wait)
{
	u32 dst = ep->chinfo.dst;
	int ret = -EPIPE;

	mutex_lock(&ep->lock);
	if (!ep->ept)
		goto unlock;

	ret = rpmsg_trysendto(ep->ept, buf, len, dst);
	if (eptfd_no_room(ret) && (wait || txwait_armed(&ep->tx))) {
		/* Order the wake-up, then look again: see txwait_poll(). */
		txwait_poll(&ep->tx, ep->ept, NULL, &ep->waitq);
		ret = rpmsg_trysendto(ep->ept, buf, len, dst);
	}
	if (eptfd_no_room(ret))
		ret = -EAGAIN;
	if (!ret) {
		ep->tx_messages++;
		ep->tx_bytes += len;
	}
unlock:
	mutex_unlock(&ep->lock);
	return ret;
}

/* Where the transport cannot be polled, look again from time to time. */
static long eptfd_send_timeout(struct eptfd *ep)
{
	long timeout = MAX_SCHEDULE_TIMEOUT;

	mutex_lock(&ep->lock);
	if (ep->ept && !txwait_armed(&ep->tx))
		timeout = msecs_to_jiffies(EPTFD_RETRY_MS);
	mutex_unlock(&ep->lock);
	return timeout;
}

/*
 * rpmsg_sendto() would do the waiting, but on the transport's queue, where a
 * removal cannot wake us, and for 15 seconds at most.
 */
static int eptfd_send(struct eptfd *ep, void *buf, size_t len)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int ret;

	add_wait_queue(&ep->waitq, &wait);
	for (;;) {
		ret = eptfd_try_send(ep, buf, len, true);
		if (ret != -EAGAIN)
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		wait_woken(&wait, TASK_INTERRUPTIBLE, eptfd_send_timeout(ep));
	}
	remove_wait_queue(&ep->waitq, &wait);
	return ret;
}

static ssize_t eptfd_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct eptfd *ep = iocb->ki_filp->private_data;
	size_t len = iov_iter_count(from);
	ssize_t ret;
	void *buf;

	if (eptfd_state(ep) != EPTFD_LIVE)
		return -EPIPE;
	if (ep->chinfo.dst == RPMSG_ADDR_ANY)
		return -EINVAL;
	if (len > ep->mtu)
		return -EMSGSIZE;

	buf = kmalloc(len, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	if (!copy_from_iter_full(buf, len, from))
		ret = -EFAULT;
	else if (eptfd_nonblock(iocb))
		ret = eptfd_try_send(ep, buf, len, false);
	else
		ret = eptfd_send(ep, buf, len);
	kfree(buf);

	return ret ?: len;
}

/* ---- poll --------------------------------------------------------------- */

/* Is there room to send; true where the transport cannot tell. */
static __poll_t eptfd_poll_tx(struct eptfd *ep)
{
	__poll_t mask = EPOLLHUP | EPOLLERR;

	mutex_lock(&ep->lock);
	if (ep->ept) {
		mask = txwait_poll(&ep->tx, ep->ept, NULL, &ep->waitq);
		if (!txwait_armed(&ep->tx))
			mask = EPOLLOUT;
		if (mask & EPOLLOUT)
			mask |= EPOLLWRNORM;
	}
	mutex_unlock(&ep->lock);
	return mask;
}

static __poll_t eptfd_poll(struct file *filp, poll_table *wait)
{
	const __poll_t out = EPOLLOUT | EPOLLWRNORM;
	struct eptfd *ep = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &ep->waitq, wait);
	/* Pairs with eptfd_wake(): on the queue first, then look. */
	smp_mb();

	if (eptfd_state(ep) != EPTFD_LIVE)
		mask |= EPOLLHUP | EPOLLERR;
	else if ((filp->f_mode & FMODE_WRITE) &&
		 (poll_requested_events(wait) & out))
		mask |= eptfd_poll_tx(ep);
	if (READ_ONCE(ep->flow_updated))
		mask |= EPOLLPRI;
	/* After the state: a message queued before the end is seen. */
	if (eptfd_has_message(ep))
		mask |= EPOLLIN | EPOLLRDNORM;

	return mask;
}

/* ---- the life of an endpoint -------------------------------------------- */

/* The last reference is gone: there is no eptfd and no control device. */
static void eptfd_set_release(struct kref *refs)
{
	kfree(container_of(refs, struct eptfd_set, refs));
}

void eptfd_set_put(struct eptfd_set *set)
{
	if (set)
		kref_put(&set->refs, eptfd_set_release);
}

struct eptfd_set *eptfd_set_create(struct rpmsg_device *rpdev)
{
	struct eptfd_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	kref_init(&set->refs);
	mutex_init(&set->lock);
	INIT_HLIST_HEAD(&set->list);
	set->rpdev = rpdev;
	return set;
}

static struct eptfd *eptfd_alloc(struct eptfd_set *set,
				 const struct rpmsg_endpoint_fd_info *info)
{
	struct eptfd *ep = kzalloc(sizeof(*ep), GFP_KERNEL);

	if (!ep)
		return NULL;
	kref_get(&set->refs);
	ep->set = set;
	ep->readable = eptfd_can_read(info->flags);
	memcpy(ep->chinfo.name, info->name, RPMSG_NAME_SIZE - 1);
	ep->chinfo.src = info->src;
	ep->chinfo.dst = info->dst;
	init_waitqueue_head(&ep->waitq);
	mutex_init(&ep->lock);
	spin_lock_init(&ep->qlock);
	INIT_LIST_HEAD(&ep->messages);
	return ep;
}

static void eptfd_free(struct eptfd *ep)
{
	eptfd_purge(ep);
	eptfd_set_put(ep->set);
	kfree(ep);
}

/* Nobody but the transport and a removal knows of @ep yet. */
static int eptfd_begin_locked(struct eptfd_set *set, struct eptfd *ep)
{
	struct rpmsg_endpoint *ept;
	u32 src = ep->chinfo.src;

	if (!set->rpdev)
		return -ENETRESET;
	ept = rpmsg_create_ept(set->rpdev, eptfd_rx, ep, ep->chinfo);
	/* All refusals look alike, but no memory as good as never comes twice. */
	if (!ept && src != RPMSG_ADDR_ANY)
		ept = rpmsg_create_ept(set->rpdev, eptfd_rx, ep, ep->chinfo);
	if (!ept)
		return eptfd_create_errno(src);
	compat_set_flow_cb(ept, eptfd_flow);

	ep->chinfo.src = ept->addr;
	ep->mtu = eptfd_mtu(rpmsg_get_mtu(ept));
	ep->ept = ept;
	ep->linked = true;
	hlist_add_head(&ep->node, &set->list);
	atomic_inc(&eptfd_live);
	return 0;
}

static int eptfd_begin(struct eptfd *ep)
{
	struct eptfd_set *set = ep->set;
	int ret;

	mutex_lock(&set->lock);
	ret = eptfd_begin_locked(set, ep);
	mutex_unlock(&set->lock);
	return ret;
}

/* Under set->lock. @ep may be freed at any time after linked is cleared. */
static void eptfd_end_locked(struct eptfd *ep, enum eptfd_state state)
{
	struct rpmsg_endpoint *ept;

	mutex_lock(&ep->lock);
	ept = ep->ept;
	ep->ept = NULL;
	txwait_disarm(&ep->tx);
	mutex_unlock(&ep->lock);

	rpmsg_destroy_ept(ept);
	hlist_del(&ep->node);
	atomic_dec(&eptfd_live);

	/* Pairs with eptfd_state(). */
	smp_store_release(&ep->state, state);
	eptfd_wake_all(ep, EPOLLHUP | EPOLLERR | EPOLLIN | EPOLLRDNORM);
	/* Pairs with eptfd_release(). */
	smp_store_release(&ep->linked, false);
}

static void eptfd_end(struct eptfd *ep, enum eptfd_state state)
{
	struct eptfd_set *set = ep->set;

	mutex_lock(&set->lock);
	if (ep->linked)
		eptfd_end_locked(ep, state);
	mutex_unlock(&set->lock);
}

void eptfd_set_kill(struct eptfd_set *set)
{
	struct hlist_node *next;
	struct eptfd *ep;

	mutex_lock(&set->lock);
	set->rpdev = NULL;
	hlist_for_each_entry_safe(ep, next, &set->list, node)
		eptfd_end_locked(ep, EPTFD_REMOVED);
	mutex_unlock(&set->lock);
}

/*
 * Nobody else has the file any more; only a removal may be at work on @ep, and
 * that is over when linked is seen cleared, or else when set->lock was had.
 */
static int eptfd_release(struct inode *inode, struct file *filp)
{
	struct eptfd *ep = filp->private_data;

	/* Pairs with eptfd_end_locked(). */
	if (smp_load_acquire(&ep->linked))
		eptfd_end(ep, EPTFD_DESTROYED);
	eptfd_free(ep);
	return 0;
}

/* ---- ioctls and fdinfo -------------------------------------------------- */

static long eptfd_destroy(struct eptfd *ep)
{
	eptfd_end(ep, EPTFD_DESTROYED);
	eptfd_purge(ep);
	return 0;
}

static long eptfd_get_flow(struct eptfd *ep, int __user *uarg)
{
	WRITE_ONCE(ep->flow_updated, false);
	/* Cleared before the value is read: a later update sets it again. */
	smp_mb();
	return put_user(READ_ONCE(ep->flow_paused), uarg);
}

static long eptfd_set_flow(struct eptfd *ep, unsigned long pause)
{
	long ret = -EPIPE;

	if (pause > 1)
		return -EINVAL;

	mutex_lock(&ep->lock);
	if (ep->ept)
		ret = compat_set_flow_control(ep->ept, pause, ep->chinfo.dst);
	mutex_unlock(&ep->lock);
	return ret;
}

static long eptfd_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct eptfd *ep = filp->private_data;

	if (cmd == RPMSG_DESTROY_EPT_IOCTL)
		return eptfd_destroy(ep);
	if (COMPAT_FLOW_CONTROL && cmd == RPMSG_GET_OUTGOING_FLOWCONTROL)
		return eptfd_get_flow(ep, (int __user *)arg);
	if (COMPAT_FLOW_CONTROL && cmd == RPMSG_SET_INCOMING_FLOWCONTROL)
		return eptfd_set_flow(ep, arg);
	return -EINVAL;
}

static const char *eptfd_mode_name(const struct file *filp)
{
	static const char * const names[] = { "-", "r", "w", "rw" };

	return names[!!(filp->f_mode & FMODE_READ) +
		     2 * !!(filp->f_mode & FMODE_WRITE)];
}

static void eptfd_show_fdinfo(struct seq_file *m, struct file *filp)
{
	static const char * const states[] = { "live", "destroyed", "removed" };
	struct eptfd *ep = filp->private_data;
	struct eptfd_queue queue;
	u64 tx_messages, tx_bytes;

	mutex_lock(&ep->lock);
	tx_messages = ep->tx_messages;
	tx_bytes = ep->tx_bytes;
	mutex_unlock(&ep->lock);
	spin_lock_irq(&ep->qlock);
	queue = ep->queue;
	spin_unlock_irq(&ep->qlock);

	/* The name is the user's: it must not forge a line. */
	seq_puts(m, "rpmsg-name:\t");
	seq_escape(m, ep->chinfo.name, "\n\r\t\\");
	seq_putc(m, '\n');
	seq_printf(m, "rpmsg-src:\t0x%08x\n", ep->chinfo.src);
	seq_printf(m, "rpmsg-dst:\t0x%08x\n", ep->chinfo.dst);
	seq_printf(m, "rpmsg-mode:\t%s\n", eptfd_mode_name(filp));
	seq_printf(m, "rpmsg-state:\t%s\n", states[eptfd_state(ep)]);
	seq_printf(m, "rpmsg-queued:\t%u\n", queue.messages);
	seq_printf(m, "rpmsg-queued-bytes:\t%u\n", queue.bytes);
	seq_printf(m, "rpmsg-rx-messages:\t%llu\n", queue.rx_messages);
	seq_printf(m, "rpmsg-rx-bytes:\t%llu\n", queue.rx_bytes);
	seq_printf(m, "rpmsg-rx-dropped:\t%llu\n", queue.rx_dropped);
	seq_printf(m, "rpmsg-tx-messages:\t%llu\n", tx_messages);
	seq_printf(m, "rpmsg-tx-bytes:\t%llu\n", tx_bytes);
}

/* The owner keeps the module as long as a file is open. */
static const struct file_operations eptfd_fops = {
	.owner = THIS_MODULE,
	.release = eptfd_release,
	.read_iter = eptfd_read_iter,
	.write_iter = eptfd_write_iter,
	.poll = eptfd_poll,
	.unlocked_ioctl = eptfd_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = eptfd_show_fdinfo,
};

/* ---- creation ----------------------------------------------------------- */

static struct file *eptfd_file(struct eptfd_set *set,
			       const struct rpmsg_endpoint_fd_info *info)
{
	struct eptfd *ep = eptfd_alloc(set, info);
	struct file *file;

	if (!ep)
		return ERR_PTR(-ENOMEM);
	file = anon_inode_getfile("[rpmsg-ept]", &eptfd_fops, ep,
				  info->flags & (O_ACCMODE | O_NONBLOCK));
	if (IS_ERR(file))
		eptfd_free(ep);
	return file;
}

/*
 * Endpoint first, then the answer, without a lock: the file is not to be seen
 * yet, so nobody can use or close it. A removal in between only makes it inert.
 */
static long eptfd_start(struct file *file, struct rpmsg_endpoint_fd_info *info,
			void __user *uinfo)
{
	struct eptfd *ep = file->private_data;
	int ret = eptfd_begin(ep);

	if (ret)
		return ret;
	info->src = ep->chinfo.src;
	if (copy_to_user(uinfo, info, sizeof(*info))) {
		eptfd_end(ep, EPTFD_DESTROYED);
		return -EFAULT;
	}
	return 0;
}

long eptfd_create(struct eptfd_set *set, void __user *uinfo)
{
	struct rpmsg_endpoint_fd_info info;
	struct file *file;
	long ret;
	int fd;

	if (copy_from_user(&info, uinfo, sizeof(info)))
		return -EFAULT;
	ret = eptfd_check_args(info.flags, info.src);
	if (ret)
		return ret;

	fd = get_unused_fd_flags(info.flags & O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = eptfd_file(set, &info);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto put_fd;
	}
	info.fd = fd;
	ret = eptfd_start(file, &info, uinfo);
	if (ret)
		goto put_file;

	fd_install(fd, file);
	return 0;

put_file:
	fput(file);
put_fd:
	put_unused_fd(fd);
	return ret;
}

/* ---- the stock ioctls --------------------------------------------------- */

/* Would rpmsg_release_channel() find the control device itself? */
static bool eptfd_names_ctrl(const struct rpmsg_device *rpdev,
			     const struct rpmsg_channel_info *chinfo)
{
	return (chinfo->src == RPMSG_ADDR_ANY || chinfo->src == rpdev->src) &&
	       (chinfo->dst == RPMSG_ADDR_ANY || chinfo->dst == rpdev->dst) &&
	       !strncmp(chinfo->name, rpdev->id.name, RPMSG_NAME_SIZE);
}

int eptfd_ctrl_check(const struct rpmsg_device *rpdev, unsigned int cmd,
		     const struct rpmsg_channel_info *chinfo)
{
	switch (cmd) {
	case RPMSG_RELEASE_DEV_IOCTL:
		if (rpdev && eptfd_names_ctrl(rpdev, chinfo))
			return -EBUSY;
		fallthrough;
	case RPMSG_CREATE_EPT_IOCTL:
	case RPMSG_CREATE_DEV_IOCTL:
		return rpdev ? 0 : -ENETRESET;
	default:
		return 0;
	}
}
