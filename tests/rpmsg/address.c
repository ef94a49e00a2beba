// SPDX-License-Identifier: GPL-2.0-only
/*
 * RPMSG_ADDR_ANY as source: the kernel chooses, writes the choice back, and
 * it is the true one: what is sent there arrives. Names are cut at 31 bytes.
 * fdinfo shows all of it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

static struct sim sim;

static int any(int ctrl, __u32 dst, __u32 *src)
{
	struct rpmsg_endpoint_fd_info info;

	ept_info(&info, EPT_ANY, dst, O_RDWR);
	if (ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info))
		bail("create");
	*src = info.src;
	return info.fd;
}

static void is_hex(int fd, const char *key, __u32 value)
{
	char want[16], got[16] = "";

	snprintf(want, sizeof(want), "0x%08x", value);
	fdinfo_str(fd, key, got, sizeof(got));
	is_str(got, want, "fdinfo %s", key);
}

static void any_src(void)
{
	int ctrl = sim_up(&sim, "addr", 16), fd, other;
	__u32 src, src2;
	char buf[64];

	fd = any(ctrl, sim_addr(&sim, "echo"), &src);
	ok(src != EPT_ANY, "src is written back (0x%x)", src);
	ok(src >= 1024 && src < 0x80000000, "from the dynamic range");
	is_hex(fd, "rpmsg-src", src);
	ok(ept_echoes(fd, 20, 1), "the echo returns to it");
	is(sim_num(&sim, "echo/last_src"), src, "the remote saw this address");
	sim_setn(&sim, "source/dst", src);
	sim_set(&sim, "source/burst", "1");
	is(ept_recv(fd, buf, sizeof(buf)), 32,
	   "what the remote sends there arrives");
	fails(ept_try(ctrl, src, 1, O_RDWR), EADDRINUSE, "it is taken");
	other = any(ctrl, sim_addr(&sim, "echo"), &src2);
	ok(src2 != src, "a second one gets another (0x%x)", src2);
	ok(ept_echoes(other, 20, 2) && ept_echoes(fd, 20, 3), "both talk");
	close(other);
	close(fd);
	fd = ept_open(ctrl, src, 1, O_RDWR);
	ok(fd >= 0, "after close it can be asked for");
	close(fd);
	close(ctrl);
}

/* Which one is chosen: the lowest that is free, from 1024 up. */
static void lowest_free(void)
{
	int ctrl = sim_up(&sim, "addr", 8), fd[4];
	__u32 src[4], again;
	int i;

	for (i = 0; i < 4; i++) {
		fd[i] = any(ctrl, sim_addr(&sim, "echo"), &src[i]);
		is(src[i], 1024 + i, "in turn");
	}
	for (i = 0; i < 4; i++) {
		close(fd[i]);
		fd[i] = any(ctrl, sim_addr(&sim, "echo"), &again);
		is(again, src[i], "a gap is filled");
		ok(ept_echoes(fd[i], 10, i), "and talks");
	}
	close(fd[0]);
	fd[0] = ept_open(ctrl, 1024, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(fd[0], 10, 9), "the lowest, by request");
	fails(ept_try(ctrl, 1024, 1, O_RDWR), EADDRINUSE, "is taken then");
	for (i = 0; i < 4; i++)
		close(fd[i]);
	sim_set(&sim, "source/dst", "1024");
	sim_set(&sim, "source/burst", "5");
	ok(sim_reaches(&sim, "source/tx_messages", 5),
	   "messages to it when it is free harm nobody");
	close(ctrl);
}

static void same_on_two_remotes(void)
{
	struct sim other;
	int a = sim_up(&sim, "addr", 8), b = sim_up(&other, "addr2", 8), fa, fb;

	fa = ept_open(a, 4321, sim_addr(&sim, "echo"), O_RDWR);
	fb = ept_open(b, 4321, sim_addr(&other, "echo"), O_RDWR);
	ok(ept_echoes(fa, 9, 1) && ept_echoes(fb, 9, 2),
	   "two remotes, one address, two endpoints");
	close(fa);
	ok(ept_echoes(fb, 9, 3), "independent of each other");
	close(fb);
	close(a);
	close(b);
}

static void any_dst(void)
{
	int ctrl = sim_up(&sim, "addr", 8);
	int fd = ept_open(ctrl, 4400, EPT_ANY, O_RDWR);
	char buf[64];

	is_hex(fd, "rpmsg-dst", EPT_ANY);
	fails(write(fd, "x", 1), EINVAL, "no destination, no write");
	sim_set(&sim, "source/dst", "4400");
	sim_set(&sim, "source/burst", "1");
	is(ept_recv(fd, buf, sizeof(buf)), 32, "but it can receive");
	close(fd);
	close(ctrl);
}

static void name_is(int ctrl, const char *given, size_t n, const char *want)
{
	struct rpmsg_endpoint_fd_info info;
	char got[64] = "";

	ept_info(&info, EPT_ANY, 1, O_RDWR);
	memset(info.name, 0, sizeof(info.name));
	memcpy(info.name, given, n);
	if (!works(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info),
		   "create with a name of %zu bytes", n))
		return;
	fdinfo_str(info.fd, "rpmsg-name", got, sizeof(got));
	is_str(got, want, "its name");
	close(info.fd);
}

static void names(void)
{
	static const char long32[] = "abcdefghijklmnopqrstuvwxyz012345";
	static const char cut31[] = "abcdefghijklmnopqrstuvwxyz01234";
	int ctrl = sim_up(&sim, "addr", 8);

	name_is(ctrl, "a", 1, "a");
	name_is(ctrl, "", 0, "");
	name_is(ctrl, long32, 31, cut31);
	name_is(ctrl, long32, 32, cut31);
	name_is(ctrl, "two words", 9, "two words");
	close(ctrl);
}

/* A name is the caller's bytes: it must not be able to forge fdinfo lines. */
static void name_with_newline(void)
{
	static const char evil[] = "x\nrpmsg-queued:\t77";
	int ctrl = sim_up(&sim, "addr", 8);
	struct rpmsg_endpoint_fd_info info;
	char got[64] = "";

	ept_info(&info, EPT_ANY, 1, O_RDWR);
	memcpy(info.name, evil, sizeof(evil));
	if (works(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info), "create")) {
		is(fdinfo_num(info.fd, "rpmsg-queued"), 0,
		   "the line is the kernel's, not the name's");
		fdinfo_str(info.fd, "rpmsg-name", got, sizeof(got));
		is_str(got, "x\\012rpmsg-queued:\\01177", "the name is escaped");
		close(info.fd);
	}
	close(ctrl);
}

static void fdinfo_counts(int fd, long long queued, long long bytes,
			  long long rx, long long tx)
{
	is(fdinfo_num(fd, "rpmsg-queued"), queued, "queued messages");
	is(fdinfo_num(fd, "rpmsg-queued-bytes"), bytes, "queued bytes");
	is(fdinfo_num(fd, "rpmsg-rx-messages"), rx, "received messages");
	is(fdinfo_num(fd, "rpmsg-rx-bytes"), rx * 10, "received bytes");
	is(fdinfo_num(fd, "rpmsg-rx-dropped"), 0, "dropped");
	is(fdinfo_num(fd, "rpmsg-tx-messages"), tx, "sent messages");
	is(fdinfo_num(fd, "rpmsg-tx-bytes"), tx * 10, "sent bytes");
}

static void fdinfo(void)
{
	int ctrl = sim_up(&sim, "addr", 8), fd;
	__u32 dst = sim_addr(&sim, "echo");
	char big[EPT_MTU + 1] = "", text[64] = "";

	fd = ept_open(ctrl, 4500, dst, O_RDWR);
	fdinfo_str(fd, "rpmsg-name", text, sizeof(text));
	is_str(text, "test", "name");
	is_hex(fd, "rpmsg-src", 4500);
	is_hex(fd, "rpmsg-dst", dst);
	fdinfo_str(fd, "rpmsg-mode", text, sizeof(text));
	is_str(text, "rw", "mode");
	fdinfo_str(fd, "rpmsg-state", text, sizeof(text));
	is_str(text, "live", "state");
	fdinfo_counts(fd, 0, 0, 0, 0);
	ok(ept_echoes(fd, 10, 1), "one message there and back");
	fdinfo_counts(fd, 0, 0, 1, 1);
	is(write(fd, "0123456789", 10), 10, "one that stays queued");
	ok(fdinfo_reaches(fd, "rpmsg-queued", 1), "it arrives");
	fdinfo_counts(fd, 1, 10, 2, 2);
	fails(write(fd, big, sizeof(big)), EMSGSIZE, "one that is refused");
	fdinfo_counts(fd, 1, 10, 2, 2);
	ept_destroy(fd);
	fdinfo_str(fd, "rpmsg-state", text, sizeof(text));
	is_str(text, "destroyed", "state after DESTROY");
	is_hex(fd, "rpmsg-src", 4500);
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "any_src", any_src },
		{ "lowest_free", lowest_free },
		{ "same_on_two_remotes", same_on_two_remotes },
		{ "any_dst", any_dst },
		{ "names", names },
		{ "name_with_newline", name_with_newline },
		{ "fdinfo", fdinfo },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
