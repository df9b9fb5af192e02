/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_BUF_H
#define _KV_RULES_BUF_H

#include <kverbs.h>
#include "refusal.h"

/* Which bytes of a buffer a command can name, and which an MR can be registered over. */

/* Pages that a registration may have if MAX_PAGES is not there, on devices that have so many. */
#define KV_MR_MAX_PAGES 256

/**
 * struct kv_reg_facts - a registration that is asked for
 * @buffer: bytes of the buffer
 * @offset: first byte
 * @length: bytes
 * @page_size: of the device's pages, kv_reg_page_size()
 * @max_pages: what the MR was made with
 * @access: KVERBS_ACCESS_*
 * @atomic: the device has atomic operations
 */
struct kv_reg_facts {
	__u64 buffer;
	__u64 offset;
	__u64 length;
	__u32 page_size;
	__u32 max_pages;
	__u32 access;
	bool atomic;
};

__u32 kv_reg_page_size(__u64 cap, __u32 page);
int kv_buf_rules_check_range(__u64 buffer, __u64 offset, __u64 length, struct kv_refusal *why);
int kv_reg_check(const struct kv_reg_facts *reg, struct kv_refusal *why);

#endif
