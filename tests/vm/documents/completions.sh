# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016
{
	cat "${folder:?}/documents/connected.kv"
	echo 'post send-imm qp a sge mr m length 5 imm 7 wr-id 2'
	echo 'poll cq d count 1'
	echo 'poll cq c count 1'
	echo 'post write qp a sge mr m length 8 remote-addr $t.iova remote-key 0xbad wr-id 3'
	echo 'poll cq c count 1'
} | kverbs batch -
