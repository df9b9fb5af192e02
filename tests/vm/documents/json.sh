# SPDX-License-Identifier: MIT
# shellcheck shell=sh
kverbs pd add --json | jq -c . | sed 's/":/": /g; s/,"/, "/g'
