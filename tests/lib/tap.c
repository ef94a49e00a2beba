// SPDX-License-Identifier: GPL-2.0-only
/*
 * TAP output: one line a check, the plan last (a program that dies half-way
 * has no plan and so counts as failed).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

static struct {
	pid_t owner;
	unsigned int checks;
	unsigned int failed;
	unsigned int skipped;
} tap;

/* Checks from a child or another thread would corrupt the numbering. */
static void only_owner(void)
{
	if (syscall(SYS_gettid) == tap.owner)
		return;
	fprintf(stderr, "tap: check outside the main thread\n");
	_exit(125);
}

static bool report(bool pass, const char *fmt, va_list ap)
{
	only_owner();
	tap.checks++;
	tap.failed += !pass;
	printf("%s %u - ", pass ? "ok" : "not ok", tap.checks);
	vprintf(fmt, ap);
	putchar('\n');
	return pass;
}

void tap_start(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	tap.owner = syscall(SYS_gettid);
}

int tap_done(void)
{
	only_owner();
	printf("1..%u\n", tap.checks);
	if (tap.failed)
		diag("%u of %u checks failed", tap.failed, tap.checks);
	return tap.failed || !tap.checks;
}

const char *err_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "unknown errno";
}

bool tap_check(const char *file, int line, bool pass, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		diag("  at %s:%d", file, line);
	return pass;
}

bool tap_is(const char *file, int line, long long got, long long want,
	    const char *fmt, ...)
{
	bool pass = got == want;
	va_list ap;

	va_start(ap, fmt);
	report(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		diag("  at %s:%d: expected %lld (0x%llx), got %lld (0x%llx)",
		     file, line, want, want, got, got);
	return pass;
}

bool tap_is_str(const char *file, int line, const char *got, const char *want,
		const char *fmt, ...)
{
	bool pass = got && !strcmp(got, want);
	va_list ap;

	va_start(ap, fmt);
	report(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		diag("  at %s:%d: expected \"%s\", got \"%s\"", file, line,
		     want, got ? got : "(none)");
	return pass;
}

bool tap_fails(const char *file, int line, long ret, int err, int want,
	       const char *fmt, ...)
{
	bool pass = ret == -1 && err == want;
	va_list ap;

	va_start(ap, fmt);
	report(pass, fmt, ap);
	va_end(ap);
	if (!pass)
		diag("  at %s:%d: expected -1 %s, got %ld %s", file, line,
		     err_name(want), ret, ret == -1 ? err_name(err) : "");
	return pass;
}

bool tap_works(const char *file, int line, long ret, int err,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(ret >= 0, fmt, ap);
	va_end(ap);
	if (ret < 0)
		diag("  at %s:%d: %s (%s)", file, line, err_name(err),
		     strerror(err));
	return ret >= 0;
}

void diag(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void skip(const char *why, const char *fmt, ...)
{
	va_list ap;

	only_owner();
	printf("ok %u - ", ++tap.checks);
	tap.skipped++;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" # SKIP %s\n", why);
}

void skip_all(const char *fmt, ...)
{
	va_list ap;

	if (tap.checks)
		tap_bail(__FILE__, __LINE__, 0, "a skip of all after a check");
	printf("1..0 # SKIP ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(0);
}

void tap_bail(const char *file, int line, int err, const char *fmt, ...)
{
	va_list ap;

	if (syscall(SYS_gettid) != tap.owner) {
		fprintf(stderr, "# bail in a child at %s:%d: %s: ", file, line,
			err_name(err));
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
		_exit(126);
	}
	printf("Bail out! %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" (%s)\n", err_name(err));
	exit(255);
}

long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

unsigned int rounds(unsigned int base)
{
	const char *scale = getenv("SHORTPATH_SCALE");
	double n = base * (scale ? atof(scale) : 1.0);
	unsigned int r = n < 1 ? 1 : n;

	diag("repeated %u times", r);
	return r;
}

static bool wanted(int argc, char **argv, const char *name)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

static void run_case(const struct tap_case *c, const struct tap_hooks *hooks)
{
	unsigned int failed = tap.failed;
	long long start = now_ms();

	diag("case %s", c->name);
	if (hooks && hooks->before)
		hooks->before();
	c->run();
	if (hooks && hooks->after)
		hooks->after();
	diag("case %s: %s, %lld ms", c->name,
	     tap.failed == failed ? "passed" : "FAILED", now_ms() - start);
}

int tap_run(int argc, char **argv, const struct tap_case *cases, size_t n,
	    const struct tap_hooks *hooks)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (wanted(argc, argv, cases[i].name))
			run_case(&cases[i], hooks);
	return tap_done();
}
