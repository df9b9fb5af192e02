# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034
#
# The netdev below the device goes down, and stays so until all runs have ended.
. ./rounds.sh

# TCP between two addresses of a host goes over lo.
if lacks "the netdev goes down" "way over the netdev on one host"; then
	finish
fi

cause=down title="netdev down" within=20

strike() {
	strike_down
}

rounds
