# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A kernel built from the distribution's source with all that finds mistakes:
# KASAN, lockdep, kmemleak, UBSAN, debug objects, fault injection. Built once
# for a release and a configuration, kept in the cache:
# $CACHE/debug/RELEASE/{src,modules,key}; ours are built against that tree, the
# few of its own that they meet are in modules/.

debug_dir() { printf '%s/debug/%s\n' "$CACHE" "${RELEASE%-debug}"; }

debug_key() {
	{
		cat "$KDIR/version" "$TOP/lab.d/debug.config"
		"$COMPILER" --version | head -n 1
	} | sha256sum | cut -d' ' -f1
}

# The compiler of this machine that is nearest to the kernel's own.
debug_compiler() {
	if command -v "$COMPILER" >/dev/null; then
		printf '%s\n' "$COMPILER"
	else
		printf 'gcc\n'
	fi
}

# debug_get SERIES: sets RELEASE, KDIR, BUILD, IMAGE and STOCK.
debug_get() {
	local series=$1 dir

	kernel_get "$series"
	target_load "$series"
	COMPILER=$(debug_compiler)
	dir=$(debug_dir)
	if [ "$(cat "$dir/key" 2>/dev/null)" != "$(debug_key)" ]; then
		once "debug-$RELEASE" debug_build "$series" "$dir"
	fi
	RELEASE=$RELEASE-debug
	IMAGE=$dir/src/arch/x86/boot/bzImage
	STOCK=$dir/modules
	modules_build "$series" "$RELEASE" "$dir/src" "$STOCK"
}

debug_build() {
	local series=$1 dir=$2 key

	key=$(debug_key)
	if [ "$(cat "$dir/key" 2>/dev/null)" = "$key" ]; then
		return
	fi
	rm -rf "$dir"
	mkdir -p "$dir/src" "$dir/modules"
	kernel_source_package "$series" "$RELEASE"
	step "unpacking the source of Linux $RELEASE"
	kernel_source_tar "$series" "$KDIR" | tar -x -C "$dir/src" --strip-components=1 --no-same-owner
	debug_configure "$dir/src"
	step "building the debug kernel $RELEASE (several minutes)"
	quietly "$dir/build.log" make -C "$dir/src" CC="$COMPILER" \
		KERNELRELEASE="$RELEASE-debug" -j"$(nproc)" bzImage modules
	mkdir -p "$dir/modules/kernel"
	(cd "$dir/src" && find drivers net sound -name '*.ko' -exec cp --parents -t "$dir/modules/kernel" {} +)
	printf '%s\n' "$key" >"$dir/key"
}

# Says which options that were asked for did not come out so.
debug_configure() {
	local src=$1 want missing

	quietly "$src/../configure.log" make -C "$src" CC="$COMPILER" \
		KCONFIG_ALLCONFIG="$TOP/lab.d/debug.config" allnoconfig
	missing=$(grep '^CONFIG_' "$TOP/lab.d/debug.config" | while read -r want; do
		grep -qxF "$want" "$src/.config" || printf '%s\n' "$want"
	done)
	if [ -n "$missing" ]; then
		say "options that Linux $RELEASE does not take as asked (see lab.d/debug.config):"
		printf '    %s\n' "$missing" >&2
	fi
}
