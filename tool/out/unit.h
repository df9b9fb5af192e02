/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>

bool kv_unit_counts(void);
const char *kv_unit_name(void);
double kv_unit_of(double ns);
