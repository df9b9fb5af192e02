# SPDX-License-Identifier: MIT
# shellcheck shell=sh
kverbs batch "${folder:?}/documents/connected.kv" --trace
