// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asking the kernel's tracer about one call of this process: which functions it
 * ran, which locks it took.
 *
 * The tracer's buffer is cleared before a call and read after it. What stands in
 * it of interrupts is passed over by its flags, what stands in it of the system
 * calls that switch the tracer by the probes at both ends of a PCM's ioctl.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_text.h"
#include "pcm_bench.h"
#include "tracefs.h"

#define TRACEFS "/sys/kernel/tracing/"
#define GROUP "shortpath"

/* struct snd_pcm_substream is smaller than that, and holds one spinlock. */
#define SUBSTREAM_SIZE 512

static __u64 substream;

static int put(const char *file, int flags, const char *text)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return pcm_complain(path);
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return ret;
}

static int set(const char *file, const char *text)
{
	if (!put(file, O_TRUNC, text))
		return 0;
	fprintf(stderr, "%s: cannot write '%s' to " TRACEFS "%s: %s\n", TOOL, text, file,
		strerror(errno));
	return -1;
}

/* What is in the buffer of one line: false when it is of an interrupt. */
static bool of_the_task(const char *line)
{
	const char *cpu = strchr(line, '[');
	const char *flags = cpu ? strchr(cpu, ']') : NULL;

	/* flags: irqs-off, need-resched, hardirq/softirq, ... */
	return flags && strlen(flags) > 5 && !strchr("hHsZz", flags[4]);
}

/* Calls @each with every line of the buffer. */
static int read_buffer(int (*each)(const char *line, void *ctx), void *ctx)
{
	FILE *in = fopen(TRACEFS "trace", "re");
	char line[512];
	int ret = 0;

	if (!in)
		return pcm_complain(TRACEFS "trace");
	while (!ret && fgets(line, sizeof(line), in))
		if (line[0] != '#' && of_the_task(line))
			ret = each(line, ctx);
	fclose(in);
	return ret;
}

static int traced(int (*call)(void *ctx), void *ctx)
{
	int ret;

	if (set("trace", "\n") || set("tracing_on", "1"))
		return -1;
	ret = call(ctx);
	return set("tracing_on", "0") ? -1 : ret;
}

/**
 * trace_functions_begin() - be ready to say which functions a call runs
 *
 * Return: 0, or -1 after a message.
 */
int trace_functions_begin(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (set("tracing_on", "0") || set("set_ftrace_pid", pid) || set("options/sym-addr", "1"))
		return -1;
	return set("current_tracer", "function");
}

/**
 * trace_functions_end() - be done with it
 */
void trace_functions_end(void)
{
	set("current_tracer", "nop");
	set("options/sym-addr", "0");
	set("set_ftrace_pid", "\n");
	set("trace", "\n");
	set("tracing_on", "1");
}

/* NAME <ADDRESS> <-CALLER <ADDRESS> */
static int function_line(const char *line, void *ctx)
{
	int (*each)(__u64 address) = *(int (**)(__u64))ctx;
	const char *address = strchr(line, '<');

	return address ? each(strtoull(address + 1, NULL, 16)) : 0;
}

/**
 * trace_functions_of() - which functions a call runs
 * @call: makes it
 * @ctx: for @call
 * @each: called with an address in each, until it returns something else than 0
 *
 * Among them are those that switch the tracer off.
 *
 * Return: 0, or -1 after a message.
 */
int trace_functions_of(int (*call)(void *ctx), void *ctx, int (*each)(__u64 address))
{
	if (traced(call, ctx))
		return -1;
	return read_buffer(function_line, &each);
}

static int add_probe(const char *definition)
{
	if (!put("kprobe_events", O_APPEND, definition))
		return 0;
	fprintf(stderr, "%s: the kernel does not take the probe '%s': %s\n", TOOL, definition,
		strerror(errno));
	return -1;
}

/* A probe at each function that takes a spinning lock, as far as there are such. */
static int probe_locks(void)
{
	static const char * const kinds[] = { "spin", "read", "write" };
	static const char * const hows[] = {
		"lock", "lock_irq", "lock_irqsave", "lock_bh", "trylock", "trylock_bh",
	};
	char name[64], definition[160];
	size_t kind, how;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (how = 0; how < ARRAY_SIZE(hows); how++) {
			snprintf(name, sizeof(name), "_raw_%s_%s", kinds[kind], hows[how]);
			snprintf(definition, sizeof(definition),
				 "p:" GROUP "/lock%s %s lock=%%di:x64\n", name, name);
			if (function_named(name, "") && add_probe(definition))
				return -1;
		}
	}
	return 0;
}

/*
 * Where a PCM's ioctl begins and ends: ours stand in front of the stock functions,
 * which they may call.
 */
static int probe_ends(void)
{
	static const char * const names[][2] = {
		{ "pcm_short_ioctl", "snd_pcm_ioctl" },
		{ "pcm_short_ioctl_compat", "snd_pcm_ioctl_compat" },
	};
	char definition[160];
	const char *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		name = names[i][function_named(names[i][0], "snd_pcm") ? 0 : 1];
		snprintf(definition, sizeof(definition), "p:" GROUP "/enter_%s snd_pcm:%s\n",
			 name, name);
		if (add_probe(definition))
			return -1;
		snprintf(definition, sizeof(definition), "r:" GROUP "/leave_%s snd_pcm:%s\n",
			 name, name);
		if (add_probe(definition))
			return -1;
	}
	return 0;
}

/**
 * trace_locks_begin() - be ready to say which locks a call takes
 *
 * Return: 0, or -1 after a message.
 */
int trace_locks_begin(void)
{
	if (set("tracing_on", "0") || probe_locks() || probe_ends() ||
	    add_probe("p:" GROUP "/pointer snd_dummy:dummy_pcm_pointer substream=%di:x64\n"))
		return -1;
	return set("events/" GROUP "/enable", "1");
}

/**
 * trace_locks_end() - be done with it
 */
void trace_locks_end(void)
{
	if (!access(TRACEFS "events/" GROUP, F_OK))
		set("events/" GROUP "/enable", "0");
	set("kprobe_events", "\n");
	set("trace", "\n");
	set("tracing_on", "1");
}

static int stream_line(const char *line, void *ctx)
{
	const char *value = strstr(line, " substream=");

	(void)ctx;
	if (value)
		substream = strtoull(strchr(value, '=') + 1, NULL, 16);
	return 0;
}

/**
 * trace_stream_is() - learn which stream is meant from now on
 * @call: makes a call that asks the driver for its position
 * @ctx: for @call
 *
 * Return: 0, or -1 after a message.
 */
int trace_stream_is(int (*call)(void *ctx), void *ctx)
{
	substream = 0;
	if (traced(call, ctx) || read_buffer(stream_line, NULL))
		return -1;
	if (substream)
		return 0;
	fprintf(stderr, "%s: the driver was not asked for its position\n", TOOL);
	return -1;
}

struct locks_seen {
	struct locks *locks;
	bool inside;
	int calls;
};

static int lock_line(const char *line, void *ctx)
{
	struct locks_seen *seen = ctx;
	const char *value = strstr(line, " lock=");
	__u64 lock;

	if (strstr(line, ": enter_")) {
		seen->inside = true;
		seen->calls++;
	} else if (strstr(line, ": leave_")) {
		seen->inside = false;
	} else if (value && seen->inside) {
		lock = strtoull(strchr(value, '=') + 1, NULL, 16);
		seen->locks->all++;
		seen->locks->stream += lock >= substream && lock < substream + SUBSTREAM_SIZE;
	}
	return 0;
}

/**
 * trace_locks_of() - which locks a call takes
 * @call: makes it, once
 * @ctx: for @call
 * @locks: where that is stored
 *
 * Return: 0, or -1 after a message.
 */
int trace_locks_of(int (*call)(void *ctx), void *ctx, struct locks *locks)
{
	struct locks_seen seen = { .locks = locks };

	*locks = (struct locks) { 0 };
	if (traced(call, ctx) || read_buffer(lock_line, &seen))
		return -1;
	if (seen.calls == 1 && !seen.inside)
		return 0;
	fprintf(stderr, "%s: %d calls were traced instead of one\n", TOOL, seen.calls);
	return -1;
}
