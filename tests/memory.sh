#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A guest with little memory: large objects are made until one is refused. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# The guest prints TAP of its own, and then the kernel log.
cat >"$work/hoard" <<'END'
contract "$DEV" hoard
dmesg | sed 's/^/# dmesg: /'
END

status=0
scripts/vm --kernel "${1:-6.12}" --cpus 1 --memory 256 --timeout 300 --file "$work/hoard:/hoard" -- sh /hoard \
	>"$work/out" 2>"$work/err" || status=$?
while IFS= read -r line; do
	case $line in
	"ok "*) result 0 "${line#* - }" ;;
	"not ok "*) result 1 "${line#* - }" ;;
	"#  "*) echo "$line" ;;
	esac
done <"$work/out"
if ! grep -q '^1\.\.[1-9]' "$work/out" || { ((status)) && ! grep -q '^not ok' "$work/out"; }; then
	result 1 "the guest ended with status $status" "$work/err"
fi
# The log must be there, or it says nothing.
status=0
grep -q '^# dmesg: .*Linux version' "$work/out" &&
	! grep -E 'Out of memory|oom-kill|page allocation failure' "$work/out" >"$work/killed" || status=1
result $status "the kernel never ran out of memory" "$work/killed"
finish
