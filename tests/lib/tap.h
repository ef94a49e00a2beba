/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small TAP producer for programs that run inside the guest.
 *
 * Every check prints one line and returns whether it held; a failing one adds
 * where it stands in the source and what was expected against what was found.
 * Only the process and thread that called tap_start() may check: a child that
 * does so by mistake is ended, because its lines would corrupt the count.
 */
#ifndef SHORTPATH_TAP_H
#define SHORTPATH_TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PRINTF(f, a)	__attribute((format(printf, f, a)))

/* One subject inside a program; named on the command line it runs alone. */
struct tap_case {
	const char *name;
	void (*run)(void);
};

/* Called round every case, e.g. to check that nothing stayed behind. */
struct tap_hooks {
	void (*before)(void);
	void (*after)(void);
};

void tap_start(void);
int tap_done(void);
int tap_run(int argc, char **argv, const struct tap_case *cases, size_t n,
	    const struct tap_hooks *hooks);

PRINTF(4, 5)
bool tap_check(const char *file, int line, bool pass, const char *fmt, ...);
PRINTF(5, 6)
bool tap_is(const char *file, int line, long long got, long long want,
	    const char *fmt, ...);
PRINTF(5, 6)
bool tap_is_str(const char *file, int line, const char *got, const char *want,
		const char *fmt, ...);
PRINTF(6, 7)
bool tap_fails(const char *file, int line, long ret, int err, int want,
	       const char *fmt, ...);
PRINTF(5, 6)
bool tap_works(const char *file, int line, long ret, int err,
	       const char *fmt, ...);
PRINTF(1, 2)
void diag(const char *fmt, ...);
PRINTF(2, 3)
void skip(const char *why, const char *fmt, ...);
PRINTF(1, 2)
noreturn void skip_all(const char *fmt, ...);
PRINTF(4, 5)
noreturn void tap_bail(const char *file, int line, int err, const char *fmt,
		       ...);
const char *err_name(int err);

/* Rounds of a repeated test: BASE times SHORTPATH_SCALE, printed once. */
unsigned int rounds(unsigned int base);

/* Milliseconds of CLOCK_MONOTONIC. */
long long now_ms(void);

/* COND holds. */
#define ok(cond, ...) \
	tap_check(__FILE__, __LINE__, (cond), __VA_ARGS__)

/* GOT equals WANT, both integers. */
#define is(got, want, ...) \
	tap_is(__FILE__, __LINE__, (got), (want), __VA_ARGS__)

/* GOT equals WANT, both strings. */
#define is_str(got, want, ...) \
	tap_is_str(__FILE__, __LINE__, (got), (want), __VA_ARGS__)

/* CALL, which answers as system calls do, fails with errno WANT. */
#define fails(call, want, ...) ({						\
	long _ret = (errno = 0, (long)(call));				\
									\
	tap_fails(__FILE__, __LINE__, _ret, errno, (want), __VA_ARGS__);	\
})

/* CALL, which answers as system calls do, succeeds. */
#define works(call, ...) ({						\
	long _ret = (errno = 0, (long)(call));				\
									\
	tap_works(__FILE__, __LINE__, _ret, errno, __VA_ARGS__);	\
})

/* The test cannot go on; not for findings, only for a broken surrounding. */
#define bail(...) \
	tap_bail(__FILE__, __LINE__, errno, __VA_ARGS__)

#endif /* SHORTPATH_TAP_H */
