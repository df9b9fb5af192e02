# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The netlink contract, refusal by refusal; tests/vm/contract.c prints the TAP.
exec contract "$DEV"
