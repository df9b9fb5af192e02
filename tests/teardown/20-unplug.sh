# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2154
#
# rdma link delete.
. ./rounds.sh

cause=unplug title="rdma link delete" within=10

strike() {
	strike_unplug
}

# A server that has the device open in user space, for a client that does not notice.
dir=$work/stopped
round=1
mkdir "$dir"
mkdir "$dir/files"
clear_load
served kernel user "$(iwarp && echo cm || echo raw)"
soon 120 under_way
hit STOP "$count"
check "a server lets go of the device while its client is stopped, within $((within * slow)) s" \
	timeout $((within * slow)) rdma link delete "$DEV"
check "and says why" soon 5 grep -F "device $DEV was removed" "$dir/1.out"
hit KILL 1 "$count"
wait

rounds
