# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The bytes that peers can reach of buffers in user space: of those made by hand, and of those of the
# tool's other commands. Privileges, and a hostile peer's access to the kernel's buffers, are in tests/vm/contract/.
. ./hand.sh

# --- a peer that knows all addresses and keys, and buffers of user space

bytes=4096
start=1024
window=60
mkfifo "$work/fifo"

# tell LINE…: commands for the batch
tell() {
	printf '%s\n' "$@" >&5
}

head -c $bytes /dev/urandom >"$work/target"
head -c $bytes /dev/urandom >"$work/other"
head -c $bytes /dev/urandom >"$work/source"
kverbs batch - --space user <"$work/fifo" >"$work/out" 2>"$work/err" &
batch=$!
exec 5>"$work/fifo"
tell 'pd add name victim' 'pd add name stranger' 'cq add cqe 64 name cq'
for mr in target other foreign source; do
	case $mr in
	foreign) pd=stranger file=other ;;
	source) pd=victim file=source ;;
	*) pd=victim file=$mr ;;
	esac
	tell "buf add length $bytes name ${mr}_buf" "mr add pd $pd name $mr" "buf load ${mr}_buf file $work/$file"
done
rights=local-write,remote-write,remote-read
iwarp || rights=$rights,remote-atomic
tell "mr reg source buf source_buf access local-write" \
	"mr reg target buf target_buf access $rights offset $start length $window" \
	"mr reg other buf other_buf access local-write,remote-read" \
	"mr reg foreign buf foreign_buf access local-write,remote-write,remote-read"
for mr in target other foreign; do
	tell "echo $mr \$$mr.iova \$$mr.rkey"
done

# where NAME: address and key, as the batch has them
where() {
	wait_for 30 grep -q "^$1 " "$work/out" || fail "the batch tells where $1 is" "$work/out" "$work/err"
	grep "^$1 " "$work/out" | tail -n 1
}
# shellcheck disable=SC2046
set -- $(where target)
address=$2 key=$3
# shellcheck disable=SC2046
set -- $(where other)
other_address=$2 other_key=$3
# shellcheck disable=SC2046
set -- $(where foreign)
foreign_address=$2 foreign_key=$3

n=0
mrs="target other foreign source"
: >"$work/want"
# attack STATUS ALLOWED OP ADDRESS KEY LENGTH NAME: over QPs of their own
attack() {
	if iwarp; then
		attack_iwarp "$@"
		return
	fi
	n=$((n + 1))
	tell "qp add pd victim cq cq name a$n" "qp add pd victim cq cq name b$n" "qp address a$n" "qp address b$n" \
		"qp connect a$n peer \$b$n.address access none" "qp connect b$n peer \$a$n.address access $2"
	sge="sge mr source length $6"
	[ "$6" != 0 ] || sge=
	atomic=
	[ "$3" != fetch-add ] || atomic="add 1"
	tell "post $3 qp a$n $sge remote-addr $(printf 0x%x "$4") remote-key $(printf 0x%x $(($5 & 0xffffffff))) $atomic wr-id $n" \
		"poll cq cq count 1 timeout 10s" "qp del a$n" "qp del b$n"
	for mr in $mrs; do
		tell "buf save ${mr}_buf file $work/$mr.$n"
	done
	echo "$n $1 $3: $7" >>"$work/want"
}

# attack_iwarp: the same on iWARP. A refusal by the peer ends the connection, whatever a WRITE completes with.
# Only the MR refuses.
attack_iwarp() {
	if [ "$2" != $all ] || [ "$3" = fetch-add ] || [ "$3 $6" = "read 0" ]; then
		lacks "user space, $3: $7" "atomics, read of nothing, or access of a qp"
		return
	fi
	n=$((n + 1))
	tell "qp add pd victim cq cq name a$n" "qp add pd victim cq cq name b$n"
	pair_lines "a$n" "b$n" >&5
	sge="sge mr source length $6"
	[ "$6" != 0 ] || sge=
	tell "post $3 qp a$n $sge remote-addr $(printf 0x%x "$4") remote-key $(printf 0x%x $(($5 & 0xffffffff))) wr-id $n" \
		"poll cq cq count 1 timeout 10s"
	status=$1
	if [ "$status" != 0 ]; then
		status=any
		tell "conn wait conn_b$n state disconnected timeout 30s"
	fi
	tell "conn del conn_a$n" "conn del conn_b$n" "qp del a$n" "qp del b$n"
	for mr in $mrs; do
		tell "buf save ${mr}_buf file $work/$mr.$n"
	done
	echo "$n $status $3: $7" >>"$work/want"
}

all=remote-write,remote-read,remote-atomic
for op in write read; do
	attack 10 $all $op $((address - 1)) "$key" 1 "one byte before"
	attack 10 $all $op $((address - 1)) "$key" 2 "from one byte before on"
	attack 10 $all $op $((address + window)) "$key" 1 "one byte beyond"
	attack 10 $all $op $((address)) "$key" $((window + 1)) "all and one byte beyond"
	attack 10 $all $op $((address)) "$key" $((bytes - start)) "to the end of the buffer"
	attack 10 $all $op -4 "$key" 8 "around the end of all addresses"
	attack 10 $all $op $((address)) $((key ^ 1)) 8 "another variant of the key"
	attack 10 $all $op $((address)) $((key + 256)) 8 "the next index"
	attack 10 $all $op $((address)) "$other_key" 8 "another mr's key"
	attack 10 $all $op $((foreign_address)) "$foreign_key" 8 "an mr of another pd"
	attack 0 $all $op $((address - 1)) "$key" 0 "no bytes"
done
attack 10 $all write $((address)) $((key + 1)) 8 "the next key"
attack 10 $all write $((address)) $((key - 1)) 8 "the key before"
attack 10 $all write $((other_address)) "$other_key" 8 "an mr that grants READ only"
attack 10 $all fetch-add $((other_address)) "$other_key" 8 "an mr that grants READ only"
attack 10 $all fetch-add $((address - 8)) "$key" 8 "before"
attack 10 $all fetch-add $((address + window - 4)) "$key" 8 "half inside"
attack 9 remote-read,remote-atomic write $((address)) "$key" 8 "a qp that does not let peers write"
attack 9 remote-write,remote-atomic read $((address)) "$key" 8 "a qp that does not let peers read"
attack 9 remote-write,remote-read fetch-add $((address)) "$key" 8 "a qp that takes no atomics"
tell "mr inv target"
attack 10 $all write $((address)) "$key" 8 "a registration that is gone"
tell "mr reg target buf target_buf access local-write,remote-write,remote-read offset $start length $window" \
	"expect access local-write,remote-write,remote-read"
attack 10 $all write $((address)) "$key" 8 "the key of a registration before"
tell "mr del other" "buf del other_buf"
mrs="target foreign source"
attack 10 $all read $((other_address)) "$other_key" 8 "an mr that is gone"
exec 5>&-
status=0
wait $batch || status=$?
if [ $status = 0 ]; then
	pass "all requests complete"
else
	fail "all requests complete" "$work/err"
fi

# unharmed N: none of the buffers has changed, the attacker's own neither: nothing was read
unharmed() {
	cmp "$work/target" "$work/target.$1" && cmp "$work/source" "$work/source.$1" &&
		cmp "$work/other" "$work/foreign.$1" &&
		{ [ ! -e "$work/other.$1" ] || cmp "$work/other" "$work/other.$1"; }
}

while read -r n status name; do
	if [ "$status" != any ] && ! grep -q "^wr-id $n op [a-z-]* status [a-z ]*($status)" "$work/out"; then
		grep "^wr-id $n " "$work/out" >"$work/why"
		fail "user space, $name" "$work/why"
	else
		check "user space, $name" unharmed "$n"
	fi
done <"$work/want"

# --- what a run, a server and a file transfer register

trace=/sys/kernel/debug/tracing
driver=rdma_rxe
# The answer of a READ comes as a WRITE.
sink=
if iwarp; then
	driver=siw
	sink="3:3000 "
fi

probes_off() {
	[ ! -e $trace/events/kv ] || echo 0 >$trace/events/kv/enable
	echo >$trace/kprobe_events
}

# The requested registration: struct kv_mr_reg's access and length in the kernel, arguments of the driver there.
probes_on() {
	[ "$(uname -m)" = x86_64 ] && [ -w $trace/kprobe_events ] || return 1
	{
		echo 'p:kv/reg kverbs:kv_mr_reg access=+24(%dx):u32 length=+16(%dx):u64' >$trace/kprobe_events
		echo "p:kv/reg_user $driver:${DRIVER:-rxe}_reg_user_mr access=%r8:u32 length=%dx:u64" >>$trace/kprobe_events
		echo "p:kv/reg_all $driver:${DRIVER:-rxe}_get_dma_mr access=%si:u32" >>$trace/kprobe_events
	} 2>/dev/null && echo 1 >$trace/events/kv/enable
}

# granted NAME WANT COMMAND...: each kind of registration that lets peers do anything, as ACCESS:LENGTH; a
# registration of all memory is "all:ACCESS"
granted() {
	name=$1 want=$2
	shift 2
	echo >$trace/trace
	if ! within 60 "$@" >"$work/out" 2>"$work/err"; then
		fail "$name" "$work/err"
		return
	fi
	sed -n 's/.* reg_all: .*access=\([0-9]*\).*/all:\1/p; s/.* reg[_a-z]*: .*access=\([0-9]*\) length=\([0-9]*\).*/\1:\2/p' \
		$trace/trace >"$work/granted"
	# LOCAL_WRITE is 1, and nothing for peers.
	same "$name" "$want" "$(awk -F: '$1 == "all" ? $2 != 1 : $1 > 1' "$work/granted" | sort -u | xargs)"
	[ -s "$work/granted" ] || fail "the probes see what $name does" "$work/out"
}

if probes_on; then
	for space in kernel user; do
		run="kverbs lat $by_cm --space $space --iters 20 --size 3000"
		# shellcheck disable=SC2086
		{
			granted "$space space, write: REMOTE_WRITE, of its bytes" "3:3000" $run --op write
			granted "$space space, read: REMOTE_READ" "${sink}5:3000" $run --op read
			granted "$space space, send: nothing" "" $run --op send
		}
		lacks "$space space, atomics" "atomics" || granted "$space space, atomics: REMOTE_ATOMIC" "9:8" \
			kverbs lat $by_cm --space $space --iters 20 --op fetch-add
	done
	granted "registered locally, too: no more than before" "3:3000" \
		kverbs lat $by_cm --space kernel --iters 20 --size 3000 --op write --lkey mr
	port=7690
	mkdir "$work/there"
	kverbs serve --bind 127.0.0.1 --port $port --files "$work/there" >"$work/log" 2>&1 &
	server=$!
	wait_for 20 grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp
	head -c 100000 /dev/urandom >"$work/file"
	ends="--client kernel --server user"
	# shellcheck disable=SC2086
	granted "at a server: as on one host" "${sink}5:3000" \
		kverbs lat $by_cm --op read $ends --iters 20 --size 3000 127.0.0.1:$port
	# shellcheck disable=SC2086
	if ! lacks "what a file transfer registers" "immediate data"; then
		granted "a file goes to user space: REMOTE_WRITE, of the receiver's pieces" "3:16384" \
			kverbs put "$work/file" 127.0.0.1 --port $port --name sent $ends --piece 4096 --depth 4
		granted "it comes to the kernel: the same" "3:16384" \
			kverbs get sent 127.0.0.1 "$work/back" --port $port $ends --piece 4096 --depth 4
	fi
	kill $server
	wait $server
	probes_off
else
	probes_off
	skip "what a run, a server and a file transfer register" "this kernel can't probe functions, or is not x86-64"
fi

# --- a peer that invalidates a key of user space (docs/hand.md)

{
	cat <<-'END'
		pd add name dom
		cq add cqe 16 name cq_a
		cq add cqe 16 name cq_b
		qp add pd dom cq cq_a name a
		qp add pd dom cq cq_b name b
		buf add length 64 name buf_a
		buf add length 64 name buf_b
		mr add pd dom name mr_a
		mr add pd dom name mr_b
		conn listen $dev.addr name door
		conn connect $door.src qp a access remote-write no-wait name out
		conn get-request door name in
		conn accept in qp b no-wait
		conn wait out
		conn wait in
		mr reg mr_a buf buf_a qp a access local-write,remote-write
		mr reg mr_b buf buf_b qp b access local-write
		buf write buf_a text mine
		buf write buf_b text theirs
		post recv qp b sge mr mr_b offset 32
		post recv qp a sge mr mr_a offset 32
		post send qp a sge mr mr_a length 4
		poll cq cq_b count 1
		poll cq cq_a count 1
		post send-inv qp b invalidate-rkey $mr_a.rkey sge mr mr_b length 6
		poll cq cq_b count 1
		expect completions.0.status success
		poll cq cq_a count 1
	END
	if iwarp; then
		cat <<-'END'
			expect completions.0.status success
			post write qp b sge mr mr_b length 6 remote-addr $mr_a.iova remote-key $mr_a.rkey
			poll cq cq_b count 1
			conn wait out state disconnected
		END
	else
		cat <<-'END'
			expect completions.0.status 'remote invalid request error'
		END
	fi
	cat <<-'END'
		mr show mr_a
		expect registered true
		buf read buf_a length 4
		expect text mine
		mr inv mr_a qp a
	END
} >"$work/inv.kv"
name="a key of user space that a peer invalidates"
if iwarp; then
	name="$name is dead, and nobody tells so"
else
	name="$name stays, and the peer's message fails"
fi
check "$name" kverbs batch "$work/inv.kv" --space user

# --- devices that belong to namespaces

rdma link delete "$DEV"
# Namespaces go a moment after their last process.
if wait_for 20 rdma system set netns exclusive; then
	link_add "$DEV" d0
	wait_for 10 sh -c "kverbs dev show $DEV | grep -q $ADDR"
	if contract "$DEV" exclusive >"$work/out" 2>&1; then
		pass "a device of another network namespace: $(grep -c '^ok' "$work/out") refusals and silences"
	else
		grep -v '^ok' "$work/out" >"$work/why"
		fail "a device of another network namespace" "$work/why"
	fi
	rdma link delete "$DEV"
	check "devices are everybody's again" wait_for 20 rdma system set netns shared
else
	fail "devices can belong to namespaces"
fi
link_add "$DEV" d0
check "with the device again, all is well" wait_for 10 kverbs lat $by_cm --op write --space kernel --iters 10
check "nothing is left" nothing_left
finish
