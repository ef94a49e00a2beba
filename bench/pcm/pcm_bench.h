/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the pcm benchmark share. */
#ifndef PCM_BENCH_H
#define PCM_BENCH_H

#include <sound/asound.h>

#include "bench.h"

#define TOOL "pcm-bench"

/**
 * enum layout - who calls, and so which layout of the arguments
 * @NATIVE: a 64-bit program
 * @COMPAT32: a 32-bit program
 * @X32: a program of the x32 ABI
 * @TIME64: a 32-bit program that was compiled for 64-bit time
 */
enum layout { NATIVE, COMPAT32, X32, TIME64, LAYOUTS };

/**
 * struct pcm_options - the command line
 * @plan: clock and rounds
 * @ops: calls in one round
 * @side: which side the loaded module is, "old" or "new"
 * @seconds: how long the player plays
 */
struct pcm_options {
	struct bench_plan plan;
	long ops;
	const char *side;
	long seconds;
};

/**
 * struct stream - an open PCM with its parameters set
 * @fd: its file descriptor
 * @playback: whether it plays
 * @shape: what it was opened with
 */
struct stream {
	int fd;
	bool playback;
	const struct stream_shape *shape;
};

/**
 * struct stream_shape - parameters of a stream: S16_LE, stereo, and
 * @access: SNDRV_PCM_ACCESS_...
 * @device: number of snd-dummy's device
 * @rate: frames a second
 * @period: frames
 * @buffer: frames
 */
struct stream_shape {
	int access;
	int device;
	unsigned int rate;
	unsigned int period;
	unsigned int buffer;
};

/**
 * struct call - one of the measured calls, ready to be made
 * @name: what it is called, without the layout
 * @layout: who makes it
 * @capture: on a stream that records
 * @noninterleaved: on a stream with a buffer for each channel
 * @cmd: the ioctl
 * @argument: writes what the call is given
 * @burst: calls after which @undo_cmd has to follow, or 0
 * @undo_cmd: ioctl of a 64-bit program that undoes a burst
 * @undo_frames: its argument
 * @refusal: the errno that it is refused with, or 0
 */
struct call {
	const char *name;
	enum layout layout;
	bool capture;
	bool noninterleaved;
	unsigned long cmd;
	void (*argument)(void *arg);
	int burst;
	unsigned long undo_cmd;
	unsigned long undo_frames;
	int refusal;
};

/* No ioctl of a PCM, nor of any file. */
#define REFUSED _IO('z', 0x23)

int pcm_complain(const char *what);

/* enter.c */
typedef long (*enter_fn)(int fd, unsigned long cmd, void *arg);

extern const char * const layout_names[LAYOUTS];
enter_fn enter_as(enum layout layout);
bool layout_is_there(enum layout layout);
void *low_memory(size_t size);

/* stream.c */
int stream_open(struct stream *s, const struct stream_shape *shape, bool playback);
int stream_begin(const struct stream *s);
void stream_close(struct stream *s);

/* calls.c */
extern const struct call calls[];
extern const size_t call_count;

/* op.c */
struct op;

struct op *op_new(const struct call *call);
int op_begin(void *op);
int op_run(void *op, long n);
int op_once(void *op);
int op_position(void *op);
int op_refused(void *op, long n);
void op_name(const struct call *call, char *name, size_t size);
void op_free(struct op *op);

/* time.c, count.c, play.c: the commands */
int calls_wanted(char **patterns,
		 int (*each)(const struct call *call, const char *name, void *ctx), void *ctx);
int bench_calls(const struct pcm_options *opt, char **patterns);
int bench_count(const struct pcm_options *opt, char **patterns);
int bench_play(const struct pcm_options *opt);

#endif
