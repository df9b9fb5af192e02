# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Programs that others wrote on the second host, kverbs on the first, in both spaces and on
# either side.
. ../vm/tap.sh

port=22000
count=20

next_port() {
	port=$((port + 1))
}

listening() {
	rdma resource show cm_id | grep "state LISTEN" | grep -q ":$port "
}

peer_listening() {
	peer rdma resource show cm_id | grep "state LISTEN" | grep -q ":$port "
}

# done_by NAME STATUS: both sides have ended
done_by() {
	if [ "$2" = 0 ]; then
		pass "$1"
	else
		echo "status $2" >"$work/why"
		fail "$1" "$work/why" "$work/server" "$work/client"
	fi
	next_port
}

# there NAME SERVER CLIENT: the server is on the second host
there() {
	name=$1
	peer timeout 60 $2 >"$work/server" 2>&1 &
	server=$!
	status=0
	wait_for 30 peer_listening || status=99
	timeout 60 $3 >"$work/client" 2>&1 || status=$?
	wait $server || status=$?
	done_by "$name" $status
}

# here NAME SERVER CLIENT: the client is on the second host
here() {
	name=$1
	timeout 60 $2 >"$work/server" 2>&1 &
	server=$!
	status=0
	wait_for 30 listening || status=99
	peer timeout 60 $3 >"$work/client" 2>&1 || status=$?
	wait $server || status=$?
	done_by "$name" $status
}

for space in kernel user; do
	ours="kverbs ping --space $space"
	there "rping -s there, client in $space space" "rping -s -p $port -S 4000" \
		"$ours --client $PEER --validate --count $count --size 4000 --port $port"
	there "rping -s there, client in $space space, IPv6" "rping -s -a $PEER6 -p $port" \
		"$ours --client $PEER6 --validate --count $count --port $port"
	here "rping -c there, server in $space space" "$ours --server --validate --count $count --port $port" \
		"rping -c -a $ADDR -p $port -C $count -S 4000 -V"
	here "rping -c there, server in $space space, IPv6" "$ours --server --validate --count $count --port $port" \
		"rping -c -a $ADDR6 -p $port -C $count -V"
	there "rdma_server there, client in $space space" "rdma_server -p $port" \
		"$ours --client $PEER --protocol rdma_client --port $port"
	here "rdma_client there, server in $space space" "$ours --server --protocol rdma_client --port $port" \
		"rdma_client -s $ADDR -p $port"
	there "ucmatose there, client in $space space" "ucmatose -c 3 -p $port" \
		"$ours --client $PEER --protocol ucmatose --connections 3 --port $port"
	here "ucmatose there, server in $space space" \
		"$ours --server --protocol ucmatose --connections 3 --port $port" "ucmatose -s $ADDR -c 3 -p $port"
	here "conn-rate, server in $space space, with cmtime there" \
		"kverbs conn-rate --server --space $space --count 10 --port $port" "cmtime -s $ADDR -c 10 -p $port"
	there "conn-rate, client in $space space, with ucmatose there" "ucmatose -C 0 -c 10 -p $port" \
		"kverbs conn-rate $PEER --space $space --count 10 --port $port"
	there "conn-rate in $space space on both hosts" \
		"kverbs conn-rate --server --space $space --count 10 --port $port" \
		"kverbs conn-rate $PEER --space $space --count 10 --parallel 5 --port $port"
	for type in rc srq; do
		ibv=ibv_${type}_pingpong
		peer timeout 60 $ibv -d "$DEV" -g "$GID" -n 100 -p $port >"$work/server" 2>&1 &
		server=$!
		status=0
		wait_for 30 peer grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6 || status=99
		timeout 60 kverbs pingpong "$PEER" --space $space --type $type --iters 100 --port $port \
			>"$work/client" 2>&1 || status=$?
		wait $server || status=$?
		done_by "$ibv there, client in $space space" $status
	done
	refused "$space: nobody listens there" 1 "$PEER:$port: nobody listens there" $ours --client "$PEER" --port $port
	refused "$space: no such host on the link" 1 "192.0.2.9:$port" \
		$ours --client 192.0.2.9 --port $port --timeout 3s
done
check "nothing is left here" wait_for 30 nothing_left
check "nothing is left there" wait_for 30 peer contract --balance
finish
