/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic the other way, in threads: a writer on a TAP's fd, and a receiver on
 * the Rx ring of an AF_XDP socket, which may send back what it got. They check
 * as flow.h's do: nothing lost, doubled, mixed up, and no buffer that was not
 * given to the kernel.
 */
#ifndef SHORTPATH_INFLOW_H
#define SHORTPATH_INFLOW_H

#include "flow.h"

enum give {
	GIVE_WRITE,		/* blocking write() */
	GIVE_WRITEV,		/* writev() of three pieces */
	GIVE_NONBLOCK,		/* write() with O_NONBLOCK */
	GIVES
};

struct in_writer {
	/* what to do */
	int fd;
	unsigned int hdr;
	bool pi;
	__u8 source;
	__u32 total;		/* 0: until told to stop */
	const __u32 *lens;
	unsigned int n_lens;
	enum give give;
	bool lossy;		/* writes may fail */
	/* do not be further ahead of this receiver than so many frames */
	const __u32 *got;
	__u32 window;
	/* results */
	__u32 sent;
	char fault[160];
	int err;
	/* private */
	pthread_t thread;
	bool running, stop;
};

struct in_reader {
	/* what to do */
	struct xsk *x;
	__u32 first, chunks;	/* what of the UMEM to use; 0 chunks: all */
	bool echo;		/* send back, then give the buffer again */
	bool poll;		/* wait in poll(), else look again and again */
	bool lossy;
	/* results */
	__u32 got[256], other, echoed;
	char fault[160];
	int err;
	/* private */
	pthread_t thread;
	bool running, stop;
	__u32 *spare;		/* stack of chunks that are ours */
	__u32 n_spare;
	__u32 next[256];
};

/* Write one frame to FD; what write() answers. */
ssize_t in_write(const struct in_writer *w, __u32 seq);

void in_writer_start(struct in_writer *w);
void in_reader_start(struct in_reader *r);
bool in_writer_stop(struct in_writer *w);
bool in_reader_stop(struct in_reader *r);

/*
 * Run both until all TOTAL frames have arrived (or, with BACK, have come back to
 * that reader), and check it all.
 */
bool in_run(struct in_writer *w, struct in_reader *r, struct rx_flow *back,
	    const char *what);
/* N short frames written to FD, which has HDR bytes, arrive at X. */
bool in_works(struct xsk *x, int fd, unsigned int hdr, __u32 n,
	      const char *what);

#endif /* SHORTPATH_INFLOW_H */
