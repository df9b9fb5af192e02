#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: tests/races.sh KERNEL FILE     KERNEL: 6.12-kcsan; FILE: mistake.ko for it (make fail-verb)
#
# A kernel with KCSAN does what it is booted for: a data race that is made on purpose is reported. If it is of a
# module of ours, scripts/vm fails; if it is somebody else's, it is named. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# The same module by another name, of as many letters.
sed 's/mistake/foreign/g' "$2" >"$work/foreign.ko"
cp "$2" "$work/mistake.ko"

cat >"$work/make" <<'END'
insmod "/$1.ko"
# KCSAN looks at some accesses only.
for try in 1 2 3 4 5 6 7 8 9 10; do
	echo race >"/sys/module/$1/parameters/make"
	! dmesg | grep -q "KCSAN: data-race in .*\[$1\]" || exit 0
done
echo "no report"
exit 1
END

for name in mistake foreign; do
	status=0
	scripts/vm --kernel "$1" --cpus 2 --no-rdma --no-module --file "$work/$name.ko:/$name.ko" --file "$work/make:/make" \
		-- sh /make "$name" >"$work/said" 2>&1 || status=$?
	case $name in
	mistake)
		result $((status != 126)) "scripts/vm ends with 126 if a data race is of a module of ours" "$work/said"
		;;
	foreign)
		result $((status != 0)) "and with COMMAND's status if none is" "$work/said"
		status=0
		grep -qE '^ +[0-9]+ data-race in (race|count) \[foreign\]' "$work/said" || status=1
		result $status "but it is named" "$work/said"
		;;
	esac
done
finish
