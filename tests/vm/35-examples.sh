# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

# Walk-throughs, and the solutions of docs/exercises.md.
examples=../../examples
mkdir "$work/exercises"

# shows FILE SPACE TEXT: the file was run in this space, and printed TEXT
shows() {
	check "$1 in $2 space shows: $3" grep -F -- "$3" "$work/${1%.kv}.$2"
}

# spaces FILE: those that it is for
spaces() {
	if grep -q '^#     kverbs batch .* --space kernel' "$1"; then
		echo kernel
	else
		echo kernel user
	fi
}

# on_iwarp STDERR: the feature that the device lacks, if a file has ended for this reason
on_iwarp() {
	iwarp && sed -nE 's/^kverbs: .*(iWARP (connects|has no) .*|has no (UC|UD) qps|has no address handles).*/\1/p' "$1" |
		sed 's/ (EOPNOTSUPP)$//' | grep .
}

objects >"$work/before"
all=
for path in "$examples"/*.kv "$examples"/exercises/*.kv; do
	file=${path#"$examples/"}
	check "$file says how it is run" grep -qxE "#     kverbs batch $file --space (both|kernel)( --trace)?" "$path"
	in=$(spaces "$path")
	for space in $in; do
		out=$work/${file%.kv}.$space
		if kverbs batch "$path" --space $space >"$out" 2>"$work/stderr" &&
			[ ! -s "$work/stderr" ] && grep -q '^qp [0-9]' "$out"; then
			pass "$file in $space space"
			[ "$space" != "${in##* }" ] || all="$all $path"
		elif why=$(on_iwarp "$work/stderr"); then
			skip "$file in $space space" "$DEV is iWARP: $why"
		else
			fail "$file in $space space" "$work/stderr" "$out"
		fi
	done
done

# A file for the kernel only says so, and so does the message with which it ends in user space.
for path in "$examples"/*.kv; do
	[ "$(spaces "$path")" = kernel ] || continue
	file=${path#"$examples/"}
	check "$file says that it is for the kernel only" sh -c 'sed "/^$/q" "$1" | grep -q "or the kernel only"' - "$path"
	check "$file in user space ends and says so" sh -c '! kverbs batch "$1" --space user >/dev/null 2>"$2" &&
		grep -q "for the kernel only" "$2"' - "$path" "$work/stderr"
done

# Results that the files leave unchecked because devices differ, and events: as rxe has them.
for space in kernel user; do
	if iwarp; then
		for want in 17-send-inv.kv 19-connect-cm.kv 24-any-device.kv; do
			case " $all " in
			*"/$want "*) ;;
			*) fail "$want is for every device" ;;
			esac
		done
		shows 19-connect-cm.kv $space 'event rejected status'
		break
	fi
	shows 01-objects.kv $space 'type uc state reset'
	shows 02-connect-by-hand.kv $space 'rq-psn 2002'
	shows 04-send-recv.kv $space 'op recv status success (0) length 5 imm 0x11223344'
	shows 12-srq.kv $space 'event srq-limit-reached'
	shows 14-ud.kv $space 'length 48 src-qpn'
	shows 18-multicast.kv $space 'wr-id 200 op recv status success (0) length 46'
	shows 19-connect-cm.kv $space 'dest-qpn'
	shows 19-connect-cm.kv $space 'access remote-write,remote-read'
	shows 19-connect-cm.kv $space 'event rejected status consumer defined (28)'
	shows 25-join.kv $space 'group-qkey 0x1234567'
	shows 20-wrong-rkey.kv $space 'wr-id 1 op write status remote access error (10)'
	shows 20-wrong-rkey.kv $space 'wr-id 7 op write status remote invalid request error (9)'
	shows 21-no-receive.kv $space 'status RNR retry counter exceeded (13)'
	shows 22-receive-too-small.kv $space 'wr-id 1 op send status remote operation error (11)'
	shows 22-receive-too-small.kv $space 'wr-id 100 op recv status local QP operation error (2)'
	shows 22-receive-too-small.kv $space 'wr-id 103 op recv status local QP operation error (2)'
done

# In both spaces in one go: their output, then a row for each command with the time of each.
if lacks "02-connect-by-hand.kv in both spaces" "raw connection"; then
	:
elif kverbs batch "$examples/02-connect-by-hand.kv" --space both --repeat 3 >"$work/both" 2>&1 &&
	grep -q '^kernel space:' "$work/both" && grep -q '^user space:' "$work/both" &&
	awk '/qp modify a state rtr/ && $(NF - 1) > 0 && $NF > 0 { found = 1 } END { exit !found }' "$work/both"; then
	pass "02-connect-by-hand.kv in both spaces, with times of the transition to RTR"
else
	fail "02-connect-by-hand.kv in both spaces" "$work/both"
fi

# spoiled FILE LINE SCRIPT: the expectation in that line is changed, so the file fails there
spoiled() {
	sed "$2$3" "$examples/$1" >"$work/spoiled.kv"
	cmp -s "$examples/$1" "$work/spoiled.kv" && fail "nothing to spoil in line $2 of $1" && return
	status=0
	kverbs batch "$work/spoiled.kv" --space $space >"$work/stdout" 2>"$work/stderr" || status=$?
	if [ $status = 1 ] && grep -qF "kverbs: $work/spoiled.kv:$2: " "$work/stderr"; then
		pass "$1 fails in $space space if line $2 is spoiled"
	else
		echo "exit status $status, want 1" >"$work/why"
		fail "$1 in $space space with line $2 spoiled" "$work/why" "$work/stderr"
	fi
}

# The last thing that each file expects, so that it is known to get there.
for path in $all; do
	file=${path#"$examples/"}
	line=$(grep -n '^expect' "$path" | tail -n 1)
	for space in $(spaces "$path"); do
		spoiled "$file" "${line%%:*}" "s/\$/' spoiled'/"
	done
done
for space in kernel user; do
	! lacks "01-objects.kv fails in $space space if it is spoiled" "UC" || continue
	line=$(grep -n '^refused EBUSY' "$examples/01-objects.kv" | head -n 1)
	spoiled 01-objects.kv "${line%%:*}" 's/EBUSY/EPERM/'
	spoiled 01-objects.kv "${line%%:*}" 's/ pd del dom/ pd show dom/'
done

objects >"$work/after"
check "nothing of all this is left" nothing_left
check "not in user space either" cmp "$work/before" "$work/after"
finish
