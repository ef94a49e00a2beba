# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Measuring a path on a kernel: two guests, one for each clock.
#
# By the wall's clock old and new path run turn by turn in one boot. By the
# counted clock (one processor, -icount shift=0) a nanosecond of the guest's
# time is one instruction, so the figures are the same on any machine.

# Paths that have something to measure: a bench/PATH/guest.
bench_paths() {
	local file

	for file in "$TOP"/bench/*/guest; do
		basename "$(dirname "$file")"
	done
}

# measure KERNEL COMMAND quick|brief|'' PATH...: writes out/bench/KERNEL.json.
measure() {
	local series=$1 said=$2 length=$3 path clock rows=() arguments=()
	shift 3

	mkdir -p "$OUT/bench"
	[ -z "$length" ] || arguments=("--$length")
	boot_defaults
	SERIES=$series
	boot_prepare
	for path; do
		for clock in wall icount; do
			CLOCK=$clock
			LOG_AS=$OUT/bench/$series-$path-$clock.log
			step "measuring $path on Linux $RELEASE: $([ "$clock" = wall ] && echo "time ($ACCEL)" || echo "instructions (counted clock)")"
			boot_into "$OUT/bench/$series-$path-$clock.tsv" \
				"$TOP/bench/guest" "$path" --clock "$clock" --bin "$OUT/bench/bin" "${arguments[@]}" \
				2>"$OUT/bench/$series-$path-$clock.err" || {
				tail -n 30 "$OUT/bench/$series-$path-$clock.err" >&2
				die "measuring $path on Linux $RELEASE failed"
			}
			rows+=("$OUT/bench/$series-$path-$clock.tsv")
		done
	done
	"$TOP/bench/summarise" --accel "$ACCEL" --command "$said" "${rows[@]}" >"$OUT/bench/$series.json"
}
