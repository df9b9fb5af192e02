# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# jq's variables are not the shell's.
# shellcheck disable=SC2016
. ./tap.sh

document=$work/scale.json

# scale WHAT OPTION...: the text is in scale, the document in scale.json
scale() {
	what=$1
	shift
	# shellcheck disable=SC2086 # words
	measured scale "$what" scale $by_cm "$@"
}

# Memory that can be told apart from what the rest of the system does: queues of 256 requests.
scale "1 to 16 QPs of both spaces" --qps 1,16 --depth 256 --size 64 --rounds 6 --duration 300ms --all-to-all 64x48
holds "a point for each number of QPs" '[.points[].qps] == [1, 16] and .spec.qps_counts == [1, 16] and .complete and all(.points[]; .verified)'
holds "all QPs take part" '.points[1] | .kernel, .user | .qp_fairness > 0 and .requests > 100'
holds "each connection is counted, and has a QP at either end" \
	'all(.points[]; .qps as $qps | all(.kernel, .user; .setup | .connections == $qps and .qps_here == 2 * $qps))'
holds "the verbs are a part of the time to set up" \
	'all(.points[] | .kernel, .user; .setup | .verbs_ns.value > 0 and .verbs_ns.value < 2 * .wall_ns.value and .wall_ns.low <= .wall_ns.value)'
# A QP, two CQs and two buffers are not less than 16 KiB, on any device.
holds "memory has grown with the QPs" 'all(.points[1] | .kernel, .user; .setup | (.memory_bytes.high // 0) > 16384)'
holds "memory has a value, or there is a doubt" 'all(.points[] | .kernel, .user; .setup |
	(.memory_bytes.value == null) == (.memory_doubt != null))'
holds "a value is known within 10 %, of more than 1 MiB" 'all(.points[] | .kernel, .user; .setup | .qps_here as $qps | .memory_bytes |
	.value == null or (.value * $qps >= 1048576 and (.high - .low) / 2 <= 0.1 * .value))'
holds "the all-to-all is the product of a QP's cost and the number of QPs" '.all_to_all as $all | .points[1] as $cell |
	$all.qps_per_process == 63 * 48 and $all.qps_per_node == 63 * 48 * 48 and all($all.series[]; . as $node |
	 $cell[.series].setup | (.wall_ns.value * $all.qps_per_process / $node.process_setup_ns - 1 | fabs) < 0.001 and
	 ((.memory_bytes.value == null) == ($node.node_memory_bytes == null)))'
check "the text has a row for each number of QPs, in each space" sh -c "test \$(grep -cE '^write +64 B +(1|16) ' '$work/scale') = 4"
check "the text says what an all-to-all costs" grep -F "3024 QPs of a process, 145,152 of a node" "$work/scale"

refused "more than a run takes" 2 "--threads 4 with --qps 300 are 1200 connections: at most 1024" \
	kverbs scale --threads 4 --qps 1-8,300
scale "few rounds" --space kernel --qps 1,2 --rounds 1 --duration 10ms --no-verify
holds "few rounds give no memory, and say why" 'all(.points[].kernel.setup; .memory_bytes.value == null and .memory_doubt != null)'
check "the text says that memory is not known" grep -F "memory is - where it is not known" "$work/scale"
scale "threads share them" --space user --threads 2 --qps 1-4 --rounds 1 --duration 10ms
holds "each has as many" '[.points[].user.setup.connections] == [2, 4, 8]'
iwarp || scale "over UD" --type ud --op send --size 64 --qps 1,4 --rounds 1 --duration 10ms
iwarp || holds "over UD both have figures" 'all(.points[]; .qp_type == "ud" and all(.kernel, .user; .requests > 0 and .setup.wall_ns.value > 0))'

# Sizes that double, and from which on the rate is near the best one. rxe's pace changes: the rule is looked at, not the size.
if ! iwarp; then
	check "receives of one SRQ as QPs grow" kverbs scale --op send --srq --qps 1,8 --depth 4 --rounds 1 --duration 50ms --json="$document"
	holds "are those of all QPs" '.spec.srq and ([.points[] | [.qps, .rx_depth]] == [[1, 512], [8, 512]]) and
		all(.points[]; .verified and all(.kernel, .user; .requests > 0)) and all(.points[1] | .kernel, .user; .qp_fairness > 0)'
	check "one CQ as QPs grow" kverbs scale --op send --one-cq --qps 1,8 --depth 4 --rounds 1 --duration 50ms --json="$document"
	holds "is that of all QPs" '.spec.one_cq and ([.points[] | [.qps, .rx_depth]] == [[1, 512], [8, 64]]) and
		all(.points[]; .verified and all(.kernel, .user; .requests > 0))'
fi
# shellcheck disable=SC2086 # words
check "bw: sizes that double" kverbs bw $by_cm --space kernel --size 64-4k --depth 4 --rounds 1 --duration 10ms --json="$document"
holds "bw: each size" '[.points[].size_bytes] == [64, 128, 256, 512, 1024, 2048, 4096]'
holds "bw: the knee is the smallest size that has the share" '[.points[] | {size: .size_bytes, rate: .kernel.bytes_per_second}] as $points |
	($points | map(.rate) | max) as $best | (.knees | length == 1) and (.knees[0] | .series == "kernel" and
	 ([[0.5, .half_size_bytes], [0.9, .nearly_size_bytes]] | all(.[]; .[0] as $share | .[1] as $size |
	  ([$points[] | select(.rate >= $share * $best)][0].size) as $first |
	  if $first == 64 then $size == null else $size == $first end)))'
keep bw-knees "$document"

# --csv has the cost of each point.
# shellcheck disable=SC2086 # words
kverbs scale $by_cm --csv --qps 1,2 --rounds 1 --duration 10ms --json="$document" >"$work/csv" 2>"$work/stderr"
check "as comma-separated values" test $? = 0
keep scale-csv "$document"
keep_csv scale-csv "$work/csv"

refuses 2 "--qps '2-2' has '2-2', a range that must end above its beginning" scale --qps 2-2
refuses 2 "is too large; it takes a number from 1 to" scale --qps 100000
limit=$(sed -n 's/.*a number from 1 to //p' "$work/stderr")
refuses 2 "--threads 2 with --qps $limit are $((2 * limit)) connections: at most $limit" scale --threads 2 --qps "$limit"
refuses 2 "it takes a number from 2 to 1000000" scale --all-to-all 1
refuses 2 "--stats has no table of QPs" scale --stats
refuses 2 "it takes NODES or NODESxPROCESSES" scale --all-to-all x4
refuses 2 "(kernel space)" bw --space kernel --size 1-2g
check "the size that is too large is named, and the largest" grep -E "a size of [0-9,]+ bytes: .* at most [0-9,]+ bytes" "$work/stderr"
check "nothing is left" nothing_left

finish
