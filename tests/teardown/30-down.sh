# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034
#
# The netdev below the device goes down, and stays so until all runs have ended.
. ./rounds.sh

cause=down title="netdev down" within=20

strike() {
	strike_down
}

rounds
