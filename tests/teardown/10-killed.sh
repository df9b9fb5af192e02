# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034
#
# The tools are killed, all at once.
. ./rounds.sh

cause=killed title="tools killed" within=5
signals=KILL

strike() {
	strike_killed
}

rounds
