// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decisions of the create ioctl on plain numbers, above all the promise
 * behind probing: EINVAL means bad flags and nothing else.
 */
#include <limits.h>

#include "check.h"
#include "eptfd_args.h"

#define GOOD	((__u32)(O_ACCMODE | O_NONBLOCK | O_CLOEXEC))

static const __u32 srcs[] = {
	0, 1, 53, 1023, 1024, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
	0xfffffffe, 0xffffffff,
};

static bool usable(__u32 src)
{
	return src <= 0x7fffffff || src == 0xffffffff;
}

/* Every value of the low 24 bits holds every O_ flag there is. */
static void every_flags(void **state)
{
	__u32 flags;
	size_t i;

	(void)state;
	for (flags = 0; flags < 1u << 24; flags++) {
		i = flags % ARRAY_SIZE(srcs);
		if (flags & ~GOOD)
			assert_int_equal(eptfd_check_args(flags, srcs[i]), -EINVAL);
		else
			assert_int_not_equal(eptfd_check_args(flags, srcs[i]),
					     -EINVAL);
	}
	for (i = 0; i < 32; i++)
		assert_int_equal(eptfd_check_args(1u << i, 1),
				 1u << i & GOOD ? 0 : -EINVAL);
}

static void every_good_flags(void **state)
{
	__u32 flags = GOOD;
	size_t i;

	(void)state;
	for (;;) {
		for (i = 0; i < ARRAY_SIZE(srcs); i++)
			assert_int_equal(eptfd_check_args(flags, srcs[i]),
					 usable(srcs[i]) ? 0 : -EADDRNOTAVAIL);
		if (!flags)
			break;
		flags = (flags - 1) & GOOD;
	}
}

static void sources(void **state)
{
	unsigned long long src;

	(void)state;
	for (src = 0; src <= 0xffffffff; src += 65521)
		assert_int_equal(eptfd_check_args(0, src),
				 usable(src) ? 0 : -EADDRNOTAVAIL);
	for (src = 0x7ffff000; src < 0x80001000; src++)
		assert_int_equal(eptfd_check_args(0, src),
				 usable(src) ? 0 : -EADDRNOTAVAIL);
	for (src = 0xfffff000; src <= 0xffffffff; src++)
		assert_int_equal(eptfd_check_args(0, src),
				 usable(src) ? 0 : -EADDRNOTAVAIL);
}

static void modes(void **state)
{
	static const struct {
		__u32 mode;
		bool r, w;
	} want[] = {
		{ O_RDONLY, true, false }, { O_WRONLY, false, true },
		{ O_RDWR, true, true }, { O_ACCMODE, false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(eptfd_can_read(want[i].mode), want[i].r);
		assert_int_equal(eptfd_can_write(want[i].mode), want[i].w);
		assert_int_equal(eptfd_can_read(want[i].mode | O_NONBLOCK),
				 want[i].r);
		assert_int_equal(eptfd_can_write(want[i].mode | O_CLOEXEC),
				 want[i].w);
	}
}

static void why_no_endpoint(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(srcs); i++)
		assert_int_equal(eptfd_create_errno(srcs[i]),
				 srcs[i] == 0xffffffff ? -ENOMEM : -EADDRINUSE);
}

static void no_room(void **state)
{
	int err;

	(void)state;
	for (err = -4095; err <= 0; err++)
		assert_int_equal(eptfd_no_room(err),
				 err == -ENOMEM || err == -EAGAIN);
}

static void mtu(void **state)
{
	static const long unknown[] = { -1, -524, LONG_MIN };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_int_equal(eptfd_mtu(unknown[i]), 65536);
	assert_int_equal(eptfd_mtu(0), 0);
	assert_int_equal(eptfd_mtu(496), 496);
	assert_int_equal(eptfd_mtu(LONG_MAX), LONG_MAX);
}

int main(void)
{
	const struct unit_case tests[] = {
		cmocka_unit_test(every_flags),
		cmocka_unit_test(every_good_flags),
		cmocka_unit_test(sources),
		cmocka_unit_test(modes),
		cmocka_unit_test(why_no_endpoint),
		cmocka_unit_test(no_room),
		cmocka_unit_test(mtu),
	};

	return UNIT_MAIN(tests);
}
