# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

check "dev show works" kverbs dev show
check "so does dev, as with iproute2" sh -c "test \"\$(kverbs dev)\" = \"\$(kverbs dev show)\" -a \"\$(kverbs dev list $DEV)\" = \"\$(kverbs dev show $DEV)\""
kverbs dev show >"$work/all" 2>&1
type="RoCE v2"
! iwarp || type=iWARP
for word in "$DEV" kernel user "active (4)" "$type" "fast registration"; do
	check "dev show says: $word" grep -F "$word" "$work/all"
done
if iwarp; then
	# Before Linux 6.5 or so the kernel names no netdev beside the GID.
	check "dev show shows the GID with its netdev" \
		grep -E "^ *1 +0 +200:c000:201:: +iWARP +d0 +both" "$work/all"
	for space in kernel user; do
		# shellcheck disable=SC2016 # for the batch
		check "the address of its netdev is that of the device in $space space" \
			sh -c "echo 'echo \$dev.addr' | kverbs batch - --space $space | grep -Fx ::ffff:$ADDR"
	done
fi
lacks "dev show shows the IPv4 address's GID" "GID of an address" ||
	check "dev show shows the IPv4 address's GID" grep -F "::ffff:$ADDR" "$work/all"
lacks "dev show shows the IPv6 address's GID" "GID of an address" ||
	check "dev show shows the IPv6 address's GID" grep -F "$ADDR6" "$work/all"
check "dev show of one device" kverbs dev show "$DEV"
check "dev show as JSON" sh -c "kverbs dev show --json | grep -q '\"$DEV\"'"

for command in "lat --op write --space kernel" "lat --op write --space user" compare \
	"pingpong --space kernel" "pingpong --space user"; do
	# shellcheck disable=SC2086 # words
	refused "$command: a port that is not there" 2 \
		"--ib-port 2: $DEV has no such port; it has 1, numbered from 1 on" kverbs $command --ib-port 2
done
refused "a peer's port without a peer" 2 "--peer-ib-port goes with a HOST" \
	kverbs lat --op write --space kernel --peer-ib-port 1

# A port that can't be queried is told in its place, as is all else.
verb=/sys/module/fail_verb/parameters

# broken NTH MORE COMMAND…: with so many queries of ports that fail, from the NTH on
broken() {
	echo "$2" >$verb/more
	echo "$1" >$verb/nth
	shift 2
	"$@"
	status=$?
	echo 0 >$verb/nth
	echo 0 >$verb/more
	return $status
}

# shows NAME NTH MORE FILTER: the devices are shown, and jq's filter is true of them
shows() {
	if broken "$2" "$3" kverbs dev show --json >"$work/json" 2>"$work/err" &&
		jq -e "(.devices | length == 2) and .unavailable == {} and $4" "$work/json" >"$work/jq" 2>&1; then
		pass "$1"
	else
		fail "$1" "$work/err" "$work/jq" "$work/json"
	fi
}

if [ -e fail_verb.ko ]; then
	second=${DRIVER:-rxe}9
	ip link add d9 type dummy
	ip link set d9 up
	link_add "$second" d9
	check "there are two devices" wait_for 10 kverbs dev show "$second"
	insmod fail_verb.ko
	echo ib_query_port >$verb/verb
	for nth in 1 2; do
		shows "the kernel can't query one of two ports: both devices are listed, query $nth" $nth 0 \
			'([.devices[].kernel.ports[].error] | sort == [null, "EIO"]) and
			all(.devices[]; .kernel.max_qp > 0 and .kernel.ports[0].number == 1 and
				(.kernel.ports[0] | (.error == null) == (.state != null)) and
				(.user.ports[0] | .error == null and .state != null))'
	done
	shows "user space can't query any: both are listed" 3 1000 \
		'all(.devices[]; .user.max_qp > 0 and .user.ports[0].number == 1 and
			.user.ports[0].error == "EIO" and .kernel.ports[0].error == null)'
	broken 1 0 kverbs dev show "$DEV" >"$work/all" 2>&1
	check "the error stands in its space's column" grep -E "^ +error +EIO +- *$" "$work/all"
	check "beside what user space sees" grep -E "^ +state +- +active" "$work/all"
	refused "and the port can't be measured at" 1 "kernel space: port 1 of $DEV cannot be queried: " \
		broken 1 0 kverbs lat --op write --space kernel --dev "$DEV"
	broken 1 1000 kverbs doctor --json >"$work/json" 2>"$work/err"
	check "a warning of kverbs doctor" test $status = 3
	mend=$(jq -r ".findings[] | select(.check == \"port\" and (.text | contains(\"$second\"))).mend" "$work/json")
	check "whose line makes the device anew" test "$mend" = \
		"rdma link delete $second && rdma link add $second type ${DRIVER:-rxe} netdev NETDEV"
	rmmod fail_verb
	check "as it says" sh -c "$(echo "$mend" | sed 's/NETDEV/d9/')"
	check "so that the port is there again" wait_for 10 sh -c "kverbs doctor | grep 'port 1 of $second is active'"
	rdma link delete "$second"
	ip link delete d9
else
	skip "ports that can't be queried" "no fail_verb.ko: make fail-verb"
fi
finish
