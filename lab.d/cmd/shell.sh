# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab shell: an interactive shell in one kernel.

shell_usage() {
	cat <<-EOF
	usage: ./lab shell -k KERNEL [OPTION...]

	An interactive shell as root in that kernel; it ends with \`exit'. The options
	are those of \`./lab run'.
	EOF
}

cmd_shell() {
	local command=shell

	# shellcheck source=lab.d/cmd/run.sh
	. "$TOP/lab.d/cmd/run.sh"
	boot_options "$@"
	[ "${#REST[@]}" -eq 0 ] || usage_error "shell takes no command; use: ./lab run -k $SERIES -- ${REST[*]}"
	[ -t 0 ] || usage_error "shell needs a terminal; use: ./lab run -k $SERIES -- CMD"
	prepare_host
	boot_prepare
	read -r LINES COLUMNS < <(stty size)
	INTERACTIVE=1
	boot /bin/bash -l
}
