/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_QP_KEY_H
#define KV_OBJECT_QP_KEY_H

#include "object/args.h"

/* Beside those of KV_QPA_*, which say what is in struct kv_qp_attr. */
#define KV_QP_HAS_DGID (1U << 28)
#define KV_QP_HAS_SGID_INDEX (1U << 29)
#define KV_QP_HAS_ALT_DGID (1U << 30)
#define KV_QP_HAS_ALT_SGID_INDEX (1U << 31)

/**
 * struct kv_qp_args - attributes of a QP as 'qp modify' reads them
 * @given: its bits say which of @attr are there
 * @attr: the attributes
 */
struct kv_qp_args {
	struct kv_given given;
	struct kv_qp_attr attr;
};

/* A key for each attribute; the order is that in which they are printed. */
extern const struct kv_key kv_qp_key[];

void kv_qp_args_fill(struct kv_qp_args *args, const struct kv_qp_attr *attr);
void kv_qp_args_take(const struct kv_qp_args *args, struct kv_qp_attr *attr);

#endif
