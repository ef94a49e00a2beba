# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the lab says, and what it does when it stops.
#
# Results go to stdout; everything else goes to stderr. Long steps are named
# on stderr when that is a terminal, or with SHORTPATH_VERBOSE=1.

say() { printf 'lab: %s\n' "$*" >&2; }

die() {
	say "$*"
	exit 1
}

usage_error() {
	say "$*"
	say "see ./lab${command:+ $command} -h"
	exit 2
}

# step TEXT: one line for a step that takes more than a moment.
step() {
	if [ -t 2 ] || [ -n "${SHORTPATH_VERBOSE:-}" ]; then
		say "$*"
	fi
}

# quietly LOG CMD...: run CMD with its output in LOG; show the end of LOG if it fails.
quietly() {
	local log=$1 status=0
	shift

	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if [ "$status" -ne 0 ]; then
		say "failed ($status): $*"
		tail -n 40 "$log" | sed 's/^/    /' >&2
		say "the whole log: $log"
	fi
	return "$status"
}

# Things to undo when the lab stops, however it stops: newest first.
ON_EXIT=()

at_exit() { ON_EXIT+=("$1"); }

on_exit() {
	local status=$? i

	trap - INT TERM HUP
	for ((i = ${#ON_EXIT[@]} - 1; i >= 0; i--)); do
		eval "${ON_EXIT[i]}" || true
	done
	exit "$status"
}

# A private folder that goes when the lab stops. Sets REPLY.
private_dir() {
	REPLY=$(mktemp -d "${TMPDIR:-/tmp}/shortpath.XXXXXX")
	at_exit "rm -rf '$REPLY'"
}

# once LOCKNAME CMD...: only one lab at a time does this (per cache).
once() {
	local name=$1
	shift

	mkdir -p "$CACHE/locks"
	(
		exec {lock}>"$CACHE/locks/$name"
		if ! flock -n "$lock"; then
			step "waiting for another lab that holds $name"
			flock "$lock"
		fi
		"$@"
	)
}
