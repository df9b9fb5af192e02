/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_LOOP_SHARED_H
#define _KV_LOOP_SHARED_H

/* The histogram's part of the loops' environment; the contract is in loop/loop.h. */

#include <linux/compiler.h>
#include <linux/instrumented.h>
#include <linux/types.h>

#define kv_env_get(from) READ_ONCE(*(from))
#define kv_env_set(to, value) WRITE_ONCE(*(to), value)

/* One instruction without a lock prefix: the counter has one writer. */
static inline void kv_env_add(__u64 *to, __u64 n)
{
#ifdef CONFIG_X86_64
	instrument_atomic_read_write(to, sizeof(*to));
	asm("addq %1, %0" : "+m" (*to) : "er" (n));
#else
	WRITE_ONCE(*to, *to + n);
#endif
}

#endif
