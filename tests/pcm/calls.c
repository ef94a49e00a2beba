// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other calls that a playing program makes often, by every door: READI and
 * WRITEI, READN and WRITEN, REWIND, FORWARD, DELAY, STATUS and STATUS_EXT. Their
 * results, the bytes that move, and what they store where when an address is bad.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pcmrig.h"

static struct rig_stream r;
static unsigned char *low;	/* two pages below 4 GiB */
static const char *const doors[DOORS] = { "64", "32", "x32" };

/* A transfer's structure at MEM, by door. */
static void transfer_put(enum pcm_door d, void *mem, __u64 buf, __u64 frames)
{
	struct snd_xferi wide = { .result = -7, .buf = (void *)(uintptr_t)buf,
				  .frames = frames };
	struct pcm_xferi32 narrow = { -7, buf, frames };

	if (d == DOOR_64)
		memcpy(mem, &wide, sizeof(wide));
	else
		memcpy(mem, &narrow, sizeof(narrow));
}

static long long transfer_result(enum pcm_door d, const void *mem)
{
	return pcm_get_signed(mem, (struct pcm_field){ 0, d == DOOR_64 ? 8 : 4 });
}

static long transfer_at(enum pcm_door d, bool separate, const void *mem)
{
	static const unsigned int cmds[2][2][2] = {
		{ { SNDRV_PCM_IOCTL_WRITEI_FRAMES, SNDRV_PCM_IOCTL_READI_FRAMES },
		  { SNDRV_PCM_IOCTL_WRITEN_FRAMES, SNDRV_PCM_IOCTL_READN_FRAMES } },
		{ { IOCTL_WRITEI32, IOCTL_READI32 }, { IOCTL_WRITEN32, IOCTL_READN32 } },
	};

	return pcm_ioctl(d, r.p.fd, cmds[d != DOOR_64][separate][r.p.stream], addr(mem));
}

/* What is in the stream's buffer, just now. */
static const unsigned char *buffer(void)
{
	static unsigned char all[RIG_BUFFER * 6];

	memset(all, 0, sizeof(all));
	if (pcm_sim_take(&r.sim, &r.p, all, r.p.buffer * r.p.frame_bytes))
		bail("PCM_SIM_TAKE");
	return all;
}

static void fill(unsigned char *p, size_t n, unsigned int seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = i * 13 + seed;
}

static void writei(void)
{
	unsigned char *buf = low + 1024;

	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		fill(buf, 100 * RIG_FRAME, d);
		transfer_put(d, low, addr(buf), 100);
		is(transfer_at(d, false, low), 0, "WRITEI by door %s", doors[d]);
		is(transfer_result(d, low), 100, "all frames");
		ok(!memcmp(buffer(), buf, 100 * RIG_FRAME), "are in the buffer");
		is(pcm_appl_ptr(&r.p), 100, "appl_ptr has moved");
		is(pcm_sim_trace_of(&r.sim, &r.p)->last_ack, 100, "the driver knows");
		transfer_put(d, low, addr(buf), 500);
		is(transfer_at(d, false, low), 0, "more than there is room for");
		is(transfer_result(d, low), RIG_BUFFER - 100, "as many as there is");
		transfer_put(d, low, addr(buf), 5);
		is(transfer_at(d, false, low), -EAGAIN, "none any more");
		is(transfer_result(d, low), d == DOOR_64 ? -EAGAIN : -7,
		   "the result is stored by the 64-bit door only");
		rig_down(&r);
	}
}

static void readi(void)
{
	unsigned char *buf = low + 1024;

	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		rig_up(&r, PCM_SIM_PLAIN, CAPTURE);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		transfer_put(d, low, addr(buf), 10);
		is(transfer_at(d, false, low), -EAGAIN, "READI by door %s: nothing yet",
		   doors[d]);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, 90, PCM_SIM_ELAPSED);
		memset(buf, 0, 1024);
		transfer_put(d, low, addr(buf), 200);
		is(transfer_at(d, false, low), 0, "what there is");
		is(transfer_result(d, low), 90, "90 frames");
		ok(!memcmp(buffer(), buf, 90 * RIG_FRAME), "the right ones");
		ok(!buf[90 * RIG_FRAME] && !buf[90 * RIG_FRAME + 1], "no byte more");
		is(pcm_appl_ptr(&r.p), 90, "appl_ptr has moved");
		rig_down(&r);
	}
}

static const struct pcm_setup separate = {
	.access = SNDRV_PCM_ACCESS_RW_NONINTERLEAVED,
	.format = SNDRV_PCM_FORMAT_S16_LE, .channels = 3, .rate = 48000,
	.period = RIG_PERIOD, .buffer = RIG_BUFFER,
};

/* The addresses of the channels' buffers, as this door has them. */
static void bufs_put(enum pcm_door d, void *mem, const __u64 *bufs, int n)
{
	size_t size = d == DOOR_64 ? 8 : 4;

	for (int i = 0; i < n; i++)
		memcpy((char *)mem + i * size, &bufs[i], size);
}

static void writen(void)
{
	__u64 bufs[3] = { addr(low + 1024), addr(low + 2048), 0 };
	const unsigned char *dma;
	long ret;

	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		pcm_sim_up(&r.sim, 1U << PCM_SIM_PLAIN);
		pcm_ready(&r.p, r.sim.card, PCM_SIM_PLAIN, PLAYBACK, &separate);
		fill(low + 1024, 80, 1);
		fill(low + 2048, 80, 2);
		bufs_put(d, low + 512, bufs, 3);
		transfer_put(d, low, addr(low + 512), 40);
		ret = transfer_at(d, true, low);
		is(ret, d == DOOR_64 ? 0 : 40, "WRITEN by door %s", doors[d]);
		is(transfer_result(d, low), 40, "all frames");
		dma = buffer();
		ok(!memcmp(dma, low + 1024, 80), "the first channel's");
		ok(!memcmp(dma + RIG_BUFFER * 2, low + 2048, 80), "the second's");
		ok(!dma[RIG_BUFFER * 4] && !dma[RIG_BUFFER * 4 + 79],
		   "and silence where a buffer is missing");
		transfer_put(d, low, 8, 40);
		is(transfer_at(d, true, low), -EFAULT, "no addresses there");
		is(transfer_at(d, false, low), -EINVAL, "not the access it is set up for");
		rig_down(&r);
	}
}

static void transfer_addresses(void)
{
	static struct mem m;
	struct pcm_sim_look look;

	mem_make(&m, false);
	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		size_t size = d == DOOR_64 ? 24 : 12;

		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		is(transfer_at(d, false, NULL), -EFAULT, "door %s: no structure", doors[d]);
		transfer_put(d, low, 8, 10);
		is(transfer_at(d, false, low), -EFAULT, "no frames there");
		is(transfer_result(d, low), d == DOOR_64 ? -EFAULT : -7, "result");
		is(pcm_appl_ptr(&r.p), 0, "nothing was taken");
		/* The second half of the frames is missing. */
		transfer_put(d, low, addr(m.view[MEM_RW_NONE] + MEM_PAGE - 40), 20);
		is(transfer_at(d, false, low), -EFAULT, "half of the frames");
		is(pcm_appl_ptr(&r.p), 0, "nothing was taken");
		transfer_put(d, m.own + MEM_PAGE - size + 4, addr(low + 1024), 10);
		is(transfer_at(d, false, m.view[MEM_RW_NONE] + MEM_PAGE - size + 4), -EFAULT,
		   "half a structure");
		is(pcm_appl_ptr(&r.p), 0, "nothing was taken");
		transfer_put(d, m.own, addr(low + 1024), 10);
		is(transfer_at(d, false, m.view[MEM_RO_RO]), -EFAULT,
		   "a structure that cannot be written");
		pcm_sim_look(&r.sim, &r.p, &look);
		is(look.appl_ptr, d == DOOR_64 ? 0 : 10,
		   "the 64-bit door finds out before, the others after");
		rig_down(&r);
	}
}

static long frames_call(enum pcm_door d, bool forward, __u64 *frames)
{
	static const unsigned int cmds[2][2] = {
		{ SNDRV_PCM_IOCTL_REWIND, SNDRV_PCM_IOCTL_FORWARD },
		{ IOCTL_REWIND32, IOCTL_FORWARD32 },
	};
	struct pcm_field f = { 0, d == DOOR_64 ? 8 : 4 };
	long ret;

	memset(low, 0xa5, 16);
	pcm_put(low, f, *frames);
	ret = pcm_ioctl(d, r.p.fd, cmds[d != DOOR_64][forward], addr(low));
	*frames = pcm_get_signed(low, f);
	ok(low[f.size] == 0xa5, "nothing behind it is written");
	return ret;
}

static void rewind_forward(void)
{
	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		struct pcm_sync s = { .appl_ptr = 100, .avail_min = 1 };
		__u64 frames = 30;

		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		pcm_sync_ptr(NATIVE, r.p.fd, &s);
		is(frames_call(d, false, &frames), 0, "door %s: REWIND by 30", doors[d]);
		is(frames, 30, "by as many");
		is(pcm_appl_ptr(&r.p), 70, "appl_ptr");
		frames = 1000;
		is(frames_call(d, false, &frames), 0, "by more than there are");
		is(frames, 70, "by as many as there are");
		frames = 45;
		is(frames_call(d, true, &frames), 0, "FORWARD by 45");
		is(frames, 45, "by as many");
		is(pcm_sim_trace_of(&r.sim, &r.p)->last_ack, 45, "the driver knows");
		frames = 0;
		is(frames_call(d, true, &frames), 0, "by nothing");
		is(pcm_appl_ptr(&r.p), 45, "appl_ptr");
		rig_state(&r, SNDRV_PCM_STATE_SETUP);
		frames = 1;
		is(frames_call(d, true, &frames), -EBADFD, "not in SETUP");
		is((long long)frames, -EBADFD, "and says so in the argument");
		is(pcm_ioctl(d, r.p.fd, d == DOOR_64 ? SNDRV_PCM_IOCTL_REWIND :
			     IOCTL_REWIND32, 8), -EFAULT, "no argument");
		rig_down(&r);
	}
}

static void delay(void)
{
	for (enum pcm_door d = DOOR_64; d < DOORS; d++) {
		unsigned int cmd = d == DOOR_64 ? SNDRV_PCM_IOCTL_DELAY : IOCTL_DELAY32;
		struct pcm_field f = { 0, d == DOOR_64 ? 8 : 4 };

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, 56, 0);
		memset(low, 0xa5, 16);
		is(pcm_ioctl(d, r.p.fd, cmd, addr(low)), 0, "door %s: DELAY", doors[d]);
		is(pcm_get_signed(low, f), RIG_BUFFER - 56, "frames still to be played");
		ok(low[f.size] == 0xa5, "nothing behind it is written");
		is(pcm_ioctl(d, r.p.fd, cmd, 8), -EFAULT, "no argument");
		pcm_do(&r.p, SNDRV_PCM_IOCTL_XRUN);
		memset(low, 0xa5, 16);
		is(pcm_ioctl(d, r.p.fd, cmd, addr(low)), -EPIPE, "after an xrun");
		ok(low[0] == 0xa5, "nothing is written then");
		rig_down(&r);
	}
}

/* Where a status has what: state, appl_ptr, hw_ptr, avail, audio_tstamp_data. */
struct shape {
	enum pcm_door door;
	unsigned int size;
	struct pcm_field state, appl_ptr, hw_ptr, avail, data;
	unsigned int zero_from;
};

static const struct shape shapes[] = {
	{ DOOR_64, STATUS64_SIZE, { 0, 4 }, { 40, 8 }, { 48, 8 }, { 64, 8 }, { 92, 4 }, 132 },
	{ DOOR_32, STATUS32_SIZE, { 0, 4 }, { 20, 4 }, { 24, 4 }, { 32, 4 }, { 48, 4 }, 72 },
	{ DOOR_32, STATUS_COMPAT64_SIZE, { 0, 4 }, { 40, 4 }, { 44, 4 }, { 52, 4 }, { 68, 4 },
	  108 },
	{ DOOR_X32, STATUS_COMPAT64_SIZE, { 0, 4 }, { 40, 4 }, { 44, 4 }, { 52, 4 }, { 68, 4 },
	  108 },
};

static void status(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes) * 2; i++) {
		const struct shape *w = &shapes[i / 2];
		unsigned int cmd = i % 2 ? IOCTL_STATUS_EXT(w->size) : IOCTL_STATUS(w->size);
		unsigned int k, wrong = 0;

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, 56, 0);
		memset(low, 0xa5, 4096);
		pcm_put(low, w->data, SNDRV_PCM_AUDIO_TSTAMP_TYPE_LINK);
		is(pcm_ioctl(w->door, r.p.fd, cmd, addr(low)), 0, "door %s: STATUS%s of %u bytes",
		   doors[w->door], i % 2 ? "_EXT" : "", w->size);
		is(pcm_get(low, w->state), SNDRV_PCM_STATE_RUNNING, "state");
		is(pcm_get(low, w->appl_ptr), RIG_BUFFER, "appl_ptr");
		is(pcm_get(low, w->hw_ptr), 56, "hw_ptr");
		is(pcm_get(low, w->avail), 56, "avail");
		for (k = w->zero_from; k < w->size; k++)
			wrong += low[k] != 0;
		is(wrong, 0, "what is reserved is zero");
		for (k = w->size; k < 4096; k++)
			wrong += low[k] != 0xa5;
		is(wrong, 0, "nothing behind it is written");
		is(pcm_ioctl(w->door, r.p.fd, cmd, 8), -EFAULT, "no argument");
		rig_down(&r);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "writei", writei },
		{ "readi", readi },
		{ "writen", writen },
		{ "transfer_addresses", transfer_addresses },
		{ "rewind_forward", rewind_forward },
		{ "delay", delay },
		{ "status", status },
	};

	low = pcm_low_memory(8192);
	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
