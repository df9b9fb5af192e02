# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Limits on time that hold on a loaded host, in the guest and on the host itself. A second of a limit is a
# second on an idle host: while the CPU is shared a second counts for less, by as much as processes
# take longer to be made.

# Microseconds that one takes in a guest under QEMU without KVM, on an idle host; checkers add
# to the share of the kernel.
pace_process=1600
[ ! -e /sys/kernel/debug/kmemleak ] || pace_process=40000

# Sets pace_time: hundredths of a second since the boot.
pace_now() {
	read -r pace_time _ </proc/uptime
	pace_time=${pace_time%.*}${pace_time#*.}
	# No octal number, in the first second.
	while [ "${pace_time#0}" != "$pace_time" ] && [ "$pace_time" != 0 ]; do
		pace_time=${pace_time#0}
	done
}

# Sets pace_slow: how long processes take now, in percent of that, 100 at the least.
pace_measure() {
	local from n=0
	pace_now
	from=$pace_time
	while [ $((pace_time - from)) -lt 8 ]; do
		(:)
		(:)
		(:)
		(:)
		n=$((n + 4))
		pace_now
	done
	pace_slow=$(((pace_time - from) * 1000000 / (n * pace_process)))
	[ $pace_slow -ge 100 ] || pace_slow=100
}

# pace_begin SECONDS: sets pace_left, hundredths of a second that are left
pace_begin() {
	pace_left=$(($1 * 100))
	pace_now
	pace_since=$pace_time
}

# Takes off what has passed since pace_begin() or the last time. False if nothing is left.
pace_spend() {
	local since=$pace_since
	pace_measure
	pace_left=$((pace_left - (pace_time - since) * 100 / pace_slow))
	pace_since=$pace_time
	[ $pace_left -gt 0 ]
}

# limit SECONDS: prints how many seconds that is now; for programs that have a limit of their own
limit() {
	pace_measure
	echo $((($1 * pace_slow + 99) / 100))
}

# rest TENTHS: sleeps that many tenths of a second, or up to four times as long
rest() {
	local tenths
	pace_measure
	# A process that polls on the only CPU keeps other processes from being made, but not itself.
	[ $pace_slow -le 400 ] || pace_slow=400
	tenths=$(($1 * pace_slow / 100))
	sleep $((tenths / 10)).$((tenths % 10))
}

# wait_for SECONDS COMMAND…: until it succeeds
wait_for() {
	local pace_left pace_since
	pace_begin "$1"
	shift
	until "$@" >/dev/null 2>&1; do
		pace_now
		[ $((pace_time - pace_since)) -lt 100 ] || pace_spend || return 1
		sleep 0.1
	done
}

# pace_end PID SECONDS: ends a process that takes longer
pace_end() {
	local pace_left pace_since step=$((1 + $2 / 10))
	pace_begin "$2"
	while kill -0 "$1" 2>/dev/null; do
		sleep 1
		pace_now
		[ $((pace_time - pace_since)) -lt $((step * 100)) ] || pace_spend || {
			kill -TERM "$1"
			return
		}
	done
}
