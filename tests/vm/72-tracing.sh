# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Tracing can be switched off while a run is active: the kernel then waits until each task has been
# at a place where it is not traced, and a loop whose polls find something does not let its CPU go.
. ./tap.sh

trace=/sys/kernel/tracing
mount -t tracefs tracefs $trace 2>/dev/null

# Only the tracer of an instance is freed, and so waited for.
if ! mkdir $trace/instances/kverbs 2>/dev/null; then
	skip "the function tracer is switched off in a run" "this kernel has no tracing instances"
	finish
fi
cd $trace/instances/kverbs || exit 1
if [ "$(nproc)" -gt 1 ] && [ "${KVERBS_ACCEL_NAME:-}" = tcg ]; then
	# The other CPU may meet __schedule() while it is patched, and QEMU 7.2 then repeats a breakpoint that
	# is not in memory any more, with interrupts off: seen in 3 of 21 runs on 6.1 with PREEMPT_RT.
	skip "the function tracer is switched off in a run" "QEMU without KVM may hang when code is patched under two CPUs"
elif ! grep -qw function available_tracers; then
	skip "the function tracer is switched off in a run" "this kernel has no function tracer"
else
	echo vfs_statx >set_ftrace_filter
	# A null loop never waits for anything, whatever the kernel and the device.
	for run in "--op write --post bh-disabled" "--op write --post process" "--loop null"; do
		# shellcheck disable=SC2086 # words
		kverbs lat --notes $by_cm $run --space kernel --time 60s >"$work/out" 2>&1 &
		tool=$!
		sleep 2
		{ echo function >current_tracer && within 50 sh -c 'echo nop >current_tracer'; } 2>"$work/err"
		status=$?
		if [ $status = 0 ] && kill -INT $tool 2>>"$work/err"; then
			pass "the function tracer is switched off in a run, $run"
		else
			echo "status $status, or the run has ended before" >"$work/why"
			fail "the function tracer is switched off in a run, $run" "$work/why" "$work/err" "$work/out"
		fi
		wait $tool
		note "$(grep -o 'CPU yielded [0-9]* times' "$work/out")"
	done
fi

# The module's own events report the actions of commands.
echo nop >current_tracer
echo >trace
echo 1 >events/kverbs/enable
echo 1 >events/netlink/netlink_extack/enable
kverbs batch --space kernel - >"$work/out" 2>&1 <<'END'
pd add name p
cq add cqe 16 name c
qp add pd p cq c name a
qp modify a state init access none
buf add length 64 name b
post recv qp a sge buf b
qp modify a state reset
poll cq c
END
# Refusals: of a value, of an attribute that is missing, of an identifier that is not there.
for command in "pd add name p; cq add cqe 16 name c; qp add pd p cq c name a; qp modify a state rts" \
	"pd add name p; cq add cqe 16 name c; qp add pd p cq c name a; qp modify a state init" "buf del 77"; do
	echo "$command" | tr ';' '\n' | kverbs batch --space kernel - >>"$work/out" 2>&1 &&
		fail "refused: $command" "$work/out"
done
echo 0 >events/netlink/netlink_extack/enable
echo 0 >events/kverbs/enable
cat trace >"$work/trace"
for line in "kverbs_obj_new: pd [1-9]" "kverbs_verb: pd 0 create ns=[1-9]" \
	"kverbs_verb: qp [1-9][0-9]* modify ns=[1-9]" "kverbs_verb: qp [1-9][0-9]* drain ns=[1-9]" \
	"kverbs_post: qp [1-9][0-9]* wrs=1 posted=1 error=0 ns=[1-9]" "kverbs_poll: cq [1-9][0-9]* wcs=0" \
	"kverbs_obj_del: buf [1-9]" "netlink_extack: msg=.* is missing: INIT needs it" \
	"netlink_extack: msg=\(the qp is in RESET: its next state is INIT\|iWARP's qps go to RTS by their conn\)" \
	"netlink_extack: msg=no buf with this id among yours"; do
	grep -q "$line" "$work/trace" && pass "traced: $line" || fail "traced: $line" "$work/trace" "$work/out"
done
cd /
rmdir $trace/instances/kverbs
finish
