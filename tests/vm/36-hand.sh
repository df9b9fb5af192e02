# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The commands for objects: lifetime and visibility, files, events, and how a batch is
# run and how it ends. The effects of the verbs on each other are in examples/.
. ./hand.sh

# added COMMAND…: makes an object; prints its id
added() {
	kverbs "$@" | awk '{ print $2; exit }'
}

# ours TYPE: how many the kernel lists as the module's own
ours() {
	rdma resource show "$1" | grep -cF '[kverbs]'
}

# listed TYPE: how many the tool lists
listed() {
	kverbs "$1" show --json | grep -c '"id":'
}

# waits FILE PATTERN…: until the file has a line like that
waits() {
	wait_for 10 grep -E "$2" "$1"
}

# field NAME FILE: the word behind the first word NAME in a file
field() {
	sed -n "s/.*\\<$1 \\([^ ]*\\).*/\\1/p" "$2" | head -n 1
}

# Immediate data, where there is any.
imm="imm 0x1234 " send=send-imm
! iwarp || imm= send=send

# --- what a command makes stays there, for all
everything >"$work/before"
pd=$(added pd add)
cq=$(added cq add cqe 64)
ecq=$(added cq add cqe 64 context event)
buf=$(added buf add length 1m)
mr=$(added mr add pd "$pd")
a=$(added qp add pd "$pd" cq "$cq")
b=$(added qp add pd "$pd" cq "$ecq")
srq=$(added srq add pd "$pd" max-wr 8)
ah=
iwarp || ah=$(added ah add pd "$pd" dgid "::ffff:$ADDR")
kverbs pd show "$pd" >"$work/out"
has "the next command sees a pd" "pd $pd dev $DEV persistent local-dma-lkey 0x*" "$work/out"
kverbs qp show >"$work/out"
has "and a qp" "qp $a dev $DEV persistent type rc state reset qpn * pd $pd send-cq $cq recv-cq $cq*" "$work/out"
kverbs srq show "$srq" >"$work/out"
has "and an srq" "srq $srq dev $DEV persistent pd $pd max-wr * max-sge 1 limit 0" "$work/out"
lacks "and an ah" "AH" || kverbs ah show "$ah" >"$work/out"
iwarp || has "and an ah" "ah $ah dev $DEV persistent pd $pd port 1 dgid ::ffff:$ADDR sgid-index *" "$work/out"
echo "mr show $mr" | kverbs batch - >"$work/out"
has "so does a batch" "mr $mr dev $DEV persistent pd $pd max-pages 256" "$work/out"
kverbs buf show "$buf" >"$work/out"
has "a buffer" "buf $buf dev $DEV persistent length 1048576 pieces 1 node 0" "$work/out"
if iwarp; then
	refused "two qps are not connected by their addresses" 77 "iWARP connects through the RDMA CM" kverbs qp address "$b"
	check "but by the RDMA CM" connect_qps "$a" "$b"
else
	check "two qps are connected by their addresses" kverbs qp connect "$a" peer "$(kverbs qp address "$b")"
	check "both ways" kverbs qp connect "$b" peer "$(kverbs qp address "$a")"
fi
check "a buffer is registered" kverbs mr reg "$mr" buf "$buf" qp "$a" access local-write,remote-write
refused "and in use" 1 "buf $buf is in use by mr $mr: delete that first (EBUSY)" kverbs buf del "$buf"
kverbs mr show "$mr" >"$work/show"
iova=$(field iova "$work/show")
rkey=$(field rkey "$work/show")

# --- content
kverbs buf write "$buf" offset 5 text 'hello world'
same "text is read as it was written" 'hello world' "$(kverbs buf read "$buf" offset 5 length 16)"
same "as hex" '00000000  00 00 00 00 00 68 65 6c  6c 6f 20 77 6f 72 6c 64' \
	"$(kverbs buf read "$buf" length 16 format hex)"
kverbs buf write "$buf" offset 512k hex 00ff0a80
same "what can't be printed is told as hex" '\x00\xff' "$(kverbs buf read "$buf" offset 512k length 2)"
kverbs buf read "$buf" offset 512k length 4 file "$work/four" >/dev/null
same "a file gets the bytes" "00ff0a80" "$(hexdump -ve '1/1 "%02x"' "$work/four")"
kverbs buf write "$buf" offset 640k file "$work/four"
same "and gives them" '000a0000  00 ff 0a 80' "$(kverbs buf read "$buf" offset 640k length 4 format hex)"
dd if=/dev/urandom of="$work/big" bs=1M count=4 2>/dev/null
kverbs buf load "$buf" file "$work/big" >"$work/out"
has "1 MiB of a file of 4 are loaded" "buf $buf file $work/big file-offset 0 offset 0 length 1048576" "$work/out"
check "and saved" kverbs buf save "$buf" file "$work/saved"
dd if="$work/big" of="$work/first" bs=1M count=1 2>/dev/null
check "as they were" cmp "$work/first" "$work/saved"
dd if="$work/big" bs=1 skip=1000001 count=5000 2>/dev/null >"$work/part"
kverbs buf load "$buf" file "$work/big" file-offset 1000001 offset 77 length 5000 >"$work/out"
has "a part of a file is loaded" "buf $buf file $work/big file-offset 1000001 offset 77 length 5000" "$work/out"
printf 'head' >"$work/into"
check "and saved behind what a file holds" kverbs buf save "$buf" file "$work/into" file-offset 4 offset 77 length 5000
{ printf 'head'; cat "$work/part"; } >"$work/want"
check "which stays as it was" cmp "$work/want" "$work/into"
# The kernel reads no such file by itself.
kverbs buf load "$buf" file /proc/version >"$work/out"
bytes=$(wc -c </proc/version)
has "a file of /proc is loaded" "buf $buf file /proc/version file-offset 0 offset 0 length $bytes" "$work/out"
kverbs buf save "$buf" file "$work/version" length "$bytes" >/dev/null
check "as it is" cmp "$work/version" /proc/version

# --- requests and completions
check "a write is posted" kverbs post write qp "$a" sge buf "$buf" length 8 remote-addr "$iova" \
	remote-offset 512k remote-key "$rkey" wr-id 7
kverbs poll cq "$cq" count 1 >"$work/out"
has "its completion is told" "wr-id 7 op write status success (0) qp $a" "$work/out"
same "there is no other" "no completion" "$(kverbs poll cq "$cq")"
kverbs post recv qp "$b" sge buf "$buf" offset 512k length 64 wr-id 100
kverbs poll cq "$ecq" wait timeout 30s >"$work/out" 2>&1 &
tool=$!
sleep 1
check "poll wait sleeps" kill -0 $tool
kverbs post $send qp "$a" sge buf "$buf" length 5 $imm wr-id 8
check "until another command's message comes" waits "$work/out" .
wait $tool
has "and tells it" "wr-id 100 op recv status success (0) length 5 ${imm}qp $b" "$work/out"
status=0
kverbs poll cq "$cq" count 2 timeout 100ms >"$work/out" 2>"$work/err" || status=$?
same "a poll that gets too few: exit status" 1 $status
has "says how many came" "kverbs: poll: 1 of 2 completions came within 0.1 s (ETIMEDOUT)" "$work/err"
has "and tells those" "wr-id 8 op send status success (0) qp $a" "$work/out"

# --- as the kernel counts them
for _ in 1 2; do
	kverbs pd add >/dev/null
	kverbs cq add cqe 16 >/dev/null
	kverbs mr add pd "$pd" >/dev/null
	kverbs qp add pd "$pd" cq "$cq" >/dev/null
	kverbs srq add pd "$pd" max-wr 4 >/dev/null
done
for type in pd cq mr qp srq; do
	same "rdma resource show $type lists as many as kverbs $type show" "$(listed $type)" "$(ours $type)"
done
same "that is, pds" 3 "$(ours pd)"
last=$(added qp add pd "$pd" cq "$cq")
same "one more qp" 5 "$(ours qp)"
kverbs qp del "$last"
same "and one less" 4 "$(ours qp)"

# --- what belongs to a batch
kverbs flush >"$work/out"
# An ah less there, and two conns more.
has "flush says how many there were" "flushed $(iwarp && echo 20 || echo 19) busy 0" "$work/out"
everything >"$work/after"
check "and leaves none" cmp "$work/before" "$work/after"

# open_batch N SPACE: a batch that is fed through descriptor 5 (N = 1) or 6
open_batch() {
	# The output of the last batch must not end the wait.
	: >"$work/out$1"
	mkfifo "$work/fifo$1"
	kverbs batch - --space "$2" <"$work/fifo$1" >"$work/out$1" 2>"$work/err$1" &
	batch=$!
}
for space in kernel user; do
	open_batch 1 $space
	batch1=$batch
	exec 5>"$work/fifo1"
	open_batch 2 $space
	batch2=$batch
	exec 6>"$work/fifo2"
	for fd in 5 6; do
		echo 'pd add name x
buf add length 4k name m
mr add pd x name key' >&$fd
	done
	check "two batches in $space space make objects" waits "$work/out1" '^mr '
	check "at once" waits "$work/out2" '^mr '
	one=$(field pd "$work/out1")
	echo "buf write m text first
buf read m" >&5
	echo "buf write m text second
buf read m" >&6
	check "of the same name ($space space)" waits "$work/out1" '^first$'
	check "which are not the same ($space space)" waits "$work/out2" '^second$'
	everything >"$work/after"
	check "no command sees them ($space space)" cmp "$work/before" "$work/after"
	if [ $space = kernel ]; then
		same "the kernel knows both mrs as the module's" 2 "$(ours mr)"
		refused "nor can it delete one" 1 "no pd with this id among yours; there " kverbs pd del "$one"
		refused "nor use it" 1 "pd: no pd with this id among yours; there " \
			kverbs mr add pd "$one"
		echo "pd show $one" >&6
		check "nor does the other batch" waits "$work/err2" "^kverbs: stdin:6: pd show: .*no pd with this id among yours; there .* \(ENOENT\)"
	else
		check "the kernel knows its objects as the process's" \
			sh -c "rdma resource show pd | grep -w 'pid $batch1' | grep -w kverbs"
		same "and none as the module's" 0 "$(ours pd)"
		echo "mr reg key buf m" >&5
		check "a registration is an MR of the process" waits "$work/out1" ' registered '
		same "one MR" 1 "$(rdma resource show mr | grep -cw "pid $batch1")"
	fi
	exec 6>&-
	wait "$batch2"
	echo "buf read m" >&5
	twice() {
		[ "$(grep -c '^first$' "$work/out1")" = 2 ]
	}
	check "the end of one is nothing to the other ($space space)" wait_for 10 twice
	exec 5>&-
	wait "$batch1"
	same "the end of input is the end ($space space)" 0 $?
	check "after which nothing is left ($space space)" wait_for 5 nothing_left
	rm "$work/fifo1" "$work/fifo2"
done

# A persistent object is kept as long as a batch uses it.
pd=$(added pd add)
open_batch 1 kernel
exec 5>"$work/fifo1"
echo "mr add pd $pd" >&5
waits "$work/out1" '^mr '
same "flush keeps what a batch uses" "flushed 0 busy 1" "$(kverbs flush)"
refused "and so does del" 1 "in use by an mr: invalidate or delete that first" kverbs pd del "$pd"
exec 5>&-
wait "$batch"
same "as long as it does" "flushed 1 busy 0" "$(kverbs flush)"
rm "$work/fifo1"

# --- events
# monitors OPTION…: monitor, in the background
monitors() {
	kverbs monitor "$@" >"$work/events" 2>"$work/err" &
	monitor=$!
	wait_for 30 hears $monitor
}
ip link add d1 type dummy
ip link set d1 up
monitors time 600s --json="$work/lines.json"
link_add "$second" d1
check "monitor: a device comes" waits "$work/events" "^event dev-added dev $second\$"
rdma link delete "$second"
check "monitor: a device goes" waits "$work/events" "^event dev-removed dev $second\$"
kill -INT $monitor
wait $monitor
check "monitor --json=FILE: a line for each event, and one for the end" jq -es '([.[].event] | index("dev-added") < index("dev-removed"))
	and last.error.errno == "EINTR"' "$work/lines.json"
# Other events of a device that comes and goes count as well: its port's, its GIDs'.
monitors count 2 time 600s
link_add "$second" d1
rdma link delete "$second"
wait $monitor
same "monitor: ends after as many events as were asked for: exit status" 0 $?
same "monitor: ends after as many events as were asked for" 2 "$(grep -c '^event ' "$work/events")"
ip link delete d1

monitors time 600s
kverbs lat $by_cm --op write --iters 10 --space kernel >/dev/null
check "monitor: a run starts" waits "$work/events" "^event run-started dev $DEV run [0-9]+$"
check "monitor: a run is done" waits "$work/events" "^event run-done dev $DEV run [0-9]+ error none$"
kill -INT $monitor
wait $monitor
check "monitor: Ctrl-C is a failure if there was a time to keep" test $? = 130
monitors
kill -INT $monitor
wait $monitor
same "monitor: Ctrl-C is the end if there was none" 0 $?

pd=$(added pd add)
cq=$(added cq add cqe 64)
buf=$(added buf add length 4k)
mr=$(added mr add pd "$pd")
srq=$(added srq add pd "$pd" max-wr 8 limit 2)
a=$(added qp add pd "$pd" cq "$cq")
b=$(added qp add pd "$pd" cq "$cq" srq "$srq")
connect_qps "$a" "$b" >/dev/null
kverbs post recv srq "$srq" sge buf "$buf"
kverbs post recv srq "$srq" sge buf "$buf"
kverbs srq modify "$srq" limit 2 >/dev/null
monitors time 600s --json
kverbs post send qp "$a" sge buf "$buf" length 8
check "monitor --json: an asynchronous event of an srq" \
	waits "$work/events" '"event": *"srq-limit-reached".*"srq": *'"$srq\\>"
kverbs poll cq "$cq" count 2 >/dev/null
if ! lacks "monitor --json: the error of a qp" "completion that tells of the peer's refusal"; then
	kverbs post write qp "$a" sge buf "$buf" length 8 remote-addr 0 remote-key 0x12345 wr-id 3
	kverbs poll cq "$cq" count 1 >"$work/out"
	has "a request fails" "wr-id 3 op write status remote *error (*) vendor-err * qp $a" "$work/out"
	has "and a line points to what explains it" "status [0-9]*: *: examples/2*.kv" "$work/out"
	check "monitor --json: the error of a qp" \
		waits "$work/events" '"event": *"wc-error".*"qp": *'"$a\\>"'.*"status_name": *"remote .* error"'
fi
kill -INT $monitor
wait $monitor
whole=yes
while IFS= read -r line; do
	echo "$line" >"$work/line"
	json "$work/line" || whole=no
	! grep -q '"event"' "$work/line" || keep event "$work/line"
done <"$work/events"
same "monitor --json: each line is a document" yes $whole
same "monitor for a while is no failure without events" "" "$(kverbs monitor time 100ms)"

# --- JSON of every command
parses() {
	kverbs "$@" --json >"$work/json" 2>"$work/err"
	if json "$work/json" && grep -qF "\"command\": \"$1" "$work/json" && [ ! -s "$work/err" ]; then
		pass "--json: $1 $2"
	else
		fail "--json: $*" "$work/json" "$work/err"
	fi
}
for conn in $(kverbs conn show | sed -n 's/^conn \([0-9]*\) .*/\1/p'); do
	kverbs conn del "$conn"
done
kverbs qp modify "$a" state reset >/dev/null
kverbs qp modify "$b" state reset >/dev/null
parses pd add
parses pd show
parses pd show "$pd"
parses cq add cqe 16
parses cq show "$cq"
parses buf add length 64
parses buf show
parses mr add pd "$pd"
parses mr show
parses buf write "$buf" text '"quoted" \ and
a second line'
parses buf read "$buf"
parses buf read "$buf" format hex
parses buf save "$buf" file "$work/saved"
parses buf load "$buf" file "$work/saved"
parses srq add pd "$pd" max-wr 4
parses srq modify "$srq" limit 1
parses srq show
lacks "--json: ah add" "AH" || parses ah add pd "$pd" dgid "::ffff:$ADDR"
parses ah show
parses qp add pd "$pd" cq "$cq"
parses qp modify "$a" state init access none
if lacks "--json: qp address and qp connect" "raw connection"; then
	# A qp in INIT has its rights already, and connect_qps gives some.
	kverbs qp modify "$a" state reset >/dev/null
	connect_qps "$a" "$b" >/dev/null
else
	parses qp address "$b"
	parses qp connect "$a" peer "$(kverbs qp address "$b")"
	parses qp connect "$b" peer "$(kverbs qp address "$a")"
fi
parses qp show
parses mr reg "$mr" buf "$buf" qp "$a"
parses mr inv "$mr" qp "$a"
parses post recv srq "$srq" sge buf "$buf"
# shellcheck disable=SC2086 # words
parses post $send qp "$a" sge buf "$buf" length 8 $imm
parses poll cq "$cq" count 2
parses flush
# to_file NAME COMMAND…: text, and JSON in a file
to_file() {
	rm -f "$work/file.json"
	check "--json=FILE: $1" sh -c 'file=$1; shift; kverbs "$@" --json="$file/file.json" >"$file/text" && [ -s "$file/text" ] &&
		! grep -q "^[[{]" "$file/text"' sh "$work" "$@"
	check "--json=FILE: $1, the document" json "$work/file.json"
}

echo pd add >"$work/file.kv"
to_file dev show
to_file pd add
to_file batch "$work/file.kv"
to_file batch "$work/file.kv" --repeat 2
check "--json=-" sh -c "kverbs pd show --json=- | jq -e .result"
check "-j" sh -c "kverbs pd show -j | jq -e .result && kverbs -j pd show | jq -e .result"
cp "$work/file.json" "$work/kept.json"
check "--json=FILE: a refusal replaces no document" \
	sh -c "! kverbs pd del 2000000000 --json='$work/file.json' 2>/dev/null && cmp '$work/file.json' '$work/kept.json'"
check "--json=FILE: a refusal" \
	sh -c "! kverbs pd del 2000000000 --json='$work/new.json' 2>/dev/null && jq -e '.error.errno == \"ENOENT\"' '$work/new.json'"
kverbs flush >/dev/null
kverbs dev show --json >"$work/json"
check "--json: dev show" json "$work/json"
kverbs pd del 2000000000 --json >"$work/json" 2>/dev/null
check "--json: a refusal" json "$work/json"
check "which names the errno" grep -F '"errno": "ENOENT"' "$work/json"

# --- batches
batch kernel <<'END'
# a comment
pd add name x    # and another
cq add cqe 16 \
   name c
qp add pd $x cq ${c.id} name a
buf add length 4k name m
buf write m text "two words, a \" and \$x"
buf read m
set n 8
echo $a.qpn is the number of $a.name, "$n"
qp show a
expect qpn $a.qpn
buf show m
expect length 0x1000
END
same "a batch from standard input" 0 $?
has "quotes" 'two words, a " and $x' "$work/out"
has "references" "[1-9]* is the number of a, 8" "$work/out"
batch user --set v=7 <<'END'
echo $v
END
has "--set" 7 "$work/out"
cat >"$work/set-up" <<'END'
pd add name x
cq add cqe 16 name c
qp add pd x cq c name a
END
kverbs batch "$work/set-up" --space both --repeat 5 >"$work/out"
has "--space both: a table" "line *command *kernel *user *n*" "$work/out"
for line in 1 2 3; do
	check "--space both: line $line has two times" \
		grep -E "^ *$line .*add.* ([0-9]+\.[0-9]+|[0-9,]{4,}) +([0-9]+\.[0-9]+|[0-9,]{4,}) +5 *$" "$work/out"
done
has "--repeat: the times are medians" "Times of the verbs of each line, in *s, median of 5 rounds; *" "$work/out"
same "--repeat: what is told is told once in a space" 2 "$(grep -c '^qp ' "$work/out")"
kverbs batch "$work/set-up" --space both --repeat 5 --json >"$work/json"
check "--space both --json is one document" json "$work/json"
keep batch "$work/json"
check "its shape is that of docs/json.md" jq -e '.schema == "kverbs.batch" and .repeat == 5 and (.kernel[0] | .line == 1 and
	has("result") and has("verbs")) and (.times | length > 0 and all(.[]; has("line") and has("command") and has("kernel_ns") and
	has("user_samples")))' "$work/json"
kverbs batch "$work/set-up" --json >"$work/json"
check "--json is one document" json "$work/json"
kverbs batch /dev/null --json >"$work/json"
check "--json of no commands, too" json "$work/json"
for space in kernel user; do
	verb=ib
	[ $space = kernel ] || verb=ibv
	echo 'pd del 2000000000' >"$work/refused"
	kverbs batch "$work/set-up" --trace --space $space >"$work/out" 2>"$work/err"
	has "--trace in $space space: arguments, result, time of a pd" \
		"${verb}_alloc_pd($DEV) = pd *  \[*.* us\]" "$work/err"
	has "--trace in $space space: of a cq" \
		"${verb}_create_cq($DEV, cqe 16, comp-vector 0, context polled) = cq *  \[*.* us\]" "$work/err"
	has "--trace in $space space: of a qp" \
		"${verb}_create_qp(pd *, type rc, send-cq *, recv-cq *, max-send-wr 16, max-recv-wr 16, max-send-sge 1, max-recv-sge 1, max-inline 0) = qp *, qpn *  \[*.* us\]" \
		"$work/err"
	for type in pd cq qp; do
		gone=${verb}_destroy_$type
		[ $type = pd ] && gone=${verb}_dealloc_pd
		has "--trace in $space space: the $type goes at the end" "$gone($type *) = 0  \[*.* us\]" "$work/err"
	done
	kverbs batch "$work/refused" --trace --space $space >"$work/out" 2>"$work/err"
	has "--trace in $space space: of what was refused before any verb" \
		"${verb}_dealloc_pd(pd 2000000000) not called: no pd with *id * (ENOENT)" "$work/err"
	kverbs batch "$work/refused" --json --space $space >"$work/json" 2>/dev/null
	check "which is no verb in JSON" grep -F '"verbs": [ ]' "$work/json"
	{
		printf '%s\n' 'pd add name x' 'cq add cqe 16 name c' 'qp add pd x cq c name a' 'qp add pd x cq c name b'
		pair_lines a b
		printf '%s\n' 'buf add length 4k name m' 'mr add pd x name key' 'mr reg key buf m qp a' 'mr inv key qp a'
	} >"$work/reg"
	kverbs batch "$work/reg" --trace --space $space >"$work/out" 2>"$work/err"
	if [ $space = kernel ]; then
		has "--trace in kernel space: of a registration" \
			"ib_map_mr_sg(mr *, buf *, offset 0, length 4096), ib_post_send(mr *, qp *, access *, IB_WR_REG_MR), ib_poll_cq(send-cq) = lkey *, rkey *  \[*.* us: map *.*, post *.*, completion *.*\]" \
			"$work/err"
		has "--trace in kernel space: of its end" \
			"ib_post_send(mr *, qp *, IB_WR_LOCAL_INV), ib_poll_cq(send-cq) = 0  \[*.* us: post *.*, completion *.*\]" "$work/err"
	else
		has "--trace in user space: of a registration" \
			"ibv_reg_mr(mr *, buf *, offset 0, length 4096, access *) = lkey *, rkey *  \[*.* us\]" "$work/err"
		has "--trace in user space: of its end" "ibv_dereg_mr(mr *) = 0  \[*.* us\]" "$work/err"
	fi
	printf '%s\n' 'cq add cqe 16 name c' 'refused ETIMEDOUT poll cq c count 1 timeout 10ms' >"$work/idle"
	kverbs batch "$work/idle" --trace --space $space >"$work/out" 2>"$work/err"
	has "--trace in $space space: of polls that found nothing" "${verb}_poll_cq(cq *) = 0  \[*.* us each\] [1-9]* times" "$work/err"
	# A verb that fails: nobody has the address.
	! lacks "--trace in $space space: of a verb that failed" "AH" || continue
	printf '%s\n' 'pd add name x' 'ah add pd x dgid 2001:db8::1' >"$work/ah"
	kverbs batch "$work/ah" --trace --space $space >"$work/out" 2>"$work/err"
	name=ibv_create_ah
	[ $space = kernel ] && name=rdma_create_user_ah
	has "--trace in $space space: of a verb that failed" "$name(pd *) = -[0-9]* (E*) *" "$work/err"
done
kverbs pd add >/dev/null
kverbs cq add cqe 16 >/dev/null
kverbs flush --trace >"$work/out" 2>"$work/err"
has "flush --trace tells what destroys the cqs" "ib_destroy_cq(cq *) = 0  \[*.* us\]" "$work/err"
has "and the pds" "ib_dealloc_pd(pd *) = 0  \[*.* us\]" "$work/err"
same "and counts them" "$(grep -c '^ib_de' "$work/err")" "$(awk '{ print $2 }' "$work/out")"
same "nothing is left" "flushed 0 busy 0" "$(kverbs flush)"

# Input without an end is refused, and does not fill the memory: the address space ends at 200 MB.
# refused_input NAME TEXT INPUT ARGUMENTS…: the output of the command INPUT is the batch's standard input
refused_input() {
	name=$1
	text=$2
	input=$3
	shift 3
	status=0
	sh -c "$input" | (ulimit -v 200000 && exec kverbs batch "$@") >"$work/out" 2>"$work/err" || status=$?
	same "$name: exit status 2" 2 "$status"
	check "$name: the reason" grep -Fx "kverbs: $text" "$work/err"
}
refused_input "a batch of zero bytes" "/dev/zero:1: the line has a zero byte: it is no text" : /dev/zero
refused_input "a batch of a device that is full" "/dev/full:1: the line has a zero byte: it is no text" : /dev/full
refused_input "a line without an end" "stdin:1: the command has more than 1048576 bytes" \
	"tr '\\0' x </dev/zero" -
refused_input "a file without an end, for two rounds" \
	"stdin: the file has more than 67108864 bytes, the most that is kept for several rounds" "yes 'echo x'" - --repeat 2
refused_input "a variable that doubles" \
	"stdin:18: set: the value of 'A' has 131072 bytes; a variable holds at most 65536" \
	"echo 'set A x'; yes 'set A \$A\$A' | head -n 40" -

# --- how a batch ends
for space in kernel user; do
	for command in 'sleep 60s' 'poll cq c count 1 timeout 60s' 'poll cq c wait timeout 60s' \
		'monitor time 60s'; do
		for signal in INT KILL; do
			printf '%s\n' 'pd add name x' 'cq add cqe 16 context event name c' \
				'qp add pd x cq c' 'buf add length 1m' 'echo made' "$command" 'echo not reached' >"$work/waits"
			kverbs batch "$work/waits" --space $space >"$work/out" 2>"$work/err" &
			tool=$!
			waits "$work/out" '^made$'
			rest 3
			kill -$signal $tool
			wait $tool 2>/dev/null
			status=$?
			if [ $signal = INT ]; then
				same "Ctrl-C in '$command' in $space space: exit status" 130 $status
				has "Ctrl-C in '$command' in $space space: it is told" \
					"kverbs: $work/waits:6: ${command%% *}: interrupted*" "$work/err"
			fi
			check "SIG$signal in '$command' in $space space leaves nothing" wait_for 5 nothing_left
		done
	done
done

# --- the states of a QP
# walk SPACE TYPE STATE: KEYS…: each line on stdin a state to go to, with what it takes; 'qp show' must
# say so
walk() {
	{
		echo "pd add name x
cq add cqe 16 name c
qp add pd x cq c type $2 name a
qp show a
expect state reset"
		while read -r state keys; do
			case $state in
			rtr) [ "$2" = ud ] || keys="dgid \$dev.gid sgid-index \$dev.gid_index path-mtu 1024 dest-qpn \$a.qpn rq-psn 3 $keys" ;;
			esac
			echo "qp modify a state $state $keys"
			# The device stops sending by and by.
			[ "$state" != sqd ] || echo 'sleep 300ms'
			echo "qp show a
expect state $state"
		done
	} >"$work/walk"
	status=0
	kverbs batch "$work/walk" --space "$1" >"$work/out" 2>"$work/err" || status=$?
	if [ $status = 0 ]; then
		pass "$1: the states of a $2 qp"
	else
		fail "$1: the states of a $2 qp" "$work/err" "$work/walk"
	fi
}
for space in kernel user; do
	if iwarp; then
		walk $space rc <<-END
			reset
			init access none
			init access remote-read,remote-write,local-write
			err
			err
			reset
			init access none
			reset
		END
		for states in "rtr, rts and sqd" uc ud; do
			lacks "$space: the states of a qp: $states" "$states"
		done
		lacks "$space: qp show tells the attributes that were set" "attributes of a path"
		continue
	fi
	rc_rtr="min-rnr-timer 12 max-dest-rd-atomic 1"
	rc_rts="sq-psn 5 timeout 14 retry-cnt 6 rnr-retry 6 max-rd-atomic 1"
	walk $space rc <<END
reset
init access none
init access remote-read,remote-write,local-write
rtr $rc_rtr
rts $rc_rts
rts access none min-rnr-timer 7 cur-state rts
sqd
sqd timeout 15 retry-cnt 5 rnr-retry 4
rts cur-state sqd
sqd
err
err
reset
init access none
err
reset
init access none
rtr $rc_rtr
err
reset
init access none
rtr $rc_rtr
reset
init access none
reset
init access none
rtr $rc_rtr
rts $rc_rts
err
reset
init access none
rtr $rc_rtr
rts $rc_rts
sqd
reset
init access none
rtr $rc_rtr
rts $rc_rts
reset
END
	walk $space uc <<END
init access none
init access remote-write,local-write
rtr
rts sq-psn 5
rts access none
sqd
sqd access remote-write,local-write
rts
err
reset
END
	walk $space ud <<END
init qkey 5
init qkey 6 port 1 pkey-index 0
rtr qkey 7
rts sq-psn 5
rts qkey 8
sqd
sqd qkey 9
rts
err
reset
END
	batch $space <<'END'
pd add name x
cq add cqe 16 name c
qp add pd x cq c name a
qp modify a state init access none
qp modify a state rtr dgid $dev.gid sgid-index $dev.gid_index path-mtu 2048 dest-qpn 0xabc rq-psn 0x123456 min-rnr-timer 11 max-dest-rd-atomic 3 traffic-class 9
qp modify a state rts sq-psn 0x654321 timeout 13 retry-cnt 5 rnr-retry 4 max-rd-atomic 2
qp show a
expect path-mtu 2048
expect dest-qpn 0xabc
expect rq-psn 0x123456
expect min-rnr-timer 11
expect timeout 13
expect retry-cnt 5
expect rnr-retry 4
expect sq-psn 0x654321
expect dgid $dev.gid
expect traffic-class 9
END
	same "$space: qp show tells the attributes that were set" 0 $?
	[ ! -s "$work/err" ] || sed 's/^/#   /' "$work/err"
done
# --- pieces of no bytes, and a READ that may complete behind what was posted later
for space in kernel user; do
	by=
	[ $space = user ] || by=qp
	{
		printf '%s\n' "pd add name x" "cq add cqe 64 name cq_a" "cq add cqe 64 name cq_b" \
			"buf add length 64k name from_buf" "buf add length 64k name to_buf" \
			"mr add pd x name from" "mr add pd x name to" \
			"qp add pd x cq cq_a max-send-sge 3 name a" "qp add pd x cq cq_b name b"
		pair_lines a b
		cat <<-END
			mr reg from buf from_buf ${by:+qp a} access local-write
			mr reg to buf to_buf ${by:+qp b} access local-write,remote-write,remote-read
			post recv qp b sge mr to length 64
			post send qp a sge mr from length 4 sge mr from length 0 sge mr from length 8
			poll cq cq_b count 1
			expect completions.0.length 12
			poll cq cq_a count 1
			post read qp a sge mr from remote-addr \$to.iova remote-key \$to.rkey
			post write qp a sge mr from length 8 remote-addr \$to.iova remote-key \$to.rkey
			poll cq cq_a count 2
			expect completions.1.status success
		END
	} | batch $space
	same "$space: a piece of no bytes, and a READ with a WRITE behind it" 0 $?
	[ ! -s "$work/err" ] || sed 's/^/#   /' "$work/err"
done
check "both spaces end lists when told, keep content in its buffer, and hold nothing for a run that did not start" backend "$DEV"

# With 0, 1 or 2 closed the tool's own descriptors would take these numbers.
echo "pd add" >"$work/closed.kv"
status=0
kverbs batch - <&- >"$work/out" 2>"$work/err" || status=$?
same "no standard input: exit status 1" 1 "$status"
check "and the reason" grep -F "Bad file descriptor" "$work/err"
status=0
kverbs batch "$work/closed.kv" >&- <&- 2>"$work/err" || status=$?
same "no standard output: exit status 1" 1 "$status"
check "and the reason" grep -Fx "kverbs: cannot write to standard output: Bad file descriptor" "$work/err"
# full ARGUMENTS…: output that cannot be written is reported with the reason
full() {
	status=0
	kverbs "$@" >/dev/full 2>"$work/err" || status=$?
	same "$*, output to a full device: exit status 1" 1 "$status"
	check "$*, output to a full device: the reason" grep -Fx \
		"kverbs: cannot write to standard output: No space left on device" "$work/err"
}
pd=$(kverbs pd add | awk '{ print $2 }')
# More than a buffer of the stream, so that the write that fails is not the last one.
yes 'pd show' | head -n 500 >"$work/shows"
full pd show
full pd show --json
full --help
full batch "$work/shows"
full batch "$work/shows" --json
full batch "$work/shows" --repeat 2
full batch "$work/shows" --repeat 2 --json
kverbs pd del "$pd"
status=0
kverbs pd show --json >"$work/out" 2>&- || status=$?
same "no standard error: a command that has nothing to say works" 0 "$status"
check "nothing is left" nothing_left
finish
