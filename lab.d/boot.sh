# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# One boot of one kernel: QEMU, the channels between guest and host, the
# watchdog, the verdict.
#
# Four channels, none of which can garble another: the serial console (the
# kernel's log, a file), and three virtio-serial ports: the command's stdout,
# its stderr, and the verdict. On the last one the guest says `started', then
# `beat' every 5 s of its own time, and at the very end `exit N' or `splat ...'.
# A guest that ends without a verdict has crashed.
#
# The emulator itself crashes a guest now and then (accel_lost_breakpoint). A
# boot that fell to it before the command began is made again; one that fell
# later only for a command that can be run again (boot_into).

SPLATTED=99
# Limits of the watchdog, in seconds: to `started' (emulated; with KASAN and
# lockdep), and without a beat.
BOOT_SECONDS=${SHORTPATH_BOOT_SECONDS:-180}
BOOT_SECONDS_DEBUG=${SHORTPATH_BOOT_SECONDS:-420}
SILENT_SECONDS=${SHORTPATH_SILENT_SECONDS:-150}
BOOT_TRIES=3
TAIL_LINES=60

# What a boot is asked for; commands set these, then call boot.
boot_defaults() {
	SERIES='' MODULE_SET=ours DEBUG='' CLOCK=wall MEM=2G CPUS=2
	EXTRA_QEMU='' EXTRA_APPEND='' INTERACTIVE='' LOG_AS=''
}

# boot_prepare: everything a boot of SERIES needs. Sets IMAGE, STOCK, OVERLAY, UNHOOKED.
boot_prepare() {
	if [ -n "$DEBUG" ]; then
		debug_get "$SERIES"
	elif [ "$MODULE_SET" = ours ]; then
		modules_get "$SERIES"
		IMAGE=$KDIR/vmlinuz STOCK=$(readlink -f "$KDIR/modules")
	else
		kernel_get "$SERIES"
		BUILD=
		IMAGE=$KDIR/vmlinuz STOCK=$(readlink -f "$KDIR/modules")
	fi
	OVERLAY='' UNHOOKED=''
	if [ "$MODULE_SET" = ours ]; then
		OVERLAY=$BUILD/overlay UNHOOKED=$BUILD/stock
	fi
	initramfs_get "$RELEASE" "$STOCK"
	accel_get "$IMAGE" "$INITRAMFS"
}

# boot CMD [ARG...]: returns the command's status, or 99.
boot() {
	local dir status tries=1

	LOST_BREAKPOINT=
	private_dir
	dir=$REPLY
	boot_session_archive "$dir" "$@"
	mkfifo "$dir/out" "$dir/err"
	boot_once "$dir" && status=0 || status=$?
	if [ "$ACCEL" = kvm ] && [ ! -s "$dir/verdict" ] && [ ! -s "$dir/console" ]; then
		say "KVM does not run this guest: going on with emulation"
		accel_forget_kvm
		ACCEL=tcg
		boot_session_archive "$dir" "$@"
		boot_once "$dir" && status=0 || status=$?
	fi
	while boot_lost_breakpoint "$dir" && [ ! -s "$dir/verdict" ] && [ "$tries" -lt "$BOOT_TRIES" ]; do
		say "the emulator lost a breakpoint before the command began: booting again"
		tries=$((tries + 1))
		boot_once "$dir" && status=0 || status=$?
	done
	if boot_lost_breakpoint "$dir"; then
		LOST_BREAKPOINT=1
	fi
	if [ -n "$LOG_AS" ]; then
		mkdir -p "$(dirname "$LOG_AS")"
		cp "$dir/console" "$LOG_AS"
	fi
	rm -rf "$dir"
	return "$status"
}

# boot_into FILE CMD [ARG...]: as boot, for a command that can be run again, its
# output in FILE.
boot_into() {
	local file=$1 status tries=1
	shift

	boot "$@" >"$file" && status=0 || status=$?
	while [ -n "$LOST_BREAKPOINT" ] && [ "$tries" -lt "$BOOT_TRIES" ]; do
		say "the emulator lost a breakpoint in the middle: running all of it again"
		tries=$((tries + 1))
		boot "$@" >"$file" && status=0 || status=$?
	done
	return "$status"
}

boot_lost_breakpoint() {
	[ "$ACCEL" = tcg ] && ! grep -qE '^(exit|splat) ' "$1/verdict" &&
		accel_lost_breakpoint "$1/console"
}

# What this boot alone needs: its configuration and its command, as a second
# archive behind the initramfs.
boot_session_archive() {
	local dir=$1
	shift

	mkdir -p "$dir/root/session"
	{
		printf 'RELEASE=%q TOP=%q MODULES=%q OVERLAY=%q\n' "$RELEASE" "$TOP" "$STOCK" "$OVERLAY"
	} >"$dir/root/session/boot.conf"
	boot_environment "$@" >"$dir/root/session/env.conf"
	(cd "$dir/root" && find session -print0 | LC_ALL=C sort -z |
		cpio --null --create --format=newc --quiet) >"$dir/session.cpio"
	# Archives follow each other at 4-byte boundaries.
	cp "$INITRAMFS" "$dir/initrd"
	cat "$dir/session.cpio" >>"$dir/initrd"
}

boot_environment() {
	local name
	# shellcheck disable=SC2034
	local -a COMMAND=("$@")

	for name in ${!SHORTPATH_@}; do
		printf 'export %s=%q\n' "$name" "${!name}"
	done
	printf 'export PATH=%q HOME=/root TERM=%q LANG=C.UTF-8\n' \
		/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${TERM:-dumb}"
	printf 'export SHORTPATH_TOP=%q SHORTPATH_OUT=%q SHORTPATH_UNHOOKED=%q SHORTPATH_CLOCK=%q\n' \
		"$TOP" "$OUT" "$UNHOOKED" "$CLOCK"
	printf 'export SHORTPATH_KERNEL=%q SHORTPATH_DEBUG=%q SHORTPATH_ACCEL=%q\n' "$SERIES" "$DEBUG" "$ACCEL"
	printf 'CWD=%q INTERACTIVE=%q ROWS=%q COLS=%q\n' "$PWD" "$INTERACTIVE" "${LINES:-}" "${COLUMNS:-}"
	declare -p COMMAND
}

boot_append() {
	local line="console=ttyS0 loglevel=5 panic=-1 oops=panic panic_on_warn=1 hung_task_panic=1"

	# Stock kernels enforce nothing that an unsigned module would break.
	# System calls of the x32 ABI are built in there, but off.
	line+=" net.ifnames=0 mitigations=auto printk.devkmsg=on syscall.x32=y"
	[ -z "$DEBUG" ] || line+=" kmemleak=on"
	printf '%s %s\n' "$line" "$EXTRA_APPEND"
}

boot_once() {
	local dir=$1 qemu watchdog readers status verdict extra=() console=()

	rm -f "$dir/verdict" "$dir/console"
	: >"$dir/verdict"
	: >"$dir/console"
	accel_qemu_args "$ACCEL" "$CLOCK" "$CPUS"
	read -r -a extra <<<"$EXTRA_QEMU"
	if [ -n "$INTERACTIVE" ]; then
		console=(-chardev "stdio,id=con,signal=off" -device "virtconsole,chardev=con")
	fi
	# The readers see end of file when QEMU, the only writer, is gone.
	cat "$dir/out" &
	readers=$!
	cat "$dir/err" >&2 &
	readers="$readers $!"
	if [ -n "$INTERACTIVE" ]; then
		exec {input}<&0
	else
		exec {input}</dev/null
	fi
	qemu-system-x86_64 "${REPLY_ARGS[@]}" -m "$MEM" \
		-nodefaults -no-user-config -display none -no-reboot -rtc base=utc \
		-kernel "$IMAGE" -initrd "$dir/initrd" -append "$(boot_append)" \
		-serial "file:$dir/console" \
		-virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap" \
		-device virtio-serial-pci "${console[@]}" \
		-chardev "file,id=out,path=$dir/out,append=on" -device virtserialport,chardev=out,name=out \
		-chardev "file,id=err,path=$dir/err,append=on" -device virtserialport,chardev=err,name=err \
		-chardev "file,id=verdict,path=$dir/verdict" -device virtserialport,chardev=verdict,name=verdict \
		"${extra[@]}" <&"$input" >"$dir/qemu.log" 2>&1 &
	qemu=$!
	exec {input}<&-
	# shellcheck disable=SC2064
	at_exit "kill $qemu $readers 2>/dev/null; wait $qemu $readers 2>/dev/null"
	boot_watchdog "$dir" "$qemu" &
	watchdog=$!
	at_exit "kill $watchdog 2>/dev/null"
	wait "$qemu" && status=0 || status=$?
	kill "$watchdog" 2>/dev/null || true
	wait "$watchdog" 2>/dev/null || true
	# A QEMU that never opened its ends leaves the readers waiting.
	: 3<>"$dir/out" 4<>"$dir/err"
	# shellcheck disable=SC2086
	wait $readers 2>/dev/null || true
	boot_verdict "$dir" "$status"
}

# Ends a guest that does not start, or falls silent.
boot_watchdog() {
	local dir=$1 qemu=$2 limit=$BOOT_SECONDS started=$SECONDS age
	local silent=$SILENT_SECONDS tick

	[ -z "$DEBUG" ] || limit=$BOOT_SECONDS_DEBUG
	# The counted clock runs slower than the wall's.
	[ "$CLOCK" = wall ] || limit=$((limit * 3)) silent=$((silent * 4))
	# A pipe that nobody writes to: waits without a process that outlives us.
	exec {tick}<> <(:)
	while kill -0 "$qemu" 2>/dev/null; do
		read -r -t 2 -u "$tick" || true
		if ! [ -s "$dir/verdict" ]; then
			if [ $((SECONDS - started)) -gt "$limit" ]; then
				echo "the guest did not start within $limit s" >"$dir/hang"
				kill "$qemu"
			fi
		else
			age=$(($(date +%s) - $(stat -c %Y "$dir/verdict")))
			if [ "$age" -gt "$silent" ]; then
				echo "the guest has been silent for $age s" >"$dir/hang"
				kill "$qemu"
			fi
		fi
	done
}

# boot_verdict DIR QEMU_STATUS: the command's status, or 99 and why.
boot_verdict() {
	local dir=$1 verdict

	verdict=$(grep -aE '^(exit|splat) ' "$dir/verdict" | tail -n 1 || true)
	case $verdict in
	'exit '*) return "${verdict#exit }" ;;
	'splat '*) say "the kernel (Linux $RELEASE) complained: ${verdict#splat }" ;;
	*)
		if [ -e "$dir/hang" ]; then
			say "Linux $RELEASE: $(cat "$dir/hang")"
		elif [ ! -s "$dir/console" ]; then
			say "QEMU did not start the guest:"
			sed 's/^/    /' "$dir/qemu.log" >&2
			return 1
		else
			say "Linux $RELEASE crashed"
		fi
		;;
	esac
	say "the end of its log:"
	tail -n "$TAIL_LINES" "$dir/console" | tr -d '\r' | sed 's/^/    /' >&2
	return "$SPLATTED"
}
