// SPDX-License-Identifier: GPL-2.0-only
/*
 * The faults of stock kernels that are mended here, one test for each:
 *  - x32 stored any appl_ptr, beyond the boundary too, and never asked the
 *    driver's ack (before Linux 7.3);
 *  - x32 and time64 went on with a disconnected device and with a card that is
 *    not powered, where the other layouts refuse and wait.
 * Each is first shown on the stock module, where this kernel still has it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN

static struct rig_stream r;

/* What x32 does with an appl_ptr at the boundary: its result and appl_ptr. */
static long beyond_boundary(__u64 *appl_ptr)
{
	struct pcm_setup narrow = {
		.door = DOOR_32, .access = SNDRV_PCM_ACCESS_RW_INTERLEAVED,
		.format = SNDRV_PCM_FORMAT_S16_LE, .channels = 2, .rate = 48000,
		.period = RIG_PERIOD, .buffer = RIG_BUFFER,
	};
	struct pcm_sim_look look;
	struct pcm_sync s = { .avail_min = 1 };
	long ret;

	rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
	pcm_hw_params(&r.p, &narrow);
	pcm_sw_params(&r.p, &narrow);
	pcm_do(&r.p, SNDRV_PCM_IOCTL_PREPARE);
	pcm_sim_look(&r.sim, &r.p, &look);
	s.appl_ptr = look.boundary + 1;
	ret = pcm_sync_ptr(X32, r.p.fd, &s);
	pcm_sim_look(&r.sim, &r.p, &look);
	*appl_ptr = look.appl_ptr;
	rig_down(&r);
	return ret;
}

static void x32_boundary(void)
{
	__u64 appl_ptr;
	long ret;

	pcmrig_load(PCM_STOCK);
	ret = beyond_boundary(&appl_ptr);
	diag("stock: %ld, appl_ptr 0x%llx", ret, (unsigned long long)appl_ptr);
	if (!pcmrig_73())
		ok(!ret && appl_ptr, "stock stores an appl_ptr beyond the boundary");
	pcmrig_load(PCM_OURS);
	is(beyond_boundary(&appl_ptr), -EINVAL, "ours refuses it");
	is(appl_ptr, 0, "and appl_ptr stays");
}

static long x32_acks(int result, unsigned int *acks, __u64 *appl_ptr)
{
	struct pcm_sync s = { .appl_ptr = 99, .avail_min = 1 };
	struct pcm_sim_look look;
	struct pcm_sim_trace *t;
	long ret;

	rig_up(&r, PCM_SIM_APPLPTR, PLAYBACK);
	t = pcm_sim_trace_of(&r.sim, &r.p);
	t->acks = 0;
	pcm_sim_do(&r.sim, &r.p, PCM_SIM_ACK_RESULT, result, 0);
	ret = pcm_sync_ptr(X32, r.p.fd, &s);
	*acks = t->acks;
	pcm_sim_look(&r.sim, &r.p, &look);
	*appl_ptr = look.appl_ptr;
	rig_down(&r);
	return ret;
}

static void x32_ack(void)
{
	__u64 appl_ptr;
	unsigned int acks;

	pcmrig_load(PCM_STOCK);
	x32_acks(0, &acks, &appl_ptr);
	if (!pcmrig_73())
		is(acks, 0, "stock does not ask the driver");
	pcmrig_load(PCM_OURS);
	is(x32_acks(0, &acks, &appl_ptr), 0, "ours");
	is(acks, 1, "does, once");
	is(appl_ptr, 99, "and moves appl_ptr");
	is(x32_acks(-EIO, &acks, &appl_ptr), -EIO, "what the driver says is returned");
	is(appl_ptr, 0, "and appl_ptr goes back");
}

/* A call on a stream whose device alone is gone. */
static long on_disconnected(enum pcm_layout l, unsigned int flags, bool *written)
{
	struct pcm_sync s = { .flags = flags, .appl_ptr = 5, .avail_min = 1,
			      .state = -1 };
	long ret;

	rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
	rig_state(&r, SNDRV_PCM_STATE_DISCONNECTED);
	ret = pcm_sync_ptr(l, r.p.fd, &s);
	*written = s.state == SNDRV_PCM_STATE_DISCONNECTED;
	rig_down(&r);
	return ret;
}

static void disconnected(void)
{
	static const unsigned int flags[] = { 0, APPL | AVAIL_MIN,
					      SNDRV_PCM_SYNC_PTR_HWSYNC };
	bool written;

	pcmrig_load(PCM_STOCK);
	is(on_disconnected(X32, APPL | AVAIL_MIN, &written), 0,
	   "stock: x32 goes on with a device that is gone");
	is(on_disconnected(TIME64, APPL | AVAIL_MIN, &written), 0,
	   "stock: so does time64");
	pcmrig_load(PCM_OURS);
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
			is(on_disconnected(l, flags[i], &written), -EBADFD,
			   "ours: %s, flags %u: refused", pcm_formats[l].name, flags[i]);
			ok(!written, "and nothing is written");
		}
	}
}

/* One call by another thread, which may sleep. */
static enum pcm_layout sleeper_layout;

static ssize_t act_sync(struct actor *a)
{
	struct pcm_sync s = { .flags = APPL | AVAIL_MIN };
	long ret = pcm_sync_ptr(sleeper_layout, a->fd, &s);

	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : s.state;
}

#define POWER(on)	pcm_sim_do(&r.sim, &r.p, PCM_SIM_POWER, !(on), 0)
/* Long enough that a call which does not wait has returned. */
#define WHILE_MS	300

static bool waits(enum pcm_layout l, bool unplug, struct actor *a)
{
	bool slept;

	rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
	POWER(false);
	sleeper_layout = l;
	*a = (struct actor){ .fd = r.p.fd };
	actor_start(a, act_sync);
	slept = !actor_ended(a, WHILE_MS);
	if (unplug)
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_UNPLUG, 0, 0);
	else
		POWER(true);
	if (slept && !actor_ended(a, WAIT_MS))
		bail("the call never returns");
	rig_down(&r);
	return slept;
}

/* Without power management a card is always on. */
static bool has_power(void)
{
	if (!access("/sys/power", F_OK))
		return true;
	skip("this kernel has no power management", "a card without power");
	return false;
}

static void powerless(void)
{
	struct actor a;

	if (!has_power())
		return;

	pcmrig_load(PCM_STOCK);
	ok(waits(NATIVE, false, &a), "stock: native waits for a card without power");
	ok(!waits(X32, false, &a), "stock: x32 does not");
	ok(!waits(TIME64, false, &a), "stock: nor does time64");
	pcmrig_load(PCM_OURS);
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		ok(waits(l, false, &a), "ours: %s waits", pcm_formats[l].name);
		is(a.ret, SNDRV_PCM_STATE_PREPARED, "and then goes on");
	}
}

/* Asleep when the card goes. */
static void unplugged(void)
{
	struct actor a;

	if (!has_power())
		return;

	pcmrig_load(PCM_OURS);
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		ok(waits(l, true, &a), "%s waits for power", pcm_formats[l].name);
		is(a.ret, -1, "and is woken when the card goes");
		is(a.err, ENODEV, "with ENODEV");
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "x32_boundary", x32_boundary },
		{ "x32_ack", x32_ack },
		{ "disconnected", disconnected },
		{ "powerless", powerless },
		{ "unplugged", unplugged },
	};

	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
