#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: tests/adding.sh [NAME…]     default: attribute operation object
#
# Applies each patch of docs/adding.md to a copy of the tree, builds it, and uses in a guest what the patch
# adds, in both spaces. TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/tap.bash

# How many files of tool/ it may touch.
declare -rA most=([attribute]=2 [operation]=4 [object]=5)

names=("$@")
((${#names[@]})) || names=(attribute operation object)

# Runs a command in the copy: one result.
in_copy() {
	local name=$1 status=0
	shift
	(cd "$copy" && "$@") >"$work/log" 2>&1 || status=$?
	result "$status" "$name" "$work/log"
}

# shellcheck disable=SC2016,SC2317 # the guest's shell expands it; in_copy calls it
use() {
	scripts/vm --cpus 1 --file "docs/adding/$1.kv" -- \
		sh -c 'kverbs batch "$0" --space kernel && kverbs batch "$0" --space user' "$1.kv"
}

for name in "${names[@]}"; do
	copy=$work/$name
	mkdir "$copy"
	tar -c --exclude=./build --exclude=./.git . | tar -x -C "$copy"
	patch=docs/adding/$name.patch
	files=$(grep -c '^+++ b/tool/' "$patch")
	lines=$(grep -cE '^\+([^+]|$)' "$patch")
	in_copy "$name: the patch applies" git apply "$patch"
	in_copy "$name: header and spec say the same" tests/abi/spec_header.py
	in_copy "$name: no number of the interface has changed" tests/abi/frozen.py
	in_copy "$name: used in both spaces" use "$name"
	in_copy "$name: no more than ${most[$name]} files of tool/" test "$files" -le "${most[$name]}"
	in_copy "$name: $files files of tool/ and $lines lines, as docs/adding.md says" \
		grep -qE "^\| \[$name\]\(.*\| $files \| $lines \|$" docs/adding.md
	rm -rf "$copy"
done
finish
