# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034
#
# The process of the peer is killed: the server's for its client, the server, or the program of others.
. ./rounds.sh

cause=peer title="peer's process killed" within=30
signals=KILL
only=peer
kinds=others

strike() {
	strike_peer
}

rounds
