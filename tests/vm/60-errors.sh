# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Mistakes of a user: each has a message of its own with the remedy, an exit status,
# and changes nothing. Mistakes that only a program can make are in tests/vm/contract/.
. ./tap.sh

objects >"$work/before"
lat="kverbs lat $by_cm --op write --iters 10"

for space in kernel user; do
	refused "unknown device, $space space" 1 "nosuch0" $lat --space $space --dev nosuch0
	refused "size 0, $space space" 2 "--size" $lat --space $space --size 0
	refused "no such GID, $space space" 2 "no such GID" $lat --space $space --gid 200
done
# A name that no device can have.
long=$(printf '%064d' 0)
for command in "lat --op write" compare "ping --server" "pingpong --type rc" "conn-rate $ADDR" "put f host" "pd add"; do
	# shellcheck disable=SC2086
	refused "a name of 64 characters for a device: ${command%% *}" 2 "has 64 characters, and a device's name at most 63" \
		kverbs $command --dev "$long"
done
refused "a name of 64 characters for a device: dev show" 2 "has 64 characters, and a device's name at most 63" \
	kverbs dev show "$long"
refused "and in a batch" 2 "dev show: the device '$long' has 64 characters" sh -c "echo dev show $long | kverbs batch -"
for command in monitor "pd show" flush "batch /dev/null"; do
	# shellcheck disable=SC2086 # words
	refused "a device that is not there, which the command does not need: $command" 1 "there is no RDMA device 'nosuch0'" \
		kverbs $command --dev nosuch0
done
refused "and for another host's" 2 "--peer-dev '$long' has 64 characters" \
	kverbs lat --op write --space user localhost --peer-dev "$long"
# The most bytes of one fast registration.
largest=2m parted=2,097,152
! iwarp || largest=1m parted=1,048,576
refused "size above the device's limit, kernel space" 2 "at most $parted bytes" \
	$lat --space kernel --size 3m
refused "size above the device's limit, user space" 2 "at most" $lat --space user --size 2000m
# The memory that user space has left: huge pages take the rest, nearly all of it.
available() {
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}
[ ! -e /proc/sys/vm/nr_hugepages ] || echo $((($(available) - 400000) / 2048)) >/proc/sys/vm/nr_hugepages
left=$(available)
if [ "$left" -lt 1500000 ]; then
	echo "buf add length $((left * 6 / 10))k" >"$work/large.kv"
	refused "a buffer of more than half of the memory" 1 \
		"in user space a buffer may have half of the memory that is available, which is" kverbs batch --space user "$work/large.kv"
else
	skip "a buffer of more than half of the memory" "$left KiB are available, and no huge pages that take them"
fi
[ ! -e /proc/sys/vm/nr_hugepages ] || echo 0 >/proc/sys/vm/nr_hugepages
iwarp || for space in kernel user; do
	refused "more inline than the device takes, $space space" 1 "--inline 65535 may be more than $DEV takes: $space space: " \
		$lat --space $space --inline 65535 --no-verify
done
refused "no operation" 2 "--op" kverbs lat --space kernel
refused "both ends and one of them" 2 "--space is where both ends are" \
	kverbs lat --op read --space user --client user
refused "a client without a server" 2 "--server is missing" kverbs lat --op read --client user
refused "a server without a client" 2 "--client is missing" kverbs lat --op read --server user
refused "one thread in two spaces" 2 "--loop one-thread has one thread for both ends" \
	kverbs lat --op send --loop one-thread --client user --server kernel
refused "the null loop between spaces" 2 "--loop null has no other end" \
	kverbs lat --loop null --client user --server kernel
refused "no space" 2 "--space" kverbs lat --op read
refused "unknown operation" 2 "teleport" kverbs lat --op teleport --space kernel
refused "unknown space" 2 "outer" kverbs lat --op read --space outer
refused "negative size" 2 "--size" $lat --space kernel --size -1
refused "size that is no number" 2 "64x" $lat --space kernel --size 64x
refused "size too large for 64 bits" 2 "--size" $lat --space kernel --size 99999999999999999999
refused "atomic operation of 64 bytes" 2 "8" kverbs lat --op fetch-add --space kernel --size 64
refused "an ACK timeout that is for ever" 2 "--ack-timeout '0'" $lat --space kernel --ack-timeout 0
refused "an ACK timeout that has no number" 2 "--ack-timeout '32'" $lat --space kernel --ack-timeout 32
refused "more retries than there are" 2 "--retry-cnt '8'" $lat --space kernel --retry-cnt 8
refused "0 samples" 2 "--iters" kverbs lat --op read --space kernel --iters 0
refused "a CPU that does not exist" 2 "--cpus" $lat --space kernel --cpus 999
refused "loop that can't take the operation" 2 "read" kverbs lat --op read --loop one-thread --space kernel
refused "unknown option" 2 "frobnicate" $lat --space kernel --frobnicate
refused "unknown command" 2 "fly" kverbs fly
refused "too many arguments" 2 "surplus" $lat --space kernel host surplus
refused "a host that nobody knows" 1 "surplus" $lat --space kernel surplus
iwarp || refused "an address of no RDMA device" 1 "no RDMA device leads to 127.0.0.1:7174: it takes an address" \
	kverbs ping --client kernel 127.0.0.1 --iters 1 --timeout 2s
refused "no command" 2 "usage" kverbs
refused "softirqs held off in user space" 2 "--post" $lat --space user --post bh-disabled
refused "JSON into a folder that does not exist" 1 "--json=/no/x.json: there is no folder /no; 'mkdir -p' makes it" \
	$lat --space kernel --json=/no/x.json
refused "an image likewise" 1 "--plot=/no/x.svg: there is no folder /no" $lat --space kernel --plot /no/x.svg
check "the folder is not made" test ! -e /no

# told_as_json NAME STATUS TEST COMMAND…: its document, which is all of its output, passes the test of jq
told_as_json() {
	name=$1 want=$2 test=$3
	shift 3
	status=0
	"$@" >"$work/told" 2>"$work/stderr" || status=$?
	keep "$(numbered told)" "$work/told"
	# shellcheck disable=SC2016 # jq's variables
	check "$name" sh -c '[ "$1" = "$2" ] && [ -s "$4" ] && jq -e "$3" "$4"' sh "$status" "$want" "$test" "$work/told"
}

told_as_json "a FILE of JSON apart from its option" 2 \
	'.schema == "kverbs.lat" and (.error.text | contains("write --json=lat.json"))' $lat --space kernel --json lat.json
told_as_json "standard output for JSON apart from its option" 2 \
	'.schema == "kverbs.lat" and (.error.text | contains("write --json=-"))' $lat --space kernel -j -
told_as_json "documents to merge behind --json" 2 \
	'.schema == "kverbs.merge" and (.error.text | contains("write --json=a.json"))' kverbs merge --json a.json b.json
told_as_json "a FILE of JSON apart from the option of a command for objects" 2 \
	'.command == "pd add" and (.error.text | contains("write --json=pd.json"))' kverbs pd add --json pd.json
for command in lat bw scale compare merge conn-rate put get ping pingpong doctor dev batch; do
	fails "$command: an unknown option, as JSON" 2 "kverbs.$command" EINVAL kverbs $command --json --frobnicate
	rm -f "$work/new.json"
	status=0
	kverbs $command --frobnicate --json="$work/new.json" 2>"$work/stderr" || status=$?
	check "$command: and in a FILE" failed "$work/new.json" "$work/stderr" "kverbs.$command" EINVAL 2
done
fails "ping: a device that is not there, as JSON" 1 kverbs.ping ENODEV kverbs ping --server kernel --dev nosuch0 --json
fails "pingpong: a device that is not there, as JSON" 1 kverbs.pingpong ENODEV \
	kverbs pingpong --space user --dev nosuch0 --json
fails "dev: a device that is not there, as JSON" 1 kverbs.dev ENODEV kverbs dev show nosuch0 --json
fails "batch: a FILE that is not there, as JSON" 1 kverbs.batch ENOENT kverbs batch --json /no
told_as_json "a command for objects that there is not" 2 '.command == "pd" and .space == "kernel" and .verbs == [] and
	(.error.text | startswith("pd: \u0027fly\u0027 is not known"))' kverbs pd fly --json
# shellcheck disable=SC2016 # the batch's variable
echo 'echo $nothing' >"$work/unknown.kv"
told_as_json "a batch whose failure no command has" 2 'length == 1 and .[0].command == "batch" and
	(.[0].error.text | contains("unknown.kv:1: "))' kverbs batch --json "$work/unknown.kv"
for command in "lat --op read --space user" compare "merge /dev/null" "conn-rate 192.0.2.9 --space user"; do
	# shellcheck disable=SC2086 # words
	check "$command: CSV and JSON in one place" sh -c "kverbs $command --csv --json >'$work/json' 2>'$work/err'; [ \$? = 2 ] &&
		jq -e '.error.text | startswith(\"--csv and --json both print\")' '$work/json' && grep -q 'write --json=FILE' '$work/err'"
done
refused "compare of an unknown operation" 2 "teleport" kverbs compare --ops read,teleport
refused "compare of an empty list" 2 "--sizes" kverbs compare --sizes ""

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all"
refused "no privilege, kernel space" 1 "CAP_NET_ADMIN" $nobody $lat --space kernel
refused "no privilege in the user namespace either" 1 "CAP_NET_ADMIN" \
	unshare --user --map-root-user $lat --space kernel
for space in kernel user; do
	for op in send write; do
		# A deadline is looked at when polls come back empty.
		if [ "$(nproc)" = 1 ]; then
			skip "a deadline that can't be kept, $op in $space space" \
				"with one CPU the answer may be there at the first poll"
			continue
		fi
		refused "a deadline that can't be kept, $op in $space space" 1 "no completion within" \
			kverbs lat $by_cm --op $op --loop pingpong --size $largest --space $space --iters 5 \
			--timeout 0.001 --no-verify
	done
done

objects >"$work/after"
check "after all that, the same objects as before" diff "$work/before" "$work/after"
check "and the module works" $lat --space kernel

rdma link delete "$DEV"
refused "no RDMA device, kernel space" 77 "RDMA device" $lat --space kernel
refused "no RDMA device, user space" 77 "RDMA device" $lat --space user
refused "no RDMA device, compare" 77 "RDMA device" kverbs compare
for command in "lat --op read --space user" "compare" "bw" "scale" "conn-rate $ADDR --space user" "put $0 127.0.0.1 --space user" \
	"get f 127.0.0.1 --space kernel" "ping $ADDR --client user" "pingpong --space user"; do
	# shellcheck disable=SC2086 # words
	fails "$command: no RDMA device, as JSON" 77 "kverbs.${command%% *}" EOPNOTSUPP kverbs $command --json
done
# Devices belong to namespaces only when they are made in that mode.
rdma system set netns exclusive
link_add "$DEV" d0
check "with a device again, it works" wait_for 5 $lat --space kernel
refused "a network namespace without the device" 77 "RDMA device" \
	unshare --net $lat --space kernel
refused "nor when it is named" 77 "RDMA device" unshare --net $lat --space kernel --dev "$DEV"
rdma link delete "$DEV"
rdma system set netns shared
link_add "$DEV" d0
wait_for 5 $lat --space kernel

rmmod kverbs
refused "module not loaded, kernel space" 77 "insmod kverbs.ko" $lat --space kernel
refused "module not loaded, compare" 77 "insmod kverbs.ko" kverbs compare
told_as_json "module not loaded, pd add" 77 '.command == "pd add" and .error.errno == "EOPNOTSUPP"' kverbs pd add --json
told_as_json "module not loaded, batch" 77 'length == 1 and .[0].command == "batch" and .[0].error.errno == "EOPNOTSUPP"' \
	kverbs batch --json "$work/unknown.kv"
check "user space does not need it" $lat --space user
if [ -e wrong.ko ]; then
	insmod wrong.ko
	refused "module of another version" 1 "speaks version 2 of the interface, this tool version 1" \
		$lat --space kernel
	rmmod kverbs
else
	skip "module of another version" "scripts/check gives us none"
fi
insmod "$KO"
check "with the right module it works" $lat --space kernel
finish
