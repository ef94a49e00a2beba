// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binding an AF_XDP socket to a TAP: which flags give zero-copy, each refusal
 * with its errno, the ways to share a UMEM, and that a refusal leaves nothing
 * behind. A stock kernel refuses XDP_ZEROCOPY and copies otherwise.
 *
 * With SHORTPATH_XSK=copy the program expects what a stock kernel does.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "taprig.h"

#define DEV	"tapb0"
#define DEV2	"tapb1"

static struct tapdev tap;

/* A device whose frames go through the fd unadorned. */
static void up(void)
{
	tap_open(&tap, DEV);
}

/* Bind with FLAGS; it must work and be zero-copy or not. */
static void binds(__u16 flags, bool zerocopy, const char *what)
{
	struct xsk x;

	xsk_make(&x, &XSK_BOTH);
	if (works(xsk_bind_try(&x, DEV, 0, flags), "%s: bind", what)) {
		is(xsk_zerocopy(&x), zerocopy, "%s: XDP_OPTIONS", what);
		flow_works(&x, tap.fd, 0, 200, what);
	}
	xsk_close(&x);
}

static void refuses(const char *dev, __u32 queue, __u16 flags, int err,
		    const char *what)
{
	struct xsk x;

	xsk_make(&x, &XSK_BOTH);
	fails(xsk_bind_try(&x, dev, queue, flags), err, "%s", what);
	xsk_close(&x);
}

struct rebind {
	struct xsk *x;
	const struct xsk *owner;	/* of a shared UMEM, or none */
	const char *dev;
	__u32 queue;
	__u16 flags;
	int err;
};

/* The kernel gives a queue free a moment after the last close. */
static bool bound(void *arg)
{
	struct rebind *r = arg;

	r->err = 0;
	if (r->owner ? !xsk_bind_shared_try(r->x, r->owner, r->dev, r->queue) :
		       !xsk_bind_try(r->x, r->dev, r->queue, r->flags))
		return true;
	r->err = errno;
	return errno != EBUSY;
}

static bool retry(struct rebind r)
{
	if (wait_until(bound, &r, WAIT_MS) && !r.err)
		return true;
	diag("bind: %s", err_name(r.err));
	return false;
}

static bool binds_soon(struct xsk *x, const char *dev, __u32 queue,
		       __u16 flags)
{
	return retry((struct rebind){ x, NULL, dev, queue, flags, 0 });
}

/* The errno that binding ends with once the queue is free. */
static int bind_errno(struct xsk *x, const char *dev, __u32 queue, __u16 flags)
{
	struct rebind r = { x, NULL, dev, queue, flags, 0 };

	wait_until(bound, &r, WAIT_MS);
	return r.err;
}

static bool shares_soon(struct xsk *x, const struct xsk *owner,
			const char *dev, __u32 queue)
{
	return retry((struct rebind){ x, owner, dev, queue, 0, 0 });
}

static void zerocopy(void)
{
	up();
	if (xsk_copy_mode()) {
		refuses(DEV, 0, XDP_ZEROCOPY, EOPNOTSUPP,
			"stock: XDP_ZEROCOPY");
	} else {
		binds(XDP_ZEROCOPY, true, "XDP_ZEROCOPY");
	}
	tap_close(&tap);
}

static void zerocopy_wakeup(void)
{
	up();
	binds(xsk_mode() | XDP_USE_NEED_WAKEUP, !xsk_copy_mode(),
	      "with XDP_USE_NEED_WAKEUP");
	tap_close(&tap);
}

static void copy(void)
{
	up();
	binds(XDP_COPY, false, "XDP_COPY");
	tap_close(&tap);
}

static void any_mode(void)
{
	up();
	binds(0, !xsk_copy_mode(), "neither flag");
	tap_close(&tap);
}

static void bad_flags(void)
{
	up();
	refuses(DEV, 0, XDP_COPY | XDP_ZEROCOPY, EINVAL, "both flags");
	refuses(DEV, 0, 0x8000, EINVAL, "a flag that is none");
	refuses("nosuchdev", 0, xsk_mode(), ENODEV, "no such device");
	binds(xsk_mode(), !xsk_copy_mode(), "and then a good one");
	tap_close(&tap);
}

/* One direction only is enough, and zero-copy means both. */
static void one_direction(void)
{
	struct xsk x;

	up();
	xsk_open(&x, &XSK_TXONLY, DEV, 0, 0);
	is(xsk_zerocopy(&x), !xsk_copy_mode(), "Tx ring only");
	flow_works(&x, tap.fd, 0, 200, "Tx ring only: frames arrive");
	xsk_close(&x);
	xsk_make(&x, &XSK_RXONLY);
	ok(binds_soon(&x, DEV, 0, xsk_mode()), "Rx ring only");
	is(xsk_zerocopy(&x), !xsk_copy_mode(), "Rx ring only: mode");
	fails(xsk_kick(&x), ENOBUFS, "which has nothing to send");
	xsk_close(&x);
	tap_close(&tap);
}

static void layer3(void)
{
	struct tapdev tun;
	struct xsk x;

	tap_make(&tun, "tunb0", IFF_TUN | IFF_NO_PI, 0);
	refuses("tunb0", 0, XDP_ZEROCOPY, EOPNOTSUPP, "a TUN: XDP_ZEROCOPY");
	xsk_make(&x, &XSK_BOTH);
	works(xsk_bind_try(&x, "tunb0", 0, 0), "a TUN: neither flag");
	is(xsk_zerocopy(&x), 0, "a TUN: which copies");
	xsk_close(&x);
	tap_close(&tun);
}

static void queue_range(void)
{
	static const __u32 wrong[] = { 1, 2, 255, 256, 65535 };
	struct xsk x, y;
	int second;
	size_t i;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refuses(DEV, wrong[i], xsk_mode(), EINVAL, "no such queue");
	second = tap_queue(DEV, tap.flags);
	refuses(DEV, 2, xsk_mode(), EINVAL, "two queues: there is no third");
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	xsk_open(&y, &XSK_BOTH, DEV, 1, 0);
	is(xsk_zerocopy(&y), !xsk_copy_mode(), "two queues: the second's mode");
	flow_works(&x, tap.fd, 0, 200, "queue 0 goes to the first fd");
	flow_works(&y, second, 0, 200, "queue 1 goes to the second fd");
	xsk_close(&x);
	xsk_close(&y);
	close(second);
	tap_close(&tap);
}

/* A frame of the MTU must fit into a chunk; who does not insist may copy. */
static void big_mtu(void)
{
	struct xsk_shape shape = XSK_SMALL;
	struct xsk x;

	up();
	tap_mtu(DEV, 2000);
	if (!xsk_copy_mode())
		refuses(DEV, 0, XDP_ZEROCOPY, EINVAL, "MTU 2000, chunks of 2048");
	xsk_make(&x, &XSK_BOTH);
	works(xsk_bind_try(&x, DEV, 0, 0), "neither flag: bind");
	is(xsk_zerocopy(&x), 0, "neither flag: it copies");
	flow_works(&x, tap.fd, 0, 100, "neither flag: frames arrive");
	xsk_close(&x);
	shape.chunk = 4096;
	xsk_make(&x, &shape);
	ok(binds_soon(&x, DEV, 0, xsk_mode()), "chunks of 4096 hold it");
	xsk_close(&x);
	tap_mtu(DEV, 1500);
	shape.chunk = 2048;
	shape.headroom = 512;
	xsk_make(&x, &shape);
	if (xsk_copy_mode())
		skip("copy mode", "a headroom that leaves too little");
	else
		is(bind_errno(&x, DEV, 0, XDP_ZEROCOPY), EINVAL,
		   "a headroom that leaves too little");
	xsk_close(&x);
	tap_close(&tap);
}

static void busy(void)
{
	struct xsk x, y;

	up();
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	refuses(DEV, 0, xsk_mode(), EBUSY, "a second socket, same mode");
	refuses(DEV, 0, XDP_COPY, EBUSY, "a second socket that copies");
	refuses(DEV, 0, 0, EBUSY, "a second socket, any mode");
	fails(xsk_bind_try(&x, DEV, 0, xsk_mode()), EBUSY,
	      "the same socket again");
	flow_works(&x, tap.fd, 0, 200, "the first one works on");
	xsk_close(&x);
	xsk_make(&y, &XSK_BOTH);
	ok(binds_soon(&y, DEV, 0, xsk_mode()), "free after the close");
	flow_works(&y, tap.fd, 0, 200, "and works");
	xsk_close(&y);
	tap_close(&tap);
}

static void shared_queue(void)
{
	static const __u32 len = 100;
	struct xsk x, y, z;
	struct tx_flow f = {
		.x = { &x, &y }, .sockets = 2, .source = 1, .total = 500,
		.batch = 8, .lens = &len, .n_lens = 1, .wake = WAKE_ALWAYS,
	};
	struct rx_flow r = { .take = TAKE_POLL };

	up();
	r.fd = tap.fd;
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	xsk_make_shared(&y, &x, &((struct xsk_shape){ .rx = 64, .tx = 64 }));
	works(xsk_bind_shared_try(&y, &x, DEV, 0), "same queue");
	is(xsk_zerocopy(&y), !xsk_copy_mode(), "same queue: mode");
	xsk_make_shared(&z, &x, &XSK_SMALL);
	fails(xsk_bind_shared_try(&z, &x, DEV, 0), EINVAL,
	      "same queue, but rings of its own");
	flow_run(&f, &r, "both send");
	xsk_close(&z);
	xsk_close(&x);
	/* The rings of the first socket live on with the second. */
	xsk_tx_put(&y, 0, 60, 0);
	xsk_publish(&y.tx);
	works(xsk_kick(&y), "the first one's close leaves the second");
	xsk_close(&y);
	tap_close(&tap);
}

/* A second device or queue needs rings of its own and has the same mode. */
static void shares(const struct xsk *x, const char *dev, __u32 queue, int fd,
		   const char *what)
{
	struct xsk y;

	xsk_make_shared(&y, x, &XSK_BOTH);
	if (works(xsk_bind_shared_try(&y, x, dev, queue), "%s: bind", what)) {
		is(xsk_zerocopy(&y), !xsk_copy_mode(), "%s: mode", what);
		flow_works(&y, fd, 0, 300, what);
	}
	xsk_close(&y);
}

static void shared_else(void)
{
	struct tapdev other, tun;
	struct xsk x, y;
	int second;

	tap_make(&tap, DEV, TAP_PLAIN | IFF_MULTI_QUEUE, 0);
	second = tap_queue(DEV, tap.flags);
	tap_open(&other, DEV2);
	tap_make(&tun, "tunb0", IFF_TUN | IFF_NO_PI, 0);
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	shares(&x, DEV, 1, second, "another queue");
	shares(&x, DEV2, 0, other.fd, "another device");
	flow_works(&x, tap.fd, 0, 300, "the first one works on");
	xsk_make_shared(&y, &x, &XSK_BOTH);
	if (!xsk_copy_mode())
		fails(xsk_bind_shared_try(&y, &x, "tunb0", 0), EOPNOTSUPP,
		      "a TUN cannot share a zero-copy UMEM");
	xsk_close(&y);
	/* The UMEM outlives the socket it was made with. */
	xsk_make_shared(&y, &x, &XSK_BOTH);
	ok(shares_soon(&y, &x, DEV2, 0), "another device again");
	close(x.fd);
	x.fd = -1;
	flow_works(&y, other.fd, 0, 300, "which stays when the first goes");
	xsk_close(&y);
	xsk_close(&x);
	close(second);
	tap_close(&tap);
	tap_close(&other);
	tap_close(&tun);
}

static void switched_off(void)
{
	struct xsk x;

	if (xsk_copy_mode()) {
		skip("copy mode", "the module's parameter");
		return;
	}
	mod_param_set("tun", "xsk_zerocopy", "N");
	up();
	refuses(DEV, 0, XDP_ZEROCOPY, EOPNOTSUPP, "off: XDP_ZEROCOPY");
	xsk_make(&x, &XSK_BOTH);
	works(xsk_bind_try(&x, DEV, 0, 0), "off: neither flag");
	is(xsk_zerocopy(&x), 0, "off: it copies");
	flow_works(&x, tap.fd, 0, 200, "off: frames arrive");
	xsk_close(&x);
	tap_close(&tap);
	mod_param_set("tun", "xsk_zerocopy", "Y");
	up();
	binds(XDP_ZEROCOPY, true, "on again");
	tap_close(&tap);
}

static void while_down(void)
{
	struct xsk x;

	up();
	tap_up(DEV, false);
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	fails(xsk_kick(&x), ENETDOWN, "bound while down: cannot send");
	tap_up(DEV, true);
	flow_works(&x, tap.fd, 0, 200, "up: frames arrive");
	tap_up(DEV, false);
	fails(xsk_kick(&x), ENETDOWN, "down again");
	tap_up(DEV, true);
	flow_works(&x, tap.fd, 0, 200, "up again");
	xsk_close(&x);
	tap_close(&tap);
}

/* What was sent to nobody may be lost or may come now; it completes. */
static void drains(struct xsk *x, int fd)
{
	long long end = now_ms() + WAIT_MS;
	char buf[2048];

	fd_nonblock(fd, true);
	xsk_kick(x);
	while (!xsk_ready(&x->comp) && now_ms() < end)
		if (read(fd, buf, sizeof(buf)) < 0)
			nap_ms(1);
	if (ok(xsk_ready(&x->comp), "what was sent to nobody completes"))
		xsk_comp_get(&x->comp);
	xsk_release(&x->comp);
}

/* A persistent device's queue 0 is there before anybody has opened it. */
static void without_fd(void)
{
	struct xsk x;
	int fd;

	up();
	if (ioctl(tap.fd, TUNSETPERSIST, 1))
		bail("TUNSETPERSIST");
	tap_close(&tap);
	xsk_open(&x, &XSK_BOTH, DEV, 0, 0);
	is(xsk_zerocopy(&x), !xsk_copy_mode(), "no fd: bound");
	xsk_tx_put(&x, 0, 60, 0);
	xsk_publish(&x.tx);
	xsk_kick(&x);
	fd = tap_queue(DEV, TAP_PLAIN);
	drains(&x, fd);
	flow_works(&x, fd, 0, 200, "an fd comes: frames arrive");
	close(fd);
	fd = tap_queue(DEV, TAP_PLAIN);
	flow_works(&x, fd, 0, 200, "another fd: frames arrive");
	if (ioctl(fd, TUNSETPERSIST, 0))
		bail("TUNSETPERSIST");
	xsk_close(&x);
	close(fd);
}

static void rebind(void)
{
	static const __u16 flags[] = {
		XDP_ZEROCOPY, XDP_COPY, 0, XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP,
	};
	unsigned int i, n = rounds(60), bad = 0;
	struct xsk x;

	up();
	for (i = 0; i < n && !bad; i++) {
		__u16 f = xsk_copy_mode() ? XDP_COPY :
					    flags[i % ARRAY_SIZE(flags)];

		xsk_make(&x, &XSK_SMALL);
		bad += !binds_soon(&x, DEV, 0, f);
		if (i & 1) {
			xsk_tx_put(&x, 0, 60, 0);
			xsk_publish(&x.tx);
			bad += xsk_kick(&x) < 0;
		}
		xsk_close(&x);
	}
	is(bad, 0, "bound again at once, each time");
	xsk_make(&x, &XSK_BOTH);
	ok(binds_soon(&x, DEV, 0, xsk_mode()), "a last time");
	/* What earlier bindings had sent must not stand in the way. */
	fd_nonblock(tap.fd, true);
	for (char buf[2048]; read(tap.fd, buf, sizeof(buf)) >= 0;)
		;
	flow_works(&x, tap.fd, 0, 200, "and works");
	xsk_close(&x);
	tap_close(&tap);
}

static void nothing_left(void)
{
	unsigned int i, n = rounds(20), wrong = 0;
	struct xsk x, y;
	long long pins;

	up();
	tap_mtu(DEV, 2000);
	pins = pinned_pages();
	for (i = 0; i < n; i++) {
		xsk_make(&x, &XSK_BOTH);
		wrong += xsk_bind_try(&x, DEV, 0, XDP_ZEROCOPY) != -1;
		wrong += xsk_bind_try(&x, DEV, 1, xsk_mode()) != -1;
		wrong += xsk_bind_try(&x, "lo", 0, XDP_ZEROCOPY) != -1;
		xsk_close(&x);
	}
	is(wrong, 0, "each refused");
	ok(pinned_is(pins), "no UMEM is pinned");
	tap_mtu(DEV, 1500);
	xsk_open(&y, &XSK_BOTH, DEV, 0, 0);
	for (i = 0; i < n; i++) {
		xsk_make(&x, &XSK_BOTH);
		wrong += xsk_bind_try(&x, DEV, 0, xsk_mode()) != -1;
		xsk_close(&x);
	}
	is(wrong, 0, "each refused beside a good one");
	flow_works(&y, tap.fd, 0, 300, "the good one works");
	xsk_close(&y);
	ok(pinned_is(pins), "no UMEM is pinned in the end");
	tap_close(&tap);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "zerocopy", zerocopy },
		{ "zerocopy_wakeup", zerocopy_wakeup },
		{ "copy", copy },
		{ "any_mode", any_mode },
		{ "bad_flags", bad_flags },
		{ "one_direction", one_direction },
		{ "layer3", layer3 },
		{ "queue_range", queue_range },
		{ "big_mtu", big_mtu },
		{ "busy", busy },
		{ "shared_queue", shared_queue },
		{ "shared_else", shared_else },
		{ "switched_off", switched_off },
		{ "while_down", while_down },
		{ "without_fd", without_fd },
		{ "rebind", rebind },
		{ "nothing_left", nothing_left },
	};

	return taprig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
