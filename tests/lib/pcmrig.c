// SPDX-License-Identifier: GPL-2.0-only
/* The frame of a pcm test program. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "pcmrig.h"

static const char *const sim_only[] = { "snd-pcm-sim", NULL };
static const char *const *rig_drivers = sim_only;
static int fds_before;

bool pcmrig_stock(void)
{
	const char *which = getenv("SHORTPATH_PCM");

	return which && !strcmp(which, "stock");
}

bool pcmrig_73(void)
{
	return kernel_from(7, 3);
}

void pcmrig_load(enum pcm_set set)
{
	pcm_load(set, rig_drivers);
}

static void note_state(void)
{
	fds_before = fd_count();
}

static void check_state(void)
{
	is(fd_count(), fds_before, "no file descriptor stays behind");
	ok(waitpid(-1, NULL, WNOHANG) == -1, "no child stays behind");
}

int pcmrig_main_with(int argc, char **argv, const struct tap_case *cases, size_t n,
		     const char *const drivers[])
{
	static const struct tap_hooks hooks = { note_state, check_state };

	tap_start();
	rig_drivers = drivers;
	pcm_unload_at_exit();
	if (!pcm_has_door(DOOR_X32))
		bail("this kernel was not booted with syscall.x32=y");
	pcmrig_load(pcmrig_stock() ? PCM_STOCK : PCM_OURS);
	return tap_run(argc, argv, cases, n, &hooks);
}

int pcmrig_main(int argc, char **argv, const struct tap_case *cases, size_t n)
{
	return pcmrig_main_with(argc, argv, cases, n, sim_only);
}

static const struct pcm_setup setup = {
	.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED, .format = SNDRV_PCM_FORMAT_S16_LE,
	.channels = 2, .rate = 48000, .period = RIG_PERIOD, .buffer = RIG_BUFFER,
};

void rig_up(struct rig_stream *r, int device, int stream)
{
	pcm_sim_up(&r->sim, 1U << device);
	pcm_ready(&r->p, r->sim.card, device, stream, &setup);
}

void rig_down(struct rig_stream *r)
{
	pcm_close(&r->p);
	pcm_sim_down(&r->sim);
}

void rig_state(struct rig_stream *r, int state)
{
	struct pcm_sim_look look;
	struct pcm_dev *p = &r->p;

	if (state == SNDRV_PCM_STATE_SETUP) {
		pcm_do(p, SNDRV_PCM_IOCTL_DROP);
	} else if (state == SNDRV_PCM_STATE_DISCONNECTED) {
		pcm_sim_do(&r->sim, p, PCM_SIM_DISCONNECT, 0, 0);
	} else if (state != SNDRV_PCM_STATE_PREPARED) {
		pcm_go(p, state);
		if (state == SNDRV_PCM_STATE_SUSPENDED)
			pcm_sim_do(&r->sim, p, PCM_SIM_SUSPEND, 0, 0);
	}
	pcm_sim_look(&r->sim, p, &look);
	if (look.state != state)
		bail("the stream is %s, not %s", pcm_state_name(look.state),
		     pcm_state_name(state));
}
