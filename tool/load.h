/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

void *kv_load(const char *name, const char *symbol, char *err, size_t size);
