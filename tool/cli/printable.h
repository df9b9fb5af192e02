/* SPDX-License-Identifier: MIT */
#ifndef KV_PRINTABLE_H
#define KV_PRINTABLE_H

const char *kv_printable_check(const char *text);

#endif
