# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The compiler a kernel was built with. Where this machine's distribution has
# it, it is used directly; otherwise a small root folder of the distribution
# that has it is made, and the build runs in there.

toolchain_root() { printf '%s/roots/%s\n' "$CACHE" "$1"; }

# toolchain_get SERIES: make its compiler available.
toolchain_get() {
	target_load "$1"
	if [ "$(host_suite)" = "$TOOLCHAIN" ]; then
		need_packages "$COMPILER"
	else
		once "root-$TOOLCHAIN" toolchain_make_root
	fi
}

toolchain_make_root() {
	local root

	root=$(toolchain_root "$TOOLCHAIN")
	if [ -x "$root/usr/bin/$COMPILER" ] && [ -e "$root/complete" ]; then
		return
	fi
	step "making a small $TOOLCHAIN root for $COMPILER"
	rm -rf "$root" "$root.new"
	mkdir -p "$(dirname "$root")"
	# Extracted only: no package script runs, so awk is linked by hand.
	quietly "$OUT/log/root-$TOOLCHAIN.log" mmdebstrap --mode=root --variant=extract \
		--include="base-files,bash,binutils,coreutils,dash,debianutils,diffutils,findutils,$COMPILER,grep,kmod,libc6-dev,libelf1t64,make,mawk,pahole,perl-base,sed" \
		--aptopt='APT::Install-Recommends "false"' --keyring="$KEYRING" \
		"$TOOLCHAIN" "$root.new" "$(mirror_of main)"
	ln -sf mawk "$root.new/usr/bin/awk"
	touch "$root.new/complete"
	mv "$root.new" "$root"
}

# toolchain_make SERIES HEADERS TREE [ARG...]: build the module tree.
toolchain_make() {
	local series=$1 headers=$2 tree=$3
	shift 3

	target_load "$series"
	if [ "$(host_suite)" = "$TOOLCHAIN" ]; then
		make -C "$headers" M="$tree" CC="$COMPILER" "$@" modules
	else
		in_root "$(toolchain_root "$TOOLCHAIN")" "$(kernel_dir '')" "$tree" \
			make -C "$headers" M="$tree" CC="$COMPILER" "$@" modules
	fi
}

# in_root ROOT READ WRITE CMD...: run CMD in ROOT with two folders of this machine
# at their own paths. A mount namespace of its own: nothing is left mounted.
in_root() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private bash -euc '
		root=$1 read=${2%/} write=$3
		shift 3
		mount --bind "$root" "$root"
		mkdir -p "$root$read" "$root$write"
		mount --bind "$read" "$root$read"
		mount --bind "$write" "$root$write"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec chroot "$root" "$@"
	' in_root "$@"
}
