/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_MR_H
#define _KV_MR_H

#include "obj.h"

struct ib_mr;
struct kv_buf;
struct kv_qp;

/* The objects that an MR uses: its parents by slot. */
enum kv_mr_parent {
	KV_MR_PD,
	KV_MR_BUF,
};

/**
 * enum kv_mr_state - the state of the MR at the device
 * @KV_MR_FREE: its keys grant no access; it is in this state, too, once a completion that tells of
 *	its invalidation was returned
 * @KV_MR_REGISTERING: IB_WR_REG_MR is posted and has not completed
 * @KV_MR_VALID: registered
 * @KV_MR_INVALIDATING: IB_WR_LOCAL_INV is posted and has not completed
 * @KV_MR_RUN: a run that is active registers it again and again
 * @KV_MR_UNKNOWN: a request failed, other than by a flush; or the peer has invalidated this key, or
 *	an older one of the same number
 */
enum kv_mr_state {
	KV_MR_FREE,
	KV_MR_REGISTERING,
	KV_MR_VALID,
	KV_MR_INVALIDATING,
	KV_MR_RUN,
	KV_MR_UNKNOWN,
};

/**
 * struct kv_mr - a memory region that can be registered over a buffer
 * @obj: base; parents as enum kv_mr_parent says. The buffer is the one that the MR is, or may
 *	be, registered over
 * @ib: the verbs object, IB_MR_TYPE_MEM_REG
 * @max_pages: pages that a registration may have
 * @state: enum kv_mr_state; a completion ends REGISTERING and INVALIDATING, whether a
 *	caller waits for it or not. All other changes are under dev->lock
 * @access: KVERBS_ACCESS_* of the registration; dev->lock
 * @offset: first registered byte of the buffer; dev->lock
 * @length: registered bytes; dev->lock
 * @run_qp: the QP whose requests of a run have registered it, until that QP is reset or gone, or
 *	another run begins with the MR; dev->lock
 * @run_buf: the buffer that these requests name, which @run_qp holds; dev->lock
 */
struct kv_mr {
	struct kv_obj obj;
	struct ib_mr *ib;
	u32 max_pages;
	int state;
	u32 access;
	u64 offset;
	u64 length;
	struct kv_qp *run_qp;
	struct kv_buf *run_buf;
};

/* A key has 8 bits that ib_update_fast_reg_key() sets: from here on the same may come again. */
#define KV_MR_KEYS 256

/**
 * struct kv_mr_reg - the parameters of a registration
 * @buf: the buffer, of the MR's device
 * @offset: first byte
 * @length: bytes
 * @access: KVERBS_ACCESS_*
 * @post_context: enum kverbs_post_context, of the request
 */
struct kv_mr_reg {
	struct kv_buf *buf;
	u64 offset;
	u64 length;
	u32 access;
	u32 post_context;
};

struct kv_obj *kv_mr_create(const struct kv_new *new, u32 max_pages);
int kv_mr_check_state(const struct kv_mr *mr, enum kv_mr_state wanted,
		      struct netlink_ext_ack *extack);
int kv_mr_check_buf(const struct kv_mr *mr, const struct kv_buf *buf,
		    struct netlink_ext_ack *extack);
int kv_mr_prepare(struct kv_mr *mr, const struct kv_mr_reg *reg, struct netlink_ext_ack *extack);
u32 kv_mr_access(const struct kv_mr *mr, u32 access);
int kv_mr_begin_run(struct kv_mr *mr, struct kv_qp *qp, const struct kv_mr_reg *reg,
		    struct netlink_ext_ack *extack);
void kv_mr_end_run(struct kv_mr *mr, const struct kv_qp *qp, bool clean);
void kv_mr_leave_run(struct kv_qp *qp);

/* mr_request.c */
int kv_mr_reg(struct kv_mr *mr, struct kv_qp *qp, const struct kv_mr_reg *reg,
	      struct netlink_ext_ack *extack);
int kv_mr_inv(struct kv_mr *mr, struct kv_qp *qp, u32 post_context, struct netlink_ext_ack *extack);

/**
 * kv_mr_registered() - is access granted by the MR's keys?
 * @mr: the MR
 *
 * Return: true from the completion of the registration on, until the invalidation is
 * posted, or a completion was returned that tells of an invalidation by the peer.
 */
static inline bool kv_mr_registered(const struct kv_mr *mr)
{
	return READ_ONCE(mr->state) == KV_MR_VALID;
}

/**
 * kv_mr_in_run() - does an active run register the MR again and again?
 * @mr: the MR
 */
static inline bool kv_mr_in_run(const struct kv_mr *mr)
{
	return READ_ONCE(mr->state) == KV_MR_RUN;
}

/**
 * kv_mr_over() - is access granted to a buffer by the MR's keys?
 * @mr: the MR
 * @buf: the buffer's object
 *
 * Return: true if the MR is registered over this one.
 */
static inline bool kv_mr_over(const struct kv_mr *mr, const struct kv_obj *buf)
{
	return kv_mr_registered(mr) && mr->obj.parents[KV_MR_BUF] == buf;
}

extern struct kv_obj_class kv_mr_class;

#endif
