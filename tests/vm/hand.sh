# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Sourced by the tests of the commands for objects.
. ./tap.sh

# All objects that a command from the shell sees, with all that is known of them.
everything() {
	for type in pd cq buf mr srq ah qp conn; do
		echo "$type show"
	done | kverbs batch - --json
}

# batch SPACE [OPTION…]: the commands come from stdin; what they print is in $work/out, what
# they complain about in $work/err
batch() {
	space=$1
	shift
	kverbs batch - --space "$space" "$@" >"$work/out" 2>"$work/err"
}

# connect_qps A B: connects two persistent qps, by their addresses or, on iWARP, by the RDMA CM. There A may send
# first, and each keeps a conn.
connect_qps() {
	if ! iwarp; then
		kverbs qp connect "$1" peer "$(kverbs qp address "$2")" &&
			kverbs qp connect "$2" peer "$(kverbs qp address "$1")"
		return
	fi
	kverbs conn listen "$ADDR" >"$work/door" || return 1
	door=$(awk '{ print $2; exit }' "$work/door")
	where=$(sed -n 's/.* src \([^ ]*\).*/\1/p' "$work/door")
	out=$(kverbs conn connect "$where" qp "$1" access all no-wait | awk '{ print $2; exit }') &&
		in=$(kverbs conn get-request "$door" timeout 60s | awk '{ print $2; exit }') &&
		kverbs conn accept "$in" qp "$2" access all timeout 60s &&
		kverbs conn wait "$out" timeout 60s && kverbs conn del "$door"
}

# pair_lines A B: the lines of a batch that connect its qps A and B likewise
pair_lines() {
	if iwarp; then
		cat <<-END
			conn listen \$dev.addr name door_$1
			conn connect \$door_$1.src qp $1 access all no-wait name conn_$1
			conn get-request door_$1 name conn_$2
			conn accept conn_$2 qp $2 access all no-wait
			conn wait conn_$1
			conn wait conn_$2
			conn del door_$1
		END
	else
		cat <<-END
			qp address $1
			qp address $2
			qp connect $1 peer \$$2.address
			qp connect $2 peer \$$1.address
		END
	fi
}

# Lines of a batch that connect its qp a with itself, which is $peer then; on iWARP with another one.
# shellcheck disable=SC2034
peer=a
! iwarp || peer=b
own_peer() {
	if iwarp; then
		printf '%s\n' "cq add cqe 16 name other_cq" "qp add pd pd send-cq other_cq recv-cq cq name b"
		pair_lines a b
	else
		printf '%s\n' "qp address a" 'qp connect a peer $a.address'
	fi
}

# same NAME WANT GOT
same() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		printf 'want "%s"\ngot  "%s"\n' "$2" "$3" >"$work/why"
		fail "$1" "$work/why"
	fi
}

# has NAME PATTERN FILE: one line of the file, as a whole, is like the pattern of a shell
has() {
	while IFS= read -r line; do
		# The pattern is meant as one.
		# shellcheck disable=SC2254
		case $line in
		$2)
			pass "$1"
			return
			;;
		esac
	done <"$3"
	echo "no line is like \"$2\":" >"$work/why"
	fail "$1" "$work/why" "$3"
}

# hears PID: has the process joined a multicast group of generic netlink? What is told from then on reaches it.
hears() {
	# A socket's port number ends in the bits of the id of its process.
	awk -v pid="$1" '$2 == 16 && $3 % 4194304 == pid && $4 !~ /^0+$/ { found = 1 } END { exit !found }' \
		/proc/net/netlink
}

# json FILE: is it one document of JSON, and nothing else?
json() {
	[ "$(jq -s length "$1" 2>/dev/null)" = 1 ] && keep "$(numbered json)" "$1"
}
