# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# jq's variables are not the shell's.
# shellcheck disable=SC2016
#
# How completions are noticed: by polls, after an event, and in handlers.
. ./tap.sh

document=$work/document.json

for way in kernel:event kernel:softirq kernel:workqueue kernel:unbound-workqueue user:event; do
	space=${way%:*} context=${way#*:}
	check "lat in $space space, $context" kverbs lat $by_cm --op read --size 64 --space "$space" --completion "$context" \
		--iters 200 --json="$document"
	keep "completion-$space-$context" "$document"
	holds "$space, $context: it says how" ".point.verified and .point.result.samples == 200 and
		.point.result.completion_context == \"$context\" and (.point.result | has(\"spins\") | not)"
	check "bw in $space space, $context" kverbs bw $by_cm --space "$space" --completion "$context" --size 64 --depth 32 --list 4 \
		--signal 8 --duration 100ms --rounds 1 --json="$document"
	holds "$space, $context: groups of requests" ".points[0].$space | .requests == 8 * .samples and .samples > 0"
done

# Each of several threads sleeps in an event of its own CQ.
for space in kernel user; do
	check "bw in $space space, event, 3 threads" kverbs bw $by_cm --space $space --completion event --threads 3 --size 64 \
		--depth 32 --duration 100ms --rounds 1 --json="$document"
	holds "$space, event: each thread has groups" ".points[0].$space | .thread_requests | length == 3 and all(.[]; . > 0)"
done

check "compare of all contexts" sh -c "kverbs compare $by_cm --completion all --ops write --sizes 8 --rounds 2 --duration 300ms \
	--json='$document' --notes >'$work/compare'"
keep completions "$document"
holds "a series for each context of each space" '.spec.contrast == "contexts" and (.points[0].contexts | keys) == ["kernel-event",
	"kernel-polled", "kernel-softirq", "kernel-unbound-workqueue", "kernel-workqueue", "user-event", "user-polled"]'
holds "each is what it says" 'all(.points[0].contexts | to_entries[]; .key == .value.space + "-" + .value.completion_context and
	.value.samples > 0 and .value.verified != false)'
holds "each but the first of its space is compared with that, and both spaces where both have it" '[.points[0].differences_ns[] |
	"\(.of) \(.minus)"] == ["kernel-event kernel-polled", "kernel-softirq kernel-polled", "kernel-workqueue kernel-polled",
	"kernel-unbound-workqueue kernel-polled", "user-event user-polled", "kernel-polled user-polled", "kernel-event user-event"]'
check "the table has a row for each" sh -c "test \$(grep -cE '^(kernel|user)-[a-z-]+ +[0-9.]+ ' '$work/compare') = 7"
jq -r '.points[0].differences_ns[] | select(.faster == null) | "\(.of) - \(.minus)"' "$document" >"$work/undecided"
sed -n '/^write 8 B: ? of .*:$/{N;s/\n  / /p}' "$work/compare" | grep ': not decided: ' >"$work/reasons"
check "a line below says why a difference is not decided, and none is about others" test \
	"$(sed 's/.*? of //; s/: not decided: .*//; s/, /\n/g' "$work/reasons" | sort)" = "$(sort "$work/undecided")"
check "the notes say where each handles them" grep -F "kernel-softirq: completion handled in a softirq" "$work/compare"
check "compare in one context" kverbs compare $by_cm --completion event --ops write --sizes 8 --rounds 1 --duration 100ms \
	--json="$document"
holds "it is that of both spaces" '.spec.contrast == "spaces" and ([.points[0] | .kernel, .user | .completion_context] | unique) == ["event"]'

refused "a context that user space lacks" 2 "--completion softirq is the kernel's: user space has polled and event" \
	kverbs lat --op write --space user --completion softirq
refused "an event for a ping-pong" 2 "--completion event does not go with --loop one-thread, whose threads poll" \
	kverbs lat --op send --space kernel --completion event
refused "spins without polls" 2 "--spins goes with --completion polled only" \
	kverbs lat --op write --space kernel --completion softirq --spins 3
refused "moderation of polls" 2 "--moderate needs events: it goes with one --completion other than polled" \
	kverbs lat --op write --space kernel --moderate 16,8
refused "moderation without a time" 2 "has no comma behind its first number" kverbs bw --completion event --moderate 16
for space in kernel user; do
	refused "$space: moderation that the device lacks" 77 "the device has no CQ moderation" \
		kverbs lat $by_cm --op write --space $space --completion event --moderate 16,8
done
vectors=$(kverbs dev show --json | jq '[.. | .comp_vectors? // empty] | min')
for way in kernel:polled kernel:event kernel:softirq user:polled user:event; do
	check "$way: the last of the completion vectors" kverbs lat $by_cm --op write --space "${way%:*}" --completion "${way#*:}" \
		--comp-vector $((vectors - 1)) --iters 100 --json="$document"
	holds "$way: the document tells it" ".point.result.comp_vector == $((vectors - 1))"
	refused "$way: a vector behind the last" 2 "--comp-vector $vectors: $DEV has the completion vectors 0 to $((vectors - 1)) (${way%:*} space)" \
		kverbs lat $by_cm --op write --space "${way%:*}" --completion "${way#*:}" --comp-vector "$vectors"
done
refused "several contexts of quadrants" 2 "so --quadrants does not go with them" kverbs compare --completion event,softirq --quadrants
refused "a context that is none" 2 "is not known; it takes a list of polled, event, softirq" kverbs compare --completion polled,irq

# A thread that sleeps hears a signal, and a run in a handler goes with its tool.
for way in kernel:event kernel:softirq user:event; do
	kverbs lat $by_cm --op write --space "${way%:*}" --completion "${way#*:}" --duration 60 >"$work/out" 2>"$work/err" &
	tool=$!
	rest 20
	kill -INT $tool
	wait $tool
	check "Ctrl-C: $way ends with status 130" test $? = 130
	check "Ctrl-C: $way prints its samples" grep -q p50 "$work/out"
	kverbs lat $by_cm --op write --space "${way%:*}" --completion "${way#*:}" --duration 60 >"$work/out" 2>"$work/err" &
	tool=$!
	rest 20
	kill -KILL $tool
	wait $tool 2>/dev/null
	check "SIGKILL: of $way nothing is left" wait_for 10 nothing_left
done
# Threads that sleep are told that their device goes. On iWARP the connection may end first: a request under way ends
# with status 2 there (siw_qp_sq_process()), and those behind it with 5.
gone="$second was removed while the run was active"
! iwarp || gone="$gone|completed with status [25] "
ip link add d2 type dummy
ip link set d2 mtu 4500 up
ip address add 192.0.3.1/24 dev d2
link_add "$second" d2
for space in kernel user; do
	kverbs bw $by_cm --dev "$second" --space $space --completion event --threads 2 --size 64 --duration 60s --rounds 1 \
		>"$work/out" 2>"$work/err" &
	tool=$!
	rest 30
	rdma link delete "$second"
	wait $tool
	status=$?
	if grep -qE "$gone" "$work/err"; then
		pass "2 threads of $space space that sleep, and a device that goes"
	else
		fail "2 threads of $space space that sleep, and a device that goes" "$work/err"
	fi
	check "and the status" test "$status" = 1
	link_add "$second" d2
done
rdma link delete "$second"
ip link delete d2
check "nothing is left" nothing_left
finish
