#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets of tap-send, counted by a virtual machine: QEMU with vhost_net and, to
# be quick, the boot program iPXE, which comes with QEMU, in the place of an
# operating system. Run it where the modules are:
#
#   ./lab run -k 6.12 -- docs/examples/tap-vm.sh
set -eu

cc -O2 -o /tmp/tap-send docs/examples/tap-send.c

modprobe -a tun vhost_net
ip tuntap add tap0 mode tap
sysctl -qw net.ipv6.conf.tap0.disable_ipv6=1 # no packets but ours
ip link set tap0 up

coproc vm { exec qemu-system-x86_64 -machine pc,graphics=off -m 32 -nodefaults \
	-display none -serial stdio -boot n \
	-netdev tap,id=n,ifname=tap0,script=no,downscript=no,vhost=on \
	-device virtio-net-pci,netdev=n; }
vm_pid=$!
exec {console}<&"${vm[0]}" {keyboard}>&"${vm[1]}"

# said TEXT: waits until the VM has printed it; sets REPLY to all since the last.
said() {
	local char all=''

	while [[ $all != *"$1"* ]]; do
		IFS= read -r -t 60 -n 1 -d '' -u "$console" char || {
			echo "the VM did not say '$1', but: $all" >&2
			exit 1
		}
		all+=$char
	done
	REPLY=$all
}

say() { printf '%s\r' "$1" >&"$keyboard"; }

said "Press Ctrl-B for the iPXE command line"
printf '\x02' >&"$keyboard"
said "iPXE>"
say "ifopen net0"
said "iPXE>"
/tmp/tap-send tap0 1000
say "ifstat net0"
said "RXE:"
echo "the VM has received ${REPLY##*RX:}" | cut -d ' ' -f 1-5
ethtool -S tap0 | grep -E 'tx_queue_0_xsk_(packets|completions|wakeups)'

kill "$vm_pid"
wait "$vm_pid" || true
ip tuntap del tap0 mode tap
