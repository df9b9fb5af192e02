# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The netlink contract on an InfiniBand device with two ports (fail/twin.c); tests/vm/contract/infiniband.c prints the TAP.
. ./tap.sh

if [ ! -e twin.ko ]; then
	skip "a device with two ports" "no twin.ko: make fail-verb"
	finish
fi
insmod ./twin.ko
[ ! -e fail_verb.ko ] || insmod ./fail_verb.ko
contract twin0 infiniband
status=$?
[ ! -e fail_verb.ko ] || rmmod fail_verb || status=1
rmmod twin || status=1
exit $status
