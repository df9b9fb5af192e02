# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs bw to two hosts at once, from a third: all their connections are in one run.
. ../vm/tap.sh
. ./shares.sh

if [ -z "$PEER3" ]; then
	skip "bw to two hosts at once" "there is no third guest: scripts/vm --hosts 3"
	finish
	exit
fi

check "both spaces write to both hosts" bw --op write --size 4k
cp "$work/check" "$work/said"
check "the document has each host's share" shares kernel user
check "so has the text" sh -c "grep -q \"Each host's part\" $work/said && grep -q '$PEER3 *[0-9]' $work/said"
check "the connections to each host have one CQ in common, at both ends" bw --op write,send --size 64 --qps 4 --one-cq --depth 16
check "and each host has its share" shares kernel user
check "the environment has both hosts" jq -e '.environment.peer.host == env.PEER and
	(.environment.further_peers | map(.host)) == [env.PEER3]' "$work/doc.json"
check "the counters are those of all three" jq -e '[.counters[].host] == [null, env.PEER, env.PEER3]' "$work/doc.json"
keep fan "$work/doc.json"
for space in kernel user; do
	check "$space space reads from both hosts" bw --op read --size 4k --space $space
	check "$space space: the bytes are those of both" shares $space
	check "$space space sends to both, with two QPs for each" bw --op send --size 512 --space $space --qps 2 --rx-depth 256 --depth 16
	check "$space space: each has received its own" shares $space
	check "$space space: nothing is lost" jq -e ".points[0].$space.lost_requests == 0" "$work/doc.json"
done
check "two threads for each host, both ways" bw --op write --size 64 --space user --threads 2 --both-ways
check "they are eight" jq -e '.spec.threads == 4 and (.points[0].user.thread_requests | length) == 8' "$work/doc.json"
check "the hosts' own requests count for them" shares user
check "the samples that come from the hosts are counted once, and are as long as they were" counted user

# A connection that ends while its run goes on: the host has a name.
peer3 sh -c 'sleep 3; killall kverbs' >/dev/null &
refused "a server that is killed meanwhile is named" 1 "to $PEER3: " \
	within 120 kverbs bw --op write --size 64 --space user --duration 60s --rounds 1 --ack-timeout 14 --csv "$PEER" "$PEER3"
wait
check "its successor serves" wait_for 30 peer3 sh -c 'kverbs lat --op write --space user --iters 10 127.0.0.1'
refused "more threads than a run has" 2 "2 HOSTs with --threads 9 for each are 18 threads: at most 16" \
	kverbs bw --threads 9 "$PEER" "$PEER3"
refused "a host that is not there" 1 "192.0.2.9" within 60 kverbs bw --size 64 "$PEER" 192.0.2.9
refused "a device that the hosts do not have" 1 "no RDMA device 'none'" kverbs bw --size 64 --peer-dev none "$PEER" "$PEER3"
check "nothing is left" wait_for 30 nothing_left
check "nothing is left in the second guest" wait_for 30 peer contract --balance
check "nothing is left in the third" wait_for 30 peer3 contract --balance
finish
