/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test includes: cmocka and what it needs first. */
#ifndef SHORTPATH_UNIT_CHECK_H
#define SHORTPATH_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* TAP unless the caller asks for something else. */
#define UNIT_MAIN(tests) ({						\
	setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 0);			\
	cmocka_run_group_tests(tests, NULL, NULL);			\
})

#endif /* SHORTPATH_UNIT_CHECK_H */
