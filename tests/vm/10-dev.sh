# SPDX-License-Identifier: MIT
# shellcheck shell=dash
. ./tap.sh

check "dev show works" kverbs dev show
kverbs dev show >"$work/all" 2>&1
for word in "$DEV" kernel user "active (4)" "RoCE v2" "fast registration"; do
	check "dev show says: $word" grep -F "$word" "$work/all"
done
check "dev show shows the IPv4 address's GID" grep -F "::ffff:$ADDR" "$work/all"
check "dev show shows the IPv6 address's GID" grep -F "$ADDR6" "$work/all"
check "dev show of one device" kverbs dev show "$DEV"
check "dev show as JSON" sh -c "kverbs dev show --json | grep -q '\"$DEV\"'"
finish
