# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

iters=$(fewer 200 20)

# lat NAME ARGUMENT…: a cell must come out, contents verified, with a median
lat() {
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	if kverbs lat --notes $by_cm --iters $iters --warmup 10 "$@" >"$work/lat" 2>&1 &&
		grep -q 'contents verified' "$work/lat" &&
		awk '/ p50 / { getline; exit !($2 > 0) }' "$work/lat"; then
		pass "$name: p50 $(awk '/ p50 / { getline; print $2 }' "$work/lat") µs"
	else
		fail "$name" "$work/lat"
	fi
}

# all_ops FROM OPTION…: of each operation one
all_ops() {
	from=$1
	shift
	for op in send write read; do
		lat "$op $from" --op $op "$@"
	done
	for op in fetch-add cmp-swp; do
		lacks "$op $from" "atomics" || lat "$op $from" --op $op "$@"
	done
}

# refused NAME TEXT ARGUMENT…: ends with status 77 and this text
refused() {
	name=$1 text=$2
	shift 2
	# shellcheck disable=SC2086 # words
	kverbs lat $by_cm --iters 10 "$@" >"$work/refused" 2>&1
	if [ $? = 77 ] && grep -qF "$text" "$work/refused"; then
		pass "$name"
	else
		fail "$name" "$work/refused"
	fi
}

for loop in one-thread pingpong; do
	lat "send-inv $loop in kernel space" --op send-inv --loop $loop --space kernel
done
lat "send-inv of several pages" --op send-inv --space kernel --size 64k
lat "send-inv by an MR's key" --op send-inv --space kernel --lkey mr
refused "send-inv from user space" "libibverbs has no REG_MR" --op send-inv --space user
refused "send-inv from user space to the kernel" "libibverbs has no REG_MR" --op send-inv --client user --server kernel
if [ "$DRIVER" = siw ]; then
	lat "read-inv" --op read-inv --space kernel
	lat "read-inv of several pages" --op read-inv --space kernel --size 64k
	refused "read-inv from user space" "libibverbs has no REG_MR" --op read-inv --space user
else
	refused "read-inv" "only iWARP has read_with_inv" --op read-inv --space kernel
	lat "send-inv from the kernel to user space" --op send-inv --client kernel --server user
	lat "send-inv to user space with the api wr" --op send-inv --client kernel --server user --api wr
fi
check "a stream of send-inv is refused" sh -c '! kverbs bw --op send-inv --space kernel 2>&1 | grep -vF "a stream needs as many MRs"'

for space in kernel user; do
	all_ops "from $space space" --space $space
	for op in send write send-imm write-imm; do
		for loop in one-thread pingpong; do
			name="$op $loop in $space space"
			[ "${op#*-}" != imm ] || ! lacks "$name" "immediate data" || continue
			lat "$name" --op $op --loop $loop --space $space
		done
	done
	for type in uc ud; do
		lacks "over $type from $space space" "UC and UD" && continue
		for op in send send-imm $([ $type = ud ] || echo write write-imm); do
			lat "$op over $type from $space space" --type $type --op $op --space $space
		done
	done
	lacks "between two threads over ud from $space space" "UD" ||
		lat "between two threads over ud from $space space" --type ud --op send --loop pingpong --space $space
	for size in 1 4095 4096 4097 64k; do
		lat "write of $size from $space space" --op write --size $size --space $space
		lat "send of $size in $space space" --op send --size $size --space $space
	done
	lat "send into receives of several SGEs in $space space" --op send --size 4097 --recv-sges 4 --space $space
	lacks "over IPv6 from $space space" "GID of an address" ||
		lat "over IPv6 from $space space" --op read --space $space --gid-index "$GID6"
	lat "for a duration from $space space" --op write --space $space --duration 500ms --iters 1000000 --json="$work/long.json"
	check "CPU time: the poller's, and at most that of all CPUs" \
		jq -e "(.point.result | .cpu_ns * .samples / .elapsed_ns) as \$busy | \$busy > 0.7 and \$busy < 1.2 * .environment.cpu_count" \
		"$work/long.json"
	lat "half round trips from $space space" --op send --space $space --duration 500ms --iters 1000000 --json="$work/long.json"
	check "CPU time of half a round trip" \
		jq -e "(.point.result | 2 * .cpu_ns * .samples / .elapsed_ns) as \$busy | \$busy > 0.7 and \$busy < 1.2 * .environment.cpu_count" \
		"$work/long.json"
	# shellcheck disable=SC2086 # words
	kverbs lat $by_cm --op write --space $space --iters 5 --warmup 0 --json="$work/short.json" >"$work/lat" 2>&1
	check "CPU time: none of a moment" jq -e '.point.result | has("cpu_ns") and .cpu_ns == null' "$work/short.json"
done
# threads_of COMMAND…: sets threads, how many there are in each look while it measures, one of each number
threads_of() {
	"$@" >"$work/lat" 2>&1 &
	tool=$!
	wait_for 60 sh -c "[ \$(rdma resource show qp | grep -c 'type RC state RTS') = 2 ]"
	threads=$(for _ in 1 2 3 4 5; do
		sleep 0.2
		awk '/^Threads:/ { print $2 }' /proc/$tool/status
	done | sort -un)
	wait $tool || threads="exit status $?"
}

# A second one costs the measured one 83 instructions for each system call (tool/user/worker.c).
for op in write send; do
	threads_of kverbs lat $by_cm --op $op --space user --time 4
	check "$op in user space: the process has one thread" test "$threads" = 1
done

# From one space to the other: two threads, or one whose requests the other's device answers.
for ends in "kernel user" "user kernel"; do
	client=${ends% *} server=${ends#* }
	mixed="--client $client --server $server"
	# shellcheck disable=SC2086
	all_ops "from $client to $server space" $mixed
	check "which the output says" grep -F "from $client space to $server space" "$work/lat"
	for size in 1 4097 64k; do
		for op in send write; do
			# shellcheck disable=SC2086
			lat "$op pingpong of $size from $client to $server space" --op $op --loop pingpong \
				--size $size $mixed
		done
	done
done
lat "both ends named" --op read --client user --server user
lat "posted in plain process context" --op write --space kernel --post process
check "which the output says" grep -F 'posted in process context' "$work/lat"
check "and no more than that" sh -c "! grep -q 'softirqs held off' '$work/lat'"
lat "local buffer by an MR's key" --op read --space kernel --lkey mr
lat "by default" --op write --space kernel
check "the output says: $kernel_post_words" grep -F "$kernel_post_words" "$work/lat"
check "the output says where completions are taken" grep -F "polled by the run's thread" "$work/lat"
check "the output has the number of samples once" sh -c "[ \$(grep -oE '\\b$iters samples\\b' '$work/lat' | wc -l) = 1 ]"
check "the output names the estimand" grep -F 'from before the post until its completion was polled' "$work/lat"
check "the output says that the device is a software device" grep -F 'software device' "$work/lat"

# shellcheck disable=SC2086
kverbs lat $by_cm --op write --space user --iters 999 --warmup 10 >"$work/few" 2>&1
check "999 samples have no p99" sh -c "awk '/ p99 / { getline; exit \$4 != \"-\" }' '$work/few'"
if checked; then
	skip "10000 samples have a p99.9" "a sample takes some 8 ms on a kernel with checkers"
else
	# shellcheck disable=SC2086
	kverbs lat $by_cm --op write --space kernel --iters 10000 --warmup 10 >"$work/many" 2>&1
	check "10000 samples have a p99.9" sh -c "awk '/ p99.9 / { getline; exit \$5 == \"-\" }' '$work/many'"
fi

# A large message takes a software device so long that 100 of them before the first sample would be minutes.
# shellcheck disable=SC2086
kverbs lat $by_cm --op write --space user --size 8m --iters 1 --json="$work/lat.json" >/dev/null 2>"$work/err"
check "no more than 64 MiB before the first sample" jq -e '.spec.warmup == 8 and .point.result.warmup_discarded == 8' "$work/lat.json"

# perftest's letters, apart from their values and joined to them.
# shellcheck disable=SC2086
kverbs lat $by_cm --op write --space user -s 512 -n40 -D10 -d "$DEV" -x "$GID" -i1 --json="$work/lat.json" >/dev/null 2>"$work/err"
check "perftest's letters" jq -e '.point.size_bytes == 512 and .spec.iters == 40 and .spec.time_ns == 10000000000 and
	.point.result.samples == 40 and .environment.gid.index == '"$GID" "$work/lat.json"

# In user space ibv_reg_mr() is one verb.
# shellcheck disable=SC2086
kverbs lat $by_cm --op read --space kernel --iters 100 --json="$work/lat.json" >/dev/null 2>"$work/err"
check "JSON tells the stages of a registration by the kernel, and they are all of it" \
	jq -e '.point.result | .stages_ns.reg_mr | .map and .post and .completion and add == $all' --argjson all \
	"$(jq '.point.result.verbs_ns.reg_mr // 0' "$work/lat.json")" "$work/lat.json"
keep lat "$work/lat.json"
# shellcheck disable=SC2086
check "as comma-separated values" sh -c "kverbs lat $by_cm --op write --space user --iters 50 --csv --json='$work/csv.json' >'$work/csv'"
keep csv-lat "$work/csv.json"
keep_csv csv-lat "$work/csv"
kernel_hz=$(jq .environment.counter_hz_kernel "$work/lat.json")
# shellcheck disable=SC2086
check "JSON to a file" kverbs lat $by_cm --op read --space user --iters 100 --json="$work/lat.json"
# User space measures it against CLOCK_MONOTONIC_RAW for 20 ms.
check "the kernel's frequency of the counter is what user space measures, within 1 %" \
	jq -e --argjson kernel "$kernel_hz" \
	'.environment.counter_hz_user / $kernel | . > 0.99 and . < 1.01' "$work/lat.json"
check "keys of both spaces have the same ordering here" \
	jq -e '.environment.kernel_keys_relaxed_ordering == false' "$work/lat.json"
keep lat-user "$work/lat.json"
for key in schema_version environment kernel libibverbs clocksource ns_per_tick ib_port counter_hz_user accelerator post completion \
	mitigations histogram; do
	check "JSON has $key" grep -F "\"$key\"" "$work/lat.json"
done

# A failure is a document, too. One that has no figures replaces no file.
for space in kernel user; do
	fails "$space: no such device, as JSON" 1 kverbs.lat ENODEV \
		kverbs lat --op read --space $space --dev nosuch0 --json
	check "$space: what was asked for" jq -e ".point.op == \"read\" and .point.space == \"$space\" and .spec.iters == 10000" \
		"$work/stdout"
	# shellcheck disable=SC2086
	kverbs lat $by_cm --op write --space $space --time 600 --json >"$work/stdout" 2>"$work/stderr" &
	tool=$!
	wait_for 60 sh -c "[ \$(rdma resource show qp | grep -c 'type RC state RTS') = 2 ]"
	kill -INT $tool
	status=0
	wait $tool || status=$?
	check "$space: Ctrl-C, as JSON" failed "$work/stdout" "$work/stderr" kverbs.lat ECANCELED 130
done
fails "nobody serves, as JSON" 1 kverbs.lat ECONNREFUSED \
	kverbs lat --op read --space user --json 127.0.0.1:7589
cp "$work/lat.json" "$work/kept.json"
check "no such device, as JSON to a file" sh -c "! kverbs lat --op read --space user --dev nosuch0 --json='$work/lat.json'"
check "a result that is there stays" cmp "$work/lat.json" "$work/kept.json"
check "no such device, as JSON to a new file" sh -c "! kverbs lat --op read --space user --dev nosuch0 --json='$work/new.json'"
check "it is there" jq -e '.error.errno == "ENODEV"' "$work/new.json"
keep lat-failed "$work/new.json"

# cpu_is N COMMAND…: lat must come out, on CPU N
cpu_is() {
	cpu=$1
	shift
	# shellcheck disable=SC2086
	"$@" kverbs lat $by_cm --op write --iters 20 --warmup 1 --space "$space" --json="$work/cpu.json" &&
		jq -e "[.. | objects | .cpu // empty] | unique == [$cpu]" "$work/cpu.json"
}

# in_cpuset CPUS COMMAND…
in_cpuset() {
	echo "$1" >/sys/fs/cgroup/few/cpuset.cpus
	shift
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >/sys/fs/cgroup/few/cgroup.procs && exec "$@"' sh "$@"
}

mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/few
last=$(($(nproc) - 1))
for space in kernel user; do
	check "in $space space the last CPU is taken" cpu_is $last
	check "in $space space taskset chooses the CPU" cpu_is 0 taskset 1
	check "in $space space a cpuset chooses the CPU" cpu_is 0 in_cpuset 0
done
rmdir /sys/fs/cgroup/few
umount /sys/fs/cgroup
check "nothing of all this is left" nothing_left
finish
