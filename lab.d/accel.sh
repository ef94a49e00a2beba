# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Hardware virtualisation where it really works, emulation elsewhere. A
# /dev/kvm that opens proves nothing: a stock guest is booted to find out.

PROBE_SECONDS=15

# accel_get KERNEL_IMAGE INITRAMFS: sets ACCEL to kvm or tcg, and says which.
accel_get() {
	local key answer

	ACCEL=${SHORTPATH_ACCEL:-}
	if [ -n "$ACCEL" ]; then
		return
	fi
	# The answer holds until the machine boots again or /dev/kvm is another.
	key=$({
		cat /proc/sys/kernel/random/boot_id
		stat -L -c '%d %i %t %T %a' /dev/kvm || echo none
		cat /proc/self/uid_map
	} 2>/dev/null | sha256sum | cut -c1-16)
	answer=$CACHE/accel/$key
	if [ ! -e "$answer" ]; then
		mkdir -p "$CACHE/accel"
		step "trying /dev/kvm"
		if kvm_works "$1" "$2"; then
			echo kvm >"$answer.$$"
		else
			echo tcg >"$answer.$$"
		fi
		mv "$answer.$$" "$answer"
	fi
	ACCEL=$(cat "$answer")
}

accel_forget_kvm() {
	local answer
	for answer in "$CACHE"/accel/*; do
		echo tcg >"$answer"
	done
}

kvm_works() {
	local dir

	[ -c /dev/kvm ] && [ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	dir=$(mktemp -d "${TMPDIR:-/tmp}/shortpath.XXXXXX")
	timeout -k 1 "$PROBE_SECONDS" qemu-system-x86_64 -accel kvm -cpu host -m 512 -smp 1 \
		-nodefaults -no-user-config -display none -no-reboot -serial null \
		-kernel "$1" -initrd "$2" -append "panic=-1 shortpath.probe" \
		-device virtio-serial-pci \
		-chardev "file,id=verdict,path=$dir/verdict" \
		-device virtserialport,chardev=verdict,name=verdict \
		>/dev/null 2>&1 </dev/null || true
	grep -qs works "$dir/verdict"
	set -- $?
	rm -rf "$dir"
	return "$1"
}

# accel_lost_breakpoint CONSOLE: whether that log ends in a breakpoint that was
# not there. When the kernel patches its own code, emulation with one thread a
# processor may, once in some hundreds of boots, still run the int3 of a patch
# that is already complete (linux-kernel, July 2023, "stil see int3"). Told from
# a real one, which is a bug, by the byte before the trap's address: no 0xcc.
accel_lost_breakpoint() {
	tr -d '\r' <"$1" | awk '
		!seen && /Oops|BUG:|WARNING:|int3: 0000/ { seen = 1; int3 = /int3: 0000 \[#1\]/ }
		int3 && / Code: / {
			lost = / [0-9a-f][0-9a-f] <[0-9a-f][0-9a-f]>/ && !/ cc <[0-9a-f][0-9a-f]>/
			exit
		}
		END { exit !lost }'
}

# accel_qemu_args ACCEL CLOCK CPUS: sets REPLY_ARGS.
# Without -erms and -fsrm: the emulator runs `rep movsb' a byte at a time, and
# copies would look far dearer than they are.
accel_qemu_args() {
	case $1:$2 in
	*:icount) REPLY_ARGS=(-accel "tcg,thread=single" -icount "shift=0" -cpu "max,-erms,-fsrm" -smp 1) ;;
	kvm:*) REPLY_ARGS=(-accel kvm -cpu host -smp "$3") ;;
	*) REPLY_ARGS=(-accel "tcg,thread=multi" -cpu "max,-erms,-fsrm" -smp "$3") ;;
	esac
}
