# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
debug_dir() { printf '%s/debug/%s\n' "$CACHE" "${RELEASE:-}"; }
