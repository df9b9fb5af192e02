# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034
#
# The netdev below the device is deleted.
. ./rounds.sh

cause=deleted title="netdev deleted" within=10

strike() {
	strike_deleted
}

rounds
