# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lab check: every test on every supported kernel.

# shellcheck source=lab.d/ktap.sh
. "$TOP/lab.d/ktap.sh"

DEBUG_SERIES=6.12 # what --debug runs on, unless -k says otherwise

check_usage() {
	cat <<-EOF
	usage: ./lab check [-k KERNEL]... [--debug] [SUITE...]

	Builds, then runs every test on every supported kernel (or those named).
	Suites: ${HOST_SUITES[*]} (on this machine, once), ${GUEST_SUITES[*]} (in each kernel).
	KTAP documents and logs are left in out/check/. The output of failed tests is
	shown, passing ones are quiet. The last line is \`N passed, N failed, N skipped'.

	  -k KERNEL   one of: $(targets_all) (may be given more than once)
	  --debug     on a kernel built from the distribution's source with KASAN, lockdep,
	              kmemleak, UBSAN and fault injection (Linux $DEBUG_SERIES unless -k says
	              otherwise); runs ${DEBUG_SUITES[*]} unless others are named
	EOF
}

PASSED=0 FAILED=0 SKIPPED=0

cmd_check() {
	local command=check kernels=() suites=() debug='' suite kernel

	while [ $# -gt 0 ]; do
		case $1 in
		-k)
			kernel_option "$@"
			kernels+=("$REPLY")
			shift
			;;
		--debug) debug=1 ;;
		-h | --help) check_usage; exit 0 ;;
		-*) usage_error "there is no option '$1'" ;;
		*)
			case " ${HOST_SUITES[*]} ${GUEST_SUITES[*]} " in
			*" $1 "*) suites+=("$1") ;;
			*) usage_error "there is no suite '$1'; there are: ${HOST_SUITES[*]} ${GUEST_SUITES[*]}" ;;
			esac
			;;
		esac
		shift
	done
	if [ "${#kernels[@]}" -eq 0 ]; then
		read -r -a kernels <<<"${debug:+$DEBUG_SERIES}"
		[ -n "$debug" ] || read -r -a kernels <<<"$(targets_all)"
	fi
	if [ "${#suites[@]}" -eq 0 ]; then
		suites=("${HOST_SUITES[@]}" "${GUEST_SUITES[@]}")
		[ -z "$debug" ] || suites=("${DEBUG_SUITES[@]}")
	fi
	prepare_host
	mkdir -p "$OUT/check"
	for suite in "${suites[@]}"; do
		case " ${HOST_SUITES[*]} " in
		*" $suite "*) check_on_host "$suite" ;;
		*)
			for kernel in "${kernels[@]}"; do
				check_in_guest "$suite" "$kernel" "$debug"
			done
			;;
		esac
	done
	printf '%d passed, %d failed, %d skipped\n' "$PASSED" "$FAILED" "$SKIPPED"
	[ "$FAILED" -eq 0 ] && [ "$PASSED" -gt 0 ]
}

check_on_host() {
	local suite=$1 ktap=$OUT/check/$1.ktap programs started=$SECONDS

	tests_build "$suite"
	mapfile -t programs < <(tests_list "$suite")
	step "$suite: ${#programs[@]} programs"
	export SHORTPATH_TOP=$TOP SHORTPATH_OUT=$OUT CMOCKA_MESSAGE_OUTPUT=TAP
	AFTER_EACH='' ktap_run "${programs[@]}" >"$ktap"
	check_judge "$suite on this machine" "$ktap" "${#programs[@]}" 0 $((SECONDS - started))
}

check_in_guest() {
	local suite=$1 programs ktap name status started

	boot_defaults
	SERIES=$2 DEBUG=$3
	if [ -n "$DEBUG" ]; then
		MEM=4G
	fi
	name=$suite-$SERIES${DEBUG:+-debug}
	ktap=$OUT/check/$name.ktap
	LOG_AS=$OUT/check/$name.log
	tests_build "$suite"
	suite_machine "$suite"
	boot_prepare
	mapfile -t programs < <(tests_list "$suite")
	step "$suite: ${#programs[@]} programs on Linux $RELEASE ($ACCEL)"
	started=$SECONDS
	boot_into "$ktap" "$TOP/lab.d/guest/suite" "${programs[@]}" && status=0 || status=$?
	check_judge "$suite on Linux $RELEASE ($ACCEL)" "$ktap" "${#programs[@]}" "$status" $((SECONDS - started))
}

# check_judge WHAT KTAP PROGRAMS STATUS SECONDS
check_judge() {
	local what=$1 verdict passed failed skipped

	verdict=$(ktap_judge "$2" "$3")
	read -r passed failed skipped <<<"$(head -n 1 <<<"$verdict")"
	# The guest's own verdict: a splat or a leak that no program noticed.
	if [ "$4" -ne 0 ] && [ "$failed" -eq 0 ]; then
		failed=1
		verdict+=$'\n'"  the guest: ended with status $4 (its log: ${2%.ktap}.log)"
	fi
	PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed)) SKIPPED=$((SKIPPED + skipped))
	printf '%s: %d passed, %d failed, %d skipped, %d s\n' "$what" "$passed" "$failed" "$skipped" "$5"
	if [ "$failed" -gt 0 ]; then
		tail -n +2 <<<"$verdict"
	fi
}
