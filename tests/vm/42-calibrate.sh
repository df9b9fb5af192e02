# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Each space compared with itself: what is found there is false. scripts/calibrate does the same with more cells.
. ./tap.sh

if checked; then
	skip "30 cells of a space with itself" "kernels with checkers are not compared"
	finish
fi
if ! calibrate 30 --time 500ms >"$work/figures" 2>"$work/err"; then
	fail "30 cells of a space with itself" "$work/figures" "$work/err"
	finish
fi
# How many verdicts are withheld depends on the host.
note "$(cat "$work/figures")"
# make check has two kernels, 60 cells in all. At a rate of 6 % more than five of 30 come up in one of a hundred
# runs, at the 4.3 % of twelve rounds in one of five hundred.
check "30 cells of a space with itself: at most five false verdicts" jq -e '.cells >= 30 and .false <= 5' "$work/figures"
check "30 cells of a space with itself: all intervals but five hold 0" jq -e '.cells - .hold_0 <= 5' "$work/figures"
check "nothing is left" nothing_left
finish
