#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: tests/checkers.sh FILE     FILE: mistake.ko for 6.12-debug (make fail-verb)
#
# A kernel with checkers does its work: mistakes that are made on purpose are reported, scripts/vm
# sees each report, and the scan for leaks sees a leak. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# Name of the mistake, and what the kernel says of it. lockdep gives up at the first report of any kind.
reports=(
	"lock-order|WARNING: possible circular locking dependency detected"
	"use-after-free|BUG: KASAN: slab-use-after-free in use_after_free"
	"shift|UBSAN: shift-out-of-bounds in "
	"sleep-atomic|BUG: sleeping function called from invalid context"
	"free-active|ODEBUG: free active (active state 0) object: "
	"warn|WARNING: CPU: "
)

cat >"$work/make" <<'END'
insmod /kverbs/mistake.ko
for name; do
	before=$(dmesg | wc -l)
	echo "$name" >/sys/module/mistake/parameters/make
	dmesg | tail -n "+$((before + 1))" >"$OUT/$name"
done
echo leak >/sys/module/mistake/parameters/make
tests/vm/run leaks >"$OUT/leaks"
END

status=0
scripts/vm --kernel 6.12-debug --cpus 1 --out "$work/out" --file "$1:/kverbs/mistake.ko" --file "$work/make:/make" \
	-- sh /make "${reports[@]%%|*}" >"$work/said" 2>&1 || status=$?
result $((status != 126)) "scripts/vm ends with 126 if there was a report" "$work/said"

# The words that scripts/vm looks for.
pattern=$(sed -n "/^readonly report=/,/'\$/p" scripts/vm | sed "s/^readonly report='//; s/'\$//; s/\\\\\$//" | tr -d '\n')
for report in "${reports[@]}"; do
	name=${report%%|*}
	# One that did not come to it has said nothing.
	: >>"$work/out/$name"
	status=0
	grep -F -- "${report#*|}" "$work/out/$name" >"$work/line" || status=1
	result $status "the kernel reports: $name" "$work/out/$name"
	status=0
	grep -qE -- "$pattern" "$work/line" || status=1
	result $status "scripts/vm knows that it is a report: $name" "$work/line"
done
status=0
: >>"$work/out/leaks"
grep -q '^not ok .*kmemleak finds nothing' "$work/out/leaks" && grep -q 'mistake' "$work/out/leaks" || status=1
result $status "the scan for leaks sees a leak" "$work/out/leaks"
status=0
grep -q '^not ok .*no report of KASAN' "$work/out/leaks" || status=1
result $status "and what is in the kernel log" "$work/out/leaks"
finish
