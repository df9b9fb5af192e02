# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Runs whose ends the RDMA CM has connected, and what is said when it can't.
. ./tap.sh

iters=$(fewer 200 20)

# run NAME ARGUMENT…: it must come out, with contents verified
run() {
	name=$1
	shift
	if kverbs lat --notes --connect cm --iters $iters --warmup 10 "$@" >"$work/lat" 2>&1 &&
		grep -q 'contents verified' "$work/lat"; then
		pass "$name"
	else
		fail "$name" "$work/lat"
	fi
}

no_cm_ids() {
	[ "$(rdma resource show cm_id | grep -c .)" = 0 ]
}

for ends in "kernel kernel" "kernel user" "user kernel" "user user"; do
	client=${ends% *} server=${ends#* }
	for op in send write read fetch-add; do
		[ $op != fetch-add ] || ! lacks "$op from $client to $server space" "atomics" || continue
		run "$op from $client to $server space" --op $op --client "$client" --server "$server"
	done
	run "write pingpong of 64 KiB from $client to $server space" --op write --loop pingpong --size 64k \
		--client "$client" --server "$server"
	lacks "over IPv6 from $client to $server space" "GID of an address" ||
		run "over IPv6 from $client to $server space" --op read --client "$client" --server "$server" --gid "$GID6"
done
for space in kernel user; do
	run "send one-thread in $space space" --op send --loop one-thread --space $space
	op=cmp-swp
	! iwarp || op=write
	run "local buffers by an MR's key in $space space" --op $op --client $space --server kernel --lkey mr
done
check "no connection is left" no_cm_ids
if iwarp; then
	for option in ack-timeout retry-cnt; do
		refused "TCP sends again, so no --$option" 2 "--$option: $DEV is iWARP, where TCP sends a packet again" \
			kverbs lat --op write --space kernel --connect cm --$option 7
	done
fi

check "JSON to a file" kverbs lat --op read --client user --server kernel --connect cm --iters 100 \
	--json="$work/cm.json"
for key in '"connect": *"cm"' cm_create_id cm_listen cm_resolve_addr cm_resolve_route cm_connect cm_accept \
	cm_establish; do
	[ "$key" != cm_establish ] || ! lacks "JSON has $key" "confirmation of the peer's answer" || continue
	check "JSON has $key" grep "$key" "$work/cm.json"
done
keep lat-cm "$work/cm.json"
check "the CM's QP transitions are not the tool's" sh -c "! grep -q modify_qp '$work/cm.json'"
if ! lacks "JSON of a run connected by hand" "raw connection"; then
	check "JSON of a run connected by hand" kverbs lat --op read --space user --iters 100 --json="$work/raw.json"
	check "JSON has raw" grep '"connect": *"raw"' "$work/raw.json"
	check "and no times of the CM" sh -c "! grep -q cm_ '$work/raw.json'"
fi
check "compare" kverbs compare --connect cm --ops write --sizes 64 --time 1s
check "which leaves no connection" no_cm_ids

refused "a way that there is not" 2 "--connect 'smoke-signals'" kverbs lat --op write --connect smoke-signals
refused "no path MTU for the CM" 2 "--mtu 1024 does not go with --connect cm" \
	kverbs lat --op write --space kernel --connect cm --mtu 1024

# cannot NAME SPACE TEXT ADDR [KEY VALUE]…: connecting to there must fail and say so
cannot() {
	name=$1 space=$2 text=$3
	shift 3
	printf '%s\n' "pd add name p" "cq add cqe 4 name c" "qp add pd p cq c name q" "conn connect $* qp q" \
		>"$work/batch"
	status=0
	kverbs batch "$work/batch" --space "$space" >"$work/stdout" 2>"$work/stderr" || status=$?
	if [ $status = 1 ] && grep -qF -- "$text" "$work/stderr"; then
		pass "$name, $space space"
	else
		echo "exit status $status, want 1; stderr, want \"$text\":" >"$work/why"
		fail "$name, $space space" "$work/why" "$work/stderr"
	fi
}

# The netdev has no ARP, so the request goes out to nobody; no route leads to the other.
for space in kernel user; do
	cannot "nobody listens" $space "cannot connect to $ADDR:7477: nobody listens there" "$ADDR:7477"
	cannot "nobody answers" $space "cannot connect to 192.0.2.200:7477: nobody answers" 192.0.2.200:7477 timeout 2s
	cannot "no route" $space "address 198.51.100.1:7477 not resolved" 198.51.100.1:7477
	check "none of these leaves a connection in $space space" no_cm_ids
done

kverbs lat --op write --client kernel --server user --connect cm --time 60s >"$work/long" 2>&1 &
pid=$!
check "the connections of a run can be seen" wait_for 60 sh -c "[ \$(rdma resource show cm_id | grep -c ESTABLISHED) = 2 ] ||
	[ \$(rdma resource show cm_id | grep -c 'state CONNECT ') = 2 ]"
kill -9 $pid
wait $pid
check "a tool that is killed leaves no connection" wait_for 20 no_cm_ids
check "nothing of all this is left" wait_for 20 nothing_left
finish
