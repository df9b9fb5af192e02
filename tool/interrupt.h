/* SPDX-License-Identifier: MIT */
#ifndef KV_INTERRUPT_H
#define KV_INTERRUPT_H

#include <stdbool.h>

int kv_interrupt_init(void);
bool kv_interrupt_seen(void);

#endif
