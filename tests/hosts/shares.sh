# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Sourced by the tests of streams with two hosts at once.

# Two CPUs and three guests: a packet is late now and then. On iWARP it is TCP that waits for it.
patience="--ack-timeout 17"
! iwarp || patience=

# On a loaded host a guest may have no CPU for a tenth of a second: in a block of that time it would do nothing.
bw() {
	# shellcheck disable=SC2086 # words
	within 90 kverbs bw --duration 500ms --rounds 1 $patience --json="$work/doc.json" $by_cm "$@" "$PEER" "$PEER3"
}

# shares SPACES…: the series of each space has requests of both hosts, and they are all there are
shares() {
	jq -e --args '$ARGS.positional as $spaces | .spec.hosts == [env.PEER, env.PEER3] and
		([.points[] | .[$spaces[]]] | length > 0 and all((.host_requests | length == 2 and all(. > 0)) and
			(.host_requests | add) == .requests and (.thread_requests | add) == .requests and
			((.host_bytes_per_second | add) / .bytes_per_second | . > 0.999 and . < 1.001) and
			.host_fairness == ((.host_requests | min / max * 10000 | round) / 10000)))' "$@" <"$work/doc.json" >/dev/null && return
	jq -c '[.points[] | .[]? | objects | select(.host_requests) |
		{requests, host_requests, thread_requests, bytes_per_second, host_bytes_per_second, host_fairness}]' "$work/doc.json"
	return 1
}

# counted SPACES…: the histogram of each series has its samples, no others, and none of no time
counted() {
	jq -e --args '[.points[] | .[$ARGS.positional[]]] | length > 0 and all(([.histogram[][2]] | add) == .samples and
		all(.histogram[]; .[0] > 0 and .[0] <= .[1]))' "$@" \
		<"$work/doc.json" >/dev/null
}
