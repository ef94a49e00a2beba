# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The initramfs: busybox, the few modules it takes to mount the host's file
# system, and guest/init. One per kernel, kept in the cache; what differs from
# boot to boot is a second small archive behind it.

INITRAMFS_MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)

# initramfs_get RELEASE MODULES_DIR: sets INITRAMFS.
initramfs_get() {
	local release=$1 modules=$2 key

	key=$({
		cat "$TOP/lab.d/guest/init" "$TOP/lab.d/initramfs.sh" /bin/busybox
		stat -L -c '%i %Y' "$modules"
	} | sha256sum | cut -c1-16)
	INITRAMFS=$CACHE/initramfs/$release-$key.cpio
	[ -e "$INITRAMFS" ] || once "initramfs-$release" initramfs_make "$release" "$modules" "$INITRAMFS"
}

initramfs_make() {
	local release=$1 modules=$2 target=$3 dir

	[ ! -e "$target" ] || return 0
	step "making the initramfs of Linux $release"
	mkdir -p "$(dirname "$target")"
	dir=$(mktemp -d "$target.XXXXXX")
	mkdir -p "$dir"/{bin,dev,proc,sys,host,scratch,root,modules}
	cp /bin/busybox "$dir/bin/"
	cp "$TOP/lab.d/guest/init" "$dir/init"
	initramfs_modules "$release" "$modules" "$dir/modules" >"$dir/modules/order"
	# A node for the first messages, before devtmpfs is mounted.
	mknod "$dir/dev/console" c 5 1
	(cd "$dir" && find . -print0 | LC_ALL=C sort -z | cpio --null --create --format=newc --quiet) >"$target.$$"
	rm -rf "$dir"
	mv "$target.$$" "$target"
}

# Copies the modules, uncompressed; prints their names in load order.
initramfs_modules() {
	local release=$1 modules=$2 into=$3 root path name

	[ "${release%-debug}" = "$release" ] || return 0 # a debug kernel has them built in
	root=$(mktemp -d "$into/root.XXXXXX")
	mkdir -p "$root/lib/modules" "$root/usr/lib"
	ln -s ../../lib/modules "$root/usr/lib/modules"
	ln -s "$(readlink -f "$modules")" "$root/lib/modules/$release"
	for name in "${INITRAMFS_MODULES[@]}"; do
		modprobe -d "$root" -S "$release" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		name=$(basename "$path")
		case $name in
		*.ko) cp "$path" "$into/$name" ;;
		*.ko.xz) xz -dc "$path" >"$into/${name%.xz}" ;;
		*.ko.zst) zstd -qdc "$path" >"$into/${name%.zst}" ;;
		*.ko.gz) gzip -dc "$path" >"$into/${name%.gz}" ;;
		esac
		printf '%s\n' "${name%.ko*}.ko"
	done
	rm -rf "$root"
}
