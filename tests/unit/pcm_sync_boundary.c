// SPDX-License-Identifier: GPL-2.0-only
/*
 * SYNC_PTR for programs with 32-bit pointers: no boundary lies below the bound
 * that spares working it out, for any buffer size; what is spared would have
 * changed nothing; and wrapping is the remainder.
 */
#include "check.h"
#include "sync_boundary.h"

#define LIMIT	0x7fffffffUL

/* As the kernel has it, in other words: doubled as long as it fits. */
static unsigned long boundary_of(unsigned long buffer)
{
	unsigned long room = LIMIT - buffer;
	unsigned long boundary = buffer;

	if (!buffer)
		return LIMIT;
	while (boundary * 2 <= room)
		boundary *= 2;
	return boundary;
}

static void check_buffer(unsigned long buffer)
{
	unsigned long boundary = boundary_of(buffer);

	assert_true(boundary >= SYNC_BOUNDARY_LEAST);
	assert_true(boundary <= LIMIT);
	/* The pointers at the bound, and one each beyond it. */
	assert_true(sync_below_boundary(SYNC_BOUNDARY_LEAST - 1,
					SYNC_BOUNDARY_LEAST - 1));
	assert_int_equal(sync_wrap(SYNC_BOUNDARY_LEAST - 1, boundary),
			 SYNC_BOUNDARY_LEAST - 1);
}

static void small_buffers(void **state)
{
	unsigned long buffer;

	(void)state;
	for (buffer = 0; buffer < 1UL << 20; buffer++)
		check_buffer(buffer);
}

static void all_magnitudes(void **state)
{
	unsigned long buffer;

	(void)state;
	for (buffer = 1; buffer <= LIMIT; buffer += 1009)
		check_buffer(buffer);
}

/* Around each power of two, and around the half and the third of the limit. */
static void edges(void **state)
{
	static const unsigned long more[] = { LIMIT, LIMIT / 2, LIMIT / 3 };
	unsigned long buffer;
	unsigned int bit;
	size_t i;

	(void)state;
	for (bit = 4; bit < 31; bit++)
		for (buffer = (1UL << bit) - 16; buffer < (1UL << bit) + 16; buffer++)
			check_buffer(buffer);
	for (i = 0; i < ARRAY_SIZE(more); i++)
		for (buffer = more[i] - 16; buffer <= LIMIT && buffer < more[i] + 16; buffer++)
			check_buffer(buffer);
}

/* Each pointer alone is enough to have them compared with the boundary. */
static void both_pointers(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		bool below = bit < 29;

		assert_int_equal(sync_below_boundary(1UL << bit, 0), below);
		assert_int_equal(sync_below_boundary(0, 1UL << bit), below);
		assert_int_equal(sync_below_boundary(1UL << bit, 1), below);
	}
	assert_true(sync_below_boundary(0, 0));
}

static void wrapping(void **state)
{
	static const unsigned long boundaries[] = {
		1, 2, 3, SYNC_BOUNDARY_LEAST, 1UL << 30, LIMIT,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(boundaries); i++) {
		unsigned long b = boundaries[i], ptr;

		for (ptr = 0; ptr < 64; ptr++) {
			assert_int_equal(sync_wrap(ptr, b), ptr % b);
			assert_int_equal(sync_wrap(b - 1 + ptr, b), (b - 1 + ptr) % b);
			assert_int_equal(sync_wrap(0UL - ptr, b), (0UL - ptr) % b);
		}
	}
}

int main(void)
{
	static const struct unit_case tests[] = {
		cmocka_unit_test(small_buffers),
		cmocka_unit_test(all_magnitudes),
		cmocka_unit_test(edges),
		cmocka_unit_test(both_pointers),
		cmocka_unit_test(wrapping),
	};

	return UNIT_MAIN(tests);
}
