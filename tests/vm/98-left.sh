# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The end of the suite: nothing is left.
. ./tap.sh

check "objects created = objects destroyed, no buffer memory held" contract --balance
for object in pd cq mr qp cm_id srq; do
	check "no $object of the module's in the kernel's list" \
		sh -c "! rdma resource show $object | grep -F '[kverbs]'"
done
check "the module unloads" rmmod kverbs
# Where memory was refused on purpose (contract's part "memory"), the kernel says who has asked. Which data
# races are ours scripts/vm says.
dmesg | awk -f ../../foreign.awk | awk -v fails="$([ -e /sys/kernel/debug/failslab ] && echo 1)" '
	/BUG: KCSAN: / { race = 1 }
	race && /==========/ { race = 0 }
	race { next }
	/vmalloc error: |page allocation failure: / { refused = 1 }
	!refused || !fails
	/<\/TASK>/ { refused = 0 }' >"$work/log"
check "no warning in the kernel log" \
	sh -c "! grep -nE 'WARNING|BUG|Oops|Call Trace|rcu.*detected.*stall|soft lockup|hung task|leaked|refcount' '$work/log'"
# The failures that devices.sh has made on purpose are in that log.
check "not a word of the module's in the kernel log" \
	sh -c "! grep -E 'kverbs' '$work/log' | grep -vE 'out-of-tree module|signature|ib_destroy_qp|ib_dereg_mr|does not complete all requests'"
if [ -e fail_verb.ko ]; then
	insmod fail_verb.ko
	verb=/sys/module/fail_verb/parameters
	echo ib_register_client >$verb/verb
	# insmod of busybox tries it a second time.
	echo 1 >$verb/more
	echo 1 >$verb/nth
	refused "a module whose ib_register_client() fails does not load" 5 "can't insert" insmod "$KO"
	check "and is not there" test ! -e /sys/module/kverbs
	rmmod fail_verb
else
	skip "a module whose ib_register_client() fails does not load" "no fail_verb.ko: make fail-verb"
fi
check "and it loads again" insmod "$KO"
finish
