// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running kernel's functions: their names (/proc/kallsyms) and their bytes
 * (/proc/kcore). The bytes are those that run: where the kernel has replaced
 * instructions to suit the processor, the new ones.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_text.h"
#include "pcm_bench.h"

/* Symbols that are no functions of their own: padding in front of one. */
#define PADDING "__pfx_"

/* Of a 64-bit ELF file's header, what says where its program headers are. */
struct core_header {
	__u8 unused[32];
	__u64 phoff;
	__u8 unused_too[14];
	__u16 phentsize;
	__u16 phnum;
	__u8 rest[6];
};

/* Such a program header. */
struct core_segment {
	__u32 type;
	__u32 flags;
	__u64 offset, vaddr, paddr, filesz, memsz, align;
};

#define LOADED 1

static struct function *functions;
static size_t function_count;
static int core = -1;
static struct core_segment *segments;
static size_t segment_count;

static int by_address(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	return f->start < g->start ? -1 : f->start > g->start;
}

static int add_function(const struct function *f)
{
	static size_t room;
	struct function *more;

	if (!functions)
		room = 0;
	if (function_count == room) {
		room = room ? 2 * room : 1 << 16;
		more = realloc(functions, room * sizeof(*more));
		if (!more)
			return pcm_complain("reading the symbols");
		functions = more;
	}
	functions[function_count++] = *f;
	return 0;
}

static int read_symbols(void)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	struct function f;
	char line[512], type;
	unsigned long address;

	if (!in)
		return pcm_complain("/proc/kallsyms");
	while (fgets(line, sizeof(line), in)) {
		f.module[0] = '\0';
		if (sscanf(line, "%lx %c %63s [%31[^]]]", &address, &type, f.name, f.module) < 3)
			continue;
		if (!strchr("tTwW", type) || !strncmp(f.name, PADDING, strlen(PADDING)))
			continue;
		f.start = address;
		if (add_function(&f))
			break;
	}
	fclose(in);
	if (!function_count || !functions[function_count - 1].start) {
		fprintf(stderr, "%s: the kernel does not say where its functions are\n", TOOL);
		return -1;
	}
	qsort(functions, function_count, sizeof(*functions), by_address);
	return 0;
}

static int read_segments(void)
{
	struct core_header head;
	size_t size;

	core = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (core < 0)
		return pcm_complain("/proc/kcore");
	if (pread(core, &head, sizeof(head), 0) != sizeof(head))
		return pcm_complain("reading /proc/kcore");
	size = head.phnum * sizeof(*segments);
	segments = malloc(size);
	segment_count = head.phnum;
	if (!segments || pread(core, segments, size, head.phoff) != (ssize_t)size)
		return pcm_complain("reading /proc/kcore");
	return 0;
}

/**
 * kernel_text_open() - learn what functions there are
 *
 * To be done again after modules have been loaded.
 *
 * Return: 0, or -1 after a message.
 */
int kernel_text_open(void)
{
	if (!read_symbols() && !read_segments())
		return 0;
	kernel_text_close();
	return -1;
}

/**
 * kernel_text_close() - forget it
 */
void kernel_text_close(void)
{
	free(functions);
	free(segments);
	functions = NULL;
	segments = NULL;
	function_count = 0;
	segment_count = 0;
	if (core >= 0)
		close(core);
	core = -1;
}

/**
 * functions_first() - the first function
 *
 * Return: it.
 */
const struct function *functions_first(void)
{
	return functions;
}

/**
 * functions_next() - the one after it
 * @f: a function
 *
 * Return: the next one, or NULL after the last.
 */
const struct function *functions_next(const struct function *f)
{
	return f + 1 < functions + function_count ? f + 1 : NULL;
}

/**
 * function_at() - the function that an address is in
 * @address: the address
 *
 * Of several names of one function it is the same one every time.
 *
 * Return: it, or NULL.
 */
const struct function *function_at(__u64 address)
{
	size_t low = 0, high = function_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

/**
 * function_named() - the function of that name
 * @name: the name
 * @module: whose, or "" for the kernel itself
 *
 * Return: it, or NULL.
 */
const struct function *function_named(const char *name, const char *module)
{
	const struct function *f;

	for (f = functions; f; f = functions_next(f))
		if (!strcmp(f->name, name) && !strcmp(f->module, module))
			return f;
	return NULL;
}

/**
 * function_end() - where the next one begins
 * @f: a function
 *
 * Return: the address.
 */
__u64 function_end(const struct function *f)
{
	const struct function *next = f;

	while ((next = functions_next(next)))
		if (next->start > f->start)
			return next->start;
	return f->start;
}

/**
 * kernel_bytes() - read the kernel's memory
 * @address: from where
 * @buffer: where to
 * @size: how much
 *
 * Return: 0, or -1 when it cannot be read.
 */
int kernel_bytes(__u64 address, void *buffer, size_t size)
{
	const struct core_segment *p;

	for (p = segments; p < segments + segment_count; p++)
		if (p->type == LOADED && address >= p->vaddr &&
		    address + size <= p->vaddr + p->memsz)
			return pread(core, buffer, size, address - p->vaddr + p->offset) ==
			       (ssize_t)size ? 0 : -1;
	return -1;
}
