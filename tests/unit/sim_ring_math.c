// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device side's ring arithmetic: exhaustively over the indices, and walks
 * along chains made of every kind of descriptor, good and bad.
 */
#include "check.h"
#include "ring_math.h"

static void ring_sizes(void **state)
{
	u32 n;

	(void)state;
	for (n = 0; n < 70000; n++)
		assert_int_equal(ring_num_ok(n),
				 n == 2 || n == 4 || n == 8 || n == 16 ||
				 n == 32 || n == 64 || n == 128 || n == 256);
	assert_false(ring_num_ok(0x80000000));
	assert_false(ring_num_ok(UINT32_MAX));
}

/* Free-running indices: consecutive ones take consecutive places, for ever. */
static void slots(void **state)
{
	u32 idx, num;

	(void)state;
	for (num = 2; num <= 256; num *= 2)
		for (idx = 0; idx < 65536; idx++)
			assert_int_equal(ring_slot(idx, num), idx % num);
}

/* All 2^16 distances, from starts on both sides of every wrap. */
static void pending(void **state)
{
	static const u16 last[] = { 0, 1, 255, 256, 32767, 32768, 65280, 65535 };
	u32 dist, num, i;
	u16 got;

	(void)state;
	for (num = 2; num <= 256; num *= 2) {
		for (i = 0; i < ARRAY_SIZE(last); i++) {
			for (dist = 0; dist < 65536; dist++) {
				enum ring_fault f;

				got = 77;
				f = ring_pending(last[i] + dist, last[i], num, &got);
				assert_int_equal(f, dist <= num ? RING_OK :
						 RING_BAD_INDEX);
				assert_int_equal(got, dist <= num ? dist : 0);
			}
		}
	}
}

static void heads(void **state)
{
	struct ring_walk w;
	u32 head, num;

	(void)state;
	for (num = 2; num <= 256; num *= 2) {
		for (head = 0; head < 65536; head++) {
			enum ring_fault f = ring_walk_begin(&w, num, head, false);

			assert_int_equal(f, head < num ? RING_OK : RING_BAD_HEAD);
			assert_int_equal(w.more, head < num);
		}
	}
}

/* One step with DESC from a fresh walk. */
static enum ring_fault one(const struct ring_desc *desc, bool writable,
			   struct ring_walk *w)
{
	assert_int_equal(ring_walk_begin(w, 16, 3, writable), RING_OK);
	return ring_walk_step(w, desc);
}

static void every_flags(void **state)
{
	struct ring_desc d = { .addr = 4096, .len = 512 };
	struct ring_walk w;
	enum ring_fault f;
	u32 flags;
	int writable;

	(void)state;
	for (writable = 0; writable < 2; writable++) {
		for (flags = 0; flags < 65536; flags++) {
			d.flags = flags;
			f = one(&d, writable, &w);
			if (flags & ~3u)
				assert_int_equal(f, RING_BAD_FLAGS);
			else if (!!(flags & 2) != writable)
				assert_int_equal(f, RING_BAD_DIRECTION);
			else
				assert_int_equal(f, RING_OK);
			assert_int_equal(w.more, f == RING_OK && (flags & 1));
		}
	}
}

static void every_next(void **state)
{
	struct ring_desc d = { .addr = 4096, .len = 8, .flags = RING_F_NEXT };
	struct ring_walk w;
	u32 next;

	(void)state;
	for (next = 0; next < 65536; next++) {
		d.next = next;
		assert_int_equal(one(&d, false, &w),
				 next < 16 ? RING_OK : RING_BAD_NEXT);
		assert_true(w.next < 16);
	}
	/* Without the flag the field means nothing. */
	d.flags = 0;
	d.next = 65535;
	assert_int_equal(one(&d, false, &w), RING_OK);
}

static void ranges(void **state)
{
	static const struct {
		u64 addr;
		u32 len;
		enum ring_fault want;
	} t[] = {
		{ 0, 0, RING_BAD_RANGE }, { 0, 1, RING_OK },
		{ 0, 4096, RING_OK }, { 0, 4097, RING_TOO_LONG },
		{ 0, UINT32_MAX, RING_TOO_LONG },
		{ UINT64_MAX, 1, RING_OK }, { UINT64_MAX, 2, RING_BAD_RANGE },
		{ UINT64_MAX - 4095, 4096, RING_OK },
		{ UINT64_MAX - 4094, 4096, RING_BAD_RANGE },
		{ UINT64_MAX, 0, RING_BAD_RANGE },
		{ UINT64_MAX, UINT32_MAX, RING_BAD_RANGE },
	};
	struct ring_walk w;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		struct ring_desc d = { .addr = t[i].addr, .len = t[i].len };

		assert_int_equal(one(&d, false, &w), t[i].want);
	}
}

/* Chains of N descriptors of LEN bytes: the limits on number and on sum. */
static void chains(void **state)
{
	u32 n, i, len;

	(void)state;
	for (n = 1; n <= 12; n++) {
		for (len = 1; len <= 1200; len += 37) {
			struct ring_walk w;
			enum ring_fault f = RING_OK;

			ring_walk_begin(&w, 256, 0, true);
			for (i = 0; i < n && f == RING_OK; i++) {
				struct ring_desc d = {
					.addr = 4096 * i, .len = len,
					.flags = RING_F_WRITE | RING_F_NEXT,
					.next = i + 1,
				};

				assert_true(w.more);
				f = ring_walk_step(&w, &d);
				assert_true(w.seen <= RING_MAX_SEGS);
				assert_true(w.bytes <= RING_MAX_BYTES);
			}
			if (i > RING_MAX_SEGS)
				assert_int_equal(f, RING_TOO_MANY);
			else if (i * len > RING_MAX_BYTES)
				assert_int_equal(f, RING_TOO_LONG);
			else
				assert_int_equal(f, RING_OK);
		}
	}
}

/* A descriptor that names itself, and two that name each other. */
static void loops(void **state)
{
	u16 period;

	(void)state;
	for (period = 1; period <= 2; period++) {
		struct ring_walk w;
		int steps = 0;

		ring_walk_begin(&w, 16, 0, false);
		while (w.more) {
			struct ring_desc d = {
				.addr = 1, .len = 1, .flags = RING_F_NEXT,
				.next = (w.next + 1) % period,
			};

			if (ring_walk_step(&w, &d) != RING_OK)
				break;
			assert_true(++steps <= 8);
		}
		assert_int_equal(steps, 8);
	}
}

/* Whatever a driver plays: a walk ends, and within its limits. */
static void random_chains(void **state)
{
	unsigned int i, steps;

	(void)state;
	srandom(1);
	for (i = 0; i < 200000; i++) {
		struct ring_walk w;
		bool writable = random() & 1;

		if (ring_walk_begin(&w, 1u << (1 + random() % 8), random() & 511,
				    writable) != RING_OK) {
			assert_false(w.more);
			continue;
		}
		for (steps = 0; w.more; steps++) {
			struct ring_desc d = {
				.addr = random() & 1 ? (u64)-random() : 512,
				.len = random() & 3 ? 512 : random(),
				.flags = writable * 2 + (random() % 16 ? 1 : 8),
				.next = random() & 255,
			};

			assert_true(w.next < w.num);
			if (ring_walk_step(&w, &d) != RING_OK)
				assert_false(w.more);
		}
		assert_true(steps <= RING_MAX_SEGS + 1);
		assert_true(w.bytes <= RING_MAX_BYTES);
	}
}

static void faults(void **state)
{
	int f;

	(void)state;
	for (f = RING_OK; f <= RING_TOO_LONG; f++) {
		assert_int_equal(ring_fault_fatal(f),
				 f == RING_BAD_INDEX || f == RING_BAD_HEAD);
		assert_string_not_equal(ring_fault_name(f), "unknown fault");
	}
	assert_string_equal(ring_fault_name(99), "unknown fault");
}

int main(void)
{
	const struct unit_case tests[] = {
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(slots),
		cmocka_unit_test(pending),
		cmocka_unit_test(heads),
		cmocka_unit_test(every_flags),
		cmocka_unit_test(every_next),
		cmocka_unit_test(ranges),
		cmocka_unit_test(chains),
		cmocka_unit_test(loops),
		cmocka_unit_test(random_chains),
		cmocka_unit_test(faults),
	};

	return UNIT_MAIN(tests);
}
