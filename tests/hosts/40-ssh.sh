# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# ssh:HOST: OpenSSH here, dropbear there, which gives the server pipes.
. ../vm/tap.sh

for program in ssh ssh-keygen dropbear; do
	type $program >/dev/null 2>&1 || {
		skip "ssh:HOST" "the guest has no $program"
		finish
	}
done

port=2222
ssh_dir=/root/.ssh
pings="--iters 100 --warmup 10 --ack-timeout 17 --port $port"

# lat OPTION…
lat() {
	# shellcheck disable=SC2086 # words
	within 180 kverbs lat $pings "$@" "ssh:$PEER"
}

listening() {
	peer grep -qi ":$(printf %04X $port) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# No process of ssh here, no server there, and nothing of either in the kernels.
all_gone() {
	! pidof ssh && ! peer sh -c 'grep -l "std[i]o" /proc/[0-9]*/cmdline' && nothing_left && peer contract --balance
}

kill_server() {
	peer sh -c 'kill $(grep -l "std[i]o" /proc/[0-9]*/cmdline | cut -d / -f 3)'
}

mkdir -p -m 700 $ssh_dir
check "a key" ssh-keygen -q -t ed25519 -N '' -f $ssh_dir/id_ed25519
peer sh -c "mkdir -p -m 700 $ssh_dir /etc/dropbear && echo '$(cat $ssh_dir/id_ed25519.pub)' >$ssh_dir/authorized_keys"
check "a server of ssh there" peer dropbear -R -s -p $port
check "it listens" wait_for 60 listening

refused "a host whose key is not known" 1 "$PEER: ssh has failed, see its message above" lat --op write --space user
check "and ssh says why" grep -F "Host key verification failed" "$work/stderr"
printf '%s\n' 'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >$ssh_dir/config
refused "a host where kverbs is not in PATH" 1 \
	"$PEER: there is no command 'kverbs serve --stdio' on that host, or no ssh here; KVERBS_SSH_SERVER='/PATH/kverbs serve --stdio' names that command, KVERBS_SSH the ssh" \
	lat --op write --space user
kverbs=$(peer sh -c 'command -v kverbs')
check "its path is given" env KVERBS_SSH_SERVER="$kverbs serve --stdio" \
	within 180 kverbs lat $pings --op write --space user "ssh:$PEER"
check "a command of two lines" env KVERBS_SSH_SERVER="nosuch
$kverbs serve --stdio" within 60 kverbs lat $pings --op write --space user "ssh:$PEER"
check "there it gets into PATH" peer ln -s "$kverbs" /usr/bin/kverbs
for client in kernel user; do
	for server in kernel user; do
		check "write from $client space to $server space" lat --op write --client $client --server $server
	done
done
check "send, connected by the CM" lat --op send --space kernel --connect cm
check "compare" within 300 kverbs compare --op write --time 2s --port $port "ssh:$PEER"
check "a user's name and a port" within 180 kverbs lat --op write --space user --iters 100 --warmup 10 "ssh:root@$PEER:$port"
check "IPv6, in brackets" within 180 kverbs lat --op write --space user --iters 100 --warmup 10 "ssh:[$PEER6]:$port"
check "as JSON" lat --op write --space user --json="$work/lat.json"
check "which names the host" grep -q "\"host\": *\"$PEER\"" "$work/lat.json"
check "nothing is left" wait_for 30 all_gone

# Options of the server's command count.
peer mkdir -p /run/ssh-files
echo contents >"$work/file"
refused "a server without files" 1 "--files" within 60 kverbs put "$work/file" "ssh:$PEER" --space user --port $port
files() {
	env KVERBS_SSH_SERVER="kverbs serve --stdio --files /run/ssh-files" within 120 kverbs "$@" --space user --port $port
}
check "a file goes there" files put "$work/file" "ssh:$PEER"
check "and comes back" files get file "ssh:$PEER" "$work/back"
check "as it was" cmp "$work/file" "$work/back"
refused "a space that is not served" 77 "$PEER: the server does not serve kernel space (kverbs serve --space)" \
	env KVERBS_SSH_SERVER="kverbs serve --stdio --space user" within 60 kverbs lat $pings --op write --space kernel "ssh:$PEER"
refused "a limit of objects" 1 "objects" \
	env KVERBS_SSH_SERVER="kverbs serve --stdio --objects 2" within 60 kverbs lat $pings --op write --space kernel "ssh:$PEER"

# Commands that are no server.
refused "a command that prints something else" 1 "does a start file of the shell there print something?" \
	env KVERBS_SSH_SERVER="echo Welcome to this host; sleep 5" within 60 kverbs lat $pings --op write --space user "ssh:$PEER"
refused "a command that fails" 1 "$PEER: 'exit 3' there ended with status 3" \
	env KVERBS_SSH_SERVER="exit 3" within 60 kverbs lat $pings --op write --space user "ssh:$PEER"
refused "no such ssh" 1 "or no ssh here" \
	env KVERBS_SSH=/nosuch within 60 kverbs lat $pings --op write --space user "ssh:$PEER"
check "an ssh with options" env KVERBS_SSH="ssh -o 'LogLevel ERROR'" \
	within 180 kverbs lat $pings --op write --space user "ssh:$PEER"
refused "a host that ssh would take for an option" 2 "host '-oProxyCommand=x' begins with '-'" \
	kverbs lat --op write --space user "ssh:-oProxyCommand=x"
refused "no host" 2 "the host is empty" kverbs lat --op write --space user ssh:
refused "a token" 2 "--token does not go with ssh:HOST" kverbs lat --op write --space user --token x "ssh:$PEER"
for option in "--bind ::1" "--port 7" "--token x" --no-token "--clients 1"; do
	# shellcheck disable=SC2086 # words
	refused "serve --stdio $option" 2 "${option%% *} does not go with --stdio" kverbs serve --stdio $option
done

# Ctrl-C reaches every process of the terminal's foreground group, ssh too.
setsid kverbs lat --port $port --op write --space kernel --time 100s "ssh:$PEER" >"$work/out" 2>&1 &
client=$!
wait_for 60 sh -c "rdma resource show qp link $DEV | grep -q 'type RC state RTS'"
env kill -INT -$client
wait $client
check "Ctrl-C: the connection is there until the end" sh -c "! grep -F 'connection' '$work/out' || ! cat '$work/out'"
check "Ctrl-C: nothing is left" wait_for 30 all_gone

# The ways to go in the middle of a run.
for end in "killall ssh" kill_server "killall -KILL kverbs" "peer killall -KILL dropbear"; do
	kverbs lat --port $port --op send --space kernel --time 100s "ssh:$PEER" >"$work/out" 2>&1 &
	client=$!
	wait_for 60 sh -c "rdma resource show qp link $DEV | grep -q 'type RC state RTS'"
	$end
	status=0
	wait $client || status=$?
	check "$end: the run ends" test $status != 0
	check "$end: nothing is left" wait_for 90 all_gone
done

finish
