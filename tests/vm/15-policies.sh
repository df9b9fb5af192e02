# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The family's policies as the kernel has them. scripts/check compares it with
# uapi/kverbs.yaml on the host (tests/abi/spec_policies.py).
. ./tap.sh

check "the kernel tells the policies" sh -c "policies kverbs >'$OUT/policies'"
check "each command, and each list, refuses each attribute that it does not take" \
	sh -c "untaken </kverbs/untaken.txt"
finish
