// SPDX-License-Identifier: GPL-2.0-only
/* One of the calls, made over and over on a stream of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "pcm_bench.h"

#define ARGUMENT_SIZE 4096

/* Slow frames: few interrupts of the stream's own, and it lasts long. */
#define RATE 8000
#define PERIOD 8192
#define BUFFER 16384

/**
 * struct op - a call and its stream
 * @call: the call
 * @stream: what it is made on
 * @enter: how
 * @arg: its argument, in low memory
 */
struct op {
	const struct call *call;
	struct stream stream;
	enter_fn enter;
	void *arg;
};

static const struct stream_shape interleaved = {
	.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED, .device = 0,
	.rate = RATE, .period = PERIOD, .buffer = BUFFER,
};

/* The driver's second device is one with a buffer for each channel. */
static const struct stream_shape noninterleaved = {
	.access = SNDRV_PCM_ACCESS_RW_NONINTERLEAVED, .device = 1,
	.rate = RATE, .period = PERIOD, .buffer = BUFFER,
};

/**
 * op_name() - NAME-LAYOUT
 * @call: the call
 * @name: where it is written
 * @size: how much room there is
 */
void op_name(const struct call *call, char *name, size_t size)
{
	snprintf(name, size, "%s-%s", call->name, layout_names[call->layout]);
}

/**
 * op_new() - a call with a stream and an argument
 * @call: the call
 *
 * Return: it, or NULL after a message.
 */
struct op *op_new(const struct call *call)
{
	struct op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->call = call;
	op->enter = enter_as(call->layout);
	op->arg = low_memory(ARGUMENT_SIZE);
	if (op->arg) {
		call->argument(op->arg);
		if (!stream_open(&op->stream, call->noninterleaved ? &noninterleaved : &interleaved,
				 !call->capture))
			return op;
		munmap(op->arg, ARGUMENT_SIZE);
	}
	free(op);
	return NULL;
}

/**
 * op_free() - close its stream
 * @op: the call
 */
void op_free(struct op *op)
{
	stream_close(&op->stream);
	munmap(op->arg, ARGUMENT_SIZE);
	free(op);
}

/**
 * op_begin() - start its stream anew
 * @ctx: the call
 *
 * Return: 0, or -1 after a message.
 */
int op_begin(void *ctx)
{
	struct op *op = ctx;

	return stream_begin(&op->stream);
}

static int fail(const struct op *op, long ret)
{
	char name[64];

	op_name(op->call, name, sizeof(name));
	errno = ret < 0 ? -ret : EPROTO;
	return pcm_complain(name);
}

static int undo(const struct op *op)
{
	snd_pcm_uframes_t frames = op->call->undo_frames;

	if (ioctl(op->stream.fd, op->call->undo_cmd, &frames))
		return pcm_complain("going back");
	if (frames == op->call->undo_frames)
		return 0;
	fprintf(stderr, "%s: %lu frames instead of %lu were undone\n", TOOL, frames,
		op->call->undo_frames);
	return -1;
}

static int make(const struct op *op, long n)
{
	long ret;

	while (n--) {
		/* READN and WRITEN of a 32-bit program answer with the frames */
		ret = op->enter(op->stream.fd, op->call->cmd, op->arg);
		if (ret < 0 && ret != -op->call->refusal)
			return fail(op, ret);
	}
	return 0;
}

/**
 * op_run() - make the call
 * @ctx: the call
 * @n: how often
 *
 * Return: 0, or -1 after a message.
 */
int op_run(void *ctx, long n)
{
	struct op *op = ctx;
	long burst;

	if (!op->call->burst)
		return make(op, n);
	for (; n > 0; n -= burst) {
		burst = op->call->burst;
		if (make(op, burst) || undo(op))
			return -1;
	}
	return 0;
}

/**
 * op_once() - make the call one time
 * @ctx: the call
 *
 * Return: 0, or -1 after a message.
 */
int op_once(void *ctx)
{
	return make(ctx, 1);
}

/**
 * op_position() - have the driver of its stream asked where it is
 * @ctx: the call
 *
 * Return: 0, or -1 after a message.
 */
int op_position(void *ctx)
{
	struct op *op = ctx;

	return ioctl(op->stream.fd, SNDRV_PCM_IOCTL_HWSYNC) ? pcm_complain("HWSYNC") : 0;
}

/**
 * op_refused() - the floor: an ioctl that the PCM refuses at once
 * @ctx: the call in whose place it is made
 * @n: how often
 *
 * Return: 0, or -1 after a message.
 */
int op_refused(void *ctx, long n)
{
	struct op *op = ctx;
	long ret;

	while (n--) {
		ret = op->enter(op->stream.fd, REFUSED, op->arg);
		if (ret != -ENOTTY)
			return fail(op, ret);
	}
	return 0;
}
