# SPDX-License-Identifier: GPL-2.0-only
#
# Shorthands: the work is done by ./lab, which says more with -h.

.PHONY: all check demo lint clean
all: check
check demo clean:
	./lab $@
lint:
	.ci/lint
