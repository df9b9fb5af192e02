# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2086,SC2154
#
# Two at once: all pairs by turns.
. ./rounds.sh

cause=two title="two at once" within=30
signals=any

all="killed unplug down deleted rmmod peer dropped signal flush"

strike_flush() {
	kverbs flush >"$dir/flush.out" 2>&1
}

# In an order that the seed gives.
pairs() {
	for a in $all; do
		for b in $all; do
			[ "$a" \< "$b" ] && echo "$a $b"
		done
	done | awk -v seed="$seed" '{ print (NR * 7919 + seed * 104729) % 1009, $0 }' | sort -n | cut -d ' ' -f 2-
}

# The targets of the causes are there.
prepare() {
	local n
	pairs >"$work/pairs"
	n=$(wc -l <"$work/pairs")
	pair=$(sed -n "$(((round - 1) % n + 1))p" "$work/pairs")
	echo "$pair" >"$dir/pair"
	only=
	case $pair in
	*dropped*) only=cm ;;
	*peer*) only=peer ;;
	esac
	case $pair in
	*flush*) persisting=1 ;;
	esac
}

strike() {
	case $pair in
	*killed* | *unplug* | *down* | *deleted* | *rmmod*) ending=yes ;;
	*) ending=no ;;
	esac
	# There a netdev that is down stops nothing on one host.
	case $pair in
	*killed* | *unplug* | *deleted* | *rmmod*) ;;
	*down*) ! iwarp || ending=no ;;
	esac
	strike_"${pair% *}" &
	first_pid=$!
	strike_"${pair#* }"
	wait $first_pid
	case $pair in
	*killed* | *unplug* | *deleted*) ;;
	# A process that uses nothing of the module goes on.
	*down*rmmod* | *rmmod*down*) ! iwarp || hit INT $apart ;;
	*down*) ;;
	*rmmod*) hit INT $apart ;;
	esac
}

rounds
