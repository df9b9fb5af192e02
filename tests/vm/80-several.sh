# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Several tools, several runs, several devices at once. That nobody sees another's
# objects is tested in tests/vm/contract/.
. ./tap.sh

lat="kverbs lat $by_cm --op write --time 2"

$lat --space kernel >"$work/1" 2>&1 & a=$!
$lat --space kernel --op read >"$work/2" 2>&1 & b=$!
$lat --space user >"$work/3" 2>&1 & c=$!
$lat --space kernel --op send >"$work/4" 2>&1 & d=$!
n=1
for tool in $a $b $c $d; do
	wait $tool
	status=$?
	if [ $status = 0 ]; then
		pass "tool $n of four at once"
	else
		fail "tool $n of four at once ends with $status" "$work/$n"
	fi
	n=$((n + 1))
done

# nice_of COMM: of the first process that is called like this
nice_of() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v comm="($1" 'index($2, comm) == 1 { print $19; exit }'
}

# shellcheck disable=SC2016
sh -c 'renice -n 7 -p $$ && exec kverbs lat '"$by_cm"' --op write --space kernel --time 60' >"$work/out" 2>&1 &
urgent=$!
# A moment before it has but its name.
is_nice() {
	[ "$(nice_of kverbs/)" = 7 ]
}
check "a run's thread is as nice as who asks for it" wait_for 20 is_nice
kill $urgent
wait $urgent

ip link add d1 type dummy
ip link set d1 mtu 4500 up
ip addr add 198.51.100.1/24 dev d1
link_add "$second" d1
address=198.51.100.1
! iwarp || address=d1
check "a second device is seen" wait_for 5 sh -c "kverbs dev show $second | grep -q $address"
refused "which one is meant has to be said" 2 "$second" $lat --space kernel
$lat --space kernel --dev "$DEV" >"$work/1" 2>&1 & a=$!
$lat --space kernel --dev $second >"$work/2" 2>&1 & b=$!
wait $a
check "a run on one of two devices" test $? = 0
wait $b
check "and at the same time on the other" test $? = 0

$lat --space kernel --dev $second --time 60 >"$work/2" 2>"$work/err" & b=$!
$lat --space kernel --dev "$DEV" --time 10 >"$work/1" 2>&1 & a=$!
both() {
	[ "$(grep -ls '^kverbs/' /proc/[0-9]*/comm | wc -l)" = 2 ]
}
check "both are under way" wait_for 30 both
within 20 rdma link delete "$second"
wait $b
check "its device gone, the one run ends" grep -F "device $second was removed" "$work/err"
wait $a
check "the other does not notice" test $? = 0
ip link del d1
check "nothing is left" nothing_left
finish
