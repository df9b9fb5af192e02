# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016
{
	cat "${folder:?}/documents/connected.kv"
	echo 'buf add length 4k name source'
	echo 'mr add pd dom name s'
	echo 'mr reg s buf source length 4096 qp a access remote-read'
	echo 'refused ETIMEDOUT poll cq c count 1 timeout 20ms'
	echo 'refused EINVAL ah add pd dom dgid 2001:db8::99'
	echo 'refused ENOENT pd del 999'
} | kverbs batch - --trace
