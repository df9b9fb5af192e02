# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

check "dev show works" kverbs dev show
kverbs dev show >"$work/all" 2>&1
type="RoCE v2"
! iwarp || type=iWARP
for word in "$DEV" kernel user "active (4)" "$type" "fast registration"; do
	check "dev show says: $word" grep -F "$word" "$work/all"
done
if iwarp; then
	# Before Linux 6.5 or so the kernel names no netdev beside the GID.
	check "dev show shows the GID with its netdev" \
		grep -E "^ *0 200:c000:201:: +iWARP +d0 +both" "$work/all"
	for space in kernel user; do
		# shellcheck disable=SC2016 # for the batch
		check "the address of its netdev is that of the device in $space space" \
			sh -c "echo 'echo \$dev.addr' | kverbs batch - --space $space | grep -Fx ::ffff:$ADDR"
	done
fi
lacks "dev show shows the IPv4 address's GID" "GID of an address" ||
	check "dev show shows the IPv4 address's GID" grep -F "::ffff:$ADDR" "$work/all"
lacks "dev show shows the IPv6 address's GID" "GID of an address" ||
	check "dev show shows the IPv6 address's GID" grep -F "$ADDR6" "$work/all"
check "dev show of one device" kverbs dev show "$DEV"
check "dev show as JSON" sh -c "kverbs dev show --json | grep -q '\"$DEV\"'"
finish
