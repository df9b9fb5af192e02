# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs pingpong against rdma-core's ibv_*_pingpong, as server and as client, and against itself.
. ./tap.sh
. ./pair.sh

port=18515
# Of programs that wait for each other, and not for nothing.
patience=$(limit 20)
number=400
# Two that poll take turns of milliseconds on one CPU.
[ "$(nproc)" -gt 1 ] || number=$(fewer 20 10)
# As many QPs as a pingpong can have.
most=$(fewer 254 32)

# Each pair has a port of its own: the last one's may not be free yet.
next_port() {
	port=$((port + 1))
}

listening() {
	# The local address and the state of each line: hex port, 0A is LISTEN.
	grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# pair NAME SERVER CLIENT: one of them is ours, or both are; both have counted all messages
pair() {
	name=$1
	both "$name" "wait_for 10 listening" "within 30 $2" "within 30 $3"
	if grep -qE "^$number (iters|messages)" "$work/server" &&
		grep -qE "^$number (iters|messages)" "$work/client"; then
		judge "$name" "$2" $server_status "$3" $client_status "^$number (iters|messages)"
	else
		echo "not both have counted $number messages" >"$work/why"
		fail "$name" "$work/why" "$work/server" "$work/client"
	fi
	next_port
}

# roles TYPE SPACE EVENTS: our role. RC has all of them; of the others each two of role,
# space and events meet once.
roles() {
	case $1,$2,$3 in
	rc,*) echo server client ;;
	*,kernel, | *,user,events) echo server ;;
	*) echo client ;;
	esac
}

# pairs TYPE SPACE EVENTS WHAT OURS THEIRS
pairs() {
	for role in $(roles "$1" "$2" "$3"); do
		if [ "$role" = server ]; then
			pair "$4, server in $2 space${3:+, $3}: ibv_$1_pingpong is the client" \
				"$5 --port $port" "$6 -p $port $ADDR"
		else
			pair "$4, client in $2 space${3:+, $3}: ibv_$1_pingpong is the server" \
				"$6 -p $port" "$5 --port $port $ADDR"
		fi
	done
}

# not_on_iwarp: the connection that all types need is missing, and the message says so
not_on_iwarp() {
	for space in kernel user; do
		for type in rc srq; do
			refused "$space: $type, as a client" 77 "$DEV: iWARP connects through the RDMA CM" \
				timeout 30 kverbs pingpong --space $space --type $type --port $port "$ADDR"
			refused "$space: $type, as a server" 77 "$DEV: iWARP connects through the RDMA CM" \
				timeout 30 kverbs pingpong --space $space --type $type --port $port
		done
		for type in uc ud; do
			refused "$space: $type" 77 "no $(echo $type | tr a-z A-Z) qps" \
				timeout 30 kverbs pingpong --space $space --type $type --port $port
		done
	done
	for type in rc uc ud srq; do
		lacks "ibv_${type}_pingpong, on either side" "raw connection"
	done
	lacks "what goes wrong with a peer" "raw connection"
}

for type in rc uc ud; do
	! iwarp || break
	for space in kernel user; do
		for events in "" "events"; do
			pairs $type $space "$events" $type \
				"kverbs pingpong --space $space --type $type --iters $number ${events:+--events}" \
				"ibv_${type}_pingpong -d $DEV -g $GID -n $number ${events:+-e}"
		done
	done
	for size in 1 1025 60000; do
		[ "$type" != ud ] || size=$((size < 2000 ? size : 2001))
		pair "$type, messages of $size bytes" \
			"kverbs pingpong --space kernel --type $type --iters $number --size $size --port $port" \
			"ibv_${type}_pingpong -d $DEV -g $GID -n $number -s $size -p $port $ADDR"
	done
	pair "$type, from the kernel to user space" \
		"kverbs pingpong --space user --type $type --iters $number --port $port" \
		"kverbs pingpong --space kernel --type $type --iters $number --port $port $ADDR"
done
# The messages of several QPs are counted together, and each QP may finish one more.
if iwarp; then
	not_on_iwarp
	check "nothing is left" nothing_left
	finish
fi
for space in kernel user; do
	for qps in 1 16; do
		for events in "" "events"; do
			pairs srq $space "$events" "srq of $qps QPs" \
				"kverbs pingpong --space $space --type srq --qps $qps --iters $number ${events:+--events}" \
				"ibv_srq_pingpong -d $DEV -g $GID -q $qps -n $number ${events:+-e}"
		done
	done
	pair "srq of $most QPs and as many receives, in $space space" \
		"kverbs pingpong --space $space --type srq --qps $most --rx-depth $most --iters $number --port $port" \
		"ibv_srq_pingpong -d $DEV -g $GID -q $most -r $most -n $number -p $port $ADDR"
done
pair "srq, from the kernel to user space" \
	"kverbs pingpong --space user --type srq --iters $number --port $port" \
	"kverbs pingpong --space kernel --type srq --iters $number --port $port $ADDR"

pair "over IPv6, with another MTU" \
	"kverbs pingpong --space kernel --gid $GID6 --mtu 4096 --iters $number --port $port" \
	"ibv_rc_pingpong -d $DEV -g $GID6 -m 4096 -n $number -p $port $ADDR6"

# Each failure is named.
for space in kernel user; do
	ours="kverbs pingpong --space $space --timeout ${patience}s --port $port"
	refused "$space: nobody listens" 1 "$ADDR port $port: Connection refused" $ours "$ADDR"
	refused "$space: no such host" 1 "nosuch.invalid port $port" $ours nosuch.invalid
	refused "$space: an unknown device" 1 "nosuch0" $ours --dev nosuch0 "$ADDR"

	# bad NAME ANSWER TEXT: a peer that says something else, or nothing
	bad() {
		name=$1 answer=$2 text=$3
		printf "$answer" >"$work/answer"
		nc -l -p $port <"$work/answer" >/dev/null &
		peer=$!
		wait_for 10 listening
		refused "$space: $name" 1 "$text" kverbs pingpong --space $space --timeout ${patience}s --port $port "$ADDR"
		kill $peer 2>/dev/null
		wait $peer 2>/dev/null
		next_port
	}
	bad "a peer that tells no address" "$(printf '%052d' 7)" "has not sent its address"
	bad "a peer that tells half of one" "0000:00" "hearing the peer's address: the peer has"

	# A server whose client goes away before it has told its address.
	kverbs pingpong --space $space --timeout ${patience}s --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 10 listening
	nc -w 1 "$ADDR" $port </dev/null >/dev/null 2>&1
	if wait $server; then
		fail "$space: a client that goes away"
	else
		check "$space: a client that goes away" grep -F "hearing the peer's address: the peer has" "$work/out"
	fi
	next_port

	# One that is told another number of messages stops in the middle, and its peer waits to the end.
	kverbs pingpong --space $space --timeout 4s --iters 100 --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 10 listening
	ibv_rc_pingpong -d "$DEV" -g "$GID" -n 50 -p $port "$ADDR" >/dev/null 2>&1
	if wait $server; then
		fail "$space: a peer with fewer messages"
	else
		check "$space: a peer with fewer messages" grep -E "after 50 messages sent and 50 received|after 5[01] messages" "$work/out"
	fi
	next_port

	# Another number of QPs.
	kverbs pingpong --space $space --timeout ${patience}s --type srq --qps 3 --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 10 listening
	ibv_srq_pingpong -d "$DEV" -g "$GID" -q 4 -n 50 -p $port "$ADDR" >/dev/null 2>&1 &
	client=$!
	if wait $server; then
		fail "$space: a peer with more QPs"
	else
		check "$space: a peer with more QPs" grep -F "the peer has 4 QPs, and this side has 3" "$work/out"
	fi
	# It waits for the first message.
	kill -KILL $client 2>/dev/null
	wait $client 2>/dev/null
	next_port

	kverbs pingpong --space $space --port $port >"$work/out" 2>&1 &
	server=$!
	wait_for 10 listening
	refused "$space: a port that is taken" 1 "port $port: Address already in use" \
		kverbs pingpong --space $space --port $port
	kill -INT $server
	wait $server
	check "$space: Ctrl-C ends a server that waits" test $? = 130
	check "$space: and it says so" grep -F interrupted "$work/out"
	next_port
done
refused "no space" 2 "--space is missing" kverbs pingpong
refused "two hosts" 2 "one host too many" kverbs pingpong --space user a b
refused "a path MTU that there is none of" 2 "--mtu '1000' is no path MTU" kverbs pingpong --space user --mtu 1000
refused "a type that has none" 2 "--type 'xrc'" kverbs pingpong --space user --type xrc
refused "QPs where there is one" 2 "--qps is for --type srq" kverbs pingpong --space user --qps 2
refused "more QPs than receives" 2 "--rx-depth 4 is too small for 16 QPs" \
	kverbs pingpong --space user --type srq --rx-depth 4
check "nothing is left" nothing_left
finish
