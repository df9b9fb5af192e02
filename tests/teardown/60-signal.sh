# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2154
#
# INT, and TERM if that does not suffice; TERM, HUP or KILL: for each tool at a time of its own, from its exec on.
. ./rounds.sh

cause=signal title="signals" within=15
signals=any
hitting=$((2000 * slow))

# They come while the load does.
strike() {
	# shellcheck disable=SC2086,SC2154
	wait $hitters
	now
	struck=$now
}

rounds
