/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic through a TAP, in threads: a sender on AF_XDP sockets of one queue,
 * and a reader on the queue's fd. Both check all they can see:
 *
 * the reader: each frame is whole and as it was written, none is missing,
 *   comes twice or out of turn (of one source);
 * the sender: each completion is of a frame that is on its way, in the order
 *   of sending, and there are never more of them than reads were begun. It
 *   overwrites what was completed, so that the reader notices an early one.
 *
 * The first fault is kept as text; nothing here prints or checks by itself.
 */
#ifndef SHORTPATH_FLOW_H
#define SHORTPATH_FLOW_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>

#include "frame.h"
#include "tap.h"
#include "uring.h"
#include "xsk.h"

#define FLOW_SOCKETS	4

/* How a sender gets the kernel to look at its Tx ring. */
enum wake {
	WAKE_STRICT,	/* sendto() if, and only if, the ring's flag is set */
	WAKE_POLL,	/* poll() and nothing else */
	WAKE_ALWAYS,	/* sendto() after each batch, whatever the flag says */
};

/* How a reader waits for frames. */
enum take {
	TAKE_READ,	/* blocking read() */
	TAKE_READV,	/* blocking readv() into three pieces */
	TAKE_POLL,	/* poll(), then read() until EAGAIN */
	TAKE_EPOLL,	/* the same by a level-triggered epoll */
	TAKE_EDGE,	/* the same by an edge-triggered one */
	TAKE_SPIN,	/* non-blocking read() again and again */
	TAKE_URING,	/* reads by io_uring, one at a time */
	TAKES
};

struct tx_flow {
	/* what to do */
	struct xsk *x[FLOW_SOCKETS];	/* x[0] has the completion ring */
	unsigned int sockets;
	__u8 source;		/* of x[0]; the next sockets have the next */
	__u32 total;		/* frames of each socket; 0: until told to stop */
	__u32 batch;
	const __u32 *lens;	/* of the frames, in turn */
	unsigned int n_lens;
	__u32 first, chunks;	/* what of the UMEM to use; 0 chunks: all */
	__u32 pad;		/* the frame's place in the chunk */
	bool unaligned;		/* the place is in the address's upper bits */
	bool lossy;		/* frames may vanish (copy mode, teardown) */
	enum wake wake;
	const struct rx_flow *reader;	/* whose reads bound the completions */
	/* results */
	__u32 sent[FLOW_SOCKETS], completed[FLOW_SOCKETS];
	__u32 kicks;
	char fault[160];
	int err;		/* what ended it early: of sendto() or poll() */
	/* private */
	pthread_t thread;
	bool running, stop;
	__u32 *owner;		/* per chunk: 1 + socket, 0 when free */
	__u32 *number;		/* per chunk: the frame in it */
	__u32 *unused;		/* stack of free chunks */
	__u32 n_unused;
	__u32 ready[FLOW_SOCKETS];	/* next frame to be completed */
};

struct rx_flow {
	/* what to do */
	int fd;
	unsigned int hdr;	/* bytes in front of each frame */
	bool pi;		/* of which the first four are a tun_pi */
	enum take take;
	__u32 size;		/* of the buffer for frames; 0: big enough */
	bool lossy;		/* gaps are fine, and the fd may fail */
	bool copied;		/* by a socket that is not zero-copy */
	__u32 pause_us;		/* after each read: a slow consumer */
	/* sources and the lengths that they send (to know what is dropped) */
	const struct tx_flow *from[2];
	/* results, per source */
	__u32 got[256];
	__u32 other;		/* frames that are none of ours */
	__u32 begun;		/* reads begun: no completion comes before */
	char fault[160];
	int err;		/* what ended it early */
	/* private */
	pthread_t thread;
	bool running, stop;
	struct uring *uring;
	__u32 next[256];
};

void tx_start(struct tx_flow *f);
void rx_start(struct rx_flow *f);
/* Tell it to stop, and wait for it; false when it hangs in a call. */
bool tx_stop(struct tx_flow *f);
bool rx_stop(struct rx_flow *f);
/*
 * Wait until F has sent everything, has all completions, and R got all; false
 * when for WAIT_MS nothing went on, or one of them found a fault.
 */
bool flow_finish(struct tx_flow *f, struct rx_flow *r);
/* Frames of each of F's sockets that a reader must see. */
__u32 flow_expected(const struct tx_flow *f);
/* Start both, finish, stop, and check it all; the usual test in one call. */
bool flow_run(struct tx_flow *f, struct rx_flow *r, const char *what);
/* The same with N short frames from X alone to FD, which has HDR bytes. */
bool flow_works(struct xsk *x, int fd, unsigned int hdr, __u32 n,
		const char *what);
/* Print where both stand. */
void flow_diag(const struct tx_flow *f, const struct rx_flow *r);

/* For other kinds of flow: keep the first fault; join within WAIT_MS. */
PRINTF(3, 4)
void flow_note(char *fault, size_t size, const char *fmt, ...);
/* Signals end what the thread may be blocked in. */
bool flow_join(pthread_t thread);

/* The length of frame number SEQ. */
__u32 flow_len(const struct tx_flow *f, __u32 seq);

#endif /* SHORTPATH_FLOW_H */
