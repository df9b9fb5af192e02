# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs bw --reversed: the other hosts initiate, and this one is the responder.
. ../vm/tap.sh
. ./shares.sh

# one OPTION…: with one host, so that two guests suffice
one() {
	# shellcheck disable=SC2086 # words
	within 90 kverbs bw --reversed --duration 500ms --rounds 1 $patience --json="$work/doc.json" $by_cm "$@" "$PEER"
}

check "one host initiates, in both spaces" one --op write --size 4k
cp "$work/check" "$work/said"
check "the text says so" grep -q '; each HOST initiates$' "$work/said"
check "the document, too" jq -e '.spec.reversed and (.points | length == 1 and all(.reversed and .verified)) and
	(.points[0] | .kernel, .user | .requests > 0 and .cpu == null)' "$work/doc.json"
check "its loop without verbs is measured, too" jq -e '.null_loop | .kernel.samples > 0 and .user.samples > 0' "$work/doc.json"
keep incast-one "$work/doc.json"
check "--cpus binds its thread and the responder's" one --op write,read --size 64 --cpus 0,0
check "and the document has the CPU of its thread" jq -e 'all(.points[]; .kernel.cpu == 0 and .user.thread_cpus == [0])' "$work/doc.json"
if ! lacks "atomics" "atomics"; then
	check "atomics that a host initiates" one --op fetch-add,cmp-swp
	check "their contents are verified" jq -e '.points | length == 2 and all(.verified)' "$work/doc.json"
fi
if ! lacks "a schedule for sends" "RNR NAK"; then
	check "a host initiates on a schedule" one --op send --size 64 --rate 100 --duration 300ms --space user
	check "the figure is that of the due times" jq -e '.points[0] | .offered_per_second == 100 and .user.requests > 0' "$work/doc.json"
	check "sends over UD" one --op send --size 64 --type ud --depth 8 --space kernel
fi

refused "without a HOST" 2 "--reversed goes with a HOST where 'kverbs serve' runs" kverbs bw --reversed
refused "in both directions" 2 "--both-ways does not go with --reversed: choose both directions, or the reversed one" \
	kverbs bw --reverse -b "$PEER"
refused "a CPU too many" 2 "--cpus has 3 CPUs, for 2 threads at most" kverbs bw --reversed --cpus 0,0,0 "$PEER"
refused "a CPU for the responder of several" 2 "--cpus has 2 CPUs, for 1 thread of each HOST" \
	kverbs bw --reversed --cpus 0,0 "$PEER" "$PEER"
# shellcheck disable=SC2086 # words
refused "a CPU that the host does not have" 1 "$PEER: " kverbs bw --reversed --op write --size 64 --space user --cpus 99 $by_cm "$PEER"

if [ -z "$PEER3" ]; then
	skip "an incast of two hosts" "there is no third guest: scripts/vm --hosts 3"
	check "nothing is left" wait_for 30 nothing_left
	check "nothing is left in the second guest" wait_for 30 peer contract --balance
	finish
	exit
fi

check "both hosts write to this one, in both spaces" bw --reversed --op write --size 4k --notes
cp "$work/check" "$work/said"
check "the document has each host's share" shares kernel user
check "so has the text" sh -c "grep -q \"Each host's part\" $work/said && grep -q '$PEER3 *[0-9]' $work/said"
check "and the time in which they began" jq -e '.points[0] | .kernel, .user | .host_begin_ns > 0' "$work/doc.json"
check "so has the text" grep -q '^hosts: in each block all runs began within [0-9.]* ms$' "$work/said"
check "no line of the text has more than 80 columns without --notes" \
	sh -c "COLUMNS=80 kverbs bw --reversed --op write --size 64 --duration 100ms --rounds 1 $patience $by_cm $PEER $PEER3 |
		awk 'length > 80 { print; wide = 1 } END { exit wide || !NR }'"
check "rounds" bw --reversed --op write --size 64 --rounds 3 --duration 300ms
check "the samples of each are counted once, and are as long as they were" counted kernel user
keep incast "$work/doc.json"
check "two threads of each host, with two QPs each, on a CPU" bw --reversed --op write --size 64 --threads 2 --qps 2 --depth 8 --cpus 0
check "there are four threads" jq -e '.spec.threads == 4 and all(.points[] | .kernel, .user;
	(.thread_requests | length) == 4 and .thread_cpus == [0, 0, 0, 0])' "$work/doc.json"
check "and each host has its share" shares kernel user
check "both hosts read from this one" bw --reversed --op read --size 512 --space kernel
check "and each host has its share" shares kernel
if ! lacks "sends of two hosts" "RNR NAK"; then
	for space in kernel user; do
		check "$space space: both hosts send to this one" bw --reversed --op send,write-imm --size 512 --space $space --qps 2 --depth 16
		check "$space space: each host has its share" shares $space
		check "$space space: nothing is lost" jq -e "all(.points[]; .$space.lost_requests == 0)" "$work/doc.json"
	done
	check "their receives come from SRQs" bw --reversed --op send --size 64 --qps 2 --depth 8 --srq
	check "and each host has its share" shares kernel user
fi
check "the hosts' threads sleep until an event" bw --reversed --op write --size 64 --space user --completion event
check "and each host has its share" shares user

# The run would take 100 s. It ends as soon as the run of the other host fails.
peer3 sh -c 'sleep 3; killall kverbs' >/dev/null &
# shellcheck disable=SC2086 # words
refused "a host that is lost meanwhile is named" 1 "from $PEER3: " within 60 kverbs bw --reversed --op write --size 64 --space user \
	--duration 100s --rounds 1 --csv $by_cm "$PEER" "$PEER3"
wait
check "its successor serves" wait_for 30 peer3 sh -c "kverbs lat --op write --space user --iters 10 $by_cm 127.0.0.1"
# shellcheck disable=SC2086 # words
kverbs bw --reversed --op write --size 64 --space user --duration 100s --rounds 1 $by_cm "$PEER" "$PEER3" >"$work/cut" 2>&1 &
cut=$!
sleep 4
kill -INT $cut
status=0
wait $cut || status=$?
check "Ctrl-C ends the runs of both hosts" [ $status = 130 ]
check "nothing is left" wait_for 30 nothing_left
check "nothing is left in the second guest" wait_for 30 peer contract --balance
check "nothing is left in the third" wait_for 30 peer3 contract --balance
finish
