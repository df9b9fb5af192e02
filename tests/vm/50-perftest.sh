# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The same operation by somebody else's code, in the same guest, by turns. Figures on a
# shared host are noisy: the ratio is reported, and only an absurd one fails.
. ./tap.sh

if checked; then
	skip "the same as ib_read_lat and ib_write_lat" "figures of a kernel with checkers are the checkers'"
	finish
fi

rounds=5
iters=3000
server_cpu=0
client_cpu=$(($(nproc) - 1))

# How the other one connects, and from which GID.
path="-x $GID"
! iwarp || path=-R

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

ours() {
	# shellcheck disable=SC2086 # words
	kverbs lat $by_cm --op "$1" --loop "$2" --space user --size 64 --iters $iters \
		--cpus $client_cpu,$server_cpu 2>"$work/err" | awk '/ p50 / { getline; print $2 }'
}

# ib_*_lat's line: bytes, iterations, t_min, t_max, t_typical, …
theirs() {
	# shellcheck disable=SC2086
	within 90 taskset -c $server_cpu "ib_$1_lat" -d "$DEV" $path -s 64 -n $iters -F >"$work/server" 2>&1 &
	server=$!
	wait_for 10 sh -c "netstat -ltn | grep -q ':18515 '" || return 1
	# shellcheck disable=SC2086
	within 60 taskset -c $client_cpu "ib_$1_lat" -d "$DEV" $path -s 64 -n $iters -F "$ADDR" \
		2>"$work/err" | awk '$1 == 64 { print $5 }'
	wait $server
}

ratio() {
	awk "BEGIN { printf \"%.3f\", ${1:-0} / (${2:-0} + 1e-9) }"
}

sane() {
	awk "BEGIN { r = $(ratio "$1" "$2"); exit !(r < 1.5 && r > 1 / 1.5) }"
}

compare() {
	: >"$work/ours"
	: >"$work/theirs"
	for _ in $(seq $rounds); do
		ours "$1" "$2" >>"$work/ours"
		theirs "$1" >>"$work/theirs"
	done
	a=$(median <"$work/ours")
	b=$(median <"$work/theirs")
	best_a=$(sort -n "$work/ours" | head -n 1)
	best_b=$(sort -n "$work/theirs" | head -n 1)
	name="$1 of 64 B from user space: kverbs ${a:-nothing} µs, ib_$1_lat ${b:-nothing} µs"
	# From 6.12 on rxe's work hops between CPUs: medians have two modes, and five rounds
	# may see more of the one or of the other. Then the best rounds must agree.
	if sane "$a" "$b" || sane "$best_a" "$best_b"; then
		pass "$name, ratio $(ratio "$a" "$b"); best rounds $(ratio "$best_a" "$best_b")"
	else
		fail "$name" "$work/err" "$work/server"
	fi
	note "kverbs $(tr '\n' ' ' <"$work/ours")| ib_$1_lat $(tr '\n' ' ' <"$work/theirs")"
}

compare read completion
if [ "$(nproc)" -gt 1 ]; then
	compare write pingpong
else
	skip "write of 64 B" "with one CPU two pollers measure the scheduler's slice"
fi
finish
