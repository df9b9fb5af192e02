# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs lat between two hosts, the second one serving: who is where, contents over a bad
# link, and a host that goes away.
. ../vm/tap.sh

# 0.5 s until a packet is sent again: two guests share their host with others.
pings="--iters 100 --warmup 10 --ack-timeout 17"

lat() {
	within 180 kverbs lat $pings "$@"
}

# names TEXT: does the run say that? If not, what it says.
names() {
	grep -F "$1" "$work/out" || ! cat "$work/out"
}

# The one that serves says so when it does: once more than before.
serves() {
	peer grep -c ' serves ' /run/serve.log
}

serving() {
	[ "$(serves)" -gt "$before" ]
}

under_way() {
	wait_for 60 sh -c "rdma resource show qp link $DEV | grep -q 'type RC state RTS'"
}

for client in kernel user; do
	for server in kernel user; do
		for op in write send read; do
			check "$op from $client space to $server space" \
				lat --op $op --client $client --server $server "$PEER"
		done
	done
done
check "by IPv6, with the GID of IPv6" lat --op send --space kernel --gid "$GID6" --peer-gid "$GID6" "[$PEER6]:7471"
check "fetch-add" lat --op fetch-add --client user --server kernel "$PEER"
check "a run to be compared" lat --op write --space user --json="$work/lat.json" "$PEER"
check "names the host that has the other end" grep -q "\"host\": *\"$PEER\"" "$work/lat.json"
check "streams of two threads, to the same space there" kverbs bw --op write --size 64 --threads 2 --rounds 2 \
	--duration 400ms --json="$work/bw.json" "$PEER"
check "each thread has requests there" jq -e '.points[0] | .kernel, .user | .thread_requests | length == 2 and min > 0' "$work/bw.json"
check "QPs to both spaces there" kverbs scale --size 64 --qps 1,4 --rounds 1 --duration 100ms --json="$work/scale.json" "$PEER"
check "of a connection one QP is here" jq -e '[.points[] | .qps as $qps | .kernel, .user | .setup | select(.connections == $qps and
	.qps_here == $qps and .verbs_ns.value > 0 and .verbs_ns.value <= .wall_ns.value)] | length == 4' "$work/scale.json"

peer sh -c 'ip link set d0 mtu 1500'
sleep 1
refused "a path MTU that is too large for the other end" 1 \
	"path MTU 4096 (--mtu) is too large: the active MTU of $DEV on $PEER is 1024" \
	lat --op write --space user --mtu 4096 "$PEER"
check "the path MTU is that of the smaller one" lat --op write --space user --size 16k "$PEER"
peer sh -c 'ip link set d0 mtu 4500'
refused "a host that is not there" 1 "192.0.2.9" lat --op write --space user 192.0.2.9

# Over a bad link all bytes are right. Each NAK takes one of the retries that a message has, which are
# no more than six unless they are without end.
check "loss and reordering on both sides of the link" sh -c "
	tc qdisc add dev d0 root netem delay 2ms loss 5% reorder 25% 50% &&
	peer tc qdisc add dev d0 root netem delay 2ms loss 5% reorder 25% 50%"
for_ever="--retry-cnt 7 --ack-timeout 14"
for space in kernel user; do
	check "$space space: write of 16 KiB" lat --op write --space $space --size 16k --timeout 60s $for_ever "$PEER"
	cp "$work/check" "$work/said"
	check "$space space: and it tells what was lost or sent again" \
		grep -E 'sent again, as counted by .*: [a-z_]+ [1-9]' "$work/said"
	check "$space space: send of 16 KiB" lat --op send --space $space --size 16k --timeout 60s $for_ever "$PEER"
	check "$space space: read of 16 KiB" lat --op read --space $space --size 16k --timeout 60s $for_ever "$PEER"
	check "$space space: fetch-add" lat --op fetch-add --space $space --timeout 60s $for_ever "$PEER"
	check "$space space: cmp-swp" lat --op cmp-swp --space $space --timeout 60s $for_ever "$PEER"
	check "$space space: write of 16 KiB, connected by the CM" \
		lat --op write --space $space --size 16k --timeout 60s $for_ever --connect cm "$PEER"
done
check "the link is good again" sh -c "tc qdisc del dev d0 root && peer tc qdisc del dev d0 root"

# A READ takes 20 ms there and back, so there are 50 a second if one follows the other.
tc qdisc add dev d0 root netem delay 20ms
for space in kernel user; do
	kverbs bw --op read --size 64 --depth 16 --space $space --rounds 2 --duration 1s --json "$PEER" >"$work/bw.json" 2>"$work/err"
	check "$space space: a stream has several READs on their way" \
		jq -e '.points[0] | .kernel // .user | .requests_per_second > 150' "$work/bw.json"
done
tc qdisc del dev d0 root

# A silent link is given up after seven times the local ACK timeout: 7.5 s, not half a second.
# The qdisc is there before: rxe counts a packet as not sent if the one is changed for another.
tc qdisc add dev d0 root netem delay 0ms
kverbs lat --op write --space kernel --time 100s --timeout 60s --ack-timeout 18 "$PEER" >"$work/out" 2>&1 &
client=$!
under_way
sleep 2
tc qdisc change dev d0 root netem loss 100%
begun=$(cut -d . -f 1 /proc/uptime)
# Its QP is in ERR for a moment only.
wait_for 60 sh -c "! rdma resource show qp link $DEV | grep -q 'type RC state RTS'"
took=$(($(cut -d . -f 1 /proc/uptime) - begun))
wait $client
tc qdisc del dev d0 root
check "a link that is dead is given up in its time ($took s)" test $took -ge 5 -a $took -le 40
check "and the status of the completion is named" names "status 12 (transport retry counter exceeded"
check "nothing is left there" wait_for 60 peer contract --balance

# The server ends, and is started again.
kverbs lat --op send --client kernel --server user --time 100s "$PEER" >"$work/out" 2>&1 &
client=$!
under_way
sleep 3
before=$(serves)
peer killall kverbs
status=0
wait $client || status=$?
check "a server that ends in the middle ends the run" test $status = 1
check "with a reason" grep -E "$PEER: the connection|status [0-9]+ \(" "$work/out"
check "it is started again" wait_for 30 serving
check "nothing is left there" wait_for 30 peer contract --balance
check "nothing is left here" wait_for 30 nothing_left

# Power off.
for how in "write --space kernel" "send --space user --api wr"; do
	op=${how%% *}
	# shellcheck disable=SC2086 # words
	kverbs lat --op $how --time 100s "$PEER" >"$work/out" 2>&1 &
	client=$!
	under_way
	sleep 5
	before=0
	begun=$(cut -d . -f 1 /proc/uptime)
	# It never answers.
	peer sh -c 'echo b >/proc/sysrq-trigger' >/dev/null 2>&1 &
	off=$!
	status=0
	wait $client || status=$?
	took=$(($(cut -d . -f 1 /proc/uptime) - begun))
	check "$op: the other host is powered off: the run fails within 60 s ($took s)" test $status = 1 -a $took -le 60
	check "$op: and names the QP and the status of the completion" \
		grep -E "a request of QP number [1-9][0-9]* completed with status 12 \(transport retry counter exceeded\)" "$work/out"
	check "$op: nothing is left here" wait_for 30 nothing_left
	kill $off 2>/dev/null
	# It is a host of its own that comes up; a guest's clock may run fast.
	check "$op: the other host comes back" wait_for 300 timeout 20 peer true
	check "$op: and serves" wait_for 120 serving
	# shellcheck disable=SC2086 # words
	check "$op: a new run with it" lat --op $how "$PEER"
done
check "nothing is left" wait_for 30 nothing_left
check "nothing is left there" wait_for 30 peer contract --balance
finish
