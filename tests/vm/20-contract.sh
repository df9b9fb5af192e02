# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The netlink contract, refusal by refusal; tests/vm/contract/ prints the TAP.
exec contract "$DEV"
