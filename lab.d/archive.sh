# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The distribution's archive, through apt, but with lists, state and cache of
# the lab's own: the machine's own package lists are never touched, and a
# Debian 12 machine can fetch what only Debian 13 has, and the other way round.
#
# The mirror is the one that this machine's own sources name. Signatures are
# checked by apt against the distribution's keyring.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
LISTS_MAX_AGE_MIN=720

# mirror_of main|security: the mirror that this machine uses.
mirror_of() {
	local found

	if [ -n "${SHORTPATH_MIRROR:-}" ]; then
		found=$SHORTPATH_MIRROR/
	else
		# A field that apt does not know stays as it is: no lists are needed.
		# shellcheck disable=SC2016
		found=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
			awk '$2 !~ /-security/ && $1 ~ /\/debian\/$/ { print $1; exit }')
	fi
	[ -n "$found" ] ||
		die "no Debian mirror in this machine's sources; run: SHORTPATH_MIRROR=URL ./lab ${command:-}"
	case $1 in
	security) printf '%s\n' "${found%/debian/}/debian-security/" ;;
	*) printf '%s\n' "$found" ;;
	esac
}

# All of these take ARCH, amd64 unless set: an architecture of the distribution.

# archive_dir SUITE...: where the lists and state of this set of suites live.
archive_dir() { printf '%s/apt/%s%s\n' "$CACHE" "$1" "${ARCH:+-$ARCH}"; }

# archive TOOL SUITES ARG...: run an apt tool on that set of suites alone.
archive() {
	local tool=$1 dir
	# shellcheck disable=SC2086
	dir=$(archive_dir $2)
	shift 2
	"$tool" -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State="$dir/state" -o Dir::State::status="$dir/status" \
		-o Dir::Cache="$dir/cache" -o APT::Sandbox::User=root \
		-o APT::Architecture="${ARCH:-amd64}" -o APT::Architectures="${ARCH:-amd64}" "$@"
}

# archive_update SUITES: fetch the package lists if ours are old.
archive_update() {
	local suites=$1 dir suite mirror
	# shellcheck disable=SC2086
	dir=$(archive_dir $suites)

	if [ -n "$(find "$dir/updated" -mmin "-$LISTS_MAX_AGE_MIN" 2>/dev/null)" ]; then
		return
	fi
	step "fetching the package lists of $suites"
	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	for suite in $suites; do
		case $suite in
		*-security) mirror=$(mirror_of security) ;;
		*) mirror=$(mirror_of main) ;;
		esac
		printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$mirror" "$suite"
	done >"$dir/sources.list"
	if quietly "$OUT/log/archive-update.log" archive apt-get "$suites" update \
		-o APT::Update::Error-Mode=any; then
		touch "$dir/updated"
	elif [ -e "$dir/updated" ]; then
		say "the package lists cannot be refreshed; going on with those of $(date -r "$dir/updated" +%F)"
	else
		die "cannot fetch the package lists of $suites"
	fi
}

# archive_names SUITES REGEX: the names of the packages that match.
archive_names() {
	archive apt-cache "$1" pkgnames linux- | grep -Ex "$2" || true
}

archive_version() {
	archive apt-cache "$1" show --no-all-versions "$2" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1
}

# archive_download SUITES DIR PACKAGE[=VERSION]...
archive_download() {
	local suites=$1 dir=$2
	shift 2

	mkdir -p "$dir"
	(cd "$dir" && archive apt-get "$suites" download "$@")
}
