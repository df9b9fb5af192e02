# SPDX-License-Identifier: MIT
# shellcheck shell=sh
kverbs compare --ops write --sizes 64 --rounds 6 --time 1s
