# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs put and kverbs get between two hosts, in all quadrants, over a bad link too, and when
# the other host is gone in the middle.
. ../vm/tap.sh

port=7600
bytes=$(fewer 1048577 262145)

mkdir "$work/here"
peer mkdir -p /run/files
peer sh -c "kverbs serve --no-token --port $port --files /run/files >/run/files.log 2>&1" &
check "the server listens" wait_for 30 peer grep -q ' serves ' /run/files.log

transfer() {
	within 300 kverbs "$@" --port $port
}

hash_of() {
	sha256sum "$1" | cut -d ' ' -f 1
}

hash_there() {
	peer sha256sum "/run/files/$1" | cut -d ' ' -f 1
}

# The output of the last check: its rate, and the failures on the way.
told() {
	note "$(grep -E 'MiB/s|sent again|made anew' "$work/check" | tr '\n' ',')"
}

# both COMMAND HOW OPTION…: there and back, and all three have the same hash
both() {
	how=$2
	with=$1
	shift 2
	head -c $bytes /dev/urandom >"$work/here/f"
	check "put $how" $with put "$work/here/f" "$PEER" --force "$@"
	told
	check "get $how" $with get f "$PEER" "$work/here/back" --force "$@"
	told
	check "the same $how" test "$(hash_of "$work/here/f")" = "$(hash_there f)" -a \
		"$(hash_of "$work/here/f")" = "$(hash_of "$work/here/back")"
}

# On a link that loses packets rxe has to repeat, and may do it wrong. Then the connection is made anew.
#
# A device in software whose host is loaded gives up waiting for acknowledgements that are on their way, and rxe
# makes two messages of a WRITE of several packets that it repeats at the wrong moment. On a link that
# loses nothing it has no reason to repeat: it waits for 4 s.
patient="--ack-timeout 20"

packets() {
	cat "/sys/class/infiniband/$DEV/ports/1/hw_counters/sent_pkts"
}

# Since there were so many as $before.
sending() {
	[ "$(packets)" -gt $((before + 100)) ]
}

for client in kernel user; do
	for server in kernel user; do
		both transfer "from $client space to $server space" $patient --client $client --server $server
	done
done

check "loss and reordering on both sides of the link" sh -c "
	tc qdisc add dev d0 root netem delay 2ms loss 5% reorder 25% 50% &&
	peer tc qdisc add dev d0 root netem delay 2ms loss 5% reorder 25% 50%"
for space in kernel user; do
	both transfer "over a bad link, $space space" --space $space --piece 16k --timeout 60s --retry-cnt 7
done
check "the link is good again" sh -c "tc qdisc del dev d0 root && peer tc qdisc del dev d0 root"

# The link is down for a second: the connection fails, both ends make a new one, and the file arrives.
head -c 4194304 /dev/urandom >"$work/here/f"
for space in kernel user; do
	tc qdisc add dev d0 root netem rate 100mbit
	before=$(packets)
	transfer put "$work/here/f" "$PEER" --force --space $space --piece 64k --ack-timeout 12 --retry-cnt 1 \
		--json="$work/document" >"$work/out" 2>&1 &
	client=$!
	wait_for 30 sending
	tc qdisc change dev d0 root netem loss 100%
	sleep 1
	tc qdisc del dev d0 root
	status=0
	wait $client || status=$?
	if [ $status = 0 ] && grep -qF 'the connection is made anew' "$work/out" &&
		jq -e '.reconnects > 0' "$work/document" >/dev/null; then
		pass "$space space: a connection that fails is made anew"
	else
		echo "exit status $status" >>"$work/out"
		fail "$space space: a connection that fails is made anew" "$work/out"
	fi
	check "$space space: and the file is the same" test "$(hash_of "$work/here/f")" = "$(hash_there f)"
	note "$(grep 'made anew' "$work/out")"
done

# Nothing arrives any more: neither what we send nor an answer.
head -c 16777216 /dev/urandom >"$work/here/f"
for space in kernel user; do
	peer sh -c 'rm -f /run/files/*'
	tc qdisc add dev d0 root netem rate 100mbit
	before=$(packets)
	transfer put "$work/here/f" "$PEER" --space $space --piece 64k >"$work/out" 2>&1 &
	client=$!
	wait_for 30 sending
	tc qdisc change dev d0 root netem loss 100%
	status=0
	wait $client || status=$?
	if [ $status = 1 ] && grep -qF 'status 12 (transport retry counter exceeded)' "$work/out"; then
		pass "$space space: a host that is gone: the completion's status is named"
	else
		fail "$space space: a host that is gone: the completion's status is named" "$work/out"
	fi
	tc qdisc del dev d0 root
	check "$space space: nothing of it is left there" wait_for 90 sh -c '[ -z "$(peer ls -A /run/files)" ]'
	check "$space space: and it works again" transfer put "$work/here/f" "$PEER" --space $space
done
peer killall kverbs
check "nothing is left" nothing_left
finish
