/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_UNIT_H
#define KV_OUT_UNIT_H

#include <stdbool.h>

bool kv_unit_counts(void);
const char *kv_unit_name(void);
double kv_unit_of(double ns);

#endif
