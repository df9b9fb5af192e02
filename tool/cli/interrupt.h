/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int kv_interrupt_init(void);
bool kv_interrupt_seen(void);
bool kv_interrupt_forget(void);
int kv_interrupt_status(int status);
bool kv_interrupt_retry(ssize_t result);
void kv_interrupt_stops(int *flag);
int kv_interrupt_wait_ms(uint64_t end_ns);
