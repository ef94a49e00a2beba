// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code that moves SYNC_PTR between user and kernel, in all four layouts, on
 * plain memory: every member at the place where programs have it; every byte
 * that shall be written is and no other one; a fault leaves what lies before it
 * written and nothing else; and whatever happens, windows are opened at most
 * twice, closed as often, and never open while the kernel works.
 */
#include <errno.h>
#include <stdio.h>

#include <sound/asound.h>

#include "check.h"

/* Some layouts have no gaps: loops over them compare with 0. */
#pragma GCC diagnostic ignored "-Wtype-limits"

#include "sync_layout.h"

/* ---- what the code stands on in the kernel -------------------------------- */

struct snd_pcm_substream {
	int enter;	/* what pcm_enter() shall answer */
	int answer;	/* what sync_answer() shall answer */
	const void *read_fault, *write_fault;	/* accesses that fault, or NULL */
	bool refused;	/* the address is not a user's */
	unsigned int reads, writes, answers;
	enum { CLOSED, READING, WRITING } window;
	struct sync_ptr asked;	/* what sync_answer() was given */
};

#define noinline
#define __user

/* There is one call at a time: the macros below have no substream at hand. */
static struct snd_pcm_substream *now;

static const struct sync_ptr reply = {
	.flags = 0xf1f2f3f4, .state = 0xa1a2a3a4, .suspended_state = 0xb1b2b3b4,
	.hw_ptr = 0x1112131415161718, .appl_ptr = 0x2122232425262728,
	.avail_min = 0x3132333435363738, .tstamp_sec = 0x4142434445464748,
	.tstamp_nsec = 0x5152535455565758, .audio_tstamp_sec = 0x6162636465666768,
	.audio_tstamp_nsec = 0x7172737475767778,
};

static int pcm_enter(struct snd_pcm_substream *substream)
{
	return substream->enter;
}

static int sync_answer(struct snd_pcm_substream *substream, struct sync_ptr *sync)
{
	assert_int_equal(substream->window, CLOSED);
	substream->answers++;
	substream->asked = *sync;
	*sync = reply;
	return substream->answer;
}

/* A mark by which the reduced pointers are known. */
static void sync_reduce(struct snd_pcm_substream *substream, struct sync_ptr *sync)
{
	assert_int_equal(substream->window, CLOSED);
	sync->hw_ptr = 0x0a0b0c0d;
	sync->appl_ptr = 0x0e0f0102;
}

static bool window_begin_read(void)
{
	assert_int_equal(now->window, CLOSED);
	now->reads++;
	if (!now->refused)
		now->window = READING;
	return !now->refused;
}

static bool window_begin_write(void)
{
	assert_int_equal(now->window, CLOSED);
	now->writes++;
	now->window = WRITING;
	return true;
}

static void user_read_access_end(void)
{
	assert_int_equal(now->window, READING);
	now->window = CLOSED;
}

static void user_write_access_end(void)
{
	assert_int_equal(now->window, WRITING);
	now->window = CLOSED;
}

static bool read_goes(const void *from)
{
	assert_int_equal(now->window, READING);
	return from != now->read_fault;
}

static bool write_goes(const void *to)
{
	assert_int_equal(now->window, WRITING);
	return to != now->write_fault;
}

#define pcm_window_begin(mode, uptr, size) \
	((uptr) && (size) && window_begin_##mode())

/* The address, unless an access there faults. */
#define ACCESS(kind, at, label) ({				\
	__auto_type __at = (at);				\
								\
	if (!kind##_goes(__at))					\
		goto label;					\
	__at;							\
})

#define unsafe_get_user(value, from, label) \
	((value) = *ACCESS(read, from, label))
#define unsafe_put_user(value, to, label) \
	(*ACCESS(write, to, label) = (value))

#define SYNC_FUNCTION	run_native
#define SYNC_LAYOUT	sync_native
#define SYNC_WHOLE	false
#define SYNC_REDUCE	false
#include "sync_body.h"

#define SYNC_FUNCTION	run_native_whole
#define SYNC_LAYOUT	sync_native
#define SYNC_WHOLE	true
#define SYNC_REDUCE	false
#include "sync_body.h"

#define SYNC_FUNCTION	run_compat32
#define SYNC_LAYOUT	sync_compat32
#define SYNC_WHOLE	false
#define SYNC_REDUCE	true
#include "sync_body.h"

#define SYNC_FUNCTION	run_time64
#define SYNC_LAYOUT	sync_time64
#define SYNC_WHOLE	true
#define SYNC_REDUCE	false
#include "sync_body.h"

#define SYNC_FUNCTION	run_x32
#define SYNC_LAYOUT	sync_x32
#define SYNC_WHOLE	false
#define SYNC_REDUCE	true
#include "sync_body.h"

/* ---- what is expected, from the protocol's description -------------------- */

enum { ROOM = 136, UNTOUCHED = 0x5c };

/* A value of so many bytes at an offset. */
struct part {
	size_t at, bytes;
	__u64 value;
};

struct layout {
	const char *name;
	size_t size;
	bool whole;
	struct part flags, appl_ptr, avail_min;
	struct part status[7];	/* with what reply says, reduced or not */
	__u64 back_appl_ptr;
};

/* What the program hands over. */
static __u64 memory[ROOM / 8];
static unsigned char *const user = (unsigned char *)memory;

static const struct layout layouts[] = {
	{ "native", 136, false, { 0, 4, 0 }, { 72, 8, 0 }, { 80, 8, 0 }, {
		{ 8, 4, 0xa1a2a3a4 }, { 16, 8, 0x1112131415161718 },
		{ 24, 8, 0x4142434445464748 }, { 32, 8, 0x5152535455565758 },
		{ 40, 4, 0xb1b2b3b4 }, { 48, 8, 0x6162636465666768 },
		{ 56, 8, 0x7172737475767778 } }, 0x2122232425262728 },
	{ "native, whole", 136, true, { 0, 4, 0 }, { 72, 8, 0 }, { 80, 8, 0 }, {
		{ 8, 4, 0xa1a2a3a4 }, { 16, 8, 0x1112131415161718 },
		{ 24, 8, 0x4142434445464748 }, { 32, 8, 0x5152535455565758 },
		{ 40, 4, 0xb1b2b3b4 }, { 48, 8, 0x6162636465666768 },
		{ 56, 8, 0x7172737475767778 } }, 0x2122232425262728 },
	{ "compat32", 132, false, { 0, 4, 0 }, { 68, 4, 0 }, { 72, 4, 0 }, {
		{ 4, 4, 0xa1a2a3a4 }, { 12, 4, 0x0a0b0c0d },
		{ 16, 4, 0x45464748 }, { 20, 4, 0x55565758 },
		{ 24, 4, 0xb1b2b3b4 }, { 28, 4, 0x65666768 },
		{ 32, 4, 0x75767778 } }, 0x0e0f0102 },
	{ "time64", 136, true, { 0, 4, 0 }, { 72, 4, 0 }, { 76, 4, 0 }, {
		{ 8, 4, 0xa1a2a3a4 }, { 16, 8, 0x1112131415161718 },
		{ 24, 8, 0x4142434445464748 }, { 32, 8, 0x5152535455565758 },
		{ 40, 4, 0xb1b2b3b4 }, { 48, 8, 0x6162636465666768 },
		{ 56, 8, 0x7172737475767778 } }, 0x25262728 },
	{ "x32", 136, false, { 0, 4, 0 }, { 72, 4, 0 }, { 76, 4, 0 }, {
		{ 8, 4, 0xa1a2a3a4 }, { 16, 4, 0x0a0b0c0d },
		{ 24, 8, 0x4142434445464748 }, { 32, 8, 0x5152535455565758 },
		{ 40, 4, 0xb1b2b3b4 }, { 48, 8, 0x6162636465666768 },
		{ 56, 8, 0x7172737475767778 } }, 0x0e0f0102 },
};

static long run(const struct layout *layout, struct snd_pcm_substream *substream)
{
	long ret;

	now = substream;
	switch (layout - layouts) {
	case 0:
		ret = run_native(substream, (void *)user);
		break;
	case 1:
		ret = run_native_whole(substream, (void *)user);
		break;
	case 2:
		ret = run_compat32(substream, (void *)user);
		break;
	case 3:
		ret = run_time64(substream, (void *)user);
		break;
	default:
		ret = run_x32(substream, (void *)user);
		break;
	}
	assert_int_equal(substream->window, CLOSED);
	return ret;
}

/* Little-endian machines only, as the rest of the tests. */
static void put(unsigned char *image, const struct part *part, __u64 value)
{
	memcpy(image + part->at, &value, part->bytes);
}

static void question(const struct layout *layout, unsigned char *image)
{
	memset(image, UNTOUCHED, ROOM);
	put(image, &layout->flags, 0xc1c2c3c4);
	put(image, &layout->appl_ptr, 0x8182838485868788);
	put(image, &layout->avail_min, 0x9192939495969798);
}

static void answer(const struct layout *layout, unsigned char *image)
{
	size_t i;

	if (layout->whole) {
		memset(image, 0, layout->size);
		put(image, &layout->flags, reply.flags);
	}
	for (i = 0; i < ARRAY_SIZE(layout->status); i++)
		put(image, &layout->status[i], layout->status[i].value);
	put(image, &layout->appl_ptr, layout->back_appl_ptr);
	put(image, &layout->avail_min, reply.avail_min);
}

/* ---- tests ----------------------------------------------------------------- */

static void offsets(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct sync_native), sizeof(struct snd_pcm_sync_ptr));
	assert_int_equal(offsetof(struct sync_native, state),
			 offsetof(struct snd_pcm_sync_ptr, s.status.state));
	assert_int_equal(offsetof(struct sync_native, hw_ptr),
			 offsetof(struct snd_pcm_sync_ptr, s.status.hw_ptr));
	assert_int_equal(offsetof(struct sync_native, tstamp_sec),
			 offsetof(struct snd_pcm_sync_ptr, s.status.tstamp));
	assert_int_equal(offsetof(struct sync_native, suspended_state),
			 offsetof(struct snd_pcm_sync_ptr, s.status.suspended_state));
	assert_int_equal(offsetof(struct sync_native, audio_tstamp_sec),
			 offsetof(struct snd_pcm_sync_ptr, s.status.audio_tstamp));
	assert_int_equal(offsetof(struct sync_native, appl_ptr),
			 offsetof(struct snd_pcm_sync_ptr, c.control.appl_ptr));
	assert_int_equal(offsetof(struct sync_native, avail_min),
			 offsetof(struct snd_pcm_sync_ptr, c.control.avail_min));
	assert_int_equal(sizeof(struct sync_compat32), 132);
	assert_int_equal(sizeof(struct sync_time64), 136);
	assert_int_equal(sizeof(struct sync_x32), 136);
}

static void every_byte(void **state)
{
	unsigned char want[ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		struct snd_pcm_substream substream = {};
		__u64 mask = layout->appl_ptr.bytes == 8 ? ~0ULL : 0xffffffff;

		question(layout, user);
		memcpy(want, user, sizeof(want));
		answer(layout, want);
		assert_int_equal(run(layout, &substream), 0);
		assert_memory_equal(user, want, sizeof(want));
		assert_int_equal(substream.asked.flags, 0xc1c2c3c4);
		assert_int_equal(substream.asked.appl_ptr, 0x8182838485868788 & mask);
		assert_int_equal(substream.asked.avail_min, 0x9192939495969798 & mask);
		assert_int_equal(substream.reads, 1);
		assert_int_equal(substream.writes, 1);
		assert_int_equal(substream.answers, 1);
	}
}

static void write_faults(void **state)
{
	unsigned char before[ROOM], want[ROOM];
	size_t i, at;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];

		for (at = 0; at < layout->size; at += 4) {
			struct snd_pcm_substream substream = {
				.write_fault = user + at,
			};
			long ret;

			question(layout, user);
			memcpy(before, user, sizeof(before));
			memcpy(want, user, sizeof(want));
			answer(layout, want);
			ret = run(layout, &substream);
			/* There may be nothing to write just there. */
			if (ret) {
				assert_int_equal(ret, -EFAULT);
				memcpy(want + at, before + at, sizeof(want) - at);
			}
			assert_memory_equal(user, want, sizeof(want));
			assert_int_equal(substream.answers, 1);
		}
	}
}

/* Each of them faults, before the kernel has done anything. */
static void read_faults(void **state)
{
	unsigned char want[ROOM];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		const size_t at[] = {
			layout->flags.at, layout->appl_ptr.at, layout->avail_min.at,
		};

		for (k = 0; k < ARRAY_SIZE(at); k++) {
			struct snd_pcm_substream substream = {
				.read_fault = user + at[k],
			};

			question(layout, user);
			memcpy(want, user, sizeof(want));
			assert_int_equal(run(layout, &substream), -EFAULT);
			assert_memory_equal(user, want, sizeof(want));
			assert_int_equal(substream.answers, 0);
			assert_int_equal(substream.writes, 0);
		}
	}
}

static void errors(void **state)
{
	static const struct snd_pcm_substream kinds[] = {
		{ .enter = -EBADFD, .refused = true, .answer = -EINVAL },
		{ .enter = -ENODEV, .answer = -EPIPE },
		{ .refused = true, .answer = -EINVAL },
		{ .answer = -EINVAL },
	};
	static const long want[] = { -EBADFD, -ENODEV, -EFAULT, -EINVAL };
	unsigned char was[ROOM];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		for (k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct snd_pcm_substream substream = kinds[k];

			question(&layouts[i], user);
			memcpy(was, user, sizeof(was));
			assert_int_equal(run(&layouts[i], &substream), want[k]);
			assert_memory_equal(user, was, sizeof(was));
			assert_int_equal(substream.reads, k >= 2);
			assert_int_equal(substream.answers, k == 3);
			assert_int_equal(substream.writes, 0);
		}
}

int main(void)
{
	static const struct unit_case tests[] = {
		cmocka_unit_test(offsets),
		cmocka_unit_test(every_byte),
		cmocka_unit_test(write_faults),
		cmocka_unit_test(read_faults),
		cmocka_unit_test(errors),
	};

	return UNIT_MAIN(tests);
}
