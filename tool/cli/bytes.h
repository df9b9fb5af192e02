/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_BYTES_H
#define KV_CLI_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include "cli/parse.h"

/* Bytes as people type and read them. */

/* What kv_bytes_text() and kv_bytes_hex() write of so many bytes, with its end. */
#define KV_BYTES_TEXT(n) (4 * (n) + 1)
#define KV_BYTES_HEX(n) (2 * (n) + 1)

int kv_bytes_parse_hex(const char *hex, uint8_t *bytes, struct kv_why *why);
size_t kv_bytes_text(char *text, const uint8_t *bytes, size_t n);
size_t kv_bytes_hex(char *text, const uint8_t *bytes, size_t n);

#endif
