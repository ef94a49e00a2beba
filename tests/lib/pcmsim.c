// SPDX-License-Identifier: GPL-2.0-only
/* A sound card without a clock: kernel/pcm_sim, from a test program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file.h"
#include "pcmsim.h"

#define NODE	"/dev/pcm_sim"

void pcm_sim_up(struct pcm_sim *sim, unsigned int devices)
{
	struct pcm_sim_request req = { .value = devices };

	sim->fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (sim->fd < 0 && errno == ENOENT && wait_path(NODE, true, WAIT_MS))
		sim->fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (sim->fd < 0)
		bail(NODE);
	sim->card = ioctl(sim->fd, PCM_SIM_CREATE, &req);
	if (sim->card < 0)
		bail("PCM_SIM_CREATE");
	sim->trace = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			  sim->fd, 0);
	if (sim->trace == MAP_FAILED)
		bail("mmap of " NODE);
}

void pcm_sim_down(struct pcm_sim *sim)
{
	munmap(sim->trace, 4096);
	close(sim->fd);
	sim->fd = -1;
}

long pcm_sim_try(struct pcm_sim *sim, const struct pcm_dev *p, unsigned int cmd,
		 int value, unsigned int flags)
{
	struct pcm_sim_request req = { p->device, p->stream, value, flags };

	return pcm_ioctl(DOOR_64, sim->fd, cmd, addr(&req));
}

void pcm_sim_do(struct pcm_sim *sim, const struct pcm_dev *p, unsigned int cmd,
		int value, unsigned int flags)
{
	long ret = pcm_sim_try(sim, p, cmd, value, flags);

	errno = -ret;
	if (ret)
		bail("request %u to pcm_sim", _IOC_NR(cmd));
}

void pcm_sim_look(struct pcm_sim *sim, const struct pcm_dev *p,
		  struct pcm_sim_look *look)
{
	memset(look, 0, sizeof(*look));
	look->which.device = p->device;
	look->which.stream = p->stream;
	if (ioctl(sim->fd, PCM_SIM_LOOK, look))
		bail("PCM_SIM_LOOK");
}

long pcm_sim_take(struct pcm_sim *sim, const struct pcm_dev *p, void *to, size_t size)
{
	struct pcm_sim_take take = {
		.which = { p->device, p->stream, 0, 0 }, .to = addr(to), .size = size,
	};

	return pcm_ioctl(DOOR_64, sim->fd, PCM_SIM_TAKE, addr(&take));
}
