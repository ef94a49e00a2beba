# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP for the tests of the lab itself. A test sources this, calls ok or is for
# each case, and ends with done_testing.

set -u
TOP=${SHORTPATH_TOP:?run by ./lab check lab}
TAP_COUNT=0 TAP_BAD=0
LAB=$TOP/lab

SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/shortpath-test.XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT

# ok DESCRIPTION CMD...: passes when CMD succeeds.
ok() {
	local what=$1
	shift

	TAP_COUNT=$((TAP_COUNT + 1))
	if "$@"; then
		echo "ok $TAP_COUNT - $what"
	else
		TAP_BAD=$((TAP_BAD + 1))
		echo "not ok $TAP_COUNT - $what"
		echo "# failed: $*"
	fi
}

# is DESCRIPTION GOT WANTED
is() {
	TAP_COUNT=$((TAP_COUNT + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $TAP_COUNT - $1"
	else
		TAP_BAD=$((TAP_BAD + 1))
		echo "not ok $TAP_COUNT - $1"
		printf '%s\n' "$2" | sed 's/^/# got:    /'
		printf '%s\n' "$3" | sed 's/^/# wanted: /'
	fi
}

skip() {
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT - $1 # SKIP $2"
}

# contains TEXT PATTERN (extended regular expression)
contains() { grep -qE -- "$2" <<<"$1"; }

# in_lab CMD...: runs ./lab; sets STDOUT, STDERR, STATUS.
in_lab() {
	STATUS=0
	"$LAB" "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" </dev/null || STATUS=$?
	STDOUT=$(cat "$SCRATCH/stdout") STDERR=$(cat "$SCRATCH/stderr")
	# Why a guest went down is worth more than that it did.
	if [ "$STATUS" -eq 99 ]; then
		sed 's/^/# /' "$SCRATCH/stderr"
	fi
}

done_testing() {
	echo "1..$TAP_COUNT"
	[ "$TAP_BAD" -eq 0 ]
}
