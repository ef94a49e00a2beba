// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real programs through a PCM that is forced to SYNC_PTR (in a configuration named
 * by ALSA_CONFIG_PATH): aplay, arecord, speaker-test and alsaloop, on snd-dummy,
 * snd-aloop and, where QEMU has them, intel-hda and usb-audio; Debian's i386 builds
 * of them too. They end well, test positions for themselves, and sound played into
 * a loopback is read back identical.
 *
 * The i386 builds are found in SHORTPATH_I386_ALSA (i386_alsa_make in
 * lab.d/programs.sh makes that folder); with SHORTPATH_PCM=stock all of it runs on
 * the stock module.
 */
/* time-limit: 400 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "pcmrig.h"

#define ARGS_MAX	40
#define LOG		"/tmp/programs.log"
#define PLAYED		"/tmp/played.raw"
#define RECORDED	"/tmp/recorded.raw"
#define RATE		48000

static const char *i386;	/* folder of the i386 builds */

/* A card and how a configuration calls its forced PCMs. */
static const struct card {
	const char *id;		/* below /proc/asound */
	const char *name;
} cards[] = {
	{ "Dummy", "dummy" }, { "Loopback", "loop" }, { "Intel", "hda" },
	{ "Audio", "usb" },
};

static bool have(const struct card *c)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/asound/%s", c->id);
	return !access(path, F_OK);
}

static void pcm_entry(FILE *f, const char *name, const char *id, int device, int sub)
{
	fprintf(f, "pcm.%s { type hw card %s device %d subdevice %d sync_ptr_ioctl true }\n",
		name, id, device, sub);
}

static void configure(void)
{
	static const char path[] = "/tmp/forced.conf";
	FILE *f = fopen(path, "we");
	size_t i;

	if (!f)
		bail("%s", path);
	fprintf(f, "</usr/share/alsa/alsa.conf>\n");
	for (i = 0; i < ARRAY_SIZE(cards); i++)
		if (have(&cards[i]))
			pcm_entry(f, cards[i].name, cards[i].id, 0, 0);
	pcm_entry(f, "loop_out", "Loopback", 1, 0);
	pcm_entry(f, "loop_in2", "Loopback", 0, 1);
	pcm_entry(f, "loop_out2", "Loopback", 1, 1);
	if (fclose(f))
		bail("%s", path);
	setenv("ALSA_CONFIG_PATH", path, 1);
}

/* The program, or its i386 build; false where there is none. */
static bool command(const char *args[], const char *const given[], bool narrow)
{
	static char loader[PATH_MAX], libs[PATH_MAX * 2], program[PATH_MAX];
	size_t n = 0, i = 0;

	if (narrow) {
		if (!i386)
			return false;
		snprintf(loader, sizeof(loader), "%s/lib/ld-linux.so.2", i386);
		snprintf(libs, sizeof(libs), "%s/lib/i386-linux-gnu:%s/usr/lib/i386-linux-gnu",
			 i386, i386);
		snprintf(program, sizeof(program), "%s/usr/bin/%s", i386, given[0]);
		args[n++] = loader;
		args[n++] = "--library-path";
		args[n++] = libs;
		args[n++] = program;
		i++;
	}
	for (; given[i] && n < ARGS_MAX - 1; i++)
		args[n++] = given[i];
	args[n] = NULL;
	return true;
}

static pid_t start(const char *const given[], bool narrow, int log)
{
	const char *args[ARGS_MAX];
	pid_t pid;

	if (!command(args, given, narrow))
		bail("no i386 builds");
	pid = fork();
	if (!pid) {
		dup2(log, STDOUT_FILENO);
		dup2(log, STDERR_FILENO);
		execvp(args[0], (char **)args);
		_exit(127);
	}
	return pid;
}

static int finish(pid_t pid)
{
	return child_wait_ms(pid, 4 * WAIT_MS);
}

static int log_open(void)
{
	int fd = open(LOG, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		bail(LOG);
	return fd;
}

static bool log_has(const char *text)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(LOG, "re");

	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

static void log_show(void)
{
	char line[512];
	FILE *f = fopen(LOG, "re");

	while (f && fgets(line, sizeof(line), f))
		diag("  %.*s", (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
}

/* It runs, ends with 0, and finds no position that cannot be. */
static void program(const char *const given[], const char *card, bool narrow)
{
	int log = log_open(), status;
	bool odd;

	status = finish(start(given, narrow, log));
	odd = log_has("Suspicious");
	if (!ok(!status && !odd, "%s%s on %s%s", narrow ? "i386 " : "", given[0], card,
		odd ? ": a position that cannot be" : "")) {
		diag("status %d", status);
		log_show();
	}
	close(log);
}

#define FORMAT	"-f", "S16_LE", "-c", "2", "-r", "48000", "-t", "raw"

static void on_card(const struct card *c, bool narrow)
{
	const char *const aplay[] = { "aplay", "-q", "-D", c->name, FORMAT,
				      "--test-position", PLAYED, NULL };
	const char *const mmapped[] = { "aplay", "-q", "-M", "-D", c->name, FORMAT,
					PLAYED, NULL };
	const char *const arecord[] = { "arecord", "-q", "-D", c->name, FORMAT,
					"-d", "1", RECORDED, NULL };
	const char *const speaker[] = { "speaker-test", "-D", c->name, "-c", "2", "-r",
					"48000", "-F", "S16_LE", "-t", "sine", "-l",
					"1", "-s", "1", NULL };

	program(aplay, c->name, narrow);
	program(mmapped, c->name, narrow);
	if (pcm_has(pcm_card(c->id), 0, CAPTURE))
		program(arecord, c->name, narrow);
	program(speaker, c->name, narrow);
}

/* Every frame of it is another one: SECONDS of a counter. */
static void make_sound(unsigned int seconds)
{
	unsigned int frame, frames = seconds * RATE;
	FILE *f = fopen(PLAYED, "we");

	if (!f)
		bail(PLAYED);
	for (frame = 0; frame < frames; frame++) {
		__u16 lr[2] = { frame & 0x7fff, 0x4000 | frame >> 15 };

		fwrite(lr, sizeof(lr), 1, f);
	}
	if (fclose(f))
		bail(PLAYED);
}

static void each_card(bool narrow)
{
	size_t i;

	make_sound(1);
	/* A 32-bit program takes the same way on every card: one of each kind. */
	for (i = 0; i < ARRAY_SIZE(cards); i += 1 + 2 * narrow) {
		if (have(&cards[i]))
			on_card(&cards[i], narrow);
		else
			skip("QEMU has none", "programs on %s", cards[i].name);
	}
}

static void amd64(void)
{
	each_card(false);
}

static void i386_builds(void)
{
	if (!i386)
		skip("SHORTPATH_I386_ALSA is not set", "i386 builds");
	else
		each_card(true);
}

/* How many of the frames played follow each other in what was recorded. */
static unsigned int identical(const __u32 *played, unsigned int n,
			      const __u32 *got, unsigned int m)
{
	unsigned int i = 0, k;

	while (i < m && got[i] != played[0])
		i++;
	for (k = 0; k < n && i + k < m && got[i + k] == played[k]; k++)
		;
	return k;
}

static const void *map(const char *path, unsigned int *frames)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	*frames = 0;
	if (fd < 0 || fstat(fd, &st) || st.st_size < 4)
		bail("%s", path);
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		bail("%s", path);
	*frames = st.st_size / 4;
	return p;
}

static unsigned int compare(unsigned int *frames)
{
	unsigned int n, m, same;
	const void *played = map(PLAYED, &n), *got = map(RECORDED, &m);

	same = identical(played, n, got, m);
	munmap((void *)played, n * 4);
	munmap((void *)got, m * 4);
	*frames = n;
	return same;
}

/* The recorder is there before the first frame is. */
static bool records(void *arg)
{
	char text[512];

	(void)arg;
	return !file_get("/proc/asound/Loopback/pcm1c/sub0/status", text, sizeof(text)) &&
	       strstr(text, "RUNNING");
}

#define DEEP	"--buffer-time=1000000", "--period-time=100000"

/* An emulated machine may be too slow once: an overrun is no wrong sound. */
#define TRIES	3

static void read_back_by(bool narrow, bool mmapped)
{
	const char *const aplay[] = { "aplay", "-q", "-D", "loop", FORMAT, DEEP,
				      PLAYED, mmapped ? "-M" : NULL, NULL };
	const char *const arecord[] = { "arecord", "-q", "-D", "loop_out", FORMAT, DEEP,
					"-d", "5", RECORDED, mmapped ? "-M" : NULL, NULL };
	unsigned int frames = 0, same = 0;
	int log = log_open(), i, played = -1;

	make_sound(3);
	for (i = 0; i < TRIES && (!i || same < frames); i++) {
		pid_t in = start(arecord, narrow, log), out;

		if (!wait_until(records, NULL, WAIT_MS))
			bail("arecord does not record");
		out = start(aplay, narrow, log);
		played = finish(out);
		kill(in, SIGINT);
		finish(in);
		same = compare(&frames);
		if (!log_has("run!!!"))
			break;
	}
	is(played, 0, "%saplay%s into a loopback", narrow ? "i386 " : "",
	   mmapped ? " -M" : "");
	if (!ok(frames && same == frames, "read back identical: %u of %u frames", same, frames))
		log_show();
	close(log);
}

static void read_back(void)
{
	read_back_by(false, false);
	read_back_by(false, true);
	if (i386) {
		read_back_by(true, false);
		read_back_by(true, true);
	}
}

/* One loopback to the next, for as long as something is played into the first. */
static void looped(bool narrow)
{
	const char *const aplay[] = { "aplay", "-q", "-D", "loop", FORMAT, PLAYED, NULL };
	const char *const loop[] = { "alsaloop", "-C", "loop_out", "-P", "loop_in2", "-f",
				     "S16_LE", "-c", "2", "-r", "48000", "-t", "200000",
				     "-S", "none", NULL };
	int log = log_open(), ended, played;
	pid_t in;

	make_sound(2);
	in = start(loop, narrow, log);
	if (!wait_until(records, NULL, WAIT_MS))
		diag("alsaloop does not record");
	played = finish(start(aplay, narrow, log));
	ok(!kill(in, 0) && records(NULL), "%salsaloop loops until it is told to end",
	   narrow ? "i386 " : "");
	kill(in, SIGTERM);
	ended = finish(in);
	if (!ok(!played && (!ended || ended == 128 + SIGTERM),
		"aplay %d, alsaloop %d", played, ended))
		log_show();
	close(log);
}

static void alsaloop(void)
{
	looped(false);
	if (i386)
		looped(true);
}

static void find_i386(void)
{
	const char *dir = getenv("SHORTPATH_I386_ALSA");
	static char path[PATH_MAX];

	if (!dir || !*dir)
		return;
	snprintf(path, sizeof(path), "%s/complete", dir);
	if (!access(path, R_OK))
		i386 = dir;
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "amd64", amd64 },
		{ "i386_builds", i386_builds },
		{ "read_back", read_back },
		{ "alsaloop", alsaloop },
	};
	static const char *const drivers[] = {
		"snd-dummy", "snd-aloop pcm_substreams=2", "?snd-hda-intel",
		"?xhci-pci", "?snd-usb-audio", NULL
	};

	find_i386();
	tap_start();
	if (access("/usr/bin/aplay", X_OK))
		skip_all("there is no aplay here (package alsa-utils)");
	pcm_unload_at_exit();
	pcm_load(pcmrig_stock() ? PCM_STOCK : PCM_OURS, drivers);
	if (!pcm_wait_cards())
		bail("a card does not come");
	configure();
	return tap_run(argc, argv, cases, ARRAY_SIZE(cases), NULL);
}
