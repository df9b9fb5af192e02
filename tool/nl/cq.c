// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_CQ_##NAME, __VA_ARGS__)
#define WC(member, NAME, ...) \
	KV_NL_FIELD(struct kv_wc, member, KVERBS_A_WC_##NAME, NULL, ##__VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_cq_init, dev, DEV, "device"),
	FIELD(struct kv_cq_init, cqe, CQE, "cqe"),
	FIELD(struct kv_cq_init, comp_vector, COMP_VECTOR, "comp_vector"),
	FIELD(struct kv_cq_init, context, CONTEXT, "context"),
	FIELD(struct kv_cq_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_cq, id, ID, "cq"),
	FIELD(struct kv_cq, dev, DEV, "device"),
	FIELD(struct kv_cq, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_cq, cqe, CQE, "cqe"),
	FIELD(struct kv_cq, comp_vector, COMP_VECTOR, "comp_vector"),
	FIELD(struct kv_cq, context, CONTEXT, "context"),
	FIELD(struct kv_cq, pending, PENDING, NULL),
};

static const struct kv_nl_field wc_fields[] = {
	WC(wr_id, WR_ID),
	WC(status, STATUS),
	WC(vendor_err, VENDOR_ERR),
	WC(op, OP),
	WC(qp, QP),
	WC(length, LENGTH, KV_NL_IF(struct kv_wc, has_length)),
	WC(imm, IMM, KV_NL_IF(struct kv_wc, has_imm)),
	WC(src_qpn, SRC_QPN, KV_NL_IF(struct kv_wc, has_src_qpn)),
	WC(grh, GRH),
};

static const struct kv_nl_table wc_table = KV_NL_TABLE(wc_fields);

static const struct kv_nl_field polled_fields[] = {
	KV_NL_MANY(struct kv_polled, wc, n, KVERBS_A_CQ_WC, NULL, &wc_table),
};

static const struct kv_nl_field poll_fields[] = {
	FIELD(struct kv_cq_poll, max, MAX_WC, "max"),
};

static const struct kv_nl_field arm_fields[] = {
	FIELD(struct kv_cq_arm, solicited, SOLICITED, "solicited"),
};

static const struct kv_nl_field armed_fields[] = {
	FIELD(struct kv_armed, missed, MISSED, NULL),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table poll_table = KV_NL_TABLE(poll_fields);
static const struct kv_nl_table polled = KV_NL_TABLE(polled_fields);
static const struct kv_nl_table arm = KV_NL_TABLE(arm_fields);
static const struct kv_nl_table armed = KV_NL_TABLE(armed_fields);
static const struct kv_nl_table *const names[] = { &object, &poll_table, &arm, NULL };

KV_NL_NOUN(CQ, cq);
KV_NL_OBJECT_OPS(CQ, cq);

const struct kv_nl_op kv_nl_op_poll = {
	.noun = &kv_nl_cq,
	.what = "kernel cq poll",
	.cmd = KVERBS_CMD_CQ_POLL,
	.by_id = true,
	.in = &poll_table,
	.out = &polled,
	.size = sizeof(struct kv_polled),
};

const struct kv_nl_op kv_nl_op_arm = {
	.noun = &kv_nl_cq,
	.what = "kernel cq arm",
	.cmd = KVERBS_CMD_CQ_ARM,
	.by_id = true,
	.in = &arm,
	.out = &armed,
	.size = sizeof(struct kv_armed),
};
