// SPDX-License-Identifier: GPL-2.0-only
/* Traffic from a TAP's fd to an AF_XDP socket, in threads. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "inflow.h"
#include "tapdev.h"

#define NAP_MS		10
#define BUF		70000

#define get(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define set(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define FAULT(f, ...)	flow_note((f)->fault, sizeof((f)->fault), __VA_ARGS__)

/* The writer. */

ssize_t in_write(const struct in_writer *w, __u32 seq)
{
	static __thread __u8 buf[BUF];
	struct tun_pi *pi = (void *)buf;
	__u32 len = w->lens[seq % w->n_lens];
	struct iovec v[3];

	memset(buf, 0, w->hdr);
	if (w->pi)
		pi->proto = htons(frame_type(seq));
	frame_write(buf + w->hdr, len, w->source, seq);
	if (w->give != GIVE_WRITEV)
		return write(w->fd, buf, w->hdr + len);
	v[0] = (struct iovec){ buf, w->hdr + 3 };
	v[1] = (struct iovec){ buf + w->hdr + 3, 9 };
	v[2] = (struct iovec){ buf + w->hdr + 12, len - 12 };
	return writev(w->fd, v, 3);
}

static bool may_write(const struct in_writer *w)
{
	if (w->total && w->sent >= w->total)
		return false;
	return !w->got || w->sent - get(w->got) < w->window;
}

static void *writer_main(void *arg)
{
	struct in_writer *w = arg;
	ssize_t n, want;

	while (!get(&w->stop) && !w->fault[0] &&
	       (!w->total || w->sent < w->total)) {
		if (!may_write(w)) {
			sched_yield();
			continue;
		}
		want = w->hdr + w->lens[w->sent % w->n_lens];
		n = in_write(w, w->sent);
		if (n == want) {
			set(&w->sent, w->sent + 1);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			sched_yield();
			continue;
		}
		w->err = errno;
		if (!w->lossy)
			FAULT(w, "frame %u: write gives %zd %s", w->sent, n,
			      n < 0 ? err_name(errno) : "");
		set(&w->sent, w->sent + 1);
		nap_ms(1);
	}
	return NULL;
}

void in_writer_start(struct in_writer *w)
{
	if (w->give == GIVE_NONBLOCK)
		fd_nonblock(w->fd, true);
	w->stop = false;
	if (pthread_create(&w->thread, NULL, writer_main, w))
		bail("pthread_create");
	w->running = true;
}

bool in_writer_stop(struct in_writer *w)
{
	if (!w->running)
		return true;
	set(&w->stop, true);
	if (!flow_join(w->thread)) {
		FAULT(w, "the writer hangs in a system call");
		return false;
	}
	w->running = false;
	return true;
}

/* The receiver. */

static __u32 chunk_of(const struct in_reader *r, __u64 addr)
{
	return (addr & XSK_UNALIGNED_BUF_ADDR_MASK) / r->x->chunk;
}

static void give_back(struct in_reader *r, __u64 addr)
{
	r->spare[r->n_spare++] = chunk_of(r, addr);
}

static void refill(struct in_reader *r)
{
	struct xsk_ring *f = &r->x->fill;
	bool any = false;
	__u32 at;

	while (r->n_spare && xsk_room(f)) {
		at = r->spare[--r->n_spare];
		r->x->given[at] = 1;
		xsk_fill_put(f, (__u64)at * r->x->chunk);
		any = true;
	}
	if (any)
		xsk_publish(f);
	if (any && xsk_wants_wakeup(f))
		xsk_kick_rx(r->x);
}

static void check(struct in_reader *r, const struct xdp_desc *d)
{
	const __u8 *p = xsk_data(r->x, d->addr);
	const char *fault;
	struct frame f;

	if (!frame_parse(p, d->len, &f)) {
		r->other++;
		return;
	}
	if (d->len != f.len)
		FAULT(r, "source %u frame %u: %u bytes of %u", f.source, f.seq,
		      d->len, f.len);
	fault = frame_fault(p, d->len < f.len ? d->len : f.len, &f);
	if (fault)
		FAULT(r, "source %u frame %u (%u bytes): %s", f.source, f.seq,
		      f.len, fault);
	if (f.seq < r->next[f.source] ||
	    (f.seq > r->next[f.source] && !r->lossy))
		FAULT(r, "source %u: frame %u came, its turn was %u's",
		      f.source, f.seq, r->next[f.source]);
	r->next[f.source] = f.seq + 1;
	set(&r->got[f.source], r->got[f.source] + 1);
}

/* A buffer must be one that the kernel has, and the frame inside of it. */
static bool placed(struct in_reader *r, const struct xdp_desc *d)
{
	__u32 at = chunk_of(r, d->addr);
	__u64 end = xsk_data(r->x, d->addr) + d->len - r->x->area;
	__u64 start = (__u64)at * r->x->chunk;

	if (at >= r->x->chunks || !r->x->given[at]) {
		FAULT(r, "address 0x%llx, which the kernel was not given",
		      (unsigned long long)d->addr);
		return false;
	}
	if (end > start + r->x->chunk ||
	    end - d->len < start + r->x->headroom) {
		FAULT(r, "0x%llx + %u is outside of its chunk",
		      (unsigned long long)d->addr, d->len);
		return false;
	}
	r->x->given[at] = 0;
	return true;
}

static bool receive(struct in_reader *r)
{
	__u32 n = xsk_ready(&r->x->rx);
	struct xdp_desc d;
	bool any = n;

	while (n-- && !r->fault[0]) {
		if (r->echo && !xsk_room(&r->x->tx))
			break;
		d = xsk_rx_get(r->x);
		if (!placed(r, &d))
			break;
		check(r, &d);
		if (r->echo) {
			xsk_tx_put(r->x, d.addr, d.len, 0);
			r->echoed++;
		} else {
			give_back(r, d.addr);
		}
	}
	if (any)
		xsk_release(&r->x->rx);
	return any;
}

static void echo(struct in_reader *r)
{
	struct xsk_ring *c = &r->x->comp;
	__u32 n = xsk_ready(c);
	bool any = n;

	xsk_publish(&r->x->tx);
	if (xsk_wants_wakeup(&r->x->tx))
		xsk_kick(r->x);
	while (n--)
		give_back(r, xsk_comp_get(c));
	if (any)
		xsk_release(c);
}

static void *reader_main(void *arg)
{
	struct in_reader *r = arg;
	struct pollfd p = { .fd = r->x->fd, .events = POLLIN };

	while (!get(&r->stop) && !r->fault[0]) {
		refill(r);
		if (!receive(r)) {
			if (r->poll && poll(&p, 1, NAP_MS) < 0)
				r->err = errno;
			else if (!r->poll)
				sched_yield();
		}
		if (r->echo)
			echo(r);
	}
	return NULL;
}

void in_reader_start(struct in_reader *r)
{
	__u32 i, all = r->x->chunks;

	if (!r->chunks)
		r->chunks = all;
	if (!r->x->given)
		r->x->given = calloc(all, sizeof(*r->x->given));
	r->spare = calloc(all, sizeof(*r->spare));
	if (!r->x->given || !r->spare)
		bail("no memory");
	/* An earlier run may have left buffers on the fill ring. */
	r->n_spare = 0;
	for (i = r->first; i < r->first + r->chunks; i++)
		if (!r->x->given[i])
			r->spare[r->n_spare++] = i;
	/* The first frame shall find a buffer. */
	refill(r);
	r->stop = false;
	if (pthread_create(&r->thread, NULL, reader_main, r))
		bail("pthread_create");
	r->running = true;
}

bool in_reader_stop(struct in_reader *r)
{
	if (!r->running)
		return true;
	set(&r->stop, true);
	if (!flow_join(r->thread)) {
		FAULT(r, "the receiver hangs in a system call");
		return false;
	}
	r->running = false;
	free(r->spare);
	return true;
}

/* Both together. */

static void in_diag(const struct in_writer *w, const struct in_reader *r,
		    const struct rx_flow *back)
{
	struct xdp_statistics s = xsk_statistics(r->x);

	diag("  written %u, received %u, sent back %u, others %u", w->sent,
	     r->got[w->source], r->echoed, r->other);
	diag("  fill ring: %u published, %u taken, flags %u",
	     *r->x->fill.producer, *r->x->fill.consumer, *r->x->fill.flags);
	diag("  rx_dropped %llu, rx_ring_full %llu, fill_ring_empty %llu",
	     s.rx_dropped, s.rx_ring_full, s.rx_fill_ring_empty_descs);
	diag("  writer: %s %s", w->fault, w->err ? err_name(w->err) : "");
	diag("  receiver: %s %s", r->fault, r->err ? err_name(r->err) : "");
	if (back)
		diag("  reader of the fd: got %u, %u reads, %s",
		     back->got[w->source], back->begun, back->fault);
}

static __u32 min3(__u32 a, __u32 b, __u32 c)
{
	__u32 d = a < b ? a : b;

	return c < d ? c : d;
}

static __u32 half(__u32 n)
{
	return n < 2 ? n : n / 2;
}

bool in_run(struct in_writer *w, struct in_reader *r, struct rx_flow *back,
	    const char *what)
{
	const __u32 *got = back ? &back->got[w->source] : &r->got[w->source];
	long long end = now_ms() + WAIT_MS;
	__u32 had = 0;
	bool pass;

	if (!w->window)
		w->window = half(min3(r->x->rx.size, r->x->fill.size,
				      r->chunks ? : r->x->chunks));
	w->got = got;
	in_reader_start(r);
	if (back)
		rx_start(back);
	in_writer_start(w);
	while (get(got) < w->total && now_ms() < end && !get(&w->fault[0]) &&
	       !get(&r->fault[0]) && !(back && get(&back->fault[0]))) {
		if (get(got) != had)
			end = now_ms() + WAIT_MS;
		had = get(got);
		nap_ms(2);
	}
	pass = get(got) == w->total;
	if (!in_writer_stop(w) || (back && !rx_stop(back)) ||
	    !in_reader_stop(r))
		bail("%s: a thread hangs in a system call", what);
	pass = pass && !w->fault[0] && !r->fault[0] &&
	       !(back && back->fault[0]);
	if (!ok(pass, "%s", what))
		in_diag(w, r, back);
	return pass;
}

bool in_works(struct xsk *x, int fd, unsigned int hdr, __u32 n,
	      const char *what)
{
	static const __u32 len = 60;
	struct in_writer w = {
		.fd = fd, .hdr = hdr, .source = 9, .total = n, .lens = &len,
		.n_lens = 1,
	};
	struct in_reader r = { .x = x };

	return in_run(&w, &r, NULL, what);
}
