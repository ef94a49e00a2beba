# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab run: one command in one kernel.

run_usage() {
	cat <<-EOF
	usage: ./lab run -k KERNEL [OPTION...] [--] CMD [ARG...]

	Boots that kernel, runs CMD as root inside, streams its output, exits with its
	status; 99 and the end of the kernel's log if the kernel crashed or complained.
	Inside, the host's file system is at its own paths, read-only, with a scratch
	layer on top that is gone afterwards. \`modprobe NAME' finds our modules first.

	  -k KERNEL          one of: $(targets_all)
	  --stock            only the distribution's modules
	  --debug            the debug build of that kernel (KASAN, lockdep, kmemleak, UBSAN)
	  --icount           the counted clock: one CPU, 1 ns of guest time an instruction
	  -m MEM             memory (default 2G)
	  -c CPUS            processors (default 2)
	  -q "QEMU ARGS"     more arguments for QEMU
	  --append "ARGS"    more arguments for the kernel
	EOF
}

# boot_options ARG...: the options that run and shell share. Sets REST.
boot_options() {
	boot_defaults
	while [ $# -gt 0 ]; do
		case $1 in
		-k | -m | -c | -q | --append)
			[ $# -gt 1 ] || usage_error "$1 needs a value"
			case $1 in
			-k) SERIES=$2 ;;
			-m) MEM=$2 ;;
			-c) CPUS=$2 ;;
			-q) EXTRA_QEMU=$2 ;;
			--append) EXTRA_APPEND=$2 ;;
			esac
			shift
			;;
		--stock) MODULE_SET=stock ;;
		--debug) DEBUG=1 ;;
		--icount) CLOCK=icount ;;
		-h | --help) "${command}_usage"; exit 0 ;;
		--) shift; break ;;
		-*) usage_error "there is no option '$1'" ;;
		*) break ;;
		esac
		shift
	done
	REST=("$@")
	[ -n "$SERIES" ] || usage_error "which kernel? say -k KERNEL (one of: $(targets_all))"
	target_load "$SERIES"
	[[ $CPUS =~ ^[1-9][0-9]*$ ]] || usage_error "'$CPUS' is no number of processors"
	[[ $MEM =~ ^[1-9][0-9]*[MG]?$ ]] || usage_error "'$MEM' is no amount of memory (as 512M or 2G)"
	if [ -n "$DEBUG" ] && [ "$MODULE_SET" = stock ]; then
		usage_error "--debug and --stock exclude each other: a debug kernel is not the distribution's"
	fi
}

cmd_run() {
	local command=run

	boot_options "$@"
	[ "${#REST[@]}" -gt 0 ] || usage_error "which command? say it behind --"
	prepare_host
	boot_prepare
	boot "${REST[@]}"
}
