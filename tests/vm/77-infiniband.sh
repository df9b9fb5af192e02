# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# An InfiniBand device with two ports (fail/twin.c): rxe and siw have one port each.
. ./hand.sh

if [ ! -e twin.ko ]; then
	skip "an InfiniBand device" "no twin.ko: make fail-verb; scripts/vm --file DIR/twin.ko:/kverbs/tests/vm/twin.ko"
	finish
fi
insmod ./twin.ko
check "it is there in kernel space" wait_for 10 kverbs dev show twin0
kverbs dev show twin0 --json >"$work/dev"
keep "$(numbered dev)" "$work/dev"
check "both ports are shown" jq -e '.devices[0].kernel.ports | length == 2 and
	map(.number) == [1, 2] and map(.lid) == [17, 34] and map(.active_mtu_bytes) == [4096, 2048] and
	all(.[]; .link_layer == 1 and (.gids | length) == 1)' "$work/dev"
kverbs dev show twin0 >"$work/all"
check "a row for the GID of each" sh -c "grep -E '^ +[12] +0 fe80::200:0:0:[12]{2} +IB ' '$work/all' | wc -l | grep -Fx 2"

# refuses TEXT LINE…: the last line of a batch is refused so
refuses() {
	text=$1
	shift
	printf '%s\n' "pd add name pd" "cq add cqe 16 name cq" "qp add pd pd cq cq name a" "$@" >"$work/lines"
	if kverbs batch "$work/lines" --dev twin0 >"$work/out" 2>&1; then
		fail "$text" "$work/out"
	else
		check "$text" grep -F ":$(($# + 3)): $text" "$work/out"
	fi
}

init="qp modify a state init port 2 pkey-index 1 access none"
rtr="qp modify a state rtr path-mtu 2048 dest-qpn 5 rq-psn 1 min-rnr-timer 12 max-dest-rd-atomic 1"
rts="qp modify a state rts sq-psn 1 timeout 14 retry-cnt 7 rnr-retry 7 max-rd-atomic 1"
alt="alt-port 1 alt-timeout 14"
refuses "qp modify: port: the device has no such port" "qp modify a state init port 3 access none"
refuses "qp modify: dgid is missing: RTR needs it (on InfiniBand dlid is enough)" "$init" "$rtr"
refuses "qp modify: alt-port: the device has no such port" "$init" "$rtr dlid 34" "$rts alt-dlid 17 alt-port 3"
refuses "qp modify: alt-dlid and alt-dgid are missing: where to?" "$init" "$rtr dlid 34" "$rts $alt"
refuses "qp modify: alt-sgid-index is of no use without alt-dgid" "$init" "$rtr dlid 34" "$rts $alt alt-dlid 17 alt-sgid-index 0"
refuses "qp modify: alt-dlid is missing: InfiniBand needs it beside alt-dgid" "$init" "$rtr dlid 34" "$rts $alt alt-dgid fe80::1"
refuses "qp modify: alt-dlid: no P_Key at alt-pkey-index of alt-port" "$init" "$rtr dlid 34" "$rts $alt alt-dlid 17 alt-pkey-index 2"
refuses "ah add: port: the device has no such port" "ah add pd pd port 3 dlid 17"

batch kernel --dev twin0 --json <<END
pd add name pd
cq add cqe 16 name cq
qp add pd pd cq cq name a
$init
$rtr dlid 34
$rts alt-dlid 17 alt-port 1 alt-timeout 14 path-mig-state rearm
expect alt_dlid 17
qp address a
expect lid 34
expect gid fe80::200:0:0:22
qp modify a state reset
qp address a port 1
expect lid 17
qp connect a peer \$a.address port 2
qp show a
expect port 2
expect dlid 17
END
check "a QP at the second port has its address, and connects from there" test $? = 0
sed 's/^/# /' "$work/err"

for port in 1 2; do
	refused "what needs fast registration names it, port $port" 77 \
		"kernel space: twin0 has no fast registration, which buffers of runs need" \
		kverbs lat --op write --space kernel --dev twin0 --ib-port $port
done
refused "user space has no such device" 1 "user space: there is no RDMA device 'twin0'; there is $DEV" \
	kverbs lat --op write --space user --dev twin0

kverbs pd add dev twin0 >"$work/out"
kverbs ah add pd "$(awk '{ print $2; exit }' "$work/out")" dlid 17 --json >"$work/ah"
check "an AH without a GRH shows nothing of a GRH" jq -e '.result | .dlid == 17 and .sl == 0 and
	([.traffic_class, .flow_label, .hop_limit, .dgid, .sgid_index] | all(. == null))' "$work/ah"
rmmod twin
check "it goes, with a PD that is persistent" sh -c "kverbs pd show | wc -l | grep -Fx 0"
finish
