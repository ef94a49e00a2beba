// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pace of a source: over any time and however irregularly it is asked, it
 * sends its rate, catches up within the cap, and never drifts.
 */
#include "check.h"
#include "pace.h"

static const u32 rates[] = {
	1, 2, 3, 7, 9, 10, 11, 60, 100, 997, 1000, 44100, 65536, 99999, 100000,
};

/* Ask whenever one is due: exactly the rate, at exactly the times. */
static void exact(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pace p = { .rate = rates[i] };
		u64 start = 123456789, now = start, k = 0;

		pace_restart(&p, now);
		assert_int_equal(pace_due(&p, now), 0);
		while (k < 3ull * rates[i] + 5) {
			u64 wait = pace_wait(&p, now);

			assert_true(wait > 0);
			/* Not due a moment before. */
			if (wait > 1)
				assert_int_equal(pace_due(&p, now + wait - 1), 0);
			now += wait;
			assert_int_equal(pace_due(&p, now), 1);
			p.sent++;
			k++;
			/* Message k is due at k / rate: no drift. */
			assert_true(now - start ==
				    (k * PACE_NSEC + rates[i] - 1) / rates[i]);
		}
	}
}

/* Asked at random times, sending all that is due, within the cap: none lost. */
static void irregular(void **state)
{
	size_t i;

	(void)state;
	srandom(7);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pace p = { .rate = rates[i] };
		u64 now = 0, sent = 0, step = PACE_NSEC / 20;
		unsigned int n;
		u32 due;

		pace_restart(&p, now);
		for (n = 0; n < 20000; n++) {
			now += random() % step;
			due = pace_due(&p, now);
			assert_true(due <= pace_cap(rates[i]));
			p.sent += due;
			sent += due;
		}
		assert_true(sent == pace_total(rates[i], now));
	}
}

static void long_pause(void **state)
{
	static const u64 pause[] = {
		PACE_NSEC, 60ull * PACE_NSEC, 86400ull * PACE_NSEC,
		400ull * 86400 * PACE_NSEC,
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (j = 0; j < ARRAY_SIZE(pause); j++) {
			struct pace p = { .rate = rates[i] };
			u64 now = 5;

			pace_restart(&p, now);
			now += pause[j];
			assert_int_equal(pace_due(&p, now), pace_cap(rates[i]));
			p.sent += pace_cap(rates[i]);
			assert_int_equal(pace_due(&p, now), 0);
			now += PACE_NSEC;
			assert_true(pace_due(&p, now) > 0);
		}
	}
}

static void cap(void **state)
{
	u32 rate;

	(void)state;
	for (rate = 1; rate <= PACE_RATE_MAX; rate++) {
		assert_true(pace_cap(rate) >= 1);
		assert_true(pace_cap(rate) == 1 || pace_cap(rate) * 10 <= rate);
	}
}

static void rate_zero(void **state)
{
	struct pace p = { .rate = 0 };

	(void)state;
	pace_restart(&p, 0);
	assert_int_equal(pace_due(&p, 0), 0);
	assert_int_equal(pace_due(&p, UINT64_MAX), 0);
}

/* A clock that is read a little late by another CPU. */
static void clock_behind(void **state)
{
	struct pace p = { .rate = 1000 };

	(void)state;
	pace_restart(&p, 1000000);
	assert_int_equal(pace_due(&p, 0), 0);
	assert_int_equal(pace_due(&p, 999999), 0);
	assert_true(pace_wait(&p, 0) <= PACE_NSEC / 1000);
}

/* Ten years at the highest rate: neither sum nor product wraps. */
static void for_years(void **state)
{
	struct pace p = { .rate = PACE_RATE_MAX };
	u64 now = 0, day;

	(void)state;
	pace_restart(&p, now);
	for (day = 0; day < 3650; day++) {
		now += 86400ull * PACE_NSEC;
		assert_int_equal(pace_due(&p, now), pace_cap(p.rate));
		p.sent += pace_cap(p.rate);
		/* Folded: what is kept is small. */
		pace_due(&p, now + 1);
		assert_true(p.sent <= 2ull * p.rate);
		assert_true(pace_wait(&p, now) <= PACE_NSEC / p.rate);
	}
}

int main(void)
{
	const struct unit_case tests[] = {
		cmocka_unit_test(exact),
		cmocka_unit_test(irregular),
		cmocka_unit_test(long_pause),
		cmocka_unit_test(cap),
		cmocka_unit_test(rate_zero),
		cmocka_unit_test(clock_behind),
		cmocka_unit_test(for_years),
	};

	return UNIT_MAIN(tests);
}
