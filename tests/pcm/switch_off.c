// SPDX-License-Identifier: GPL-2.0-only
/*
 * The off switch, snd_pcm.short_sync_ptr: off, the stock code answers, faults
 * included; on again, ours does; and it can be thrown while a stream is in use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN

static struct rig_stream r;

/* What tells the two apart on every kernel: time64 on a device that is gone. */
static long time64_gone(void)
{
	struct pcm_sync s = { .flags = APPL | AVAIL_MIN };
	long ret;

	rig_up(&r, PCM_SIM_ACK, PLAYBACK);
	rig_state(&r, SNDRV_PCM_STATE_DISCONNECTED);
	ret = pcm_sync_ptr(TIME64, r.p.fd, &s);
	rig_down(&r);
	return ret;
}

static void x32_is(bool on)
{
	struct pcm_sync s = { .appl_ptr = 77 };
	unsigned int want = on || pcmrig_73();
	struct pcm_sim_trace *t;

	rig_up(&r, PCM_SIM_ACK, PLAYBACK);
	t = pcm_sim_trace_of(&r.sim, &r.p);
	t->acks = 0;
	is(pcm_sync_ptr(X32, r.p.fd, &s), 0, "x32 sets appl_ptr");
	is(t->acks, want, "the driver is %sasked", want ? "" : "not ");
	rig_down(&r);
}

static void all_work(const char *when)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .appl_ptr = 9, .avail_min = 2 };

		rig_up(&r, PCM_SIM_ACK, CAPTURE);
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: %s works", when,
		   pcm_formats[l].name);
		is(pcm_appl_ptr(&r.p), 9, "%s: appl_ptr is set", when);
		rig_down(&r);
	}
}

static void off_and_on(void)
{
	ok(mod_param(("snd_pcm"), "short_sync_ptr"), "on to begin with");
	is(time64_gone(), -EBADFD, "on: time64 on a device that is gone");
	x32_is(true);
	pcm_short(false);
	is(time64_gone(), 0, "off: as stock");
	x32_is(false);
	all_work("off");
	pcm_short(true);
	is(time64_gone(), -EBADFD, "on again");
	x32_is(true);
	all_work("on");
}

static bool stop;

struct user {
	pthread_t thread;
	enum pcm_layout layout;
	int fd;
	unsigned long calls, wrong;
};

static void *use(void *arg)
{
	struct user *u = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct pcm_sync s = { .flags = AVAIL_MIN,
				      .appl_ptr = u->calls++ % RIG_BUFFER };

		u->wrong += pcm_sync_ptr(u->layout, u->fd, &s) != 0 ||
			    s.appl_ptr >= RIG_BUFFER ||
			    s.state != SNDRV_PCM_STATE_PREPARED;
	}
	return NULL;
}

static void thrown_in_use(void)
{
	struct user users[TIME64 + 1] = { 0 };
	unsigned int i, n = rounds(200);

	rig_up(&r, PCM_SIM_ACK, PLAYBACK);
	stop = false;
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		users[l] = (struct user){ .layout = l, .fd = r.p.fd };
		if (pthread_create(&users[l].thread, NULL, use, &users[l]))
			bail("pthread_create");
	}
	for (i = 0; i < n; i++) {
		pcm_short(i % 2);
		nap_ms(1);
	}
	pcm_short(true);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		pthread_join(users[l].thread, NULL);
		ok(users[l].calls && !users[l].wrong, "%s: %lu calls, %lu wrong",
		   pcm_formats[l].name, users[l].calls, users[l].wrong);
	}
	rig_down(&r);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "off_and_on", off_and_on },
		{ "thrown_in_use", thrown_in_use },
	};

	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
