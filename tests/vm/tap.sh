# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Sourced by the tests that run in the guest: results as TAP.
. ../vm/pace.sh

tests=0
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pass() {
	tests=$((tests + 1))
	echo "ok $tests - $*"
}

# fail NAME [FILE…]: the content of the files comes as a comment
fail() {
	tests=$((tests + 1))
	failures=$((failures + 1))
	echo "not ok $tests - $1"
	shift
	[ $# = 0 ] || sed 's/^/#   /' "$@"
}

skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

note() {
	echo "# $*"
}

# keep NAME FILE: a document of the tool's, which tests/abi/documents.py reads on the host
keep() {
	mkdir -p "$OUT/documents"
	cp "$2" "$OUT/documents/$1.json"
}

# measured NAME WHAT COMMAND OPTION...: a command of the tool that measures; its text is in $work/NAME, its document in
# $document, which is kept
measured() {
	name=$1 what=$2
	shift 2
	if kverbs "$@" --json="$document" >"$work/$name" 2>"$work/stderr"; then
		pass "$what"
	else
		fail "$what" "$work/$name" "$work/stderr"
	fi
	keep "$name-$((kept = kept + 1))" "$document"
}
kept=0

# keep_csv NAME FILE: the output of --csv beside the document of that name
keep_csv() {
	cp "$2" "$OUT/documents/$1.csv"
}

# numbered WHAT: a name for keep() that no other test has
numbered() {
	file=${0##*/}
	echo "$1-${file%.sh}-$tests"
}

# Is the device iWARP's (scripts/vm --device siw)?
iwarp() {
	[ "${DRIVER:-rxe}" = siw ]
}

# lacks NAME WHAT: true if the device is iWARP's, which has no WHAT: then NAME is skipped
lacks() {
	iwarp || return 1
	skip "$1" "$DEV is iWARP: no $2"
}

# How lat and compare connect: iWARP has but one way.
by_cm=
! iwarp || by_cm="--connect cm"

# In which context the kernel posts requests by default, in documents and in words: rxe needs softirqs held off.
kernel_post=bh-disabled kernel_post_words="softirqs held off"
! iwarp || kernel_post=process kernel_post_words="in process context"

# The tests' name for a second device of the same driver.
second=${DRIVER:-rxe}1

# link_add NAME NETDEV: a device of the same driver
link_add() {
	rdma link add "$1" type "${DRIVER:-rxe}" netdev "$2"
}

# check NAME COMMAND…: the command must succeed
check() {
	name=$1
	shift
	if "$@" >"$work/check" 2>&1; then
		pass "$name"
	else
		fail "$name" "$work/check"
	fi
}

# refused NAME STATUS TEXT COMMAND…: it must end with this exit status, say TEXT on
# stderr, and nothing on stdout
refused() {
	name=$1 want=$2 text=$3
	shift 3
	status=0
	"$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	if [ "$status" = "$want" ] && grep -qF -- "$text" "$work/stderr" && [ ! -s "$work/stdout" ]; then
		pass "$name"
	else
		echo "exit status $status, want $want; stderr, want \"$text\"; stdout, want nothing:" >"$work/why"
		fail "$name" "$work/why" "$work/stderr" "$work/stdout"
	fi
}

# refuses STATUS TEXT COMMAND OPTION…: as refused, a command of the tool that measures, connected as the device needs
# it; what it said is in $work/stderr
refuses() {
	want=$1 text=$2
	shift 2
	# shellcheck disable=SC2086 # words
	refused "refused: $*" "$want" "$text" kverbs "$@" $by_cm
}

# failed FILE TEXTS SCHEMA ERRNO STATUS: the document of a command that failed, and what it said on stderr; it ended
# with $status. jq is content with a FILE that is empty.
failed() {
	[ -s "$1" ] || return 1
	keep "$(numbered failed)" "$1"
	[ "$status" = "$5" ] && jq -e --arg schema "$3" --arg errno "$4" --rawfile texts "$2" '.schema == $schema and
		.complete == false and .error.errno == $errno and (.error.text as $text | $texts | contains("kverbs: " + $text))' "$1" \
		>/dev/null
}

# fails NAME STATUS SCHEMA ERRNO COMMAND…: as failed, of a command with --json
fails() {
	name=$1 want=$2 schema=$3 errno=$4
	shift 4
	status=0
	"$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	if failed "$work/stdout" "$work/stderr" "$schema" "$errno" "$want"; then
		pass "$name"
	else
		echo "exit status $status, want $want; want a document of $schema with error $errno, and its text on stderr:" >"$work/why"
		fail "$name" "$work/why" "$work/stdout" "$work/stderr"
	fi
}

# Is this a kernel with checkers (scripts/debug-kernel)? There an operation takes up to ninety times as
# many instructions.
checked() {
	[ -e /sys/kernel/debug/kmemleak ] || [ -e /sys/kernel/debug/kcsan ]
}

# fewer MANY FEW: one of the numbers, the second on a kernel with checkers
fewer() {
	if checked; then
		echo "$2"
	else
		echo "$1"
	fi
}

# The objects of RDMA devices, as the kernel counts them.
objects() {
	rdma resource show
}

# holds NAME FILTER: a filter of jq that is true of $document
holds() {
	if jq -e "$2" "$document" >"$work/holds" 2>&1; then
		pass "$1"
	else
		jq -c '.spec, .point, .points[]? | del(.. | .histogram?, .cumulative?, .verbs_ns?, .stages_ns?)' "$document" |
			cut -c 1-900 >>"$work/holds"
		fail "$1" "$work/holds"
	fi
}

# Nothing of ours may be left: neither by our own count nor by the kernel's.
nothing_left() {
	contract --balance && ! rdma resource show qp | grep -F '[kverbs]' &&
		! rdma resource show mr | grep -F '[kverbs]' && ! rdma resource show pd | grep -F '[kverbs]' &&
		! rdma resource show cq | grep -F '[kverbs]'
}

finish() {
	echo "1..$tests"
	exit $((failures > 0))
}
