/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_CONNECT_H
#define KV_OBJECT_CONNECT_H

#include "batch/session.h"

/**
 * struct kv_connect_args - what 'qp connect' takes
 * @given: the QP, and which attributes were named: bits of KV_QPA_* and one more
 * @peer: its address
 * @attr: the attributes, with their defaults
 */
struct kv_connect_args {
	struct kv_given given;
	struct kv_address peer;
	struct kv_qp_attr attr;
};

extern const struct kv_key kv_connect_key[];
extern const struct kv_connect_args kv_connect_init;

int kv_connect_dev(struct kv_session *s, const struct kv_qp *qp,
		   struct kv_dev *dev, struct kv_fault *f);
int kv_connect_gid(const struct kv_dev *dev, int index,
		   const struct kv_gid **gid, struct kv_fault *f);
int kv_connect(struct kv_session *s, const void *args,
	       struct json_object *result, struct kv_fault *f);

#endif
