# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# docs/operations.md says which operation runs over which kind of queue pair, in which space, and how its completions
# can be noticed. Each cell is tried: a short stream, whose contents are verified.
. ./tap.sh

ops="send send-imm write write-imm read fetch-add cmp-swp"
receiving="send send-imm write-imm"
columns="kernel:polled kernel:event kernel:softirq kernel:workqueue kernel:unbound-workqueue user:polled user:event"
table=$work/operations

# cells TYPE COLUMN: each operation, and "works", or why not, without what is of the one operation or device
cells() {
	case $1 in
	rc+srq) takes=$receiving type="rc --srq" ;;
	*) takes=$ops type=$1 ;;
	esac
	# shellcheck disable=SC2086 # words
	kverbs bw $by_cm --op "$(echo $takes | tr ' ' ,)" --type $type --space "${2%:*}" --completion "${2#*:}" --size 8 --depth 4 \
		--rounds 1 --duration 10ms --json >"$work/bw.json" 2>"$work/err"
	jq -r --arg space "${2%:*}" '.points[] | [.op, if .verified and .[$space].requests > 0 then "works" else .error.text // "fails" end] |
		join(" ")' "$work/bw.json" | sed -E "s/ (kernel|user) space[:,] / /; s/$DEV[:,] //; s/$DEV/the device/; s/ [a-z-]+: / /
		s/, so no [a-z-]+\$//; s/no key for .*/no key for it/"
}

for qps in rc rc+srq uc ud; do
	for column in $columns; do
		cells "$qps" "$column" | sed "s/^/$qps $column /" >>"$work/cells"
	done
done
awk -v ops="$ops" -v columns="$columns" '
	{ text = $0; sub(/^[^ ]* [^ ]* [^ ]* /, "", text); cell[$3, $1, $2] = text }
	END {
		print "| operation | QP | kernel: polled | event | softirq | workqueue | unbound workqueue | user space: polled | event |"
		print "|---|---|---|---|---|---|---|---|---|"
		types = split("rc rc+srq uc ud", type, " ")
		n = split(ops, op, " ")
		m = split(columns, column, " ")
		for (i = 1; i <= n; i++)
			for (t = 1; t <= types; t++) {
				if (!((op[i], type[t], column[1]) in cell))
					continue;
				row = "| " op[i] " | " type[t] " |"
				for (c = 1; c <= m; c++) {
					text = cell[op[i], type[t], column[c]]
					if (text != "works" && !(text in number)) {
						reason[++reasons] = text
						number[text] = reasons
					}
					row = row " " (text == "works" ? text : number[text]) " |"
				}
				print row
			}
		print ""
		for (i = 1; i <= reasons; i++)
			print i ". " reason[i]
	}' "$work/cells" >"$table"
cp "$table" "$OUT/operations-${DRIVER:-rxe}.md"
check "some work" test "$(grep -o works "$table" | wc -l)" -gt 13

# The part of the page that is of this driver.
awk -v driver="${DRIVER:-rxe}" '/^<!-- made by/ { on = $0 ~ " " driver " "; next } /^<!-- end -->/ { on = 0 } on' \
	../../docs/operations.md >"$work/page"
if diff "$work/page" "$table" >"$work/diff"; then
	pass "docs/operations.md says the same"
else
	fail "docs/operations.md says the same" "$work/diff"
fi

# row TEXT OPTION...: "lat" alone has these. The row with this text says whether it works on this driver
row() {
	local text=$1 status=0 outcome cell
	shift
	# shellcheck disable=SC2086 # words
	kverbs lat $by_cm --size 8 --iters 200 "$@" >"$work/row" 2>&1 || status=$?
	case $status in
	0) outcome=works ;;
	77) outcome="refused (EOPNOTSUPP)" ;;
	*) outcome="fails, $(grep -oE '(status|error) [0-9]+' "$work/row" | head -n 1)" ;;
	esac
	cell=$(awk -F' [|] ' -v text="$text" -v driver="${DRIVER:-rxe}" '
		{ sub(/^[|] /, ""); sub(/ [|]$/, "") }
		$1 == text { print $(driver == "siw" ? 3 : 2) }' ../../docs/operations.md)
	case $cell in
	"$outcome" | "$outcome:"* | "$outcome,"*) pass "docs/operations.md: $text: $outcome" ;;
	*)
		echo "the page: '$cell', and here: '$outcome'" >>"$work/row"
		fail "docs/operations.md: $text: $outcome" "$work/row"
		;;
	esac
}
row "\`send-inv\` from the kernel to the kernel" --op send-inv --space kernel
row "\`send-inv\` from the kernel to user space" --op send-inv --client kernel --server user
row "\`send-inv --size 8 --inline 8\`" --op send-inv --space kernel --inline 8
row "\`send-inv\` from user space" --op send-inv --space user
row "\`read-inv\` from the kernel" --op read-inv --space kernel
row "\`read-inv\` from user space" --op read-inv --space user

# xrc SPACE: refused, because the device has none
xrc() {
	# shellcheck disable=SC2086 # words
	kverbs bw $by_cm --type xrc --space "$1" --size 8 >"$work/xrc" 2>&1
	test $? = 77 && grep -F "$1 space: $DEV has no XRC: its cap_flags lack bit 20, IBV_DEVICE_XRC" "$work/xrc"
}
for space in kernel user; do
	check "$space: no stream over XRC" xrc $space
done

finish
