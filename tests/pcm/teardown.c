// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that end while threads of every layout call: the device goes, the card
 * is unplugged, its maker lets go of it, the driver of a snd-dummy is unbound,
 * the file is closed. Every thread comes back with an errno that says so, soon;
 * the module cannot be unloaded before, and can after.
 */
/* time-limit: 200 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN
#define HWSYNC		SNDRV_PCM_SYNC_PTR_HWSYNC
#define USERS		(TIME64 + 1)

static struct rig_stream r;
static unsigned int again;

struct user {
	pthread_t thread;
	enum pcm_layout layout;
	int fd;
	int end;		/* the errno that ends it */
	unsigned long calls;
	long last;
	bool ended;
};

static void *use(void *arg)
{
	struct user *u = arg;

	do {
		struct pcm_sync s = { .flags = u->calls++ % 2 ? APPL | AVAIL_MIN :
							  HWSYNC | APPL,
				      .avail_min = 1 };

		u->last = pcm_sync_ptr(u->layout, u->fd, &s);
	} while (u->last != -u->end);
	__atomic_store_n(&u->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static void users_start(struct user *users, int fd, int end)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		users[l] = (struct user){ .layout = l, .fd = fd, .end = end };
		if (pthread_create(&users[l].thread, NULL, use, &users[l]))
			bail("pthread_create");
	}
}

static bool all_ended(void *arg)
{
	struct user *users = arg;

	for (enum pcm_layout l = NATIVE; l <= TIME64; l++)
		if (!__atomic_load_n(&users[l].ended, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

/* True where all came back; a thread that hangs is a failure told once. */
static bool users_end(struct user *users)
{
	if (!wait_until(all_ended, users, WAIT_MS)) {
		for (enum pcm_layout l = NATIVE; l <= TIME64; l++)
			diag("%s: %s, last %ld", pcm_formats[l].name,
			     users[l].ended ? "ended" : "goes on", users[l].last);
		bail("a thread never came back");
	}
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++)
		pthread_join(users[l].thread, NULL);
	return true;
}

static void device_goes(void)
{
	struct user users[USERS];
	unsigned int i, good = 0;

	for (i = 0; i < again; i++) {
		rig_up(&r, i % 2 ? PCM_SIM_NONATOMIC : PCM_SIM_ACK, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		users_start(users, r.p.fd, EBADFD);
		nap_ms(i % 4);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_DISCONNECT, 0, 0);
		good += users_end(users);
		rig_down(&r);
	}
	is(good, again, "device disconnected: every thread ends with EBADFD");
}

static void card_unplugged(void)
{
	struct user users[USERS];
	unsigned int i, good = 0;

	for (i = 0; i < again; i++) {
		rig_up(&r, PCM_SIM_ACK, i % 2);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		users_start(users, r.p.fd, ENODEV);
		nap_ms(i % 4);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_UNPLUG, 0, 0);
		good += users_end(users);
		rig_down(&r);
	}
	is(good, again, "card unplugged: every thread ends with ENODEV");
}

static void maker_lets_go(void)
{
	struct user users[USERS];
	unsigned int i, good = 0;

	for (i = 0; i < again; i++) {
		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		users_start(users, r.p.fd, ENODEV);
		nap_ms(i % 4);
		pcm_sim_down(&r.sim);
		good += users_end(users);
		pcm_close(&r.p);
	}
	is(good, again, "card released: every thread ends with ENODEV");
}

/* The file is closed under the threads: calls in flight hold it. */
static void file_closed(void)
{
	struct user users[USERS];
	unsigned int i, good = 0;

	for (i = 0; i < again; i++) {
		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		users_start(users, r.p.fd, EBADF);
		nap_ms(i % 4);
		pcm_close(&r.p);
		good += users_end(users);
		pcm_sim_down(&r.sim);
	}
	is(good, again, "file closed: every thread ends with EBADF");
}

static void rmmod_refused(void)
{
	struct user users[USERS];

	rig_up(&r, PCM_SIM_ACK, PLAYBACK);
	users_start(users, r.p.fd, EBADF);
	fails(mod_remove("snd_pcm"), EWOULDBLOCK, "snd-pcm cannot go in use");
	fails(mod_remove("snd_pcm_sim"), EWOULDBLOCK, "nor can its driver");
	pcm_close(&r.p);
	users_end(users);
	pcm_sim_down(&r.sim);
	works(mod_remove("snd_pcm_sim"), "the driver can when all is closed");
	works(mod_remove("snd_pcm"), "and so can snd-pcm");
	pcmrig_load(PCM_OURS);
}

#define DUMMY	"/sys/bus/platform/drivers/snd_dummy/"

static const struct pcm_setup setup = {
	.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED, .format = SNDRV_PCM_FORMAT_S16_LE,
	.channels = 2, .rate = 48000, .period = 1024, .buffer = 8192,
};

static void driver_unbound(void)
{
	static const char *const with[] = { "snd-dummy", NULL };
	struct user users[USERS];
	unsigned int i, good = 0;
	struct pcm_dev p;
	int status;
	pid_t child;

	pcm_load(PCM_OURS, with);
	for (i = 0; i < 1 + again / 10; i++) {
		pcm_ready(&p, pcm_card("Dummy"), 0, PLAYBACK, &setup);
		pcm_start(&p);
		users_start(users, p.fd, ENODEV);
		/* Unbinding waits until the card's files are closed. */
		child = fork();
		if (!child) {
			close(p.fd);
			_exit(file_set(DUMMY "unbind", "snd_dummy.0") != 0);
		}
		good += users_end(users);
		pcm_close(&p);
		waitpid(child, &status, 0);
		good -= status != 0;
		if (file_set(DUMMY "bind", "snd_dummy.0"))
			bail("cannot bind the driver again");
	}
	is(good, 1 + again / 10, "driver unbound while playing: every thread ends with ENODEV");
	pcmrig_load(PCM_OURS);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "device_goes", device_goes },
		{ "card_unplugged", card_unplugged },
		{ "maker_lets_go", maker_lets_go },
		{ "file_closed", file_closed },
		{ "rmmod_refused", rmmod_refused },
		{ "driver_unbound", driver_unbound },
	};

	tap_start();
	again = rounds(60);
	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
