# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# new() sets the variables of objects; check() and wait_for() call the functions.
# shellcheck disable=SC2154,SC2317
#
# Objects of every kind with requests under way, destroyed in every way and any order.
. ./hand.sh

contexts="polled event softirq workqueue unbound-workqueue"
shuffles=${SHUFFLES:-3}
seed=${SEED:-$$}
echo "undone: begins" >/dev/kmsg

# new NAME TYPE ARGUMENT…: makes an object; $NAME is what to call it afterwards. In a batch
# it is the tool's, from the shell it is persistent, and its id is in the list "made", too.
new() {
	local var=$1 type=$2 id
	shift 2
	if [ "$how" = batch ]; then
		echo "$type add $* name $var"
		eval "$var=$var"
	else
		id=$(kverbs "$type" add "$@" | awk '{ print $2; exit }')
		eval "$var=$id"
		echo "$type $id" >>"$work/made"
	fi
}

# One end of a connection, whose CQs have the context $context.
new_end() {
	local end=$1
	shift
	new "$end" qp pd "$pd" send-cq "$send_cq" recv-cq "$recv_cq" "$@"
}

# join QP PEER [ARGUMENT…]: connects both, the first with these. iWARP's conns are objects as well.
join() {
	if ! iwarp; then
		connect "$@"
		connect "$2" "$1"
	elif [ "$how" = batch ]; then
		pair_lines "$1" "$2"
	else
		connect_qps "$1" "$2" >/dev/null
		printf 'conn %s\n' "$out" "$in" >>"$work/made"
	fi
}

# connect QP PEER ARGUMENT…
connect() {
	local from=$1 to=$2
	shift 2
	echo "qp address $to"
	echo "qp connect $from peer \$last.address $*"
}

# everything HOW CONTEXT: one of each kind, and requests that stay outstanding on all of them. Prints the
# commands of a batch; where the objects are made from the shell these are for when they have been.
everything() {
	how=$1
	local context=$2 i
	: >"$work/made"
	new pd pd
	new send_cq cq cqe 200 context "$context"
	new recv_cq cq cqe 200 context "$context"
	new buf buf length 4k
	new big buf length 1m
	new target buf length 1m
	new mr mr pd "$pd"
	new srq srq pd "$pd" max-wr 8
	iwarp || new ah ah pd "$pd" dgid "::ffff:$ADDR" sgid-index "$GID"

	# A SEND that nobody receives is retried for ever. On iWARP it is the end of the connection, and siw refuses
	# later posts.
	new_end rnr
	new_end deaf
	join "$rnr" "$deaf" rnr-retry 7
	echo post send qp "$rnr" sge buf "$buf"
	if ! iwarp; then
		echo post send qp "$rnr" unsignaled
		echo post send qp "$rnr" sge buf "$buf"
	fi

	# WRITEs of many packets.
	new_end writer
	new_end written
	join "$writer" "$written"
	echo mr reg "$mr" buf "$target" qp "$written" access local-write,remote-write
	echo set iova \$last.iova
	echo set rkey \$last.rkey
	for i in 1 2 3; do
		echo post write qp "$writer" wr-id $i sge buf "$big" remote-addr \$iova remote-key \$rkey
	done

	# Receives of their own and shared ones, of which some are taken, and not polled.
	new_end sharer srq "$srq"
	new_end sender
	join "$sender" "$sharer"
	for i in 1 2 3; do
		echo post recv srq "$srq" wr-id $i sge buf "$buf"
	done
	echo post recv qp "$sender" sge buf "$buf"
	echo post send qp "$sender" sge buf "$buf" length 64 unsignaled
	echo post send qp "$sender" sge buf "$buf" length 64

	# Datagrams to a QP that has no receive left, and an unreliable WRITE with a wrong key.
	if iwarp; then
		# Nobody connects these.
		for i in datagram unreliable lonely; do
			new_end $i
			eval "echo qp modify \$$i state init access none"
			eval "echo post recv qp \$$i sge buf $buf"
		done
	else
		new_end datagram type ud
		echo qp connect "$datagram" qkey 7
		echo post recv qp "$datagram" sge buf "$buf"
		for i in 1 2; do
			echo post send qp "$datagram" sge buf "$buf" length 64 ah "$ah" remote-qpn 17 remote-qkey 7
		done
		new_end unreliable type uc
		connect "$unreliable" "$unreliable"
		echo post recv qp "$unreliable" sge buf "$buf"
		echo post write qp "$unreliable" sge buf "$buf" remote-addr 0 remote-key 1

		# And nobody at the other end: retried until retry-cnt is used up.
		new_end lonely
		echo qp connect "$lonely" peer 0000:00ffff:000001:00000000000000000000ffffc0000201 timeout 20
		echo post recv qp "$lonely" sge buf "$buf"
		echo post send qp "$lonely" sge buf "$buf"
	fi
	case $context in
	event) echo poll cq "$send_cq" wait timeout 1s ;;
	esac
}

# persistent CONTEXT: everything, which stays
persistent() {
	everything shell "$1" >"$work/batch"
	check "$1: everything is made from the shell" kverbs batch "$work/batch"
}

# hold CONTEXT [COMMAND…]: a batch in the background that has everything, and carries the
# commands out when the file "go" is there
hold() {
	everything batch "$1" >"$work/batch"
	shift
	printf '%s\n' "echo ready" >>"$work/batch"
	printf '%s\n' "$@" >"$work/rest"
	rm -f "$work/go" "$work/held"
	{
		cat "$work/batch"
		wait_for 60 test -e "$work/go"
		cat "$work/rest"
	} | kverbs batch - >"$work/held" 2>&1 &
	tool=$!
	wait_for 60 grep -qx ready "$work/held" || fail "everything is made in a batch" "$work/held"
}

# The feeder of the pipe ends by itself.
kill_tool() {
	kill -KILL "$tool"
	: >"$work/go"
	wait "$tool" 2>/dev/null
}

# The next one works.
works() {
	cat >"$work/next" <<-END
		pd add name pd
		cq add cqe 16 context softirq name cq
		buf add length 4k name buf
		mr add pd pd name mr
		qp add pd pd cq cq name a
		$(own_peer)
		mr reg mr buf buf qp a access local-write
		post recv qp $peer sge mr mr
		post send qp a sge mr mr length 64
		poll cq cq count 2
	END
	kverbs batch "$work/next"
}

new_link() {
	link_add "$DEV" d0 || return 1
	# As the guest was set up: the tests name GIDs by their index.
	wait_for 10 grep -q c000:0201 "/sys/class/infiniband/$DEV/ports/1/gids/$GID"
}

# As scripts/vm-init makes it.
new_netdev() {
	ip link add d0 type dummy && ip link set d0 address 02:00:c0:00:02:01 &&
		ip link set d0 mtu 4500 && ip link set d0 up &&
		ip addr add "$ADDR/24" dev d0 && ip addr add "$ADDR6/64" dev d0
}

# shuffle ROUND: deletes all that everything() has made, in an order that chance gives, again
# and again until all is gone. The deletion of an object in use is to be refused.
shuffle() {
	awk -v seed="$seed" -v round="$1" -v iwarp="$(iwarp && echo 1 || echo 0)" '
		BEGIN {
			srand(seed * 100 + round)
			qps = "rnr deaf writer written sharer sender datagram unreliable lonely"
			users["send_cq"] = users["recv_cq"] = qps
			users["srq"] = "sharer"
			users["buf"] = "rnr srq sender datagram unreliable lonely"
			users["big"] = "writer"
			users["target"] = "mr"
			users["mr"] = ""
			users["ah"] = "datagram"
			users["pd"] = qps " srq mr ah"
			n = split("rnr deaf writer written sender sharer", joined, " ")
			for (i = 1; i <= n && iwarp; i++) {
				conns = conns " conn_" joined[i]
				users[joined[i]] = "conn_" joined[i]
				type["conn_" joined[i]] = "conn"
			}
			n = split(qps conns " send_cq recv_cq srq buf big target mr pd" (iwarp ? "" : " ah"), left, " ")
			for (i = 1; i <= n; i++)
				there[left[i]] = 1
			type["send_cq"] = type["recv_cq"] = "cq"
			type["buf"] = type["big"] = type["target"] = "buf"
			type["mr"] = "mr"
			type["srq"] = "srq"
			type["ah"] = "ah"
			type["pd"] = "pd"
			while (n)
				pass()
		}
		function pass(i, j, k, busy, name, list, kept) {
			for (i = n; i > 1; i--) {
				j = int(rand() * i) + 1
				name = left[i]
				left[i] = left[j]
				left[j] = name
			}
			kept = 0
			for (i = 1; i <= n; i++) {
				name = left[i]
				busy = 0
				k = split(users[name], list, " ")
				for (j = 1; j <= k; j++)
					busy += there[list[j]]
				print (busy ? "refused EBUSY " : "") \
					(name in type ? type[name] : "qp") " del " name
				if (busy)
					left[++kept] = name
				else
					there[name] = 0
			}
			n = kept
		}'
}

# after NAME: conditions after each of these
after() {
	check "$1: nothing is left" wait_for 20 nothing_left
	check "$1: and the next batch works" works
	check "$1: and leaves nothing" wait_for 20 nothing_left
}

# A command for each object takes its time: only the poller makes a difference here.
for context in polled softirq; do
	persistent "$context"
	check "$context: flush takes it" sh -c \
		"kverbs flush | grep -qx 'flushed $(wc -l <"$work/made") busy 0'"
	after "$context, flush"
done

for context in $contexts; do
	hold "$context"
	kill_tool
	after "$context, SIGKILL"

	no_ah="refused ENOENT ah del ah"
	! iwarp || no_ah="refused ENOENT conn del conn_rnr"
	hold "$context" "refused ENOENT qp show rnr" "refused ENOENT qp modify rnr state reset" \
		"refused ENOENT post send qp rnr sge buf buf length 8" "refused ENOENT post recv srq srq" \
		"refused ENOENT poll cq recv_cq" "refused ENOENT buf read buf" \
		"refused ENOENT mr inv mr qp written" "refused ENOENT qp del rnr" \
		"refused ENOENT srq del srq" "$no_ah" "refused ENOENT mr del mr" "refused ENOENT buf del buf" \
		"refused ENOENT cq del send_cq" "refused ENOENT pd del pd" "refused ENOENT srq show srq" \
		"qp show" "refused ENODEV pd add"
	check "$context: rdma link delete, with the objects of a batch" \
		within 20 rdma link delete "$DEV"
	check "$context: no object is left" nothing_left
	: >"$work/go"
	if wait $tool && [ "$(grep -c '^refused: ' "$work/held")" = 16 ]; then
		pass "$context: the batch that goes on is refused each of them"
	else
		fail "$context: the batch that goes on is refused each of them" "$work/held"
	fi
	check "$context: the device comes back" new_link
	after "$context, link delete"
done

# Flush completions at the end come all at once: without room for all of them some would be lost.
for context in $contexts; do
	cat >"$work/batch" <<-END
		pd add name pd
		cq add cqe 1 name send_cq
		cq add cqe 3 context $context name cq
		qp add pd pd send-cq send_cq recv-cq cq name a
		$(own_peer | sed 's/recv-cq cq/recv-cq other_cq/')
		post recv qp a wr-id 1
		post recv qp a wr-id 2
		post recv qp a wr-id 3
		refused EBUSY post recv qp a
		expect errno EBUSY
		qp modify a state err
		poll cq cq count 3
		expect completions.2.wr_id 3
		qp modify a state reset
		qp modify a state init access all
		post recv qp a
	END
	check "$context: no more is posted than the cq has room for, and none is lost" \
		kverbs batch "$work/batch"
done
# From here on, if the kernel still has that: another file of tests fills a CQ on purpose.
dmesg | awk '/undone: begins/ { n = 0 } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' >"$work/log"
# Of a QP's send queue rxe says so, too, where one that is full goes to ERR: the marker behind what is flushed waits for a place.
check "no cq was ever too full for its device" sh -c "! grep -F 'queue full' '$work/log' | grep -vF 'send queue full'"

# The netdev below.
hold softirq
check "the netdev goes down" ip link set d0 down
check "a flush meanwhile" kverbs flush
check "and up" ip link set d0 up
ip addr add "$ADDR6/64" dev d0 2>/dev/null
kill_tool
after "netdev down and up"
hold workqueue
check "the netdev is deleted" within 20 ip link del d0
check "and takes the objects along" wait_for 20 sh -c '. ./tap.sh; nothing_left'
kill_tool
check "a new one" new_netdev
check "and a new device" new_link
after "netdev deleted"

# The module: a run keeps it, objects go with it.
hold softirq
persistent workqueue
check "rmmod takes a batch's and persistent objects along" within 20 rmmod kverbs
for object in pd cq mr srq qp; do
	check "and the kernel lists no $object of ours" sh -c "! rdma resource show $object | grep -F '[kverbs]'"
done
kill_tool
check "the module is loaded again" insmod "$KO"
after "rmmod"

# Two of these at once.
hold softirq
kill_tool &
check "SIGKILL and link delete at once" within 20 rdma link delete "$DEV"
wait
new_link
after "SIGKILL and link delete"
persistent unbound-workqueue
kverbs flush >/dev/null 2>&1 &
check "flush and link delete at once" within 20 rdma link delete "$DEV"
wait
new_link
after "flush and link delete"
hold workqueue
kverbs flush >/dev/null 2>&1 &
kill_tool &
check "rmmod with flush and SIGKILL" wait_for 20 rmmod kverbs
wait
insmod "$KO"
after "rmmod with flush and SIGKILL"

# Tools that post to, poll and reset what another flushes.
for context in softirq event; do
	persistent "$context"
	for i in 1 2 3 4 5 6 7 8; do
		cat <<-END
			post send qp $rnr sge buf $buf
			post recv qp $deaf sge buf $buf
			post recv srq $srq sge buf $buf
			post send qp $sender sge buf $buf length 8
			poll cq $send_cq
			poll cq $recv_cq
			qp show $sharer
			buf write $buf text hallo
		END
	done >"$work/use"
	for i in 1 2; do
		for _ in 1 2 3 4 5; do
			kverbs batch "$work/use"
		done >/dev/null 2>"$work/used.$i" &
	done
	for state in reset init err reset; do
		kverbs qp modify "$deaf" state $state
	done >/dev/null 2>&1 &
	sleep 0.3
	check "$context: flush while two tools use it" kverbs flush
	wait
	kverbs flush >/dev/null
	# Each refusal has a reason.
	check "$context: the tools are told why they can't go on" \
		sh -c "! grep -vE 'full|overflow|no [a-z]+ with this id|RESET|INIT|RTR|ERR|posted' '$work/used.1' '$work/used.2'"
	after "$context, flush under use"
done

# Every order. Objects that others use are refused, and by name; nothing else goes.
note "seed $seed"
round=0
while [ $round -lt "$shuffles" ]; do
	context=$(echo "$contexts" | cut -d ' ' -f $((round % 5 + 1)))
	everything batch "$context" >"$work/batch"
	shuffle $round >"$work/order"
	cat "$work/order" >>"$work/batch"
	what="seed $seed, order $round ($context): all is deleted, $(grep -c refused "$work/order") refused"
	if kverbs batch "$work/batch" >"$work/out" 2>&1 &&
		[ "$(grep -c 'refused:.*in use by' "$work/out")" = "$(grep -c refused "$work/order")" ]; then
		pass "$what"
	else
		fail "$what" "$work/order" "$work/out"
	fi
	nothing_left >/dev/null || fail "order $round: nothing is left"
	round=$((round + 1))
done
after "any order"
finish
