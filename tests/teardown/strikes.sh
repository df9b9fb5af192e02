# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Files that source this one use variables that are set here, and the other way round.
# shellcheck disable=SC2034,SC2154,SC2086
#
# The causes, and the repair after each. Sourced by rounds.sh.

strike_killed() {
	hit KILL $runs $stays $holders
}

# Refused as long as a run of the kernel goes on; at the same moment as the tools' end it may come
# before or after that.
strike_rmmod() {
	local i users=
	for i in $runs $stays; do
		case " $apart " in
		*" $i "*) ;;
		*) users="$users $i" ;;
		esac
	done
	hit KILL $users &
	now
	by $((now + 10 * slow * 100)) unload || blame ended "after $((10 * slow)) s rmmod is still refused"
	wait $!
}

# Between two tries whoever is to end gets the CPU.
unload() {
	[ ! -e /sys/module/kverbs ] || rmmod kverbs && return
	pause $((100 * slow))
	return 1
}

# Another cause may have taken it, and be about to.
device_is_gone() {
	[ ! -e "/sys/class/infiniband/$DEV" ]
}

# A process that has the device open in user space and measures nothing keeps it from going.
strike_unplug() {
	hit TERM $holders &
	timeout $((within * slow)) rdma link delete "$DEV" >"$dir/unplug.out" 2>"$dir/unplug.err" ||
		soon "$within" device_is_gone ||
		blame ended "rdma link delete does not end, or fails" "$dir/unplug.err"
	wait $!
}

netdev_is_gone() {
	[ ! -e /sys/class/net/d0 ]
}

strike_down() {
	ip link set d0 down
}

strike_deleted() {
	hit TERM $holders &
	timeout $((within * slow)) ip link del d0 >"$dir/deleted.out" 2>"$dir/deleted.err" ||
		soon "$within" netdev_is_gone ||
		blame ended "ip link del does not end, or fails" "$dir/deleted.err"
	wait $!
}

# children PID: of a process
children() {
	grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | sed 's/[^0-9]//g'
}

# The server's process for its client, or the server with all of these, or the other program.
strike_peer() {
	local i pid
	draw 2
	for i in $servers; do
		read -r pid <"$dir/$i.pid"
		if [ "$drawn" = 0 ]; then
			kill -KILL "$pid"
		else
			# shellcheck disable=SC2046
			kill -KILL $(children "$pid")
		fi
	done 2>/dev/null
	hit KILL $peers
}

# In an orderly way: the server destroys what its client has, connections among it.
strike_dropped() {
	hit TERM $servers
	hit TERM $peers $batches
}

# hit_later NUMBER: once it has begun, at a time that chance gives; INT, then TERM. The waiting process finds it
# in hitters.
hit_later() {
	local signal
	draw 4
	case $drawn in
	0) signal=INT ;;
	1) signal=TERM ;;
	2) signal=KILL ;;
	3) signal=HUP ;;
	esac
	draw 1000
	(
		soon 20 test -e "$dir/$1.pid"
		pause $((drawn * hitting / 1000))
		hit $signal "$1"
		[ $signal = INT ] || exit 0
		# The shell starts what is in the background with INT ignored: it is lost before the
		# tool has a handler.
		sleep 1
		hit TERM "$1"
	) &
	hitters="$hitters $!"
}

# Those that are there, one after the other.
strike_signal() {
	local i
	hitting=300
	for i in $runs $stays $holders; do
		hit_later "$i"
	done
	hitting=
	wait $hitters
}

# As scripts/vm-init makes it.
new_netdev() {
	$in ip link add d0 type dummy && $in ip link set d0 address 02:00:c0:00:02:01 &&
		$in ip link set d0 mtu 4500 && $in ip link set d0 up && $in ip addr add "$ADDR/24" dev d0
}

new_address() {
	$in ip addr show dev d0 | grep -qF "$ADDR6/" || $in ip addr add "$ADDR6/64" dev d0
}

has_gids() {
	if iwarp; then
		# That of its MAC address.
		$in grep -q c000:020 "/sys/class/infiniband/$DEV/ports/1/gids/$GID"
		return
	fi
	$in grep -q c000:020 "/sys/class/infiniband/$DEV/ports/1/gids/$GID" &&
		$in grep -q ^2001:0db8 "/sys/class/infiniband/$DEV/ports/1/gids/$GID6"
}

new_device() {
	$in test -e "/sys/class/infiniband/$DEV" || $in rdma link add "$DEV" type "${DRIVER:-rxe}" netdev d0
}

# mend: module, netdev and device are there again, with their addresses, after every cause
mend() {
	[ -e /sys/module/kverbs ] || insmod "$KO" || return 1
	[ -e /sys/class/net/d0 ] || new_netdev || return 1
	ip link set d0 up
	new_address
	# The old one may still be on its way.
	soon 20 new_device || return 1
	if ! iwarp && ! rdma resource show qp | grep -q 'type GSI state RTS'; then
		# A packet that rxe can't send while its netdev is down brings QP 1 to ERR, for ever: no CM any more.
		rdma link delete "$DEV" && soon 20 new_device || return 1
	fi
	soon 20 has_gids
}
