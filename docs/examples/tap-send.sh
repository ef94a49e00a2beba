#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A TAP device, a reader on its one side and tap-send on the other. Run it where
# the modules are:
#
#   ./lab run -k 6.12 -- docs/examples/tap-send.sh
set -e

cc -O2 -o /tmp/tap-send docs/examples/tap-send.c
cc -O2 -o /tmp/tap-read docs/examples/tap-read.c

modprobe tun
ip tuntap add tap0 mode tap
ip link set tap0 up

/tmp/tap-read tap0 &
/tmp/tap-send tap0 20000
ethtool -S tap0 | grep -E 'tx_queue_0_xsk_(packets|completions|wakeups)'
wait $!

ip tuntap del tap0 mode tap
