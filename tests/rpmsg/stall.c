// SPDX-License-Identifier: GPL-2.0-only
/*
 * A create ioctl whose structure lies on a page that takes for ever to come
 * (userfaultfd stands in for a slow disk or FUSE). While it is stalled, other
 * ioctls on the same control device and the removal of the remote go on.
 *
 * The series on the mailing list held the control lock across copy_to_user,
 * so one such caller blocked everybody and the driver's removal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdalign.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

#define SRC	9000

static struct sim sim;
static int ctrl, uffd;
static long psize;
static struct rpmsg_endpoint_fd_info *info;	/* on the page that stalls */
static struct actor actor;

/* MODE: MISSING stalls the kernel's read, WP its write. */
static bool trap(unsigned long long mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = mode };

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd < 0)
		return false;
	if (mode == UFFDIO_REGISTER_MODE_WP)
		api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP;
	psize = sysconf(_SC_PAGESIZE);
	info = mmap(NULL, psize, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (info == MAP_FAILED)
		bail("mmap");
	reg.range.start = (unsigned long)info;
	reg.range.len = psize;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg)) {
		munmap(info, psize);
		close(uffd);
		return false;
	}
	return true;
}

static void no_trap(void)
{
	skip("this kernel has no such userfaultfd", "a stalled page");
	close(ctrl);
}

static void write_protect(bool on)
{
	struct uffdio_writeprotect wp = {
		.range = { (unsigned long)info, psize },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &wp))
		bail("UFFDIO_WRITEPROTECT");
}

static void fill_page(void)
{
	static alignas(16) char page[65536];
	struct uffdio_copy copy = {
		.dst = (unsigned long)info, .src = (unsigned long)page,
		.len = psize,
	};

	ept_info((void *)page, SRC, sim_addr(&sim, "echo"), O_RDWR);
	if (ioctl(uffd, UFFDIO_COPY, &copy))
		bail("UFFDIO_COPY");
}

/* Run the ioctl in a thread; return when the kernel waits for the page. */
static void stall(void)
{
	struct uffd_msg msg;

	actor = (struct actor){
		.fd = ctrl, .cmd = RPMSG_CREATE_EPT_FD_IOCTL, .buf = info,
	};
	actor_start(&actor, act_ioctl);
	if (!(ept_poll_ms(uffd, POLLIN, WAIT_MS) & POLLIN) ||
	    read(uffd, &msg, sizeof(msg)) != sizeof(msg) ||
	    msg.event != UFFD_EVENT_PAGEFAULT)
		bail("the ioctl does not touch the page");
}

static void untrap(void)
{
	close(uffd);
	munmap(info, psize);
	close(ctrl);
}

/* Another program on the same control device, meanwhile. */
static void others_go_on(void)
{
	struct rpmsg_endpoint_info legacy = { .name = "legacy", .src = -1 };
	struct rpmsg_endpoint_fd_info other;
	struct actor a = { .fd = ctrl };

	ept_info(&other, EPT_ANY, sim_addr(&sim, "echo"), O_RDWR);
	a.cmd = RPMSG_CREATE_EPT_FD_IOCTL;
	a.buf = &other;
	actor_start(&a, act_ioctl);
	if (!ok(actor_ended(&a, WAIT_MS), "another create is not blocked"))
		bail("stuck");
	is(a.ret, 0, "it succeeds");
	ok(ept_echoes(other.fd, 10, 1), "its endpoint talks");
	close(other.fd);
	legacy.dst = 1;
	a.cmd = RPMSG_CREATE_EPT_IOCTL;
	a.buf = &legacy;
	actor_start(&a, act_ioctl);
	if (!ok(actor_ended(&a, WAIT_MS), "a legacy create is not blocked"))
		bail("stuck");
	is(a.ret, 0, "it succeeds");
}

static ssize_t act_dead(struct actor *a)
{
	(void)a;
	return sim_set_try(&sim, "live", "0");
}

static void removal_goes_on(void)
{
	struct actor a = { 0 };

	actor_start(&a, act_dead);
	if (!ok(actor_ended(&a, WAIT_MS), "removal is not blocked"))
		bail("stuck");
	is(a.ret, 0, "it succeeds");
}

static void resolved(void)
{
	if (!ok(actor_ended(&actor, WAIT_MS), "the stalled ioctl returns"))
		bail("stuck");
}

static void read_stalls(void)
{
	ctrl = sim_up(&sim, "stall", 8);
	if (!trap(UFFDIO_REGISTER_MODE_MISSING)) {
		no_trap();
		return;
	}
	stall();
	others_go_on();
	fill_page();
	resolved();
	is(actor.ret, 0, "and succeeds");
	ok(ept_echoes(info->fd, 10, 1), "its endpoint talks");
	close(info->fd);
	untrap();
}

static void read_stalls_removed(void)
{
	ctrl = sim_up(&sim, "stall", 8);
	if (!trap(UFFDIO_REGISTER_MODE_MISSING)) {
		no_trap();
		return;
	}
	stall();
	removal_goes_on();
	fill_page();
	resolved();
	is(actor.ret, -1, "and fails");
	is(actor.err, ENETRESET, "with ENETRESET");
	untrap();
}

static bool stall_write(void)
{
	ctrl = sim_up(&sim, "stall", 8);
	if (!trap(UFFDIO_REGISTER_MODE_WP)) {
		no_trap();
		return false;
	}
	ept_info(info, SRC, sim_addr(&sim, "echo"), O_RDWR);
	write_protect(true);
	stall();
	return true;
}

static void write_stalls(void)
{
	int count = fd_count();

	if (!stall_write())
		return;
	is(fd_count(), count + 2, "no fd is visible yet (2: control, uffd)");
	others_go_on();
	write_protect(false);
	resolved();
	is(actor.ret, 0, "and succeeds");
	ok(ept_echoes(info->fd, 10, 1), "its endpoint talks");
	close(info->fd);
	untrap();
}

/* Either answer is right, a leak or a live endpoint is not. */
static void write_stalls_removed(void)
{
	if (!stall_write())
		return;
	removal_goes_on();
	is(ept_live(), 0, "the endpoint under way died with the remote");
	write_protect(false);
	resolved();
	if (actor.ret) {
		is(actor.err, ENETRESET, "it says the remote is gone");
	} else {
		is(ept_poll(info->fd, POLLIN), POLL_DEAD, "a dead fd results");
		close(info->fd);
	}
	untrap();
}

/* The page never comes and then cannot be written: all is undone. */
static void write_stalls_fails(void)
{
	int fd;

	if (!stall_write())
		return;
	if (mprotect(info, psize, PROT_READ))
		bail("mprotect");
	write_protect(false);
	resolved();
	is(actor.ret, -1, "and fails");
	is(actor.err, EFAULT, "with EFAULT");
	is(ept_live(), 0, "nothing is left");
	fd = ept_try(ctrl, SRC, 1, O_RDWR);
	works(fd, "the address is free");
	close(fd);
	untrap();
}

/* The caller is killed while it waits for the page. */
static void write_stalls_killed(void)
{
	int status;
	pid_t pid;

	ctrl = sim_up(&sim, "stall", 8);
	pid = fork();
	if (!pid) {
		if (!trap(UFFDIO_REGISTER_MODE_WP))
			_exit(77);
		ept_info(info, SRC, 1, O_RDWR);
		write_protect(true);
		stall();
		_exit(ept_live() == 1 ? 0 : 1);
	}
	status = child_status(pid);
	if (status == 77) {
		no_trap();
		return;
	}
	is(status, 0, "a process ends while its ioctl is stalled");
	ok(ept_live_is(0), "nothing is left");
	close(ctrl);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "read_stalls", read_stalls },
		{ "read_stalls_removed", read_stalls_removed },
		{ "write_stalls", write_stalls },
		{ "write_stalls_removed", write_stalls_removed },
		{ "write_stalls_fails", write_stalls_fails },
		{ "write_stalls_killed", write_stalls_killed },
	};

	return rig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
