// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where this process spends its processor time, by sampling, as `perf top` does.
 *
 * The sampler is a timer's interrupt: what runs with interrupts off shows where
 * they come on again. So it does in the profile that was published. The timer runs
 * on while others have the processor: one that ran for this process alone would
 * fall into step with it. There has to be one processor only.
 */
#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel_text.h"
#include "pcm_bench.h"
#include "profile.h"

/* Nanoseconds between two samples: as many as the kernel's least, and odd. */
#define INTERVAL 10007
#define RING_PAGES 2048

/* The kernel's half of the addresses; callchains have marks up there, too. */
#define IS_KERNEL(address) ((address) >> 63)
#define IS_MARK(address) ((address) >= (__u64)-4095)

/**
 * struct profile - a sampler
 * @fd: its event
 * @ring: what it has written: a page about it, then the samples
 * @size: of the samples
 */
struct profile {
	int fd;
	struct perf_event_mmap_page *ring;
	size_t size;
};

struct sample {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 depth;
	__u64 chain[];
};

struct tally {
	const struct function *function;
	long samples;
};

static size_t ring_bytes(void)
{
	return (RING_PAGES + 1) * (size_t)getpagesize();
}

/**
 * profile_begin() - begin to take samples of this process
 *
 * Return: the sampler, or NULL after a message.
 */
struct profile *profile_begin(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = INTERVAL,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_user = 1, .exclude_hv = 1, .exclude_idle = 1, .disabled = 1,
	};
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->size = RING_PAGES * (size_t)getpagesize();
	p->fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (p->fd < 0) {
		pcm_complain("sampling");
		goto failed;
	}
	p->ring = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (p->ring == MAP_FAILED || ioctl(p->fd, PERF_EVENT_IOC_ENABLE, 0)) {
		pcm_complain("sampling");
		close(p->fd);
		goto failed;
	}
	return p;
failed:
	free(p);
	return NULL;
}

static bool begins_with_any(const char *name, const char *const *prefixes)
{
	while (*prefixes) {
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
		prefixes++;
	}
	return false;
}

static bool is_pcm(const struct function *f)
{
	return !strcmp(f->module, "snd_pcm");
}

/*
 * What the published profile has as snd_pcm_ioctl, which there contains SYNC_PTR,
 * and what it has apart from it: the functions that access user memory.
 */
static bool is_own(const struct function *f)
{
	static const char * const ioctls[] = {
		"snd_pcm_ioctl", "snd_pcm_common_ioctl", "pcm_short_", "sync_ptr_",
		"snd_pcm_sync_ptr", NULL,
	};
	static const char * const access[] = {
		"__get_user_", "__put_user_", "_copy_to_user", "_copy_from_user",
		"copy_user_", "rep_movs_", "rep_stos_", NULL,
	};

	return begins_with_any(f->name, is_pcm(f) ? ioctls : access);
}

static const struct function *kernel_function(__u64 address)
{
	return IS_KERNEL(address) && !IS_MARK(address) ? function_at(address) : NULL;
}

/* A PCM's function somewhere below the system call: the first one that was called
 * may be gone from the chain, if the last that it did was to call another.
 */
static bool is_in_ioctl(const struct sample *s)
{
	bool pcm = false, call = false;
	const struct function *f;
	__u64 i;

	for (i = 0; i < s->depth; i++) {
		f = kernel_function(s->chain[i]);
		if (!f)
			continue;
		pcm = pcm || is_pcm(f);
		call = call || strstr(f->name, "sys_ioctl");
	}
	return pcm && call;
}

/* Of the functions that access user memory, only what is done for the PCM. */
static void add_sample(const struct sample *s, struct share *share)
{
	const struct function *f = kernel_function(s->ip);
	bool inside = is_in_ioctl(s);

	share->samples++;
	share->all += inside;
	share->self += f && inside && is_own(f);
}

static void add_to_tally(const struct sample *s, struct tally *tally, size_t *count, size_t room)
{
	const struct function *f = kernel_function(s->ip);
	size_t i;

	for (i = 0; i < *count; i++)
		if (tally[i].function == f)
			break;
	if (i == room)
		return;
	if (i == *count)
		tally[(*count)++] = (struct tally) { .function = f };
	tally[i].samples++;
}

static int by_samples(const void *a, const void *b)
{
	const struct tally *s = a, *t = b;

	return s->samples < t->samples ? 1 : -(s->samples > t->samples);
}

static void print_tally(struct tally *tally, size_t count, long samples, size_t lines)
{
	size_t i;

	qsort(tally, count, sizeof(*tally), by_samples);
	for (i = 0; i < count && i < lines; i++)
		fprintf(stderr, "%6.2f%%  %-12s %s\n", 100.0 * tally[i].samples / samples,
			!tally[i].function ? "player" :
			tally[i].function->module[0] ? tally[i].function->module : "kernel",
			tally[i].function ? tally[i].function->name : "(all of it)");
}

/**
 * profile_end() - stop taking samples and sum them up
 * @p: the sampler; it is gone afterwards
 * @share: where the sum is stored
 * @lines: how many lines of a profile to write to stderr
 *
 * Return: 0, or -1 after a message.
 */
int profile_end(struct profile *p, struct share *share, int lines)
{
	static struct tally tally[1024];
	const char *data = (const char *)p->ring + getpagesize();
	__u64 at = 0, head;
	size_t count = 0;

	ioctl(p->fd, PERF_EVENT_IOC_DISABLE, 0);
	*share = (struct share) { 0 };
	head = __atomic_load_n(&p->ring->data_head, __ATOMIC_ACQUIRE);
	while (at < head && head <= p->size) {
		const struct sample *s = (const struct sample *)(data + at);

		if (s->header.type == PERF_RECORD_SAMPLE && s->pid == (__u32)getpid()) {
			add_sample(s, share);
			add_to_tally(s, tally, &count, ARRAY_SIZE(tally));
		}
		at += s->header.size;
	}
	munmap(p->ring, ring_bytes());
	close(p->fd);
	free(p);
	if (!share->samples) {
		fprintf(stderr, "%s: no samples were taken, or too many\n", TOOL);
		return -1;
	}
	share->self *= 100.0 / share->samples;
	share->all *= 100.0 / share->samples;
	print_tally(tally, count, share->samples, lines);
	return 0;
}
