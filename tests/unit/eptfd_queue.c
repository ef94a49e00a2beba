// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive queue's accounting: the bound holds for every order of arrivals
 * and reads, sums never wrap, refusals change nothing.
 */
#include "check.h"
#include "eptfd_queue.h"

/* A model: the lengths themselves, in order. */
struct model {
	size_t len[EPTFD_QUEUE_MESSAGES + 1];
	unsigned int first, n;
	size_t bytes;
};

static void model_add(struct model *m, size_t len)
{
	m->len[(m->first + m->n++) % ARRAY_SIZE(m->len)] = len;
	m->bytes += len;
}

static size_t model_take(struct model *m)
{
	size_t len = m->len[m->first];

	m->first = (m->first + 1) % ARRAY_SIZE(m->len);
	m->n--;
	m->bytes -= len;
	return len;
}

static void agree(const struct eptfd_queue *q, const struct model *m)
{
	assert_int_equal(q->messages, m->n);
	assert_int_equal(q->bytes, m->bytes);
	assert_true(q->messages <= EPTFD_QUEUE_MESSAGES);
	assert_true(q->bytes <= EPTFD_QUEUE_BYTES);
}

static void promised_bounds(void **state)
{
	(void)state;
	assert_int_equal(EPTFD_QUEUE_MESSAGES, 256);
	assert_int_equal(EPTFD_QUEUE_BYTES, 262144);
}

static void bound_by_messages(void **state)
{
	struct eptfd_queue q = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 256; i++)
		assert_true(eptfd_queue_add(&q, 0));
	assert_false(eptfd_queue_fits(&q, 0));
	assert_false(eptfd_queue_add(&q, 0));
	assert_int_equal(q.messages, 256);
	assert_int_equal(q.rx_messages, 256);
	eptfd_queue_take(&q, 0);
	assert_true(eptfd_queue_add(&q, 0));
	assert_false(eptfd_queue_add(&q, 0));
}

/* Around every length at which another message just does or does not fit. */
static void bound_by_bytes(void **state)
{
	size_t len, used;

	(void)state;
	for (used = 0; used <= EPTFD_QUEUE_BYTES; used += 1021) {
		struct eptfd_queue q = { 0 };

		assert_true(eptfd_queue_add(&q, used));
		len = EPTFD_QUEUE_BYTES - used;
		assert_true(eptfd_queue_fits(&q, len));
		assert_false(eptfd_queue_fits(&q, len + 1));
		assert_true(eptfd_queue_add(&q, len));
		assert_int_equal(q.bytes, EPTFD_QUEUE_BYTES);
		assert_false(eptfd_queue_add(&q, 1));
		assert_true(eptfd_queue_add(&q, 0));
	}
}

/* Lengths no transport has, which must not wrap any sum. */
static void absurd_lengths(void **state)
{
	static const size_t len[] = {
		EPTFD_QUEUE_BYTES + 1, INT32_MAX, 0x80000000u, UINT32_MAX,
		(size_t)UINT32_MAX + 1, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX,
	};
	struct eptfd_queue q = { 0 }, was;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(len); i++) {
		assert_false(eptfd_queue_add(&q, len[i]));
		assert_int_equal(q.messages, 0);
	}
	assert_true(eptfd_queue_add(&q, 1));
	was = q;
	for (i = 0; i < ARRAY_SIZE(len); i++)
		assert_false(eptfd_queue_add(&q, len[i]));
	assert_memory_equal(&q, &was, sizeof(q));
}

static void drops_count_only(void **state)
{
	struct eptfd_queue q = { 0 };

	(void)state;
	assert_true(eptfd_queue_add(&q, 10));
	eptfd_queue_drop(&q);
	eptfd_queue_drop(&q);
	assert_int_equal(q.rx_dropped, 2);
	assert_int_equal(q.messages, 1);
	assert_int_equal(q.bytes, 10);
	assert_int_equal(q.rx_messages, 1);
	assert_int_equal(q.rx_bytes, 10);
}

static void totals_survive_reading(void **state)
{
	struct eptfd_queue q = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		assert_true(eptfd_queue_add(&q, i % 1000));
		eptfd_queue_take(&q, i % 1000);
	}
	assert_int_equal(q.rx_messages, 100000);
	assert_int_equal(q.rx_bytes, 100000ull * 999 / 2);
	assert_int_equal(q.messages, 0);
	assert_int_equal(q.bytes, 0);
}

/* Arrivals and reads in random order, against the model, at every step. */
static void against_model(unsigned int seed, size_t longest)
{
	struct eptfd_queue q = { 0 };
	struct model m = { 0 };
	unsigned int i;
	size_t len;

	srandom(seed);
	for (i = 0; i < 20000; i++) {
		if (random() % 5 < 3) {
			len = random() % (longest + 1);
			if (m.n < 256 && m.bytes + len <= 262144) {
				assert_true(eptfd_queue_add(&q, len));
				model_add(&m, len);
			} else {
				assert_false(eptfd_queue_add(&q, len));
			}
		} else if (m.n) {
			eptfd_queue_take(&q, model_take(&m));
		}
		agree(&q, &m);
	}
}

static void random_orders(void **state)
{
	unsigned int seed;

	(void)state;
	for (seed = 1; seed <= 8; seed++) {
		against_model(seed, 0);
		against_model(seed, 496);
		against_model(seed, 4096);
		against_model(seed, 300000);
	}
}

int main(void)
{
	const struct unit_case tests[] = {
		cmocka_unit_test(promised_bounds),
		cmocka_unit_test(bound_by_messages),
		cmocka_unit_test(bound_by_bytes),
		cmocka_unit_test(absurd_lengths),
		cmocka_unit_test(drops_count_only),
		cmocka_unit_test(totals_survive_reading),
		cmocka_unit_test(random_orders),
	};

	return UNIT_MAIN(tests);
}
