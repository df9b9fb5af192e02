// SPDX-License-Identifier: MIT
#include "nl/msg.h"
#include "qp_table.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_QP_##NAME, __VA_ARGS__)
#define INIT(member, NAME, ...) \
	FIELD(struct kv_qp_init, member, NAME, #member, ##__VA_ARGS__)
#define QP(member, NAME, ...) FIELD(struct kv_qp, member, NAME, ##__VA_ARGS__)
#define ATTR(member, NAME, known, mask_bit, ...) \
	FIELD(struct kv_qp_attr, member, NAME, known, KV_NL_BIT(mask_bit), ##__VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	INIT(pd, PD, KV_NL_UNLESS_0),
	INIT(type, TYPE),
	INIT(send_cq, SEND_CQ, KV_NL_UNLESS_0),
	INIT(recv_cq, RECV_CQ, KV_NL_UNLESS_0),
	INIT(srq, SRQ, KV_NL_UNLESS_0),
	INIT(max_send_wr, MAX_SEND_WR),
	INIT(max_send_sge, MAX_SEND_SGE),
	INIT(max_inline, MAX_INLINE),
	INIT(sq_sig_all, SQ_SIG_ALL),
	INIT(persistent, PERSISTENT),
};

static const struct kv_nl_field own_recv_fields[] = {
	INIT(max_recv_wr, MAX_RECV_WR),
	INIT(max_recv_sge, MAX_RECV_SGE),
};

/* With an SRQ, whose they are. */
static const struct kv_nl_field srq_recv_fields[] = {
	INIT(max_recv_wr, MAX_RECV_WR, KV_NL_UNLESS_0),
	INIT(max_recv_sge, MAX_RECV_SGE, KV_NL_UNLESS_0),
};

static const struct kv_nl_field attr_fields[] = {
	ATTR(state, STATE, "state", KV_QPA_STATE),
	ATTR(cur_state, CUR_STATE, "cur_state", KV_QPA_CUR_STATE),
	ATTR(access, ACCESS, "access", KV_QPA_ACCESS),
	ATTR(port, PORT, "port", KV_QPA_PORT),
	ATTR(pkey_index, PKEY_INDEX, "pkey_index", KV_QPA_PKEY_INDEX),
	ATTR(qkey, QKEY, "qkey", KV_QPA_QKEY),
	ATTR(path_mtu, PATH_MTU, "path_mtu", KV_QPA_PATH_MTU),
	ATTR(dest_qpn, DEST_QPN, "dest_qpn", KV_QPA_DEST_QPN),
	ATTR(rq_psn, RQ_PSN, "rq_psn", KV_QPA_RQ_PSN),
	ATTR(av.dgid, DGID, "dgid", KV_QPA_AV,
	     KV_NL_IF(struct kv_qp_attr, av.has_dgid)),
	ATTR(av.sgid_index, SGID_INDEX, "sgid_index", KV_QPA_AV,
	     KV_NL_IF(struct kv_qp_attr, av.has_sgid_index)),
	ATTR(av.dlid, DLID, "dlid", KV_QPA_AV, KV_NL_UNLESS_0),
	/* Even 0, so that an address vector of nothing else is one too. */
	ATTR(av.sl, SL, "sl", KV_QPA_AV),
	ATTR(av.traffic_class, TRAFFIC_CLASS, "traffic_class", KV_QPA_AV,
	     KV_NL_UNLESS_0),
	ATTR(av.flow_label, FLOW_LABEL, "flow_label", KV_QPA_AV, KV_NL_UNLESS_0),
	/* Even 0, which is not its default; it belongs to the DGID. */
	ATTR(av.hop_limit, HOP_LIMIT, "hop_limit", KV_QPA_AV,
	     KV_NL_IF(struct kv_qp_attr, av.has_dgid)),
	ATTR(min_rnr_timer, MIN_RNR_TIMER, "min_rnr_timer", KV_QPA_MIN_RNR_TIMER),
	ATTR(max_dest_rd_atomic, MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic",
	     KV_QPA_MAX_DEST_RD_ATOMIC),
	ATTR(sq_psn, SQ_PSN, "sq_psn", KV_QPA_SQ_PSN),
	ATTR(timeout, TIMEOUT, "timeout", KV_QPA_TIMEOUT),
	ATTR(retry_cnt, RETRY_CNT, "retry_cnt", KV_QPA_RETRY_CNT),
	ATTR(rnr_retry, RNR_RETRY, "rnr_retry", KV_QPA_RNR_RETRY),
	ATTR(max_rd_atomic, MAX_RD_ATOMIC, "max_rd_atomic", KV_QPA_MAX_RD_ATOMIC),
	ATTR(path_mig_state, PATH_MIG_STATE, "path_mig_state", KV_QPA_PATH_MIG_STATE),
	ATTR(alt_av.dgid, ALT_DGID, "alt_dgid", KV_QPA_ALT_PATH,
	     KV_NL_IF(struct kv_qp_attr, alt_av.has_dgid)),
	ATTR(alt_av.sgid_index, ALT_SGID_INDEX, "alt_sgid_index", KV_QPA_ALT_PATH,
	     KV_NL_IF(struct kv_qp_attr, alt_av.has_sgid_index)),
	ATTR(alt_av.dlid, ALT_DLID, "alt_dlid", KV_QPA_ALT_PATH, KV_NL_UNLESS_0),
	ATTR(alt_port, ALT_PORT, "alt_port", KV_QPA_ALT_PATH),
	ATTR(alt_pkey_index, ALT_PKEY_INDEX, "alt_pkey_index", KV_QPA_ALT_PATH),
	ATTR(alt_timeout, ALT_TIMEOUT, "alt_timeout", KV_QPA_ALT_PATH),
	ATTR(sqd_async_notify, SQD_ASYNC_NOTIFY, "sqd_async_notify",
	     KV_QPA_SQD_ASYNC_NOTIFY),
};

static const struct kv_nl_table attr_table = {
	.field = attr_fields,
	.fields = KV_NL_COUNT(attr_fields),
	.mask = offsetof(struct kv_qp_attr, mask),
};

static const struct kv_nl_field object_fields[] = {
	QP(id, ID, "qp"),
	QP(dev, DEV, "device"),
	QP(persistent, PERSISTENT, "persistent"),
	QP(pd, PD, "pd"),
	QP(type, TYPE, "type"),
	QP(send_cq, SEND_CQ, "send_cq"),
	QP(recv_cq, RECV_CQ, "recv_cq"),
	QP(srq, SRQ, "srq"),
	QP(max_send_wr, MAX_SEND_WR, "max_send_wr"),
	QP(max_recv_wr, MAX_RECV_WR, "max_recv_wr"),
	QP(max_send_sge, MAX_SEND_SGE, "max_send_sge"),
	QP(max_recv_sge, MAX_RECV_SGE, "max_recv_sge"),
	QP(max_inline, MAX_INLINE, "max_inline"),
	QP(sq_sig_all, SQ_SIG_ALL, "sq_sig_all"),
	QP(sq_draining, SQ_DRAINING, "sq_draining"),
	QP(qpn, QPN, "qpn"),
	KV_NL_WITHIN(struct kv_qp, attr, &attr_table),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table own_recv = KV_NL_TABLE(own_recv_fields);
static const struct kv_nl_table srq_recv = KV_NL_TABLE(srq_recv_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table *const names[] = { &object, NULL };

KV_NL_NOUN(QP, qp);

static void put_recv(struct nl_msg *msg, const void *in)
{
	const struct kv_qp_init *qp = in;

	kv_nl_put(msg, qp->srq ? &srq_recv : &own_recv, qp);
}

KV_NL_OBJECT_OPS(QP, qp, .put = put_recv);

static void put_modify(struct nl_msg *msg, const void *in)
{
	struct kv_qp_attr attr = ((const struct kv_qp_modify *)in)->attr;

	/* Where to is always said. */
	attr.mask |= KV_QPA_STATE;
	kv_nl_put(msg, &attr_table, &attr);
}

const struct kv_nl_op kv_nl_op_qp_modify = {
	.noun = &kv_nl_qp,
	.cmd = KVERBS_CMD_QP_MODIFY,
	.by_id = true,
	.put = put_modify,
};
