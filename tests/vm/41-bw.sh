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
	if kverbs bw $by_cm "$@" --json="$document" >"$work/bw" 2>"$work/stderr"; then
		pass "$what"
	else
		fail "$what" "$work/bw" "$work/stderr"
	fi
	keep "bw-$((kept = kept + 1))" "$document"
}
kept=0

bw "streams of both spaces" --depth 32 --op "write,read$atomic" --size 64,4k --duration 400ms --notes --stats
holds "each operation at each size, in both spaces" '[.cells[] | select(.kernel.requests > 0 and .user.requests > 0)] |
	length == 4 + ([.[] | select(.op == "fetch-add")] | length) and length > 3'
holds "complete, and verified" '.complete and all(.cells[]; .verified)'
holds "a request is a sample" 'all(.cells[] | .kernel, .user; .requests == .samples)'
holds "bytes are requests times their size" 'all(.cells[]; .size_bytes as $size | .kernel, .user |
	(.bytes_per_second / .requests_per_second / $size - 1 | fabs) < 0.001)'
holds "the rate is that of the measured time" 'all(.cells[] | .kernel, .user; .requests as $n |
	(.requests_per_second * .elapsed_ns / 1e9 / $n - 1 | fabs) < 0.001 and (.request_ns * .requests_per_second / 1e9 - 1 | fabs) < 0.001)'
# 32 of them are outstanding: by Little's law a request takes 32 times as long as one follows the other, but at
# the beginning and the end of a block.
holds "as many are outstanding as were asked for" 'all(.cells[] | .kernel, .user; .mean_ns / .request_ns | . > 16 and . < 40)'
holds "the difference is of the times per request" 'all(.cells[]; . as $cell | .rounds as $n |
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
	holds "$space: a sample is a group" '.cells[0] | .depth == 32 and .list == 4 and .signal == 8 and
		(.kernel, .user | select(. != null) | .requests == 8 * .samples and .samples > 100)'
	holds "$space: the other space is not measured" ".cells[0] | [.kernel, .user] | map(select(. != null)) |
		length == 1 and .[0].space == \"$space\""
	# A poller is busy; of 2 rounds 320 ms are long enough.
	holds "$space: CPU time of a request" '.environment.cpu_count as $cpus | .cells[0] | .kernel, .user | select(. != null) |
		if .cpu_ns then .cpu_ns / .request_ns | . > 0.7 and . < 1.5 * $cpus else .elapsed_ns < 4e8 end'
	check "$space: its table" grep -qE '^write +64 B +[0-9.]+ +[0-9,]+ ' "$work/bw"
done
# More threads than CPUs, and one that is named.
for space in kernel user; do
	bw "$space: 3 threads" --op write --size 64 --space $space --threads 3 --cpus 0 --depth 32 --list 2 --rounds 2 --duration 200ms --notes
	holds "$space: each thread has its requests" '.spec.threads == 3 and (.cells[0] | .threads == 3 and .verified and
		(.kernel, .user | select(. != null) | (.thread_requests | length == 3 and min > 0) and .thread_cpus == [0, 0, 0] and
		 (.thread_requests | add) == .requests and .requests == 2 * .samples and
		 (.fairness - (.thread_requests | min / max) | fabs) < 0.001))'
	check "$space: the text counts them" grep -F "32 requests outstanding of each of 3 threads" "$work/bw"
	check "$space: the notes say what their time is" grep -F "threads: each with a connection" "$work/bw"
done
bw "the deepest queue" --op write --size 8 --depth 4096 --duration 200ms --rounds 2
holds "the deepest queue is filled" '.cells[0] | .kernel, .user | .mean_ns / .request_ns | . > 1000'

# CSV has the figures of each space.
# shellcheck disable=SC2086 # words
kverbs bw $by_cm --csv --op write --size 64 --rounds 2 --duration 100ms --json="$document" >"$work/csv" 2>"$work/stderr"
check "as comma-separated values" test $? = 0
keep bw-csv "$document"
keep_csv bw-csv "$work/csv"

# refused TEXT OPTION...
refused() {
	text=$1
	shift
	# shellcheck disable=SC2086 # words
	kverbs bw $by_cm "$@" >"$work/out" 2>&1
	status=$?
	if [ $status -ge 1 ] && grep -qF -- "$text" "$work/out"; then
		pass "refused: $*"
	else
		fail "refused: $*" "$work/out"
	fi
}
refused "--op send: bw takes operations that need no receive" --op send
refused "--depth 10 is no multiple of --signal 4" --depth 10 --list 4
refused "--signal 6 is no multiple of --list 4" --depth 12 --list 4 --signal 6
refused "it takes a number from 1 to 16384" --depth 16385
refused "it takes a number from 1 to 32" --list 33
refused "it takes a number from 1 to 16" --threads 17
refused "--cpus has 3 CPUs, for 2 threads at most" --threads 2 --cpus 0,0,0
refused "--space" --space nowhere

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
