/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_NAME_H
#define KV_FILE_NAME_H

#include "cli/parse.h"

/* Bytes, without the end. */
#define KV_FILE_NAME_MAX 255

int kv_file_name_check(const char *name, struct kv_why *why);

#endif
