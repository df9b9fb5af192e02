# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# How words may be typed: cut short, with _ for -, numbers with powers and units, letters for options. And
# refusals that list the objects that exist.
. ./hand.sh

# means NAME PATTERN COMMAND…: its output begins so
means() {
	name=$1 pattern=$2
	shift 2
	"$@" >"$work/out" 2>&1
	has "$name" "$pattern" "$work/out"
}

means "a command cut short" "pd * dev *" kverbs pd a
means "a command for objects cut short" "*" kverbs fl
means "a command with options of its own cut short" "usage: kverbs conn-rate*" kverbs conn_r --help
means "help of a command of an object" "*pd add \[KEY VALUE\]*" kverbs help pd add
kverbs pd add >/dev/null
means "an object's word alone shows the objects" "pd * dev *" kverbs pd
means "and with help behind it is the object's help" "pd: protection domain*" kverbs pd help
same "of a command with options of its own, too" "$(kverbs lat --help)" "$(kverbs lat help)"
same "help of help is the list of commands" "$(kverbs --help)" "$(kverbs help help)"
same "dev's too" "$(kverbs help dev)" "$(kverbs dev help)"
same "help of an object's command, before it and behind it" "$(kverbs qp add --help)" "$(kverbs help qp add)"
# shellcheck disable=SC2086 # words
check "bw takes compare's words" sh -c "kverbs bw $by_cm --ops write --sizes 8,64 --rounds 1 --duration 20ms --json |
	jq -e '[.points[].size_bytes] == [8, 64]'"
# shellcheck disable=SC2086
check "and compare bw's, -s and -e" sh -c "kverbs compare $by_cm --op write -s 8,64 --rounds 1 --duration 60ms --json |
	jq -e '[.points[].size_bytes] == [8, 64]' && kverbs compare $by_cm --op write --size 8 -e --rounds 1 --duration 60ms --json | jq -e '.points[0].kernel.completion_context == \"event\"'"
means "and after help" "usage: kverbs conn-rate*" kverbs help conn-r
means "and for man" '.TH KVERBS*CONN-RATE*' kverbs man conn-r
means "and in 'dev'" "*$DEV*" kverbs dev sh "$DEV"
refused "what may be several commands is none" 2 "'pi' may be pingpong, ping" kverbs pi
refused "nor is it if only one is about objects" 2 "'d' may be doctor, dev" kverbs d
printf 'pd a name p\ncq a comp_vector 0 cqe 16 name c\nqp add pd p cq c max_send_wr 1e1 --max_inline 0x10 name q\n' >"$work/lines"
printf 'buf add length 4KiB name b\nexpect length 4096\nmr add pd p name m\n' >>"$work/lines"
for space in kernel user; do
	check "words of a batch, $space space" kverbs batch "$work/lines" --space $space
done
echo 'mr reg m buf b access local_write,remote_write' >>"$work/lines"
check "a list of words with _" kverbs batch "$work/lines" --space user
echo 'e a' >"$work/lines"
refused "what may be several commands of a batch is none" 2 "'e' may be echo, expect" kverbs batch "$work/lines"
echo 'pdd add' >"$work/lines"
refused "a misspelled command of a batch names the right one" 2 "there is no command 'pdd', but there is 'pd'; there are dev" kverbs batch "$work/lines"
echo 'pd add nmae x' >"$work/lines"
refused "a misspelled key of a batch, likewise" 2 "'nmae' is not known, but 'name' is; it takes dev, name" kverbs batch "$work/lines"
printf 'pd add na p\ncq add cq 16 cont event na c\nqp add pd p cq c max_send_w 4 na q\nbuf add len 4k na b\nmr add pd p n m\n' >"$work/lines"
check "keys of a batch cut short" kverbs batch "$work/lines"
echo 'cq add c 8' >"$work/lines"
refused "what may be several keys is none" 2 "'c' may be cqe, comp-vector, context" kverbs batch "$work/lines"
echo 'qp a' >"$work/lines"
refused "and of an object's commands" 2 "'a' may be add, attach, address" kverbs batch "$work/lines"
# shellcheck disable=SC2086 # words
kverbs lat $by_cm --op fetch_add --space user --iters 1e1 --retry_cnt 5 --ack_timeout 10 --json >"$work/json" 2>"$work/why" ||
	cat "$work/why" >>"$work/json"
if ! lacks "an option and its value with _" "atomics"; then
	check "an option and its value with _" jq -e '.point.op == "fetch-add" and .spec.iters == 10 and .spec.retry_cnt == 5' "$work/json"
fi
# shellcheck disable=SC2086
check "sizes, counts and times as people write them" sh -c \
	"kverbs lat $by_cm --op write --space user --size 1.5kb --iters 0.1k --timeout 1m --json | jq -e '.point.size_bytes == 1536 and .spec.iters == 100'"
means "perftest's letters of pingpong" "kverbs: 'b' is one host too many*" kverbs pingpong --space user -p 5000 -s 64 -m 1024 -n 1k -q 16 -r 8 -e -x 0 a b
check "and of lat, those that stand for a value, too" sh -c "kverbs lat --op write --space user -n 10 -R -e -s 64 -d $DEV --json |
	jq -e 'any(.. | .connect? // empty; . == \"cm\") and any(.. | .completion_context? // empty; . == \"event\") and .spec.iters == 10'"
means "iproute2's letters of dev" "$DEV*" kverbs dev -p -d
check "and of objects" sh -c "kverbs pd show -d -j | jq -e .result"
check "letters together, behind an object's command" sh -c "kverbs pd show -dj | jq -e .result"
check "letters together, before it" sh -c "kverbs -jp pd show | jq -e .result"
check "letters together, of dev" sh -c "kverbs dev show -jp | jq -e .complete"
check "letters together, of lat, the last one with its value" sh -c "kverbs lat --op write --space user -Re -s64 -jn 10 |
	jq -e '.point.size_bytes == 64 and any(.. | .connect? // empty; . == \"cm\") and .spec.iters == 10'"
echo 'pd add' >"$work/lines"
check "letters together, of batch" sh -c "kverbs batch '$work/lines' -pj | jq -e '.[0].result'"
for command in ping conn-rate serve; do
	refused "$command -p" 2 "--port 'x' is no number" kverbs $command -p x
done

printf 'pd add\npd add\n' >"$work/lines"
kverbs batch "$work/lines" --json >"$work/plain"
kverbs batch "$work/lines" -j -p >"$work/pretty"
check "batch --json: a line for each document" sh -c "grep -c '^{ .* }' '$work/plain' | grep -Fx 2"
check "batch -j -p: indented, and the same keys" sh -c "grep -q '^  \"command\":' '$work/pretty' &&
	jq -cS '[.[] | keys]' '$work/plain' >'$work/keys' && jq -cS '[.[] | keys]' '$work/pretty' | diff '$work/keys' -"

kverbs flush >/dev/null
refused "a missing object: there is none" 1 "no pd with this id among yours; there is none" kverbs pd show 77
one=$(kverbs pd add --json | jq .result.id)
refused "there is one" 1 "no pd with this id among yours; there is $one (ENOENT)" kverbs pd del 4000000000
two=$(kverbs pd add --json | jq .result.id)
refused "there are two" 1 "pd: no pd with this id among yours; there are $one, $two (ENOENT)" kverbs mr add pd 4000000000
for _ in 1 2 3 4 5 6 7; do
	kverbs pd add >/dev/null
done
refused "there are many" 1 " and 1 more (ENOENT)" kverbs pd del 4000000000
kverbs flush >/dev/null
most=$(kverbs dev show "$DEV" --json | jq '[.. | .max_cqe? | numbers][0]')
refused "a limit of the device: its number" 1 "cqe is above the device's max_cqe; max_cqe of $DEV is $most (EINVAL)" kverbs cq add cqe 2000000000
pd=$(kverbs pd add --json | jq .result.id)
most=$(kverbs dev show "$DEV" --json | jq '[.. | .max_fast_reg_pages? | numbers][0]')
refused "a limit of registrations: its number" 1 "max_pages is above the device's max_fast_reg_pages; max_fast_reg_pages of $DEV is $most (EINVAL)" kverbs mr add pd "$pd" max-pages 2000000000
kverbs flush >/dev/null
finish
