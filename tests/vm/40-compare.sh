# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# jq's variables are not the shell's.
# shellcheck disable=SC2016
. ./tap.sh

atomic=fetch-add
swap=cmp-swp
if iwarp; then
	lacks "compare of atomics" "atomics"
	atomic=
	swap=
fi

check "compare works" sh -c "kverbs compare --notes $by_cm --ops write${atomic:+,$atomic} --sizes 8,4k --time 400ms \
	--json='$work/compare.json' >'$work/compare' 2>'$work/stderr'"
check "it prints a row for each operation and size" \
	sh -c "test \$(grep -cE '^(write|fetch-add) +[0-9]+ [KM]*i*B +completion .*(faster|equal within|not decided)' '$work/compare') = $((2 + ${#atomic} / 9))"
check "it says what the figures are" grep -F 'from before the post until its completion was polled' "$work/compare"
check "it says how sure they are" grep -F 'Hollander and Wolfe' "$work/compare"
check "it says what the intervals are about" grep -F 'other connections of this boot' "$work/compare"
check "it says in which order" grep -F 'order shuffled, seed 1' "$work/compare"
check "it says where requests are posted" grep -F "$kernel_post_words" "$work/compare"
check "no progress bar without a terminal" test ! -s "$work/stderr"
for key in schema_version complete environment histogram kernel user difference_ns verdict; do
	check "JSON has $key" grep -F "\"$key\"" "$work/compare.json"
done
few="few rounds, no verdict"
# shellcheck disable=SC2086 # words
kverbs compare $by_cm --csv --ops write,send --sizes 8 --rounds 2 --time 200ms --json="$work/csv.json" >"$work/csv" 2>"$work/stderr"
check "as comma-separated values" test $? = 0
keep csv "$work/csv.json"
keep_csv csv "$work/csv"
# shellcheck disable=SC2086 # words
if ! kverbs compare $by_cm --ops write --sizes 8 --rounds 2 --time 1 --json="$work/few.json" >"$work/few" 2>&1; then
	fail "$few" "$work/few"
# It goes on if there are not the samples of a p99.
elif jq -e '.points[0].rounds < 6' "$work/few.json" >/dev/null; then
	check "$few" grep -q 'rounds, and an interval takes 6' "$work/few"
else
	skip "$few" "this guest is so slow that it took more"
fi
cp "$work/compare.json" "$OUT/compare.json"
keep compare "$work/compare.json"
# In one sentence, as the document has it.
summary=$(jq -r '[.points[] | select(.error | not)] as $all | [$all[] | select(.faster == "kernel")] as $faster |
	($faster | length) as $n | if $n == 0 then "equal in" else "kernel faster in \($n) of \($all | length) points, by " end' "$work/compare.json")
check "a sentence says in how many points the kernel is faster" grep -F "$summary" "$work/compare"
check "and how many are equal or not decided" grep -qE "equal in $(jq '[.points[] | select(.faster == "neither")] | length' \
	"$work/compare.json"); not decided in $(jq '[.points[] | select((.error | not) and .faster == null)] | length' "$work/compare.json")$" \
	"$work/compare"

document=$work/compare.json

holds "rounds: twelve or, of a slow guest, six; a median of each in either space" 'all(.points[]; .rounds as $n |
	$n >= 6 and all(.kernel, .user; .round_p50_ns | length == $n))'
holds "rounds: two blocks of each, and what the order is made from" '.spec | .rounds == 12 and
	.blocks_per_round == 2 and .seed == 1 and .contrast == "spaces"'
holds "histogram: bins ascend, and none is wider than a thousandth" 'all(.points[] | .kernel, .user;
	.histogram | all(.[]; .[0] <= .[1] and (.[1] - .[0]) * 1000 <= .[0] and .[2] > 0) and
	([.[][0]] | . == (sort | unique)))'
holds "cumulative: it ascends to the largest sample, and to all of them" 'all(.points[] | .kernel, .user;
	. as $of | .cumulative | . == sort and .[-1][1] == 1 and ((.[-1][0] - $of.max_ns) | fabs) <= 0.1 and
	all(.[]; .[1] > 0 and .[1] <= 1) and length <= 1000)'
holds "histogram: its ends are the extremes" 'all(.points[] | .kernel, .user;
	.histogram[0][0] == .min_ticks and .histogram[-1][1] == .max_ticks)'
holds "the estimate lies in its intervals, and one in the other" 'all(.points[]; .difference_ns |
	.low <= .low_90 and .low_90 <= .value and .value <= .high_90 and .high_90 <= .high)'

# The same seed gives the same order again, another seed another order.
document=$work/self.json
for space in kernel user; do
	# shellcheck disable=SC2086
	if kverbs compare $by_cm --self $space --ops write --sizes 64 --time 800ms --seed 5 --json="$document" \
		>"$work/self" 2>"$work/stderr"; then
		pass "self: $space space on both sides"
	else
		fail "self: $space space on both sides" "$work/self" "$work/stderr"
	fi
	holds "self: both sides are in $space space" '.spec.contrast == "self" and .spec.seed == 5 and
		([.spec.series[] | .client_space, .server_space] | unique == ["'$space'"]) and
		all(.points[]; .first.space == "'$space'" and .second.space == "'$space'" and .verified)'
	check "self: the text says that a difference would be none" grep -F "Both series are in $space space" "$work/self"
done

keep self "$document"

document=$work/quadrants.json
# On one CPU with checkers siw takes up to 60 ms for an operation, and 17 samples have no median.
time=800ms
! iwarp || ! checked || time=2s
# shellcheck disable=SC2086
if kverbs compare $by_cm --quadrants --ops send,write${swap:+,$swap} --sizes 8,2k --rounds 6 --time $time \
	--json="$document" >"$work/quadrants" 2>"$work/stderr"; then
	pass "quadrants: compare works"
else
	fail "quadrants: compare works" "$work/quadrants" "$work/stderr"
fi
check "quadrants: no progress bar without a terminal" test ! -s "$work/stderr"
holds "quadrants: complete, a cell for each operation and size" '.complete and
	([.points[] | .op + " \(.size_bytes)"] ==
	 ["send 8", "send 2048", "write 8", "write 2048"'"${swap:+, \"$swap 8\"}"'])'
holds "quadrants: the document says which sides there are" '.spec.contrast == "quadrants" and
	([.spec.series[] | .name + " " + .client_space + " " + .server_space] ==
	 ["K-K kernel kernel", "K-U kernel user", "U-K user kernel", "U-U user user"])'
holds "quadrants: all cells have these four, and were verified" 'all(.points[];
	.verified and (.quadrants | keys == ["K-K", "K-U", "U-K", "U-U"]))'
holds "quadrants: send goes between two threads in all of them" 'all(.points[];
	.loop == if .op == "send" then "pingpong" else "completion" end)'
holds "quadrants: six rounds or more" 'all(.points[]; .rounds >= 6)'
holds "quadrants: a median of each in each round" \
	'all(.points[]; .rounds as $n | all(.quadrants[]; .round_p50_ns | length == $n))'
holds "quadrants: samples, as many as the histogram has, after a warm-up" 'all(.points[].quadrants[];
	.samples > 0 and .warmup_discarded > 0 and .samples == ([.histogram[][2]] | add))'
holds "quadrants: medians between the extremes" 'all(.points[].quadrants[];
	.p50_ns > 0 and .min_ns <= .p50_ns and .p50_ns <= .max_ns)'
holds "quadrants: the client posts where it is" 'all(.points[].quadrants;
	.["K-K"].post == "'$kernel_post'" and .["K-U"].post == "'$kernel_post'" and
	.["U-K"].post == "process" and .["U-U"].post == "process")'
holds "quadrants: each difference changes one end" 'all(.points[];
	[.differences_ns[] | .changed + " " + .of + " " + .minus] ==
	["client K-K U-K", "client K-U U-U", "server K-K K-U", "server U-K U-U"])'
# Each figure is rounded to a hundredth.
holds "quadrants: a difference is the median of the means of two rounds' differences" 'all(.points[]; .quadrants as $q |
	all(.differences_ns[]; . as $diff |
		([$q[.of].round_p50_ns, $q[.minus].round_p50_ns] | transpose | map(.[0] - .[1])) as $d |
		[range($d | length) as $i | range($i; $d | length) as $k | ($d[$i] + $d[$k]) / 2] | sort |
		(.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 - $diff.value | fabs < 0.02))'
holds "quadrants: each has an interval" 'all(.points[]; .rounds as $n | all(.differences_ns[];
	.low != null and .low <= .high and .confidence == 0.95 and .rounds == $n))'
holds "quadrants: the verdict is what the interval says, or is withheld" 'all(.points[].differences_ns[];
	.faster == null and (.verdict | startswith("not decided: ")) or
	.faster == "neither" and .low <= 0 and .high >= 0 and .equal_within_percent <= 5 and
		(.verdict | startswith("equal within ")) or
	.faster == "kernel" and .high < 0 and (.verdict | startswith("kernel ")) or
	.faster == "user" and .low > 0 and (.verdict | startswith("user ")))'
holds "quadrants: a null loop of each space" '.null_loop | .kernel.p50_ns > 0 and .user.p50_ns > 0'
holds "quadrants: no difference of the two spaces as a whole" \
	'all(.points[]; has("difference_ns") or has("kernel") or has("user") | not)'
for side in K-K K-U U-K U-U; do
	check "quadrants: the text has $side" grep -E "p50:.* $side" "$work/quadrants"
done
cells=5
[ -n "$swap" ] || cells=4
check "quadrants: the text has four medians for each cell" sh -c "test \$(awk '
	/p50:/ { table = 1 }
	/^\$/ { table = table && ++empty < 1 }
	table && /(pingpong|completion) / && \$5 > 0 && \$6 > 0 && \$7 > 0 && \$8 > 0' '$work/quadrants' | wc -l) = $cells"
check "quadrants: the text has two tables of differences with intervals" \
	sh -c "test \$(grep -cE ' \.\. .* (kernel|user|neither|\?) .* \.\. .* (kernel|user|neither|\?)' '$work/quadrants') = $((2 * cells))"
# The line of counters, if packets came late, has all of them: a terminal wraps it.
check "quadrants: the text is at most 100 columns wide" \
	sh -c "sed 's/µ/u/g' '$work/quadrants' | awk 'NR > 1 && !/^lost, late or/ && length > 100 { print; bad = 1 } END { exit bad }'"
cp "$document" "$OUT/quadrants.json"
keep quadrants "$document"

document=$work/few.json
# shellcheck disable=SC2086
if ! kverbs compare $by_cm --quadrants --ops read,write --loop completion --sizes 64 --rounds 2 --time 2 \
	--json="$document" >"$work/few" 2>&1; then
	fail "quadrants: $few" "$work/few"
elif jq -e 'all(.points[]; .rounds < 6)' "$document" >/dev/null; then
	holds "quadrants: $few" 'all(.points[].differences_ns[];
		.low == null and .high == null and .faster == null and (.verdict | test("^not decided: [1-5] rounds")))'
	check "quadrants: which the text shows" grep -E '^read +64 B .* - \?  .* - \?' "$work/few"
else
	skip "quadrants: $few" "this guest is so slow that it took more"
fi
document=$work/pingpong.json
# shellcheck disable=SC2086
kverbs compare $by_cm --quadrants --loop pingpong --sizes 4k --rounds 2 --time 100ms --json="$document" \
	>"$work/pingpong" 2>&1
holds "quadrants: pingpong of all that it goes with" '.complete and
	([.points[] | .op + " " + .loop] == ["send pingpong", "write pingpong"])'

# The servers in another process: in the second guest if there is one.
host=${PEER:-127.0.0.1:17471}
if [ -z "${PEER:-}" ]; then
	kverbs serve --bind 127.0.0.1 --port 17471 >"$work/serve" 2>&1 &
	server=$!
	wait_for 20 grep -q ' serves ' "$work/serve"
fi
address=${host%:*}
document=$work/host.json
# shellcheck disable=SC2086
if kverbs compare $by_cm --quadrants --ops send,read${atomic:+,$atomic} --sizes 1000 --rounds 6 --time 600ms \
	--json="$document" "$host" >"$work/host" 2>"$work/stderr"; then
	pass "quadrants with a host: compare works"
else
	fail "quadrants with a host: compare works" "$work/host" "$work/stderr"
fi
holds "quadrants with a host: all was measured and verified" '.complete and (.points | length == '$((2 + ${#atomic} / 9))') and
	all(.points[]; .verified and .rounds >= 6 and (.quadrants | length == 4) and (.differences_ns | length == 4))'
holds "quadrants with a host: samples in all series" 'all(.points[].quadrants[]; .samples > 0)'
holds "quadrants with a host: the document names it" ".environment.peer | .host == \"$address\" and .device == \"$DEV\" and
	.tool != null and .module != null and .libibverbs != null and .gid.gid != null"
holds "quadrants with a host: the document says what lies between" \
	".environment.path == \"$([ -n "${PEER:-}" ] && echo "between two hosts" || echo loopback)\""
check "quadrants with a host: the text names it" grep -F "servers: $DEV of $address" "$work/host"
keep host "$document"
document=$work/host2.json
# shellcheck disable=SC2086
kverbs compare $by_cm --ops send,write --sizes 64 --rounds 6 --time 400ms --json="$document" "$host" \
	>"$work/host" 2>&1
holds "with a host: both spaces, send between two threads" '.complete and all(.points[];
	.verified and .kernel.samples > 0 and .user.samples > 0 and has("verdict")) and
	([.points[].loop] == ["pingpong", "completion"])'
if [ -z "${PEER:-}" ]; then
	# shellcheck disable=SC2086
	kverbs compare $by_cm --quadrants --ops write --sizes 64 --time 60 --json="$work/gone.json" "$host" \
		>"$work/gone" 2>"$work/stderr" &
	client=$!
	# Pairs of all four sides.
	wait_for 60 sh -c "[ \$(rdma resource show qp | grep -c 'state RTS') -ge 8 ]"
	kill -KILL "$server"
	status=0
	wait $client || status=$?
	if [ $status = 1 ] && grep -qF "$address" "$work/stderr"; then
		pass "with a host: when it is gone, the command fails and says who"
	else
		echo "exit status $status" >>"$work/stderr"
		fail "with a host: when it is gone, the command fails and says who" "$work/stderr"
	fi
fi

# A failure is a document, too. One that has no figures replaces no file.
fails "no such device, as JSON" 1 kverbs.compare ENODEV kverbs compare --dev nosuch0 --json
check "what was asked for" jq -e '.spec.contrast == "spaces"' "$work/stdout"
# shellcheck disable=SC2086
fails "a size that the device can't do, as JSON" 2 kverbs.compare EINVAL kverbs compare $by_cm --sizes 3m --json
cp "$work/compare.json" "$work/kept.json"
check "no such device, as JSON to a file" sh -c "! kverbs compare --dev nosuch0 --json='$work/compare.json'"
check "a comparison that is there stays" cmp "$work/compare.json" "$work/kept.json"
# shellcheck disable=SC2086
kverbs compare $by_cm --ops write --sizes 64 --time 600 --json >"$work/stdout" 2>"$work/stderr" &
client=$!
wait_for 60 sh -c "[ \$(rdma resource show qp | grep -c 'state RTS') -ge 4 ]"
kill -INT $client
status=0
wait $client || status=$?
check "Ctrl-C in the first round, as JSON" failed "$work/stdout" "$work/stderr" kverbs.compare ECANCELED 130
refused "quadrants: one thread in two spaces" 2 "--loop one-thread has one thread for both ends" \
	kverbs compare --quadrants --loop one-thread
refused "quadrants: the null loop" 2 "--loop null" kverbs compare --quadrants --loop null
refused "quadrants: completion of send" 2 "--loop completion does not go with send" \
	kverbs compare --quadrants --loop completion --ops send
refused "no round" 2 "--rounds" kverbs compare --rounds 0
refused "self: both spaces" 2 "--self" kverbs compare --self both
refused "self: of quadrants" 2 "--self has one space" kverbs compare --self kernel --quadrants
refused "quadrants: a value" 2 "takes no value" kverbs compare --quadrants=yes
refused "a size that the device can't do" 2 "a size of 3,145,728 bytes" kverbs compare $by_cm --sizes 3m
refused "two hosts" 2 "one HOST" kverbs compare 192.0.2.2 192.0.2.3
refused "one thread on two hosts" 2 "does not go with a HOST" kverbs compare --loop one-thread 192.0.2.2
refused "an option for another host alone" 2 "--peer-dev goes with a HOST" kverbs compare --peer-dev rxe0
check "nothing of all this is left" nothing_left

# Documents of other boots: of this one's, with another name of the boot, and with a median that differs by little.
for boot in 1 2 3 4 5 6; do
	jq -c ".environment.boot_id = \"boot $boot\" | .spec.seed = $boot |
		.points[].difference_ns.value = -1000 - $boot | .points[].kernel.resent = 0 | .points[].user.resent = 0 |
		.points[].steal = 0 | .points[].user.p50_ns = 9000 + $boot | .points[].kernel.p50_ns = 8000" "$work/compare.json" >"$work/boot-$boot.json"
done
check "merge works" sh -c "kverbs merge --json='$work/merged.json' '$work'/boot-?.json >'$work/merged'"
check "merge as comma-separated values" sh -c "kverbs merge --csv '$work'/boot-?.json >'$work/csv'"
keep_csv merged "$work/csv"
document=$work/merged.json
keep merged "$document"
holds "merge: a median of each boot, and what they say together" '.points | length > 0 and all(.[]; .boots == 6 and
	.user.boot_p50_ns == [9001, 9002, 9003, 9004, 9005, 9006] and (.kernel.boot_p50_ns | unique) == [8000] and
	.difference_ns.value == -1003.5 and .difference_ns.low == -1006 and .difference_ns.high == -1001 and
	.difference_ns.boots == 6 and .faster == "kernel")'
holds "merge: which boots, and in which order each was measured" '.spec.boots | map(.boot_id) ==
	["boot 1", "boot 2", "boot 3", "boot 4", "boot 5", "boot 6"] and map(.seed) == [1, 2, 3, 4, 5, 6]'
check "merge prints it" grep -qE '^write +8 B completion +6 +8.00 +9.00 +-1.00 +-11 +-1.01 \.\. -1.00 kernel faster$' "$work/merged"
check "merge calls the difference as compare does" sh -c "grep -q ' K - U ' '$work/merged' && grep -q ' K - U ' '$work/compare'"
check "merge of five boots has no interval" sh -c "kverbs merge '$work'/boot-[1-5].json | grep -q 'an interval takes 6'"
kverbs merge "$work/boot-1.json" >"$work/out"
check "merge of one boot tells the reason once, for all points" test "$(grep -c ': not decided: 1 boot, and an interval takes 6' "$work/out")" = 1
check "and names them" grep -qE '^write 8 B; .*: not decided: 1 boot,' "$work/out"
# Estimates that are larger than the medians, as of two modes: no series has a negative median.
for boot in 1 2 3 4 5 6; do
	jq -c ".points[].difference_ns.value = -20000 - $boot" "$work/boot-$boot.json" >"$work/modes-$boot.json"
done
check "merge of estimates that are larger than the medians" sh -c "kverbs merge --json='$work/modes.json' '$work'/modes-?.json >'$work/modes'"
document=$work/modes.json
holds "merge: each series has its own median then" 'all(.points[]; (.kernel.boot_p50_ns | unique) == [8000] and .difference_ns.value == -20003.5)'
check "merge prints no negative median" grep -qE '^write +8 B completion +6 +8.00 +9.00 ' "$work/modes"
jq '.points[0].user.p50_ns = -5' "$work/boot-2.json" >"$work/damaged.json"
refused "merge: a negative median" 1 "damaged.json is damaged: user of" kverbs merge "$work/damaged.json"
document=$work/merged.json
refused "merge: two documents of one boot" 1 "boot-1.json are of the same boot" \
	kverbs merge "$work/boot-1.json" "$work/boot-1.json"
jq '.environment.kernel = "5.4"' "$work/boot-2.json" >"$work/old.json"
refused "merge: another kernel" 1 'environment/kernel "5.4": only the boot may differ' \
	kverbs merge "$work/old.json" "$work/boot-1.json"
jq '.complete = false' "$work/boot-2.json" >"$work/part.json"
refused "merge: a part of a comparison" 1 "part.json is not complete" kverbs merge "$work/boot-1.json" "$work/part.json"
echo '{"schema": "kverbs.lat"}' >"$work/lat.json"
refused "merge: another kind of document" 1 "lat.json is no document of kverbs compare" kverbs merge "$work/lat.json"
fails "merge: as JSON" 1 kverbs.merge EINVAL kverbs merge "$work/lat.json" --json
jq 'del(.points)' "$work/boot-2.json" >"$work/damaged.json"
refused "merge: a document without cells" 1 "damaged.json is damaged" kverbs merge "$work/damaged.json"
jq 'del(.spec.series)' "$work/boot-2.json" >"$work/damaged.json"
refused "merge: a document without sides" 1 "damaged.json is damaged" kverbs merge "$work/damaged.json"
jq 'del(.environment.boot_id)' "$work/boot-2.json" >"$work/unknown.json"
refused "merge: a document of an unknown boot" 1 "unknown.json does not name its boot" kverbs merge "$work/unknown.json"
refused "merge: no document at all" 1 "tap.sh" kverbs merge tap.sh
refused "merge: a file that is not there" 1 "/nowhere" kverbs merge /nowhere
refused "merge: nothing to merge" 2 "name the documents" kverbs merge
finish
