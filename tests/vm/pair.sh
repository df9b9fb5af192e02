# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Sourced by the tests with programs that others wrote: how a server and its client have done. Their
# output is in $work/server and $work/client.

is_ours() {
	case $1 in
	kverbs\ *) return 0 ;;
	*) return 1 ;;
	esac
}

# fault WHO COMMAND STATUS: prints what is wrong with how a program has ended
fault() {
	if is_ours "$2"; then
		[ "$3" = 0 ] || echo "the $1's exit status is $3, want 0"
	elif [ "$3" = 143 ] || [ "$3" = 125 ]; then
		# By within, or there is no telling (peer).
		echo "the $1 has not ended by itself"
	elif grep -q mismatch "$work/$1"; then
		echo "the $1 has got other data than it wanted"
	fi
	# Else its exit status is its own: rping takes its event channel away from under its own thread, and
	# ends with 255 then, when all is done.
}

# both NAME READY SERVER CLIENT: the client runs once READY has succeeded; sets server_status and client_status
both() {
	$3 >"$work/server" 2>&1 &
	server=$!
	$2 || note "$1: nobody listens"
	client_status=0 server_status=0
	$4 >"$work/client" 2>&1 || client_status=$?
	wait $server || server_status=$?
}

# judge NAME SERVER STATUS CLIENT STATUS REGEX: ours has ended with 0 and printed a line like REGEX; another
# program has ended, and has not said that data was wrong
judge() {
	{
		fault server "$2" "$3"
		fault client "$4" "$5"
		for who in server client; do
			[ $who = server ] && command=$2 || command=$4
			! is_ours "$command" || cat "$work/$who"
		done >"$work/ours"
		grep -qE -- "$6" "$work/ours" || echo "ours has not printed \"$6\""
	} >"$work/why"
	if [ -s "$work/why" ]; then
		fail "$1" "$work/why" "$work/server" "$work/client"
	else
		pass "$1"
	fi
}
