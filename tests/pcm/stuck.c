// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call whose memory never comes (a userfaultfd that nobody serves), while it
 * reads its argument or while it writes the answer, holds no lock: other calls
 * on the same stream answer, the hardware's interrupt is served, the stream can
 * be stopped, the card can go. When the memory comes, the call ends as any other.
 */
/* time-limit: 200 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN
#define HWSYNC		SNDRV_PCM_SYNC_PTR_HWSYNC
#define SOON_MS		5000

static struct rig_stream r;
static int uffd;
static unsigned char *page;
static bool protects;	/* the page is there, but writing to it is caught */

static void page_make(bool protect)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = protect ? UFFD_FEATURE_PAGEFAULT_FLAG_WP : 0,
	};
	struct uffdio_register reg = {
		.mode = protect ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING,
	};

	protects = protect;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (page == MAP_FAILED || uffd < 0 || ioctl(uffd, UFFDIO_API, &api))
		bail("userfaultfd");
	if (protect)
		memset(page, 0, 4096);
	reg.range.start = addr(page);
	reg.range.len = 4096;
	if (ioctl(uffd, UFFDIO_REGISTER, &reg))
		bail("UFFDIO_REGISTER");
}

/* From now on nobody gets past it. */
static void page_close(const void *content)
{
	struct uffdio_writeprotect wp = {
		.range = { addr(page), 4096 }, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (!protects)
		return;
	memcpy(page, content, SYNC_SIZE_MAX);
	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &wp))
		bail("UFFDIO_WRITEPROTECT");
}

static void page_comes(const void *content)
{
	static char full[4096];
	struct uffdio_copy c = {
		.dst = addr(page), .src = addr(full), .len = 4096,
	};
	struct uffdio_writeprotect wp = { .range = { addr(page), 4096 } };

	memcpy(full, content, SYNC_SIZE_MAX);
	if (protects ? ioctl(uffd, UFFDIO_WRITEPROTECT, &wp) :
		       ioctl(uffd, UFFDIO_COPY, &c))
		bail("the page does not come");
}

static void page_free(void)
{
	close(uffd);
	munmap(page, 4096);
}

static bool caught(void)
{
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	struct uffd_msg m;

	return poll(&p, 1, SOON_MS) == 1 && read(uffd, &m, sizeof(m)) == sizeof(m) &&
	       m.event == UFFD_EVENT_PAGEFAULT;
}

static struct stuck {
	struct actor a;
	enum pcm_door door;
	unsigned int cmd;
	unsigned char content[SYNC_SIZE_MAX];
} stuck;

static ssize_t act_call(struct actor *a)
{
	long ret = pcm_ioctl(stuck.door, a->fd, stuck.cmd, addr(page));

	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : ret;
}

static void stick(bool protect)
{
	page_make(protect);
	page_close(stuck.content);
	stuck.a = (struct actor){ .fd = r.p.fd };
	actor_start(&stuck.a, act_call);
	if (!caught())
		bail("the call does not get stuck");
}

/* Everything else goes on. */
static void others_live(void)
{
	long long start = now_ms();
	struct pcm_sim_look look;

	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .flags = HWSYNC | APPL | AVAIL_MIN };

		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s answers meanwhile",
		   pcm_formats[l].name);
	}
	pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, RIG_PERIOD, PCM_SIM_ELAPSED);
	pcm_sim_look(&r.sim, &r.p, &look);
	is(look.hw_ptr % RIG_PERIOD, 0, "the interrupt is served");
	is(pcm_do(&r.p, SNDRV_PCM_IOCTL_DROP), 0, "the stream can be stopped");
	is(pcm_do(&r.p, SNDRV_PCM_IOCTL_PREPARE), 0, "and prepared");
	ok(now_ms() - start < SOON_MS, "at once (%lld ms)", now_ms() - start);
}

static void call_ends(const char *what, long want)
{
	page_comes(stuck.content);
	if (!ok(actor_ended(&stuck.a, SOON_MS), "%s ends when memory comes", what))
		bail("it never returns");
	is(stuck.a.ret < 0 ? -stuck.a.err : stuck.a.ret, want, "and returns");
	page_free();
}

static void sync_ptr(bool protect)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .flags = HWSYNC | APPL | AVAIL_MIN };

		memset(stuck.content, 0, sizeof(stuck.content));
		pcm_sync_put(l, stuck.content, &s);
		stuck.door = pcm_formats[l].door;
		stuck.cmd = pcm_formats[l].cmd;
		for (int device = PCM_SIM_ACK; device <= PCM_SIM_NONATOMIC;
		     device += PCM_SIM_NONATOMIC - PCM_SIM_ACK) {
			rig_up(&r, device, PLAYBACK);
			rig_state(&r, SNDRV_PCM_STATE_RUNNING);
			stick(protect);
			others_live();
			call_ends(pcm_formats[l].name, 0);
			rig_down(&r);
		}
	}
}

static void sync_ptr_reads(void)
{
	sync_ptr(false);
}

static void sync_ptr_writes(void)
{
	sync_ptr(true);
}

/* The others: stuck on their structure. */
static void other_calls(bool protect)
{
	static const struct {
		const char *name;
		enum pcm_door door;
		unsigned int cmd;
	} calls[] = {
		{ "DELAY", DOOR_64, SNDRV_PCM_IOCTL_DELAY },
		{ "DELAY32", DOOR_32, IOCTL_DELAY32 },
		{ "REWIND", DOOR_64, SNDRV_PCM_IOCTL_REWIND },
		{ "FORWARD32", DOOR_32, IOCTL_FORWARD32 },
		{ "STATUS_EXT", DOOR_64, IOCTL_STATUS_EXT(STATUS64_SIZE) },
		{ "STATUS_EXT32", DOOR_32, IOCTL_STATUS_EXT(STATUS32_SIZE) },
		{ "STATUS time64", DOOR_32, IOCTL_STATUS(STATUS_COMPAT64_SIZE) },
		{ "WRITEI", DOOR_64, SNDRV_PCM_IOCTL_WRITEI_FRAMES },
		{ "WRITEI32", DOOR_32, IOCTL_WRITEI32 },
	};

	memset(stuck.content, 0, sizeof(stuck.content));
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		stuck.door = calls[i].door;
		stuck.cmd = calls[i].cmd;
		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		stick(protect);
		others_live();
		call_ends(calls[i].name, 0);
		rig_down(&r);
	}
}

static void other_calls_read(void)
{
	other_calls(false);
}

static void other_calls_write(void)
{
	other_calls(true);
}

/* The card goes while a call is caught: it waits for the call, not longer. */
static void card_goes(void)
{
	struct pcm_sync s = { .flags = APPL | AVAIL_MIN };

	memset(stuck.content, 0, sizeof(stuck.content));
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		pid_t child;
		int status;

		pcm_sync_put(l, stuck.content, &s);
		stuck.door = pcm_formats[l].door;
		stuck.cmd = pcm_formats[l].cmd;
		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		stick(true);
		child = fork();
		if (!child)
			_exit(pcm_sim_try(&r.sim, &r.p, PCM_SIM_UNPLUG, 0, 0) != 0);
		nap_ms(100);
		page_comes(stuck.content);
		ok(actor_ended(&stuck.a, SOON_MS), "%s ends", pcm_formats[l].name);
		waitpid(child, &status, 0);
		is(status, 0, "the card goes");
		page_free();
		rig_down(&r);
	}
}

static void process_killed(void)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .flags = APPL | AVAIL_MIN };
		int status, p[2];
		pid_t child;
		char c;

		if (pipe(p))
			bail("pipe");
		child = fork();
		if (!child) {
			memset(stuck.content, 0, sizeof(stuck.content));
			pcm_sync_put(l, stuck.content, &s);
			stuck.door = pcm_formats[l].door;
			stuck.cmd = pcm_formats[l].cmd;
			rig_up(&r, PCM_SIM_ACK, PLAYBACK);
			stick(true);
			if (write(p[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		close(p[1]);
		ok(read(p[0], &c, 1) == 1, "%s: a process is stuck", pcm_formats[l].name);
		close(p[0]);
		kill(child, SIGKILL);
		ok(waitpid(child, &status, 0) == child && WIFSIGNALED(status),
		   "and can be killed");
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "sync_ptr_reads", sync_ptr_reads },
		{ "sync_ptr_writes", sync_ptr_writes },
		{ "other_calls_read", other_calls_read },
		{ "other_calls_write", other_calls_write },
		{ "card_goes", card_goes },
		{ "process_killed", process_killed },
	};

	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
