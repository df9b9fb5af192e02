// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "cq.h"
#include "dev.h"
#include "genl/av.h"
#include "qp.h"
#include "srq.h"

#define POLICY_PORT NLA_POLICY_MIN(NLA_U32, 1)
#define POLICY_STATE NLA_POLICY_MAX(NLA_U32, KVERBS_QPS_ERR)
#define POLICY_TIMER NLA_POLICY_MAX(NLA_U32, 31)
#define POLICY_RETRIES NLA_POLICY_MAX(NLA_U32, 7)

static const struct nla_policy policy[KVERBS_A_QP_MAX + 1] = {
	KV_POLICY_OF_PD(QP),
	[KVERBS_A_QP_TYPE] = NLA_POLICY_MAX(NLA_U32, KVERBS_QPT_MAX),
	[KVERBS_A_QP_SEND_CQ] = KV_POLICY_ID,
	[KVERBS_A_QP_RECV_CQ] = KV_POLICY_ID,
	[KVERBS_A_QP_SRQ] = KV_POLICY_ID,
	[KVERBS_A_QP_MAX_SEND_WR] = KV_POLICY_COUNT,
	[KVERBS_A_QP_MAX_RECV_WR] = KV_POLICY_COUNT,
	[KVERBS_A_QP_MAX_SEND_SGE] = KV_POLICY_COUNT,
	[KVERBS_A_QP_MAX_RECV_SGE] = KV_POLICY_COUNT,
	[KVERBS_A_QP_MAX_INLINE] = KV_POLICY_INT,
	[KVERBS_A_QP_SQ_SIG_ALL] = { .type = NLA_FLAG },
	[KVERBS_A_QP_STATE] = POLICY_STATE,
	[KVERBS_A_QP_CUR_STATE] = POLICY_STATE,
	[KVERBS_A_QP_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_QP_PORT] = POLICY_PORT,
	[KVERBS_A_QP_PKEY_INDEX] = KV_POLICY_16BIT,
	[KVERBS_A_QP_QKEY] = { .type = NLA_U32 },
	[KVERBS_A_QP_PATH_MTU] = NLA_POLICY_RANGE(NLA_U32, 256, 4096),
	[KVERBS_A_QP_DEST_QPN] = KV_POLICY_24BIT,
	[KVERBS_A_QP_RQ_PSN] = KV_POLICY_24BIT,
	KV_POLICY_AV(QP),
	[KVERBS_A_QP_MIN_RNR_TIMER] = POLICY_TIMER,
	[KVERBS_A_QP_MAX_DEST_RD_ATOMIC] = KV_POLICY_8BIT,
	[KVERBS_A_QP_SQ_PSN] = KV_POLICY_24BIT,
	[KVERBS_A_QP_TIMEOUT] = POLICY_TIMER,
	[KVERBS_A_QP_RETRY_CNT] = POLICY_RETRIES,
	[KVERBS_A_QP_RNR_RETRY] = POLICY_RETRIES,
	[KVERBS_A_QP_MAX_RD_ATOMIC] = KV_POLICY_8BIT,
	[KVERBS_A_QP_PATH_MIG_STATE] = NLA_POLICY_MAX(NLA_U32, KVERBS_MIG_ARMED),
	[KVERBS_A_QP_ALT_DGID] = NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
	[KVERBS_A_QP_ALT_SGID_INDEX] = KV_POLICY_8BIT,
	[KVERBS_A_QP_ALT_DLID] = KV_POLICY_16BIT,
	[KVERBS_A_QP_ALT_PORT] = POLICY_PORT,
	[KVERBS_A_QP_ALT_PKEY_INDEX] = KV_POLICY_16BIT,
	[KVERBS_A_QP_ALT_TIMEOUT] = POLICY_TIMER,
	[KVERBS_A_QP_SQD_ASYNC_NOTIFY] = NLA_POLICY_MAX(NLA_U32, 1),
	[KVERBS_A_QP_GROUP_GID] = NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
	[KVERBS_A_QP_GROUP_LID] = KV_POLICY_16BIT,
};

static const struct kv_av_attrs numbers_of_av = KV_AV_ATTRS(QP);

static const struct kv_av_attrs numbers_of_alt_av = {
	.dgid = KVERBS_A_QP_ALT_DGID,
	.sgid_index = KVERBS_A_QP_ALT_SGID_INDEX,
	.dlid = KVERBS_A_QP_ALT_DLID,
	.alt = true,
};

/* --- its attributes --- */

/**
 * struct row - an attribute of ib_modify_qp()
 * @number: its number
 * @bit: its bit in the mask of given attributes
 * @offset: in struct ib_qp_attr, of a number that ib_query_qp() returns, too
 * @size: of that number in bytes; 0: the attribute is not such a number
 */
struct row {
	int number;
	u32 bit;
	u16 offset;
	u8 size;
};

/* The rules and ib_modify_qp() use the same bits. */
#define SAME_BIT(BIT) (KV_QPA_##BIT + BUILD_BUG_ON_ZERO(KV_QPA_##BIT ^ IB_QP_##BIT))
#define ROW(NAME, BIT) { .number = KVERBS_A_QP_##NAME, .bit = SAME_BIT(BIT) }
#define NUMBER(NAME, BIT, member) {				\
	.number = KVERBS_A_QP_##NAME,				\
	.bit = SAME_BIT(BIT),					\
	.offset = offsetof(struct ib_qp_attr, member),		\
	.size = sizeof_field(struct ib_qp_attr, member),	\
}

/* If several rows have the same bit, the first one is reported as missing. */
static const struct row rows[] = {
	ROW(STATE, STATE),
	ROW(CUR_STATE, CUR_STATE),
	NUMBER(ACCESS, ACCESS_FLAGS, qp_access_flags),
	NUMBER(PORT, PORT, port_num),
	NUMBER(PKEY_INDEX, PKEY_INDEX, pkey_index),
	NUMBER(QKEY, QKEY, qkey),
	ROW(PATH_MTU, PATH_MTU),
	NUMBER(DEST_QPN, DEST_QPN, dest_qp_num),
	NUMBER(RQ_PSN, RQ_PSN, rq_psn),
	ROW(DGID, AV),
	ROW(SGID_INDEX, AV),
	ROW(DLID, AV),
	ROW(SL, AV),
	ROW(TRAFFIC_CLASS, AV),
	ROW(FLOW_LABEL, AV),
	ROW(HOP_LIMIT, AV),
	NUMBER(MIN_RNR_TIMER, MIN_RNR_TIMER, min_rnr_timer),
	NUMBER(MAX_DEST_RD_ATOMIC, MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	NUMBER(SQ_PSN, SQ_PSN, sq_psn),
	NUMBER(TIMEOUT, TIMEOUT, timeout),
	NUMBER(RETRY_CNT, RETRY_CNT, retry_cnt),
	NUMBER(RNR_RETRY, RNR_RETRY, rnr_retry),
	NUMBER(MAX_RD_ATOMIC, MAX_QP_RD_ATOMIC, max_rd_atomic),
	NUMBER(PATH_MIG_STATE, PATH_MIG_STATE, path_mig_state),
	ROW(ALT_DGID, ALT_PATH),
	ROW(ALT_SGID_INDEX, ALT_PATH),
	ROW(ALT_DLID, ALT_PATH),
	NUMBER(ALT_PORT, ALT_PATH, alt_port_num),
	NUMBER(ALT_PKEY_INDEX, ALT_PATH, alt_pkey_index),
	NUMBER(ALT_TIMEOUT, ALT_PATH, alt_timeout),
	NUMBER(SQD_ASYNC_NOTIFY, EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
};

static u32 qp_get_number(const struct ib_qp_attr *attr, const struct row *row)
{
	const void *at = (const void *)attr + row->offset;

	if (row->size == sizeof(u8))
		return *(const u8 *)at;
	return row->size == sizeof(u16) ? *(const u16 *)at : *(const u32 *)at;
}

static void qp_set_number(struct ib_qp_attr *attr, const struct row *row, u32 value)
{
	void *at = (void *)attr + row->offset;

	if (row->size == sizeof(u8))
		*(u8 *)at = value;
	else if (row->size == sizeof(u16))
		*(u16 *)at = value;
	else
		*(u32 *)at = value;
}

/* --- showing a QP --- */

/* Puts only attributes that were given: a driver's other values have no meaning. */
static int qp_put_attrs(struct sk_buff *skb, u32 given, const struct ib_qp_attr *attr)
{
	const struct row *row;
	int ret = 0;

	for (row = rows; row < rows + ARRAY_SIZE(rows) && !ret; row++)
		if (row->size && given & row->bit)
			ret = nla_put_u32(skb, row->number, qp_get_number(attr, row));
	if (!ret && given & KV_QPA_PATH_MTU)
		ret = nla_put_u32(skb, KVERBS_A_QP_PATH_MTU, ib_mtu_enum_to_int(attr->path_mtu));
	if (!ret && given & KV_QPA_AV)
		ret = kv_put_av(skb, &numbers_of_av, &attr->ah_attr);
	if (!ret && given & KV_QPA_ALT_PATH)
		ret = kv_put_av(skb, &numbers_of_alt_av, &attr->alt_ah_attr);
	return ret;
}

static int qp_put_group(struct sk_buff *skb, const struct kv_group *group)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_QP_GROUP);

	if (!nest || nla_put(skb, KVERBS_A_GROUP_GID, sizeof(group->gid), &group->gid) ||
	    (group->lid && nla_put_u32(skb, KVERBS_A_GROUP_LID, group->lid)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int qp_put_groups(struct sk_buff *skb, const struct kv_groups *groups)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < groups->count && !ret; i++)
		ret = qp_put_group(skb, &groups->group[i]);
	return ret;
}

static int qp_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_qp *qp = container_of(obj, struct kv_qp, obj);
	struct ib_qp_attr attr;

	if (kv_put_parent(skb, KVERBS_A_QP_PD, obj, KV_QP_PD) ||
	    nla_put_u32(skb, KVERBS_A_QP_TYPE, qp->type) ||
	    kv_put_parent(skb, KVERBS_A_QP_SEND_CQ, obj, KV_QP_SEND_CQ) ||
	    kv_put_parent(skb, KVERBS_A_QP_RECV_CQ, obj, KV_QP_RECV_CQ) ||
	    kv_put_parent(skb, KVERBS_A_QP_SRQ, obj, KV_QP_SRQ) ||
	    nla_put_u32(skb, KVERBS_A_QP_MAX_SEND_WR, qp->cap.max_send_wr) ||
	    nla_put_u32(skb, KVERBS_A_QP_MAX_SEND_SGE, qp->cap.max_send_sge) ||
	    nla_put_u32(skb, KVERBS_A_QP_MAX_INLINE, qp->cap.max_inline_data) ||
	    nla_put_u32(skb, KVERBS_A_QP_QPN, qp->ib->qp_num) ||
	    (!qp->srq && (nla_put_u32(skb, KVERBS_A_QP_MAX_RECV_WR, qp->cap.max_recv_wr) ||
			  nla_put_u32(skb, KVERBS_A_QP_MAX_RECV_SGE, qp->cap.max_recv_sge))) ||
	    (qp->sq_sig_all && nla_put_flag(skb, KVERBS_A_QP_SQ_SIG_ALL)) ||
	    qp_put_groups(skb, &qp->groups))
		return -EMSGSIZE;
	/* Without an answer from the device the QP is shown without a state. */
	if (kv_qp_query(qp, &attr, NULL))
		return 0;
	/* Drivers add rights that no remote peer can have. */
	attr.qp_access_flags &= KVERBS_ACCESS__ALL;
	/* siw and cxgb4 do not report the port. */
	if (kv_dev_iwarp(obj->dev))
		attr.port_num = qp->port;
	if (attr.qp_state == IB_QPS_SQD && attr.sq_draining &&
	    nla_put_flag(skb, KVERBS_A_QP_SQ_DRAINING))
		return -EMSGSIZE;
	return nla_put_u32(skb, KVERBS_A_QP_STATE, kv_qp_state(qp, &attr)) ?:
	       qp_put_attrs(skb, qp->given, &attr);
}

/* --- making a QP --- */

static int qp_check_type(struct genl_info *info, u32 type, const struct kv_dev *dev)
{
	static const struct {
		u32 caps;
		const char *text;
	} types[] = {
		[KVERBS_QPT_RC] = { KVERBS_CAP_RC, "the device has no RC qps" },
		[KVERBS_QPT_UC] = { KVERBS_CAP_UC, "the device has no UC qps" },
		[KVERBS_QPT_UD] = { KVERBS_CAP_UD, "the device has no UD qps" },
	};

	if (kv_dev_caps(dev) & types[type].caps)
		return 0;
	return kv_msg_refuse(info, info->attrs[KVERBS_A_QP_TYPE], -EOPNOTSUPP, types[type].text);
}

/* Receives come from its own queue, or from an SRQ. */
static int qp_check_new(struct genl_info *info)
{
	if (!info->attrs[KVERBS_A_QP_SRQ])
		return kv_msg_need(info, KVERBS_A_QP_MAX_RECV_WR,
				   "max_recv_wr is missing: give it, or an srq");
	return kv_msg_refuse_given(info, KVERBS_A_QP_MAX_RECV_WR,
				   "max_recv_wr is of no use here: receives come from the srq") ?:
	       kv_msg_refuse_given(info, KVERBS_A_QP_MAX_RECV_SGE,
				   "max_recv_sge is of no use here: receives come from the srq");
}

static struct kv_obj *qp_make(struct genl_info *info, const struct kv_new *new)
{
	struct nlattr **attrs = info->attrs;
	u32 own = !attrs[KVERBS_A_QP_SRQ];
	struct kv_dev *dev = new->dev;
	struct kv_obj *qp;
	struct kv_qp_init init = {
		.type = kv_u32_or(attrs[KVERBS_A_QP_TYPE], KVERBS_QPT_RC),
		.cap.max_send_wr = nla_get_u32(attrs[KVERBS_A_QP_MAX_SEND_WR]),
		.cap.max_recv_wr = kv_u32_or(attrs[KVERBS_A_QP_MAX_RECV_WR], 0),
		.cap.max_send_sge = kv_u32_or(attrs[KVERBS_A_QP_MAX_SEND_SGE], 1),
		.cap.max_recv_sge = kv_u32_or(attrs[KVERBS_A_QP_MAX_RECV_SGE], own),
		.cap.max_inline_data = kv_u32_or(attrs[KVERBS_A_QP_MAX_INLINE], 0),
		.sq_sig_all = nla_get_flag(attrs[KVERBS_A_QP_SQ_SIG_ALL]),
	};
	int ret;

	ret = qp_check_type(info, init.type, dev) ?:
	      kv_msg_check_limit(info, QP_MAX_SEND_WR, "max_send_wr", dev, max_qp_wr) ?:
	      kv_msg_check_limit(info, QP_MAX_RECV_WR, "max_recv_wr", dev, max_qp_wr) ?:
	      kv_msg_check_limit(info, QP_MAX_SEND_SGE, "max_send_sge", dev, max_send_sge) ?:
	      kv_msg_check_limit(info, QP_MAX_RECV_SGE, "max_recv_sge", dev, max_recv_sge) ?:
	      kv_msg_find(info, attrs[KVERBS_A_QP_SEND_CQ], cq, dev, &init.send_cq) ?:
	      kv_msg_find(info, attrs[KVERBS_A_QP_RECV_CQ], cq, dev, &init.recv_cq) ?:
	      kv_msg_find(info, attrs[KVERBS_A_QP_SRQ], srq, dev, &init.srq);
	if (ret)
		return ERR_PTR(ret);
	qp = kv_qp_create(new, &init);
	/* If the verb has failed: no device tells this limit, and all others are checked. */
	if (qp == ERR_PTR(-EINVAL) && info->extack->cookie_len && attrs[KVERBS_A_QP_MAX_INLINE])
		NL_SET_BAD_ATTR(info->extack, attrs[KVERBS_A_QP_MAX_INLINE]);
	return qp;
}

static const struct kv_noun qp_noun = {
	KV_NOUN_OF_PD(qp, QP),
	.stage = KVERBS_A_QP_STAGE,
};

/* --- its states --- */

/* Sets all numbers. Returns the bits of the attributes that are given. */
static u32 qp_parse_rows(struct nlattr **attrs, struct ib_qp_attr *attr)
{
	const struct row *row;
	u32 mask = 0;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		if (attrs[row->number])
			mask |= row->bit;
		if (row->size)
			qp_set_number(attr, row, kv_u32_or(attrs[row->number], 0));
	}
	return mask;
}

/* Names the attribute that causes a refusal: one that is there, or one that is missing. */
static int qp_blame(struct genl_info *info, const struct kv_refusal *wrong)
{
	struct kv_refusal why = { .error = wrong->error, .text = wrong->text, .missing = true };
	u32 bit = wrong->attr ?: KV_QPA_STATE;
	const struct row *row;

	for (row = rows; row < rows + ARRAY_SIZE(rows) && why.missing; row++) {
		if (row->bit != bit || (why.attr && !info->attrs[row->number]))
			continue;
		why.attr = row->number;
		why.missing = !info->attrs[row->number];
	}
	return kv_msg_refuse_by(info, &why);
}

static int qp_parse_alt_path(struct genl_info *info, struct kv_qp *qp, struct ib_qp_attr *attr)
{
	struct ib_device *ib = qp->ib->device;
	u32 port = 0;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_QP_ALT_PORT,
			  "alt_port is missing: the alternate path needs it") ?:
	      kv_msg_need(info, KVERBS_A_QP_ALT_PKEY_INDEX,
			  "alt_pkey_index is missing: the alternate path needs it") ?:
	      kv_msg_need(info, KVERBS_A_QP_ALT_TIMEOUT,
			  "alt_timeout is missing: the alternate path needs it") ?:
	      kv_msg_parse_port(info, KVERBS_A_QP_ALT_PORT, ib, &port);
	if (ret)
		return ret;
	if (!rdma_protocol_ib(ib, port))
		return kv_msg_refuse(info, info->attrs[KVERBS_A_QP_ALT_PORT], -EINVAL,
				     "an alternate path is for InfiniBand only");
	return kv_msg_parse_av(info, &numbers_of_alt_av, ib, port, &attr->alt_ah_attr);
}

/* Only iWARP's CM takes a QP to RTS. */
static int qp_check_iwarp(struct genl_info *info, const struct kv_qp *qp, enum kverbs_qp_state to)
{
	if (!kv_dev_iwarp(qp->obj.dev) || to == KVERBS_QPS_RESET || to == KVERBS_QPS_INIT ||
	    to == KVERBS_QPS_ERR)
		return 0;
	return kv_msg_refuse(info, info->attrs[KVERBS_A_QP_STATE], -EOPNOTSUPP,
			     "iWARP's qps go to RTS by their conn, and a command can bring them to RESET, INIT and ERR only: use a conn");
}

static int qp_parse_modify(struct genl_info *info, struct kv_qp *qp, struct kv_qp_modify *modify)
{
	struct ib_qp_attr *attr = &modify->attr;
	struct ib_device *ib = qp->ib->device;
	struct nlattr **attrs = info->attrs;
	u32 mtu = kv_u32_or(attrs[KVERBS_A_QP_PATH_MTU], 256);
	u32 port = qp->port;
	int ret;

	modify->to = nla_get_u32(attrs[KVERBS_A_QP_STATE]);
	attr->cur_qp_state = kv_u32_or(attrs[KVERBS_A_QP_CUR_STATE], 0);
	modify->mask = qp_parse_rows(attrs, attr);
	ret = qp_check_iwarp(info, qp, modify->to);
	if (ret)
		return ret;
	if (!is_power_of_2(mtu))
		return kv_msg_refuse(info, attrs[KVERBS_A_QP_PATH_MTU], -EINVAL,
				     "path_mtu must be 256, 512, 1024, 2048 or 4096");
	attr->path_mtu = ib_mtu_int_to_enum(mtu);
	ret = kv_msg_parse_port(info, KVERBS_A_QP_PORT, ib, &port);
	if (ret)
		return ret;
	attr->port_num = port;
	if (modify->mask & KV_QPA_AV)
		ret = kv_msg_parse_av(info, &numbers_of_av, ib, port, &attr->ah_attr);
	if (!ret && modify->mask & KV_QPA_ALT_PATH)
		ret = qp_parse_alt_path(info, qp, attr);
	return ret;
}

static int qp_modify(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_qp *qp = container_of(obj, struct kv_qp, obj);
	struct kv_qp_modify modify = {};
	struct kv_refusal wrong = {};
	int ret;

	ret = qp_parse_modify(info, qp, &modify) ?: kv_qp_modify(qp, &modify, &wrong, info->extack);
	return wrong.text ? qp_blame(info, &wrong) : ret;
}

/* --- its multicast groups --- */

static int qp_attach(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_group group = { .lid = kv_u32_or(info->attrs[KVERBS_A_QP_GROUP_LID], 0) };
	struct kv_refusal wrong = {};
	int ret;

	nla_memcpy(&group.gid, info->attrs[KVERBS_A_QP_GROUP_GID], sizeof(group.gid));
	ret = kv_group_attach(container_of(obj, struct kv_qp, obj), &group, &wrong, info->extack);
	return wrong.text ? kv_msg_refuse_by(info, &wrong) : ret;
}

static int qp_detach(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	union ib_gid gid;

	nla_memcpy(&gid, info->attrs[KVERBS_A_QP_GROUP_GID], sizeof(gid));
	return kv_group_detach(container_of(obj, struct kv_qp, obj), &gid, info->extack);
}

#define TAKES(NAME) KV_TAKES(QP, NAME)
#define NEEDS(NAME, text) KV_NEEDS(QP, NAME, text)

#define GROUP NEEDS(GROUP_GID, "gid is missing: of which group?")

static const struct kv_command qp_commands[] = {
	{ .cmd = KVERBS_CMD_QP_NEW, .check = qp_check_new, .doit = kv_netlink_new,
	  KV_TAKEN(TAKES(PERSISTENT), TAKES(PD), TAKES(TYPE), NEEDS(SEND_CQ, "send_cq is missing"),
		   NEEDS(RECV_CQ, "recv_cq is missing"), TAKES(SRQ),
		   NEEDS(MAX_SEND_WR, "max_send_wr is missing"), TAKES(MAX_RECV_WR),
		   TAKES(MAX_SEND_SGE), TAKES(MAX_RECV_SGE), TAKES(MAX_INLINE),
		   TAKES(SQ_SIG_ALL)) },
	KV_COMMAND(QP, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND(QP, GET, KV_SHOWS, TAKES(ID)),
	KV_COMMAND(QP, MODIFY, .run = qp_modify, TAKES(ID),
		   NEEDS(STATE, "state is missing: where to?"), TAKES(CUR_STATE), TAKES(ACCESS),
		   TAKES(PORT), TAKES(PKEY_INDEX), TAKES(QKEY), TAKES(PATH_MTU),
		   TAKES(DEST_QPN), TAKES(RQ_PSN), TAKES(DGID), TAKES(SGID_INDEX), TAKES(DLID),
		   TAKES(SL), TAKES(TRAFFIC_CLASS), TAKES(FLOW_LABEL), TAKES(HOP_LIMIT),
		   TAKES(MIN_RNR_TIMER), TAKES(MAX_DEST_RD_ATOMIC), TAKES(SQ_PSN),
		   TAKES(TIMEOUT), TAKES(RETRY_CNT), TAKES(RNR_RETRY), TAKES(MAX_RD_ATOMIC),
		   TAKES(PATH_MIG_STATE), TAKES(ALT_DGID), TAKES(ALT_SGID_INDEX),
		   TAKES(ALT_DLID), TAKES(ALT_PORT), TAKES(ALT_PKEY_INDEX), TAKES(ALT_TIMEOUT),
		   TAKES(SQD_ASYNC_NOTIFY)),
	KV_COMMAND(QP, ATTACH, .run = qp_attach, TAKES(ID), GROUP, TAKES(GROUP_LID)),
	KV_COMMAND(QP, DETACH, .run = qp_detach, TAKES(ID), GROUP),
};

KV_COMMAND_SET(qp, QP, &qp_noun);
