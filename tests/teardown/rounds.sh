# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Files that source this one use variables that are set here, and the other way round.
# shellcheck disable=SC2034,SC2154
#
# Sourced by the files here (docs/teardown.md): rounds in which something strikes what is under way,
# and what must hold afterwards. A file sets cause (letters), title, within (seconds), defines
# strike(), and calls rounds.
#
# ROUNDS  how many, default 3; FIRST: the first one, default 1; SEED: default 1. The three of them
# repeat a round.
. ../vm/tap.sh
. ./load.sh
. ./strikes.sh

rounds=${ROUNDS:-3}
first=${FIRST:-1}
seed=${SEED:-1}
# The processes that end by a signal in a round.
signals=
# Do the runs end by themselves? Else as what stays.
ending=yes
# Objects that no process has outlive what strikes.
flushed=yes
# When the last of the runs got its reason to end, if that is later than the strike's begin.
told=
# Seconds until the next run has to have succeeded, from when all is there again.
recover=20

# blame PROPERTY TEXT [FILE…]: it did not hold in this round
blame() {
	local property=$1 file
	{
		echo "round $round: $2; to repeat it: SEED=$seed FIRST=$round ROUNDS=1"
		shift 2
		for file; do
			[ -s "$file" ] || continue
			echo "  $(cat "${file%.*}.command" 2>/dev/null || echo "$file"):"
			tail -n 20 "$file" | sed 's/^/    /'
		done
	} >>"$work/bad.$property"
}

# judged PROPERTY NAME
judged() {
	if [ -e "$work/bad.$1" ]; then
		fail "$2, $rounds rounds" "$work/bad.$1"
	else
		pass "$2, $rounds rounds"
	fi
}

# How each has ended, and whether it gives the reason. The messages of others' programs are not checked.
judge_status() {
	local i status command
	for i in $runs $stays $holders; do
		read -r status 2>/dev/null <"$dir/$i.status" || continue
		read -r command <"$dir/$i.command"
		case $command in
		kverbs*) ;;
		*) continue ;;
		esac
		case $status in
		0) ;;
		1 | 77)
			grep -q '^kverbs: ' "$dir/$i.err" ||
				blame ended "$command ends with $status and does not say why"
			;;
		129 | 130 | 137 | 143)
			# A tool that a signal ends says so, as with any other failure.
			[ -n "$signals" ] || grep -q '^kverbs: ' "$dir/$i.err" ||
				blame ended "$command ends by a signal: status $status" "$dir/$i.err"
			;;
		*) blame ended "$command ends with status $status" "$dir/$i.err" ;;
		esac
	done
}

still_there() {
	local i
	for i; do
		[ -e "$dir/$i.status" ] || printf ' [%s]' "$(cat "$dir/$i.command")"
	done
}

# shellcheck disable=SC2086
await_end() {
	if [ $ending = yes ] && ! by $((${told:-$struck} + within * slow * 100)) ended $runs; then
		blame ended "after $((within * slow)) s there is still$(still_there $runs)" "$dir"/*.err
		hit KILL $runs
	fi
	[ $ending = yes ] || hit INT $runs
	hit TERM $stays $holders
	if ! soon 10 ended $runs $stays $holders; then
		blame ended "$((10 * slow)) s after it was told to end there is still$(still_there $runs $stays $holders)" "$dir"/*.err
		hit KILL $runs $stays $holders
		soon 10 ended $runs $stays $holders || blame ended "SIGKILL does not end$(still_there $runs $stays $holders)"
	fi
}

works() {
	case $((round % 4)) in
	0) set -- --client kernel --server user ;;
	1) set -- --space kernel ;;
	2) set -- --space user ;;
	3) set -- --client user --server kernel ;;
	esac
	# shellcheck disable=SC2086
	kverbs lat $by_cm --op write "$@" --iters 10 --warmup 0 >"$dir/works.out" 2>"$dir/works.err"
}

counted() {
	rdma resource show | sed 's/^[0-9]*: //'
}

nothing() {
	counted >"$dir/counted" && cmp "$work/counted" "$dir/counted" &&
		contract --balance && ! grep -ls '^kverbs' /proc/[0-9]*/comm
}

clean() {
	local text
	[ "$flushed" = no ] || text=$(kverbs flush 2>&1)
	case ${text:-flushed} in
	*"busy 0" | flushed) ;;
	*) blame left "kverbs flush says: $text" ;;
	esac
	if ! soon 10 nothing; then
		{
			cat "$dir/counted"
			contract --balance
			grep -s '^kverbs' /proc/[0-9]*/comm
			rdma resource show qp
			rdma resource show cm_id
		} >"$dir/left.out" 2>&1
		blame left "$((10 * slow)) s later something is left" "$dir/left.out"
		start_over
	fi
}

# After what failed the next round shall find what it is to find.
start_over() {
	# shellcheck disable=SC2086
	hit KILL $runs $stays $holders
	timeout 60 rmmod kverbs
	timeout 60 rdma link delete "$DEV"
	mend
	counted >"$work/counted"
}

# The preparation of a file before each round. It may change:
# turn        which round it is of those that have runs
# persisting  1: there are objects, too, that no process has
prepare() {
	:
}

one_round() {
	dir=$work/round
	rm -rf "$dir"
	mkdir -p "$dir/files" "$dir/here"
	turn=$round
	persisting=$((round % 2))
	prepare
	plan
	hitters=
	now
	begun=$now
	load
	now
	echo $((now - begun)) $round >>"$work/begun"
	draw 300
	pause "$drawn"
	now
	struck=$now
	told=
	strike
	await_end
	judge_status
	mend || blame works "module, netdev and device don't come back" "$dir/mend.err"
	if soon $recover works; then
		now
		echo $((now - struck)) $round >>"$work/times"
	else
		blame works "the next run fails" "$dir/works.err"
	fi
	clean
}

# tell_times WHAT FILE: hundredths of a second and the round, a line each
tell_times() {
	[ -s "$2" ] || return 0
	sort -n "$2" | awk -v what="$1" '
		{ t[NR] = $1 / 100 }
		END {
			median = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2
			printf "# %s: min %.2f s, median %.2f s, max %.2f s (round %d) of %d rounds\n",
				what, t[1], median, t[NR], $2, NR
		}'
}

# rounds [PROPERTY NAME]…: all of them, then a line for each property, those of the file's own last
rounds() {
	mend
	counted >"$work/counted"
	round=$first
	while [ "$round" -lt $((first + rounds)) ]; do
		one_round
		wait
		round=$((round + 1))
	done
	judged load "all is under way within $((120 * slow)) s"
	judged ended "all has ended within $((within * slow)) s, and says why"
	judged left "nothing is left $((10 * slow)) s later"
	judged works "the next run works"
	while [ $# -gt 1 ]; do
		judged "$1" "$2"
		shift 2
	done
	tell_times "$title: time to recover, until the next run has succeeded" "$work/times"
	tell_times "before that: time until all was under way" "$work/begun"
	note "seed $seed, rounds $first to $((round - 1))"
	finish
}
