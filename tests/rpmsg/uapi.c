// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uAPI of RPMSG_CREATE_EPT_FD_IOCTL: layout and number as published, each
 * errno of its table, and that each refusal leaves nothing behind.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rig.h"

#define GOOD_FLAGS	(O_ACCMODE | O_NONBLOCK | O_CLOEXEC)

static_assert(sizeof(struct rpmsg_endpoint_fd_info) == 48, "as published");

static struct sim sim;

static void layout(void)
{
	is(sizeof(struct rpmsg_endpoint_fd_info), 48, "structure size");
	is(offsetof(struct rpmsg_endpoint_fd_info, name), 0, "name");
	is(offsetof(struct rpmsg_endpoint_fd_info, src), 32, "src");
	is(offsetof(struct rpmsg_endpoint_fd_info, dst), 36, "dst");
	is(offsetof(struct rpmsg_endpoint_fd_info, flags), 40, "flags");
	is(offsetof(struct rpmsg_endpoint_fd_info, fd), 44, "fd");
	ok((__s32)-1 < 0 && ((struct rpmsg_endpoint_fd_info){ .fd = -1 }).fd < 0,
	   "fd is signed");
	is(RPMSG_CREATE_EPT_FD_IOCTL, 0xC030B507, "ioctl number");
	is(RPMSG_DESTROY_EPT_IOCTL, 0xB502, "destroy's number");
	is(RPMSG_GET_OUTGOING_FLOWCONTROL, 0x8004B505, "flow control, get");
	is(RPMSG_SET_INCOMING_FLOWCONTROL, 0x8004B506, "flow control, set");
}

static void success(void)
{
	struct rpmsg_endpoint_fd_info info, was;
	int ctrl = sim_up(&sim, "uapi", 16);
	int next = fd_next();

	ept_info(&info, 2000, sim_addr(&sim, "echo"), O_RDWR);
	was = info;
	works(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info), "create");
	is(info.fd, next, "the lowest free number, whatever fd held");
	is(info.src, 2000, "src kept");
	is(info.dst, was.dst, "dst kept");
	is(info.flags, was.flags, "flags kept");
	ok(!memcmp(info.name, was.name, sizeof(info.name)), "name kept");
	ok(ept_echoes(info.fd, 20, 1), "and it talks to the echo service");
	close(info.fd);
	close(ctrl);
}

static void bad_flags(void)
{
	int ctrl = sim_up(&sim, "uapi", 16), bit, wrong = 0;

	for (bit = 0; bit < 32; bit++) {
		if (GOOD_FLAGS & (1u << bit))
			continue;
		if (ept_try(ctrl, 2000, 1, 1u << bit) != -1 || errno != EINVAL) {
			diag("bit %d: %s", bit, err_name(errno));
			wrong++;
		}
	}
	is(wrong, 0, "every other bit of flags is EINVAL");
	fails(ept_try(ctrl, 2000, 1, GOOD_FLAGS | O_CREAT), EINVAL,
	      "also beside good ones");
	fails(ept_try(ctrl, 2000, 1, ~0u), EINVAL, "all bits at once");
	close(ctrl);
}

/* Callers tell a kernel without the ioctl from a bad argument by this. */
static void never_einval(void)
{
	static const __u32 srcs[] = {
		0, 1, 1023, 1024, 0x7fffffff, 0x80000000, 0xfffffffe, EPT_ANY,
	};
	static const __u32 flags[] = {
		0, O_WRONLY, O_RDWR, O_ACCMODE, O_NONBLOCK, O_CLOEXEC, GOOD_FLAGS,
	};
	int ctrl = sim_up(&sim, "uapi", 16), einval = 0, fd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(srcs) * ARRAY_SIZE(flags) * 2; i++) {
		__u32 src = srcs[i / 2 % ARRAY_SIZE(srcs)];
		__u32 flag = flags[i / 2 / ARRAY_SIZE(srcs)];

		fd = ept_try(ctrl, src, i & 1 ? EPT_ANY : 0, flag);
		if (fd >= 0)
			close(fd);
		else if (errno == EINVAL && ++einval)
			diag("src 0x%x flags 0%o: EINVAL", src, flag);
	}
	is(einval, 0, "no src, dst or good flags gives EINVAL");
	close(ctrl);
}

static void bad_src(void)
{
	int ctrl = sim_up(&sim, "uapi", 16), a, b;

	a = ept_open(ctrl, 3000, 1, O_RDWR);
	fails(ept_try(ctrl, 3000, 1, O_RDWR), EADDRINUSE, "src taken by an fd");
	fails(ept_try(ctrl, 53, 1, O_RDWR), EADDRINUSE,
	      "src taken by the name service");
	fails(ept_try(ctrl, 0x80000000, 1, O_RDWR), EADDRNOTAVAIL,
	      "src 0x80000000 cannot be an address");
	fails(ept_try(ctrl, 0xfffffffe, 1, O_RDWR), EADDRNOTAVAIL,
	      "src 0xfffffffe neither");
	is(ept_live(), 1, "one endpoint is there");
	close(a);
	b = ept_open(ctrl, 3000, 1, O_RDWR);
	ok(b >= 0, "src is free again after close");
	close(b);
	b = ept_open(ctrl, 0x7fffffff, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(b, 8, 2), "the highest address works");
	close(b);
	b = ept_open(ctrl, 0, sim_addr(&sim, "echo"), O_RDWR);
	ok(ept_echoes(b, 8, 3), "address 0 works");
	close(b);
	close(ctrl);
}

static void no_fds(void)
{
	int ctrl = sim_up(&sim, "uapi", 16), fd;
	int next = fd_next();

	fd_limit(next);
	fails(ept_try(ctrl, 3000, 1, O_RDWR), EMFILE, "no fd number left");
	fd_limit(1024);
	is(ept_live(), 0, "no endpoint left behind");
	fd = ept_open(ctrl, 3000, 1, O_RDWR);
	is(fd, next, "the address and the number are free");
	close(fd);
	close(ctrl);
}

/* ENFILE spares CAP_SYS_ADMIN, so a child drops to nobody. */
static int create_as_nobody(int ctrl)
{
	pid_t pid = fork();

	if (pid)
		return child_status(pid);
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		_exit(200);
	_exit(ept_try(ctrl, 3000, 1, O_RDWR) < 0 ? errno : 0);
}

static void no_files(void)
{
	int ctrl = sim_up(&sim, "uapi", 16);
	char max[32];

	if (file_get("/proc/sys/fs/file-max", max, sizeof(max)))
		bail("file-max");
	if (file_set("/proc/sys/fs/file-max", "0"))
		bail("cannot lower file-max");
	is(create_as_nobody(ctrl), ENFILE, "the system is out of files");
	if (file_set("/proc/sys/fs/file-max", max))
		bail("cannot restore file-max");
	is(ept_live(), 0, "no endpoint left behind");
	is(create_as_nobody(ctrl), 0, "the address is free; nobody may create");
	close(ctrl);
}

static void remote_gone(void)
{
	int ctrl = sim_up(&sim, "uapi", 16);

	sim_dead(&sim);
	fails(ept_try(ctrl, 3000, 1, O_RDWR), ENETRESET, "remote gone");
	fails(ept_try(ctrl, EPT_ANY, 1, O_RDWR), ENETRESET, "again, any src");
	fails(ept_try(ctrl, EPT_ANY, 1, O_CREAT), EINVAL,
	      "bad flags stay EINVAL");
	fails(ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, NULL), EFAULT,
	      "no structure stays EFAULT");
	close(ctrl);
}

static void not_ours(void)
{
	int ctrl = sim_up(&sim, "uapi", 16);
	struct rpmsg_endpoint_fd_info info;
	int fd = ept_open(ctrl, EPT_ANY, 1, O_RDWR);

	ept_info(&info, EPT_ANY, 1, 0);
	fails(ioctl(fd, RPMSG_CREATE_EPT_FD_IOCTL, &info), EINVAL,
	      "an endpoint fd creates no endpoints");
	fails(ioctl(fd, RPMSG_CREATE_EPT_IOCTL, &info), EINVAL,
	      "not legacy ones either");
	fails(ioctl(fd, _IO(0xb5, 0x7f)), EINVAL, "unknown ioctl on the fd");
	fails(ioctl(ctrl, _IO(0xb5, 0x7f), &info), EINVAL,
	      "unknown ioctl on the control device");
	fails(ioctl(ctrl, _IOW(0xb5, 7, struct rpmsg_endpoint_fd_info), &info),
	      EINVAL, "same number, other direction");
	fails(lseek(fd, 0, SEEK_SET), ESPIPE, "no seeking");
	fails(pread(fd, &info, 1, 0), ESPIPE, "no pread");
	close(fd);
	close(ctrl);
}

static void flow_control(void)
{
	int ctrl = sim_up(&sim, "uapi", 16), restricted = -1;
	int fd = ept_open(ctrl, EPT_ANY, 1, O_RDWR);

	if (!kernel_from(6, 12)) {
		fails(ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted),
		      EINVAL, "6.1 knows no flow control: get");
		fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1), EINVAL,
		      "6.1 knows no flow control: set");
	} else {
		works(ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted),
		      "get flow control");
		is(restricted, 0, "virtio restricts nothing");
		fails(ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, 8L), EFAULT,
		      "get into nowhere");
		fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 2), EINVAL,
		      "set takes 0 or 1");
		fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1), EOPNOTSUPP,
		      "virtio cannot set it");
		ept_destroy(fd);
		fails(ioctl(fd, RPMSG_SET_INCOMING_FLOWCONTROL, 1), EPIPE,
		      "set on a destroyed endpoint");
		works(ioctl(fd, RPMSG_GET_OUTGOING_FLOWCONTROL, &restricted),
		      "get on a destroyed endpoint");
	}
	close(fd);
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "layout", layout },
		{ "success", success },
		{ "bad_flags", bad_flags },
		{ "never_einval", never_einval },
		{ "bad_src", bad_src },
		{ "no_fds", no_fds },
		{ "no_files", no_files },
		{ "remote_gone", remote_gone },
		{ "not_ours", not_ours },
		{ "flow_control", flow_control },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
