#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A remote processor in software with an echo service, and rpmsg-echo on it.
# Run it where the modules are:
#
#   ./lab run -k 6.12 -- docs/examples/rpmsg-echo.sh
set -e

modprobe rpmsg_sim
remote=/sys/kernel/config/rpmsg-sim/demo
mkdir "$remote" "$remote/echo"
echo 1 >"$remote/live"

device=$(cat "$remote/dev_name")
control=$(find "/sys/bus/virtio/devices/$device/" -name 'rpmsg_ctrl[0-9]*' | head -n 1)
address=$(cat "$remote/echo/addr")

cc -I include/uapi -o /tmp/rpmsg-echo docs/examples/rpmsg-echo.c
/tmp/rpmsg-echo "/dev/${control##*/}" "$address"

rmdir "$remote/echo" "$remote"
