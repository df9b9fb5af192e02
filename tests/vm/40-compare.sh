# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

check "compare works" sh -c "kverbs compare --ops write,fetch-add --sizes 8,4k --time 400ms \
	--json '$work/compare.json' >'$work/compare' 2>'$work/stderr'"
check "it prints a row for each operation and size" \
	sh -c "test \$(grep -cE '^(write|fetch-add) .*(faster|no difference|too few)' '$work/compare') = 3"
check "it says what the figures are" grep -F 'from before the post until its completion was polled' "$work/compare"
check "it says how sure they are" grep -F 'bootstrap' "$work/compare"
check "it says where requests are posted" grep -F 'softirqs held off' "$work/compare"
check "no progress bar without a terminal" test ! -s "$work/stderr"
for key in schema_version complete capsule histogram kernel user verdict; do
	check "JSON has $key" grep -F "\"$key\"" "$work/compare.json"
done
check "few blocks, no verdict" \
	sh -c "kverbs compare --ops write --sizes 8 --blocks 2 --time 1 | grep -q 'too few blocks'"
cp "$work/compare.json" "$OUT/compare.json"
check "nothing of all this is left" nothing_left
finish
