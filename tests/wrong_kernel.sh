#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: tests/wrong_kernel.sh [KERNEL KERNEL…]     default: 6.1 6.12
#
# Each kernel refuses the modules of the others, in words that docs/troubleshooting.md quotes. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

kernels=("$@")
((${#kernels[@]})) || kernels=(6.1 6.12)

# guest KERNEL OPTION… -- COMMAND…
guest() {
	local kernel=$1
	shift
	scripts/vm --kernel "$kernel" --cpus 1 --no-module --no-rdma "$@"
}

# Each guest gets the modules that the others would load.
mkdir "$work/modules"
for kernel in "${kernels[@]}"; do
	# shellcheck disable=SC2016 # for the guest
	guest "$kernel" --out "$work/out" -- sh -c 'cp "$KO" "$OUT/"'
	mv "$work/out/kverbs.ko" "$work/modules/$kernel.ko"
done

cat >"$work/insert" <<'END'
for module in /modules/*.ko; do
	name=${module##*/}
	dmesg -c >/dev/null
	insmod "$module" >"$OUT/${name%.ko}.said" 2>&1 && rmmod kverbs
	dmesg | grep kverbs | sed 's/^\[[^]]*\] //' | sort -u >"$OUT/${name%.ko}.dmesg"
done
END

# refuses FOLDER OTHER: insmod has said so, and all that the kernel said of it stands in docs/troubleshooting.md, with "…" for
# the parts that depend on the kernels' versions
refuses() {
	local line
	grep -F 'invalid module format' "$1/$2.said" || return
	[[ -s $1/$2.dmesg ]] || return
	while IFS= read -r line; do
		echo "$line"
		grep -qF -- "\`$line\`" docs/troubleshooting.md || return
	done < <(sed "s/'[0-9][^']*'/'…'/g" "$1/$2.dmesg")
}

for kernel in "${kernels[@]}"; do
	guest "$kernel" --out "$work/out-$kernel" --file "$work/modules:/modules" --file "$work/insert:/insert" -- sh /insert
	status=0
	[[ ! -s $work/out-$kernel/$kernel.said ]] || status=1
	result $status "$kernel takes its module" "$work/out-$kernel/$kernel.said"
	for other in "${kernels[@]}"; do
		[[ $other != "$kernel" ]] || continue
		status=0
		refuses "$work/out-$kernel" "$other" >"$work/log" || status=1
		result $status "$kernel refuses a module for $other as docs/troubleshooting.md says" "$work/log"
	done
done
finish
