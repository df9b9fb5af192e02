# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs doctor: each of its findings about a machine, made on purpose. Those about devices: tests/unit/test_doctor.c.
. ./tap.sh

# doctor NAME STATUS JQ COMMAND…: ends so, and the list of findings that are not ok satisfies JQ
doctor() {
	name=$1 want=$2 filter=$3
	shift 3
	status=0
	"$@" --json >"$work/doctor.json" 2>"$work/err" || status=$?
	if [ $status = "$want" ] && jq -e "[.findings[] | select(.severity != \"ok\" and .check != \"isolation\" and .check != \"autogroup\")] | $filter" \
		"$work/doctor.json" >"$work/jq" 2>&1; then
		pass "$name"
	else
		echo "status $status, want $want; findings, which $filter:" >"$work/why"
		jq -c '.findings[] | select(.severity != "ok")' "$work/doctor.json" >>"$work/why" 2>&1
		fail "$name" "$work/why" "$work/err"
	fi
}

doctor "nothing is missing" 0 'length == 0' kverbs doctor
keep doctor "$work/doctor.json"
kverbs doctor >"$work/out"
check "the text has a line for each finding" test "$(grep -cE '^(ok|note|warning|error) ' "$work/out")" = \
	"$(jq '.findings | length' "$work/doctor.json")"

doctor "no privilege" 1 'any(.[]; .check == "privileges" and .mend == "sudo kverbs ...")' \
	setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all kverbs doctor
doctor "little memory may be pinned" 1 'any(.[]; .check == "memlock" and .severity == "warning" and (.text | contains("64 KiB")))' \
	sh -c 'ulimit -l 64; exec setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"' sh kverbs doctor

mv /dev/infiniband/rdma_cm "$work/rdma_cm"
doctor "no file of the RDMA CM: a warning alone" 3 'length == 1 and .[0].check == "rdma_cm" and .[0].mend == "modprobe rdma_ucm"' \
	kverbs doctor
check "which standard error counts" grep -qx "kverbs: errors: 0, warnings: 1" "$work/err"
mv "$work/rdma_cm" /dev/infiniband/rdma_cm

cpu=/sys/devices/system/cpu
echo 0-3 >"$work/online"
clock=/sys/devices/system/clocksource/clocksource0
mount --bind "$work/online" $cpu/online
was=$(cat $clock/current_clocksource)
other=$(tr ' ' '\n' <$clock/available_clocksource | grep -m 1 -v '^tsc$')
if [ "$was" = tsc ] && [ -n "$other" ]; then
	echo "$other" >$clock/current_clocksource
	doctor "a clock that is not the counter" 3 "length == 1 and .[0].check == \"clock\" and (.[0].text | contains(\"$other\"))" \
		kverbs doctor
	sh -c "$(jq -r '.findings[] | select(.check == "clock").mend' "$work/doctor.json")"
	doctor "the line below it mends that" 0 'length == 0' kverbs doctor
	echo "$was" >$clock/current_clocksource
else
	skip "a clock that is not the counter" "the clock source is $was, and this kernel has no other but '$other'"
fi
echo jiffies >"$work/source"
mount --bind "$work/source" $clock/current_clocksource
mount --bind "$work/source" $clock/available_clocksource
doctor "a counter that the kernel does not trust" 3 'length == 1 and .[0].check == "clock" and (.[0].text | contains("jiffies")) and
	.[0].mend == "kverbs compare --cpus 0,1"' kverbs doctor
umount $clock/available_clocksource
umount $clock/current_clocksource
umount $cpu/online

mount -t tmpfs none $cpu/cpu0
mkdir $cpu/cpu0/cpufreq
echo powersave >$cpu/cpu0/cpufreq/scaling_governor
doctor "a governor that saves power" 3 'length == 1 and .[0].check == "governor" and (.[0].text | contains("powersave"))' kverbs doctor
umount $cpu/cpu0

autogroup=/proc/sys/kernel/sched_autogroup_enabled
if [ -e $autogroup ]; then
	was=$(cat $autogroup)
	echo 1 >$autogroup
	kverbs doctor >"$work/out"
	check "autogroups are named, and how they are switched off" sh -c "grep -q 'each session is a group of the scheduler' '$work/out' &&
		grep -q 'sysctl kernel.sched_autogroup_enabled=0' '$work/out'"
	echo 0 >$autogroup
	kverbs doctor >"$work/out"
	check "and so it is if there are none" grep -q "^ok *the scheduler puts no session into a group" "$work/out"
	echo "$was" >$autogroup
else
	skip "autogroups are named" "this kernel has none"
fi

echo 1-3 >"$work/isolated"
mount --bind "$work/isolated" $cpu/isolated
kverbs doctor >"$work/out"
check "isolated CPUs are named" grep -q "^ok *isolated CPUs: 1-3" "$work/out"
umount $cpu/isolated
kverbs doctor >"$work/out"
check "that there are none is a note" grep -q "^note *no CPU is isolated" "$work/out"

rmmod kverbs
doctor "no module" 1 'length == 1 and .[0].check == "module" and (.[0].text | contains("insmod kverbs.ko")) and
	(.[0].mend | contains("modprobe kverbs"))' kverbs doctor
insmod "$KO"

# The GIDs that other tests use must be there afterwards, in their places.
gids() {
	iwarp || cat "/sys/class/infiniband/$DEV/ports/1/gids/$GID" "/sys/class/infiniband/$DEV/ports/1/gids/$GID6"
}
before=$(gids)
as_before() {
	[ "$(gids 2>/dev/null)" = "$before" ]
}
rdma link del "$DEV"
doctor "no device" 1 'map(.check) == ["module", "libibverbs"] and all(.[]; .severity == "error" and .mend == "rdma link add rxe0 type rxe netdev d0")' \
	kverbs doctor
link_add "$DEV" d0
wait_for 10 kverbs doctor >/dev/null 2>&1
ip link set d0 down
doctor "a port that is down" 1 'any(.[]; .check == "port" and .severity == "error" and (.text | contains("not active")))' kverbs doctor
ip link set d0 up
# IPv6's addresses went with the link.
ip addr add "$ADDR6/64" dev d0 2>/dev/null
check "all is well again" wait_for 20 kverbs doctor
check "and the GIDs are those of before" wait_for 20 as_before

# --- An interface without an address has a GID of its MAC address.
iwarp || {
	ip link add d9 type dummy
	ip link set d9 addrgenmode none
	ip link set d9 up
	rdma link add rxe9 type rxe netdev d9
	wait_for 10 grep -q ACTIVE /sys/class/infiniband/rxe9/ports/1/state
	doctor "a GID without an address" 1 'any(.[]; .check == "gid" and .severity == "error" and
		(.text | contains("port 1 of rxe9 has no GID with an address")) and .mend == "ip address add ADDRESS/PREFIX dev d9")' kverbs doctor
	ip addr add 198.51.100.9/24 dev d9
	doctor "and one with it" 0 'all(.[]; .check != "gid")' kverbs doctor
	rdma link del rxe9
	ip link del d9
}

doctor "a host where nobody listens" 1 'length == 1 and all(.[]; .check == "host" and (.text | contains("nobody listens on port 7599")) and
	.mend == "ssh 127.0.0.1 kverbs serve --token FILE")' \
	kverbs doctor 127.0.0.1:7599
kverbs serve --bind 127.0.0.1 --port 7599 >"$work/serve" 2>&1 &
server=$!
wait_for 20 grep -q ' serves ' "$work/serve"
doctor "a host that serves both spaces" 0 'length == 0' kverbs doctor 127.0.0.1:7599
kverbs doctor 127.0.0.1:7599 >"$work/out"
check "they are told" test "$(grep -c '127.0.0.1 serves .* space by kverbs' "$work/out")" = 2
kill $server
wait $server
status=0
kverbs doctor --port 7599 >/dev/null 2>"$work/err" || status=$?
check "an option that needs a HOST" grep -q "^kverbs: --port goes with a HOST" "$work/err"
finish
