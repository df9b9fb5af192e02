# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Things that end at the wrong moment.
. ./tap.sh

lat="kverbs lat $by_cm --op write --size 64"
long="$lat --time 60"

# Is a run of the kernel under way?
running() {
	pgrep '^kverbs/' >/dev/null || grep -ls '^kverbs/' /proc/[0-9]*/comm
}
not_running() {
	! running
}

# under_way COMMAND…: begins it, as $tool, and waits until it has a run in the kernel. The thread of one before
# is seen for a moment after all of it is gone, even the module.
under_way() {
	wait_for 5 not_running
	"$@" &
	tool=$!
	wait_for 60 running
}

connected() {
	[ "$(rdma resource show qp | grep -c 'type RC state RTS')" = 2 ]
}

for space in kernel user; do
	for loop in completion one-thread pingpong; do
		$long --loop $loop --space $space >/dev/null 2>&1 &
		tool=$!
		sleep 1
		kill -KILL $tool
		wait $tool 2>/dev/null
		check "SIGKILL in a $loop run in $space space leaves nothing behind" wait_for 5 nothing_left
	done
done
check "and no thread" wait_for 5 not_running

for space in kernel user; do
	$long --space $space >"$work/out" 2>"$work/err" &
	tool=$!
	# The ends of its connection, and some time to measure in.
	wait_for 60 connected
	rest 20
	kill -INT $tool
	wait $tool
	status=$?
	check "Ctrl-C in $space space: exit status 130" test $status = 130
	check "Ctrl-C in $space space: what was measured is printed" \
		sh -c "awk '/ p50 / { getline; exit !(\$2 > 0) }' '$work/out'"
done
# Not before its first round is there, to which a slow guest is long in coming. It must not end by itself: it
# has a minute for each size, and its rounds are short all the same.
for tenths in 30 120; do
	under_way kverbs compare $by_cm --time 60 --rounds 100 --json="$work/part.json" --ops write --sizes 8,64 \
		>"$work/out" 2>"$work/err"
	rest $tenths
	kill -INT $tool
	wait $tool
	[ ! -e "$work/part.json" ] || break
done
check "Ctrl-C in compare: JSON says that it is not complete" \
	grep -E '"complete": *false' "$work/part.json"
check "nothing is left of these" nothing_left

under_way $long --space kernel >/dev/null 2>&1
if rmmod kverbs 2>"$work/err"; then
	fail "rmmod in a run is refused"
else
	check "rmmod in a run is refused" grep -iE 'in use|busy|unavailable' "$work/err"
fi
kill -INT $tool
wait $tool
check "rmmod works right after" wait_for 2 rmmod kverbs
check "and insmod" insmod "$KO"

# blames_device WHO PID STDERR: a tool ends, or has, because its device was removed
blames_device() {
	wait "$2"
	check "$1 ends with exit status 1" test $? = 1
	if grep -qF "device $DEV was removed" "$3"; then
		pass "and with a message that names the cause"
	else
		fail "and with a message that names the cause" "$3"
	fi
}

for loop in completion one-thread pingpong; do
	under_way $long --loop $loop --space kernel >"$work/out" 2>"$work/err"
	sleep 0.5
	check "rdma link delete in a $loop run" within 20 rdma link delete "$DEV"
	blames_device "and the run" $tool "$work/err"
	check "after which the module can be unloaded" wait_for 2 rmmod kverbs
	insmod "$KO"
	link_add "$DEV" d0
	check "and with a new device it works again" wait_for 5 $lat --space kernel --iters 10
done

# A tool that waits for a peer has no request that fails, and in user space keeps the device from going.
listens() {
	rdma resource show cm_id | grep -q ':7475 ' || grep -q ':1D33 .* 0A ' /proc/net/tcp /proc/net/tcp6
}

for waiter in conn-rate:user conn-rate:kernel ping:user ping:kernel pingpong:user pingpong:kernel; do
	space=${waiter#*:}
	[ "${waiter%:*}" != pingpong ] || ! lacks "rdma link delete while $waiter waits" "raw connection" || continue
	case $waiter in
	pingpong:*) set -- pingpong ;;
	ping:*) set -- ping --server "$ADDR" ;;
	*) set -- conn-rate --server "$ADDR" ;;
	esac
	kverbs "$@" --space $space --port 7475 >"$work/out" 2>"$work/err" &
	tool=$!
	wait_for 5 listens
	check "rdma link delete while $1 waits in $space space" within 10 rdma link delete "$DEV"
	wait_for 5 sh -c "! kill -0 $tool"
	kill $tool 2>/dev/null
	blames_device "and who waits" $tool "$work/err"
	link_add "$DEV" d0
	check "nothing is left of it" wait_for 5 nothing_left
done

# Two that connect to each other keep the CM busy: there is always an event.
for space in kernel user; do
	kverbs conn-rate --server "$ADDR" --space $space --port 7475 >"$work/out" 2>"$work/err" &
	server=$!
	wait_for 20 listens
	kverbs conn-rate "$ADDR" --space $space --port 7475 --count 1000000 >"$work/client" 2>"$work/client.err" &
	client=$!
	sleep 2
	check "rdma link delete under conn-rate in $space space" within 10 rdma link delete "$DEV"
	wait_for 10 sh -c "! kill -0 $client && ! kill -0 $server"
	kill $client $server 2>/dev/null
	blames_device "and the client" $client "$work/client.err"
	blames_device "and the server" $server "$work/err"
	link_add "$DEV" d0
	check "nothing is left of them" wait_for 5 nothing_left
done

# A tool that is gone, and its device too.
under_way $long --space kernel >/dev/null 2>&1
kill -KILL $tool &
within 20 rdma link delete "$DEV"
wait 2>/dev/null
link_add "$DEV" d0
check "device and tool gone at once: nothing is left" wait_for 5 nothing_left

for i in 1 2 3 4 5 6 7 8 9 10; do
	rmmod kverbs && insmod "$KO" || fail "reload $i"
done
check "works after ten reloads" wait_for 5 $lat --space kernel --iters 10
finish
