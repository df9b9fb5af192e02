/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_BUF_H
#define _KV_RULES_BUF_H

#include <kverbs.h>
#include "refusal.h"

/* Rules about the bytes of a buffer that a command names, or that an MR is registered over. */

/* The default of MAX_PAGES, on devices whose registrations can have so many pages. */
#define KV_MR_MAX_PAGES 256

/**
 * struct kv_reg_facts - the parameters of a registration
 * @buffer: bytes of the buffer
 * @offset: first byte
 * @length: bytes
 * @page_size: of the device's pages, kv_reg_page_size()
 * @max_pages: the MR's max_pages
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
int kv_buf_check_node(bool has_memory, struct kv_refusal *why);
int kv_buf_check_pieces(__u64 pieces, __u64 units, __u32 unit, struct kv_refusal *why);
int kv_buf_check_length(__u64 length, struct kv_refusal *why);
int kv_buf_rules_check_range(__u64 buffer, __u64 offset, __u64 length, struct kv_refusal *why);
int kv_reg_check(const struct kv_reg_facts *reg, struct kv_refusal *why);

#endif
