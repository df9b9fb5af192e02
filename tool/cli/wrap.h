/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_WRAP_H
#define KV_CLI_WRAP_H

/* Help in lines of up to 79 columns. */

void kv_wrap(const char *text, int indent, int column);
void kv_wrap_row(const char *left, const char *right, int column);

#endif
