// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules cannot be unloaded under an open fd, live or dead; they can when
 * the last one is closed, leave no device behind, and work when loaded again.
 * The transport below may go at any time: then the fds are dead.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;

static void refused(const char *module, const char *why)
{
	fails(mod_remove(module), EWOULDBLOCK, "%s stays: %s", module, why);
}

/* A reference that a racing open or udev briefly holds is not a finding. */
static bool removes(void *module)
{
	return !mod_remove(module) || errno == ENOENT;
}

static void goes(const char *module)
{
	ok(wait_until(removes, (void *)module, WAIT_MS), "%s unloads", module);
	ok(!mod_loaded(module), "%s is gone", module);
}

static void ctrl_in_use(void)
{
	int ctrl = sim_up(&sim, "rmmod", 8);
	int fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	int pinned;

	refused("rpmsg_ctrl", "control device and endpoint are open");
	close(ctrl);
	refused("rpmsg_ctrl", "an endpoint is open");
	refused("rpmsg_char", "rpmsg_ctrl needs it");
	refused("rpmsg_core", "everything needs it");
	ok(ept_echoes(fd, 10, 1), "the endpoint did not notice");
	pinned = dup(fd);
	close(fd);
	refused("rpmsg_ctrl", "a copy is open");
	ept_destroy(pinned);
	refused("rpmsg_ctrl", "a destroyed endpoint is open");
	close(pinned);
	goes("rpmsg_ctrl");
	ok(wait_path(sim.node, false, WAIT_MS), "%s is gone", sim.node);
	works(mod_probe("rpmsg_ctrl"), "loads again");
	sim_find_node(&sim);
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 2), "and the remote that was there works");
	close(fd);
	close(ctrl);
}

static void dead_fd_pins(void)
{
	int ctrl = sim_up(&sim, "rmmod", 8);
	int fd = ept_open(ctrl, EPT_ANY, 1, O_RDWR);

	close(ctrl);
	sim_remove(&sim);
	refused("rpmsg_ctrl", "a dead endpoint is open");
	fails(write(fd, "x", 1), EPIPE, "and still answers");
	close(fd);
	goes("rpmsg_ctrl");
	works(mod_probe("rpmsg_ctrl"), "loads again");
}

static void transport_goes(void)
{
	int ctrl = sim_up(&sim, "rmmod", 8);
	int fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	char c;

	goes("virtio_rpmsg_bus");
	fails(read(fd, &c, 1), EPIPE, "read");
	fails(write(fd, "x", 1), EPIPE, "write");
	is(ept_poll(fd, POLLIN | POLLOUT), POLL_DEAD, "poll");
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), ENETRESET, "control device");
	works(close(fd), "close after the transport's code is gone");
	close(ctrl);
	works(mod_probe("virtio_rpmsg_bus"), "loads again");
	sim_find_node(&sim);
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 3), "and binds the remote again");
	close(fd);
	close(ctrl);
}

static void sim_in_use(void)
{
	sim_make(&sim, "rmmod");
	refused("rpmsg_sim", "a remote exists");
	sim_remove(&sim);
	goes("rpmsg_sim");
	works(mod_probe("rpmsg_sim"), "loads again");
}

static void all_of_them(void)
{
	static const char *const order[] = {
		"rpmsg_sim", "rpmsg_ctrl", "rpmsg_char", "virtio_rpmsg_bus",
		"rpmsg_ns", "rpmsg_core",
	};
	size_t i;
	int ctrl, fd;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		goes(order[i]);
	ok(access("/sys/bus/rpmsg", F_OK), "the rpmsg bus is gone");
	for (i = ARRAY_SIZE(order); i--;)
		works(mod_probe(order[i]), "%s loads again", order[i]);
	ctrl = sim_up(&sim, "rmmod", 8);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd, 10, 4), "and all works");
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "ctrl_in_use", ctrl_in_use },
		{ "dead_fd_pins", dead_fd_pins },
		{ "transport_goes", transport_goes },
		{ "sim_in_use", sim_in_use },
		{ "all_of_them", all_of_them },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
