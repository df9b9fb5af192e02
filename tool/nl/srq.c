// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_SRQ_##NAME, __VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_srq_init, pd, PD, "pd", KV_NL_UNLESS_0),
	FIELD(struct kv_srq_init, max_wr, MAX_WR, "max_wr"),
	FIELD(struct kv_srq_init, max_sge, MAX_SGE, "max_sge"),
	FIELD(struct kv_srq_init, limit, LIMIT, "limit"),
	FIELD(struct kv_srq_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_srq, id, ID, "srq"),
	FIELD(struct kv_srq, dev, DEV, "device"),
	FIELD(struct kv_srq, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_srq, pd, PD, "pd"),
	FIELD(struct kv_srq, max_wr, MAX_WR, "max_wr"),
	FIELD(struct kv_srq, max_sge, MAX_SGE, "max_sge"),
	FIELD(struct kv_srq, limit, LIMIT, "limit"),
};

static const struct kv_nl_field attr_fields[] = {
	FIELD(struct kv_srq_attr, limit, LIMIT, "limit",
	      KV_NL_IF(struct kv_srq_attr, has_limit)),
	FIELD(struct kv_srq_attr, max_wr, MAX_WR, "max_wr",
	      KV_NL_IF(struct kv_srq_attr, has_max_wr)),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table attr = KV_NL_TABLE(attr_fields);
static const struct kv_nl_table *const names[] = { &object, NULL };

KV_NL_NOUN(SRQ, srq);
KV_NL_OBJECT_OPS(SRQ, srq);

const struct kv_nl_op kv_nl_op_srq_modify = {
	.noun = &kv_nl_srq,
	.cmd = KVERBS_CMD_SRQ_MODIFY,
	.by_id = true,
	.in = &attr,
	.out = &object,
	.size = sizeof(struct kv_srq),
};
