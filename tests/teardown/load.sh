# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Files that source this one use variables that are set here, and the other way round.
# shellcheck disable=SC2034,SC2046,SC2154
#
# The processes under way in a round: runs, connections, transfers and objects of every kind.
# Sourced by rounds.sh.

# A kernel with checkers does everything several times as slowly, and so does one on a loaded host.
pace_measure
slow=$(((pace_slow + 50) / 100))
ack_timeout=14
if checked; then
	slow=$((slow * 4))
	# 0.5 s until a packet is sent again: a process that shares a CPU with ten others answers late.
	ack_timeout=17
fi
# As options; iWARP has no ACK timeout.
patience=
iwarp || patience="--ack-timeout $ack_timeout"

host=127.0.0.1
port=7600
# Put before commands: the prefix that makes them run elsewhere.
in=
# Of plan.awk.
only=
# 41 ms until a SEND that nobody receives comes again: the device's threads are not nice, and would leave next to
# nothing of a slow CPU to those that are.
rnr_timer=24
# The processes that begin in a round, beside the objects of every other one: "lats others"; none, which is
# connections and objects without a run; objects, which is objects where nothing can be sent.
kinds="lats others"
# Milliseconds: each tool gets a signal at a time of its own, so long after its exec at the most.
hitting=

# --- time, in hundredths of a second

now() {
	read -r up _ </proc/uptime
	now=${up%.*}${up#*.}
}

# by DEADLINE COMMAND…: until it succeeds
by() {
	local until=$1
	shift
	while ! "$@" >/dev/null 2>&1; do
		now
		[ "$now" -lt "$until" ] || return 1
		sleep 0.1
	done
}

# soon SECONDS COMMAND…: as by, from now on; the seconds are those of a kernel without checkers
soon() {
	local seconds=$1
	shift
	now
	by $((now + seconds * slow * 100)) "$@"
}

# pause MILLISECONDS
pause() {
	[ "$1" = 0 ] || sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

# --- processes: numbered; files have the facts of each

# launch CLASS COMMAND…: in the background. A run ends when it can't go on; a process that stays ends when it
# is told to; so does a holder, which keeps the device from going meanwhile.
launch() {
	count=$((count + 1))
	case $1 in
	run) runs="$runs $count" ;;
	stay) stays="$stays $count" ;;
	holder) holders="$holders $count" ;;
	esac
	shift
	echo "$*" >"$dir/$count.command"
	(
		# The variables are the inner shell's.
		# shellcheck disable=SC2016
		$in sh -c 'echo $$ >"$0.pid"; exec "$@"' "$dir/$count" "$@" </dev/null >"$dir/$count.out" 2>"$dir/$count.err"
		echo $? >"$dir/$count.ending"
		mv "$dir/$count.ending" "$dir/$count.status"
	) 2>/dev/null &
	[ -z "$hitting" ] || hit_later $count
}

# hit SIGNAL NUMBER…: those that have not ended
hit() {
	local signal=$1 i pid
	shift
	for i; do
		[ ! -e "$dir/$i.status" ] && read -r pid 2>/dev/null <"$dir/$i.pid" || continue
		kill -"$signal" "$pid" 2>/dev/null
	done
}

# ended NUMBER…: have they?
ended() {
	local i
	for i; do
		[ -e "$dir/$i.status" ] || return 1
	done
}

# --- the load

next_port() {
	port=$((port + 1))
}

# Both are true, too, if who is to listen has ended.
listening() {
	ended $count || $in grep -qi ":$(printf %04X "$port") .* 0A " /proc/net/tcp /proc/net/tcp6
}

cm_listening() {
	ended $count || $in rdma resource show cm_id | grep 'state LISTEN' | grep -q ":$port "
}

# Space of both ends, or of each.
ends() {
	if [ "$1" = "$2" ]; then
		echo "--space $1"
	else
		echo "--client $1 --server $2"
	fi
}

# holds CLIENT SERVER LOOP: the module, as long as a run of the kernel's goes on; the target of what completes at
# the other end has none.
holds() {
	case $1/$2/$3 in
	kernel/* | */kernel/one-thread | */kernel/pingpong) held=1 ;;
	esac
}

lat() {
	launch run kverbs lat $(ends "$1" "$2") --loop "$3" --op "$4" --connect "$5" --time 600 --no-verify \
		$patience --timeout $((5 * slow))s
	# These have nothing of the module's.
	[ "$1$2" != useruser ] || apart="$apart $count"
	holds "$1" "$2" "$3"
	rts=$((rts + 2))
}

serve() {
	next_port
	launch stay kverbs serve --bind $host --port $port --files "$dir/files"
	servers="$servers $count"
	soon 20 listening
}

served() {
	local op loop=completion
	serve
	case $((turn % 4)) in
	0) op="send" loop=pingpong ;;
	1) op="write" ;;
	2) op="read" ;;
	3) op="fetch-add" ;;
	esac
	! iwarp || [ "$op" != fetch-add ] || op="write"
	holds "$1" "$2" $loop
	launch run kverbs lat $(ends "$1" "$2") --op $op --connect "$3" --time 600 --no-verify \
		$patience --timeout $((5 * slow))s $host:$port
	rts=$((rts + 2))
}

# pingpong CLIENT SERVER TYPE: QPs of every type, moved by hand in both spaces. Few receives: those that were used
# up are posted again all at once, which takes its time where others want the CPU, and the peer waits for it.
pingpong() {
	set -- "$1" "$2" "--type $3 --iters 1000000000 --size 64 --rx-depth 4 --timeout $((5 * slow))s"
	case $3 in
	*srq*) set -- "$1" "$2" "$3 --qps 2" ;;
	esac
	next_port
	launch run kverbs pingpong --space "$2" --port $port $3
	peers="$peers $count"
	soon 20 listening
	launch run kverbs pingpong $host --space "$1" --port $port $3
	case $3 in
	*srq*) rts=$((rts + 4)) ;;
	*) rts=$((rts + 2)) ;;
	esac
}

# 1024 pieces, one by one.
transfer() {
	local way=$1
	shift
	mkdir -p "$dir/files" "$dir/here"
	serve
	if [ "$way" = put ]; then
		truncate -s 4M "$dir/here/$port"
		launch run kverbs put "$dir/here/$port" $host:$port $(ends "$1" "$2") --piece 4096 --depth 1 \
			--timeout $((5 * slow))s
	else
		truncate -s 4M "$dir/files/$port"
		launch run kverbs get $port $host:$port "$dir/here/$port" $(ends "$1" "$2") --piece 4096 --depth 1 \
			--timeout $((5 * slow))s
	fi
	files="$files $count"
}

# A program of others, at one end.
ping_client() {
	next_port
	launch holder rping -s -a "$ADDR" -p $port
	peers="$peers $count"
	soon 20 cm_listening
	launch run kverbs ping --client "$ADDR" --space "$1" --port $port --validate --timeout $((5 * slow))s
	rts=$((rts + 2))
}

ping_server() {
	next_port
	launch run kverbs ping --server "$ADDR" --space "$1" --port $port --timeout $((5 * slow))s
	soon 20 cm_listening
	launch holder rping -c -a "$ADDR" -p $port
	peers="$peers $count"
	rts=$((rts + 2))
}

# Connections come and go all the time.
rate() {
	next_port
	launch stay kverbs conn-rate --server "$ADDR" --space "$1" --port $port
	peers="$peers $count"
	soon 20 cm_listening
	launch run kverbs conn-rate "$ADDR" --space "$1" --port $port --count 1000000 --timeout $((5 * slow))s
}

quadrants() {
	holding_by_turns=1
	launch run kverbs compare $by_cm --quadrants --ops write --sizes 64 --time 600 $patience --timeout $((5 * slow))s --no-verify
	rts=$((rts + 2))
}

# streams SPACE CONNECT COMPLETION THREADS OP [SHAPE]: many requests outstanding, in lists. Of a thread they are at one QP,
# or, with SHAPE one-cq, srq or turns, at four; with SHAPE rate or turns they are due at times
streams() {
	local shape='' qps=1
	case ${6-} in
	one-cq) shape='--one-cq --qps 4' qps=4 ;;
	srq) shape='--srq --qps 4' qps=4 ;;
	rate) shape='--rate 4000' ;;
	turns) shape='--rate 4000 --qps 4' qps=4 ;;
	esac
	launch run kverbs bw --space "$1" --connect "$2" --completion "$3" --threads "$4" --op "$5" --size 64 --depth 64 --list 4 --rounds 1 --duration 600 --no-verify \
		$shape $patience --timeout $((5 * slow))s
	if [ "$1" = kernel ]; then
		holding_by_turns=1
	else
		apart="$apart $count"
	fi
	rts=$((rts + 2 * $4 * qps))
}

# batch SPACE: the commands come from stdin
batch() {
	local class=stay
	[ "$1" = kernel ] || class=holder
	count=$((count + 1))
	{
		cat
		echo "echo ready"
		echo "sleep 600s"
	} >"$dir/$count.kv"
	count=$((count - 1))
	launch $class kverbs batch "$dir/$((count + 1)).kv" --space "$1"
	batches="$batches $count"
}

# ack: the key of a connection by hand; iWARP refuses it, because TCP sends a packet again
ack() {
	iwarp || echo "ack-timeout $ack_timeout"
}

# A listener, a connection with requests under way, a request that nobody takes.
conns() {
	batch "$1" <<-KV
		pd add name dom
		cq add cqe 64 name cq_a
		cq add cqe 64 name cq_b
		qp add pd dom cq cq_a name a
		qp add pd dom cq cq_b name b
		qp add pd dom cq cq_b name c
		conn listen \$dev.$(iwarp && echo addr || echo gid) backlog 4 name door
		conn connect \$door.src qp a access remote-write $(ack) no-wait name out
		conn get-request door timeout 60s name in
		conn accept in qp b access remote-write $(ack) no-wait
		conn wait out timeout 60s
		conn wait in timeout 60s
		buf add length 64k name bytes
		mr add pd dom name m
		mr reg m buf bytes qp a access local-write
		post recv qp a sge mr m length 64
		post send qp b sge mr m length 64
		post recv qp a sge mr m length 64
		conn connect \$door.src qp c no-wait name late
	KV
	rts=$((rts + 2))
}

# Receives that nobody sends to: a SEND that nobody receives would be the end of the connection.
posted_on_iwarp() {
	batch "$1" <<-KV
		pd add name pd
		cq add cqe 64 context event name cq
		cq add cqe 64 context event name cq_b
		buf add length 64k name bytes
		mr add pd pd name m
		qp add pd pd cq cq name a
		qp add pd pd cq cq_b name b
		conn listen \$dev.addr name door
		conn connect \$door.src qp a access remote-write no-wait name out
		conn get-request door timeout 60s name in
		conn accept in qp b access remote-write no-wait
		conn wait out timeout 60s
		conn wait in timeout 60s
		mr reg m buf bytes qp a access local-write
		post recv qp a sge mr m
		post recv qp b sge mr m
	KV
	rts=$((rts + 2))
}

# SENDs that nobody receives, receives that nobody sends to.
posted() {
	if iwarp; then
		posted_on_iwarp "$1"
		return
	fi
	batch "$1" <<-KV
		pd add name pd
		cq add cqe 64 context event name cq
		buf add length 64k name bytes
		mr add pd pd name m
		qp add pd pd cq cq name a
		qp add pd pd cq cq name b
		qp address a
		qp address b
		qp connect a peer \$b.address rnr-retry 7 timeout $ack_timeout
		qp connect b peer \$a.address min-rnr-timer $rnr_timer timeout $ack_timeout
		mr reg m buf bytes qp a access local-write
		post send qp a sge mr m
		post send qp a unsignaled
		post recv qp a sge mr m
		post recv qp a sge mr m
	KV
	rts=$((rts + 2))
}

# made COMMAND…: prints the id
made() {
	set -- $($in kverbs "$@")
	echo "$2"
}

# Objects that no process has: two QPs with receives, their conns, and a listener.
persistent_on_iwarp() {
	local pd cq buf a b door where out taken
	pd=$(made pd add)
	cq=$(made cq add cqe 16 context softirq)
	buf=$(made buf add length 64k)
	a=$(made qp add pd "$pd" cq "$cq" max-recv-wr 4 max-send-wr 4)
	b=$(made qp add pd "$pd" cq "$cq" max-recv-wr 4 max-send-wr 4)
	kverbs conn listen "$ADDR" >"$dir/door"
	door=$(awk '{ print $2; exit }' "$dir/door")
	where=$(sed -n 's/.* src \([^ ]*\).*/\1/p' "$dir/door")
	out=$(made conn connect "$where" qp "$a" no-wait)
	taken=$(made conn get-request "$door" timeout 60s)
	kverbs conn accept "$taken" qp "$b" timeout 60s >/dev/null
	kverbs conn wait "$out" timeout 60s >/dev/null
	kverbs post recv qp "$a" sge buf "$buf" >/dev/null
	kverbs post recv qp "$b" sge buf "$buf" >/dev/null
	rts=$((rts + 2))
}

# Objects that no process has: a QP that sends to itself for ever, and a listener.
persistent() {
	local pd cq buf qp
	if iwarp; then
		persistent_on_iwarp
		return
	fi
	pd=$(made pd add)
	cq=$(made cq add cqe 16 context softirq)
	buf=$(made buf add length 64k)
	qp=$(made qp add pd "$pd" cq "$cq")
	$in kverbs qp connect "$qp" peer "$($in kverbs qp address "$qp")" rnr-retry 7 min-rnr-timer $rnr_timer \
		timeout $ack_timeout >/dev/null
	$in kverbs post send qp "$qp" sge buf "$buf" >/dev/null
	[ -n "$in" ] || kverbs conn listen "$ADDR" >/dev/null
	rts=$((rts + 1))
}

# plan: the parts of the round, and sets chance
plan() {
	awk -v seed="$seed" -v cause="$cause" -v round="$round" -v turn="$turn" -v only="$only" \
		-v iwarp="$(iwarp && echo 1 || echo 0)" -f plan.awk >"$dir/plan"
	chance=$(sed -n 's/^chance //p' "$dir/plan")
}

# draw N: sets drawn to a number from 0 on below N, 1000 at most, that is the same whenever the round is repeated
draw() {
	drawn=$((${chance%% *} * $1 / 1000))
	chance="${chance#* } ${chance%% *}"
}

# calm: as soon as all that has been begun is under way, it leaves the CPU to what has yet to begin, or all that
# polls would share it with each newcomer. Threads of the tools and of their runs in the kernel.
calm() {
	local tasks='' path comm task
	[ -z "$hitting" ] || return 0
	soon 60 settled
	for path in /proc/[0-9]*/comm; do
		read -r comm 2>/dev/null <"$path" || continue
		case $comm in
		kverbs*) ;;
		*) continue ;;
		esac
		for task in "${path%comm}"task/*; do
			[ ! -e "$task" ] || tasks="$tasks ${task##*/}"
		done
	done
	renice -n 19 -p $tasks >/dev/null 2>&1
}

begin_lats() {
	while IFS=' ' read -r kind what; do
		[ "$kind" = lat ] || continue
		# Words, split at the slashes.
		lat $(echo "$what" | tr / ' ')
		calm
	done <"$dir/plan"
}

begin_others() {
	while IFS=' ' read -r kind what; do
		set -- $(echo "$what" | tr / ' ')
		case $kind in
		served) served "$@" ;;
		pingpong) pingpong "$@" ;;
		ping-client) ping_client "$@" ;;
		ping-server) ping_server "$@" ;;
		rate) rate "$@" ;;
		quadrants) quadrants ;;
		streams) streams "$@" ;;
		conns) conns "$@" ;;
		posted) posted "$@" ;;
		*) continue ;;
		esac
		calm
	done <"$dir/plan"
}

# Their end comes by itself, so they begin last.
begin_transfers() {
	while IFS=' ' read -r kind what; do
		case $kind in
		put | get)
			transfer "$kind" $(echo "$what" | tr / ' ')
			;;
		esac
	done <"$dir/plan"
}

# --- in the shell: on a kernel with checkers to begin a program takes some tenths of a second

is_ready() {
	local line
	while read -r line; do
		[ "$line" != ready ] || return 0
	done 2>/dev/null <"$1"
	return 1
}

# have_rts NUMBER: are so many QPs in RTS, or more? Those of the CM itself are of type GSI.
have_rts() {
	local left=$1 qps
	qps=$($in rdma resource show qp)
	while [ "$left" -gt 0 ]; do
		case $qps in
		*'type '[RU][CD]' state RTS'*) qps=${qps#*type [RU][CD] state RTS} ;;
		*) return 1 ;;
		esac
		left=$((left - 1))
	done
}

under_way() {
	local i
	for i in $batches; do
		is_ready "$dir/$i.out" || return 1
	done
	have_rts $rts && is_held
}

# A run begins some time after its QPs were connected.
is_held() {
	local refs
	[ $held = 1 ] || return 0
	read -r refs </sys/module/kverbs/refcnt && [ "$refs" -ge $((1 + holding_by_turns)) ]
}

# Has anything ended that goes on until it is struck?
over() {
	local i
	for i in $runs $stays; do
		[ ! -e "$dir/$i.status" ] || return 0
	done
	return 1
}

ended_ones() {
	local i
	for i in $runs $stays; do
		[ ! -e "$dir/$i.status" ] || printf ' [%s: status %s]' "$(cat "$dir/$i.command")" "$(cat "$dir/$i.status")"
	done
}

blame_slow() {
	$in rdma resource show qp >"$dir/qps.out"
	blame load "after $((120 * slow)) s not all is under way: $rts QPs were to be in RTS, and the module to have $((held * (1 + holding_by_turns))) of its $(cat /sys/module/kverbs/refcnt) references" \
		"$dir/qps.out" "$dir"/*.err
}

settled() {
	over || under_way
}

file_under_way() {
	# shellcheck disable=SC2086
	ended $files || have_rts $((rts + 2))
}

clear_load() {
	runs='' stays='' holders='' servers='' peers='' batches='' files='' apart=''
	count=0
	rts=0
	# Has the module a run that goes on until it is struck? One that comes and goes?
	held=0
	holding_by_turns=0
}

# load: begins it all, and waits until it is under way
load() {
	clear_load
	launch stay kverbs monitor
	case $kinds$persisting in
	none* | objects* | *1) persistent ;;
	esac
	case $kinds in
	*others*) begin_others ;;
	objects)
		posted kernel
		posted user
		# Where nothing can be sent they don't stay in RTS.
		rts=0
		;;
	*)
		conns kernel
		posted kernel
		;;
	esac
	case $kinds in
	*lats*) begin_lats ;;
	esac
	[ -z "$hitting" ] || return 0
	# Not asked again whether it is under way: a process that holds the module by turns may not do so a moment later.
	if ! soon 120 settled; then
		blame_slow
	elif over; then
		blame load "before it was struck there has ended$(ended_ones)" "$dir"/*.err
	fi
	case $kinds in
	*others*)
		begin_transfers
		[ -z "$files" ] || soon 60 file_under_way || blame load "the transfer does not begin" "$dir"/*.err
		;;
	esac
	return 0
}
