// SPDX-License-Identifier: GPL-2.0-only
/*
 * On a device that needs its buffer synchronised by hand, every call asks for that
 * exactly when the stock snd-pcm does: the same calls of snd_dma_buffer_sync(), in
 * the same direction, in the same order with the driver's own operations, as a
 * kprobe on each of them sees it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcmrig.h"

#define TRACING		"/sys/kernel/tracing/"
#define CALLS_MAX	256
#define TEXT		120

#define APPL		SNDRV_PCM_SYNC_PTR_APPL

static const char *const probes[] = {
	"p:dmasync/sync snd_dma_buffer_sync mode=%si:u32",
	"p:dmasync/ack snd_pcm_sim:sim_ack",
	"p:dmasync/pointer snd_pcm_sim:sim_pointer",
};

/* What one call led to, in order. */
struct seen {
	char call[TEXT], what[TEXT];
};

struct record {
	struct seen seen[CALLS_MAX];
	size_t n;
};

static struct record stock, ours;
static struct rig_stream r;
static char *low;

/* Opening with O_TRUNC is what empties a trace, or a list of probes. */
static bool trace_write(const char *file, int how, const char *text)
{
	size_t len = strlen(text);
	char path[128];
	bool good;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | how);
	if (fd < 0)
		return false;
	good = !len || write(fd, text, len) == (ssize_t)len;
	close(fd);
	return good;
}

static void probes_on(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (!trace_write("kprobe_events", O_APPEND, probes[i]))
			bail("no probe %s", probes[i]);
	if (!trace_write("events/dmasync/enable", 0, "1"))
		bail("cannot enable the probes");
}

/* A module with probes in it does not unload. */
static void probes_off(void)
{
	trace_write("events/dmasync/enable", 0, "0");
	trace_write("kprobe_events", O_TRUNC, "");
}

/* Of "task-1 [0] ..... 1.0: ack: (sim_ack+0x0/0x40)" or "...: (...) mode=1" that. */
static size_t event_text(char *line, char *out, size_t size)
{
	char *where = strstr(line, ": ("), *rest, *name;

	if (line[0] == '#' || !where)
		return 0;
	*where = 0;
	name = strrchr(line, ' ');
	rest = strchr(where + 1, ')');
	if (!name || !rest)
		return 0;
	rest[strcspn(rest, "\n")] = 0;
	return snprintf(out, size, "%s%s,", name, rest + 1);
}

static void read_trace(char *out)
{
	FILE *f = fopen(TRACING "trace", "re");
	char line[512];
	size_t n = 0;

	*out = 0;
	while (f && fgets(line, sizeof(line), f) && n < TEXT)
		n += event_text(line, out + n, TEXT - n);
	if (f)
		fclose(f);
}

static void traced(struct record *rec, const char *call, enum pcm_door door,
		   unsigned int cmd)
{
	struct seen *s = &rec->seen[rec->n++];
	long ret;

	if (rec->n >= CALLS_MAX)
		bail("more than %d calls", CALLS_MAX);
	trace_write("trace", O_TRUNC, "");
	ret = pcm_ioctl(door, r.p.fd, cmd, addr(low));
	snprintf(s->call, TEXT, "%s: %ld", call, ret);
	read_trace(s->what);
}

static void sync_calls(struct record *rec, int state, enum pcm_layout l)
{
	const struct pcm_format *f = &pcm_formats[l];
	char call[64];

	for (unsigned int flags = 0; flags < 8; flags++) {
		struct pcm_sync s = { .flags = flags, .appl_ptr = 10 + rec->n % 100,
				      .avail_min = 1 };

		/* The ack that stock lacks is tested elsewhere. */
		if (l == X32 && !pcmrig_73() && !(flags & APPL))
			continue;
		pcm_sync_put(l, low, &s);
		snprintf(call, sizeof(call), "%s, %s, flags %u", pcm_state_name(state),
			 f->name, flags);
		traced(rec, call, f->door, f->cmd);
	}
}

static void other_calls(struct record *rec)
{
	static const struct {
		const char *name;
		enum pcm_door door;
		unsigned int cmd;
	} calls[] = {
		{ "HWSYNC", DOOR_64, SNDRV_PCM_IOCTL_HWSYNC },
		{ "DELAY", DOOR_64, SNDRV_PCM_IOCTL_DELAY },
		{ "DELAY32", DOOR_32, IOCTL_DELAY32 },
		{ "REWIND", DOOR_64, SNDRV_PCM_IOCTL_REWIND },
		{ "REWIND32", DOOR_32, IOCTL_REWIND32 },
		{ "FORWARD", DOOR_64, SNDRV_PCM_IOCTL_FORWARD },
		{ "FORWARD32", DOOR_32, IOCTL_FORWARD32 },
		{ "STATUS", DOOR_64, IOCTL_STATUS(STATUS64_SIZE) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		memset(low, 0, 64);
		low[0] = 3;
		traced(rec, calls[i].name, calls[i].door, calls[i].cmd);
	}
}

static void play(struct record *rec, enum pcm_set set)
{
	static const int states[] = { SNDRV_PCM_STATE_PREPARED, SNDRV_PCM_STATE_RUNNING };

	rec->n = 0;
	pcmrig_load(set);
	probes_on();
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		rig_up(&r, PCM_SIM_EXPLICIT, PLAYBACK);
		rig_state(&r, states[i]);
		for (enum pcm_layout l = NATIVE; l <= TIME64; l++)
			sync_calls(rec, states[i], l);
		other_calls(rec);
		rig_down(&r);
	}
	probes_off();
}

static void same_order(void)
{
	unsigned int syncs = 0;

	play(&stock, PCM_STOCK);
	play(&ours, PCM_OURS);
	is(ours.n, stock.n, "as many calls");
	for (size_t i = 0; i < stock.n && i < ours.n; i++) {
		is_str(ours.seen[i].call, stock.seen[i].call, "same result");
		is_str(ours.seen[i].what, stock.seen[i].what, "%s: %s",
		       stock.seen[i].call, stock.seen[i].what);
		syncs += !!strstr(stock.seen[i].what, "sync");
	}
	ok(syncs > 20, "%u of them synchronise", syncs);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "same_order", same_order },
	};

	low = pcm_low_memory(4096);
	tap_start();
	if (access(TRACING "kprobe_events", W_OK))
		skip_all("this kernel has no kprobe events");
	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
