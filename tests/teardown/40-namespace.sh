# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2086,SC2154
#
# The network namespace is destroyed in which all this goes on: by turns one that uses a device of
# the first one, and one that has a netdev and a device of its own, over which rxe sends nothing before
# 7.2, so that there are but objects.
. ./rounds.sh

if lacks "the network namespace is destroyed" "raw connection, and the CM finds no address in a namespace without a netdev"; then
	finish
fi

cause=namespace title="network namespace destroyed" within=15
signals=KILL
# The CM finds no address in a namespace without a netdev.
only=raw
space=teardown

prepare() {
	in=
	kinds="lats others"
	turn=$(((round + 1) / 2))
	persisting=$((turn % 2))
	ip netns add $space
	in="ip netns exec $space"
	$in ip link set lo up
	[ $((round % 2)) = 0 ] || return 0
	rdma link delete "$DEV"
	ip link del d0
	kinds=objects
	$in sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'
	new_netdev && new_address && new_device && soon 20 has_gids ||
		blame load "no netdev and device in the namespace"
}

# A netdev goes with its namespace, and with it its device.
device_went() {
	[ $((round % 2)) = 1 ] || ! rdma link | grep .
}

# The namespace's objects go with its last process.
strike() {
	in=
	draw 2
	[ "$drawn" = 0 ] || ip netns del $space
	# shellcheck disable=SC2086
	hit KILL $runs $stays $holders
	[ "$drawn" = 1 ] || ip netns del $space
	by $((struck + within * slow * 100)) device_went || blame ended "its device is still there"
}

rounds
