/* SPDX-License-Identifier: MIT */
#pragma once

/* The part of the loops' environment that the histogram needs; loop/loop.h has the contract. */

#include <linux/types.h>

#define kv_env_get(from) __atomic_load_n(from, __ATOMIC_RELAXED)
#define kv_env_set(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)

/* One instruction, without a LOCK prefix: the counter has one writer. */
static inline void kv_env_add(__u64 *to, __u64 n)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*to) : "er"(n));
#else
	__atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
#endif
}
