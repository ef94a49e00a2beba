// SPDX-License-Identifier: GPL-2.0-only
/* Which snd-pcm is loaded: the stock one or ours, both in one boot. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "file.h"
#include "module.h"
#include "pcmmod.h"
#include "tap.h"

#define MODULE	"snd_pcm"
#define SWITCH	"short_sync_ptr"

/* The distribution's own where it has one, else its source built by the lab. */
const char *pcm_stock_path(void)
{
	static char path[PATH_MAX];
	const char *unhooked = getenv("SHORTPATH_UNHOOKED");
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };
	struct utsname u;
	size_t i;

	uname(&u);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		snprintf(path, sizeof(path),
			 "/lib/modules/%s/kernel/sound/core/snd-pcm.ko%s",
			 u.release, ends[i]);
		if (!access(path, R_OK))
			return path;
	}
	if (!unhooked || !*unhooked)
		bail("there is no stock snd-pcm.ko");
	snprintf(path, sizeof(path), "%s/snd-pcm.ko", unhooked);
	return path;
}

static bool removes(void *module)
{
	return !mod_remove(module) || errno == ENOENT;
}

/* Unload what uses MODULE, then MODULE itself. */
static bool unload(const char *module)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool good = true;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/module/%s/holders", module);
	d = opendir(path);
	if (!d)
		return true;
	while (good && (e = readdir(d)))
		if (e->d_name[0] != '.')
			good = unload(e->d_name);
	closedir(d);
	return good && wait_until(removes, (void *)module, WAIT_MS);
}

void pcm_unload(void)
{
	if (!unload(MODULE))
		bail("cannot unload the sound modules");
}

bool pcm_is_ours(void)
{
	return mod_has_param(MODULE, SWITCH);
}

void pcm_short(bool on)
{
	mod_param_set(MODULE, SWITCH, on ? "1" : "0");
	if (mod_param(MODULE, SWITCH) != on)
		bail(SWITCH " does not take it");
}

static void load_stock(void)
{
	const char *const argv[] = { "insmod", pcm_stock_path(), NULL };

	if (mod_probe("snd-timer"))
		bail("modprobe snd-timer");
	if (run(argv))
		bail("insmod %s", argv[1]);
	if (pcm_is_ours())
		bail("%s is not the stock module", argv[1]);
}

static void load_ours(void)
{
	if (mod_probe("snd-pcm"))
		bail("modprobe snd-pcm");
	if (!pcm_is_ours())
		bail("modprobe does not find our snd-pcm");
}

/* modprobe with the parameters behind the name. */
static void load_driver(const char *text)
{
	char buf[256];
	const char *argv[16] = { "modprobe" };
	char *rest = buf, *word;
	bool may_lack = *text == '?';
	size_t n = 1;

	snprintf(buf, sizeof(buf), "%s", text + may_lack);
	while ((word = strsep(&rest, " ")) && n < ARRAY_SIZE(argv) - 1)
		argv[n++] = word;
	if (run(argv) && !may_lack)
		bail("modprobe %s", text);
}

void pcm_load(enum pcm_set set, const char *const drivers[])
{
	pcm_unload();
	if (set == PCM_STOCK)
		load_stock();
	else
		load_ours();
	for (; *drivers; drivers++)
		load_driver(*drivers);
}

static void at_exit(void)
{
	unload(MODULE);
}

void pcm_unload_at_exit(void)
{
	atexit(at_exit);
}
