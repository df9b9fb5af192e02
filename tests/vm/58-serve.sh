# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# kverbs serve and its clients on one host: what is agreed on, what is refused, and what is
# left when somebody vanishes.
. ./tap.sh

port=7600
log=$work/serve.log
pings="--iters $(fewer 100 20) --warmup 10"

listening() {
	# The local address and the state of each line: hex port, 0A is LISTEN.
	grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# serve OPTION…: on a port of its own; the last one's may not be free yet
serve() {
	port=$((port + 1))
	kverbs serve --port $port "$@" >"$log" 2>&1 &
	server=$!
	wait_for 20 listening || fail "kverbs serve $* listens" "$log"
}

# ends NAME: SIGTERM ends it, and it says that nothing was wrong
ends() {
	kill -TERM $server
	status=0
	wait $server || status=$?
	if [ $status = 0 ] && tail -n 1 "$log" | grep -qx stopped && ! grep -q 'by signal' "$log"; then
		pass "$1"
	else
		fail "$1" "$log"
	fi
}

# lat ARGUMENT…
lat() {
	# shellcheck disable=SC2086 # words
	within 120 kverbs lat $by_cm $pings "$@" 127.0.0.1:$port
}

# logged TEXT
logged() {
	check "the server says: $1" wait_for 20 grep -F -- "$1" "$log"
}

# number BYTES N: for printf, the lowest byte first
number() {
	n=$2
	for _ in $(seq "$1"); do
		printf '\\%03o' $((n & 255))
		n=$((n >> 8))
	done
}

# bytes TEXT: for printf
bytes() {
	printf %s "$1" | hexdump -ve '1/1 " %03o"' | sed 's/ /\\/g'
}

# attr TYPE BYTES: for printf, as netlink has it; \ooo is a byte
attr() {
	length=$((${#2} / 4))
	printf '%s%s%s%s' "$(number 2 $((length + 4)))" "$(number 2 "$1")" "$2" "$(number $((-length & 3)) 0)"
}

# message HEAD [BYTES]: a header, a head and data; BYTES are for printf
message() {
	data=${2:-}
	printf "kvb1\\000\\000\\$(printf %03o $((${#1} / 256)))\\$(printf %03o $((${#1} % 256)))\\000\\000\\000\\$(printf %03o $((${#data} / 4)))%s$data" "$1"
}

# request CALL ATTRIBUTES: the first one
request() {
	head="$(attr 0x1001 "$(number 4 1)")$(attr 0x1002 "$(bytes "$1")\\000")$(attr 0x9003 "$2")"
	# shellcheck disable=SC2059
	printf "kvb1\\000\\000\\000\\$(printf %03o $((${#head} / 4)))\\000\\000\\000\\000$head"
}

# listens_on: the local addresses of its sockets, as /proc/net/tcp and tcp6 have them
listens_on() {
	awk -v port=":$(printf %04X $port)" '$4 == "0A" && $2 ~ port "$" { sub(/:.*/, "", $2); print $2 }' \
		/proc/net/tcp /proc/net/tcp6 | sort | tr '\n' ' '
}

serve
check "without a token it serves this host only, and says so" grep -F "; no token: for this host only; --token FILE or --no-token serve other hosts" "$log"
check "it listens on loopback addresses only" test "$(listens_on)" = "00000000000000000000000001000000 0100007F "
check "this host is served" lat --op write --space user
ends "it ends"
serve --bind 127.0.0.2
check "another loopback address" grep -F "on 127.0.0.2 port $port; no token: for this host only" "$log"
ends "it ends"
for address in 0.0.0.0 :: "$ADDR"; do
	refused "$address without a token" 2 "--bind $address: without a token only this host's loopback addresses are served: --token FILE" \
		kverbs serve --bind "$address" --port $port
done
refused "--token with --no-token" 2 "--token and --no-token exclude each other" kverbs serve --token x --no-token
serve --bind "$ADDR" --no-token
check "an address of other hosts, with --no-token" grep -F "on $ADDR port $port; no token: every client that reaches the port may use it" "$log"
ends "it ends"

serve --no-token
check "it listens on all addresses" test "$(listens_on)" = "00000000 00000000000000000000000000000000 "
check "it says where it listens" grep -F "serves kernel and user space on 0.0.0.0 port $port, :: port $port; no token" "$log"
# One that says nothing, while the following is tried.
sleep 90 | nc 127.0.0.1 $port >/dev/null 2>&1 &
silent=$!
for client in kernel user; do
	for there in kernel user; do
		check "write from $client space to $there space, with contents" \
			lat --op write --client $client --server $there
		check "send from $client space to $there space, with contents" \
			lat --op send --client $client --server $there
	done
done
lacks "fetch-add" "atomics" || check "fetch-add" lat --op fetch-add --space kernel
check "read of 300000 bytes: buffers in several pieces" lat --op read --space user --size 300000
# shellcheck disable=SC2086
check "by IPv6" within 120 kverbs lat $by_cm $pings --op write --space kernel "[::1]:$port"
check "by name, the port apart, the device named" \
	within 120 kverbs lat $by_cm $pings --op write --space user --port $port --peer-dev "$DEV" --peer-gid "$GID" localhost
# Of the first address nothing comes back: d0 is a dummy.
echo "multi on" >/etc/host.conf
printf '%s\n' "2001:db8::77 twice" "$ADDR twice" >>/etc/hosts
# shellcheck disable=SC2086 # words
check "a host whose first address is dead" \
	within 8 kverbs lat $by_cm --op write --space user --iters 10 --warmup 0 --port $port twice
lacks "with a path MTU" "path MTU" || check "with a path MTU" lat --op write --space user --mtu 1024
check "as JSON" lat --op write --space user --json="$work/lat.json"
check "which names the host" grep -q '"host": *"127.0.0.1"' "$work/lat.json"

# Each failure is named.
lacks "a path MTU that is too large" "path MTU" || refused "a path MTU that is too large" 1 "path MTU 4096 (--mtu) is too large: the active MTU of $DEV is 1024" \
	sh -c "ip link set d0 mtu 1500; sleep 1; within 60 kverbs lat $by_cm --op write --space user --mtu 4096 127.0.0.1:$port
		status=\$?; ip link set d0 mtu 4500; exit \$status"
refused "a device that is not there" 1 "127.0.0.1: user space: there is no RDMA device 'nosuch0'; there is $DEV" \
	lat --op write --space user --peer-dev nosuch0
refused "a GID that is not there" 2 "--peer-gid-index 99: port 1 of $DEV of 127.0.0.1 has no such GID" \
	lat --op write --space user --peer-gid 99
refused "a port that is not there" 2 "--peer-ib-port 2: $DEV has no such port; it has 1, numbered from 1 on (user space of 127.0.0.1)" \
	lat --op write --space user --peer-ib-port 2
check "the port that is there" lat --op write --space user --ib-port 1 --peer-ib-port 1
refused "nobody listens there" 1 "127.0.0.1: nobody listens on port 7599" \
	kverbs lat $by_cm --op write --space user --port 7599 127.0.0.1
refused "an address that is not reached" 1 "203.0.113.1: the host can't be reached" \
	kverbs lat $by_cm --op write --space user 203.0.113.1
refused "a host that has no address" 1 "there is no host 'nosuch.invalid'" \
	kverbs lat $by_cm --op write --space user nosuch.invalid
refused "two hosts" 2 "takes one HOST" kverbs lat $by_cm --op write --space user a b
refused "two ports" 2 "the HOST has a port" kverbs lat $by_cm --op write --space user --port 1 a:2
refused "a host with half a bracket" 2 "'[::1' is no host" kverbs lat $by_cm --op write --space user "[::1"
refused "a port without a host" 2 "--port goes with a HOST" kverbs lat $by_cm --op write --space user --port 1
refused "one thread for two hosts" 2 "which must be on one host" lat --op send --space user --loop one-thread
refused "no verbs with a host" 2 "--loop null has no other end" lat --space user --loop null

# Others than ours.
printf 'GET / HTTP/1.1\r\n\r\n' | within 30 nc 127.0.0.1 $port >/dev/null 2>&1
logged "refused: the bytes that came are no message of kverbs"
head -c 100000 /dev/urandom | within 30 nc 127.0.0.1 $port >/dev/null 2>&1
message '{"protocol":1,"what":"ever"}' | within 30 nc 127.0.0.1 $port >"$work/answer" 2>/dev/null
logged "refused: the client speaks protocol 1, this kverbs"
# The protocol of this release
protocol=$(sed -n 's/.*the client speaks protocol 1, this kverbs .* speaks \([0-9]*\).*/\1/p' "$log" | tail -n 1)
check "who speaks another protocol is told" grep -a "the client speaks protocol 1" "$work/answer"
message '{"protocol":3,"version":"0.1.0","space":0}' | within 30 nc 127.0.0.1 $port >/dev/null 2>&1
logged "refused: the client speaks protocol 3, this kverbs"
message "{\"protocol\":$protocol}" | within 30 nc 127.0.0.1 $port >/dev/null 2>&1
logged "refused: hello.version is missing"
# A silent client has 30 s.
check "the server says: no answer in time" wait_for 40 grep -F -- "refused: no answer in time" "$log"
kill $silent 2>/dev/null
check "it still serves" lat --op write --space kernel

# Objects that others keep in the kernel do not belong to the client.
buf=$(kverbs buf add length 64 | awk '{ print $2; exit }')
id=$(attr 0x1000 "$(number 4 "$buf")")
hello=$(attr 0x1001 "$(number 4 0)")$(attr 0x1002 "$(bytes "$DEV")\\000")$(attr 0x1004 "$(number 32 0)")$(attr 0x1005 "$(number 32 0)")
for call in buf_read buf_del; do
	args=$id
	# Offset and length
	[ $call = buf_del ] || args=$id$(attr 7 "$(number 8 0)")$(attr 4 "$(number 8 8)")
	: >"$work/answer"
	{
		message "{\"protocol\":$protocol,\"version\":\"x\",\"order\":\"little\"}" "$hello"
		request $call "$args"
		# The end of what it is sent would end the client.
		wait_for 60 grep -qa "among the client's" "$work/answer"
	} | within 30 nc 127.0.0.1 $port >"$work/answer" 2>/dev/null
	check "\"$call\" of what somebody else has made" grep -a "no buf $buf among the client's" "$work/answer"
done
check "that is still there" kverbs buf del "$buf"

# other NAME TEXT BYTES: a server that is none of ours
other() {
	name=$1 text=$2
	port=$((port + 1))
	message "$3" >"$work/bytes"
	[ "${3#\{}" != "$3" ] || printf %s "$3" >"$work/bytes"
	(cat "$work/bytes"; sleep 2) | nc -l -p $port >/dev/null 2>&1 &
	other=$!
	wait_for 20 listening
	refused "$name" 1 "$text" lat --op write --space user
	kill $other 2>/dev/null
	wait $other 2>/dev/null
}
last=$port
other "a server of another protocol" "127.0.0.1: its kverbs 9.9 speaks protocol 99" '{"protocol":99,"version":"9.9"}'
other "a server of something else" "is no 'kverbs serve'" 'SSH-2.0-OpenSSH_9.2p1 Debian-2'
other "a server of the protocol before" "127.0.0.1: its kverbs 0.1.0 speaks protocol 3" \
	'{"protocol":3,"version":"0.1.0","kernel":true}'
other "a server that says little" "hello.version is missing" "{\"protocol\":$protocol}"
port=$last

# privileges PID: its sets of capabilities, and no_new_privs
privileges() {
	awk '$1 ~ /^(CapPrm|CapEff|CapBnd|CapInh|CapAmb|NoNewPrivs):$/ { printf "%s%s ", $1, $2 }' "/proc/$1/status"
}

# A client that is killed in the middle leaves nothing.
none=0000000000000000
kept=0000000000005000
for space in kernel user; do
	kverbs lat $by_cm --op send --space $space --time 100s 127.0.0.1:$port >/dev/null 2>&1 &
	client=$!
	wait_for 30 sh -c "rdma resource show qp link $DEV | grep -c . | grep -qE '^([2-9]|..)'"
	# CAP_NET_ADMIN and CAP_IPC_LOCK
	read -r child _ </proc/$server/task/$server/children
	few=$(privileges "$child")
	if [ "$few" = "CapInh:$none CapPrm:$kept CapEff:$kept CapBnd:$none CapAmb:$none NoNewPrivs:1 " ]; then
		pass "$space space: a client's process has two capabilities, and gets no more"
	else
		fail "$space space: a client's process has two capabilities, and gets no more: $few"
	fi
	kill -KILL $client
	wait $client 2>/dev/null
	check "$space space: nothing is left of a client that was killed" wait_for 30 nothing_left
done

# Several at once.
: >"$work/statuses"
for i in 1 2 3 4; do
	space=kernel
	[ $((i % 2)) = 0 ] || space=user
	(lat --op write --space $space >"$work/out.$i" 2>&1; echo $? >>"$work/statuses") &
	clients="${clients:-} $!"
done
wait $clients
check "four clients at the same time" test "$(tr -d '\n' <"$work/statuses")" = 0000
ends "SIGTERM ends the server"
check "nothing is left" wait_for 30 nothing_left

# A server that goes away ends its client, in time.
serve
kverbs lat $by_cm --op send --space kernel --time 100s --timeout 4s 127.0.0.1:$port >"$work/out" 2>&1 &
client=$!
wait_for 30 grep -q 'kernel space' "$log"
sleep 3
ends "SIGTERM ends the server, also with a client"
begun=$(cut -d . -f 1 /proc/uptime)
status=0
wait $client || status=$?
took=$(($(cut -d . -f 1 /proc/uptime) - begun))
most=$(limit 40)
check "the client fails within $most s ($took s)" test $status = 1 -a $took -lt "$most"
check "the client says why" grep -E "127.0.0.1: the connection|status|no completion" "$work/out"
check "nothing is left of both" wait_for 30 nothing_left

# Tokens.
head -c 32 /dev/urandom | base64 >"$work/token"
chmod 600 "$work/token"
echo "another secret, long enough" >"$work/wrong"
chmod 600 "$work/wrong"
serve --token "$work/token" --bind 127.0.0.1
check "it says that it wants a token" grep -F "on 127.0.0.1 port $port; with a token" "$log"
check "the right token" lat --op write --space user --token "$work/token"
refused "a wrong token" 1 "127.0.0.1: wrong token" lat --op write --space user --token "$work/wrong"
logged "refused: wrong token"
refused "no token" 1 "127.0.0.1: the server wants a token" lat --op write --space user
logged "refused: the server wants a token"
cp "$work/token" "$work/open"
chmod 644 "$work/open"
refused "a token that others can read" 1 "chmod 600" lat --op write --space user --token "$work/open"
refused "a token that others can read, for the server" 1 "chmod 600" kverbs serve --token "$work/open"
chown 65534 "$work/open"
chmod 600 "$work/open"
refused "a token that somebody else owns" 1 "user 65534 owns it" lat --op write --space user --token "$work/open"
refused "a token that somebody else owns, for the server" 1 "user 65534 owns it" kverbs serve --token "$work/open"
refused "a token file that is not there" 1 "No such file" lat --op write --space user --token "$work/nosuch"
echo short >"$work/short"
chmod 600 "$work/short"
refused "a short token" 1 "16 .. 4096 bytes" lat --op write --space user --token "$work/short"
ends "it ends"
serve --space user
refused "a token that is not wanted" 1 "the client has a token, and the server has none" \
	lat --op write --space user --token "$work/token"
refused "a space that is not served" 77 "127.0.0.1: the server does not serve kernel space" \
	lat --op write --client user --server kernel
ends "it ends"

# Descriptors.
soft=$(ulimit -Sn)
ulimit -Sn 40
serve --clients 100
ulimit -Sn "$soft"
allowed=$(awk '/^Max open files/ { print $4 }' /proc/$server/limits)
check "the server allows itself the descriptors of its clients ($allowed)" test "$allowed" -ge 120
ends "it ends"
refused "a hard limit that is too low for the clients" 1 "--clients 100 needs 132 descriptors, and the hard limit is 40" \
	sh -c "ulimit -n 40; exec kverbs serve --clients 100 --port $port"

# Not even one that tells the server that the client is there.
serve --idle "$(limit 2)s"
# shellcheck disable=SC2086
kverbs lat $by_cm --op write --client user --server kernel --time 4 127.0.0.1:$port >"$work/out" 2>&1 &
client=$!
wait_for 60 sh -c "[ \$(rdma resource show qp | grep -c 'type RC state RTS') = 2 ]"
sleep 1
check "a client in user space has one thread while it measures" grep -x 'Threads:.1' /proc/$client/status
wait $client
check "and ends as it should" test $? = 0
ends "it ends"

# Caps.
idle=$(limit 2)
serve --objects 5 --bytes 100000 --time 1s --clients 1 --idle ${idle}s
refused "too many objects" 1 "127.0.0.1: a client may have 5 objects (kverbs serve --objects)" \
	lat --op write --space kernel
ends "it ends"
serve --bytes 100000 --time $((idle + 1))s --clients 1 --idle ${idle}s
refused "too many bytes" 1 "127.0.0.1: a client's buffers and queues may have 100000 bytes together" \
	lat --op write --space kernel --size 64k
refused "a run that takes too long" 1 "127.0.0.1: a run has taken longer than $((idle + 1)) s" \
	within 120 kverbs lat $by_cm --op send --space kernel --time $((idle * 5))s --timeout $((idle * 2))s 127.0.0.1:$port
for space in kernel user; do
	check "the other end alone may take longer than --idle, in $space space" \
		within 120 kverbs lat $by_cm --op write --space $space --time $((idle * 3))s 127.0.0.1:$port
done
kverbs lat $by_cm --op write --space kernel --time 100s 127.0.0.1:$port >/dev/null 2>&1 &
client=$!
tells() {
	[ "$(grep -c 'kernel space' "$log")" = 4 ]
}
wait_for 30 tells
refused "too many clients" 1 "127.0.0.1: the server is full: it has 1 clients" lat --op write --space user
kill -TERM $client
wait $client
check "there is room again" lat --op write --space user
ends "it ends"

# Failures of the server itself.
serve --bind 127.0.0.1
refused "a port that is taken" 1 "cannot listen on 127.0.0.1 port $port: the port is in use" \
	kverbs serve --space user --bind 127.0.0.1 --port $port
kill -INT $server
status=0
wait $server || status=$?
check "SIGINT ends it" test $status = 0
refused "an address of another host" 1 "this host has no such address" kverbs serve --space user --no-token --bind 203.0.113.1
refused "no privilege" 1 "kernel space" setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
	kverbs serve --space kernel --port $port
refused "a port that is none" 2 "--port '0'" kverbs serve --port 0
refused "an argument" 2 "'x' is unexpected" kverbs serve x

# Random and mutated messages, on the real backends, with sanitizers.
if [ -x ./fuzz_serve ]; then
	messages=$(fewer 1000 200)
	./fuzz_serve "$messages" "" 60 >"$work/fuzz" 2>&1
	check "$messages random and mutated messages" grep "^ok 1 - " "$work/fuzz"
	note "$(grep -v '^1\.\.' "$work/fuzz" | tail -n 30 | tr '\n' ' ')"
else
	skip "random and mutated messages" "no fuzz_serve: make fuzz-real; scripts/vm --file build/real/fuzz_serve:/kverbs/tests/vm/fuzz_serve"
fi
check "nothing is left" wait_for 30 nothing_left
finish
