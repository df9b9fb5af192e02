# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Connections of the RDMA CM with programs that others wrote: rping, rdma_client and
# rdma_server, ucmatose, cmtime; from both spaces, on either side.
. ./tap.sh
. ./pair.sh

port=21000
# Of programs that wait for each other, and not for nothing.
patience=$(limit 20)
# siw's accepting side may not notice a client's first message (docs/iwarp.md): then both wait, and a new
# connection is made, up to this many times.
tries=1
if iwarp; then
	patience=$(limit 5)
	tries=8
fi
missed="nothing came for .*; siw can miss the first message"
# Nor the client its server's answer, if the end of the stream follows at once.
missed="$missed|after [0-9]+ connections: .* was ended"
count=$(fewer 20 5)
# cmtime's client looks for events and never sleeps: on one CPU its server has to wait.
many=20
[ "$(nproc)" -gt 1 ] || many=$(fewer 5 4)

# link_takes TIME: on iWARP, so that the accepting side is ready before the first message comes
link_takes() {
	! iwarp || tc qdisc replace dev lo root netem delay "$1"
}

next_port() {
	port=$((port + 1))
}

listening() {
	rdma resource show cm_id | grep "state LISTEN" | grep -q ":$port "
}

# meet NAME SERVER CLIENT: runs both until no first message is missed
meet() {
	for try in $(seq $tries); do
		both "$1" "wait_for 20 listening" "within 60 $2" "within 60 $3"
		iwarp && cat "$work/server" "$work/client" | grep -E "$missed" >"$work/missed" || return 0
		note "$1: try $try: $(cat "$work/missed")"
	done
}

# pair NAME SERVER CLIENT REGEX: one of them is ours, or both are
pair() {
	name=$1
	meet "$name" "$2" "$3"
	judge "$name" "$2" $server_status "$3" $client_status "$4"
	next_port
}

# said NAME REGEX FILE
said() {
	if grep -qE -- "$2" "$3"; then
		pass "$1"
	else
		echo "want \"$2\"" >"$work/why"
		fail "$1" "$work/why" "$3"
	fi
}

# A server at any address takes IPv4 and IPv6; on iWARP IPv4 alone.
any6=
! iwarp || any6=$ADDR6
# Ours and ucmatose's begin to send, which iWARP's accepting side must not: the client may take its first
# message for a part of the answer, and then fails (RFC 5044, 7.1.2).
server_first="message of the accepting side before the other's"

for space in kernel user; do
	ours="kverbs ping --space $space --timeout ${patience}s"
	link_takes 5ms
	for address in "$ADDR" "$ADDR6"; do
		for size in 64 65535; do
			pair "rping -c of $size bytes, server in $space space, $address" \
				"$ours --server $address --validate --count $count --port $port" \
				"rping -c -a $address -p $port -C $count -S $size -V" \
				"$count pings of $size bytes"
			pair "rping -s, client of $size bytes in $space space, $address" \
				"rping -s -a $address -p $port -S $size" \
				"$ours --client $address --validate --count $count --size $size --port $port" \
				"$count pings of $size bytes"
		done
	done
	pair "rping -c of its least size, server in $space space" \
		"$ours --server --validate --count 3 --port $port" \
		"rping -c -a $ADDR -p $port -C 3 -S 23 -V" "3 pings of 23 bytes"
	name="rping -c -q, whose QP is its own, server in $space space at any address"
	lacks "$name" "confirmation of the peer's answer, which rping -c -q asks for" || pair "$name" \
		"$ours --server --validate --count $count --port $port" \
		"rping -c -q -a $ADDR -p $port -C $count -V" "$count pings of 64 bytes"
	pair "rping -s -q, client of 1 byte in $space space" \
		"rping -s -q -a $ADDR -p $port" \
		"$ours --client $ADDR --validate --count $count --size 1 --port $port" \
		"$count pings of 1 bytes"
	pair "rping -c prints what the server in $space space wrote" \
		"$ours --server --port $port" "rping -c -v -a $ADDR -p $port -C 3 -S 40" "3 pings"
	said "as it should be" "ping data: rdma-ping-2: CDEFGHIJKLMNOPQR" "$work/client"
	pair "rping -s prints what the client in $space space sent" \
		"rping -s -v -a $ADDR -p $port" "$ours --client $ADDR --count 3 --size 40 --port $port" "3 pings"
	said "as it should be, too" "server ping data: rdma-ping-2: CDEFGHIJKLMNOPQR" "$work/server"

	for address in "$ADDR" "$ADDR6"; do
		pair "rdma_client, server in $space space, $address" \
			"$ours --server $address --protocol rdma_client --port $port" \
			"rdma_client -s $address -p $port" "1 message each way of 16 bytes"
		pair "rdma_server, client in $space space, $address" \
			"rdma_server -s $address -p $port" \
			"$ours --client $address --protocol rdma_client --port $port" "1 message each way of 16 bytes"
		lacks "ucmatose in $space space, $address" "$server_first" && continue
		pair "ucmatose, client, server in $space space, $address" \
			"$ours --server $address --protocol ucmatose --connections 4 --port $port" \
			"ucmatose -s $address -c 4 -p $port" "10 messages each way of 100 bytes over each of 4 connections"
		pair "ucmatose, server, client in $space space, $address" \
			"ucmatose -b $address -c 4 -p $port" \
			"$ours --client $address --protocol ucmatose --connections 4 --port $port" \
			"10 messages each way of 100 bytes over each of 4 connections"
	done
	name="ucmatose, server, 30 messages of 5000 bytes, client in $space space"
	lacks "$name" "$server_first" || pair "$name" \
		"ucmatose -C 30 -S 5000 -p $port" \
		"$ours --client $ADDR --protocol ucmatose --count 30 --size 5000 --port $port" \
		"30 messages each way of 5000 bytes"

	# How many connections a second; cmtime's server ends with a signal only.
	link_takes 0ms
	rate="kverbs conn-rate --space $space"
	pair "conn-rate, server in $space space: cmtime is the client" \
		"$rate --server --count $many --port $port" "cmtime -s $ADDR -c $many -p $port" \
		"$many connections, $space space, passive side"
	said "cmtime has connected all" "^connect +: +[1-9]" "$work/client"
	pair "conn-rate, client in $space space: ucmatose is the server" \
		"ucmatose -C 0 -c $many -p $port" "$rate $ADDR --count $many --port $port" \
		"$many connections, $space space, active side, 1 at a time"
	pair "conn-rate, server in $space space: ucmatose is the client, and waits for the end" \
		"$rate --server --count $many --disconnect --port $port" "ucmatose -C 0 -s $ADDR -c $many -p $port" \
		"$many connections, $space space, passive side"
	pair "conn-rate with itself in $space space over IPv6, 4 at a time" \
		"$rate --server $any6 --count $many --port $port" "$rate $ADDR6 --count $many --parallel 4 --port $port" \
		"4 at a time"
done
link_takes 5ms
pair "from the kernel to user space" \
	"kverbs ping --server user --validate --port $port" \
	"kverbs ping --client kernel $ADDR --validate --iters $count --size 64k --port $port" \
	"$count pings of 65536 bytes"
pair "from user space to the kernel" \
	"kverbs ping --server kernel $any6 --validate --port $port" \
	"kverbs ping --client=user $ADDR6 --validate -n $count --size 64k --port $port" \
	"$count pings of 65536 bytes"

# Figures of cmtime and ours, of connections that are all made at the same time. A server of
# cmtime's serves only once: it leaves its QPs, and makes no more when its first connection is gone.
with_cmtime() {
	within 60 cmtime -p $port >"$work/server" 2>&1 &
	server=$!
	wait_for 20 listening
	within 60 "$@" >"$work/client" 2>&1
	status=$?
	kill $server
	wait $server 2>/dev/null
	next_port
	return $status
}
with_cmtime cmtime -s "$ADDR" -c $many -p $port
theirs=$(awk -v n=$many '/ : / || /: +[0-9]/ { split($0, part, ":"); split(part[2], v, " "); sum += v[1] }
	END { if (sum) printf "%.1f", n * 1e3 / sum }' "$work/client")
[ -n "$theirs" ] || note "$(tr '\n' '|' <"$work/client")"
for space in kernel user; do
	ours=
	with_cmtime kverbs conn-rate "$ADDR" --space $space --count $many --parallel $many --port $port --json="$work/json" &&
		ours=$(jq -r .result.connections_per_second "$work/json") && keep "conn-rate-$space" "$work/json"
	if [ -n "$theirs" ] && [ -n "$ours" ] && [ "$ours" != null ]; then
		pass "$many connections at a time: kverbs conn-rate in $space space ${ours}/s, cmtime ${theirs}/s"
	else
		fail "$many connections at a time: kverbs conn-rate in $space space '$ours', cmtime '$theirs'" \
			"$work/client" "$work/server"
	fi
	check "each step has its cost" jq -e --argjson n $many '.schema == "kverbs.conn-rate" and .complete and
		.result.connections == $n and ([.result.steps[].step] == ["create_id", "resolve_addr", "resolve_route",
		"create_qp", "connect", "disconnect", "destroy_id", "destroy_qp"]) and
		all(.result.steps[]; .samples == $n and .verb.min_ns > 0 and .until_seen.min_ns > 0 and
		([.until_seen.histogram[][2]] | add) == $n)' "$work/json"
done

# Each failure is named.
for space in kernel user; do
	ours="kverbs ping --space $space --timeout 2s --port $port"
	refused "$space: nobody listens" 1 "$ADDR:$port: nobody listens there" $ours --client "$ADDR"
	refused "$space: nobody listens, over IPv6" 1 "[$ADDR6]:$port: nobody listens there" $ours --client "$ADDR6"
	refused "$space: nobody listens for conn-rate" 1 "after 0 connections: $space space: cannot connect to $ADDR:$port: nobody" \
		kverbs conn-rate "$ADDR" --space $space --port $port
	refused "$space: no such host" 1 "nosuch.invalid port $port" $ours --client nosuch.invalid
	refused "$space: no route" 1 "10.99.0.1:$port not resolved" $ours --client 10.99.0.1
	refused "$space: a host that is not there" 1 "cannot connect to 192.0.2.99:$port: nobody answers" \
		$ours --client 192.0.2.99
	refused "$space: an address that is not ours" 1 "10.99.0.1:$port" $ours --server 10.99.0.1
	refused "$space: an unknown device" 1 "nosuch0" $ours --client "$ADDR" --dev nosuch0

	# against NAME TEXT OURS THEIRS: our server says TEXT and fails
	against() {
		name=$1 text=$2
		meet "$name" "$3" "$4"
		if [ $server_status = 0 ]; then
			fail "$name: it must not succeed" "$work/server"
		else
			said "$name" "$text" "$work/server"
		fi
		next_port
		ours="kverbs ping --space $space --timeout ${patience}s --port $port"
	}
	ours="kverbs ping --space $space --timeout ${patience}s --port $port"
	against "$space: a ping that is too long" "the client's pings have 1000 bytes; this side takes 1 to 100" \
		"$ours --server --size 100" "rping -c -a $ADDR -p $port -C 5 -S 1000"
	against "$space: fewer pings than wanted" "has closed the connection after 5 pings, and not after 9" \
		"$ours --server --count 9" "rping -c -a $ADDR -p $port -C 5"
	against "$space: a client that connects and goes" "closed the connection|the connection with .* was ended" \
		"$ours --server" "kverbs conn-rate $ADDR --space $space --count 1 --port $port"
	lacks "$space: messages of another length" "$server_first" || {
		kverbs ping --space $space --server --protocol ucmatose --size 20 --port $port >"$work/out" 2>&1 &
		server=$!
		wait_for 20 listening
		refused "$space: messages of another length" 1 "a message of 20 bytes came, and not of 50" \
			$ours --client "$ADDR" --protocol ucmatose --size 50
		wait $server
		check "$space: which the other side sees, too" test $? = 1
		next_port
	}
	ours="kverbs ping --space $space --timeout ${patience}s --port $port"

	# A server that dies in the middle. Its kernel destroys its objects one by one: if the MR of a posted
	# receive goes before the connection does, a ping that arrives between them is answered with a NAK.
	rping -s -a "$ADDR" -p $port >/dev/null 2>&1 &
	server=$!
	wait_for 20 listening
	within 30 $ours --client "$ADDR" >"$work/out" 2>&1 &
	client=$!
	rest 20
	kill -9 $server
	wait $server 2>/dev/null
	if wait $client; then
		fail "$space: a server that dies" "$work/out"
	else
		said "$space: a server that dies" "^kverbs: ping [0-9]+, until the server has .*: (the peer has closed|a send ended with remote operation error)" "$work/out"
	fi
	next_port

	ours="kverbs ping --space $space --timeout 2s --port $port"
	# One that says nothing: ucmatose waits for a second connection.
	within 30 ucmatose -c 2 -C 1 -S 16 -p $port >/dev/null 2>&1 &
	server=$!
	wait_for 20 listening
	refused "$space: a server that says nothing" 1 "ping 0, until the server has read it: nothing came for 2 s" \
		$ours --client "$ADDR"
	kill $server
	wait $server 2>/dev/null
	next_port

	ours="kverbs ping --space $space --timeout 2s --port $port"
	$ours --server >"$work/out" 2>&1 &
	server=$!
	wait_for 20 listening
	refused "$space: a port that is taken" 1 ":$port" $ours --server
	kill -INT $server
	wait $server
	check "$space: Ctrl-C ends a server that waits" test $? = 130
	said "$space: and it says so" interrupted "$work/out"
	next_port

	kverbs conn-rate --server --space $space --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 20 listening
	check "$space: one connection" kverbs conn-rate "$ADDR" --count 1 --space $space --port $port
	kill -INT $server
	wait $server
	check "$space: Ctrl-C ends conn-rate's server" test $? = 130
	said "$space: which tells what it has" "1 connections, $space space, passive side" "$work/out"
	next_port

	# A peer whose request stands when it goes.
	kverbs conn-rate --server --space $space --count 1 --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 20 listening
	kill -STOP $server
	kverbs batch - --space user >"$work/why" 2>&1 <<-END
		pd add name p
		cq add cqe 8 name c
		qp add pd p cq c name q
		conn connect $ADDR:$port qp q no-wait
		sleep 1s
	END
	kill -CONT $server
	check "$space: a peer that goes does not end conn-rate's server" \
		kverbs conn-rate "$ADDR" --count 1 --space $space --port $port
	wait $server
	check "$space: which ends as it should" test $? = 0
	[ $space = kernel ] || iwarp ||
		said "$space: and tells of the peer" "Peers that gave up before they were accepted: 1" "$work/out"
	next_port
done
# krping's server_inv, spoken by both sides. The other side is a program of our own, with libibverbs, or kverbs.
for space in kernel user; do
	pair "server_inv in $space space, client in kernel space" \
		"kverbs ping --server $space --invalidate --validate --timeout ${patience}s --port $port" \
		"kverbs ping --client kernel $ADDR --invalidate --validate --timeout ${patience}s --iters $count --size 4000 --port $port" \
		"$count pings of 4000 bytes .*, each key invalidated by the server"
	name="server_inv in $space space, a client whose keys are of memory windows"
	lacks "$name" "memory windows" || pair "$name" \
		"kverbs ping --server $space --invalidate --iters 4 --timeout ${patience}s --port $port" \
		"client_inv $ADDR $port" "4 pings of 4000 bytes .*, each key invalidated by the server"
	lacks "$name: it has seen that" "memory windows" || said "$name: it has seen that" "^8 keys invalidated" "$work/client"
done
pair "server_inv is a program, client in kernel space" "server_inv $ADDR $port" \
	"kverbs ping --client kernel $ADDR --invalidate --timeout ${patience}s --iters 4 --port $port" \
	"4 pings of 64 bytes .*, each key invalidated by the server"

# One side speaks it, and the other does not.
# odd NAME TEXT SERVER CLIENT: TEXT is what ours says to that
odd() {
	meet "$1" "$3" "$4"
	cat "$work/server" "$work/client" >"$work/out"
	said "$1" "$2" "$work/out"
	next_port
}
odd "a client of server_inv, rping is the server" "its go-ahead invalidates no key: the peer does not speak krping's server_inv" \
	"rping -s -a $ADDR -p $port" "kverbs ping --client kernel $ADDR --invalidate --timeout ${patience}s --count 3 --port $port"
iwarp || for space in kernel user; do
	odd "a server of server_inv in $space space, rping is the client" "a client without krping's server_inv ends in this way, too" \
		"kverbs ping --server $space --invalidate --timeout 5s --port $port" "rping -c -a $ADDR -p $port -C 3"
done
refused "server_inv, and keys of ibv_reg_mr()" 2 "a peer can't invalidate a key of ibv_reg_mr()" \
	kverbs ping --client user "$ADDR" --invalidate
refused "server_inv, and messages without keys" 2 "--invalidate is for --protocol rping" \
	kverbs ping --server user --invalidate --protocol ucmatose

# krping's server_inv against a side that does not speak it: the client by hand; the server is a program of our own.
id() {
	awk '{ print $2; exit }'
}

# hand_client: tells where its bytes are, and goes after the go-ahead
hand_client() {
	pd=$(kverbs pd add | id)
	cq=$(kverbs cq add cqe 16 | id)
	qp=$(kverbs qp add pd "$pd" cq "$cq" | id)
	message=$(kverbs buf add length 128 | id)
	kverbs qp modify "$qp" state init access remote-read
	kverbs post recv qp "$qp" sge buf "$message" offset 32 length 16
	conn=$(kverbs conn connect "$ADDR:$port" qp "$qp" timeout 20s | id)
	source=$(kverbs buf add length 64 | id)
	kverbs mr reg "$(kverbs mr add pd "$pd" | id)" buf "$source" qp "$qp" access remote-read >"$work/reg"
	kverbs buf write "$message" hex "$(printf '%016x%08x%08x' "$(reg iova)" "$(reg rkey)" 64)"
	kverbs post send qp "$qp" sge buf "$message" length 16
	kverbs poll cq "$cq" count 2 timeout 20s
	kverbs conn disconnect "$conn"
}

# reg FIELD: of the last registration
reg() {
	tr '\n' ' ' <"$work/reg" | sed -n "s/.* $1 \([^ ]*\).*/\1/p"
}

# says_inv NAME END HINT: how it ended, and what our side says to that
says_inv() {
	said "krping's server_inv: $1" "$2.*krping's server_inv ends in this way, too: $3" "$work/out"
	kverbs flush >/dev/null
	next_port
}

if ! iwarp; then
	for space in kernel user; do
		kverbs ping --server --space $space --port $port >"$work/out" 2>&1 &
		server=$!
		wait_for 20 listening
		hand_client >"$work/why" 2>&1
		wait $server
		says_inv "a client goes after the go-ahead, $space space" "closed the connection" "the client waits"
	done
	for space in kernel user; do
		server_inv "$ADDR" $port &
		server=$!
		wait_for 20 listening
		kverbs ping --client "$ADDR" --space $space --port $port --count 3 --timeout 10s >"$work/out" 2>&1
		kill $server 2>/dev/null
		wait $server 2>/dev/null
		if [ $space = kernel ]; then
			says_inv "a key is used again, kernel space" "ping 1, .* closed the connection" "the go-ahead has invalidated"
		else
			says_inv "a key that can't be invalidated, user space" "ping 0, .* remote invalid request" \
				"the go-ahead invalidates"
		fi
	done
fi

refused "kernel: no privilege" 1 "CAP_NET_ADMIN" \
	setpriv --reuid 65534 --clear-groups kverbs ping --client "$ADDR" --space kernel
refused "both sides" 2 "cannot be both" kverbs ping --space user --server --client "$ADDR"
refused "two spaces" 2 "--space user does not go with --server kernel" kverbs ping --space user --server kernel
refused "a space that is none" 2 "'outer' is not known" kverbs ping --server=outer
refused "no address for conn-rate" 2 "the server's address is missing" kverbs conn-rate --client user
refused "no address" 2 "the server's address is missing" kverbs ping --space user --client
refused "no space" 2 "--space is missing" kverbs ping --client "$ADDR"
refused "too long" 2 "--size 65537 is too much" kverbs ping --client "$ADDR" --space user --size 65537
refused "a size that is fixed" 2 "one message of 16 bytes" \
	kverbs ping --client "$ADDR" --space user --protocol rdma_client --size 17
refused "bytes without a meaning" 2 "--validate is for --protocol rping" \
	kverbs ping --client "$ADDR" --space user --protocol ucmatose --validate
refused "conn-rate: no address" 2 "the server's address is missing" kverbs conn-rate --space user
refused "conn-rate: --parallel of a server" 2 "--parallel is for the client" \
	kverbs conn-rate --server --space user --parallel 2
refused "conn-rate: an end that never comes" 2 "--disconnect needs --iters" \
	kverbs conn-rate --server --space user --disconnect
# A peer that has gone before it is accepted: it connects and closes while no work queue can run. Debian's siw then
# closes the listener (scripts/siw.patch).
for space in kernel user; do
	name="conn-rate, server in $space space: a peer that goes at once"
	if ! iwarp; then
		skip "$name" "only iWARP's connections begin as connections of TCP"
		continue
	fi
	kverbs conn-rate --server --space $space --count 1 --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 20 listening
	chrt -f 50 bash -c "exec 3<>/dev/tcp/$ADDR/$port" 2>"$work/gone"
	sleep 1
	if within 60 kverbs conn-rate "$ADDR" --space $space --count 1 --port $port >"$work/client" 2>&1 && wait $server; then
		pass "$name"
	else
		kill $server 2>/dev/null
		fail "$name" "$work/gone" "$work/out" "$work/client"
	fi
	next_port
done
no_connections() {
	! rdma resource show cm_id | grep -E "kverbs"
}
check "no connection is left" wait_for 5 no_connections
check "nothing is left" nothing_left
! iwarp || tc qdisc del dev lo root
finish
