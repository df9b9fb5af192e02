// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define SGE(member, NAME, ...) \
	KV_NL_FIELD(struct kv_sge, member, KVERBS_A_SGE_##NAME, #member, ##__VA_ARGS__)
#define WR(member, NAME, ...) \
	KV_NL_FIELD(struct kv_wr, member, KVERBS_A_WR_##NAME, #member, ##__VA_ARGS__)

static const struct kv_nl_field sge_fields[] = {
	SGE(mr, MR, KV_NL_UNLESS_0),
	SGE(offset, OFFSET),
	SGE(length, LENGTH),
	SGE(lkey, LKEY),
};

static const struct kv_nl_table sge_table = KV_NL_TABLE(sge_fields);

static const struct kv_nl_field wr_fields[] = {
	WR(qp, QP, KV_NL_UNLESS_0),
	WR(srq, SRQ, KV_NL_UNLESS_0),
	WR(op, OP),
	WR(wr_id, WR_ID),
	WR(flags, FLAGS),
	WR(imm, IMM, KV_NL_IF(struct kv_wr, has_imm)),
	KV_NL_MANY(struct kv_wr, sge, sges, KVERBS_A_WR_SGE, "sge", &sge_table),
	WR(remote_addr, REMOTE_ADDR, KV_NL_IF(struct kv_wr, has_remote)),
	WR(remote_key, REMOTE_KEY, KV_NL_IF(struct kv_wr, has_remote)),
	WR(compare_add, COMPARE_ADD, KV_NL_UNLESS_0),
	WR(swap, SWAP, KV_NL_UNLESS_0),
	WR(ah, AH, KV_NL_UNLESS_0),
	WR(remote_qpn, REMOTE_QPN, KV_NL_UNLESS_0),
};

/* With an AH even 0. */
static const struct kv_nl_field qkey_fields[] = {
	WR(remote_qkey, REMOTE_QKEY),
};

static const struct kv_nl_table wr_table = KV_NL_TABLE(wr_fields);
static const struct kv_nl_table qkey_table = KV_NL_TABLE(qkey_fields);
static const struct kv_nl_table *const names[] = {
	&wr_table, &qkey_table, NULL,
};

static const struct kv_nl_noun kv_nl_wr = {
	.what = "kernel post",
	.names = names,
	.verb_ns = KVERBS_A_WR_VERB_NS,
};

static void put_qkey(struct nl_msg *msg, const void *in)
{
	const struct kv_wr *wr = in;

	if (wr->ah || wr->remote_qkey)
		kv_nl_put(msg, &qkey_table, wr);
}

const struct kv_nl_op kv_nl_op_post = {
	.noun = &kv_nl_wr,
	.cmd = KVERBS_CMD_WR_POST,
	.in = &wr_table,
	.put = put_qkey,
};
