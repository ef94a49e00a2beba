# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Running test programs that speak TAP, as one KTAP document: each program is
# a test with its own cases nested below it. Used on the host and in the guest.

DEFAULT_TIME_LIMIT=120

# time_limit PROGRAM: its own limit in seconds, from a line of comment `time-limit: N' in
# its source. Elsewhere on a line it says nothing: a test may write programs of its own.
time_limit() {
	local source limit

	for source in "$1" "${TOP:-.}/tests/$(basename "$(dirname "$1")")/$(basename "$1").c"; do
		limit=$(sed -n 's/^[ /]*[#*] *time-limit: *\([0-9][0-9]*\).*/\1/p' "$source" 2>/dev/null | head -n 1)
		if [ -n "$limit" ]; then
			printf '%s\n' "$limit"
			return
		fi
	done
	printf '%s\n' "$DEFAULT_TIME_LIMIT"
}

# ktap_run PROGRAM...: runs each; KTAP on stdout. AFTER_EACH, if set, is a
# command that must succeed after each program (its output says why not).
ktap_run() {
	local program number=0 name status bad

	printf 'KTAP version 1\n1..%d\n' $#
	for program; do
		number=$((number + 1))
		name=$(basename "$program")
		printf '# Subtest: %s\n' "$name"
		bad=
		# The status is the program's, whatever it printed, with pipefail or not.
		if timeout --kill-after=10 $(($(time_limit "$program") * ${SHORTPATH_SCALE_TIME:-1})) \
			"$program" </dev/null 2>&1 | sed -u 's/^/    /'; then
			status=${PIPESTATUS[0]}
		else
			status=${PIPESTATUS[0]}
		fi
		case $status in
		0) ;;
		124 | 137) bad="took longer than its time limit" ;;
		*) bad="exit status $status" ;;
		esac
		if [ -n "${AFTER_EACH:-}" ] && ! complaint=$($AFTER_EACH); then
			printf '%s\n' "$complaint" | sed 's/^/    # /'
			bad="the kernel complained: $(head -n 1 <<<"$complaint")"
			$AFTER_EACH_RESET
		fi
		if [ -z "$bad" ]; then
			printf 'ok %d %s\n' "$number" "$name"
		else
			printf 'not ok %d %s # %s\n' "$number" "$name" "$bad"
		fi
	done
}

# ktap_judge FILE EXPECTED: reads a KTAP document. Prints "PASSED FAILED SKIPPED",
# then the failures, each as "    program: what". A case is a nested line; a
# program that failed without a failed case of its own counts as one, so does
# one that ran no case at all, and so does each that was never reached.
ktap_judge() {
	awk -v expected="$2" '
		function program_done(bad, why) {
			if (bad && !failed_here || !bad && !cases_here) {
				failed++
				fault[++faults] = name ": " (bad ? why : "ran no case")
				kept[faults] = output
			}
			programs++
			cases_here = failed_here = 0
			output = ""
		}
		/^# Subtest: / { name = $3; cases_here = failed_here = 0; output = ""; next }
		/^    / { output = output $0 "\n" }
		/^    ok [0-9]+/ {
			cases_here++
			if (toupper($0) ~ /# SKIP/) skipped++; else passed++
		}
		/^    not ok [0-9]+/ {
			cases_here++
			if (toupper($0) ~ /# TODO/) { skipped++; next }
			failed++; failed_here++
			line = $0; sub(/^    not ok /, "", line)
			fault[++faults] = name ": " line
			kept[faults] = ""
			last_of[name] = faults
		}
		/^    1\.\.0/ { skipped++; cases_here++ }
		/^ok [0-9]+/ { program_done(0) }
		/^not ok [0-9]+/ {
			if (failed_here) kept[last_of[name]] = output
			why = $0; sub(/^[^#]*# */, "", why)
			program_done(1, why)
		}
		END {
			if (output != "" || programs < expected) {
				missing = expected - programs
				failed += missing > 0 ? missing : 0
				if (missing > 0) {
					fault[++faults] = (name == "" ? "the first program" : name) ": the run ended here, " missing " of " expected " programs not finished"
					kept[faults] = output
				}
			}
			print passed + 0, failed + 0, skipped + 0
			for (i = 1; i <= faults; i++) {
				print "  " fault[i]
				printf "%s", kept[i]
			}
		}' "$1"
}
