# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# What the kernel's checkers found while all the other files ran. Only a kernel with them
# can tell (scripts/debug-kernel).
. ./tap.sh

leaks=/sys/kernel/debug/kmemleak
if [ -e $leaks ]; then
	# An object is reported when a scan finds no pointer to it twice, and is 5 s old.
	sleep 6
	for scan in 1 2; do
		echo scan >$leaks
	done
	cat $leaks >"$work/leaks"
	if [ -s "$work/leaks" ]; then
		fail "kmemleak finds nothing" "$work/leaks"
	else
		pass "kmemleak finds nothing"
	fi
else
	skip "kmemleak finds nothing" "this kernel has no kmemleak: scripts/debug-kernel builds one that has"
fi

dmesg >"$work/log"
check "no report of KASAN, UBSAN, lockdep, debugobjects or DMA-API in the kernel log" \
	sh -c "! grep -nE 'KASAN|UBSAN|possible (circular|recursive) locking|inconsistent lock|suspicious RCU|ODEBUG|DMA-API: .*(device driver|error|exceeded|overlapping)|sleeping function|bad unlock|held lock' '$work/log'"
finish
