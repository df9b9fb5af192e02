# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Mistakes of a user of the commands for objects: words, files, devices, privileges, and
# requests from the shell that the module refuses. The whole text is compared, and
# everything is as it was afterwards.
. ./hand.sh

# told NAME STATUS TEXT COMMAND…: the command must end like this, say exactly this, print
# nothing, and leave all objects as they are in $work/before
told() {
	name=$1 want=$2 text=$3
	shift 3
	status=0
	"$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	everything >"$work/after"
	if [ "$status:$(cat "$work/stderr")" = "$want:kverbs: $text" ] && [ ! -s "$work/stdout" ] &&
		cmp -s "$work/before" "$work/after"; then
		pass "$name"
	else
		printf '%s\n' "want status $want and \"kverbs: $text\"; got status $status and:" >"$work/why"
		diff "$work/before" "$work/after" >"$work/changes"
		fail "$name" "$work/why" "$work/stderr" "$work/stdout" "$work/changes"
	fi
}

# added COMMAND…: makes an object; prints its id
added() {
	kverbs "$@" | awk '{ print $2; exit }'
}

pd=$(added pd add)
cq=$(added cq add cqe 64)
ecq=$(added cq add cqe 64 context event)
buf=$(added buf add length 4k)
mr=$(added mr add pd "$pd")
srq=$(added srq add pd "$pd" max-wr 8)
# iWARP has none; faults of the words are reported before.
if iwarp; then
	ah=1
	and_ah=
else
	ah=$(added ah add pd "$pd" dgid "::ffff:$ADDR")
	and_ah="ah $ah, "
fi
qp=$(added qp add pd "$pd" cq "$cq")
wqp=$(added qp add pd "$pd" cq "$cq" srq "$srq")
kverbs buf write "$buf" text canary
everything >"$work/before"

# Exit status | what is said | command
table() {
	cat <<END
# Words.
2 | there is no command 'fly'; see 'kverbs --help' | fly
2 | there is no command 'pdd', but there is 'pd'; see 'kverbs --help' | pdd add
2 | there is no command 'cm': 'kverbs conn' makes connections by the RDMA CM | cm
2 | there is no command 'link': 'kverbs dev show' shows the devices and their ports; 'rdma link' makes and deletes them | link
2 | there is no command 'resource': 'kverbs pd', 'kverbs qp' and so on show kverbs' objects, 'rdma resource show' those of all programs | resource show
2 | there is no command 'stat': 'rdma statistic show' has the counters of devices; results of measurements have those of lost packets | stat
2 | there is no command 'ib_send_bw': 'kverbs bw --op send' is like it | ib_send_bw
2 | there is no command 'version': 'kverbs --version' tells it | version
2 | 'fly' is not known; it is 'kverbs dev show [DEV]' | dev fly
2 | there is no command 'send', but there is 'post send'; see 'kverbs --help' | send
2 | there is no command 'connect', but there is 'qp connect', 'conn connect'; see 'kverbs --help' | connect
2 | pd: 'fly' is not known; there are add, show, del | pd fly
2 | pd: 'shwo' is not known, but 'show' is; there are add, show, del | pd shwo
2 | pd add: 'fly' is not known; it takes dev, name | pd add fly 1
2 | pd add: 'nmae' is not known, but 'name' is; it takes dev, name | pd add nmae x
2 | pd add: '--detials' is not known, but '--details' is; it takes dev, name | pd add --detials
2 | cq add: 'c' may be cqe, comp-vector, context | cq add c 8
2 | pd add: '2x' can't be a name: a name has letters, digits and _, and no digit first | pd add name 2x
2 | pd show: '0' is no pd: it takes an id, from 1 on, or a name | pd show 0
2 | pd show: '-1' is no pd: it takes an id, from 1 on, or a name | pd show -1
2 | pd show: '4294967296' is no pd: it takes an id, from 1 on, or a name | pd show 4294967296
2 | pd show: 'p' is the name of nothing; there is $pd | pd show p
2 | pd show: 'fly' is too much: it takes nothing more | pd show $pd fly
2 | pd show: '$pd' is too much: it takes nothing more | pd show $pd $pd
2 | pd del: the id or the name of the pd is missing | pd del
2 | cq add: 'cqe' is missing: number of completions that it has to hold | cq add
2 | cq add: 'cqe' needs a value: number of completions that it has to hold | cq add cqe
2 | cq add: '16' stands without its key: 'cqe 16'; it takes dev, cqe, comp-vector, context, moderation-count, moderation-period, name | cq add 16
2 | buf add: '4k' stands without its key: 'length 4k'; it takes dev, length, pieces, node, name | buf add 4k
2 | mr add: '1' stands without its key: 'pd 1'; it takes pd, max-pages, name | mr add 1
2 | pd add: '16' stands without its key; it takes dev, name | pd add 16
2 | cq add: cqe 'x' is no number; it takes a number from 0 to 4294967295 | cq add cqe x
2 | cq add: 'cqe' is given twice | cq add cqe 8 cqe 9
2 | cq add: cqe '4294967296' is too large; it takes a number from 0 to 4294967295 | cq add cqe 4294967296
2 | cq add: context 'fly' is not known; it takes polled, event, softirq, workqueue or unbound-workqueue | cq add cqe 64 context fly
2 | buf add: 'length' is missing: bytes of the buffer, which starts zeroed | buf add
2 | buf add: length '4x' has 'x' behind its number; it takes bytes from 0 to 18446744073709551615, or KiB, MiB or GiB as in 4k, 1m or 1g | buf add length 4x
2 | buf add: length '99999999999999999999' is too large; it takes bytes from 0 to 18446744073709551615, or KiB, MiB or GiB as in 4k, 1m or 1g | buf add length 99999999999999999999
2 | buf add: pieces 'fly' is no number; it takes a number from 0 to 4294967295 | buf add length 4k pieces fly
2 | buf add: 'fly' is not known; it takes dev, length, pieces, node, name | buf add fly
2 | mr add: 'pd' is missing: its protection domain | mr add max-pages 4
2 | mr reg: 'buf' is missing: the buffer that it is registered over | mr reg $mr qp $qp
2 | mr reg: access 'fly' has 'fly', which is not known; it takes a list of local-write, remote-write, remote-read or remote-atomic, or all, or none | mr reg $mr buf $buf access fly
2 | mr reg: access 'remote-read,' has '', which is not known; it takes a list of local-write, remote-write, remote-read or remote-atomic, or all, or none | mr reg $mr buf $buf access remote-read,
2 | buf write: it takes one of 'text', 'hex' and 'file' | buf write $buf
2 | buf write: it takes one of 'text', 'hex' and 'file' | buf write $buf text a hex 00
2 | buf write: text '' has no byte to write | buf write $buf text ''
2 | buf write: hex '0' is no list of bytes: each byte takes two digits | buf write $buf hex 0
2 | buf write: hex '0g' is no list of bytes: '0g' is no hexadecimal number | buf write $buf hex 0g
2 | buf read: length 0: it takes 1 byte to 64 MiB; 'buf save' takes more | buf read $buf length 0
2 | buf read: format 'fly' is not known; it takes text or hex | buf read $buf format fly
2 | buf read: a file gets the bytes as they are: 'format' and 'file' exclude each other | buf read $buf format hex file /tmp/x
2 | buf load: 'file' is missing: a regular file | buf load $buf
2 | srq add: 'max-wr' is missing: receives that can be posted at once, at least | srq add pd $pd
2 | srq modify: there is nothing to change: 'limit' or 'max-wr' is missing | srq modify $srq
2 | ah add: 'pd' is missing: its protection domain | ah add
2 | ah add: dgid 'fly' is no GID; it takes an IPv6 address, or ::ffff:192.0.2.1 for an IPv4 one | ah add pd $pd dgid fly
2 | qp add: it takes 'cq' alone, or 'send-cq' and 'recv-cq' | qp add pd $pd
2 | qp add: it takes 'cq' alone, or 'send-cq' and 'recv-cq' | qp add pd $pd cq $cq send-cq $cq
2 | qp add: it takes 'cq' alone, or 'send-cq' and 'recv-cq' | qp add pd $pd send-cq $cq
2 | qp add: type 'xrc' is not known; it takes rc, uc, ud, xrc-ini or xrc-tgt | qp add pd $pd cq $cq type xrc
2 | qp add: max-send-wr '-1' is negative; it takes a number from 0 to 4294967295 | qp add pd $pd cq $cq max-send-wr -1
2 | qp modify: 'state' is missing: the state to go to | qp modify $qp
2 | qp modify: state 'fly' is not known; it takes reset, init, rtr, rts, sqd, sqe or err | qp modify $qp state fly
2 | qp modify: access 'fly' has 'fly', which is not known; it takes a list of local-write, remote-write, remote-read or remote-atomic, or all, or none | qp modify $qp state init access fly
2 | qp modify: 'fly' is not known; it takes state, cur-state, access, port, pkey-index, qkey, path-mtu, dest-qpn, rq-psn, dgid, sgid-index, dlid, sl, traffic-class, flow-label, hop-limit, min-rnr-timer, max-dest-rd-atomic, sq-psn, timeout, retry-cnt, rnr-retry, max-rd-atomic, path-mig-state, alt-dgid, alt-sgid-index, alt-dlid, alt-port, alt-pkey-index, alt-timeout, sqd-async-notify | qp modify $qp fly 1
2 | qp connect: peer 'fly' is no address; it takes LID:QPN:PSN:GID with 4, 6, 6 and 32 hexadecimal digits, as 'qp address' prints it | qp connect $qp peer fly
2 | qp connect: peer '0000:000012:000012:00000000000000000000ffffc00002' is no address; it takes LID:QPN:PSN:GID with 4, 6, 6 and 32 hexadecimal digits, as 'qp address' prints it | qp connect $qp peer 0000:000012:000012:00000000000000000000ffffc00002
2 | qp connect: psn '0x1000000' is too large; it takes a number from 0 to 16777215 | qp connect $qp peer 0000:000012:000012:00000000000000000000ffffc0000201 psn 0x1000000
2 | qp address: psn '0x1000000' is too large; it takes a number from 0 to 16777215 | qp address $qp psn 0x1000000
2 | post: a word is missing behind 'post': send, send-imm, send-inv, write, write-imm, read, read-inv, fetch-add, cmp-swp, recv | post
2 | post: 'fly' is not known; there are send, send-imm, send-inv, write, write-imm, read, read-inv, fetch-add, cmp-swp, recv | post fly qp $qp
2 | post send: 'qp' is missing: where it is posted | post send
2 | post send: 'buf' or 'mr' is missing: which bytes? | post send qp $qp sge
2 | post send: 'offset' belongs to a piece: 'sge' has to stand before it | post send qp $qp offset 1
2 | post send: length '5g' is too large; it takes bytes from 0 to 4294967295, or KiB, MiB or GiB as in 4k, 1m or 1g | post send qp $qp sge buf $buf length 5g
2 | post send: 'lkey' is not known; it takes qp, sge (buf, mr, offset, length), wr-id, inline, solicited, unsignaled, fence, ah, remote-qpn, remote-qkey, and | post send qp $qp sge mr $mr lkey fly
2 | post send: wr-id '18446744073709551616' is too large; it takes a number from 0 to 18446744073709551615 | post send qp $qp wr-id 18446744073709551616
2 | post send-imm: imm '4294967296' is too large; it takes a number from 0 to 4294967295 | post send-imm qp $qp imm 4294967296
2 | post send-imm: 'imm' is missing: immediate data, which the peer's completion shows | post send-imm qp $qp
2 | post send-inv: 'invalidate-rkey' is missing: the peer's rkey that is invalid from then on | post send-inv qp $qp
2 | post write-imm: 'imm' is missing: immediate data, which the peer's completion shows | post write-imm qp $qp remote-addr 0 remote-key 0
2 | post write: 'solicited' is not known; it takes qp, sge (buf, mr, offset, length), wr-id, remote-addr, remote-key, remote-offset, inline, unsignaled, fence, and | post write qp $qp solicited remote-addr 0 remote-key 0
2 | post read: 'inline' is not known; it takes qp, sge (buf, mr, offset, length), wr-id, remote-addr, remote-key, remote-offset, unsignaled, fence, and | post read qp $qp inline remote-addr 0 remote-key 0
2 | post read: 'imm' is not known; it takes qp, sge (buf, mr, offset, length), wr-id, remote-addr, remote-key, remote-offset, unsignaled, fence, and | post read qp $qp imm 1 remote-addr 0 remote-key 0
2 | post recv: 'imm' is not known; it takes qp, srq, sge (buf, mr, offset, length), wr-id, and | post recv qp $qp imm 1
2 | post recv: it takes 'qp' or 'srq' | post recv
2 | post recv: it takes 'qp' or 'srq' | post recv qp $qp srq $srq
2 | post write: 'remote-addr' is missing: the peer's iova | post write qp $qp
2 | post write: 'remote-key' is missing: the peer's rkey | post write qp $qp remote-addr 0
2 | post write: remote-addr and remote-offset together are beyond 64 bits | post write qp $qp remote-addr 0xffffffffffffffff remote-key 1 remote-offset 1
2 | post fetch-add: 'add' is missing: number that is added to the 8 bytes there | post fetch-add qp $qp remote-addr 0 remote-key 0
2 | post cmp-swp: 'swap' is missing: value that the 8 bytes get then | post cmp-swp qp $qp remote-addr 0 remote-key 0 compare 1
2 | post send: 'remote-qpn' is missing: a datagram needs 'ah', 'remote-qpn' and 'remote-qkey' | post send qp $qp ah $ah
2 | post send: 'remote-qkey' is missing: a datagram needs 'ah', 'remote-qpn' and 'remote-qkey' | post send qp $qp ah $ah remote-qpn 1
2 | post send: 'ah' is missing: a datagram needs 'ah', 'remote-qpn' and 'remote-qkey' | post send qp $qp remote-qpn 1 remote-qkey 1
2 | post send: 'fly' is not known; it takes qp, sge (buf, mr, offset, length), wr-id, inline, solicited, unsignaled, fence, ah, remote-qpn, remote-qkey, and | post send qp $qp fly
2 | post send: wr 2: a request is missing behind 'and' | post send qp $qp and
2 | post send: wr 2: 'fly' is no request: behind 'and' stands an operation, as behind 'post' | post send qp $qp and fly
2 | post send: wr 2: 'qp' is not known; it takes sge (buf, mr, offset, length), wr-id, inline, solicited, unsignaled, fence, ah, remote-qpn, remote-qkey, and | post send qp $qp and send qp $qp
2 | post send: wr 3: 'buf' or 'mr' is missing: which bytes? | post send qp $qp and send and send sge
2 | poll: 'cq' is missing: which completion queue | poll
2 | poll: 'cq' needs a value: which completion queue | poll cq
2 | poll: max '65' is too large; it takes a number from 0 to 64 | poll cq $cq max 65
2 | poll: 'max' is 0; it takes at least 1 | poll cq $cq max 0
2 | poll: 'count' is 0; it takes at least 1 | poll cq $cq count 0
2 | poll: 'timeout' needs 'count' or 'wait': without them there is no waiting | poll cq $cq timeout 1s
2 | poll: 'solicited' needs 'wait': it chooses the event that ends the wait | poll cq $cq solicited
2 | poll: timeout '1y' has 'y' behind its number; it takes a time from 0s to 86400s, as in 2, 0.5s or 200ms | poll cq $cq count 1 timeout 1y
2 | monitor: time 'fly' is no number; it takes a time from 0s to 86400s, as in 2, 0.5s or 200ms | monitor time fly
2 | flush: '1' is too much: it takes nothing more | flush 1
2 | 'fly' is one device too many; 'kverbs dev show' takes one or none | dev show fly fly
2 | objects of libibverbs live in the process: use them in 'kverbs batch' | --space user pd add
2 | --space both is for 'kverbs batch' | --space both pd add
2 | --space 'fly' is not known; it takes kernel, user or both | --space fly pd add
2 | --dev needs a value | pd add --dev
2 | expect: it makes sense only in a batch; see 'kverbs batch --help' | expect id 1
2 | echo: it makes sense only in a batch; see 'kverbs batch --help' | echo a
2 | refused: it makes sense only in a batch; see 'kverbs batch --help' | refused EBUSY pd del $pd
2 | sleep: it makes sense only in a batch; see 'kverbs batch --help' | sleep 1
2 | set: it makes sense only in a batch; see 'kverbs batch --help' | set a 1
# Refusals of the module.
1 | pd del: pd $pd is in use by mr $mr, srq $srq, ${and_ah}qp $qp, qp $wqp: delete these first (EBUSY) | pd del $pd
1 | cq del: cq $cq is in use by qp $qp, qp $wqp: delete these first (EBUSY) | cq del $cq
1 | srq del: srq $srq is in use by qp $wqp: delete that first (EBUSY) | srq del $srq
1 | buf del: buf: no buf with this id among yours; there is $buf (ENOENT) | buf del 2000000000
1 | mr del: mr: no mr with this id among yours; there is $mr (ENOENT) | mr del 2000000000
1 | qp add: send_cq: no cq with this id among yours; there are $cq, $ecq (ENOENT) | qp add pd $pd cq 2000000000
1 | mr add: pd: no pd with this id among yours; there is $pd (ENOENT) | mr add pd 2000000000
1 | pd add: device: no such RDMA device in this network namespace; there is $DEV (ENODEV) | pd add dev nosuch0
1 | kernel space: there is no RDMA device 'nosuch0'; there is $DEV | pd add --dev nosuch0
1 | there is no RDMA device 'nosuch0'; there is $DEV | dev show nosuch0
1 | cq add: cqe: integer out of range: it takes 1 to 2147483647 (ERANGE) | cq add cqe 0
1 | mr reg: 'qp' is missing: in the kernel this is a work request, on a QP in rts (EINVAL) | mr reg $mr buf $buf
1 | mr reg: the qp is in RESET: bring it to INIT, RTR and RTS first (EINVAL) | mr reg $mr buf $buf qp $qp
1 | mr inv: the qp is in RESET: bring it to INIT, RTR and RTS first (EINVAL) | mr inv $mr qp $qp
1 | buf read: offset 4096 is beyond buf $buf, which has 4096 bytes (ERANGE) | buf read $buf offset 4k
1 | buf write: offset and length name bytes beyond the end of the buffer (EINVAL) | buf write $buf offset 4095 text ab
1 | buf load: file '$work/nosuch': cannot open it: No such file or directory (ENOENT) | buf load $buf file $work/nosuch
1 | buf load: file '$work' is no regular file (EINVAL) | buf load $buf file $work
1 | buf load: file '/dev/zero' is no regular file (EINVAL) | buf load $buf file /dev/zero
1 | buf save: file '$work': cannot open it: Is a directory (EISDIR) | buf save $buf file $work
1 | buf save: file '$work/no/such': cannot open it: No such file or directory (ENOENT) | buf save $buf file $work/no/such
1 | qp modify: the qp is in RESET: its next state is INIT (EINVAL) | qp modify $qp state rts
1 | qp modify: access is missing: INIT needs it (EINVAL) | qp modify $qp state init
1 | qp connect: 'peer' is missing: qp $qp is of type rc, and needs the address that 'qp address' printed for the other QP (EINVAL) | qp connect $qp
1 | qp connect: 'qkey' means nothing to a qp of type rc (EINVAL) | qp connect $qp peer 0000:000012:000012:00000000000000000000ffffc0000201 qkey 1
1 | post send: the qp is in RESET: bring it to INIT, RTR and RTS first (EINVAL) | post send qp $qp sge buf $buf
1 | post recv: the qp is in RESET: bring it to INIT first (EINVAL) | post recv qp $qp sge buf $buf
1 | post recv: the qp's receives come from its srq: post there (EINVAL) | post recv qp $wqp sge buf $buf
1 | srq modify: limit is above max_wr: raise max_wr first (EINVAL) | srq modify $srq limit 99
1 | poll: the cq's context is polled: make one with context event (EINVAL) | poll cq $cq wait
1 | poll: 0 of 1 completions came within 0.05 s (ETIMEDOUT) | poll cq $cq count 1 timeout 50ms
1 | poll: 0 of 1 completions came within 0.05 s (ETIMEDOUT) | poll cq $ecq wait timeout 50ms
1 | monitor: 0 of 2 events came within 0.05 s (ETIMEDOUT) | monitor time 50ms count 2
END
}

table | grep -v '^#' | sed 's/ *| */|/g' >"$work/table"
while IFS='|' read -r want text command <&3; do
	case $want:$command in
	"1:qp connect"* | "1:qp modify $qp state rts") ! lacks "$command" "raw connection" || continue ;;
	esac
	eval "set -- $command"
	told "$command" "$want" "$text" kverbs "$@"
done 3<"$work/table"

# A device may make queues larger than asked for.
kverbs qp add --help >"$work/out"
for key in max-send-wr max-recv-wr max-send-sge max-recv-sge; do
	default=$(awk -v key=$key '/^  [a-z]/ { on = $1 == key } on' "$work/out" | tr -s '\n ' ' ' |
		sed -n 's/.*, at least; default: \([0-9]*\).*/\1/p')
	has=$(kverbs qp show "$qp" --json | jq ".result.$(echo $key | tr - _)")
	check "the default of $key in the help is the least that a qp has" test "${default:-0}" -gt 0 -a "$has" -ge "${default:-0}"
done

# Files of commands.
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all"
cd "$work" || exit 1
told "batch without a file" 2 \
	"'kverbs batch' takes a file, or - for standard input; see 'kverbs batch --help'" kverbs batch
told "batch of two files" 2 "'b' is one file too many; 'kverbs batch' takes one" kverbs batch a b
told "batch of no file" 1 "nosuch: cannot open it: No such file or directory" kverbs batch nosuch
told "batch of a folder" 1 "/tmp: cannot read it: Is a directory" kverbs batch /tmp
told "an option without a command" 2 "'--fly' is no option that goes without a command; see 'kverbs --help'" kverbs --fly
told "ping, unknown option" 2 "--fly is no option of 'kverbs ping'; see 'kverbs ping --help'" \
	kverbs ping --fly
told "batch, unknown option" 2 "--fly is no option of 'kverbs batch'; see 'kverbs batch --help'" \
	kverbs batch --fly
told "plot without an image" 2 "name a document, which --json=FILE has written, and an image: 'kverbs plot FILE.json FILE.svg'" kverbs plot a.json
told "plot, another ending" 2 "--plot a.gif: the name of an image ends in .svg or .png" kverbs plot a.json a.gif
told "plot of no file" 1 "/nowhere: No such file or directory" kverbs plot /nowhere a.svg
echo words >"$work/words"
told "plot of a text" 1 "$work/words is no JSON" kverbs plot "$work/words" a.svg
echo '{"schema": "kverbs.dev"}' >"$work/dev.json"
told "plot of a document without figures" 1 "$work/dev.json is no document of this version of kverbs that has figures: lat, compare, merge, bw, scale and conn-rate write them" \
	kverbs plot "$work/dev.json" a.svg
# shellcheck disable=SC2086 # words
kverbs lat $by_cm --op write --space user --iters 10 --json="$work/lat.json" >/dev/null 2>&1
jq '.point.result.histogram = 3' "$work/lat.json" >"$work/damaged.json"
told "plot of a damaged document" 1 "$work/damaged.json is damaged: point/result/histogram is no list" kverbs plot "$work/damaged.json" a.svg
jq 'del(.point)' "$work/lat.json" >"$work/none.json"
told "plot of a measurement that has failed" 1 "$work/none.json has no figures: its measurement has failed" kverbs plot "$work/none.json" a.svg
told "lat, a letter of perftest's that it does not have" 2 "-a is an option of perftest: 'kverbs compare --sizes all' and 'kverbs bw --size all' measure all sizes" kverbs lat -a
told "bw, a letter of perftest's that has a value" 2 "-o is an option of perftest: as many READs and atomics of a stream are outstanding as both devices can" kverbs bw -o 64
told "lat, an option that is misspelled" 2 "--itres is no option of 'kverbs lat', but --iters is; see 'kverbs lat --help'" \
	kverbs lat --itres 5
told "lat, an option that is misspelled, with a value" 2 \
	"--packet-mtu=4096 is no option of 'kverbs lat'; see 'kverbs lat --help'" kverbs lat --packet-mtu=4096
told "lat, what may be several options" 2 "--pe may be --peer-dev, --peer-ib-port, --peer-gid-index, --peer-gid; see 'kverbs lat --help'" \
	kverbs lat --pe 4
ops="send, send-imm, write, write-imm, read, fetch-add, cmp-swp, send-inv, read-inv or atomic-write"
told "lat, a letter that is none" 2 "-k is no option of 'kverbs lat'; see 'kverbs lat --help'" kverbs lat -k
told "lat without anything" 2 "--op is missing; it takes $ops; and --space is missing; it takes kernel or user" kverbs lat
told "lat with one space" 2 "--op is missing; it takes $ops; and --server is missing; it takes kernel or user, and goes with --client" \
	kverbs lat --client user
told "ping without anything" 2 "the server's address is missing; or give --server; and --space is missing; it takes kernel or user" \
	kverbs ping
told "put without anything" 2 "FILE is missing; it is 'kverbs put FILE HOST', see 'kverbs put --help'; and --space is missing; it takes kernel or user" \
	kverbs put
hints() {
	cat <<END
--report_gbits is an option of perftest: the bandwidth is in millions of bytes a second: 125 are 1 Gbit/s | bw --report_gbits
-S is an option of perftest: measurements do not set it; by hand 'kverbs qp modify' takes sl | lat -S 3
--sl is an option of perftest: measurements do not set it; by hand 'kverbs qp modify' takes sl | lat --sl=3
--tclass is an option of perftest: measurements do not set it; by hand 'kverbs qp modify' takes traffic-class | lat --tclass 3
-z is an option of perftest: 'kverbs serve' exchanges the addresses over TCP; with -R the RDMA CM connects the QPs | lat -z
--run_infinitely is an option of perftest: each run has an end: --duration takes up to 24h | bw --run_infinitely
-C is an option of perftest: kverbs prints times; 'kverbs --version' tells the frequency of the counter | lat -C
--report-unsorted is an option of perftest: the histogram is in the document of --json=FILE | lat --report-unsorted
--use_cuda is an option of perftest: buffers are in the memory of the host's processors | lat --use_cuda=0
--tx-depth is an option of perftest: here it is --depth (-t) | bw --tx-depth 3
--tx-depth is an option of perftest: 'kverbs bw' has it, as --depth, for many requests outstanding | lat --tx-depth 3
--rdma_cm is an option of perftest: here it is --connect cm (-R) | lat --rdma_cm
--iters is an option of perftest: here it is --duration (-D): a time, and not a number of iterations | bw --iters 5
-g is an option of ibv_rc_pingpong: here it is --gid-index (-x) | pingpong -g 0 localhost
-c is an option of rping: here it is --client SPACE, which is the default | ping -c -a 127.0.0.1
-a is an option of rping: ADDR stands by itself, as in 'kverbs ping --client kernel 192.0.2.1' | ping -a 127.0.0.1
--size needs a value; see 'kverbs ping --help' | ping --size --space kernel
send-inv goes with --completion polled only: before each post the thread counts the key | lat --op send-inv --space kernel --completion event
read-inv goes with --completion polled only: before each post the thread counts the key | lat --op read-inv --space kernel -e
--both-ways does not go with send: a thread of its own posts its receives anew | bw --op send --both-ways
--op 'FETCH_AND_ADD' is not known; it takes $ops; here it is fetch-add | lat --op FETCH_AND_ADD
--op 'CMP_AND_SWAP' is not known; it takes $ops; here it is cmp-swp | lat --op CMP_AND_SWAP
--op 'IBV_WR_RDMA_WRITE' is not known; it takes $ops; here it is write | lat --op IBV_WR_RDMA_WRITE
--op 'read,RDMA_WRITE' has 'RDMA_WRITE', which is not known; it takes a list of $ops; here it is write | bw --op read,RDMA_WRITE
--space 'both' is not known; it takes kernel or user; 'kverbs compare' measures both | lat --space both
--space 'both' is not known; it takes kernel or user; without --space both are measured, in turn | bw --space both
--space is an option of other commands: compare measures both spaces; --self SPACE compares one with itself | compare --space user
END
}
hints | sed 's/ *| */|/' >hints
while IFS='|' read -r text command <&3; do
	# Words of a command.
	# shellcheck disable=SC2086
	told "$command" 2 "$text" kverbs $command
done 3<hints
told "lat, a letter with a wrong value" 2 "--size 'many' is no number; it takes bytes from 1 to 4294967295, or KiB, MiB or GiB as in 4k, 1m or 1g" \
	kverbs lat -smany
told "batch, no round" 2 "--repeat '0' is too small; it takes a number from 1 to 10000" \
	kverbs batch a --repeat 0
told "batch, rounds that are no number" 2 \
	"--repeat 'x' is no number; it takes a number from 1 to 10000" kverbs batch a --repeat x
told "batch, --set without a value" 2 "--set 'a' has no =; it takes NAME=VALUE" kverbs batch a --set a
told "batch, unknown space" 2 "--space 'fly' is not known; it takes kernel, user or both" \
	kverbs batch a --space fly
told "batch, no space" 2 "--space needs a value; see 'kverbs batch --help'" kverbs batch a --space

# stops NAME STATUS PATTERN SPACE LINES: a batch of these lines ends like this, and undoes all
stops() {
	printf "$5" >lines
	status=0
	kverbs batch lines --space "$4" >out 2>err || status=$?
	same "$1, $4: exit status" "$2" $status
	has "$1, $4: the place is named" "kverbs: $3" err
	everything >after
	check "$1, $4: nothing stays of it" cmp before after
}

for space in kernel user both; do
	place=lines
	[ $space != both ] || place="kernel space: lines"
	stops "a quote that is not closed" 2 "$place:3: a quote \" is not closed" $space \
		'pd add\npd add\necho "a\npd add name not_reached\n'
	stops "a refusal in lines that continue each other" 1 "$place:4: buf add: length*(ERANGE)" $space \
		'pd add name a\n# c\n\nbuf add \\\n dev '"$DEV"' \\\n length 0\npd add name not_reached\n'
	stops "a word that is not known" 2 "$place:2: pd: 'fly' is not known; there are add, show, del" $space \
		'pd add\npd fly\n'
	stops "a command of the shell" 2 "$place:1: lat: 'lat' is a command of the shell, 'kverbs lat', and not of a batch" \
		$space 'lat --op write\n'
	stops "the tool's name" 2 "$place:1: kverbs: the commands of a batch stand without 'kverbs'" $space 'kverbs pd add\n'
	stops "an option in a line" 2 "$place:1: pd show: '-d' is no pd: *; '-d' is an option of 'kverbs batch', not of its lines" \
		$space 'pd show -d\n'
	stops "an option in a line, spelled out" 2 \
		"$place:1: pd add: '--trace' is not known; it takes dev, name; '--trace' is an option of 'kverbs batch', not of its lines" \
		$space 'pd add --trace\n'
	stops "a command without its noun" 2 "$place:1: send: there is no command 'send', but there is 'post send'; there are dev, *" \
		$space 'send qp a\n'
	stops "a name that is taken" 2 "$place:2: pd add: the name 'a' is taken: pd * has it" $space \
		'pd add name a\npd add name a\n'
	stops "a name of nothing" 2 "$place:2: \$x: there is no 'x'; 'name x' at the end of an 'add', or 'set x VALUE', makes one" \
		$space 'pd add\npd show $x.id\n'
	stops "a field that there is not" 2 "$place:2: pd 'a' has no field 'fly'; it has id, name, dev, persistent*" \
		$space 'pd add name a\necho $a.fly\n'
	stops "an id of another type" 2 "$place:3: mr add: pd 'c' is cq *, and no pd; there *a" $space \
		'pd add name a\ncq add cqe 8 name c\nmr add pd c\n'
	stops "another value than was expected" 1 "$place:2: expect: dev is '$DEV', and not 'fly'" $space \
		'pd add\nexpect dev fly\n'
	stops "what is not refused" 1 "$place:2: refused: 'pd show' was carried out, and not refused with EBUSY" \
		$space 'pd add name a\nrefused EBUSY pd show a\n'
	stops "what is refused otherwise" 1 "$place:1: refused: 'pd del' was refused with ENOENT, and not with EBUSY: *" \
		$space 'refused EBUSY pd del 2000000000\n'
	stops "the name of no errno" 2 "$place:1: refused: 'EFLY' is no errno's name; one is EINVAL" \
		$space 'refused EFLY pd show\n'
	stops "a control character" 2 "$place:2: there is a control character, 0x01; *" $space 'pd add\n\001\n'
	stops "a zero byte" 2 "$place:2: the line has a zero byte: it is no text" $space 'pd add\n\000\n'
done
mkdir small
mount -t tmpfs -o size=64k small small
for space in kernel user; do
	stops "a file system that is full" 1 \
		"lines:2: buf save: file 'small/file' takes * of 1048576 bytes: its file system is full (ENOSPC)" \
		$space 'buf add length 1m name m\nbuf save m file small/file\n'
	check "and no file stays there, $space" test ! -e small/file
done
umount small
stops "what user space does not have" 77 \
	"lines:1: cq add: context: softirq, workqueue and unbound-workqueue are the kernel's: *(EOPNOTSUPP)" \
	user 'cq add cqe 8 context softirq\n'

# Users without the privilege.
eperm="kernel space: not permitted: this needs CAP_NET_ADMIN in the initial user namespace, run it as root"
while read -r command; do
	# Words of a command.
	# shellcheck disable=SC2086
	told "nobody: $command" 1 "$eperm" $nobody kverbs $command
done <<END
pd add
pd show
cq add cqe 1
buf add length 1
mr add pd $pd
buf read $buf
buf write $buf text x
qp show $qp
qp modify $qp state err
post recv qp $qp
poll cq $cq
pd del $pd
flush
monitor time 10ms
END
chmod 755 "$work"
echo 'pd add' >lines
told "nobody: batch in kernel space" 1 "$eperm" $nobody kverbs batch "$work/lines"
told "a user namespace's root" 1 "$eperm" unshare --user --map-root-user kverbs pd show
touch secret
chmod 600 secret
for command in load save; do
	printf 'buf add length 4k name m\nbuf %s m file %s/secret\n' $command "$work" >lines
	status=0
	$nobody kverbs batch lines --space user >out 2>err || status=$?
	same "nobody: buf $command of a file that others may not open: exit status" 1 $status
	has "nobody: buf $command of a file that others may not open" \
		"kverbs: lines:2: buf $command: file '*/secret': cannot open it: Permission denied (EACCES)" err
done
chmod 600 lines
told "nobody: a batch that others may not read" 1 "lines: cannot open it: Permission denied" \
	$nobody kverbs batch lines
cd /kverbs/tests/vm || exit 1

# Two devices, or none; no module.
ip link add d1 type dummy
ip link set d1 up
link_add "$second" d1
check "a second device" wait_for 5 kverbs dev show $second
several="there are several RDMA devices, choose one with --dev: $DEV, $second"
told "which device is meant has to be said" 2 "pd add: $several" kverbs pd add
echo 'pd add' >"$work/lines"
for space in kernel user; do
	told "in a batch in $space space, too" 2 "$work/lines:1: pd add: $several" \
		kverbs batch "$work/lines" --space $space
done
check "--dev says it" kverbs pd add --dev $second
check "dev says it" kverbs pd add dev $second
check "an object says it" kverbs mr add pd "$pd"
far=$(added cq add cqe 8 dev $second)
everything >"$work/before"
told "objects of two devices" 1 "qp add: send_cq: an object of another RDMA device (EINVAL)" kverbs qp add pd "$pd" cq "$far"
rdma link delete "$second"
ip link delete d1
check "objects go with their device" sh -c "! kverbs cq show $far"
kverbs flush >"$work/out"
has "the rest is flushed" "flushed $(iwarp && echo 9 || echo 10) busy 0" "$work/out"
for option in -V --version; do
	kverbs $option >"$work/out"
	check "$option tells the versions of tool, module and libibverbs" \
		awk '{ print $1 } !/^[a-z]+ [0-9a-z.]*[0-9](,|$)/ { exit 1 } END { exit NR != 3 }' "$work/out"
	check "and the frequency of either space's counter, which is one" \
		awk '/, counter [a-z_]+ at [0-9.]+ MHz$/ { hz[++n] = $(NF - 1) }
			END { exit !(n == 2 && hz[1] > 0 && hz[1] / hz[2] > 0.999 && hz[1] / hz[2] < 1.001) }' "$work/out"
done
kverbs batch --help >"$work/out"
for noun in dev pd cq buf mr srq ah qp conn post poll flush monitor; do
	check "batch --help names $noun" grep -E "(: |, |^)$noun[,.]" "$work/out"
done
rdma link delete "$DEV"
everything >"$work/before"
nodev="there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one"
told "no device" 77 "pd add: kernel space: $nodev (EOPNOTSUPP)" kverbs pd add
for space in kernel user; do
	told "no device, batch in $space space" 77 \
		"$work/lines:1: pd add: $space space: $nodev (EOPNOTSUPP)" kverbs batch "$work/lines" --space $space
done
kverbs serve --port 7999 >"$work/out" &
server=$!
wait_for 20 grep -q ' serves ' "$work/out"
kill $server
wait $server
for space in kernel user; do
	has "serve without a device says so, $space space" "$space space: $nodev; clients are refused until there is one" \
		"$work/out"
done
link_add "$DEV" d0
check "with a device again, it works" wait_for 5 kverbs batch "$work/lines"
rmmod kverbs
kverbs --version >"$work/out"
has "--version without the module says so" "kernel space: the module is not loaded: insmod kverbs.ko" "$work/out"
nomodule="kernel space: the module is not loaded: insmod kverbs.ko"
refused "no module" 77 "$nomodule" kverbs pd add
refused "no module to monitor" 77 "$nomodule" kverbs monitor time 10ms
refused "no module, batch" 77 "$nomodule" kverbs batch "$work/lines"
check "user space does not need it" kverbs batch "$work/lines" --space user

# Each failure is a document, too.
while read -r errno line; do
	# Words of a line.
	# shellcheck disable=SC2086
	kverbs $line --json >"$work/out" 2>"$work/err"
	if json "$work/out" && grep -q "\"errno\": *\"$errno\"" "$work/out" && [ -s "$work/err" ]; then
		pass "JSON: $line"
	else
		fail "JSON: $line" "$work/out" "$work/err"
	fi
done <<END
EINVAL nosuch
EINVAL --fly
EINVAL pd frob
EINVAL pd del
EINVAL qp modify 1 state there
EINVAL pd add dev $(printf '%0100d' 0)
ENODEV dev show nope
ENOENT batch /nonexist
EINVAL batch
END
# A mistake in an option hides neither the command nor --json, wherever they stand.
while IFS='|' read -r want line; do
	# Words of a line.
	# shellcheck disable=SC2086
	kverbs $line >"$work/out" 2>"$work/err"
	keep "$(numbered mistake)" "$work/out"
	check "the document of '$line' has its command" jq -e --arg want "$want" --rawfile text "$work/err" \
		'.command == $want and "kverbs: \(.error.text)\n" == $text' "$work/out"
done <<END
pd add|--dev= pd add --json
pd add|pd --json --dev= add
pd add|--space fly --json pd add --dev x -- y
qp show|--trace=3 --pcap x qp show 1 --json
pdd|--json pdd add
nosuch|nosuch --dev x --json
END
printf 'echo "\377"\n' >"$work/$(printf '\377').kv"
kverbs batch "$work/$(printf '\377').kv" --space user --repeat 2 --json >"$work/out" 2>"$work/err"
check "JSON has no byte that is no UTF-8" sh -c "! LC_ALL=C grep -q '[^ -~]' '$work/out'"
check "and is a document" json "$work/out"
insmod "$KO"

# The module's limits: a refusal has what is in use, and what may be.
parameters=/sys/module/kverbs/parameters
read -r objects <$parameters/max_objects
read -r bytes <$parameters/max_bytes
echo 20000 >$parameters/max_bytes
buf=$(added buf add length 8k)
refused "too many bytes: what is in use, and the limit" 1 \
	"too many bytes in buffers and queues: delete some, or raise the module's max_bytes; in use are 1 of at most $objects objects, and 8192 of at most 20000 bytes (EDQUOT)" \
	kverbs buf add length 12k
refused "too many bytes by itself: no deletion helps" 1 \
	"too many bytes in buffers and queues: take fewer, or raise the module's max_bytes; in use are 1 of at most $objects objects, and 8192 of at most 20000 bytes (EDQUOT)" \
	kverbs buf add length 100g
echo 64000000000 >$parameters/max_bytes
refused "a quarter of the memory is the limit if max_bytes is more" 1 \
	"than a quarter of the memory; in use are 1 of at most $objects objects, and 8192 of at most $(awk '/^MemTotal/ { print $2 * 256 }' /proc/meminfo) bytes (EDQUOT)" \
	kverbs buf add length 59g
echo "$bytes" >$parameters/max_bytes
echo 1 >$parameters/max_objects
refused "too many objects, likewise" 1 \
	"too many objects: delete some, or raise the module's max_objects; in use are 1 of at most 1 objects, and 8192 of at most " \
	kverbs pd add
echo "$objects" >$parameters/max_objects
kverbs buf del "$buf" >/dev/null
check "nothing is left" nothing_left
finish
