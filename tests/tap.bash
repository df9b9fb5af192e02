# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the tests that run on the host: results as TAP, and a folder that goes at the end.
. tests/vm/pace.sh
# Without a guest around it.
# shellcheck disable=SC2034 # there
pace_process=400

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
# The tests' exit status.
failed=0

# result STATUS NAME [FILE]: passed if STATUS is 0; else the end of FILE comes as a comment
result() {
	number=$((number + 1))
	if (($1)); then
		failed=1
		echo "not ok $number - $2"
		[[ -z ${3:-} ]] || tail -n 20 "$3" | sed 's/^/#   /'
	else
		echo "ok $number - $2"
	fi
}

finish() {
	echo "1..$number"
	exit "$failed"
}
