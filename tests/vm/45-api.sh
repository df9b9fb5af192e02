# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The two APIs of libibverbs: ibv_post_send() and ibv_poll_cq(), ibv_wr_*() and ibv_start_poll().
. ./tap.sh

document=$work/document.json

if iwarp; then
	check "$DEV has no ibv_create_cq_ex: status 77" sh -c "kverbs lat $by_cm --op write --space user --api wr 2>'$work/err'; test \$? = 77"
	check "the refusal says what to take" grep -F "take --api post" "$work/err"
	finish
fi

for op in send send-imm write write-imm read fetch-add cmp-swp; do
	check "lat of $op" kverbs lat --op "$op" --space user --api wr --iters 100 --json="$document"
	holds "$op: verified, and the document says how it was posted" \
		'.point.verified and .point.result.samples == 100 and .point.result.api == "wr"'
	check "bw of $op" kverbs bw --op "$op" --space user --api wr --depth 32 --list 4 --signal 8 --duration 20ms --rounds 1 \
		--json="$document"
	holds "$op: groups of requests" ".points[0].user | .requests == 8 * .samples and .samples > 0 and .api == \"wr\""
done
# rxe of 6.1 has none, bit 40 of the capabilities.
if kverbs dev show "$DEV" --json | jq -e '.devices[0].user.cap_flags / 1099511627776 | floor % 2 == 1' >"$work/bit"; then
	for how in "lat --iters 100" "lat --iters 100 --completion event" "bw --depth 32 --list 4 --signal 8 --duration 20ms --rounds 1" \
		"bw --threads 2 --qps 3 --both-ways --depth 16 --duration 20ms --rounds 1"; do
		# shellcheck disable=SC2086 # words
		check "atomic-write: $how" kverbs $how --op atomic-write --space user --api wr --json="$document"
		holds "atomic-write: $how: verified" '[.point, .points[0]?] | map(select(. != null)) |
			length == 1 and .[0].verified and .[0].op == "atomic-write" and .[0].size_bytes == 8'
	done
	refused "atomic-write over UC" 77 "a uc qp takes send and write" kverbs lat --op atomic-write --type uc --space user --api wr
else
	refused "atomic-write that the device lacks" 77 "atomic_write needs user space, the api wr, and a device that has it" \
		kverbs lat --op atomic-write --space user --api wr
fi
for way in "kernel" "user" "user --api post"; do
	# shellcheck disable=SC2086 # words
	refused "atomic-write: --space $way" 77 "atomic_write needs user space, the api wr, and a device that has it" \
		kverbs lat --op atomic-write --space $way
done
refused "atomic-write of 16 bytes" 2 "--size 16 does not go with atomic-write, which has 8 bytes" \
	kverbs lat --op atomic-write --size 16 --space user --api wr
refused "atomic-write as a ping-pong" 2 "which the peer does not notice" kverbs lat --op atomic-write --loop pingpong --space user --api wr
check "send over UD" kverbs lat --op send --type ud --space user --api wr --iters 100
check "write over UC" kverbs lat --op write --type uc --space user --api wr --iters 100
check "an event" kverbs lat --op write --space user --api wr --completion event --iters 100
check "several QPs" kverbs bw --space user --api wr --qps 3 --depth 16 --duration 20ms --rounds 1
check "both ways, two threads" kverbs bw --space user --api wr --both-ways --threads 2 --depth 16 --duration 20ms --rounds 1
check "a server in the kernel" kverbs lat --op send --client user --server kernel --api wr --iters 100
check "compare, whose kernel has no choice" sh -c "kverbs compare --api wr --ops write --sizes 8 --rounds 1 --duration 100ms --notes \
	--json='$document' >'$work/out'"
holds "only user space's series names an API" '.points[0] | .user.api == "wr" and (.kernel | has("api") | not)'
check "the notes tell" grep -F "user: posted in process context by ibv_wr_*, local buffer" "$work/out"
check "by default" kverbs lat --op write --space user --iters 100 --json="$document"
holds "the API is post" '.point.result.api == "post"'

refused "an API of the kernel's" 2 "--api wr is user space's; the kernel has ib_post_send only" \
	kverbs lat --op write --space kernel --api wr
refused "bw likewise" 2 "--api wr is user space's" kverbs bw --space kernel --api wr
refused "compare likewise" 2 "--api wr is user space's" kverbs compare --self kernel --api wr

# Failures and the state after them are as with the other API: the completion's status tells.
check "a killed run leaves nothing" sh -c "kverbs lat --op write --space user --api wr --duration 60 & sleep 1; kill -KILL \$!; wait;
	kverbs lat --op write --space user --api wr --iters 100"
check "nothing is left" nothing_left
finish
