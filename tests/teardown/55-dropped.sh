# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# shellcheck disable=SC2034,SC2046,SC2154
#
# Connections of the CM are ended by their other side while runs go on there: in an orderly way, when a
# server or another program is told to end; and by hand, in the middle of what was posted.
. ./rounds.sh

cause=dropped title="connection of the CM dropped" within=30
signals=INT
only=cm
kinds=others

# A connection that no process has, with long WRITEs under way.
prepare() {
	local pd cq buf mr door where i
	pd=$(made pd add)
	cq=$(made cq add cqe 64)
	buf=$(made buf add length 1m)
	mr=$(made mr add pd "$pd")
	one=$(made qp add pd "$pd" cq "$cq")
	other=$(made qp add pd "$pd" cq "$cq")
	kverbs conn listen "$ADDR" >"$dir/door"
	door=$(awk '{ print $2; exit }' "$dir/door")
	where=$(sed -n 's/.*\<src \([^ ]*\).*/\1/p' "$dir/door")
	kverbs conn connect "$where" qp "$one" $(ack) timeout 60s >"$dir/out" 2>"$dir/out.err" &
	kverbs conn accept "$door" qp "$other" access remote-write $(ack) timeout 60s >"$dir/in" 2>"$dir/in.err"
	wait $!
	out=$(awk '{ print $2; exit }' "$dir/out")
	accepted=$(awk '{ print $2; exit }' "$dir/in")
	[ -n "$out" ] && [ -n "$accepted" ] ||
		blame load "no connection by hand" "$dir/out.err" "$dir/in.err"
	kverbs mr reg "$mr" buf "$buf" qp "$other" access local-write,remote-write >"$dir/reg"
	for i in 1 2 3 4; do
		kverbs post write qp "$one" sge buf "$buf" remote-addr "$(sed -n 's/.*\<iova \([^ ]*\).*/\1/p' "$dir/reg")" \
			remote-key "$(sed -n 's/.*\<rkey \([^ ]*\).*/\1/p' "$dir/reg")" >/dev/null 2>>"$dir/post.err"
	done
}

strike() {
	strike_dropped
	case $((round % 3)) in
	0) kverbs conn disconnect "$out" ;;
	1) kverbs conn del "$out" ;;
	2) kverbs conn del "$accepted" ;;
	esac >"$dir/drop.out" 2>"$dir/drop.err" || blame other "the connection can't be dropped" "$dir/drop.err"
	case $((round % 3)) in
	2) accepted=$out ;;
	esac
	kverbs conn wait "$accepted" state disconnected timeout $((10 * slow))s >"$dir/wait.out" 2>"$dir/wait.err" ||
		blame other "the other side does not see it" "$dir/wait.err"
}

rounds other "the other side of a connection by hand sees its end"
