# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Each space compared with itself: what is found there is false. scripts/calibrate does the same with more cells.
. ./tap.sh

if checked; then
	skip "60 cells of a space with itself" "kernels with checkers are not compared"
	finish
fi
if ! calibrate 60 --time 500ms >"$work/figures" 2>"$work/err"; then
	fail "60 cells of a space with itself" "$work/figures" "$work/err"
	finish
fi
# How many verdicts are withheld depends on the host.
note "$(cat "$work/figures")"
# At a rate of 6 % more than eight of 60 come up in one of a hundred runs, at the 4.3 % of twelve rounds in one of
# a thousand.
check "60 cells of a space with itself: at most eight false verdicts" jq -e '.cells >= 60 and .false <= 8' "$work/figures"
check "60 cells of a space with itself: all intervals but eight hold 0" jq -e '.cells - .hold_0 <= 8' "$work/figures"
check "nothing is left" nothing_left
finish
