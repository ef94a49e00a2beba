# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab bench: old path against new path, with figures.

# shellcheck source=lab.d/measure.sh
. "$TOP/lab.d/measure.sh"

BENCH_SERIES=6.12

bench_usage() {
	cat <<-EOF
	usage: ./lab bench [-k KERNEL] [-j] [--quick] [PATH...]

	Old path against new path in one boot, with the spread: by time, and by counted
	instructions. Paths: $(bench_paths | tr '\n' ' ')(all of them if none is named).

	  -k KERNEL   one of: $(targets_all) (default $BENCH_SERIES)
	  -j          one JSON object instead of the table
	  --quick     few rounds: shows that it works, not how fast it is
	EOF
}

cmd_bench() {
	local command=bench kernel=$BENCH_SERIES json='' length='' paths=() said="./lab bench${*:+ $*}"

	while [ $# -gt 0 ]; do
		case $1 in
		-k)
			kernel_option "$@"
			kernel=$REPLY
			shift
			;;
		-j | --json) json=1 ;;
		--quick) length=quick ;;
		-h | --help) bench_usage; exit 0 ;;
		-*) usage_error "there is no option '$1'" ;;
		*)
			# no pipe: grep ends at the first match, and what writes into it fails
			grep -qxF -- "$1" <<<"$(bench_paths)" ||
				usage_error "there is nothing to measure for '$1'; there is: $(bench_paths | tr '\n' ' ')"
			paths+=("$1")
			;;
		esac
		shift
	done
	[ "${#paths[@]}" -gt 0 ] || mapfile -t paths < <(bench_paths)
	prepare_host
	bench_build
	measure "$kernel" "$said" "$length" "${paths[@]}"
	if [ -n "$json" ]; then
		cat "$OUT/bench/$kernel.json"
	else
		"$TOP/bench/table" "$OUT/bench/$kernel.json"
	fi
}
