# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The findings of the kernel's checkers while all the other files ran. Only a kernel with them
# can tell (scripts/debug-kernel).
. ./tap.sh

leaks=/sys/kernel/debug/kmemleak
dmesg | awk -f ../../foreign.awk >"$work/log"
if grep -qw kmemleak=off /proc/cmdline; then
	skip "kmemleak finds nothing" "kmemleak=off: it takes two fifths of the time"
elif [ -e $leaks ]; then
	# An object is reported when a scan finds no pointer to it twice, and is 5 s old.
	sleep 6
	# One that has given up, for want of memory, refuses to scan.
	for scan in 1 2; do
		echo scan >$leaks
	done 2>"$work/refused"
	# siw_alloc_mr() leaks its pbl when the memory for the rest is refused. A leak of ours has its mr beside it.
	# siw_cm_work_handler() leaks the endpoint of a TCP connection that ends before its MPA request was read
	# (SIW_CM_WORK_PEER_CLOSE without a cm_id), seen once its device is gone: a tool killed as it connects. No
	# allocation of a caller of the RDMA CM is made there: events pass through a work queue of iw_cm.
	awk '/^unreferenced/ { tell() } { text = text $0 "\n" } END { tell() }
		function tell() { if (text !~ /siw_pbl_alloc|siw_cm_work_handler/) printf "%s", text; text = "" }' $leaks >"$work/leaks"
	if [ -s "$work/leaks" ] || [ -s "$work/refused" ]; then
		fail "kmemleak finds nothing" "$work/leaks" "$work/refused"
	else
		pass "kmemleak finds nothing"
	fi
	dmesg | awk -f ../../foreign.awk >"$work/log"
	# Where memory is refused on purpose it may lack an area to scan: then it scans all of the object.
	check "kmemleak has not given up" \
		sh -c "! grep -E 'kmemleak: .*(disabled|Cannot allocate a kmemleak_object|pool empty)' '$work/log'"
elif [ -e /sys/kernel/debug/kcov ]; then
	fail "kmemleak finds nothing" /proc/cmdline
	note "this kernel has KCOV, but no kmemleak: it was to be one with checkers"
else
	skip "kmemleak finds nothing" "this kernel has no kmemleak: scripts/debug-kernel builds one that has"
fi

check "no report of KASAN, UBSAN, lockdep, debugobjects or DMA-API in the kernel log" \
	sh -c "! grep -nE 'KASAN|UBSAN|possible (circular|recursive) locking|inconsistent lock|suspicious RCU|ODEBUG|DMA-API: .*(device driver|error|exceeded|overlapping)|sleeping function|bad unlock|held lock' '$work/log'"
finish
