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

# What the last check has printed: how fast it was, and what went wrong on the way.
told() {
	note "$(grep -E 'MiB/s|sent again|has failed|came twice|status' "$work/check" | tr '\n' ',')"
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

# A device in software whose host is loaded gives up waiting for acknowledgements that are on their way, and rxe
# makes two messages of a WRITE of several packets that it repeats at the wrong moment. On a link that
# loses nothing it has no reason to repeat: it waits for 4 s.
patient="--ack-timeout 20"

# On a link that does lose packets rxe has to repeat, and may do it wrong: that has to be found, nothing of the file
# may be left, and another try has to succeed.
again() {
	for try in 1 2 3 4 5; do
		status=0
		transfer "$@" >"$work/try" 2>&1 || status=$?
		cat "$work/try"
		[ $status != 0 ] || return 0
		[ $status = 1 ] || return 1
		grep -qE 'came twice|status (9|13) ' "$work/try" || return 1
		! peer ls -A /run/files | grep -v '^f$' || return 1
		! ls -A "$work/here" | grep -vE '^(f|back)$' || return 1
		echo "try $try has failed"
	done
	return 1
}

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
	both again "over a bad link, $space space" --space $space --piece 16k --timeout 60s --retry-cnt 7
done
check "the link is good again" sh -c "tc qdisc del dev d0 root && peer tc qdisc del dev d0 root"

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
