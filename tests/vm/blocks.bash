# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the script that 34-documents.sh makes of a block: host b, which is this host.
set -eo pipefail
servers=() commands=()
trap '((${#servers[@]} == 0)) || kill "${servers[@]}" 2>/dev/null || true' EXIT

listeners() {
	rdma resource show cm_id | grep LISTEN || true
	awk '$4 == "0A" { print $2 }' /proc/net/tcp /proc/net/tcp6
}

# on_b OUTPUT COMMAND: runs it to its end, or until it listens; an earlier listener comes to its end first
on_b() {
	local before pid n
	end_b
	before=$(listeners)
	bash -c "$2" >"$1" 2>&1 </dev/null &
	pid=$!
	for ((n = 0; n < 300; n++)); do
		sleep 0.1
		kill -0 "$pid" 2>/dev/null || {
			wait "$pid"
			return
		}
		if [[ $(listeners) != "$before" ]]; then
			servers+=("$pid")
			commands+=("$2")
			return
		fi
	done
	kill "$pid"
	echo "host b: neither does it end, nor does it listen: $2" >&2
	return 1
}

# Servers on host b end by themselves, but 'kverbs serve', which SIGTERM ends. The exit status of others' programs
# is their own.
end_b() {
	local i status
	for i in "${!servers[@]}"; do
		[[ ${commands[i]} != *kverbs\ serve* ]] || kill "${servers[i]}"
		status=0
		wait "${servers[i]}" || status=$?
		if ((status)) && [[ ${commands[i]} == kverbs* ]]; then
			echo "host b: status $status: ${commands[i]}" >&2
			return 1
		fi
	done
	servers=() commands=()
}
