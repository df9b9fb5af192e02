# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Connections of the RDMA CM between two hosts, and comparisons with the servers on the other.
. ../vm/tap.sh

# As in lat: two guests share their host with others.
lat() {
	within 180 kverbs lat --iters 100 --warmup 10 --ack-timeout 17 --connect cm "$@"
}

for client in kernel user; do
	for server in kernel user; do
		for op in write send; do
			check "$op from $client space to $server space, connected by the CM" \
				lat --op $op --client $client --server $server "$PEER"
		done
	done
	check "$client space: by IPv6" lat --op send --space $client --gid "$GID6" --peer-gid "$GID6" "$PEER"
done

for space in kernel user; do
	refused "$space space: an address that nobody has" 1 "192.0.2.9" \
		within 60 kverbs conn-rate 192.0.2.9 --space $space --count 1 --timeout 3s
	check "$space space: it was not resolved" grep -q "not resolved" "$work/stderr"
	refused "$space space: a port where nobody listens" 1 "rejected" \
		within 60 kverbs conn-rate "$PEER" --port 9999 --space $space --count 1
	check "$space space: a host that does not answer" sh -c "tc qdisc add dev d0 root netem loss 100%"
	refused "$space space: is given up in time" 1 "$PEER" \
		within 60 kverbs conn-rate "$PEER" --port 9999 --space $space --count 1 --timeout 3s
	tc qdisc del dev d0 root
done

compare() {
	within 400 kverbs compare --ops write,send --sizes 64 --time 2 --ack-timeout 17 --json="$work/doc.json" "$@"
}

# median PATH: is there such a figure?
figure() {
	jq -e "$1 | numbers | . > 0" "$work/doc.json" >/dev/null
}

check "both spaces, with the servers on the other host" compare "$PEER"
check "the peer is in the environment" jq -e ".environment.peer.host == \"$PEER\"" "$work/doc.json"
for side in kernel user; do
	check "$side space has a median" figure ".points[0].$side.p50_ns"
done
check "all quadrants, with the servers on the other host" compare --quadrants "$PEER"
cp "$work/check" "$work/said"
check "they are four, and all have medians" jq -e '
	[.points[] | .quadrants[] | .result.p50_ns // .p50_ns] | length == 8 and all(. > 0)' "$work/doc.json"
check "the table names them" grep -q 'K-U' "$work/said"
check "nothing is left" wait_for 30 nothing_left
check "nothing is left there" wait_for 30 peer contract --balance
finish
