#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Exercise 10 of docs/exercises.md: which of the two spaces is dearer, and by how much?
#
#     sh exercises/10-dearer.sh FILE
#
# FILE is a batch, 01-objects.kv for instance. Prints, of each command whose verb was timed in both spaces, the medians
# of 20 rounds in ns, and what the space that takes longer takes more.
set -e
kverbs batch "$1" --space both --repeat 20 --json | jq -r '
	.times[] | select(.kernel_ns and .user_ns) | [.command, .kernel_ns, .user_ns,
		if .user_ns > .kernel_ns then "user dearer by", (100 * .user_ns / .kernel_ns - 100 | round)
		else "kernel dearer by", (100 * .kernel_ns / .user_ns - 100 | round) end, "%"] | map(tostring) | join(" ")'
