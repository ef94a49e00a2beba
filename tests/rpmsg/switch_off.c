// SPDX-License-Identifier: GPL-2.0-only
/*
 * The off switch (rpmsg_ctrl.ept_fd=0): the ioctl answers as a stock kernel
 * does, the legacy path goes on, endpoint fds that exist go on. And probing:
 * EINVAL to a valid call is the sure sign that the ioctl is not there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;

static void set(const char *value)
{
	mod_param_set("rpmsg_ctrl", "ept_fd", value);
}

/* What a program does to find out: any valid call will do. */
static bool kernel_has_it(int ctrl)
{
	int fd = ept_try(ctrl, EPT_ANY, EPT_ANY, O_RDONLY | O_CLOEXEC);
	int err = errno;

	if (fd >= 0)
		close(fd);
	return fd >= 0 || err != EINVAL;
}

static void off_and_on(void)
{
	int ctrl = sim_up(&sim, "switch", 8);

	is(mod_param("rpmsg_ctrl", "ept_fd"), 1, "on by default");
	ok(kernel_has_it(ctrl), "probing finds the ioctl");
	set("N");
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), EINVAL, "off: EINVAL");
	fails(ept_try(ctrl, 0x80000000, 1, O_RDWR), EINVAL, "whatever src");
	fails(ept_try(ctrl, EPT_ANY, 1, ~0u), EINVAL, "whatever flags");
	fails(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, NULL), EFAULT,
	      "a bad pointer is EFAULT as on a stock kernel");
	ok(!kernel_has_it(ctrl), "probing finds none");
	set("Y");
	ok(kernel_has_it(ctrl), "on again");
	close(ctrl);
}

static void off_remote_gone(void)
{
	int ctrl = sim_up(&sim, "switch", 8);

	sim_dead(&sim);
	ok(kernel_has_it(ctrl), "probing needs no living remote");
	set("N");
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), EINVAL, "off: EINVAL");
	set("Y");
	close(ctrl);
}

static void existing_go_on(void)
{
	int ctrl = sim_up(&sim, "switch", 8);
	int fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);

	set("N");
	ok(ept_echoes(fd, 10, 1), "an endpoint made before still talks");
	works(ept_destroy(fd), "DESTROY works");
	works(close(fd), "close works");
	set("Y");
	close(ctrl);
}

static void legacy_goes_on(void)
{
	struct rpmsg_endpoint_info info = { .name = "legacy", .src = 8000 };
	int ctrl = sim_up(&sim, "switch", 8);

	set("N");
	info.dst = sim_addr(&sim, "echo");
	works(ioctl(ctrl, RPMSG_CREATE_EPT_IOCTL, &info), "legacy create");
	set("Y");
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "off_and_on", off_and_on },
		{ "off_remote_gone", off_remote_gone },
		{ "existing_go_on", existing_go_on },
		{ "legacy_goes_on", legacy_goes_on },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
