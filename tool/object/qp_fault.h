/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_QP_FAULT_H
#define KV_OBJECT_QP_FAULT_H

#include "batch/session.h"

int kv_qp_fault_step(struct kv_session *s, int error, struct kv_fault *f);
int kv_qp_fault_modify(struct kv_session *s, uint32_t id, const struct kv_qp_attr *attr, int error,
		       struct kv_fault *f);

#endif
