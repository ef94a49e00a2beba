// SPDX-License-Identifier: GPL-2.0-only
/*
 * The XDP program that hands what a device receives on queue 0 to a socket: a
 * call of bpf_redirect_map() in seven instructions.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap_bench.h"

static int load(int map)
{
	const struct bpf_insn program[] = {
		/* r2 = ctx->rx_queue_index */
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1,
		  .off = offsetof(struct xdp_md, rx_queue_index) },
		/* r1 = map */
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{},
		/* r3 = what to do where there is no socket */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "to_socket", "GPL", program,
			     ARRAY_SIZE(program), NULL);
}

/**
 * xdp_redirect_attach() - hand the packets of a device to a socket
 * @r: what is attached
 * @t: the device
 * @x: the socket
 *
 * Return: 0, or -1 after a message.
 */
int xdp_redirect_attach(struct xdp_redirect *r, const struct tap *t, const struct xsk *x)
{
	const int queue = 0;

	*r = (struct xdp_redirect) { .program = -1, .map = -1 };
	r->map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "sockets", sizeof(int),
				sizeof(int), 1, NULL);
	if (r->map < 0)
		return tap_complain("making an XSKMAP");
	r->program = load(r->map);
	if (r->program < 0) {
		tap_complain("loading the XDP program");
		goto fail;
	}
	if (bpf_map_update_elem(r->map, &queue, &x->fd, BPF_ANY)) {
		tap_complain("putting the socket into its map");
		goto fail;
	}
	if (bpf_xdp_attach(t->ifindex, r->program, XDP_FLAGS_DRV_MODE, NULL)) {
		tap_complain("attaching the XDP program");
		goto fail;
	}
	r->ifindex = t->ifindex;
	return 0;
fail:
	xdp_redirect_detach(r);
	return -1;
}

/**
 * xdp_redirect_detach() - end it
 * @r: what xdp_redirect_attach() made
 */
void xdp_redirect_detach(struct xdp_redirect *r)
{
	if (r->ifindex)
		bpf_xdp_detach(r->ifindex, XDP_FLAGS_DRV_MODE, NULL);
	if (r->program >= 0)
		close(r->program);
	if (r->map >= 0)
		close(r->map);
	*r = (struct xdp_redirect) { .program = -1, .map = -1 };
}
