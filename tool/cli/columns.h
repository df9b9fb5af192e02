/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_COLUMNS_H
#define KV_CLI_COLUMNS_H

/* Columns of a terminal that does not report its width. */
#define KV_COLUMNS_DEFAULT 80

unsigned int kv_columns(int fd, unsigned int otherwise);

#endif
