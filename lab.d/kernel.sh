# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The distribution's kernels: which release a series stands for today, its
# image, modules and headers unpacked into a folder, and the source files
# that our modules are assembled from. Nothing is installed on the machine.
#
# A kernel's folder, $CACHE/kernels/RELEASE:
#   root/      the unpacked packages
#   vmlinuz, modules, headers, config    links into root/
#   src/       upstream files, at their kernel-tree paths
#   version    the package version all of it comes from

targets_all() {
	(cd "$TOP/targets" && printf '%s\n' [0-9]* | sort -V | tr '\n' ' ' | sed 's/ $//')
}

target_load() {
	[ -f "$TOP/targets/$1" ] || usage_error "'$1' is not a supported kernel; there are: $(targets_all)"
	# shellcheck disable=SC1090
	. "$TOP/targets/$1"
}

# kernel_option -k KERNEL ...: the option that names a kernel. Sets REPLY.
kernel_option() {
	[ $# -gt 1 ] || usage_error "-k needs a value"
	target_load "$2"
	REPLY=$2
}

# kernel_release SERIES: its newest release in the distribution ("6.1.0-57-amd64").
# The same release must have an image and headers: one can be published before
# the other.
kernel_release() {
	local series=$1 names release headers

	target_load "$series"
	once "archive-${SUITES%% *}" archive_update "$SUITES"
	names=$(archive_names "$SUITES" "linux-(headers|image|binary)-${series//./\\.}\.[^-]*(-[0-9]+)?-amd64")
	while read -r headers; do
		release=${headers#linux-headers-}
		if grep -qxE "linux-(image|binary)-${release//+/\\+}" <<<"$names"; then
			printf '%s\n' "$release"
			return
		fi
	done < <(grep '^linux-headers-' <<<"$names" | sort -rV)
	die "no release of Linux $series in $SUITES: if the distribution has gone on to a newer series, add a file to targets/"
}

kernel_dir() { printf '%s/kernels/%s\n' "$CACHE" "$1"; }

# kernel_get SERIES: fetch and unpack it. Sets RELEASE and KDIR.
kernel_get() {
	RELEASE=$(kernel_release "$1")
	KDIR=$(kernel_dir "$RELEASE")
	[ -e "$KDIR/version" ] || once "kernel-$RELEASE" kernel_unpack "$1" "$RELEASE"
	once "source-$RELEASE" kernel_source "$1" "$RELEASE"
}

# The packages of a release. From 7.0 on the image is split in three.
kernel_packages() {
	local suites=$1 release=$2 names common
	local re=${release//+/\\+}

	common=${release%-amd64}-common
	names=$(archive_names "$suites" "linux-(binary|modules|base|image)-$re")
	if grep -q '^linux-binary-' <<<"$names"; then
		grep -v '^linux-image-' <<<"$names"
	else
		grep '^linux-image-' <<<"$names"
	fi
	printf '%s\n' "linux-headers-$release" "linux-headers-$common"
	archive apt-cache "$suites" show --no-all-versions "linux-headers-$release" |
		grep -o 'linux-kbuild-[^ ,]*' | head -n 1
}

kernel_unpack() {
	local series=$1 release=$2 dir tmp version deb makefile

	dir=$(kernel_dir "$release")
	[ ! -e "$dir/version" ] || return 0
	target_load "$series"
	version=$(archive_version "$SUITES" "linux-headers-$release")
	step "fetching Linux $release ($version)"
	rm -rf "$dir" "$dir.new"
	tmp=$dir.new
	mkdir -p "$tmp/root" "$tmp/debs"
	# shellcheck disable=SC2046
	quietly "$OUT/log/download-$release.log" archive_download "$SUITES" "$tmp/debs" \
		$(kernel_packages "$SUITES" "$release" | sed "s/\$/=$version/")
	for deb in "$tmp"/debs/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	rm -rf "$tmp/debs"
	kernel_links "$tmp" "$release"
	# The headers' Makefiles name /usr/src, which is not where they are.
	for makefile in "$tmp/headers/Makefile" "$tmp/headers/.kernelvariables"; do
		if [ -f "$makefile" ]; then
			sed -i "s,\([= ]\)/usr/src/,\1$dir/root/usr/src/," "$makefile"
		fi
	done
	# Packages hold no module index: it is written at installation, which this is not.
	depmod -b "$tmp/root" "$release"
	printf '%s\n' "$version" >"$tmp/version"
	mv "$tmp" "$dir"
}

# Where the packages put things differs between releases.
kernel_links() {
	local dir=$1 release=$2 candidate

	# kmod looks in /lib/modules or /usr/lib/modules, as it was built: have both.
	mkdir -p "$dir/root/lib" "$dir/root/usr/lib"
	[ -e "$dir/root/lib/modules" ] || ln -s ../usr/lib/modules "$dir/root/lib/modules"
	[ -e "$dir/root/usr/lib/modules" ] || ln -s ../../lib/modules "$dir/root/usr/lib/modules"
	if [ -d "$dir/root/lib/modules/$release" ]; then
		ln -sfn "root/lib/modules/$release" "$dir/modules"
	fi
	for candidate in "root/boot/vmlinuz-$release" modules/vmlinuz; do
		if [ -f "$dir/$candidate" ]; then
			ln -sfn "$candidate" "$dir/vmlinuz"
		fi
	done
	for candidate in "root/boot/config-$release" modules/config; do
		if [ -f "$dir/$candidate" ]; then
			ln -sfn "$candidate" "$dir/config"
		fi
	done
	ln -sfn "root/usr/src/linux-headers-$release" "$dir/headers"
	for candidate in modules vmlinuz config headers; do
		[ -e "$dir/$candidate" ] || die "the packages of Linux $release hold no $candidate"
	done
}

# The kernel-tree paths that the features are assembled from, and the tools of
# the kernel tree that the checks use.
kernel_source_list() {
	cat "$TOP"/kernel/*/upstream 2>/dev/null | awk '{ sub(/#.*/, "") } NF { print $1 }'
	printf '%s\n' scripts/checkpatch.pl scripts/const_structs.checkpatch scripts/spelling.txt
}

# kernel_source SERIES RELEASE: take the files our modules need out of the source package.
kernel_source() {
	local series=$1 release=$2 dir file missing=()

	dir=$(kernel_dir "$release")
	while read -r file; do
		if [ ! -e "$dir/src/$file" ] && ! grep -qxF "$file" "$dir/src.absent" 2>/dev/null; then
			missing+=("$file")
		fi
	done < <(kernel_source_list)
	[ "${#missing[@]}" -gt 0 ] || return 0
	kernel_source_package "$series" "$release"
	step "taking ${#missing[@]} files out of the source of Linux $release"
	mkdir -p "$dir/src"
	kernel_source_tar "$series" "$dir" |
		tar -x -C "$dir/src" --strip-components=1 --no-same-owner \
			"${missing[@]/#/linux-source-$series/}" 2>"$dir/src.log" || true
	for file in "${missing[@]}"; do
		if [ ! -e "$dir/src/$file" ]; then
			# Not every file is in every kernel; the assembly says so where it matters.
			printf '%s\n' "$file" >>"$dir/src.absent"
		fi
	done
}

kernel_source_package() {
	local series=$1 release=$2 dir version
	dir=$(kernel_dir "$release")

	[ ! -e "$dir/source.deb" ] || return 0
	target_load "$series"
	version=$(cat "$dir/version")
	step "fetching the source of Linux $release"
	rm -rf "$dir/source.new"
	quietly "$OUT/log/download-source-$release.log" archive_download "$SUITES" "$dir/source.new" \
		"linux-source-$series=$version"
	mv "$dir"/source.new/*.deb "$dir/source.deb"
	rmdir "$dir/source.new"
}

# The source tree as an uncompressed tar on stdout.
kernel_source_tar() {
	dpkg-deb --fsys-tarfile "$2/source.deb" |
		tar -xO "./usr/src/linux-source-$1.tar.xz" | xz -dc -T0
}
