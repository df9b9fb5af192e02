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
 * enum kv_mr_state - what the device makes of the MR
 * @KV_MR_FREE: nobody has access by its keys
 * @KV_MR_REGISTERING: IB_WR_REG_MR is posted and has not completed
 * @KV_MR_VALID: registered
 * @KV_MR_INVALIDATING: IB_WR_LOCAL_INV is posted and has not completed
 * @KV_MR_UNKNOWN: a request failed otherwise than by a flush
 */
enum kv_mr_state {
	KV_MR_FREE,
	KV_MR_REGISTERING,
	KV_MR_VALID,
	KV_MR_INVALIDATING,
	KV_MR_UNKNOWN,
};

/**
 * struct kv_mr - a buffer, and the MR that can be registered over it
 * @obj: base; parent 0 is the PD
 * @ib: the verbs object, IB_MR_TYPE_MEM_REG
 * @buf: the buffer, zeroed when it was made
 * @length: its bytes as they were asked for
 * @dma: its DMA address, mapped for both directions
 * @max_access: KVERBS_ACCESS_*, what a registration may grant
 * @state: enum kv_mr_state; a completion ends REGISTERING and INVALIDATING, whether
 *	somebody waits for it or not, all else is dev->lock's
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
	int state;
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

struct kv_obj *kv_mr_create(struct kv_pd *pd, struct kv_owner *owner,
			    u64 length, u32 max_access,
			    struct netlink_ext_ack *extack);
int kv_mr_reg(struct kv_mr *mr, struct kv_qp *qp, u32 access, u64 offset,
	      u64 length, struct netlink_ext_ack *extack);
int kv_mr_inv(struct kv_mr *mr, struct kv_qp *qp,
	      struct netlink_ext_ack *extack);
bool kv_mr_coherent(const struct kv_mr *mr);
int kv_mr_check_range(const struct kv_mr *mr, u64 offset, u64 length,
		      struct netlink_ext_ack *extack);
void kv_mr_write(struct kv_mr *mr, u64 offset, const void *data, u32 length);
void kv_mr_read(struct kv_mr *mr, u64 offset, void *data, u32 length);
s64 kv_mr_move(struct kv_mr *mr, const struct kv_mr_file *file, bool save,
	       struct netlink_ext_ack *extack);

/**
 * kv_mr_registered() - is access granted by the MR's keys?
 * @mr: the MR
 *
 * Return: true from the completion of the registration on, until the invalidation is
 * posted.
 */
static inline bool kv_mr_registered(const struct kv_mr *mr)
{
	return READ_ONCE(mr->state) == KV_MR_VALID;
}

extern struct kv_obj_class kv_mr_class;

#endif
