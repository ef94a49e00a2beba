# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# From kernel/FEATURE to modules, for one kernel (stock release or debug
# build): assemble, build, prove that nothing a stock module relies on has
# changed, and lay out the tree that the guest sees as /lib/modules/RELEASE.
#
# In out/build/RELEASE/KEY/, where KEY stands for all that the modules are made
# of, so that no build touches what a running guest has mounted:
#   hooked/FEATURE/, unhooked/FEATURE/   module trees, built
#   ours/      our modules         unhooked/*.ko   the distribution's sources as they are
#   overlay/   updates/shortpath/*.ko and depmod's indexes: a layer over the stock folder

features() {
	local file
	for file in "$TOP"/kernel/*/Kbuild; do
		if [ -f "$file" ]; then
			basename "$(dirname "$file")"
		fi
	done
}

BUILDS_KEPT=8

# Everything that decides what the modules are.
modules_key() {
	local series=$1 release=$2
	{
		printf '%s\n' "$release"
		cat "$(kernel_dir "${release%-debug}")/version"
		if [ "${release%-debug}" != "$release" ]; then
			cat "$(debug_dir)/key"
		fi
		find "$TOP/kernel" "$TOP/include" "$TOP/lab.d/modules.sh" "$TOP/lab.d/same-abi" "$TOP/targets/$series" \
			-type f -print0 | sort -z | xargs -0 sha256sum
	} | sha256sum | cut -c1-16
}

# modules_build SERIES RELEASE HEADERS STOCK_MODULES: sets BUILD.
modules_build() {
	BUILD=$OUT/build/$2/$(modules_key "$1" "$2")
	[ -e "$BUILD/complete" ] ||
		once "build-$(sha256sum <<<"$BUILD" | cut -c1-16)" modules_build_locked "$BUILD" "$@"
}

modules_build_locked() {
	local dir=$1 series=$2 release=$3 headers=$4 stock=$5 feature

	[ ! -e "$dir/complete" ] || return 0
	rm -rf "$dir"
	mkdir -p "$dir/ours" "$dir/stock" "$dir/log"
	# Old builds go, but not one that a guest may just be using.
	find "$(dirname "$dir")" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn |
		tail -n "+$((BUILDS_KEPT + 1))" | cut -d' ' -f2- | xargs -r -d '\n' rm -rf
	for feature in $(features); do
		step "building $feature for Linux $release"
		feature_build "$dir" "$series" "$release" "$headers" "$feature" hooked
		find "$dir/hooked/$feature" -name '*.ko' -exec cp -t "$dir/ours" {} +
		if feature_has_upstream "$feature"; then
			feature_build "$dir" "$series" "$release" "$headers" "$feature" unhooked
			find "$dir/unhooked/$feature" -name '*.ko' -exec cp -t "$dir/stock" {} +
			same_abi "$dir" "$release" "$headers" "$feature"
		fi
	done
	overlay_build "$dir" "$release" "$stock"
	touch "$dir/complete"
}

# No stock module is ever loaded on a debug kernel: there is nothing to fit.
same_abi() {
	local log=$1/log/$4.abi

	[ "${2%-debug}" = "$2" ] || return 0
	"$TOP/lab.d/same-abi" "$3" "$1/unhooked/$4" "$1/hooked/$4" >"$log" 2>&1 ||
		die "$4 for Linux $2 would not fit stock modules: see $log"
}

feature_has_upstream() {
	grep -q '^[^#]' "$TOP/kernel/$1/upstream" 2>/dev/null
}

# feature_build BUILD SERIES RELEASE HEADERS FEATURE hooked|unhooked
feature_build() {
	local dir=$1 series=$2 release=$3 headers=$4 feature=$5 how=$6 tree option=()

	tree=$dir/$how/$feature
	if [ "$how" = unhooked ]; then
		option=(--unhooked)
	fi
	mkdir -p "$(dirname "$tree")"
	quietly "$dir/log/$feature-$how-assemble.log" "$TOP/kernel/assemble" "${option[@]}" \
		"$feature" "$series" "$(kernel_dir "${release%-debug}")/src" "$tree"
	quietly "$dir/log/$feature-$how.log" feature_make "$series" "$release" "$headers" "$tree"
}

feature_make() {
	if [ "${2%-debug}" != "$2" ]; then
		make -C "$3" M="$4" -j"$(nproc)" modules
	else
		toolchain_make "$1" "$3" "$4" -j"$(nproc)"
	fi
}

# The layer that makes modprobe find ours first. The stock folder is only read.
overlay_build() {
	local dir=$1 release=$2 stock=$3

	rm -rf "$dir/overlay"
	mkdir -p "$dir/overlay/updates/shortpath"
	cp "$dir"/ours/*.ko "$dir/overlay/updates/shortpath/"
	step "indexing the modules of Linux $release"
	# shellcheck disable=SC2016
	unshare --mount --propagation private bash -euc '
		dir=$1 release=$2 stock=$3
		mount -t tmpfs tmpfs /mnt
		mkdir -p /mnt/lib/modules/$release/updates /mnt/lib/modules/$release/kernel
		root=/mnt/lib/modules/$release
		if [ -d "$stock/kernel" ]; then
			mount --bind "$stock/kernel" "$root/kernel"
		fi
		mount --bind "$dir/overlay/updates" "$root/updates"
		for file in modules.order modules.builtin modules.builtin.modinfo; do
			if [ -e "$stock/$file" ]; then
				cp "$stock/$file" "$root/"
			else
				: >"$root/$file" # a debug kernel has no modules of its own
			fi
		done
		depmod -b /mnt "$release"
		cp "$root"/modules.* "$dir/overlay/"
	' overlay "$dir" "$release" "$(readlink -f "$stock")"
}

# modules_get SERIES: kernel, compiler and modules ready. Sets RELEASE, KDIR, BUILD.
modules_get() {
	kernel_get "$1"
	toolchain_get "$1"
	modules_build "$1" "$RELEASE" "$KDIR/headers" "$KDIR/modules"
}
