# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# User-space programs: the tests, and what the benches run. Built on this
# machine, run from the same path in the guest.

# Suites whose programs run on this machine, and those that run in a guest.
HOST_SUITES=(unit lab)
GUEST_SUITES=(rpmsg tap pcm)
# Of those, what a debug kernel runs unless told otherwise. Not pcm: its differential
# test compares what the stock module leaves uninitialised, which such a kernel shows.
DEBUG_SUITES=(rpmsg tap)

# tests_build SUITE
tests_build() {
	case $1 in
	lab) ;;
	*) once "tests-$(printf '%s' "$OUT" | sha256sum | cut -c1-16)" \
		quietly "$OUT/log/tests-$1.log" make -C "$TOP/tests" O="$OUT" -j"$(nproc)" "$1" ;;
	esac
}

# suite_machine SUITE: what its guest has beside the usual. Sets EXTRA_QEMU.
suite_machine() {
	case $1 in
	pcm)
		# Sound cards that stock drivers know.
		EXTRA_QEMU="-audiodev none,id=sound -device intel-hda -device hda-duplex,audiodev=sound"
		EXTRA_QEMU+=" -device qemu-xhci -device usb-audio,audiodev=sound"
		# What plays and records there as a 32-bit program.
		export SHORTPATH_I386_ALSA=$CACHE/roots/i386-alsa
		once i386-alsa i386_alsa_make "$SHORTPATH_I386_ALSA"
		;;
	esac
}

# i386_alsa_make DIR: Debian's i386 build of alsa-utils and all that it needs,
# unpacked into DIR: nothing is installed. Its programs run on a 64-bit kernel with
#   DIR/lib/ld-linux.so.2 --library-path DIR/lib/i386-linux-gnu:DIR/usr/lib/i386-linux-gnu \
#       DIR/usr/bin/aplay
i386_alsa_make() {
	local dir=$1 ARCH=i386 suite deb

	[ ! -e "$dir/complete" ] || return 0
	suite=$(host_suite)
	archive_update "$suite"
	quietly "$OUT/log/i386-alsa.log" archive apt-get "$suite" -q -y clean
	quietly "$OUT/log/i386-alsa.log" archive apt-get "$suite" -q -y install \
		--no-install-recommends --download-only alsa-utils
	rm -rf "$dir" "$dir.new"
	mkdir -p "$dir.new"
	for deb in "$(archive_dir "$suite")"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$dir.new"
	done
	touch "$dir.new/complete"
	mv "$dir.new" "$dir"
}

# tests_list SUITE: the programs, absolute paths, one a line.
tests_list() {
	case $1 in
	lab) find "$TOP/tests/lab" -maxdepth 1 -type f -perm -u+x | LC_ALL=C sort ;;
	*) make -s -C "$TOP/tests" O="$OUT" "list-$1" ;;
	esac
}

bench_build() {
	once "bench-$(printf '%s' "$OUT" | sha256sum | cut -c1-16)" \
		quietly "$OUT/log/bench-build.log" "$TOP/bench/build" "$OUT/bench/bin"
}
