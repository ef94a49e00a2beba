// SPDX-License-Identifier: GPL-2.0-only
/*
 * On the drivers that people have, snd-dummy, snd-aloop and, where QEMU has
 * them, intel-hda and usb-audio: SYNC_PTR in every layout, with all flags, in each
 * state that the driver allows, is the same byte for byte on the stock snd-pcm and
 * ours. Where the hardware runs, what its clock moves is left out of that, and
 * must go forward and stay below the boundary.
 */
/* time-limit: 300 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN
#define HWSYNC		SNDRV_PCM_SYNC_PTR_HWSYNC
#define FLAGS		8
#define ANSWERS_MAX	4000

static const char *const cards[] = { "Dummy", "Loopback", "Intel", "Audio" };

static const int states[] = {
	SNDRV_PCM_STATE_SETUP, SNDRV_PCM_STATE_PREPARED, SNDRV_PCM_STATE_XRUN,
	SNDRV_PCM_STATE_RUNNING, SNDRV_PCM_STATE_PAUSED, SNDRV_PCM_STATE_DRAINING,
};

/* One call and its answer. */
struct answer {
	const char *card;
	int stream, state;
	enum pcm_layout layout;
	unsigned int flags;
	long ret;
	unsigned char mem[SYNC_SIZE_MAX];
};

struct record {
	struct answer a[ANSWERS_MAX];
	size_t n;
};

static struct record stock, ours;
static unsigned int backward, beyond;
static unsigned char *low;

static const struct pcm_setup setup = {
	.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED, .format = SNDRV_PCM_FORMAT_S16_LE,
	.channels = 2, .rate = 48000, .period = 2400, .buffer = 9600,
	.tstamp = SNDRV_PCM_TSTAMP_ENABLE,
};

/* False where the driver does not go there. */
static bool to_state(struct pcm_dev *p, int state)
{
	if (state == SNDRV_PCM_STATE_SETUP)
		return !pcm_do(p, SNDRV_PCM_IOCTL_DROP);
	if (state == SNDRV_PCM_STATE_PREPARED)
		return true;
	pcm_go(p, state);
	return pcm_state(p) == state;
}

static void leave_out(enum pcm_layout l, unsigned char *mem)
{
	const struct pcm_format *f = &pcm_formats[l];

	pcm_put(mem, f->hw_ptr, 0);
	pcm_put(mem, f->sec, 0);
	pcm_put(mem, f->nsec, 0);
	pcm_put(mem, f->audio_sec, 0);
	pcm_put(mem, f->audio_nsec, 0);
}

/* The clock's part of an answer: forward, and within its bounds. */
static void check_clock(const struct pcm_sync *s, __u64 *last, __u64 boundary)
{
	backward += s->hw_ptr < *last;
	beyond += s->hw_ptr >= boundary;
	*last = s->hw_ptr;
}

static void ask(struct record *rec, struct pcm_dev *p, const char *card, int state,
		enum pcm_layout l, unsigned int flags, __u64 *last)
{
	const struct pcm_format *f = &pcm_formats[l];
	struct answer *a = &rec->a[rec->n++];
	struct pcm_sync s = {
		.flags = flags, .appl_ptr = pcm_appl_ptr(p), .avail_min = 1 + flags,
	};

	if (rec->n >= ANSWERS_MAX)
		bail("more than %d answers", ANSWERS_MAX);
	memset(low, 0xa5, SYNC_SIZE_MAX);
	pcm_sync_put(l, low, &s);
	*a = (struct answer){ .card = card, .stream = p->stream, .state = state,
			      .layout = l, .flags = flags };
	a->ret = pcm_ioctl(f->door, p->fd, f->cmd, addr(low));
	pcm_sync_get(l, low, &s);
	if (!a->ret)
		check_clock(&s, last, p->boundary);
	memcpy(a->mem, low, SYNC_SIZE_MAX);
	if (state > (int)SNDRV_PCM_STATE_PREPARED)
		leave_out(l, a->mem);
}

/* In a fresh stream for each layout: what one leaves behind, another would see. */
static void play_state(struct record *rec, const char *card, int stream, int state)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_dev p;
		__u64 last = 0;

		pcm_ready(&p, pcm_card(card), 0, stream, &setup);
		if (to_state(&p, state))
			for (unsigned int flags = 0; flags < FLAGS; flags++)
				ask(rec, &p, card, state, l, flags, &last);
		pcm_do(&p, SNDRV_PCM_IOCTL_DROP);
		pcm_close(&p);
	}
}

static bool have(const char *card)
{
	return pcm_card(card) >= 0;
}

/* Not every card can capture, and not every machine has every card. */
static void play_stream(struct record *rec, const char *card, int stream)
{
	if (!have(card) || !pcm_has(pcm_card(card), 0, stream))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		play_state(rec, card, stream, states[i]);
}

static void play(struct record *rec, enum pcm_set set)
{
	rec->n = 0;
	pcmrig_load(set);
	if (!pcm_wait_cards())
		bail("a card does not come");
	for (size_t c = 0; c < ARRAY_SIZE(cards); c++) {
		play_stream(rec, cards[c], PLAYBACK);
		play_stream(rec, cards[c], CAPTURE);
	}
}

/* x32 asks the driver only in ours before Linux 7.3, which no answer shows. */
static bool equal(const struct answer *a, const struct answer *b)
{
	return !strcmp(a->card, b->card) && a->stream == b->stream &&
	       a->state == b->state && a->layout == b->layout &&
	       a->flags == b->flags && a->ret == b->ret &&
	       !memcmp(a->mem, b->mem, SYNC_SIZE_MAX);
}

static void show(const struct answer *a, const struct answer *b)
{
	diag("%s %s, %s, %s, flags %u: stock %ld, ours %ld", a->card,
	     a->stream == PLAYBACK ? "playback" : "capture", pcm_state_name(a->state),
	     pcm_formats[a->layout].name, a->flags, a->ret, b->ret);
	for (int i = 0; i < SYNC_SIZE_MAX; i++)
		if (a->mem[i] != b->mem[i])
			diag("  byte %d: stock 0x%02x, ours 0x%02x", i, a->mem[i], b->mem[i]);
}

static void compare_card(const char *card)
{
	unsigned int calls = 0, wrong = 0;

	for (size_t i = 0; i < stock.n && i < ours.n; i++) {
		const struct answer *a = &stock.a[i], *b = &ours.a[i];

		if (strcmp(a->card, card))
			continue;
		calls++;
		if (equal(a, b))
			continue;
		if (!wrong++)
			show(a, b);
	}
	if (calls)
		is(wrong, 0, "%s: %u calls, the same on both", card, calls);
	else
		skip("QEMU has none", "%s", card);
}

static void same_on_drivers(void)
{
	play(&stock, PCM_STOCK);
	play(&ours, PCM_OURS);
	is(ours.n, stock.n, "as many answers");
	for (size_t c = 0; c < ARRAY_SIZE(cards); c++)
		compare_card(cards[c]);
	is(backward, 0, "no hardware pointer went back");
	is(beyond, 0, "none is beyond the boundary");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "same_on_drivers", same_on_drivers },
	};
	static const char *const drivers[] = {
		"snd-dummy", "snd-aloop", "?snd-hda-intel", "?xhci-pci", "?snd-usb-audio", NULL
	};

	low = pcm_low_memory(4096);
	return pcmrig_main_with(argc, argv, cases, ARRAY_SIZE(cases), drivers);
}
