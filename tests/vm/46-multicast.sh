# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Multicast: with rdma-core's mckey in both roles; members that are killed, or whose device goes.
. ./tap.sh

group=239.1.1.7
if iwarp; then
	for space in kernel user; do
		status=0
		kverbs batch ../../examples/25-join.kv --space $space >"$work/out" 2>&1 || status=$?
		check "no multicast on iWARP, in $space space" test $status = 77
		check "for the reason that is named" grep -E "qp add: .* has no UD qps" "$work/out"
	done
	finish
	exit
fi

if ! [ -e /proc/net/igmp ]; then
	skip "groups with mckey" "the kernel has no CONFIG_IP_MULTICAST: a host is no member of a group"
	finish
	exit
fi

# member OF: is the host a member of the group OF?
member() {
	ip -4 maddr show | grep -qw "inet *$1"
}

not_member() {
	! member "$1"
}

count=8
size=100

# sge SPACE BYTES: the piece of a request
sge() {
	if [ "$1" = kernel ]; then
		echo "sge buf room length $2"
	else
		echo "sge mr key length $2"
	fi
}

# start SPACE: a member of the group, its QP, and a buffer of 8 KiB that it may write
start() {
	cat <<-END
		pd add name dom
		cq add cqe 32 name queue
		qp add pd dom type ud cq queue name mine
		buf add length 8k name room
	END
	[ "$1" = kernel ] || cat <<-END
		mr add pd dom name key
		mr reg key buf room access local-write
	END
	cat <<-END
		conn join $group src \$dev.addr name member
		qp connect mine qkey \$member.group_qkey
	END
}

receive() {
	start "$1"
	echo 'qp attach mine gid $member.group_gid'
	for n in $(seq $count); do
		echo "post recv qp mine wr-id $n $(sge "$1" $((size + 40)))"
	done
	echo "echo ready"
	for n in $(seq $count); do
		echo "poll cq queue count 1 timeout 30s"
		echo "expect completions.0.status success"
		echo "expect completions.0.length $((size + 40))"
	done
}

send() {
	start "$1"
	echo 'ah add pd dom dgid $member.group_gid sgid-index $member.group_sgid_index name all'
	for n in $(seq $count); do
		echo "post send-imm qp mine ah all remote-qpn \$member.group_qpn remote-qkey \$member.group_qkey imm $n wr-id $n $(sge "$1" $size)"
		echo "poll cq queue count 1"
		echo "expect completions.0.status success"
	done
}

# ended PID: has a program in the background ended? It stays a zombie until somebody waits for it.
ended() {
	! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# receiver WHAT SPACE FILE: a batch in the background, once it is ready
receiver() {
	rm -f "$work/received"
	kverbs batch "$3" --space "$2" >"$work/received" 2>&1 &
	receiver=$!
	check "$1" wait_for 20 grep -q '^ready' "$work/received"
}

addr=$(ip -4 -o addr show d0 | awk '{ sub("/.*", "", $4); print $4 }')
for space in kernel user; do
	receive $space >"$work/receive"
	receiver "a receiver in $space space is a member" $space "$work/receive"
	check "and so is the host" member $group
	# It posts, waits for no completion, and destroys its QP: how many of its datagrams rxe has sent by then (sent_pkts)
	# is not ours. It does so until there were enough of them.
	for _ in 1 2 3 4 5 6 7 8; do
		within 60 mckey -m $group -b "$addr" -s -C 1000 -S $size >"$work/mckey" 2>&1
		sent=$?
		wait_for 1 ended $receiver && break
	done
	check "mckey has sent" test $sent = 0
	if wait $receiver; then
		pass "the first $count datagrams of mckey's have come to $space space"
	else
		fail "the first $count datagrams of mckey's have come to $space space" "$work/received" "$work/mckey"
	fi
	check "then the host is no member any more" wait_for 5 not_member $group

	within 60 mckey -m $group -b "$addr" -C $count -S $size >"$work/mckey" 2>&1 &
	receiver=$!
	check "mckey is a member" wait_for 20 member $group
	# It posts its receives before it joins, and attaches its QP right after it.
	sleep 1
	send $space >"$work/send"
	check "$space space sends to it" kverbs batch "$work/send" --space $space
	if wait $receiver && grep -q 'data transfers complete' "$work/mckey"; then
		pass "all $count datagrams from $space space have come to mckey"
	else
		fail "all $count datagrams from $space space have come to mckey" "$work/mckey"
	fi

	# Killed.
	{ receive $space && echo "sleep 60s"; } >"$work/receive"
	receiver "another receiver in $space space" $space "$work/receive"
	kill -KILL $receiver
	wait $receiver
	check "once it is killed the host is no member" wait_for 5 not_member $group
done
check "nothing is left of these" nothing_left

# The device goes under a member.
for space in kernel user; do
	# User space, which polls memory, is not told that the device has gone.
	receive $space | sed 's/timeout 30s/timeout 5s/' >"$work/receive"
	receiver "a receiver in $space space, whose device goes" $space "$work/receive"
	check "rdma link delete" within 40 rdma link delete "$DEV"
	status=0
	wait $receiver || status=$?
	[ $status = 1 ] || echo "exit status $status" >>"$work/received"
	if [ $status = 1 ]; then
		pass "it ends with exit status 1"
	else
		fail "it ends with exit status 1" "$work/received"
	fi
	check "the host is no member" wait_for 5 not_member $group
	link_add "$DEV" d0
	# User space may open it a little later.
	wait_for 20 sh -c 'ls /dev/infiniband/uverbs* >/dev/null 2>&1'
done
check "nothing is left at the end" nothing_left
finish
