# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# jq's variables are not the shell's, nor are those of batches.
# shellcheck disable=SC2016
#
# Failures of a request, and the status of each, in both spaces: by hand, and in runs. A key or a
# right that is wrong, no receive for ever, and a receive that is too small are in examples/20 to 22; a stream whose
# peer is lost is in contract/peer.c, too.
. ./hand.sh

# Commands in $work/batch: two qps, a with keys $1, b with keys $2, which connect them, and the rest of stdin. SRQ: what
# b receives from; CQ: the CQ that b's receives complete into.
ends() {
	{
		cat <<-END
			pd add name pd
			buf add length 64k name buf
			mr add pd pd name mr
			cq add cqe 1024 name cq_a
			cq add cqe 64 name cq_b
			cq add cqe 3 name cq_small
			srq add pd pd max-wr 31 name srq
			qp add pd pd cq cq_a max-send-wr 1000 name a
			qp add pd pd send-cq cq_b recv-cq ${CQ:-cq_b} ${SRQ:+srq $SRQ} name b
		END
		if iwarp; then
			pair_lines a b
		else
			printf '%s\n' 'qp address a' 'qp address b' "qp connect a peer \$b.address $1" \
				"qp connect b peer \$a.address $2"
		fi
		echo "mr reg mr buf buf qp a access local-write,remote-write,remote-read"
		cat
	} >"$work/batch"
}

# posts N OPERATION: N requests on a, in lists of 125 at most, with 1, 2, 3 … as their wr-id
posts() {
	awk -v n="$1" -v op="$2" 'BEGIN {
		for (i = 1; i <= n; i++) {
			printf("%s sge mr mr length 8 wr-id %d", i % 125 == 1 ? "post " op " qp a" : " and " op, i)
			if (i % 125 == 0 || i == n)
				print ""
		}
	}'
}

# by_hand NAME [OPTION…]: carries $work/batch out
by_hand() {
	what=$1
	shift
	if kverbs batch "$work/batch" --space $space "$@" >"$work/out" 2>"$work/err"; then
		pass "$space: $what"
	else
		tail -n 40 "$work/out" >"$work/why"
		fail "$space: $what" "$work/err" "$work/why"
	fi
}

# statuses OP: those of its completions, in their order, as in '3x0 1x12 8x5'
statuses() {
	sed -n "s/.* op $1 status [^(]*(\([0-9]*\)).*/\1/p" "$work/out" | uniq -c |
		awk '{ printf "%s%sx%s", sep, $1, $2; sep = " " }'
}

# told OP STATUSES TEXT: the statuses of the completions, and a completion with TEXT
told() {
	same "$space: its statuses" "$2" "$(statuses "$1")"
	has "$space: by name" "wr-id * op $1 status $3 *" "$work/out"
}

# state QP STATE: in what 'qp show' printed last
state() {
	same "$space: qp $1 is in $2" "$2" \
		"$(sed -n "s/^qp [0-9]* name $1 .* state \([a-z]*\) .*/\1/p" "$work/out" | tail -n 1)"
}

# rnr_naks: how often a device here was told that there is no receive
rnr_naks() {
	cat "/sys/class/infiniband/$DEV/ports/1/hw_counters/rcvd_rnr_err"
}

# --- rxe: RC

# The module and the tool refuse a post whose completion the CQ may have no room for (37-refused.sh). A receive of an
# SRQ is in no CQ before its message arrives, so this is how a CQ overflows. IBTA 11.6.3.2 has all QPs of the CQ go to ERR. rxe:
# the responder that finds no room goes to ERR without an answer (rxe_cq_post(), do_complete() of rxe_resp.c), so the
# requester repeats the request and gives up.
overflow() {
	CQ=cq_small SRQ=srq ends "timeout 10 retry-cnt 2" <<-END
		srq modify srq limit 30
		$(awk 'BEGIN { for (i = 0; i < 31; i++) print "post recv srq srq sge mr mr length 8" }')
		$(posts 12 send)
		poll cq cq_a count 12 timeout 20s
		monitor time 100ms
		poll cq cq_small
		qp show a
		qp show b
		qp modify a state reset
		qp modify b state reset
		qp connect a peer \$b.address
		qp connect b peer \$a.address
		post send qp a sge mr mr length 8 wr-id 77
		poll cq cq_a count 1
		expect completions.0.status success
		poll cq cq_small count 1
		expect completions.0.status success
		$(delete)
	END
	by_hand "a cq without room for a completion"
	# One of them is that of the connection anew.
	n=$(($(grep -c ' op recv status success (0)' "$work/out") - 1))
	sed -i '/wr-id 77 op send/d' "$work/out"
	check "$space: it takes as many as it has room for" test $n -ge 3 -a $n -lt 11
	told send "${n}x0 1x12 $((11 - n))x5" "transport retry counter exceeded (12)"
	state a err
	state b err
	has "$space: the cq tells of it" "event cq-err dev $DEV cq *" "$work/out"
	has "$space: so does the srq, of its limit" "event srq-limit-reached dev $DEV srq *" "$work/out"
}

# All of it goes: nothing holds it.
delete() {
	printf '%s\n' "qp del a" "qp del b" "srq del srq" "mr del mr" "buf del buf" "cq del cq_a" "cq del cq_b" \
		"cq del cq_small" "pd del pd"
}

# no_receive WHERE RETRIES
no_receive() {
	SRQ=${1#queue}
	ends "rnr-retry $2" "min-rnr-timer 1" <<-END
		${SRQ:+post recv srq srq sge mr mr}
		${SRQ:+srq modify srq limit 1}
		${SRQ:+$(posts 1 send)}
		${SRQ:+poll cq cq_a count 1 timeout 20s}
		post send qp a sge mr mr length 8 wr-id 2
		poll cq cq_a count 1 timeout 20s
		post send qp a sge mr mr length 8 wr-id 3
		poll cq cq_a count 1 timeout 20s
		monitor time 50ms
		qp show a
		qp show b
		$(delete)
	END
	SRQ=
	naks=$(rnr_naks)
	by_hand "an empty $1, $2 retries"
	told send "$([ "$1" != srq ] || echo "1x0 ")1x13 1x5" "RNR retry counter exceeded (13)"
	same "$space: it was asked once and for each retry" $(($2 + 1)) $(($(rnr_naks) - naks))
	state a err
	state b rts
	[ "$1" != srq ] || has "$space: the srq tells of its limit" "event srq-limit-reached dev $DEV srq *" "$work/out"
}

# A thousand requests that nobody receives. The first waits for its answer for 4 s, or for 4 ms with two retries.
outstanding() {
	case $1 in
	"qp modify a state err") timeout=20 want=1000x5 text="work request flushed error (5)" ;;
	*) timeout=10 want="1x12 999x5" text="transport retry counter exceeded (12)" ;;
	esac
	ends "rnr-retry 7 timeout $timeout retry-cnt 2" "min-rnr-timer 30" <<-END
		$(posts 1000 send)
		$1
		poll cq cq_a count 1000 timeout 60s
		expect completions.999.wr-id 1000
		poll cq cq_a
		expect completions none
		qp show a
		cq show cq_a
		expect pending 0
		qp del a
		buf load buf file /proc/version
		mr del mr
		buf del buf
	END
	by_hand "1000 requests outstanding: $1"
	told send "$want" "$text"
	check "$space: in their order" awk '/^wr-id [0-9]+ op send / && $2 != ++n { wrong = 1 } END { exit wrong || n != 1000 }' \
		"$work/out"
	state a err
}

# --- rxe: UD

# A device whose network has MAC addresses. Nobody has that one.
beside() {
	ip link add d1 type dummy
	ip link set d1 mtu 4500 arp on up
	ip addr add 198.51.100.1/24 dev d1
	ip neigh add 198.51.100.2 lladdr 02:00:00:00:00:02 dev d1 nud permanent
	link_add "$second" d1
	wait_for 5 sh -c "kverbs dev show $second | grep -q 198.51.100.1"
}

# Datagrams have no answer: the sender is told that they are sent (IBTA 9.8.3), and stays in RTS. rxe looks for the
# receiver by its QPN and Q_Key alone (hdr_check(); check_addr() is of connected QPs): so one to a GID that nobody has
# arrives where the network has no MAC addresses, as on a dummy netdev without ARP. Of a message that is longer than a
# packet rxe sends nothing, and calls it sent (rxe_requester(); IBTA C10-93.1.1 asks for that).
#
# datagrams DEVICE NOBODY RECEIVES LENGTHS: to the address NOBODY, too; LENGTHS of as many arrive
datagrams() {
	to_b="remote-qpn \$b.qpn remote-qkey 0x1ee7 sge mr mr"
	cat >"$work/batch" <<-END
		pd add name pd
		pd add name other
		cq add cqe 16 name cq_a
		cq add cqe 16 name cq_b
		qp add pd pd type ud cq cq_a name a
		qp add pd pd type ud cq cq_b name b
		qp connect a
		qp connect b qkey 0x1ee7
		qp add pd pd cq cq_a name carrier
		qp address carrier
		qp connect carrier peer \$carrier.address
		buf add length 16k name buf
		mr add pd pd name mr
		mr reg mr buf buf qp carrier access local-write
		ah add pd pd dgid \$dev.gid name own
		ah add pd pd dgid ::ffff:$2 name nobody
		ah add pd other dgid \$dev.gid name of_other
		refused EINVAL post send qp a ah of_other $to_b length 8
		$(awk -v n="$3" 'BEGIN { while (n--) print "post recv qp b sge mr mr" }')
		post send qp a ah own remote-qpn \$b.qpn remote-qkey 0x0bad sge mr mr length 8 wr-id 1
		post send qp a ah own $to_b length 4097 wr-id 2
		post send qp a ah own remote-qpn 0xabcdef remote-qkey 0x1ee7 sge mr mr length 8 wr-id 3
		post send qp a ah nobody $to_b length 12 wr-id 4
		post send qp a ah own $to_b length 4096 wr-id 5
		poll cq cq_a count 5
		poll cq cq_b count $3
		sleep 50ms
		poll cq cq_b
		expect completions none
		qp show a
		qp show b
	END
	by_hand "datagrams with a wrong Q_Key, length, QPN and GID, on $1" --dev "$1"
	same "$space: all are sent" 5x0 "$(statuses send)"
	same "$space: what arrives" "$4" \
		"$(sed -n 's/.* op recv status success (0) length \([0-9]*\) .*/\1/p' "$work/out" | tr '\n' ' ')"
	state a rts
	state b rts
}

# --- Runs: something of rxe's fails under them (fail_verb.ko)

verb=/sys/module/fail_verb/parameters
port=7690

# ends_with NAME FUNCTION ERROR NTH MORE TEXT COMMAND…: the NTH call of FUNCTION and MORE behind it return ERROR and do
# nothing; the command says TEXT, and ends with 1. It also prints the figures that it has by then: on a fast host there are none.
ends_with() {
	what=$1 text=$6
	echo "rdma_rxe:$2" >$verb/verb
	echo "$3" >$verb/error
	echo "$5" >$verb/more
	echo "$4" >$verb/nth
	shift 6
	within 60 kverbs "$@" >"$work/stdout" 2>"$work/stderr"
	same "$what: ${*}: exit status" 1 $?
	check "and says why" grep -F "$text" "$work/stderr"
	echo >$verb/verb
	check "its objects are gone" wait_for 5 nothing_left
}

# The responder finds no MR by the key (lookup_mr() returns NULL, 0): of a READ that is the first call. A completion is
# lost by rxe_cq_post(): of a SEND the receive's is the first one, and the responder's QP is in ERR. Receives of the
# kernel's are lost by rxe_post_recv().
runs() {
	access="status 10 (remote access error)"
	fast="--ack-timeout 10 --retry-cnt 2"
	for space in kernel user; do
		ends_with "no such key" lookup_mr 0 1 0 "$access" lat --op read --space $space --no-verify
		ends_with "no such key" lookup_mr 0 1 0 "$access" bw --op read --size 64 --space $space --no-verify
		ends_with "a completion is lost" rxe_cq_post -16 50 0 "no completion within 0.3 s (--timeout)" \
			lat --op write --space $space --timeout 300ms
		ends_with "a completion is lost" rxe_cq_post -16 500 0 "no completion within 0.3 s (--timeout)" \
			bw --op write --size 64 --space $space --timeout 300ms
		# shellcheck disable=SC2086 # words
		ends_with "the peer's cq is full" rxe_cq_post -16 1 0 "status 12 (transport retry counter exceeded)" \
			bw --op send --size 64 --space $space --no-verify $fast
		# A ping-pong's thread polls that end's CQ, too: there only what is flushed tells of it.
		[ $space = kernel ] || ends_with "the peer's cq is full" rxe_cq_post -16 1 0 \
			"; the QP went to ERR before: the first error tells why, or its CQ had no room" \
			lat --op send --space $space --no-verify
		refused "$space: a size of two packets over UD" 2 \
			"a message over UD is one packet, on $DEV of at most 4096 bytes ($space space)" \
			kverbs bw --type ud --op send --size 4097 --space $space
	done
	for client in kernel user; do
		ends_with "no receives" rxe_post_recv 0 1 1000000 "status 13 (RNR retry counter exceeded)" \
			lat --op send --client $client --server kernel --no-verify
	done
	# A stream waits for receives as long as for anything.
	ends_with "no receives" rxe_post_recv 0 1 1000000 "no completion within 0.3 s (--timeout)" \
		bw --op send --size 64 --space kernel --no-verify --timeout 300ms
	ends_with "no receives" rxe_post_recv 0 1 1000000 "no completion within 0.3 s (--timeout)" \
		lat --type ud --op send --space kernel --no-verify --timeout 300ms
	# rxe has not completed receives that it was not given: the module keeps their memory until the device goes.
	rdma link delete "$DEV"
	link_add "$DEV" d0
	check "with a new device runs work" wait_for 5 kverbs lat --op send --space kernel --iters 10
}

# --- A server of conn-rate whose verb fails: that is no peer that went. The client's QP is brought to INIT first.

cannot_accept() {
	for space in kernel user; do
		kverbs conn-rate --server $space --iters 1 --port $port >"$work/stdout" 2>"$work/stderr" &
		server=$!
		wait_for 20 sh -c "rdma resource show cm_id | grep 'state LISTEN' | grep -q ':$port '"
		echo rdma_rxe:rxe_modify_qp >$verb/verb
		echo -22 >$verb/error
		echo 0 >$verb/more
		echo 2 >$verb/nth
		check "$space: a request can't be accepted: the client fails" \
			sh -c "! kverbs conn-rate --client user $ADDR --iters 1 --port $port --timeout 3s 2>'$work/client'"
		echo >$verb/verb
		kill -INT $server
		wait $server
		same "$space: and so does the server" 1 $?
		check "$space: it says why" grep -F "$space space: cannot accept a connection: " "$work/stderr"
		port=$((port + 1))
	done
}

# --- The process that has the peer's QP is killed under a stream of depth 1000

# The server's child for the client that there is.
# By cat: awk ends at a process that has just gone.
child() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v server=$server '$4 == server { print $1; found = 1 } END { exit !found }'
}

lost_server() {
	kverbs serve --port $port >"$work/serve" 2>&1 &
	server=$!
	wait_for 20 grep -q " serves " "$work/serve"
	# shellcheck disable=SC2086 # words
	kverbs bw $by_cm --op write --size 64 --depth 1000 --space $space --duration 60s --rounds 1 --timeout 3s \
		--no-verify --json 127.0.0.1:$port >"$work/bw.json" 2>"$work/err" &
	tool=$!
	wait_for 20 child
	wait_for 20 sh -c 'rdma resource show qp | grep -q "state RTS"'
	sleep 1
	check "$space: the peer of a stream is killed" kill -KILL "$(child)"
	wait $tool
	same "$space: the stream's exit status" 1 $?
	# shellcheck disable=SC2016 # those of sh
	check "$space: it says why" sh -c 'grep -E "$1" "$2" || ! cat "$2"' - "$1" "$work/err"
	check "$space: and so does its document" jq -e --arg text "$1" '.complete == false and (.error.text | test($text))' \
		"$work/bw.json"
	kill $server
	wait $server
	check "$space: nothing is left of both" wait_for 5 nothing_left
}

# --- siw

# siw tells of a CQ without room by the event alone, and the QP goes on (siw_sqe_complete(), siw_rqe_complete()) until
# the connection ends: a SEND that finds no receive ends it.
siw_by_hand() {
	CQ=cq_small SRQ=srq ends <<-END
		srq modify srq limit 30
		$(awk 'BEGIN { for (i = 0; i < 31; i++) print "post recv srq srq sge mr mr length 8" }')
		$(posts 12 send)
		sleep 300ms
		poll cq cq_a
		monitor time 100ms
		poll cq cq_small
		qp show a
		qp show b
	END
	by_hand "a cq without room for a completion"
	has "$space: the cq tells of it" "event cq-err dev $DEV cq *" "$work/out"
	has "$space: so does the srq, of its limit" "event srq-limit-reached dev $DEV srq *" "$work/out"
	state a err
	state b err

	# A WRITE completes when TCP has it; if the end of the connection comes first it fails (siw_qp_sq_process()).
	for op in write read; do
		ends <<-END
			post $op qp a sge mr mr length 8 remote-addr \$mr.iova remote-key 0xbadbad wr-id 1
			poll cq cq_a count 1 timeout 20s
			conn wait conn_a state disconnected
			conn wait conn_b state disconnected
			qp show a
			qp show b
		END
		by_hand "$op with a wrong key"
		case $op:$(statuses $op) in
		write:1x0 | write:1x2 | read:1x5) pass "$space: its status" ;;
		*) fail "$space: its status: $(statuses $op)" "$work/out" ;;
		esac
		state a err
		state b err
	done

	# Some are sent. READs that are flushed: tests/vm/contract/iwarp.c.
	ends <<-END
		$(posts 1000 "write" | sed 's/ wr-id/ remote-addr $mr.iova remote-key $mr.rkey wr-id/g')
		qp modify a state err
		poll cq cq_a count 1000 timeout 60s
		expect completions.999.wr-id 1000
		poll cq cq_a
		expect completions none
		qp show a
		conn del conn_a
		qp del a
		mr del mr
	END
	by_hand "1000 requests outstanding: qp modify a state err"
	check "$space: those that are not sent are flushed" \
		sh -c "echo '$(statuses write)' | grep -qE '^([0-9]+x0 ?)?([0-9]+x5)?\$'"
	state a err
}

objects | sed 's/^[0-9]*: //' >"$work/before"
# Of a process that is killed the kernel may take the MR away before the QP.
lost="status (12 \\(transport retry counter exceeded|10 \\(remote access error)\\)"
# siw: two statuses, or a refused post, see tells_why() of contract/peer.c. If the connection ends between two runs, the
# next one finds the QP in ERR. If it ends as that one begins, its requests in user space never complete:
# siw_post_send() returns -ENOTCONN for the doorbell, which libibverbs' provider ignores.
! iwarp || lost="status [25] \\(|not connected|the qp is in ERR|no completion within"
for space in kernel user; do
	if iwarp; then
		siw_by_hand
	else
		overflow
		no_receive queue 0
		no_receive queue 2
		no_receive srq 0
		for end in "qp modify a state err" "qp del b"; do
			outstanding "$end"
		done
		datagrams "$DEV" 192.0.2.77 2 "52 4136 "
	fi
	lost_server "$lost"
done
if ! lacks "datagrams on a device with MAC addresses" "UD"; then
	beside
	for space in kernel user; do
		datagrams "$second" 198.51.100.2 1 "4136 "
	done
	rdma link delete "$second"
	ip link del d1
fi
if iwarp; then
	skip "runs under which something fails" "the functions that fail are rxe's"
elif [ -e fail_verb.ko ]; then
	insmod fail_verb.ko
	runs
	cannot_accept
	rmmod fail_verb
else
	skip "runs under which something fails" "no fail_verb.ko: make fail-verb"
fi
check "nothing is left" wait_for 5 nothing_left
# The device has another index.
objects | sed 's/^[0-9]*: //' >"$work/after"
check "and the kernel lists what it did before" diff "$work/before" "$work/after"
finish
