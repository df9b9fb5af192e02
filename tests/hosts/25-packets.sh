# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# --pcap: the packets between two hosts. In user space objects live in the batch, so the RDMA CM connects them.
. ../vm/tap.sh

type tcpdump >/dev/null 2>&1 || {
	skip "--pcap" "the guest has no tcpdump"
	finish
}

# added COMMAND…: makes an object; prints its id
added() {
	"$@" | awk '{ print $2; exit }'
}

# opcodes FILE: of each RoCE v2 packet over IPv4 the opcode, in decimal: behind the headers of pcap (24 bytes for the
# file, 16 for each packet), Ethernet (14), IP (20) and UDP (8)
opcodes() {
	hexdump -ve '1/1 "%u "' "$1" | awk '{
		for (at = 25; at <= NF; at += 16 + bytes) {
			bytes = $(at + 8) + 256 * $(at + 9)
			printf "%s%d", (at > 25 ? " " : ""), $(at + 16 + 14 + 20 + 8)
		}
		print ""
	}'
}

# hold NAME PATTERN FILE: the packets' opcodes are like the pattern of grep -E
hold() {
	opcodes "$3" >"$work/opcodes"
	if grep -qE "$2" "$work/opcodes"; then
		pass "$1"
	else
		fail "$1" "$work/opcodes"
	fi
}

# --- Kernel: persistent objects on both hosts, and the packets of one batch. A path MTU of 1024 makes 4 packets of 4000 bytes.
pd=$(added kverbs pd add)
cq=$(added kverbs cq add cqe 16)
qp=$(added kverbs qp add pd "$pd" cq "$cq")
buf=$(added kverbs buf add length 4k)
mr=$(added kverbs mr add pd "$pd")
there_pd=$(added peer kverbs pd add)
there_cq=$(added peer kverbs cq add cqe 16)
there_qp=$(added peer kverbs qp add pd "$there_pd" cq "$there_cq")
there_buf=$(added peer kverbs buf add length 4k)
there_mr=$(added peer kverbs mr add pd "$there_pd")
check "a qp is connected" kverbs qp connect "$qp" peer "$(peer kverbs qp address "$there_qp")" path-mtu 1024
check "and that of the other host" peer kverbs qp connect "$there_qp" peer "$(kverbs qp address "$qp")" path-mtu 1024
check "a buffer is registered" kverbs mr reg "$mr" buf "$buf" qp "$qp" access local-write
check "and that of the other host" peer kverbs mr reg "$there_mr" buf "$there_buf" qp "$there_qp" \
	access local-write,remote-write,remote-read
peer kverbs mr show "$there_mr" >"$work/there"
target=$(sed -n 's/.* iova \([^ ]*\).* rkey \([^ ]*\).*/remote-addr \1 remote-key \2/p; s/.* rkey \([^ ]*\).* iova \([^ ]*\).*/remote-addr \2 remote-key \1/p' "$work/there")
cat >"$work/write" <<-END_OF_BATCH
	post write qp $qp sge mr $mr length 4000 $target wr-id 1
	poll cq $cq count 1
	expect completions.0.status success
	post read qp $qp sge mr $mr length 8 $target wr-id 2
	poll cq $cq count 1
	expect completions.0.status success
END_OF_BATCH
check "--pcap of a WRITE and a READ" kverbs batch "$work/write" --pcap "$work/write.pcap"
hold "WRITE first, middle, middle, last, acknowledge; READ request, response only" '^6 7 7 8 17 12 16$' "$work/write.pcap"
check "--pcap of a single command" kverbs post write qp "$qp" sge mr "$mr" length 8 $target --pcap "$work/only.pcap"
hold "WRITE only" '^10( 17)?$' "$work/only.pcap"
check "tcpdump reads the file" sh -c "tcpdump -Z root -nr '$work/write.pcap' | grep -F '$PEER.4791'"

# --- User space, and the packets of the RDMA CM.
peer kverbs conn listen "$PEER:7500" >"$work/door"
door=$(awk '{ print $2; exit }' "$work/door")
user_qp=$(added peer kverbs qp add pd "$there_pd" cq "$there_cq")
check "its qp takes receives" peer kverbs qp modify "$user_qp" state init port 1 pkey-index 0 access none
peer sh -c "kverbs post recv qp $user_qp && kverbs conn accept $door qp $user_qp timeout 60s" >"$work/accept" 2>&1 &
cat >"$work/send" <<-END_OF_BATCH
	pd add name dom
	cq add cqe 16 name cq
	qp add pd dom cq cq name qp
	conn connect $PEER:7500 qp qp timeout 60s name out
	post send qp qp wr-id 1
	poll cq cq count 1 timeout 10s
	expect completions.0.wr-id 1
END_OF_BATCH
check "--pcap in user space" kverbs batch "$work/send" --space user --pcap "$work/send.pcap"
wait $!
hold "datagrams of the CM, SEND only, acknowledge" '^100 .*100 .*4 17' "$work/send.pcap"

# --- Packets that a capture can't see, and the reasons for no capture.
check "two QPs of one device" kverbs batch ../../examples/05-write.kv --pcap "$work/none.pcap"
cp "$work/check" "$work/none"
check "no packet passes the network interface" grep -F "no packet has passed d0: packets between two QPs of one software device do not pass it" "$work/none"
hold "nor is one in the file" '^$' "$work/none.pcap"
refused "a file that can't be written" 1 "--pcap: cannot write /nosuch/file: No such file or directory" \
	kverbs batch "$work/write" --pcap /nosuch/file
size=$(wc -c <"$work/write.pcap")
refused "no tcpdump" 1 "--pcap: there is no tcpdump in PATH; Debian: apt-get install tcpdump" \
	env PATH=/kverbs/bin kverbs batch "$work/write" --pcap "$work/write.pcap"
check "the older file is still there, and nothing else" sh -c \
	"test \"\$(wc -c <'$work/write.pcap')\" = $size && ! ls '$work'/write.pcap.*"
refused "no privileges" 1 "--pcap: tcpdump does not listen on d0: d0: You don't have permission" \
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
	kverbs batch /dev/null --space user --pcap /tmp/nobody.pcap
check "tcpdump has ended" sh -c "! pidof tcpdump"

kverbs flush >/dev/null
peer kverbs flush >/dev/null
check "nothing is left" wait_for 30 nothing_left
check "nothing is left there" wait_for 30 peer contract --balance
finish
