// SPDX-License-Identifier: GPL-2.0-only
/*
 * SYNC_PTR in each of its layouts says what it should: fields in and out, flags,
 * errno and their order, the driver's ack, and which bytes of the structure are
 * written: of native and time64 all of them before Linux 7.3 (7.3: of native only
 * the fields), of compat32 and x32 only the fields.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "pcmrig.h"

#define APPL		SNDRV_PCM_SYNC_PTR_APPL
#define AVAIL_MIN	SNDRV_PCM_SYNC_PTR_AVAIL_MIN
#define HWSYNC		SNDRV_PCM_SYNC_PTR_HWSYNC

static struct rig_stream r;

static const char *name(enum pcm_layout l)
{
	return pcm_formats[l].name;
}

static void in_and_out(void)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .appl_ptr = 100, .avail_min = 7 };
		struct pcm_sim_look look;

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: sets appl_ptr and avail_min",
		   name(l));
		pcm_sim_look(&r.sim, &r.p, &look);
		is(look.appl_ptr, 100, "%s: appl_ptr is there", name(l));
		is(look.avail_min, 7, "%s: avail_min is there", name(l));
		is(s.state, SNDRV_PCM_STATE_PREPARED, "%s: state", name(l));
		is(s.hw_ptr, 0, "%s: hw_ptr", name(l));
		is(s.appl_ptr, 100, "%s: appl_ptr stays in the structure", name(l));
		s = (struct pcm_sync){ .flags = APPL | AVAIL_MIN, .appl_ptr = 5,
				       .avail_min = 6 };
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: asks for both", name(l));
		is(s.appl_ptr, 100, "%s: appl_ptr comes back", name(l));
		is(s.avail_min, 7, "%s: avail_min comes back", name(l));
		is(s.flags, APPL | AVAIL_MIN, "%s: flags stay", name(l));
		s = (struct pcm_sync){ .flags = APPL, .avail_min = 9 };
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: sets avail_min only", name(l));
		pcm_sim_look(&r.sim, &r.p, &look);
		ok(look.appl_ptr == 100 && look.avail_min == 9, "%s: it does", name(l));
		s = (struct pcm_sync){ .flags = AVAIL_MIN | ~7U, .appl_ptr = 120 };
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: unknown flags do not matter",
		   name(l));
		is(s.avail_min, 9, "%s: only appl_ptr is set", name(l));
		rig_down(&r);
	}
}

static void hwsync(void)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .flags = APPL | AVAIL_MIN };

		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, 50, 0);
		pcm_sync_ptr(l, r.p.fd, &s);
		is(s.hw_ptr, 0, "%s: without HWSYNC the pointer is the old one", name(l));
		s.flags |= HWSYNC;
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: HWSYNC", name(l));
		is(s.hw_ptr, 50, "%s: with it, the hardware's", name(l));
		is(s.state, SNDRV_PCM_STATE_RUNNING, "%s: it runs", name(l));
		rig_down(&r);
	}
}

/* HWSYNC answers for the state; without it any state but one is fine. */
static void states(void)
{
	static const struct {
		int state, hwsync;
	} want[] = {
		{ SNDRV_PCM_STATE_SETUP, -EBADFD }, { SNDRV_PCM_STATE_PREPARED, 0 },
		{ SNDRV_PCM_STATE_RUNNING, 0 }, { SNDRV_PCM_STATE_XRUN, -EPIPE },
		{ SNDRV_PCM_STATE_DRAINING, 0 }, { SNDRV_PCM_STATE_PAUSED, 0 },
		{ SNDRV_PCM_STATE_SUSPENDED, -ESTRPIPE },
	};

	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
			struct pcm_sync s = { .flags = APPL | AVAIL_MIN };
			int state = want[i].state;

			rig_up(&r, PCM_SIM_NONATOMIC, PLAYBACK);
			rig_state(&r, state);
			is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s, %s: 0", name(l),
			   pcm_state_name(state));
			is(s.state, state, "%s: says so", name(l));
			is(s.suspended, state == SNDRV_PCM_STATE_SUSPENDED ?
			   SNDRV_PCM_STATE_RUNNING : 0, "%s: suspended state", name(l));
			s.flags |= HWSYNC;
			is(pcm_sync_ptr(l, r.p.fd, &s), want[i].hwsync,
			   "%s, %s: HWSYNC", name(l), pcm_state_name(state));
			rig_down(&r);
		}
	}
}

/* Below the boundary, and not at it; a refusal changes nothing. */
static void at_boundary(void)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		struct pcm_sync s = { .avail_min = 3 };
		struct pcm_sim_look look;
		bool narrow = pcm_formats[l].appl_ptr.size == 4;

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		if (narrow) {
			/* A 32-bit program's own boundary is 32 bits wide. */
			struct pcm_setup setup = {
				.door = DOOR_32, .format = SNDRV_PCM_FORMAT_S16_LE,
				.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED,
				.channels = 2, .rate = 48000, .period = RIG_PERIOD,
				.buffer = RIG_BUFFER,
			};

			pcm_hw_params(&r.p, &setup);
			pcm_sw_params(&r.p, &setup);
			pcm_do(&r.p, SNDRV_PCM_IOCTL_PREPARE);
		}
		pcm_sim_look(&r.sim, &r.p, &look);
		s.appl_ptr = look.boundary - 1;
		is(pcm_sync_ptr(l, r.p.fd, &s), 0, "%s: boundary - 1", name(l));
		is(s.appl_ptr, look.boundary - 1, "%s: comes back", name(l));
		s.appl_ptr = look.boundary;
		s.avail_min = 4;
		is(pcm_sync_ptr(l, r.p.fd, &s), -EINVAL, "%s: the boundary is refused",
		   name(l));
		pcm_sim_look(&r.sim, &r.p, &look);
		is(look.appl_ptr, look.boundary - 1, "%s: appl_ptr stays", name(l));
		is(look.avail_min, 3, "%s: avail_min stays", name(l));
		rig_down(&r);
	}
}

/* hw_ptr and appl_ptr in 32 bits: modulo a boundary of that width. */
static void narrow_pointers(void)
{
	static const enum pcm_layout narrow[] = { COMPAT32, X32 };
	struct pcm_sync s = { .appl_ptr = (1ULL << 40) + 77, .avail_min = 1 };

	rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
	is(pcm_sync_ptr(NATIVE, r.p.fd, &s), 0, "native sets appl_ptr to 2^40 + 77");
	for (size_t i = 0; i < ARRAY_SIZE(narrow); i++) {
		s = (struct pcm_sync){ .flags = APPL | AVAIL_MIN };
		is(pcm_sync_ptr(narrow[i], r.p.fd, &s), 0, "%s asks", name(narrow[i]));
		is(s.appl_ptr, 77, "%s: modulo its boundary", name(narrow[i]));
	}
	rig_down(&r);
}

/* The hardware passes the 32-bit boundary: 2^30 of these frames. */
static void narrow_hw_ptr(void)
{
	static const struct pcm_setup setup = {
		.access = SNDRV_PCM_ACCESS_RW_INTERLEAVED,
		.format = SNDRV_PCM_FORMAT_U8, .channels = 1, .rate = 192000,
		.period = 16384, .buffer = 65536,
	};
	__u64 total = 0, wrong = 0;

	pcm_sim_up(&r.sim, 1U << PCM_SIM_PLAIN);
	pcm_ready(&r.p, r.sim.card, PCM_SIM_PLAIN, PLAYBACK, &setup);
	rig_state(&r, SNDRV_PCM_STATE_RUNNING);
	while (total < (1UL << 30) + 200000) {
		bool near = total > (1UL << 30) - 200000;

		pcm_sim_do(&r.sim, &r.p, PCM_SIM_ADVANCE, 65535, 0);
		total += 65535;
		pcm_do(&r.p, SNDRV_PCM_IOCTL_HWSYNC);
		if (!near && total % 64)
			continue;
		for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
			bool narrow = pcm_formats[l].hw_ptr.size == 4;
			struct pcm_sync s = { .flags = APPL | AVAIL_MIN };

			pcm_sync_ptr(l, r.p.fd, &s);
			if (s.hw_ptr == (narrow ? total % (1UL << 30) : total))
				continue;
			diag("%s: %llu of %llu", name(l),
			     (unsigned long long)s.hw_ptr, (unsigned long long)total);
			wrong++;
		}
	}
	is(wrong, 0, "hw_ptr on both sides of 2^30, in every layout");
	rig_down(&r);
}

static void driver_ack(void)
{
	static const int results[] = { 0, -EINVAL, -EIO, -EPIPE };

	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
			struct pcm_sync s = { .appl_ptr = 40, .avail_min = 1 };
			struct pcm_sim_trace *t;
			struct pcm_sim_look look;

			rig_up(&r, PCM_SIM_ACK, PLAYBACK);
			t = pcm_sim_trace_of(&r.sim, &r.p);
			t->acks = 0;
			pcm_sim_do(&r.sim, &r.p, PCM_SIM_ACK_RESULT, results[i], 0);
			is(pcm_sync_ptr(l, r.p.fd, &s), results[i],
			   "%s: the driver's ack returns %d", name(l), results[i]);
			is(t->acks, 1, "%s: asked once", name(l));
			is(t->last_ack, 40, "%s: with the new appl_ptr", name(l));
			pcm_sim_look(&r.sim, &r.p, &look);
			is(look.appl_ptr, results[i] ? 0 : 40,
			   "%s: it %s", name(l), results[i] ? "goes back" : "stays");
			is(look.state, results[i] == -EPIPE ? SNDRV_PCM_STATE_XRUN :
			   SNDRV_PCM_STATE_PREPARED, "%s: state", name(l));
			s = (struct pcm_sync){ .appl_ptr = look.appl_ptr };
			pcm_sync_ptr(l, r.p.fd, &s);
			is(t->acks, 1, "%s: not asked where nothing changes", name(l));
			rig_down(&r);
		}
	}
}

static bool in_field(const struct pcm_format *f, unsigned int at)
{
	const struct pcm_field fields[] = {
		f->flags, f->state, f->hw_ptr, f->sec, f->nsec, f->suspended,
		f->audio_sec, f->audio_nsec, f->appl_ptr, f->avail_min,
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (at >= fields[i].at && at < fields[i].at + (unsigned int)fields[i].size)
			return true;
	return false;
}

static bool writes_whole(enum pcm_layout l)
{
	return l == TIME64 || (l == NATIVE && !pcmrig_73());
}

/* No byte but those that are meant to be, and none of the kernel's stack. */
static void bytes(void)
{
	unsigned char *mem = pcm_low_memory(4096);

	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		const struct pcm_format *f = &pcm_formats[l];
		unsigned int wrong = 0, i;

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_RUNNING);
		memset(mem, 0xa5, 4096);
		pcm_put(mem + 1024, f->flags, APPL | AVAIL_MIN);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, addr(mem + 1024)), 0, "%s", f->name);
		for (i = 0; i < f->size; i++) {
			unsigned char want = writes_whole(l) ? 0 : 0xa5;

			if (in_field(f, i) || mem[1024 + i] == want)
				continue;
			diag("byte %u is 0x%02x", i, mem[1024 + i]);
			wrong++;
		}
		is(wrong, 0, "%s: what is no field is %s", f->name,
		   writes_whole(l) ? "zero" : "untouched");
		for (i = 0; i < 4096; i++)
			wrong += (i < 1024 || i >= 1024 + f->size) && mem[i] != 0xa5;
		is(wrong, 0, "%s: nothing outside is written", f->name);
		rig_down(&r);
	}
}

/* EFAULT, and what came before it stays: as a stock kernel. */
static void addresses(void)
{
	static struct mem m;

	mem_make(&m, false);
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		const struct pcm_format *f = &pcm_formats[l];
		struct pcm_sync s = { .appl_ptr = 30, .avail_min = 2 };
		struct pcm_sim_look look;
		unsigned char *at;

		rig_up(&r, PCM_SIM_PLAIN, PLAYBACK);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, 0), -EFAULT, "%s: no address",
		   f->name);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, 0xfffffffffffff000), -EFAULT,
		   "%s: not an address of a program", f->name);
		at = m.view[MEM_NONE_RW] + MEM_PAGE - 4;
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, addr(at)), -EFAULT,
		   "%s: flags cannot be read", f->name);
		at = m.view[MEM_RW_NONE] + MEM_PAGE - f->size + 60;
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, addr(at)), -EFAULT,
		   "%s: appl_ptr cannot be read", f->name);
		pcm_sim_look(&r.sim, &r.p, &look);
		is(look.appl_ptr, 0, "%s: appl_ptr is untouched", f->name);
		pcm_sync_put(l, m.own, &s);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, addr(m.view[MEM_RO_RO])), -EFAULT,
		   "%s: the answer cannot be written", f->name);
		pcm_sim_look(&r.sim, &r.p, &look);
		is(look.appl_ptr, 30, "%s: but appl_ptr was set", f->name);
		rig_down(&r);
	}
}

/* Of two things that are wrong, the first is told. */
static void errno_order(void)
{
	for (enum pcm_layout l = NATIVE; l <= TIME64; l++) {
		const struct pcm_format *f = &pcm_formats[l];
		struct pcm_sync s = { .flags = HWSYNC, .appl_ptr = UINT64_MAX };

		rig_up(&r, PCM_SIM_ACK, PLAYBACK);
		rig_state(&r, SNDRV_PCM_STATE_XRUN);
		is(pcm_sync_ptr(l, r.p.fd, &s), -EPIPE, "%s: HWSYNC's before appl_ptr's",
		   name(l));
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, 0), -EFAULT,
		   "%s: the address before HWSYNC's", name(l));
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_DISCONNECT, 0, 0);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, 0), -EBADFD,
		   "%s: a device that is gone before the address", name(l));
		pcm_sim_do(&r.sim, &r.p, PCM_SIM_UNPLUG, 0, 0);
		is(pcm_ioctl(f->door, r.p.fd, f->cmd, 0), -ENODEV,
		   "%s: a card that is gone", name(l));
		rig_down(&r);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "in_and_out", in_and_out },
		{ "hwsync", hwsync },
		{ "states", states },
		{ "at_boundary", at_boundary },
		{ "narrow_pointers", narrow_pointers },
		{ "narrow_hw_ptr", narrow_hw_ptr },
		{ "driver_ack", driver_ack },
		{ "bytes", bytes },
		{ "addresses", addresses },
		{ "errno_order", errno_order },
	};

	return pcmrig_main(argc, argv, cases, ARRAY_SIZE(cases));
}
