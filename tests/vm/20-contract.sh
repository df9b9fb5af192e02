# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The netlink contract, refusal by refusal; tests/vm/contract/ prints the TAP.
if [ -e fail_verb.ko ]; then
	insmod fail_verb.ko
fi
contract "$DEV"
status=$?
[ ! -e /sys/module/fail_verb ] || rmmod fail_verb || status=1
exit $status
