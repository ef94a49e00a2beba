// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers taken off their device under open endpoint fds: rpmsg_ctrl alone,
 * and virtio_rpmsg_bus below it. The fds go dead as if the remote had gone;
 * binding again gives a control device that works.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

#define RPMSG_DRIVER	"/sys/bus/rpmsg/drivers/rpmsg_ctrl"
#define VIRTIO_DRIVER	"/sys/bus/virtio/drivers/virtio_rpmsg_bus"

static struct sim sim;

/* The rpmsg device that carries the control device: virtioN.rpmsg_ctrl.0.0 */
static void ctrl_device(char *name, size_t size)
{
	char pattern[PATH_MAX];
	glob_t g;

	snprintf(pattern, sizeof(pattern), RPMSG_DRIVER "/%s.*", sim.dev);
	if (glob(pattern, 0, NULL, &g) || g.gl_pathc != 1)
		bail("%s", pattern);
	snprintf(name, size, "%s", strrchr(g.gl_pathv[0], '/') + 1);
	globfree(&g);
}

static int driver(const char *path, const char *what, const char *device)
{
	char attr[PATH_MAX];

	snprintf(attr, sizeof(attr), "%s/%s", path, what);
	return file_set(attr, device);
}

static void is_dead(int fd)
{
	char c;

	fails(read(fd, &c, 1), EPIPE, "read");
	fails(write(fd, "x", 1), EPIPE, "write");
	is(ept_poll(fd, POLLIN | POLLOUT), POLL_DEAD, "poll");
	is(ept_live(), 0, "no live endpoint");
}

/* Unbind DEVICE with idle, reading and writing endpoints, bind it again. */
static void cycle(const char *path, const char *device)
{
	int ctrl = sim_open_ctrl(&sim), idle, busy, fd, newctrl;
	struct actor r = { .buf = &(char){ 0 }, .len = 1 };
	struct actor w = { .buf = "stuck", .len = 5 };

	idle = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	busy = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "sink"), O_RDWR);
	ok(ept_echoes(idle, 10, 1), "talks");
	sim_set(&sim, "hold_tx", "1");
	ept_fill(busy);
	actor_block(&r, busy, act_read);
	actor_block(&w, busy, act_write);
	works(driver(path, "unbind", device), "unbind %s", device);
	if (!ok(actor_ended(&r, WAIT_MS), "the blocked reader returns") ||
	    !ok(actor_ended(&w, WAIT_MS), "the blocked writer returns"))
		bail("stuck");
	is(r.err, EPIPE, "read: EPIPE");
	is(w.err, EPIPE, "write: EPIPE");
	is_dead(idle);
	is_dead(busy);
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), ENETRESET, "control device");
	ok(wait_path(sim.node, false, WAIT_MS), "%s is gone", sim.node);
	sim_set(&sim, "hold_tx", "0");
	works(driver(path, "bind", device), "bind %s", device);
	sim_find_node(&sim);
	newctrl = sim_open_ctrl(&sim);
	fd = ept_open(newctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 2), "the new control device works");
	fails(write(idle, "x", 1), EPIPE, "the old fd stays dead");
	close(fd);
	close(newctrl);
	close(busy);
	close(idle);
	close(ctrl);
}

static void rpmsg_ctrl(void)
{
	char device[NAME_MAX + 1];
	unsigned int i, n = rounds(2);

	close(sim_up(&sim, "unbind", 8));
	for (i = 0; i < n; i++) {
		ctrl_device(device, sizeof(device));
		cycle(RPMSG_DRIVER, device);
	}
}

static void virtio_rpmsg_bus(void)
{
	unsigned int i, n = rounds(2);

	close(sim_up(&sim, "unbind", 8));
	for (i = 0; i < n; i++)
		cycle(VIRTIO_DRIVER, sim.dev);
}

static void unbound_then_removed(void)
{
	char device[NAME_MAX + 1];
	int ctrl = sim_up(&sim, "unbind", 8);
	int fd = ept_open(ctrl, EPT_ANY, 1, O_RDWR);

	ctrl_device(device, sizeof(device));
	works(driver(RPMSG_DRIVER, "unbind", device), "unbind");
	sim_dead(&sim);
	is_dead(fd);
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "rpmsg_ctrl", rpmsg_ctrl },
		{ "virtio_rpmsg_bus", virtio_rpmsg_bus },
		{ "unbound_then_removed", unbound_then_removed },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
