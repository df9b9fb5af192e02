/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_PRINTABLE_H
#define KV_CLI_PRINTABLE_H

const char *kv_printable_check(const char *text);

#endif
