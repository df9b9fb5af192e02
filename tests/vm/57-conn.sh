# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Connections of the RDMA CM by hand: in the kernel step by step, in user space in a batch,
# and from one to the other. The first of them is in examples/19-connect-cm.kv.
. ./hand.sh

# added COMMAND…: makes an object; prints its id
added() {
	kverbs "$@" | awk '{ print $2; exit }'
}

# field NAME FILE: the word behind the first word NAME in a file
field() {
	sed -n "s/.*\\<$1 \\([^ ]*\\).*/\\1/p" "$2" | head -n 1
}

# grows FILE PATTERN: the file gets a line like that
grows() {
	wait_for 60 grep -E -- "$2" "$1"
}

# told NAME STATUS PATTERN COMMAND…: the command ends like this, and says something like that
told() {
	name=$1 want=$2 pattern=$3
	shift 3
	status=0
	"$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	# The pattern is meant as one.
	# shellcheck disable=SC2254
	case $status:$(cat "$work/stderr") in
	$want:"kverbs: "$pattern)
		pass "$name"
		;;
	*)
		echo "want status $want and \"kverbs: $pattern\"; got status $status and:" >"$work/why"
		fail "$name" "$work/why" "$work/stderr" "$work/stdout"
		;;
	esac
}

# says NAME PATTERN FILE: as has, of what is printed in several lines
says() {
	awk '/^    / { sub(/^ +/, " "); printf "%s", $0; next }
		NR > 1 { print "" }
		{ printf "%s", $0 }
		END { print "" }' "$3" >"$work/flat"
	has "$1" "$2" "$work/flat"
}

# ended NAME PID FILE…: the tool in the background ends well
ended() {
	if wait "$2"; then
		pass "$1"
	else
		name=$1
		shift 2
		fail "$name" "$@"
	fi
}

# state ID: of a conn
state() {
	kverbs conn show "$1" --json | sed -n 's/.*"state": *"\([^"]*\)".*/\1/p'
}

# qp_state ID
qp_state() {
	kverbs qp show "$1" --json | sed -n 's/.*"state": *"\([^"]*\)".*/\1/p'
}

# How a peer's refusal and a port where nobody listens are told. iWARP has no reasons.
consumer="consumer defined (28)"
nobody_listens="nobody listens there: rejected: invalid service ID (8) (ECONNREFUSED)"
if iwarp; then
	consumer="* (-104)"
	nobody_listens="nobody listens there: * (ECONNREFUSED)"
fi

objects >"$work/resources"
everything >"$work/before"

pd=$(added pd add)
cq=$(added cq add cqe 64)
buf=$(added buf add length 4k)

# --- a life in the kernel, a command for each step, over IPv4 and over IPv6
for addr in "$ADDR" "$ADDR6"; do
	a=$(added qp add pd "$pd" cq "$cq")
	b=$(added qp add pd "$pd" cq "$cq")
	kverbs conn listen "$addr" backlog 4 >"$work/out"
	listener=$(awk '{ print $2; exit }' "$work/out")
	where=$(field src "$work/out")
	# [ and ] are not meant as those of a pattern.
	shown=$(echo "$where" | sed 's/\[/\\[/')
	says "$addr: a listener has a port of its own" \
		"conn $listener dev $DEV persistent state listening src $shown port ${where##*:} backlog 4 waiting 0" "$work/out"

	kverbs conn connect "$where" qp "$a" access remote-write private-data 'May I?' timeout 60s \
		>"$work/active" 2>"$work/err" &
	active=$!
	kverbs conn get-request "$listener" timeout 60s >"$work/out"
	in=$(awk '{ print $2; exit }' "$work/out")
	same "$addr: a request waits for an answer" requested "$(state "$in")"
	kverbs conn show "$in" --json >"$work/json"
	check "$addr: it is one document of JSON" json "$work/json"
	check "$addr: with the private data" grep -F '"private_data": "May I?"' "$work/json"
	check "$addr: and the listener" grep -F "\"listener\": $listener" "$work/json"
	check "$addr: conn show lists both, and the one that asks" \
		test "$(kverbs conn show --json | grep -c '"id":')" = 3
	check "$addr: it is accepted" kverbs conn accept "$in" qp "$b" private-data hex:4f4bff timeout 60s
	ended "$addr: the connection is made" $active "$work/err"
	out=$(awk '{ print $2; exit }' "$work/active")
	says "$addr: the connection tells where it goes" "conn $out dev $DEV persistent state established * dst $shown *" \
		"$work/active"
	same "$addr: the answer's private data" 'OK\xff' \
		"$(kverbs conn show "$out" --json | sed -n 's/.*"private_data": *"\(.*\)".*/\1/p' | sed 's/\\\\/\\/')"
	same "$addr: the active QP" rts "$(qp_state "$a")"
	same "$addr: the passive QP" rts "$(qp_state "$b")"
	told "$addr: a QP with a connection" 1 "qp del: qp $a is in use by conn $out: delete that first (EBUSY)" \
		kverbs qp del "$a"

	kverbs post recv qp "$b" sge buf "$buf" length 64 wr-id 9
	kverbs post send qp "$a" sge buf "$buf" length 8 wr-id 8
	kverbs poll cq "$cq" count 2 timeout 60s >"$work/out"
	has "$addr: a message arrives" "wr-id 9 op recv status success (0) length 8 qp $b" "$work/out"

	# Once from this side, once from the other.
	end=$out other=$in
	[ "$addr" = "$ADDR" ] || end=$in other=$out
	kverbs conn disconnect "$end" timeout 60s >"$work/out"
	says "$addr: it is ended" "conn $end dev $DEV persistent state disconnected *" "$work/out"
	kverbs conn wait "$other" state disconnected timeout 60s >"$work/out"
	says "$addr: the peer sees that" "conn $other dev $DEV persistent state disconnected *" "$work/out"
	same "$addr: the active QP is in" err "$(qp_state "$a")"
	same "$addr: the passive QP is in" err "$(qp_state "$b")"
	check "$addr: what is disconnected already is" kverbs conn disconnect "$end"

	# With a reason, and what it says.
	c=$(added qp add pd "$pd" cq "$cq")
	kverbs conn connect "$where" qp "$c" timeout 60s >"$work/active" 2>"$work/err" &
	active=$!
	kverbs conn get-request "$listener" timeout 60s >"$work/out"
	no=$(awk '{ print $2; exit }' "$work/out")
	kverbs conn reject "$no" private-data 'not today' >"$work/out"
	says "$addr: a request is rejected" "conn $no dev $DEV persistent state rejected *" "$work/out"
	wait $active
	same "$addr: then connect fails: exit status" 1 $?
	has "$addr: and says who, why, and what for" \
		"kverbs: conn connect: cannot connect to $shown: rejected by the peer: $consumer, private data 'not today' (ECONNREFUSED)" "$work/err"
	for conn in "$no" "$in" "$out" "$listener"; do
		kverbs conn del "$conn"
	done
	kverbs qp modify "$c" state reset >/dev/null
	told "$addr: nobody listens" 1 "conn connect: cannot connect to $shown: $nobody_listens" \
		kverbs conn connect "$where" qp "$c" timeout 60s
	same "$addr: no conn is left of all that" "" "$(kverbs conn show)"
	for qp in "$a" "$b" "$c"; do
		kverbs qp del "$qp"
	done
done
# On iWARP the end of the stream may come with the answer, and then the connection has failed.
linger=
! iwarp || linger="sleep 500ms"

# --- from one space to the other: one end is in a batch, the other one made by commands
for addr in "$ADDR" "$ADDR6"; do
	a=$(added qp add pd "$pd" cq "$cq")
	kverbs conn listen "$addr" >"$work/out"
	listener=$(awk '{ print $2; exit }' "$work/out")
	where=$(field src "$work/out")
	batch user <<-END &
		pd add name p
		cq add cqe 8 name c
		qp add pd p cq c name q
		buf add length 64 name m
		mr add pd p name key
		mr reg key buf m access local-write
		qp modify q state init access none
		post recv qp q sge mr key
		conn connect $where qp q private-data 'from user space' timeout 60s name out
		expect private-data 'from the kernel'
		poll cq c count 1 timeout 60s
		buf read m length 5
		expect text hello
		conn wait out state disconnected timeout 60s
	END
	tool=$!
	kverbs conn accept "$listener" qp "$a" private-data 'from the kernel' timeout 60s >"$work/in"
	in=$(awk '{ print $2; exit }' "$work/in")
	check "$addr: the kernel accepts user space" \
		grep -F '"private_data": "from user space"' <<-END
			$(kverbs conn show "$in" --json)
		END
	kverbs buf write "$buf" text hello
	kverbs post send qp "$a" sge buf "$buf" length 5
	kverbs poll cq "$cq" count 1 timeout 60s >"$work/poll"
	has "$addr: and sends to it" "wr-id 0 op send status success (0) qp $a" "$work/poll"
	check "$addr: and ends it" kverbs conn disconnect "$in" timeout 60s
	ended "$addr: user space has got it, and sees the end" $tool "$work/err" "$work/out"
	kverbs conn del "$in"
	kverbs conn del "$listener"

	kverbs qp modify "$a" state reset >/dev/null
	batch user <<-END &
		pd add name p
		cq add cqe 8 name c
		qp add pd p cq c name q
		conn listen $addr name l
		echo listening at \$l.src
		conn get-request l timeout 60s name in
		conn accept in qp q private-data 'welcome' timeout 60s
		$linger
		conn disconnect in timeout 60s
	END
	tool=$!
	grows "$work/out" 'listening at'
	where=$(sed -n 's/listening at //p' "$work/out")
	kverbs conn connect "$where" qp "$a" timeout 60s >"$work/in" 2>"$work/why"
	out=$(awk '{ print $2; exit }' "$work/in")
	check "$addr: user space accepts the kernel" grep -F 'private-data welcome' "$work/in"
	kverbs conn wait "$out" state disconnected timeout 60s >"$work/in"
	says "$addr: and ends it, which the kernel sees" "conn $out dev $DEV persistent state disconnected *" "$work/in"
	ended "$addr: and that is all" $tool "$work/err"
	kverbs conn del "$out"
	kverbs qp del "$a"
done

# --- what is wrong, in both spaces: errno | kernel | user space, if it says it otherwise | command
table() {
	cat <<END
EADDRNOTAVAIL | cannot listen on 10.9.9.9: src is not an address of an RDMA device here, or its port is in use | cannot listen on 10.9.9.9: *Cannot assign requested address* | conn listen 10.9.9.9
ERANGE | cannot listen on $ADDR: backlog: integer out of range: it takes 1 to 1024 | cannot listen on $ADDR: backlog is 0: it must be 1 to 1024 | conn listen $ADDR backlog 0
= conn listen $ADDR name l
EADDRINUSE | cannot listen on $ADDR:*port is in use: take another one, or 0 | | conn listen \$l.src
ETIMEDOUT | no request has come to conn * within * s | | conn get-request l timeout 100ms
ENOENT | *no conn with this id among yours; there [ai]* | *no conn with id 4000000 in user space; there [ai]* | conn get-request 4000000
ENOENT | *no qp with this id among yours; there [ai]* | no qp with id 4000000 in user space; there [ai]* | conn accept l qp 4000000
ENOENT | *no qp with this id among yours; there [ai]* | no qp with id 4000000 in user space; there [ai]* | conn connect $ADDR:5 qp 4000000
ENOENT | *no conn with this id among yours; there [ai]* | no conn with id 4000000 in user space; there [ai]* | conn accept 4000000 qp a
ETIMEDOUT | no request has come to conn * within * s | | conn accept l qp a timeout 100ms
EINVAL | *the conn listens: take its requests, or delete it | | conn reject l
EINVAL | *the conn listens: take its requests, or delete it | | conn disconnect l
EINVAL | conn * is listening: there is nothing to wait for | | conn wait l
ENETUNREACH | address 10.9.9.9:5 not resolved: *no route leads to dst | address 10.9.9.9:5 not resolved: *Network is unreachable* | conn connect 10.9.9.9:5 qp a
EADDRNOTAVAIL | address $ADDR:5 not resolved: src is not an address of an RDMA device here, or its port is in use | address $ADDR:5 not resolved: *Cannot assign requested address* | conn connect $ADDR:5 qp a src 10.9.9.9
EINVAL | address $ADDR:5 not resolved: src and dst must be of the same family | address $ADDR:5 not resolved: src and dst are not of the same family | conn connect $ADDR:5 qp a src $ADDR6
EINVAL | cannot connect to $ADDR:5: *the qp must be an RC one | | conn connect $ADDR:5 qp u
EINVAL | cannot connect to $ADDR:5: *the qp must be in RESET or INIT: reset it | | conn connect $ADDR:5 qp r
EINVAL | cannot connect to $ADDR:5: private_data: a request transports at most 56 bytes | cannot connect to $ADDR:5: private_data has 57 bytes: a request carries at most 56 | conn connect $ADDR:5 qp a private-data 123456789012345678901234567890123456789012345678901234567
EINVAL | *responder_resources is above the device's max_qp_rd_atom* | *responder_resources is 255, above the device's max_qp_rd_atom, * | conn connect $ADDR:5 qp a responder-resources 255
ETIMEDOUT | cannot connect to ${ADDR%.*}.77:5: nobody answers* | | conn connect ${ADDR%.*}.77:5 qp a timeout 1s
= conn show
= qp modify a state reset
ECONNREFUSED | cannot connect to $ADDR:5: ${nobody_listens% *} | | conn connect $ADDR:5 qp a timeout 60s
= qp modify a state reset
= conn connect \$l.src qp a no-wait name o
EBUSY | *the qp is in use by another conn: delete that conn first | | conn connect \$l.src qp a
EINVAL | *the peer has not answered yet: wait for answered | | conn accept o qp b
EINVAL | *the peer has not answered yet: wait for answered | | conn disconnect o
= conn get-request l timeout 60s name i
EBUSY | *the qp is in use by another conn: delete that conn first | | conn accept i qp a no-wait
EINVAL | *the qp must be an RC one | | conn accept i qp u no-wait
EINVAL | *the qp must be in RESET or INIT: reset it | | conn accept i qp r no-wait
= conn accept i qp b no-wait
EINVAL | *the peer has not confirmed yet: wait for established | | conn accept i qp b no-wait
= conn wait o timeout 60s
= conn wait i timeout 60s
= conn wait i
ETIMEDOUT | the connection with $ADDR:* is still established after * s | | conn wait i state disconnected timeout 100ms
EBUSY | qp * is in use by conn * (i): delete that first | | qp del b
= conn del o
= conn wait i state disconnected timeout 60s
ECONNABORTED | the connection with $ADDR:* was ended | | conn wait i
= conn disconnect i
= conn del i
# A QP that a connection has left behind serves another one.
= qp modify a state reset
= qp modify b state reset
= qp modify b state init access remote-read
EINVAL | cannot connect to *: access goes with a qp in RESET: in INIT it has its rights already | | conn connect \$l.src qp b access local-write no-wait
= conn connect \$l.src qp a no-wait name o
= conn get-request l timeout 60s name i
= conn accept i qp b no-wait
= conn wait o timeout 60s
= conn del l
= conn wait i timeout 60s
# A request that is deleted is rejected.
= qp add pd p cq c name d
= conn listen $ADDR6 name l
= conn connect \$l.src qp d no-wait name late
= conn get-request l timeout 60s name no
= conn del no
ECONNREFUSED | cannot connect to \\[$ADDR6]:*: rejected by the peer: $consumer | | conn wait late timeout 60s
= conn del late
END
}
# shellcheck disable=SC2016
prelude='pd add name p
cq add cqe 16 name c
qp add pd p cq c name a
qp add pd p cq c name b
qp add pd p cq c name r'
if iwarp; then
	prelude="$prelude"'
qp modify r state init access none
qp modify r state err'
else
	# shellcheck disable=SC2016
	prelude="$prelude"'
qp add pd p cq c type ud name u
qp address r
qp connect r peer $r.address'
fi

# The rows of the table for this device: iWARP has no UD, and takes more private data.
rows() {
	if iwarp; then
		table | grep -vE ' qp u( |$)| at most 56 \||not confirmed yet' | sed 's/is in RTS:/is in ERR:/'
	else
		table
	fi
}
lacks "a conn with a UD QP" "UD"
lacks "an accepted conn that is not established" "confirmation of the answer"
lacks "a request with more private data than it carries" "limit of 56 bytes"

for space in kernel user; do
	rows | awk '
		/^#/ { next }
		/^= / { print substr($0, 3); next }
		{ errno = $1; sub(/.* [|] /, ""); print "refused", errno, $0 }' >"$work/commands"
	if { echo "$prelude"; cat "$work/commands"; } | batch $space; then
		pass "$space: all that was to be refused was"
	else
		fail "$space: the table ends early" "$work/err" "$work/out"
	fi
	grep '^refused: ' "$work/out" >"$work/refused"
	rows | grep -v '^[#=]' | while IFS= read -r row; do
		command=${row##* | }
		row=${row% | "$command"}
		errno=${row%% | *}
		row=${row#* | }
		kernel=${row%% |*}
		user=${row#"$kernel" |}
		user=${user# }
		[ $space = user ] && [ -n "$user" ] && kernel=$user
		echo "$command|$kernel ($errno)"
	done >"$work/want"
	count=0
	while IFS='|' read -r command want <&3; do
		count=$((count + 1))
		sed -n "${count}p" "$work/refused" >"$work/line"
		has "$space: $command" "refused: ${command%% *} *: $want" "$work/line"
	done 3<"$work/want"
done

# --- at the wrong moment
kverbs conn listen "$ADDR" >"$work/out"
listener=$(awk '{ print $2; exit }' "$work/out")
where=$(field src "$work/out")
kverbs conn get-request "$listener" timeout 60s >"$work/stdout" 2>"$work/err" &
tool=$!
rest 10
kill -INT $tool
wait $tool
same "Ctrl-C while nobody asks: exit status" 130 $?
has "it says so" "kverbs: conn get-request: interrupted" "$work/err"
a=$(added qp add pd "$pd" cq "$cq")
kverbs monitor >"$work/events" &
monitor=$!
wait_for 30 hears $monitor
kverbs conn connect "$where" qp "$a" timeout 60s >"$work/stdout" 2>"$work/err" &
tool=$!
check "the monitor tells of the request" grows "$work/events" "conn $listener cm-event connect-request"
kill -INT $tool
wait $tool
same "Ctrl-C while the peer thinks: exit status" 130 $?
has "it says so, too" "kverbs: conn connect: interrupted" "$work/err"
kill $monitor
wait $monitor 2>/dev/null
for event in addr-resolved route-resolved; do
	check "the monitor has told of $event" grep -E "^event cm dev $DEV conn [0-9]+ cm-event $event\$" "$work/events"
done
same "only the listener is left" 1 "$(kverbs conn show | grep -c '^conn')"

# The tool dies, and with it what is its own; the peer learns of it.
kverbs qp modify "$a" state reset >/dev/null
kverbs conn show "$listener" >"$work/out"
cat >"$work/kv" <<-END
	pd add name p
	cq add cqe 8 name c
	qp add pd p cq c name q
	conn connect $where qp q timeout 60s
	echo connected
	sleep 60s
END
kverbs batch "$work/kv" --space user >"$work/out" 2>"$work/err" &
tool=$!
kverbs conn accept "$listener" qp "$a" timeout 60s >"$work/in" 2>"$work/why"
in=$(awk '{ print $2; exit }' "$work/in")
while [ "$(state "$in")" != established ]; do
	# The request of the tool that was interrupted stood before it.
	kverbs conn del "$in"
	kverbs qp modify "$a" state reset >/dev/null
	kverbs conn accept "$listener" qp "$a" timeout 60s >"$work/in" 2>"$work/why" || break
	in=$(awk '{ print $2; exit }' "$work/in")
done
grows "$work/out" '^connected'
kill -KILL $tool
wait $tool 2>/dev/null
kverbs conn wait "$in" state disconnected timeout 60s >"$work/out"
says "a peer that is killed has disconnected" "conn $in dev $DEV persistent state disconnected *" "$work/out"

# --- conn-rate without a connection: the failure is a document
for space in kernel user; do
	fails "conn-rate, $space: nobody listens, as JSON" 1 kverbs.conn-rate ECONNREFUSED \
		kverbs conn-rate "$ADDR" --space $space --port 7599 --json
	check "conn-rate, $space: what was asked for" \
		jq -e ".spec.space == \"$space\" and .spec.role == \"active\" and .spec.count == 100" "$work/stdout"
	kverbs conn-rate --server "$ADDR" --space $space --port 7599 --json >"$work/stdout" 2>"$work/stderr" &
	tool=$!
	wait_for 60 sh -c "rdma resource show cm_id | grep -q ':7599'"
	kill -INT $tool
	status=0
	wait $tool || status=$?
	check "conn-rate, $space: Ctrl-C, as JSON" failed "$work/stdout" "$work/stderr" kverbs.conn-rate EINTR 130
done

# --- flush: connections before the QPs that they use
kverbs flush --trace >"$work/out" 2>"$work/err"
check "flush destroys conns before qps" awk '
	/^rdma_destroy_id/ { conns++; bad = bad || qps }
	/^ib_destroy_qp/ { qps++ }
	END { exit bad || conns != 2 || !qps }' "$work/err"
everything >"$work/after"
check "everything is as it was" cmp "$work/before" "$work/after"
check "nothing is left in the kernel" nothing_left
check "no cm_id either" sh -c "! rdma resource show cm_id | grep -F '[kverbs]'"
objects >"$work/left"
check "nor in user space" cmp "$work/resources" "$work/left"
# Which verbs a command consisted of, and how long each took.
for space in kernel user; do
	kverbs batch ../../examples/19-connect-cm.kv --space $space --json >"$work/json" 2>"$work/err"
	check "$space space: ending a connection is one verb, the CM's" \
		jq -e '[.[] | select(.command == "conn disconnect") | .verbs[]?.stages_ns | select(.) | keys] | unique == [["cm"]]' "$work/json"
done
finish
