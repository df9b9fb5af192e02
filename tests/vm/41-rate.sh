# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Open loops: requests are due at a rate, and latency counts from the time when a request is due.
# jq's variables are not the shell's.
# shellcheck disable=SC2016
. ./tap.sh

document=$work/rate.json

# rate WHAT OPTION...: the text is in rate, the document in rate.json
rate() {
	what=$1
	shift
	# shellcheck disable=SC2086 # words
	measured rate "$what" bw $by_cm --op write --size 64 "$@"
}

# The first rate is one that any guest keeps, the last one is one that no guest keeps.
rate "rates and shares, in both spaces" --rate 100,25%,10m --rounds 6 --duration 400ms --notes
holds "the closed loop comes first, then each rate" '.complete and (.spec.rates == ["100", "25%", "10000000"]) and
	(.points | length == 4 and .[0].offered_per_second == null and .[1].offered_per_second == 100) and all(.points[]; .verified)'
holds "a share is of what the slower space reaches" '([.points[0] | .kernel, .user | .requests_per_second] | min) as $most |
	.points[2].offered_per_second / $most - 0.25 | fabs < 0.01'
holds "no more than was due is done" 'all(.points[1:][]; .offered_per_second as $due | .kernel, .user |
	.requests > 0 and .requests_per_second <= 1.001 * $due and .offered_per_second == $due)'
holds "a rate that is too high is not kept" 'all(.points[3] | .kernel, .user;
	.requests_per_second < 0.6 * .offered_per_second and (.keeps_up | not) and (.knee | not))'
holds "they wait longer for it than for the post" 'all(.points[3] | .kernel, .user; .max_ns > 1e6)'
holds "a knee is the highest rate up to which a space keeps up" '.points[1:] as $rated | all("kernel", "user"; . as $space |
	[$rated[][$space]] | sort_by(.offered_per_second) | map(.keeps_up) as $kept |
	($kept == ($kept | sort | reverse)) and (map(select(.knee)) | length) == ($kept | unique | length) - 1 and
	all(.[]; (.knee | not) or .keeps_up))'
holds "their medians are compared" 'all(.points[1:][]; .estimand == "due time of a group to its completion" and
	(.kernel.round_p50_ns | length) == .rounds)'
check "the table has a row for each" sh -c "test \$(grep -cE '^write +64 B +(-|[0-9,]+) +[0-9,]+ ' '$work/rate') = 4"
check "the text says what is kept up with" grep -E "^write 64 B: kernel keeps up with" "$work/rate"
check "the notes say what the knee is" grep -F "the knee is the highest rate up to which 98 % of the requests" "$work/rate"

for space in kernel user; do
	rate "$space: lists and groups of two threads" --space $space --threads 2 --list 2 --signal 4 --rate 800 --rounds 2 --duration 200ms
	holds "$space: a group of each thread is due every 5 ms" ".points[0] | .offered_per_second == 1600 and (.$space |
		.requests == 4 * .samples and (.thread_requests | length == 2 and min > 0) and .requests_per_second <= 1602)"
	holds "$space: the other space is not measured" ".points[0] | [.kernel, .user] | map(select(. != null)) | length == 1"
done
# Several QPs of a thread: in each of the four blocks of two rounds one has at most one group more than another.
even='(1 - .qp_fairness) * .samples / $qps < 4.1'
for space in kernel user; do
	rate "$space: 3 QPs of a thread" --space $space --qps 3 --rate 900,25% --rounds 2 --duration 300ms
	holds "$space: the rate is that of the thread" '.points | length == 3 and all(.[]; .verified and .qps == 3) and
		.[1].offered_per_second == 900'
	holds "$space: the QPs get the groups in turn" "3 as \$qps | .points[1].$space |
		.requests > 300 and .requests_per_second <= 901 and $even"
	rate "$space: 4 QPs of one CQ of each of 2 threads, in groups" --space $space --threads 2 --qps 4 --one-cq --list 2 --signal 4 \
		--rate 1600 --rounds 2 --duration 200ms
	holds "$space: each thread has its schedule" ".points[0] | .verified and .offered_per_second == 3200 and (.$space |
		.requests == 4 * .samples and (.thread_requests | length == 2 and min > 0) and .requests_per_second <= 3205 and
		.qp_fairness > 0.5)"
done
# All QPs are full all the time.
rate "3 QPs and more than can be done" --qps 3 --rate 10m --depth 4 --rounds 2 --duration 200ms
holds "each QP has its share" 'all(.points[]; .verified and all(.kernel, .user; .requests > 100 and .qp_fairness > 0 and (.keeps_up | not)))'
if ! iwarp; then
	rate "SENDs of several QPs, to an SRQ" --op send --qps 3 --srq --rate 600 --rounds 2 --duration 200ms
	holds "whose receives are replaced" '.points[0] | .verified and all(.kernel, .user; .requests > 10)'
	rate "SENDs of several QPs over UD" --op send --type ud --qps 3 --one-cq --rate 600 --rounds 2 --duration 200ms
	holds "in turn" '3 as $qps | .points[0] | .verified and all(.kernel, .user; .requests > 10 and '"$even"')'
	rate "SENDs at a rate" --op send --rate 500 --rounds 2 --duration 200ms
	holds "whose receives are replaced" '.points[0] | .rx_depth == 512 and all(.kernel, .user; .requests > 10)'
fi

# shellcheck disable=SC2086 # words
kverbs bw $by_cm --csv --op write --size 64 --rate 300 --rounds 2 --duration 100ms --json="$document" >"$work/csv" 2>"$work/stderr"
check "as comma-separated values" test $? = 0
check "with their rate and the knee" grep -q ",offered_per_second,.*kernel.knee" "$work/csv"
keep rate-csv "$document"
keep_csv rate-csv "$work/csv"

refuses 2 "--rate does not go with --both-ways" bw --rate 1k --both-ways
refuses 2 "--rate goes with --completion polled only" bw --rate 1k --completion event
refuses 2 "--rate 3 is less than --signal 4" bw --rate 3 --signal 4
refuses 2 "it takes a number from 1 to 1000" bw --rate 0%
refuses 2 "names '1000' twice" bw --rate 1k,1000

# Nothing is due for a second: Ctrl-C does not wait for it.
# shellcheck disable=SC2086 # words
kverbs bw $by_cm --op write --size 64 --space user --rate 1 --duration 60s --json="$document" >"$work/rate" 2>"$work/stderr" &
tool=$!
sleep 4
kill -INT $tool
wait $tool
check "interrupted: its status is 130" test $? = 130

# It says so before it begins.
# shellcheck disable=SC2086 # words
kverbs bw $by_cm --op write --size 64 --rate 1 --duration 300ms --space kernel >/dev/null 2>"$work/err" &
tool=$!
check "a rate so low that --duration does not decide" \
	wait_for 10 grep -qF "at --rate 1 a point takes 48 s or more: a group is due every 1 s" "$work/err"
kill -INT $tool
wait $tool 2>/dev/null

finish
