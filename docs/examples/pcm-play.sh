#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A sound card in software, and pcm-play on it, with the short way and without. Run
# it where the modules are:
#
#   ./lab run -k 6.12 -- docs/examples/pcm-play.sh
set -e

cc -O2 -o /tmp/pcm-play docs/examples/pcm-play.c

modprobe snd-dummy
switch=/sys/module/snd_pcm/parameters/short_sync_ptr
for on in Y N; do
	echo "short_sync_ptr=$on"
	echo $on >$switch
	/tmp/pcm-play /dev/snd/pcmC0D0p 1
done

echo Y >$switch
modprobe -r snd-dummy
