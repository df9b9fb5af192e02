# SPDX-License-Identifier: MIT
# shellcheck shell=sh
rmmod kverbs
