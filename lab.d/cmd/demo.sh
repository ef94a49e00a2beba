# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab demo: what shortpath does, shown on stock kernels, with a page to read.

# shellcheck source=lab.d/measure.sh
. "$TOP/lab.d/measure.sh"

demo_usage() {
	cat <<-EOF
	usage: ./lab demo [-k KERNEL]... [--quick]

	Installs what is missing, builds, boots stock kernels, runs the old path against
	the new one for every feature there is, prints the tables and writes
	out/demo/report.html. Where a path has many cases, some are left out:
	./lab bench measures all of them.

	  -k KERNEL   one of: $(targets_all) (may be given more than once; default all)
	  --quick     few rounds: shows that it works, not how fast it is
	EOF
}

cmd_demo() {
	local command=demo kernels=() length=brief kernel paths=() results=() said="./lab demo${*:+ $*}"

	while [ $# -gt 0 ]; do
		case $1 in
		-k)
			kernel_option "$@"
			kernels+=("$REPLY")
			shift
			;;
		--quick) length=quick ;;
		-h | --help) demo_usage; exit 0 ;;
		*) usage_error "demo does not take '$1'" ;;
		esac
		shift
	done
	[ "${#kernels[@]}" -gt 0 ] || read -r -a kernels <<<"$(targets_all)"
	mapfile -t paths < <(bench_paths)
	prepare_host
	bench_build
	for kernel in "${kernels[@]}"; do
		measure "$kernel" "$said" "$length" "${paths[@]}"
		results+=("$OUT/bench/$kernel.json")
		"$TOP/bench/table" "$OUT/bench/$kernel.json"
	done
	mkdir -p "$OUT/demo"
	"$TOP/bench/report" -o "$OUT/demo/report.html" "${results[@]}"
	printf 'Shown with fewer rounds and sizes than ./lab bench measures.\nThe page: %s\n' "$OUT/demo/report.html"
}
