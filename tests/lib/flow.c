// SPDX-License-Identifier: GPL-2.0-only
/* Traffic through a TAP, in threads. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "flow.h"
#include "tapdev.h"

#define NAP_MS		10	/* a wait that others may end */
#define POISON		0xa5
#define BUF		131072

#define get(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define set(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define FAULT(f, ...)	flow_note((f)->fault, sizeof((f)->fault), __VA_ARGS__)

void flow_note(char *fault, size_t size, const char *fmt, ...)
{
	va_list ap;

	if (fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(fault, size, fmt, ap);
	va_end(ap);
}

static void nap_us(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

__u32 flow_len(const struct tx_flow *f, __u32 seq)
{
	return f->lens[seq % f->n_lens];
}

__u32 flow_expected(const struct tx_flow *f)
{
	__u32 seq, n = 0;

	for (seq = 0; seq < f->total; seq++)
		n += flow_len(f, seq) >= FRAME_MIN;
	return n;
}

/* The sender. */

static __u64 chunk_addr(const struct tx_flow *f, __u32 chunk)
{
	__u64 base = (__u64)chunk * f->x[0]->chunk;

	if (f->unaligned)
		return base | (__u64)f->pad << XSK_UNALIGNED_BUF_OFFSET_SHIFT;
	return base + f->pad;
}

static void chunks_init(struct tx_flow *f)
{
	__u32 i, all = f->x[0]->chunks;

	if (!f->chunks)
		f->chunks = all;
	f->owner = calloc(all, sizeof(*f->owner));
	f->number = calloc(all, sizeof(*f->number));
	f->unused = calloc(all, sizeof(*f->unused));
	if (!f->owner || !f->number || !f->unused)
		bail("no memory");
	for (i = 0; i < f->chunks; i++)
		f->unused[i] = f->first + f->chunks - 1 - i;
	f->n_unused = f->chunks;
}

static void chunks_free(struct tx_flow *f)
{
	free(f->owner);
	free(f->number);
	free(f->unused);
}

/* One address from the completion ring. */
static void complete(struct tx_flow *f, __u64 addr)
{
	__u64 at = (addr & XSK_UNALIGNED_BUF_ADDR_MASK) / f->x[0]->chunk;
	__u32 s, seq;

	if (at >= f->x[0]->chunks || !f->owner[at]) {
		FAULT(f, "completion of 0x%llx, which is not on its way",
		      (unsigned long long)addr);
		return;
	}
	s = f->owner[at] - 1;
	seq = f->number[at];
	if (seq != f->ready[s])
		FAULT(f, "socket %u: frame %u completed, its turn was %u's", s,
		      seq, f->ready[s]);
	f->ready[s] = seq + 1;
	memset(xsk_data(f->x[0], chunk_addr(f, at)), POISON,
	       flow_len(f, seq) < 64 ? flow_len(f, seq) : 64);
	f->owner[at] = 0;
	f->unused[f->n_unused++] = at;
	set(&f->completed[s], f->completed[s] + 1);
}

/* Frames that the kernel drops on its own need no reader. */
static void bounded(struct tx_flow *f)
{
	__u32 n = 0, i;

	if (!f->reader || f->lossy)
		return;
	for (i = 0; i < f->n_lens; i++)
		if (f->lens[i] < FRAME_MIN)
			return;
	for (i = 0; i < f->sockets; i++)
		n += f->completed[i];
	if (n > get(&f->reader->begun))
		FAULT(f, "%u completions after %u reads", n, f->reader->begun);
}

static bool reap(struct tx_flow *f)
{
	struct xsk_ring *r = &f->x[0]->comp;
	__u32 n = xsk_ready(r);
	bool any = n;

	if (n > r->size) {
		FAULT(f, "%u entries on a completion ring of %u", n, r->size);
		return false;
	}
	while (n--)
		complete(f, xsk_comp_get(r));
	if (any) {
		xsk_release(r);
		bounded(f);
	}
	return any;
}

static bool put_one(struct tx_flow *f, unsigned int s)
{
	struct xsk *x = f->x[s];
	__u32 seq = f->sent[s], len = flow_len(f, seq), at;
	__u64 addr;

	if ((f->total && seq == f->total) || !f->n_unused || !xsk_room(&x->tx))
		return false;
	at = f->unused[--f->n_unused];
	addr = chunk_addr(f, at);
	if (len >= FRAME_MIN)
		frame_write(xsk_data(x, addr), len, f->source + s, seq);
	f->owner[at] = s + 1;
	f->number[at] = seq;
	xsk_tx_put(x, addr, len, 0);
	f->sent[s]++;
	return true;
}

static bool put_batch(struct tx_flow *f, unsigned int s)
{
	__u32 n = 0;

	while (n < f->batch && put_one(f, s))
		n++;
	if (n)
		xsk_publish(&f->x[s]->tx);
	return n;
}

/* Errors that only say "later"; so may a device that is down, where it goes down. */
static bool passing(const struct tx_flow *f, int err)
{
	return err == EAGAIN || err == EBUSY || err == ENOBUFS ||
	       err == EINTR || (f->lossy && err == ENETDOWN);
}

/*
 * When all its frames have room on the completion ring, a program may wait for
 * room on the Tx ring as long as it takes.
 */
static int poll_room(struct tx_flow *f, unsigned int s)
{
	struct pollfd p = { .fd = f->x[s]->fd, .events = POLLOUT };
	bool bounded = f->chunks > f->x[0]->comp.size || f->lossy;
	int ret = poll(&p, 1, bounded ? NAP_MS : WAIT_MS / 2);

	if (!ret && !bounded)
		FAULT(f, "socket %u: poll() hangs", s);
	return ret;
}

static bool wake_up(struct tx_flow *f, unsigned int s)
{
	struct xsk *x = f->x[s];

	if (f->wake == WAKE_POLL) {
		if (poll_room(f, s) >= 0 || passing(f, errno))
			return true;
	} else {
		if (f->wake == WAKE_STRICT && !xsk_wants_wakeup(&x->tx))
			return true;
		set(&f->kicks, f->kicks + 1);
		if (xsk_kick(x) >= 0 || passing(f, errno))
			return true;
	}
	f->err = errno;
	if (!f->lossy)
		FAULT(f, "socket %u: %s", s, err_name(f->err));
	return false;
}

static bool all_completed(const struct tx_flow *f)
{
	unsigned int i;

	for (i = 0; i < f->sockets; i++)
		if (!f->total || f->completed[i] < f->total)
			return false;
	return true;
}

static void *tx_main(void *arg)
{
	struct tx_flow *f = arg;
	unsigned int s;
	bool any;

	while (!get(&f->stop) && !f->fault[0] && !all_completed(f)) {
		any = reap(f);
		for (s = 0; s < f->sockets; s++) {
			any |= put_batch(f, s);
			if (!wake_up(f, s))
				return NULL;
		}
		if (!any)
			nap_us(100);
	}
	return NULL;
}

void tx_start(struct tx_flow *f)
{
	if (!f->sockets)
		f->sockets = 1;
	chunks_init(f);
	f->stop = false;
	if (pthread_create(&f->thread, NULL, tx_main, f))
		bail("pthread_create");
	f->running = true;
}

/* Where this process' threads are: in the output, and who waits in the log. */
static void hang_diag(void)
{
	char path[300], line[200];
	struct dirent *d;
	DIR *tasks = opendir("/proc/self/task");
	FILE *stack;

	while (tasks && (d = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/stack", d->d_name);
		stack = d->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!stack)
			continue;
		diag("thread %s:", d->d_name);
		while (fgets(line, sizeof(line), stack))
			diag("  %.*s", (int)strcspn(line, "\n"), line);
		fclose(stack);
	}
	if (tasks)
		closedir(tasks);
	file_set("/proc/sysrq-trigger", "w");
	file_set("/proc/sysrq-trigger", "d");
}

bool flow_join(pthread_t thread)
{
	long long end = now_ms() + WAIT_MS;
	struct timespec t;

	do {
		pthread_kill(thread, SIGUSR1);
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 20000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		if (!pthread_timedjoin_np(thread, NULL, &t))
			return true;
	} while (now_ms() < end);
	hang_diag();
	return false;
}

bool tx_stop(struct tx_flow *f)
{
	if (!f->running)
		return true;
	set(&f->stop, true);
	if (!flow_join(f->thread)) {
		FAULT(f, "the sender hangs in a system call");
		return false;
	}
	f->running = false;
	chunks_free(f);
	return true;
}

/* The reader. */

static bool to_wait(const struct rx_flow *r)
{
	return r->take != TAKE_READ && r->take != TAKE_READV &&
	       r->take != TAKE_URING;
}

static ssize_t take_one(struct rx_flow *r, __u8 *buf, size_t size)
{
	struct iovec v[3] = {
		{ buf, r->hdr + 5 }, { buf + r->hdr + 5, 20 },
		{ buf + r->hdr + 25, size - r->hdr - 25 },
	};

	set(&r->begun, r->begun + 1);
	if (r->uring)
		return uring_read(r->uring, r->fd, buf, size);
	if (r->take == TAKE_READV)
		return readv(r->fd, v, 3);
	return read(r->fd, buf, size);
}

/* The sender whose frame F is, and its next frame that is not dropped. */
static __u32 next_of(const struct rx_flow *r, __u8 source)
{
	const struct tx_flow *t;
	unsigned int i;
	__u32 seq = r->next[source];

	for (i = 0; i < ARRAY_SIZE(r->from); i++) {
		t = r->from[i];
		if (!t || source < t->source ||
		    source >= t->source + t->sockets)
			continue;
		while (flow_len(t, seq) < FRAME_MIN)
			seq++;
	}
	return seq;
}

static void check_header(struct rx_flow *r, const __u8 *buf,
			 const struct frame *f, bool cut)
{
	const struct tun_pi *pi = (const void *)buf;
	unsigned int i, from = r->pi ? sizeof(*pi) : 0;

	/* A copying kernel leaves it open. */
	if (r->pi && !r->copied && pi->proto != htons(frame_type(f->seq)))
		FAULT(r, "frame %u: PI says protocol 0x%x", f->seq,
		      ntohs(pi->proto));
	if (r->pi && !!(pi->flags & TUN_PKT_STRIP) != cut)
		FAULT(r, "frame %u: PI says %scut", f->seq, cut ? "not " : "");
	/*
	 * No offload was asked for, so the vnet header is all zero; what makes
	 * it longer than ten bytes a copying kernel may leave as it was.
	 */
	for (i = from; i < r->hdr && (!r->copied || i < from + 10); i++)
		if (buf[i] && !r->lossy)
			FAULT(r, "frame %u: byte %u of the header is 0x%x",
			      f->seq, i, buf[i]);
}

static void check_frame(struct rx_flow *r, const __u8 *buf, size_t n,
			size_t size)
{
	const char *fault;
	struct frame f;
	__u32 want;
	bool cut;

	if (n < r->hdr || !frame_parse(buf + r->hdr, n - r->hdr, &f)) {
		r->other++;
		if (n >= r->hdr + FRAME_MIN && buf[r->hdr] == POISON)
			FAULT(r, "a frame that had been completed before");
		return;
	}
	n -= r->hdr;
	cut = f.len > size - r->hdr;
	if (n != (cut ? size - r->hdr : f.len))
		FAULT(r, "source %u frame %u: %zu bytes of %u", f.source,
		      f.seq, n, f.len);
	fault = frame_fault(buf + r->hdr, n < f.len ? n : f.len, &f);
	if (fault)
		FAULT(r, "source %u frame %u (%u bytes): %s", f.source, f.seq,
		      f.len, fault);
	want = next_of(r, f.source);
	if (f.seq < want || (f.seq > want && !r->lossy))
		FAULT(r, "source %u: frame %u came, its turn was %u's",
		      f.source, f.seq, want);
	check_header(r, buf, &f, cut);
	r->next[f.source] = f.seq + 1;
	set(&r->got[f.source], r->got[f.source] + 1);
}

/* Read once or, where we wait by other means, until there is no more. */
static bool take_all(struct rx_flow *r, __u8 *buf, size_t size)
{
	ssize_t n;

	do {
		n = take_one(r, buf, size);
		if (n < 0) {
			if (errno == EAGAIN || errno == EINTR)
				return true;
			r->err = errno;
			if (!r->lossy)
				FAULT(r, "read: %s", err_name(r->err));
			/* A detached or downed queue may come back. */
			nap_us(200);
			return r->lossy;
		}
		check_frame(r, buf, n, size);
		if (r->pause_us)
			nap_us(r->pause_us);
	} while (to_wait(r) && !get(&r->stop) && !r->fault[0]);
	return true;
}

static void rx_wait(struct rx_flow *r, int ep)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	struct epoll_event e;

	switch (r->take) {
	case TAKE_POLL:
		poll(&p, 1, NAP_MS);
		break;
	case TAKE_EPOLL:
	case TAKE_EDGE:
		epoll_wait(ep, &e, 1, NAP_MS);
		break;
	case TAKE_SPIN:
		sched_yield();
		break;
	default:
		break;
	}
}

static int watch(const struct rx_flow *r)
{
	struct epoll_event e = {
		.events = EPOLLIN | (r->take == TAKE_EDGE ? EPOLLET : 0),
	};
	int ep;

	if (r->take != TAKE_EPOLL && r->take != TAKE_EDGE)
		return -1;
	ep = epoll_create1(EPOLL_CLOEXEC);
	/* In a lossy flow the fd may be gone before the thread comes here. */
	if (ep < 0 || (epoll_ctl(ep, EPOLL_CTL_ADD, r->fd, &e) && !r->lossy))
		bail("epoll");
	return ep;
}

static void *rx_main(void *arg)
{
	struct rx_flow *r = arg;
	size_t size = r->size ? r->hdr + r->size : BUF;
	__u8 *buf = malloc(BUF);
	int ep = watch(r);
	struct uring u;

	if (!buf)
		bail("no memory");
	/* Where there is no io_uring, a read() does. */
	if (r->take == TAKE_URING && uring_open(&u))
		r->uring = &u;
	while (!get(&r->stop) && !r->fault[0]) {
		rx_wait(r, ep);
		if (!take_all(r, buf, size))
			break;
	}
	if (ep >= 0)
		close(ep);
	if (r->uring)
		uring_close(r->uring);
	r->uring = NULL;
	free(buf);
	return NULL;
}

void rx_start(struct rx_flow *r)
{
	fd_nonblock(r->fd, to_wait(r));
	r->stop = false;
	if (pthread_create(&r->thread, NULL, rx_main, r))
		bail("pthread_create");
	r->running = true;
}

bool rx_stop(struct rx_flow *r)
{
	if (!r->running)
		return true;
	set(&r->stop, true);
	if (!flow_join(r->thread)) {
		FAULT(r, "the reader hangs in a system call");
		return false;
	}
	r->running = false;
	return true;
}

/* Both together. */

static bool finished(const struct tx_flow *f, const struct rx_flow *r)
{
	__u32 want = flow_expected(f);
	unsigned int i;

	for (i = 0; i < f->sockets; i++) {
		if (get(&f->completed[i]) < f->total)
			return false;
		if (r && !r->lossy && get(&r->got[f->source + i]) < want)
			return false;
	}
	return true;
}

static unsigned long long progress(const struct tx_flow *f,
				   const struct rx_flow *r)
{
	unsigned long long n = 0;
	unsigned int i;

	for (i = 0; i < f->sockets; i++) {
		n += get(&f->completed[i]);
		n += r ? get(&r->got[f->source + i]) : 0;
	}
	return n;
}

bool flow_finish(struct tx_flow *f, struct rx_flow *r)
{
	long long end = now_ms() + WAIT_MS;
	unsigned long long had = 0, have;

	while (!finished(f, r)) {
		have = progress(f, r);
		if (have != had)
			end = now_ms() + WAIT_MS;
		had = have;
		if (now_ms() > end || get(&f->fault[0]) ||
		    (r && get(&r->fault[0])))
			return false;
		nap_ms(2);
	}
	return true;
}

void flow_diag(const struct tx_flow *f, const struct rx_flow *r)
{
	const struct xsk *x;
	unsigned int i;

	for (i = 0; i < f->sockets; i++) {
		x = f->x[i];
		diag("  socket %u: sent %u, completed %u, read %u", i,
		     f->sent[i], f->completed[i],
		     r ? r->got[f->source + i] : 0);
		if (x->fd >= 0 && x->tx.map)
			diag("  Tx ring: %u published, %u taken, flags %u",
			     *x->tx.producer, *x->tx.consumer, *x->tx.flags);
	}
	x = f->x[0];
	if (x->fd >= 0 && x->comp.map)
		diag("  completion ring: %u published, %u taken",
		     *x->comp.producer, *x->comp.consumer);
	if (f->fault[0])
		diag("  sender: %s", f->fault);
	if (r && r->fault[0])
		diag("  reader: %s", r->fault);
	if (r)
		diag("  reader: %u reads, %u other frames, last error %s",
		     r->begun, r->other, r->err ? err_name(r->err) : "none");
}

/* Nobody knows how many come: wait until none has for a while. */
static void settle(const struct tx_flow *f, const struct rx_flow *r)
{
	unsigned long long had;

	do {
		had = progress(f, r);
		nap_ms(100);
	} while (progress(f, r) != had);
}

bool flow_run(struct tx_flow *f, struct rx_flow *r, const char *what)
{
	bool pass;

	r->from[0] = f;
	if (!f->reader)
		f->reader = r;
	if (!f->sockets)
		f->sockets = 1;
	if (!xsk_zerocopy(f->x[0])) {
		r->copied = true;
		f->lossy = true;
		r->lossy = true;
	}
	rx_start(r);
	tx_start(f);
	pass = flow_finish(f, r);
	if (r->lossy)
		settle(f, r);
	if (!tx_stop(f) || !rx_stop(r))
		bail("%s: cannot go on: %s %s", what, f->fault, r->fault);
	pass = pass && !f->fault[0] && !r->fault[0];
	if (!ok(pass, "%s", what))
		flow_diag(f, r);
	return pass;
}

bool flow_works(struct xsk *x, int fd, unsigned int hdr, __u32 n,
		const char *what)
{
	static const __u32 len = 60;
	struct tx_flow f = {
		.x = { x }, .source = 1, .total = n, .batch = 16,
		.lens = &len, .n_lens = 1, .wake = WAKE_ALWAYS,
	};
	struct rx_flow r = { .fd = fd, .hdr = hdr, .take = TAKE_POLL };

	return flow_run(&f, &r, what);
}
