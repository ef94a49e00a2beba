# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The machine the lab runs on: who we are, and the packages it must have.

# What building and booting needs, by package name.
HOST_PACKAGES=(
	alsa-utils bc bison build-essential busybox-static bzip2 ca-certificates coccinelle cpio
	dpdk-dev dwarves ethtool flex git gnuplot-nox iproute2 jq kmod libbpf-dev libcmocka-dev
	libelf-dev libssl-dev mmdebstrap perl procps qemu-system-x86 sparse xz-utils zstd
)

need_root() {
	[ "$(id -u)" -eq 0 ] && return
	die "needs root (it installs packages, unpacks kernels and makes a root folder); run: sudo ${INVOKED:-./lab}"
}

package_missing() {
	! dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# need_packages NAME...: install what is missing, and say so.
need_packages() {
	local name missing=()

	command -v apt-get >/dev/null ||
		die "needs a Debian system (12 or later): there is no apt-get here"
	for name; do
		if package_missing "$name"; then
			missing+=("$name")
		fi
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	need_root
	say "installing: ${missing[*]}"
	mkdir -p "$OUT/log"
	once host-packages install_packages "${missing[@]}"
}

install_packages() {
	export DEBIAN_FRONTEND=noninteractive
	quietly "$OUT/log/apt-update.log" apt-get update ||
		die "cannot update the package lists; run: apt-get update"
	quietly "$OUT/log/apt-install.log" apt-get install -y --no-install-recommends "$@" ||
		die "cannot install them; run: apt-get install $*"
}

# The distribution this machine runs, as its suite is called ("bookworm").
host_suite() {
	(
		# shellcheck disable=SC1091
		. /etc/os-release
		printf '%s\n' "${VERSION_CODENAME:-unknown}"
	)
}

prepare_host() {
	need_root
	need_packages "${HOST_PACKAGES[@]}"
	mkdir -p "$CACHE" "$OUT/log"
}
