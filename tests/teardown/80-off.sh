# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2086,SC2154
#
# The peer's guest is powered off, and starts anew: scripts/vm --hosts 2.
. ./rounds.sh

cause=off title="peer's guest powered off" within=45
rounds=${ROUNDS:-5}

if [ -z "${PEER:-}" ]; then
	skip "the peer's guest is powered off" "there is one guest only: scripts/vm --hosts 2, or scripts/teardown off"
	finish
fi

# Two at a time: a link between guests that are slow loses what comes late. Each space comes to be at
# either end.
load() {
	clear_load
	launch stay kverbs monitor
	set -- kernel/kernel/write/raw user/user/read/raw kernel/user/send/cm user/kernel/write/cm \
		kernel/kernel/send/cm user/user/send/raw kernel/user/read/raw user/kernel/fetch-add/raw
	# iWARP has no other way, and no atomics.
	# shellcheck disable=SC2046
	! iwarp || set -- $(echo "$*" | sed 's/raw/cm/g; s/fetch-add/write/')
	shift $(((round - 1) % 4 * 2))
	for ends in $1 $2; do
		# shellcheck disable=SC2046
		set -- $(echo $ends | tr / ' ')
		# shellcheck disable=SC2046
		launch run kverbs lat $(ends $1 $2) --op $3 --connect $4 --time 600 --no-verify \
			$patience --timeout $((5 * slow))s "$PEER"
		rts=$((rts + 1))
	done
	next_port
	launch run kverbs ping --server "$ADDR" --space kernel --port $port --timeout $((5 * slow))s
	soon 20 cm_listening
	peer rping -c -a "$ADDR" -p $port >/dev/null 2>&1 &
	rts=$((rts + 1))
	[ $((round % 2)) = 0 ] || persistent
	soon 120 under_way || blame_slow
}

# At once: nobody there says goodbye.
strike() {
	peer sh -c 'echo b >/proc/sysrq-trigger; reboot -f' >/dev/null 2>&1 &
}

# The runs have ended, so the guest was off: nothing tells those who had asked something there that no answer
# will come. The one who asked for the end is among them, and on a slow kernel it may get to it late.
works() {
	killall nc
	timeout 60 kverbs lat $by_cm --op write --space kernel --iters 10 --warmup 0 "$PEER" >"$dir/works.out" 2>"$dir/works.err"
}

# It has to boot first.
recover=150
rounds
