// SPDX-License-Identifier: GPL-2.0-only
/*
 * rpmsg_sim itself: remotes and services come and go through configfs, are
 * announced and retired by name service, and refuse nonsense.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;

static bool there(const char *path)
{
	return !access(path, F_OK);
}

struct channel {
	char path[PATH_MAX];
	bool want;
};

static bool channel_state(void *arg)
{
	struct channel *c = arg;

	return there(c->path) == c->want;
}

/* The announcement travels through the vring: wait for its effect. */
static bool channel_is(const char *service, bool want)
{
	struct channel c = { .want = want };

	sim_channel(&sim, service, c.path);
	return wait_until(channel_state, &c, WAIT_MS);
}

static void remote(void)
{
	char text[64] = "x", path[PATH_MAX];

	sim_make(&sim, "basic");
	is(sim_num(&sim, "live"), 0, "a new remote is not live");
	is(sim_num(&sim, "num_bufs"), 256, "has 256 buffers");
	is(sim_num(&sim, "name_service"), 1, "and a name service");
	is(sim_num(&sim, "hold_tx"), 0, "and returns buffers");
	snprintf(path, sizeof(path), SIM_ROOT "/basic/dev_name");
	file_get(path, text, sizeof(text));
	is_str(text, "", "no device yet");
	sim_live(&sim);
	is(sim_num(&sim, "live"), 1, "live");
	snprintf(path, sizeof(path), "/sys/bus/virtio/devices/%s/driver", sim.dev);
	ok(there(path), "%s is bound", sim.dev);
	snprintf(path, sizeof(path), "/sys/bus/virtio/devices/%s", sim.dev);
	sim_dead(&sim);
	ok(!there(path), "not live: the device is gone");
	sim_live(&sim);
	ok(there(sim.node), "live again: %s", sim.node);
	snprintf(path, sizeof(path), "%s", sim.node);
	sim_remove(&sim);
	ok(wait_path(path, false, WAIT_MS), "rmdir while live: gone too");
}

static void announced(void)
{
	long long n;

	sim_make(&sim, "basic");
	sim_service(&sim, "first", "echo");
	sim_live(&sim);
	ok(channel_is("first", true), "a service made before is announced");
	sim_service(&sim, "second", "echo");
	ok(channel_is("second", true), "one made while live is announced");
	n = sim_num(&sim, "stats/announces");
	ok(n >= 2, "announcements are counted (%lld)", n);
	ok(channel_is("first", true), "the first is still there");
	sim_set(&sim, "second/announce", "0");
	ok(channel_is("second", false), "announce=0 takes it back");
	sim_set(&sim, "second/announce", "1");
	ok(channel_is("second", true), "announce=1 announces again");
}

static void retired(void)
{
	struct channel c = { .want = false };

	sim_make(&sim, "basic");
	sim_service(&sim, "gone", "echo");
	sim_live(&sim);
	ok(channel_is("gone", true), "announced");
	sim_channel(&sim, "gone", c.path);
	sim_retire(&sim, "gone");
	ok(wait_until(channel_state, &c, WAIT_MS), "rmdir retires it");
}

static void unannounced(void)
{
	int ctrl, fd;

	sim_make(&sim, "basic");
	sim_service(&sim, "silent", "echo");
	sim_set(&sim, "silent/announce", "0");
	sim_service(&sim, "loud", "echo");
	sim_live(&sim);
	ok(channel_is("loud", true), "another is announced");
	ok(channel_is("silent", false), "this one is not");
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "silent"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "but answers");
	close(fd);
	close(ctrl);
}

static void no_name_service(void)
{
	int ctrl, fd;

	sim_make(&sim, "basic");
	sim_set(&sim, "name_service", "0");
	sim_service(&sim, "quiet", "echo");
	sim_live(&sim);
	ctrl = sim_open_ctrl(&sim);
	fd = ept_open(ctrl, EPT_ANY, sim_addr(&sim, "quiet"), O_RDWR);
	ok(ept_echoes(fd, 10, 1), "the service answers");
	is(sim_num(&sim, "stats/announces"), 0, "nothing was announced");
	ok(channel_is("quiet", false), "no channel");
	close(fd);
	fd = ept_try(ctrl, 53, 1, O_RDONLY);
	works(fd, "address 53 is free on the Linux side");
	close(fd);
	close(ctrl);
}

static void addresses(void)
{
	sim_make(&sim, "basic");
	sim_service(&sim, "a", "echo");
	sim_service(&sim, "b", "echo");
	ok(sim_addr(&sim, "a") >= 1024, "a default address");
	ok(sim_addr(&sim, "a") != sim_addr(&sim, "b"), "each its own");
	sim_set(&sim, "a/addr", "77");
	is(sim_addr(&sim, "a"), 77, "or a chosen one");
	sim_set(&sim, "a/addr", "0x4d2");
	is(sim_addr(&sim, "a"), 1234, "hexadecimal too");
	fails(sim_set_try(&sim, "b/addr", "1234"), EADDRINUSE, "one that is taken");
	sim_live(&sim);
	ok(channel_is("a", true), "announced with it");
	fails(sim_set_try(&sim, "a/addr", "78"), EBUSY, "then it is fixed");
}

static void refused_now(const char *attr, const char *value, int err)
{
	fails(sim_set_try(&sim, attr, value), err, "%s = \"%s\"", attr, value);
}

/* How many of these VALUES every one of the attributes takes. */
static int accepted(const char *const *attr, const char *const *value)
{
	const char *const *v;
	int n = 0;

	for (; *attr; attr++) {
		for (v = value; *v; v++) {
			if (sim_set_try(&sim, *attr, *v) == -1)
				continue;
			diag("%s = \"%s\" is taken", *attr, *v);
			n++;
		}
	}
	return n;
}

static void nonsense(void)
{
	static const char *const number[] = {
		"num_bufs", "svc/addr", "svc/rate", "svc/size", "svc/dst",
		"svc/burst", NULL
	};
	static const char *const boolean[] = {
		"live", "name_service", "hold_tx", "svc/announce", NULL
	};
	static const char *const not_number[] = {
		"x", "-1", "1x", "1 2", "0x", "999999999999", NULL
	};
	static const char *const not_boolean[] = { "x", "-1", "7", "?", NULL };

	sim_make(&sim, "basic");
	sim_service(&sim, "svc", "source");
	is(accepted(number, not_number), 0, "no number takes garbage");
	is(accepted(boolean, not_boolean), 0, "no switch takes garbage");
	is(sim_num(&sim, "live"), 0, "and nothing has come of it");
	refused_now("num_bufs", "1", ERANGE);
	refused_now("num_bufs", "3", ERANGE);
	refused_now("num_bufs", "512", ERANGE);
	refused_now("svc/behaviour", "nothing", EINVAL);
	refused_now("svc/size", "497", ERANGE);
	refused_now("svc/rate", "100001", ERANGE);
	refused_now("svc/addr", "53", EINVAL);
	refused_now("svc/addr", "0xffffffff", EINVAL);
	refused_now("svc/burst", "1", ENOTCONN);
	refused_now("svc/rx_messages", "1", EACCES);
	refused_now("dev_name", "x", EACCES);
}

static void busy_when_live(void)
{
	sim_make(&sim, "basic");
	sim_live(&sim);
	refused_now("num_bufs", "16", EBUSY);
	refused_now("name_service", "0", EBUSY);
	works(sim_set_try(&sim, "live", "1"), "live when live");
	sim_dead(&sim);
	works(sim_set_try(&sim, "live", "0"), "not live when not");
	works(sim_set_try(&sim, "num_bufs", "16"), "num_bufs can be set again");
}

static void make_fails(const char *folder, int err, const char *why)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SIM_ROOT "/basic/%s", folder);
	fails(mkdir(path, 0755), err, "%s", why);
}

static void service_names(void)
{
	static const char name31[] = "abcdefghijklmnopqrstuvwxyz01234";

	sim_make(&sim, "basic");
	sim_service(&sim, name31, "echo");
	sim_live(&sim);
	ok(channel_is(name31, true), "a name of 31 bytes");
	make_fails("abcdefghijklmnopqrstuvwxyz012345", ENAMETOOLONG,
		   "32 bytes are too many");
	make_fails(name31, EEXIST, "a name that is there");
}

static void two_remotes(void)
{
	struct sim other;
	int a = sim_up(&sim, "basic", 8), b = sim_up(&other, "basic2", 8);
	int fa, fb;

	ok(strcmp(sim.node, other.node), "two control devices");
	fa = ept_open(a, EPT_ANY, sim_addr(&sim, "sink"), O_RDWR);
	fb = ept_open(b, EPT_ANY, sim_addr(&other, "sink"), O_RDWR);
	if (write(fa, "x", 1) != 1)
		bail("write");
	ok(sim_reaches(&sim, "sink/rx_messages", 1), "the first got it");
	is(sim_num(&other, "sink/rx_messages"), 0, "the second did not");
	close(fa);
	close(fb);
	close(a);
	close(b);
}

static void many_remotes(void)
{
	struct sim s[12];
	int ctrl[12], fd, bad = 0;
	size_t i;
	char name[24];

	for (i = 0; i < ARRAY_SIZE(s); i++) {
		snprintf(name, sizeof(name), "basic%zu", i);
		ctrl[i] = sim_up(&s[i], name, 2);
	}
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		fd = ept_open(ctrl[i], EPT_ANY, sim_addr(&s[i], "echo"), O_RDWR);
		bad += !ept_echoes(fd, 10, i);
		close(fd);
		close(ctrl[i]);
	}
	is(bad, 0, "twelve remotes with two buffers each, all talk");
	for (i = ARRAY_SIZE(s); i--;)
		sim_remove(&s[i]);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "remote", remote },
		{ "announced", announced },
		{ "retired", retired },
		{ "unannounced", unannounced },
		{ "no_name_service", no_name_service },
		{ "addresses", addresses },
		{ "nonsense", nonsense },
		{ "busy_when_live", busy_when_live },
		{ "service_names", service_names },
		{ "two_remotes", two_remotes },
		{ "many_remotes", many_remotes },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
