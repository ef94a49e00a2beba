// SPDX-License-Identifier: GPL-2.0-only
/*
 * The FIFO of frames that a TAP queue has taken: room and backlog are right for
 * every state of it, also while its counters wrap, and no two frames that are in
 * it share an index.
 */
#include "check.h"
#include "tap_fifo.h"

#define SIZE_MAX_BITS	14	/* the largest FIFO that a binding has */

/* Counters begin where each of them wraps in a different step. */
static const __u32 starts[] = {
	0, 1, 0x7fffffff, 0x80000000, 0xffffff00, 0xfffffffe, 0xffffffff,
};

static struct tap_fifo fifo_at(__u32 start, __u32 size)
{
	return (struct tap_fifo){ start, start, start, size - 1 };
}

/* N frames taken, of them GIVEN handed on and DONE completed. */
static void agree(const struct tap_fifo *fifo, __u32 size, __u32 n, __u32 given,
		  __u32 done)
{
	assert_int_equal(tap_fifo_room(fifo), size - (n - done));
	assert_int_equal(tap_fifo_backlog(fifo), n - given);
	assert_true(tap_fifo_room(fifo) <= size);
	assert_true(tap_fifo_backlog(fifo) <= size - tap_fifo_room(fifo));
}

static void fresh(void **state)
{
	unsigned int bits;
	size_t i;

	(void)state;
	for (bits = 0; bits <= SIZE_MAX_BITS; bits++) {
		for (i = 0; i < ARRAY_SIZE(starts); i++) {
			struct tap_fifo fifo = fifo_at(starts[i], 1U << bits);

			agree(&fifo, 1U << bits, 0, 0, 0);
		}
	}
}

static void full(void **state)
{
	unsigned int bits;
	size_t i;

	(void)state;
	for (bits = 0; bits <= SIZE_MAX_BITS; bits++) {
		for (i = 0; i < ARRAY_SIZE(starts); i++) {
			struct tap_fifo fifo = fifo_at(starts[i], 1U << bits);

			fifo.head += 1U << bits;
			assert_int_equal(tap_fifo_room(&fifo), 0);
			assert_int_equal(tap_fifo_backlog(&fifo), 1U << bits);
			fifo.next = fifo.head;
			assert_int_equal(tap_fifo_room(&fifo), 0);
			assert_int_equal(tap_fifo_backlog(&fifo), 0);
			fifo.tail = fifo.head;
			assert_int_equal(tap_fifo_room(&fifo), 1U << bits);
		}
	}
}

/* Every state (tail <= next <= head <= tail + size), wherever counters stand. */
static void every_state(__u32 start, __u32 size)
{
	struct tap_fifo fifo = fifo_at(start, size);
	__u32 n, given;

	for (n = 0; n <= size; n++) {
		for (given = 0; given <= n; given++) {
			fifo.head = fifo.tail + n;
			fifo.next = fifo.tail + given;
			agree(&fifo, size, n, given, 0);
		}
	}
}

static void all_small(void **state)
{
	unsigned int size, back;

	(void)state;
	for (size = 1; size <= 32; size *= 2) {
		for (back = 0; back <= 3 * size; back++) {
			every_state(back, size);
			every_state(0x80000000U - back, size);
			every_state(0U - back, size);
		}
	}
}

/* The frames in it lie at indices of their own, in order, round and round. */
static void distinct(__u32 start, __u32 size)
{
	struct tap_fifo fifo = fifo_at(start, size);
	unsigned char seen[1U << 8] = { 0 };
	__u32 i, index, last = 0;

	fifo.head += size;
	for (i = 0; i < size; i++) {
		index = tap_fifo_index(&fifo, fifo.tail + i);
		assert_true(index < size);
		assert_false(seen[index]);
		seen[index] = 1;
		if (i)
			assert_int_equal(index, (last + 1) % size);
		last = index;
	}
	/* the first one to be taken next comes where the oldest is */
	assert_int_equal(tap_fifo_index(&fifo, fifo.head),
			 tap_fifo_index(&fifo, fifo.tail));
}

static void indices(void **state)
{
	__u32 size, back;

	(void)state;
	for (size = 1; size <= 256; size *= 2) {
		for (back = 0; back <= 2 * size; back++) {
			distinct(0U - back, size);
			distinct(0x80000000U - back, size);
		}
	}
}

/* A small generator, so that each run is the same. */
static __u32 draw(__u64 *seed, __u32 below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (__u32)(*seed >> 33) % below;
}

/* A model that counts in 64 bits, so that it never wraps. */
struct model {
	__u64 taken, given, done;
};

static void step(struct tap_fifo *fifo, struct model *m, __u32 size,
		 __u64 *seed)
{
	__u32 n;

	switch (draw(seed, 3)) {
	case 0:
		n = draw(seed, size - (m->taken - m->done) + 1);
		fifo->head += n;
		m->taken += n;
		break;
	case 1:
		n = draw(seed, m->taken - m->given + 1);
		fifo->next += n;
		m->given += n;
		break;
	default:
		n = draw(seed, m->given - m->done + 1);
		fifo->tail += n;
		m->done += n;
	}
	assert_int_equal(tap_fifo_room(fifo), size - (m->taken - m->done));
	assert_int_equal(tap_fifo_backlog(fifo), m->taken - m->given);
}

/* Long runs that begin just before the counters wrap, and go over it. */
static void over_the_wrap(void **state)
{
	unsigned int i, bits;
	__u64 seed = 1;

	(void)state;
	for (bits = 0; bits <= SIZE_MAX_BITS; bits++) {
		__u32 size = 1U << bits, start = 0U - 4 * size;
		struct tap_fifo fifo = fifo_at(start, size);
		struct model m = { 0 };

		for (i = 0; i < 20000; i++)
			step(&fifo, &m, size, &seed);
		assert_true(m.done > 4 * size);
		assert_int_equal(fifo.tail, (__u32)(start + m.done));
	}
}

/* Exactly the packet that has a batch's last position marks it. */
static void marks(void **state)
{
	__u32 batch, segs, back, i;
	bool last;

	(void)state;
	for (batch = 1; batch <= 64; batch *= 2) {
		for (segs = 1; segs <= 17; segs++) {
			for (back = 0; back <= 3 * batch; back++) {
				last = false;
				for (i = 0; i < segs; i++)
					last |= (batch - back + i) % batch ==
						batch - 1;
				assert_int_equal(tap_fifo_marks(0U - back, segs,
								batch), last);
				assert_int_equal(tap_fifo_marks(batch * 9 - back,
								segs, batch),
						 last);
			}
		}
	}
}

/* Questions change nothing. */
static void only_reads(void **state)
{
	struct tap_fifo fifo = { 0xfffffff0, 0xffffffe8, 0xffffffe0, 31 }, was;

	(void)state;
	was = fifo;
	tap_fifo_room(&fifo);
	tap_fifo_backlog(&fifo);
	tap_fifo_index(&fifo, fifo.head);
	assert_memory_equal(&fifo, &was, sizeof(fifo));
}

int main(void)
{
	static const struct unit_case tests[] = {
		cmocka_unit_test(fresh),
		cmocka_unit_test(full),
		cmocka_unit_test(all_small),
		cmocka_unit_test(indices),
		cmocka_unit_test(over_the_wrap),
		cmocka_unit_test(marks),
		cmocka_unit_test(only_reads),
	};

	return UNIT_MAIN(tests);
}
