/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_MR_H
#define _KV_MR_H

#include <linux/sizes.h>
#include "obj.h"

struct file;
struct ib_mr;
struct kv_pd;
struct kv_qp;
struct netlink_ext_ack;

/* A buffer is one physically contiguous piece: the page allocator's limit. */
#define KV_MR_BYTES_MAX SZ_4M

/**
 * struct kv_mr - a buffer, and the MR that can be registered over it
 * @obj: base; parent 0 is the PD
 * @ib: the verbs object, IB_MR_TYPE_MEM_REG
 * @buf: the buffer, zeroed when it was made
 * @length: its bytes as they were asked for
 * @dma: its DMA address, mapped for both directions
 * @max_access: KVERBS_ACCESS_*, what a registration may grant
 * @registered: IB_WR_REG_MR has completed, IB_WR_LOCAL_INV has not; dev->lock
 * @access: KVERBS_ACCESS_* of the registration; dev->lock
 * @offset: first registered byte; dev->lock
 * @reg_length: registered bytes; dev->lock
 */
struct kv_mr {
	struct kv_obj obj;
	struct ib_mr *ib;
	void *buf;
	size_t length;
	u64 dma;
	u32 max_access;
	bool registered;
	u32 access;
	u64 offset;
	u64 reg_length;
};

/**
 * struct kv_mr_file - bytes that go between a buffer and a file
 * @file: a regular one
 * @pos: first byte in the file
 * @offset: first byte in the buffer; checked, as is @length
 * @length: bytes
 */
struct kv_mr_file {
	struct file *file;
	loff_t pos;
	u64 offset;
	u64 length;
};

struct kv_mr *kv_mr_create(struct kv_pd *pd, const struct kv_owner *owner,
			   u64 length, u32 max_access,
			   struct netlink_ext_ack *extack);
int kv_mr_reg(struct kv_mr *mr, struct kv_qp *qp, u32 access, u64 offset,
	      u64 length, struct netlink_ext_ack *extack);
int kv_mr_inv(struct kv_mr *mr, struct kv_qp *qp,
	      struct netlink_ext_ack *extack);
int kv_mr_check_range(const struct kv_mr *mr, u64 offset, u64 length,
		      struct netlink_ext_ack *extack);
void kv_mr_write(struct kv_mr *mr, u64 offset, const void *data, u32 length);
void kv_mr_read(struct kv_mr *mr, u64 offset, void *data, u32 length);
s64 kv_mr_load(struct kv_mr *mr, const struct kv_mr_file *from,
	       struct netlink_ext_ack *extack);
s64 kv_mr_save(struct kv_mr *mr, const struct kv_mr_file *to,
	       struct netlink_ext_ack *extack);

extern const struct kv_obj_ops kv_mr_ops;

#endif
