# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# jq's variables are not the shell's.
# shellcheck disable=SC2016
. ./tap.sh

atomic=,fetch-add
if iwarp; then
	lacks "a stream of atomics" "atomics"
	atomic=
fi

document=$work/bw.json

# bw WHAT OPTION...: the text is in bw, the document in bw.json
bw() {
	what=$1
	shift
	# shellcheck disable=SC2086 # words
	measured bw "$what" bw $by_cm "$@"
}

bw "streams of both spaces" --depth 32 --op "write,read$atomic" --size 64,4k --duration 400ms --notes --stats
holds "each operation at each size, in both spaces" '[.points[] | select(.kernel.requests > 0 and .user.requests > 0)] |
	length == 4 + ([.[] | select(.op == "fetch-add")] | length) and length > 3'
holds "complete, and verified" '.complete and all(.points[]; .verified)'
holds "a request is a sample" 'all(.points[] | .kernel, .user; .requests == .samples)'
holds "bytes are requests times their size" 'all(.points[]; .size_bytes as $size | .kernel, .user |
	(.bytes_per_second / .requests_per_second / $size - 1 | fabs) < 0.001)'
holds "the rate is that of the measured time" 'all(.points[] | .kernel, .user; .requests as $n |
	(.requests_per_second * .elapsed_ns / 1e9 / $n - 1 | fabs) < 0.001 and (.request_ns * .requests_per_second / 1e9 - 1 | fabs) < 0.001)'
# 32 of them are outstanding: by Little's law a request takes 32 times as long as one follows the other, but at
# the beginning and the end of a block.
holds "as many are outstanding as were asked for" 'all(.points[] | .kernel, .user; .mean_ns / .request_ns | . > 16 and . < 40)'
holds "the difference is of the times per request" 'all(.points[]; . as $cell | .rounds as $n |
	all(.kernel, .user; (.round_request_ns | length) == $n) and
	(.difference_ns.value | . >= ([$cell.kernel.round_request_ns, $cell.user.round_request_ns] | transpose | map(.[0] - .[1]) | min) and
	 . <= ([$cell.kernel.round_request_ns, $cell.user.round_request_ns] | transpose | map(.[0] - .[1]) | max)))'
check "the table has a row for each" \
	sh -c "test \$(grep -cE '^(write|read|fetch-add) +[0-9]+ [KM]*i*B .*(faster|equal within|not decided)' '$work/bw') -gt 3"
check "and so has that of means and CPU times" \
	sh -c "test \$(grep -cE '^(write|read|fetch-add) +[0-9]+ [KM]*i*B( +([0-9.,]+|-)){8}$' '$work/bw') -gt 3"
check "the text says how many are outstanding" grep -F "32 requests outstanding, posted in lists of 1, one of 1 signaled" "$work/bw"
check "and what the figures are" grep -F "time per request, with many of them outstanding" "$work/bw"

for space in kernel user; do
	bw "$space: lists of 4, one of 8 signaled" --op write --size 64 --space $space --depth 32 --list 4 --signal 8 --rounds 2 \
		--duration 600ms --stats
	holds "$space: a sample is a group" '.points[0] | .depth == 32 and .list == 4 and .signal == 8 and
		(.kernel, .user | select(. != null) | .requests == 8 * .samples and .samples > 100)'
	holds "$space: the other space is not measured" ".points[0] | [.kernel, .user] | map(select(. != null)) |
		length == 1 and .[0].space == \"$space\""
	# A poller is busy; of 2 rounds 320 ms are long enough.
	holds "$space: CPU time of a request" '.environment.cpu_count as $cpus | .points[0] | .kernel, .user | select(. != null) |
		if .cpu_ns then .cpu_ns / .request_ns | . > 0.7 and . < 1.5 * $cpus else .elapsed_ns < 4e8 end'
	check "$space: its table" grep -qE '^write +64 B +[0-9.]+ +[0-9,]+ ' "$work/bw"
	iwarp || bw "$space: groups of atomics" --op fetch-add,cmp-swp --space $space --depth 32 --list 4 --signal 8 --rounds 1 \
		--duration 20ms
	iwarp || holds "$space: their contents are right" 'all(.points[]; .verified)'
done
# By default fewer of large sizes are outstanding: a block lasts until all of them are moved.
bw "sizes up to 1 MiB" --op write --size 4k,1m --rounds 1 --duration 20ms
holds "only as many as have 16 MiB" '.complete and .spec.depth == 128 and [.points[].depth] == [128, 16]'
check "the text says of which size there are fewer" grep -F "128 requests outstanding, posted in lists of 1, one of 1 signaled; only 16 of 1 MiB" "$work/bw"
bw "as many as were asked for" --op write --size 2m --depth 40 --space user --rounds 1 --duration 20ms
holds "that is taken as said" '.complete and .spec.depth == 40 and .points[0].depth == 40'
# More threads than CPUs, and one that is named.
for space in kernel user; do
	bw "$space: 3 threads" --op write --size 64 --space $space --threads 3 --cpus 0 --depth 32 --list 2 --rounds 2 --duration 200ms --notes
	holds "$space: each thread has its requests" '.spec.threads == 3 and (.points[0] | .threads == 3 and .verified and
		(.kernel, .user | select(. != null) | (.thread_requests | length == 3 and min > 0) and .thread_cpus == [0, 0, 0] and
		 (.thread_requests | add) == .requests and .requests == 2 * .samples and
		 (.fairness - (.thread_requests | min / max) | fabs) < 0.001))'
	check "$space: the text counts them" grep -F "32 requests outstanding of each of 3 threads" "$work/bw"
	check "$space: the notes say what their time is" grep -F "threads: each with connections of its own" "$work/bw"
	bw "$space: 3 QPs of each of 2 threads" --op write --size 64 --space $space --threads 2 --qps 3 --depth 16 --list 2 --rounds 2 \
		--duration 200ms --notes
	holds "$space: all of them take part" '.spec.qps == 3 and (.points[0] | .qps == 3 and .depth == 16 and .verified and
		(.kernel, .user | select(. != null) | .requests == 2 * .samples and .qp_fairness > 0 and .qp_fairness <= 1 and
		 (.thread_requests | length == 2)))'
	check "$space: the text counts those, too" grep -F "16 requests outstanding at each of 3 QPs of each of 2 threads" "$work/bw"
	check "$space: and the notes say how even they are" grep -F "QPs: in the mean of all blocks" "$work/bw"
done
# The operations of a thread's QPs complete into one CQ.
for space in kernel user; do
	bw "$space: one CQ of 4 QPs of each of 2 threads" --op "write,read$atomic" --size 64 --space $space --threads 2 --qps 4 --one-cq \
		--depth 16 --rounds 2 --duration 300ms
	holds "$space: each thread has its requests, and each QP" '.spec.one_cq and all(.points[]; .verified and (.kernel, .user |
		select(. != null) | .requests == .samples and .qp_fairness > 0 and (.thread_requests | min > 0)))'
	check "$space: the text says that there is one CQ" grep -F "16 requests outstanding at each of 4 QPs of one CQ of each of 2 threads" \
		"$work/bw"
done
bw "one CQ, both ways" --one-cq --both-ways --op write --size 64 --qps 4 --depth 16 --rounds 2 --duration 200ms
holds "in both directions" '.points[0] | .verified and (.kernel, .user | .thread_requests | length == 2 and min > 0)'
bw "inline data, up to a size" --op write,read --size 32,4k -I 32 --depth 16 --list 4 --rounds 2 --duration 200ms
holds "of those that can carry it" '[.points[] | [.op, .size_bytes, .inline]] == [["write", 32, true], ["write", 4096, null],
	["read", 32, null], ["read", 4096, null]] and all(.points[]; .verified)'
iwarp || {
	bw "inline data by the extended API" --op write,send,send-imm,write-imm --size 32 -I 32 --api wr --space user --depth 16 --list 4 --rounds 1 \
		--duration 200ms
	holds "is verified" 'all(.points[]; .inline and .verified)'
	bw "requests that are solicited, and have a fence" --op send --size 64 --solicited --fence --depth 16 --rounds 1 --duration 100ms
	holds "are told" '.points[0] | .solicited and .fence and .inline == false and .verified'
}
bw "several SGEs in a request" --op "write$(iwarp || echo ,send)" --size 15,4k --sges 4 -I 15 --depth 16 --list 4 --rounds 1 --duration 100ms
holds "their bytes arrive" 'all(.points[]; .sges == 4 and .verified)'
iwarp || {
	bw "READs into several SGEs" --op read --size 15,4k --sges 4 --depth 16 --rounds 1 --duration 100ms
	holds "bring all bytes" 'all(.points[]; .sges == 4 and .verified)'
	# librxe's wr_set_sge_list() sums up the SGEs' lengths right only if they are equal (mended in 2026).
	bw "several SGEs by the extended API" --op read,write,send --size 64,4k --sges 4 --api wr --depth 16 --rounds 1 --duration 100ms
	holds "bring all bytes" 'all(.points[]; .sges == 4 and .verified)'
}
iwarp || {
	bw "receives into several SGEs" --op send,send-imm --size 15,4k --recv-sges 4 --depth 16 --rounds 1 --duration 100ms
	holds "of which each has its bytes" 'all(.points[]; .recv_sges == 4 and .verified)'
	bw "of an SRQ" --op send --size 15,4k --recv-sges 4 --srq --qps 2 --depth 16 --rounds 1 --duration 100ms
	holds "of which each has its bytes, too" 'all(.points[]; .recv_sges == 4 and .verified)'
	bw "over UD, behind a GRH" --op send --type ud --size 15,1k --sges 3 --recv-sges 4 --depth 16 --rounds 1 --duration 100ms
	holds "which is no part of the bytes" 'all(.points[]; .recv_sges == 4 and .sges == 3 and .verified)'
	for type in uc ud; do
		bw "over $type by the key of a registration" --op send --type $type --lkey mr --size 1k --depth 16 --rounds 1 --duration 100ms
		holds "$type: it is told" '.points[0] | .verified and .kernel.lkey == "mr"'
	done
}
bw "both ways" --both-ways --op "write,read$atomic" --size 64,4k --depth 16 --threads 2 --rounds 2 --duration 200ms
holds "each direction has its threads" '.spec.both_ways and all(.points[]; .both_ways and .verified and (.kernel, .user |
	(.thread_requests | length == 4 and min > 0) and (.thread_requests | add) == .requests and (.thread_cpus | length == 2)))'
check "the text says so" grep -F "16 requests outstanding of each of 2 threads, posted in lists of 1, one of 1 signaled, in both directions" "$work/bw"
# libsiw of rdma-core 44 makes 64 CQs of a process; a connection has four.
many=64
! iwarp || many=16
bw "$many QPs of a thread" --op write --size 64 --qps $many --depth 4 --rounds 2 --duration 200ms
holds "take part, in both spaces" ".spec.qps == $many"' and (.points[0] | .verified and all(.kernel, .user; .requests > 64))'
# Operations that take a receive: the responder has a run of its own, which replaces them.
if iwarp; then
	refuses_sends() {
		# shellcheck disable=SC2086 # words
		kverbs bw $by_cm --op $1 --size 64 >"$work/out" 2>&1
		test $? = 77 && grep -F "$2" "$work/out"
	}
	bw "SENDs, which take credits" --op send --size 64,4k --depth 32 --duration 300ms --rounds 2 --notes
	holds "in both spaces, and verified" '(.points | length == 2) and all(.points[]; .verified and .credits and .rx_depth == 512 and
		.kernel.requests > 100 and .user.requests > 100 and .kernel.qp_fairness == null)'
	check "and that is said" grep "^send: the responder writes how many receives it has replaced" "$work/bw"
	bw "threads, lists and few receives" --op send --size 4k --threads 2 --depth 32 --list 8 --rx-depth 32 --duration 300ms --rounds 2
	holds "each thread has a server" '.points[0] | .verified and .rx_depth == 32 and all(.kernel, .user;
		(.thread_requests | length == 2 and min > 0) and .requests == 8 * .samples)'
	bw "one receive" --op send --size 64 --depth 4 --rx-depth 1 --duration 100ms --rounds 1
	holds "is enough" 'all(.points[]; .verified and .kernel.requests > 4 and .user.requests > 4)'
	bw "SENDs of 4 QPs of a thread" --op send --size 64 --qps 4 --depth 16 --duration 300ms --rounds 2
	holds "have credits each" '.points[0] | .verified and all(.kernel, .user; .requests > 300 and .qp_fairness > 0)'
	bw "SENDs of 4 QPs of one CQ" --op send --size 64 --qps 4 --one-cq --depth 16 --sges 2 --recv-sges 2 --duration 300ms --rounds 2
	holds "likewise" '.points[0] | .verified and all(.kernel, .user; .requests > 300 and .qp_fairness > 0)'
	for with in "--srq" "--rate 1k" "--completion event"; do
		check "a stream of SENDs is refused with $with" refuses_sends "send $with" "over iWARP a SEND "
	done
	# shellcheck disable=SC2086 # words
	refuses 2 "--rx-depth 8 with --signal 8 on $DEV: the peer has too few receives for a group" \
		bw $by_cm --op send --size 64 --signal 8 --depth 16 --rx-depth 8
	check "a stream with immediate data is refused, with the reason" refuses_sends write-imm "iWARP has no immediate data"
else
	bw "streams that take receives" --op send,send-imm,write-imm --size 64 --depth 32 --duration 300ms --rounds 2
	holds "each of them, in both spaces" '(.points | length == 3) and all(.points[]; .verified and .rx_depth == 512 and
		.kernel.requests > 100 and .user.requests > 100)'
	bw "threads, lists and few receives" --op send --size 4k --threads 2 --depth 32 --list 8 --rx-depth 32 --duration 300ms --rounds 2
	holds "each thread has a server" '.points[0] | .verified and .rx_depth == 32 and all(.kernel, .user;
		(.thread_requests | length == 2 and min > 0) and .requests == 8 * .samples)'
	bw "SENDs of 4 QPs of a thread" --op send --size 64 --qps 4 --depth 16 --duration 300ms --rounds 2
	holds "whose receives one thread replaces" '.points[0] | .verified and all(.kernel, .user; .requests > 100 and .qp_fairness > 0)'
	bw "SENDs of 4 QPs of one CQ" --op send,send-imm --size 64 --qps 4 --one-cq --depth 16 --duration 300ms --rounds 2
	holds "whose receives complete into one CQ" 'all(.points[]; .verified and all(.kernel, .user; .requests > 100 and .qp_fairness > 0))'
	bw "receives from an SRQ" --op send,send-imm,write-imm --srq --size 8,4k --qps 8 --depth 16 --duration 300ms --rounds 2
	holds "which each of 8 QPs takes" '.spec.srq and all(.points[]; .verified and .rx_depth == 512 and all(.kernel, .user;
		.requests > 100 and .qp_fairness > 0))'
	bw "an SRQ of each thread" --op send --srq --rx-depth 32 --size 64 --threads 2 --qps 2 --depth 16 --duration 300ms --rounds 2
	holds "and its depth" '.points[0] | .verified and .rx_depth == 32 and all(.kernel, .user; .thread_requests | length == 2 and min > 0)'
	bw "an SRQ of UD QPs" --type ud --op send --srq --size 64 --qps 2 --depth 16 --duration 200ms --rounds 2
	holds "and what was lost" 'all(.points[]; .verified and (.kernel, .user | .requests > 100 and .lost_requests < .requests))'
	srq_refused() {
		kverbs bw --srq --size 64 "$@" >"$work/out" 2>&1
		test $? = 2
	}
	check "WRITEs take no receive from an SRQ" srq_refused --op send,write
	check "and that is said" grep -F -- "--srq does not go with write, which takes no receive" "$work/out"
	for type in uc ud; do
		bw "SENDs over $type" --type $type --op send,send-imm --size 64 --depth 32 --duration 200ms --rounds 2
		holds "their type, and what was lost" "all(.points[]; .qp_type == \"$type\" and .verified and (.kernel, .user |
			.requests > 100 and .lost_requests < .requests))"
	done
	bw "SENDs of handlers" --op send --size 64 --space kernel --completion softirq --rounds 2 --duration 200ms
	holds "their rate" '.points[0].kernel.requests > 100'
fi
bw "the deepest queue" --op write --size 8 --depth 4096 --duration 200ms --rounds 2
holds "the deepest queue is filled" '.points[0] | .kernel, .user | .mean_ns / .request_ns | . > 1000'

# CSV has the figures of each space.
# shellcheck disable=SC2086 # words
kverbs bw $by_cm --csv --op write --size 64 --rounds 2 --duration 100ms --json="$document" >"$work/csv" 2>"$work/stderr"
check "as comma-separated values" test $? = 0
keep bw-csv "$document"
keep_csv bw-csv "$work/csv"

refuses 2 "--depth 10 is no multiple of --signal 4" bw --depth 10 --list 4
refuses 2 "--signal 6 is no multiple of --list 4" bw --depth 12 --list 4 --signal 6
refuses 2 "it takes a number from 1 to 16384" bw --depth 16385
refuses 2 "it takes a number from 1 to 32" bw --list 33
refuses 2 "it takes a number from 1 to 16384" bw --rx-depth 16385
refuses 2 "it takes a number from 1 to 16" bw --threads 17
refuses 2 "it takes a number from 1 to 1024" bw -q 1025
refuses 2 "--threads 4 with --qps 300 are 1200 connections: at most 1024" bw --threads 4 -q 300
refuses 2 "--qps 2 goes with --completion polled only" bw --qps 2 --completion event
refuses 2 "--one-cq does not go with --srq" bw --one-cq --srq --op send
refuses 2 "--one-cq with --qps 1024 needs a CQ for" bw --one-cq --qps 1024 --depth 16384
refuses 2 "solicited goes with sends and write_with_imm only" bw --solicited --op write
refuses 2 "--sges 4, write of 2 bytes on $DEV: more sges than bytes" bw --sges 4 --op write --size 2
refuses 2 "it takes a number from 1 to 32" bw --sges 33
refuses 2 "--recv-sges: write takes no receive" bw --recv-sges 2 --op write
iwarp || refuses 2 "--recv-sges 4, send of 2 bytes on $DEV: more sges of a receive than bytes: recv_sges is above size" \
	bw --recv-sges 4 --op send --size 2
refuses 2 "it takes a number from 1 to 32" bw --recv-sges 33
iwarp || refuses 2 "an atomic operation takes one sge" bw --sges 2 --op fetch-add
iwarp && refuses 2 "a READ of iWARP takes one sge" bw --sges 2 --op read --size 64
refuses 2 "--both-ways goes with --completion polled only" bw -b --completion event
refuses 2 "--threads 9 with --both-ways are 18 threads: at most 16" bw -b --threads 9
refuses 2 "--both-ways does not go with send-imm" bw -b --op write,send-imm
refuses 2 "--cpus has 3 CPUs, for 2 threads at most" bw --threads 2 --cpus 0,0,0
refuses 2 "--space" bw --space nowhere
if ! iwarp; then
	refuses 77 "a ud qp takes send, with or without imm, and recv only" bw --type ud --op write
	refuses 2 "a message over UD is one packet, on $DEV of at most" bw --type ud --op send --size 64k
	refuses 2 "--type ud does not go with --connect cm" bw --type ud --op send --connect cm
fi

# Ctrl-C: the rounds until then, and the status of a signal.
# shellcheck disable=SC2086 # words
kverbs bw $by_cm --threads 2 --op write --size 64 --duration 60s --json="$document" >"$work/bw" 2>"$work/stderr" &
tool=$!
sleep 8
kill -INT $tool
wait $tool
check "interrupted: its status is 130" test $? = 130
holds "interrupted: not complete" '.complete == false'
keep bw-interrupted "$document"

finish
