#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scripts/vm does what its help says. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# vm NAME STATUS ARGUMENT…
vm() {
	local name=$1 want=$2 status=0
	shift 2
	scripts/vm "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	((status == want)) || echo "# exit status $status, want $want"
	result $((status != want)) "$name" "$work/stderr"
}

# says TEXT: on stderr
says() {
	local status=0
	grep -qF -- "$1" "$work/stderr" || status=1
	result $status "and says: $1" "$work/stderr"
}

is() {
	local name=$1 status=0
	shift
	"$@" || status=1
	result $status "$name" "$work/stderr"
}

began=$(date +%s)
vm "true ends with 0" 0 --verbose -- true
# CPU time: others may have had the CPUs meanwhile.
boot=$(sed -n 's/.*boot [0-9.]* s, \([0-9.]*\) s of CPU time.*/\1/p' "$work/stderr" | head -n 1)
is "boot to COMMAND took ${boot:-99} s of CPU time (at most 10)" awk "BEGIN { exit !(${boot:-99} <= 10) }"
run=$(sed -n 's|.*files of $OUT are in \(.*\)/out$|\1|p' "$work/stderr")
is "a run's folder is named by when and what" sh -c 'echo "${1##*/}" | grep -qE "^[0-9]{8}-[0-9]{6}-true-[0-9]+$" && [ -f "$1/console.log" ]' sh "$run"
# Other tests start guests at the same time: the last of them has the link.
is "build/vm/latest is it, or one that began later" sh -c '[ -f build/vm/latest/console.log ] && [ "$(stat -c %Y build/vm/latest)" -ge "$1" ]' sh "$began"
mkdir "$work/scripts"
cp scripts/results "$work/scripts/"
first=$("$work/scripts/results" demo)
is "results are named by what and when" sh -c 'cd "$1" && [ -d "$2" ] && echo "$2" | grep -qE "^results/demo-[0-9]{8}-[0-9]{6}$"' sh "$work" "$first"
second=$("$work/scripts/results" boots)
is "results/latest is the last" test "$work/results/latest" -ef "$work/$second"
is "and the one before stays" test -d "$work/$first"
vm "COMMAND's status is ours" 77 -- sh -c 'exit 77'

head -c 300000 /dev/urandom >"$work/random"
vm "streams come back" 0 --file "$work/random:/random" -- sh -c 'cat /random; tac /random >&2'
is "stdout exactly" cmp "$work/random" "$work/stdout"
tac "$work/random" >"$work/tac"
is "stderr exactly, and no console noise in it" cmp "$work/tac" "$work/stderr"

# shellcheck disable=SC2016 # for the guest
vm "files of \$OUT arrive" 0 --out "$work/out" -- sh -c 'mkdir "$OUT/d" && echo "$DEV $ADDR $ADDR6" >"$OUT/d/f"'
is "and the environment is set" grep -q '^rxe0 [0-9.]* [0-9a-f:]*$' "$work/out/d/f"
# shellcheck disable=SC2016
printf '%s|' 'a b' '$HOME' '"q"' "it's" '' $'n\nl' '*' >"$work/argv"
# shellcheck disable=SC2016
vm "arguments arrive" 0 -- sh -c 'printf "%s|" "$@"' sh 'a b' '$HOME' '"q"' "it's" '' $'n\nl' '*'
is "exactly" cmp "$work/argv" "$work/stdout"

vm "a kernel that panics" 126 -- sh -c 'echo c >/proc/sysrq-trigger; sleep 60'
says "sysrq triggered crash"
says "console.log"

# warning CALLER: the kernel log of rxe's own defect
warning() {
	cat <<-END
		------------[ cut here ]------------
		WARNING: CPU: 0 PID: 41 at drivers/infiniband/sw/rxe/rxe_task.c:147 rxe_sched_task+0x85/0xb0
		Modules linked in: kverbs(O) rdma_rxe
		 rxe_xmit_packet+0x85/0xb0 [rdma_rxe]
		 $1
		---[ end trace 0000000000000000 ]---
	END
}
warning "rxe_sender+0x13/0x30 [rdma_rxe]" >"$work/driver"
warning "kv_conn_free+0x13/0x30 [kverbs]" >"$work/ours"
vm "a warning of a driver's own is no failure" 0 --file "$work/driver:/report" -- \
	sh -c 'while read -r line; do echo "$line" >/dev/kmsg; done </report'
says "a driver has reported a defect of its own"
vm "the same below a function of the module is one" 126 --file "$work/ours:/report" -- \
	sh -c 'while read -r line; do echo "$line" >/dev/kmsg; done </report'

cat >"$work/two" <<'END'
set -e
. tests/vm/pace.sh
PATH=tests/vm:$PATH
[ "$(peer sh -c 'echo "$ADDR $PEER"')" = "$PEER $ADDR" ]
status=0
peer sh -c "echo \"it's \$0\"; exit 7" >/two.out || status=$?
[ "$status $(cat /two.out)" = "7 it's sh" ]
ping -c 1 "$PEER6" >/dev/null
# Nothing is left of what was there: the second guest has booted anew.
peer touch /mark
within 3 peer sh -c 'echo b >/proc/sysrq-trigger' 2>/dev/null || true
wait_for 300 timeout 20 peer true
! peer test -e /mark
peer ib_write_lat -d "$DEV" -x "$GID" -n 50 >/there &
wait_for 30 peer sh -c "netstat -ltn | grep -q ':18515 '"
# The printed line decides: 2 bytes and 50 iterations.
within 60 ib_write_lat -d "$DEV" -x "$GID" -n 50 "$PEER" >/here || true
wait $! || true
grep -E '^ *2 +50 ' /here
grep -E '^ *2 +50 ' /there
END
vm "two guests reach each other, and the second one can be powered off" 0 --hosts 2 --cpus 1 \
	--file "$work/two:/two" -- sh /two
# shellcheck disable=SC2016 # for the guest
vm "the second guest serves, and goes on doing so" 0 --hosts 2 --cpus 1 -- sh -c '
	. tests/vm/pace.sh
	serves() {
		[ "$(peer grep -c " serves " /run/serve.log)" -gt "$before" ]
	}
	kverbs lat --op write --space kernel --iters 20 "$PEER" &&
	before=$(peer grep -c " serves " /run/serve.log) && peer killall kverbs && wait_for 30 serves &&
	kverbs lat --op write --space user --iters 20 "$PEER"'
# shellcheck disable=SC2016
vm "loss can be put on the link in both guests" 0 --hosts 2 --cpus 1 --no-serve -- sh -c '
	tc qdisc add dev d0 root netem loss 1% && peer tc qdisc add dev d0 root netem delay 1ms reorder 5% &&
	! peer test -e /run/serve.log'
vm "a panic of the second guest" 126 --hosts 2 --cpus 1 -- \
	sh -c ". tests/vm/pace.sh; tests/vm/within 3 peer sh -c 'echo c >/proc/sysrq-trigger'; rest 80"
says "in the second guest"
# Each is the other's peer, by a program that others wrote. Its server may miss the client's first message
# (docs/iwarp.md), and then neither side ends; its exit status is not tested.
cat >"$work/siw" <<'END'
set -e
[ "$DEV $DRIVER $GID $GID6" = "siw0 siw 0 " ]
rdma link show "$DEV/1" | grep -q 'netdev d0'
[ "$(peer sh -c 'echo "$DEV"')" = siw0 ]
tc qdisc add dev d0 root netem delay 5ms
peer tc qdisc add dev d0 root netem delay 5ms
for try in 1 2 3 4 5; do
	peer timeout 60 rping -s -C 3 &
	sleep 2
	timeout 30 rping -c -v -a "$PEER" -C 3 >/tmp/out || true
	wait $! || true
	[ "$(grep -c "ping data: rdma-ping" /tmp/out)" != 3 ] || exit 0
done
cat /tmp/out
exit 1
END
vm "a device of siw, on two guests" 0 --device siw --hosts 2 --cpus 1 --no-serve --file "$work/siw:/siw" -- sh /siw
vm "two guests that count instructions" 2 --hosts 2 --det -- true
# Three times the duration of a boot. The guest's waiting for the host's CPUs is not counted.
vm "a COMMAND that does not end" 124 --timeout "$(awk "BEGIN { printf \"%d\", 3 * ${boot:-99} + 1 }")" -- sleep 1000
says "console.log"
vm "a COMMAND that is not there" 125 -- nosuchcommand
vm "an unknown option" 2 --frobnicate -- true
vm "an unknown device" 2 --device mlx5 -- true
vm "more CPUs than can be counted on" 2 --det --cpus 2 -- true
vm "a plugin without --det" 2 --plugin /dev/null -- true
vm "a plugin that is not there" 2 --det --plugin /nowhere -- true
vm "an unknown kernel" 125 --kernel 2.4 -- true
vm "a folder that is no kernel tree" 125 --kernel "$work" -- true
vm "no RDMA device where none is wanted" 0 --no-rdma -- sh -c '! ls /sys/class/infiniband/* 2>/dev/null'
vm "no module where none is wanted" 0 --no-module -- sh -c '! grep -q ^kverbs /proc/modules'

# QEMU's command line names the run folder, and that ends in its runner's process id.
qemu_runs() {
	grep -qsa -- "-$pid/work/[i]nitrd" /proc/[0-9]*/cmdline
}

scripts/vm -- sleep 100 >"$work/stdout" 2>"$work/stderr" &
pid=$!
is "a guest runs" wait_for 60 qemu_runs
rest 50
# Not SIGINT: a shell has its background jobs ignore that.
kill -TERM $pid 2>/dev/null || true
status=0
wait $pid || status=$?
is "SIGTERM ends it early" test $status -ne 0
is "and no QEMU stays behind" eval '! qemu_runs'

# On a terminal: the steps until COMMAND starts, a greeting, and two more terminals.
# attach HOST: true if the terminal names itself and its guest. The line is typed again until the answer
# is there: a terminal that was opened a moment ago may not read yet.
attach() {
	local host=$1 keys screen=$work/terminal.$1 status=0
	mkfifo "$work/keys.$host"
	exec {keys}<>"$work/keys.$host"
	timeout 200 script -qefc "scripts/vm --attach $host" /dev/null <&"$keys" >"$screen" 2>&1 &
	answers() {
		# shellcheck disable=SC2016 # for the guest
		printf 'tty; echo $ADDR.\r' >&"$keys"
		rest 10
		grep -qF /dev/ttyS1 "$screen" && grep -qF "192.0.2.$host." "$screen"
	}
	wait_for 60 answers || { status=1; sed 's/^/# /' "$screen"; }
	printf '\035' >&"$keys"
	wait $! || { status=1; echo "# --attach ended with $?"; }
	exec {keys}>&-
	return $status
}
mkfifo "$work/typed"
exec {typed}<>"$work/typed"
timeout 500 script -qefc 'scripts/vm --hosts 2 --cpus 1 --shell' "$work/stderr" <&"$typed" >"$work/stdout" &
pid=$!
is "--shell greets" wait_for 250 grep -q "scripts/vm --attach 2" "$work/stderr"
says " s: builds kverbs.ko for "
says " s: boots the guest under "
says "where 'kverbs serve' runs"
for host in 1 2; do
	is "--attach gives a terminal into guest $host" attach "$host"
done
printf 'kverbs lat --siz\t' >&"$typed"
is "bash in the guest completes words of the tool" wait_for 60 grep -q "kverbs lat --size " "$work/stderr"
printf '\025exit 7\r' >&"$typed"
status=0
wait $pid || status=$?
is "the shell's exit status is ours" test $status = 7
is "and nothing comes behind it" eval '! grep -aq "reboot:" "$work/stderr"'
exec {typed}>&-

# A file of tests that never ends costs no more than its limit, and the next one runs.
mkdir -p "$work/files/hang"
echo 'echo "ok 1 - before"; kverbs_sleep 100' >"$work/files/hang/10-hang.sh"
printf '%s\n' 'echo "ok 1 - after"' 'echo 1..1' >"$work/files/hang/20-next.sh"
cp "$(type -P sleep)" "$work/kverbs_sleep"
vm "a file of tests that does not end" 1 --file "$work/files/hang:/kverbs/tests/hang" --file "$work/kverbs_sleep:/bin/kverbs_sleep" \
	--env TESTS=hang --env LIMIT=5 -- tests/vm/run
is "it is named" grep -qx "not ok - hang did not end within 5 s" "$work/stdout"
is "and so is what it has run" grep -qx "#   kverbs_sleep 100 " "$work/stdout"
is "and what it has said before" grep -qx "ok 1 - hang: before" "$work/stdout"
is "and the next one runs" grep -qx "ok 1 - next: after" "$work/stdout"

# Guests one after the other, and what they say together.
compare_boots() {
	scripts/boots --boots 2 --out "$work/boots" -- --ops write --sizes 8 --time 100ms --rounds 6 >"$work/stdout" 2>"$work/stderr" &&
		grep -qE '^write 8 B: not decided: 2 boots' "$work/stdout" && [[ -s $work/boots/merged.json && -s $work/boots/boot-2.json ]]
}
is "scripts/boots: two boots, of which each gives an estimate" compare_boots

# With stderr in a file, as in a log. results/latest points to the same folder afterwards.
latest=$(readlink results/latest || true)
is "scripts/demo ends with 0" eval 'scripts/demo --ops write --sizes 8 --duration 300ms --rounds 6 >"$work/stdout" 2>"$work/stderr"'
result=$(sed -n 's/^All of it, with the histograms: //p' "$work/stdout")
is "and tells where the document is on this host" test -s "${result:-/}"
is "and fits into 80 columns" eval '! LC_ALL=C tr -d "\200-\277" <"$work/stdout" | grep -E ".{81}"'
says " s: boots the guest under "
says " s: the guest runs COMMAND"
vm "while COMMAND runs --progress tells of it" 0 --progress -- sleep 7
says " s: still: the guest runs COMMAND"
vm "without --progress" 0 -- sleep 6
is "nothing is told" test ! -s "$work/stderr"
[[ ! -s ${result:-/} ]] || rm -r "${result%/*}" results/latest
[[ -z $latest ]] || ln -sfn "$latest" results/latest

is "scripts/boots: a number of boots that is none" eval 'scripts/boots --boots 0 2>"$work/stderr"; [[ $? == 2 ]]'

# foreign NAME KEPT LINE…: scripts/foreign.awk leaves KEPT lines of this log that are not empty, and none is lost
foreign() {
	local name=$1 kept=$2 text
	shift 2
	text=$(printf '%s\n' "$@" | awk -f scripts/foreign.awk | tee "$work/foreign" | grep -c .) || true
	cp "$work/foreign" "$work/stderr"
	is "foreign reports: $name" test "$text" = "$kept" -a "$(wc -l <"$work/foreign")" = $#
}
access=("before" "==================" "BUG: KASAN: slab-use-after-free in rxe_pool_get_index+0x1/0x2 [rdma_rxe]"
	" rxe_sender+0x1/0x2 [rdma_rxe]")
freed=("Allocated by task 1:" "Freed by task 2:" " kv_qp_destroy+0x1/0x2 [kverbs]" "==================" "after")
foreign "rxe's use of a freed QP, which the module has destroyed" 3 "${access[@]}" "${freed[@]}"
foreign "the same, with the module in the stack of the access" 10 "${access[@]}" " kv_qp_modify+0x1/0x2 [kverbs]" "${freed[@]}"
foreign "another use of freed memory" 9 "${access[@]/rxe_pool_get_index/kv_cq_poll}" "${freed[@]}"
foreign "without an end" 2 "${access[@]}" "Allocated by task 1:"
warning=("before" "------------[ cut here ]------------" "WARNING: CPU: 0 PID: 1 at drivers/infiniband/sw/rxe/rxe_task.c:110 x+0x1/0x2")
trace="---[ end trace 0000000000000000 ]---"
foreign "rxe's warning of its task" 2 "${warning[@]}" "Call Trace:" "$trace" "after"
foreign "the same, with the module in the stack" 7 "${warning[@]}" "Call Trace:" " kv_qp_destroy+0x1/0x2 [kverbs]" "$trace" "after"
foreign "another warning" 6 "${warning[@]/rxe_task/rxe_qp}" "Call Trace:" "$trace" "after"

finish
