# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab clean: remove what the lab has made.

clean_usage() {
	cat <<-EOF
	usage: ./lab clean

	Removes out/ and the caches (kernels, sources, debug kernels, root folders),
	and says what it removed.
	EOF
}

cmd_clean() {
	local command=clean dir

	case ${1:-} in
	'') ;;
	-h | --help) clean_usage; exit 0 ;;
	*) usage_error "clean takes no argument" ;;
	esac
	for dir in "$OUT" "$CACHE"; do
		if [ -d "$dir" ]; then
			printf 'removed %s (%s)\n' "$dir" "$(du -sh "$dir" | cut -f1)"
			rm -rf "$dir"
		else
			printf 'nothing at %s\n' "$dir"
		fi
	done
}
