// SPDX-License-Identifier: GPL-2.0-only
/* XDP programs of a few hand-written instructions, and attaching them. */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "tapdev.h"
#include "xprog.h"

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS	0x20
#endif

#define QUEUES	64

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
			    .off = (o), .imm = (i) })
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define LOAD_CTX(d, f) \
	INSN(BPF_LDX | BPF_MEM | BPF_W, d, BPF_REG_1, \
	     offsetof(struct xdp_md, f), 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define END		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* The address of a map, given its fd; takes a second half. */
#define LOAD_MAP(d, fd)	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, \
			     0, fd)
#define LOAD_MAP_HALF	INSN(0, 0, 0, 0, 0)

static void attach_to(struct xprog *p, const char *dev, __u32 flags)
{
	p->ifindex = tap_index(dev);
	p->flags = flags & ~XPROG_FRAGS;
	if (bpf_xdp_attach(p->ifindex, p->prog, p->flags, NULL))
		bail("attach to %s, flags 0x%x", dev, p->flags);
}

static void load(struct xprog *p, const char *dev, __u32 flags,
		 const struct bpf_insn *insns, size_t n)
{
	static char log[16384];
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts), .log_buf = log, .log_size = sizeof(log),
		.log_level = 1,
	};

	if (flags & XPROG_FRAGS)
		opts.prog_flags = BPF_F_XDP_HAS_FRAGS;
	p->prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "shortpath", "GPL", insns,
				n, &opts);
	if (p->prog < 0)
		bail("the kernel refuses the program: %s", log);
	attach_to(p, dev, flags);
}

static int map_make(struct xprog *p)
{
	p->map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "sockets", sizeof(int),
				sizeof(int), QUEUES, NULL);
	if (p->map < 0)
		bail("XSKMAP");
	return p->map;
}

void xprog_redirect(struct xprog *p, const char *dev, __u32 flags)
{
	const int map = map_make(p);
	const struct bpf_insn insns[] = {
		LOAD_CTX(BPF_REG_2, rx_queue_index),
		LOAD_MAP(BPF_REG_1, map),
		LOAD_MAP_HALF,
		MOV_IMM(BPF_REG_3, XDP_PASS),
		CALL(BPF_FUNC_redirect_map),
		END,
	};

	load(p, dev, flags, insns, ARRAY_SIZE(insns));
}

void xprog_action(struct xprog *p, const char *dev, __u32 flags, int action)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(BPF_REG_0, action),
		END,
	};

	p->map = -1;
	load(p, dev, flags, insns, ARRAY_SIZE(insns));
}

void xprog_forward(struct xprog *p, const char *dev, __u32 flags,
		   const char *to)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(BPF_REG_1, tap_index(to)),
		MOV_IMM(BPF_REG_2, 0),
		CALL(BPF_FUNC_redirect),
		END,
	};

	p->map = -1;
	load(p, dev, flags, insns, ARRAY_SIZE(insns));
}

void xprog_adjust(struct xprog *p, const char *dev, __u32 flags, int head,
		  int tail)
{
	const int map = map_make(p);
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		MOV_IMM(BPF_REG_2, head),
		CALL(BPF_FUNC_xdp_adjust_head),
		MOV_REG(BPF_REG_1, BPF_REG_6),
		MOV_IMM(BPF_REG_2, tail),
		CALL(BPF_FUNC_xdp_adjust_tail),
		MOV_REG(BPF_REG_1, BPF_REG_6),
		LOAD_CTX(BPF_REG_2, rx_queue_index),
		LOAD_MAP(BPF_REG_1, map),
		LOAD_MAP_HALF,
		MOV_IMM(BPF_REG_3, XDP_PASS),
		CALL(BPF_FUNC_redirect_map),
		END,
	};

	load(p, dev, flags, insns, ARRAY_SIZE(insns));
}

void xprog_again(struct xprog *p, const struct xprog *other, const char *dev,
		 __u32 flags)
{
	p->prog = dup(other->prog);
	p->map = other->map < 0 ? -1 : dup(other->map);
	if (p->prog < 0)
		bail("dup");
	attach_to(p, dev, flags);
}

int xprog_socket_try(struct xprog *p, __u32 queue, const struct xsk *x)
{
	return bpf_map_update_elem(p->map, &queue, &x->fd, 0) ? -1 : 0;
}

void xprog_socket(struct xprog *p, __u32 queue, const struct xsk *x)
{
	if (xprog_socket_try(p, queue, x))
		bail("socket into the map at %u", queue);
}

void xprog_detach(struct xprog *p)
{
	/* The device may be gone, and its program with it. */
	bpf_xdp_detach(p->ifindex, p->flags, NULL);
	close(p->prog);
	if (p->map >= 0)
		close(p->map);
	p->prog = -1;
	p->map = -1;
}
