// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of every layout on one stream at once, which others start, stop, move
 * and prepare meanwhile. What comes back is never torn: appl_ptr and avail_min
 * are a pair that one of the threads has stored or the other thread's beside it,
 * hw_ptr is the hardware's, the state is one, and errno fits it.
 */
/* time-limit: 200 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN
#define HWSYNC		SNDRV_PCM_SYNC_PTR_HWSYNC

static struct rig_stream r;
static bool stop;
static unsigned int rounds_left;

struct user {
	pthread_t thread;
	enum pcm_layout layout;
	unsigned long calls, refused, wrong;
	struct pcm_sync first_wrong;
	long first_ret;
};

/* What a thread stores: avail_min says what appl_ptr is. */
static __u64 pair(__u64 appl_ptr)
{
	return appl_ptr * 3 + 1;
}

static bool errno_fits(long ret)
{
	return ret == -EPIPE || ret == -EBADFD || ret == -ESTRPIPE;
}

static bool fits(long ret, unsigned int flags, const struct pcm_sync *s)
{
	if (ret)
		return errno_fits(ret) && flags & HWSYNC;
	if (s->state > (int)SNDRV_PCM_STATE_SUSPENDED || s->state < 1)
		return false;
	/* appl_ptr is also set to hw_ptr when the stream is prepared. */
	if (flags == (APPL | AVAIL_MIN) && s->appl_ptr && s->avail_min != 1 &&
	    s->avail_min != pair(s->appl_ptr))
		return false;
	return s->hw_ptr < 1U << 30;
}

static void *use(void *arg)
{
	static const unsigned int flags[] = {
		0, APPL | AVAIL_MIN, HWSYNC | APPL | AVAIL_MIN, APPL | AVAIL_MIN,
		HWSYNC,
	};
	struct user *u = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		__u64 to = (u->calls * 8 + u->layout) % RIG_BUFFER;
		struct pcm_sync s = { .appl_ptr = to, .avail_min = pair(to) };
		long ret;

		s.flags = flags[u->calls++ % ARRAY_SIZE(flags)];
		ret = pcm_sync_ptr(u->layout, r.p.fd, &s);
		u->refused += ret != 0;
		if (!fits(ret, s.flags, &s) && !u->wrong++) {
			u->first_wrong = s;
			u->first_ret = ret;
		}
	}
	return NULL;
}

/* As another program's thread might: whatever fits the state or not. */
static void disturb(unsigned int i, bool prepare)
{
	static const unsigned int cmds[] = {
		SNDRV_PCM_IOCTL_START, SNDRV_PCM_IOCTL_DROP, SNDRV_PCM_IOCTL_XRUN,
		SNDRV_PCM_IOCTL_RESUME, SNDRV_PCM_IOCTL_DRAIN,
		SNDRV_PCM_IOCTL_HWSYNC,
	};

	if (prepare && i % 3 == 0)
		pcm_do(&r.p, SNDRV_PCM_IOCTL_PREPARE);
	if (i % 7 == 0)
		pcm_sim_try(&r.sim, &r.p, PCM_SIM_SUSPEND, 0, 0);
	pcm_do(&r.p, cmds[i % ARRAY_SIZE(cmds)]);
	pcm_ioctl(DOOR_64, r.p.fd, SNDRV_PCM_IOCTL_PAUSE, i & 1);
	pcm_sim_try(&r.sim, &r.p, PCM_SIM_ADVANCE, i % RIG_PERIOD, i & PCM_SIM_ELAPSED);
}

static void start_all(struct user *users, size_t n)
{
	size_t i;

	stop = false;
	for (i = 0; i < n; i++) {
		users[i] = (struct user){ .layout = i % (TIME64 + 1) };
		if (pthread_create(&users[i].thread, NULL, use, &users[i]))
			bail("pthread_create");
	}
}

static void stop_all(struct user *users, size_t n, const char *what)
{
	unsigned long calls = 0, wrong = 0, refused = 0;
	size_t i;

	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++) {
		struct user *u = &users[i];

		pthread_join(u->thread, NULL);
		calls += u->calls;
		wrong += u->wrong;
		refused += u->refused;
		if (u->wrong)
			diag("%s: %ld, flags %u, %s, appl_ptr %llu, min %llu, hw_ptr %llu",
			     pcm_formats[u->layout].name, u->first_ret,
			     u->first_wrong.flags, pcm_state_name(u->first_wrong.state),
			     (unsigned long long)u->first_wrong.appl_ptr,
			     (unsigned long long)u->first_wrong.avail_min,
			     (unsigned long long)u->first_wrong.hw_ptr);
	}
	ok(calls > n * 100, "%s: %lu calls, %lu refused", what, calls, refused);
	is(wrong, 0, "none of them wrong");
}

/* Nobody but they themselves stores: pairs stay pairs. */
static void pairs(int device)
{
	struct user users[8];

	rig_up(&r, device, PLAYBACK);
	start_all(users, ARRAY_SIZE(users));
	nap_ms(rounds_left * 2);
	stop_all(users, ARRAY_SIZE(users), "eight threads, prepared");
	rig_down(&r);
}

static void others_move(int device)
{
	struct user users[4];
	unsigned int i;

	rig_up(&r, device, PLAYBACK);
	start_all(users, ARRAY_SIZE(users));
	for (i = 0; i < rounds_left; i++) {
		disturb(i, true);
		if (i % 16 == 0)
			nap_ms(1);
	}
	stop_all(users, ARRAY_SIZE(users), "four threads, moved by a fifth");
	rig_down(&r);
}

static void atomic_pairs(void)
{
	pairs(PCM_SIM_ACK);
}

static void nonatomic_pairs(void)
{
	pairs(PCM_SIM_NONATOMIC);
}

static void atomic_moved(void)
{
	others_move(PCM_SIM_PLAIN);
}

static void nonatomic_moved(void)
{
	others_move(PCM_SIM_NONATOMIC);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "atomic_pairs", atomic_pairs },
		{ "nonatomic_pairs", nonatomic_pairs },
		{ "atomic_moved", atomic_moved },
		{ "nonatomic_moved", nonatomic_moved },
	};

	tap_start();
	rounds_left = rounds(2000);
	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
