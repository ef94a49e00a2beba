#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# DPDK at both ends: testpmd sends through AF_XDP into tap0; another testpmd is
# the virtual machine, with a virtio port on vhost_net. Run it where the modules
# are:
#
#   ./lab run -k 6.12 -m 3G -- docs/examples/tap-testpmd.sh
set -eu

# until_true COMMAND...: waits until it succeeds, for a minute at most.
until_true() {
	for _ in {1..600}; do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "in vain: $*" >&2
	exit 1
}

# counter NAME: of tap0, by ethtool -S.
counter() { ethtool -S tap0 | awk -v name="$1:" '$1 == name { print $2 }'; }
sent() { [ "$(counter tx_queue_0_xsk_packets)" -ge 10000 ]; }

modprobe -a tun vhost_net
sysctl -qw vm.nr_hugepages=160
mkdir -p /run/huge
mount -t hugetlbfs none /run/huge

# The receiver makes tap0. Both run until Enter is pressed.
mkfifo /run/enter-rx /run/enter-tx
dpdk-testpmd -l 0,1 --file-prefix rx --no-pci --huge-dir /run/huge -m 128 \
	--vdev net_virtio_user0,path=/dev/vhost-net,queue_size=1024,iface=tap0 \
	-- --total-num-mbufs=16384 --forward-mode=rxonly <>/run/enter-rx >/run/rx.log &
receiver=$!
until_true ip link set tap0 up

dpdk-testpmd -l 0,1 --file-prefix tx --no-pci --huge-dir /run/huge -m 128 \
	--vdev net_af_xdp0,iface=tap0,busy_budget=0 \
	-- --total-num-mbufs=16384 --forward-mode=txonly <>/run/enter-tx >/run/tx.log &
sender=$!
until_true sent

echo >/run/enter-tx
wait "$sender"
ethtool -S tap0 | grep -E 'tx_queue_0_xsk_(packets|completions|wakeups)'
echo >/run/enter-rx
wait "$receiver"
grep -A 3 'Forward statistics' /run/rx.log
