# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Programs that others wrote on the second host, kverbs on the first, in both spaces and on
# either side.
. ../vm/tap.sh
. ../vm/pair.sh

port=22000
count=20
# Of programs that wait for each other, and not for nothing.
patience=$(limit 20)

next_port() {
	port=$((port + 1))
}

listening() {
	rdma resource show cm_id | grep "state LISTEN" | grep -q ":$port "
}

peer_listening() {
	peer rdma resource show cm_id | grep "state LISTEN" | grep -q ":$port "
}

# By TCP; the local address and the state of each line: hex port, 0A is LISTEN.
peer_accepts() {
	peer grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# there NAME SERVER CLIENT REGEX: the server is on the second host
there() {
	name=$1
	both "$name" "wait_for 30 peer_listening" "peer tests/vm/within 60 $2" "within 60 $3"
	judge "$name" "$2" $server_status "$3" $client_status "$4"
	next_port
}

# here NAME SERVER CLIENT REGEX: the client is on the second host
here() {
	name=$1
	both "$name" "wait_for 30 listening" "within 60 $2" "peer tests/vm/within 60 $3"
	judge "$name" "$2" $server_status "$3" $client_status "$4"
	next_port
}

for space in kernel user; do
	ours="kverbs ping --space $space --timeout ${patience}s"
	there "rping -s there, client in $space space" "rping -s -p $port -S 4000" \
		"$ours --client $PEER --validate --count $count --size 4000 --port $port" "$count pings of 4000 bytes"
	there "rping -s there, client in $space space, IPv6" "rping -s -a $PEER6 -p $port" \
		"$ours --client $PEER6 --validate --count $count --port $port" "$count pings of 64 bytes"
	here "rping -c there, server in $space space" "$ours --server --validate --count $count --port $port" \
		"rping -c -a $ADDR -p $port -C $count -S 4000 -V" "$count pings of 4000 bytes"
	here "rping -c there, server in $space space, IPv6" "$ours --server --validate --count $count --port $port" \
		"rping -c -a $ADDR6 -p $port -C $count -V" "$count pings of 64 bytes"
	there "rdma_server there, client in $space space" "rdma_server -p $port" \
		"$ours --client $PEER --protocol rdma_client --port $port" "1 message each way of 16 bytes"
	here "rdma_client there, server in $space space" "$ours --server --protocol rdma_client --port $port" \
		"rdma_client -s $ADDR -p $port" "1 message each way of 16 bytes"
	there "ucmatose there, client in $space space" "ucmatose -c 3 -p $port" \
		"$ours --client $PEER --protocol ucmatose --connections 3 --port $port" \
		"10 messages each way of 100 bytes over each of 3 connections"
	here "ucmatose there, server in $space space" \
		"$ours --server --protocol ucmatose --connections 3 --port $port" "ucmatose -s $ADDR -c 3 -p $port" \
		"10 messages each way of 100 bytes over each of 3 connections"
	here "conn-rate, server in $space space, with cmtime there" \
		"kverbs conn-rate --server --space $space --count 10 --port $port" "cmtime -s $ADDR -c 10 -p $port" \
		"10 connections, $space space, passive side"
	there "conn-rate, client in $space space, with ucmatose there" "ucmatose -C 0 -c 10 -p $port" \
		"kverbs conn-rate $PEER --space $space --count 10 --port $port" "10 connections, $space space, active side"
	there "conn-rate in $space space on both hosts" \
		"kverbs conn-rate --server --space $space --count 10 --port $port" \
		"kverbs conn-rate $PEER --space $space --count 10 --parallel 5 --port $port" "5 at a time"
	for type in rc srq; do
		ibv=ibv_${type}_pingpong
		name="$ibv there, client in $space space"
		both "$name" "wait_for 30 peer_accepts" \
			"peer tests/vm/within 60 $ibv -d $DEV -g $GID -n 100 -p $port" \
			"within 60 kverbs pingpong $PEER --space $space --type $type --iters 100 --port $port --timeout ${patience}s"
		judge "$name" $ibv $server_status "kverbs pingpong" $client_status \
			'^100 (iters|messages)'
		next_port
	done
	refused "$space: nobody listens there" 1 "$PEER:$port: nobody listens there" $ours --client "$PEER" --port $port
	refused "$space: no such host on the link" 1 "192.0.2.9:$port" \
		$ours --client 192.0.2.9 --port $port --timeout 3s
done
check "nothing is left here" wait_for 30 nothing_left
check "nothing is left there" wait_for 30 peer contract --balance
finish
