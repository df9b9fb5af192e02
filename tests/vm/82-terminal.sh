# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The output on a terminal of 80 columns and 24 rows: no line is torn.
. ./tap.sh

# whole NAME COMMAND…: it succeeds, and no line is longer than the terminal is wide. A carriage
# return counts as the end of a line, so each state of a progress bar is a line of its own.
whole() {
	name=$1
	shift
	status=0
	terminal 80 "$@" >"$work/screen" || status=$?
	# In columns: a continuation byte of UTF-8 has none.
	tr '\r' '\n' <"$work/screen" | LC_ALL=C tr -d '\200-\277' | awk 'length > 80' >"$work/torn"
	if [ $status = 0 ] && [ -s "$work/screen" ] && [ ! -s "$work/torn" ]; then
		pass "$name"
	else
		echo "exit status $status; lines of more than 80 columns:" >"$work/why"
		fail "$name" "$work/why" "$work/torn" "$work/screen"
	fi
}

commands=$(kverbs --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
whole "help" kverbs --help
check "it names the commands" test "$(echo "$commands" | wc -w)" -gt 20
for command in $commands; do
	whole "help of $command" kverbs "$command" --help
	kverbs help "$command" | sed -n "s/^  \($command [a-z-]*\) .*/\1/p" | sort -u >"$work/verbs"
	while read -r words; do
		# shellcheck disable=SC2086 # words
		whole "help of $words" kverbs $words --help </dev/null
	done <"$work/verbs"
done
iters=$(fewer 200 20)
whole "version" kverbs --version
whole "dev" kverbs dev
whole "doctor" kverbs doctor
for notes in "" "--notes --stats"; do
	# shellcheck disable=SC2086 # words
	whole "lat $notes" kverbs lat $by_cm --op write --space kernel --iters "$iters" $notes
	# shellcheck disable=SC2086
	whole "bw $notes" kverbs bw $by_cm --op write --size 8,64k --rounds 6 --duration "$(fewer 400ms 2)" $notes
	# shellcheck disable=SC2086
	whole "compare $notes" kverbs compare $by_cm --sizes 8,64k --rounds 6 --time "$(fewer 400ms 2)" $notes
	check "compare $notes: a line names the columns that are left out" \
		grep -qE "^left out, as the terminal is too narrow: p99[,;]" "$work/screen"
done
# shellcheck disable=SC2086
whole "compare --quadrants" kverbs compare $by_cm --quadrants --notes --ops send,write --sizes 64k --rounds 6 --time "$(fewer 400ms 2)"
# shellcheck disable=SC2086
whole "compare --self" kverbs compare $by_cm --self user --ops write --sizes 64k --rounds 2 --time "$(fewer 400ms 2)"
kverbs conn-rate --server user "$ADDR" --port 7600 --iters 10 >"$work/server" 2>&1 &
server=$!
wait_for 30 sh -c "rdma resource show cm_id | grep -q LISTEN"
whole "conn-rate" kverbs conn-rate --client kernel "$ADDR" --port 7600 --iters 10
wait $server
check "and its server" test $? = 0
# Its status is that of a server that SIGINT has stopped.
whole "serve" sh -c 'kverbs serve --no-token & server=$!; sleep 1; kill -INT $server; wait $server'
check "serve: it goes on in the next line" grep -q "^  .*no token: every client" "$work/screen"
cat >"$work/lines" <<-'END'
	pd add name pd
	cq add cqe 16 name cq
	buf add length 4k name buf
	mr add pd pd max-pages 1 name mr
	srq add pd pd max-wr 8 name srq
	qp add pd pd cq cq name a
	qp modify a state init port 1 access none
	dev show
	pd show
	cq show
	buf show
	mr show
	srq show
	qp show
END
whole "a batch in both spaces" kverbs batch "$work/lines" --space both --repeat 2
# shellcheck disable=SC2086
whole "compare --completion all" kverbs compare $by_cm --completion all --ops write --sizes 64 --rounds 2 --time "$(fewer 200ms 2)"
# shellcheck disable=SC2086
whole "scale" kverbs scale $by_cm --qps 1,2 --rounds 1 --duration 10ms
whole "a refusal" sh -c "! kverbs bw --op write --depth 10 --list 4 --connect nosuch --duration 10ms"
whole "a wrong key" sh -c "! kverbs pd add nosuchkey 5"
whole "a trace" kverbs batch "$work/lines" --trace
finish
