# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The netlink contract, refusal by refusal; tests/vm/contract/ prints the TAP. CONTRACT: which of its tests; default: all.
for ko in fail_verb hang; do
	[ ! -e $ko.ko ] || insmod $ko.ko
done
# shellcheck disable=SC2086 # words
contract "$DEV" ${CONTRACT:-}
status=$?
for ko in fail_verb hang; do
	[ ! -e /sys/module/$ko ] || rmmod $ko || status=1
done
exit $status
