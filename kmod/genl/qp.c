// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "cq.h"
#include "dev.h"
#include "genl/msg.h"
#include "pd.h"
#include "qp.h"

const struct nla_policy kv_qp_policy[KVERBS_A_QP_MAX + 1] = {
	[KVERBS_A_QP_ID] = KV_POLICY_ID,
	[KVERBS_A_QP_PD] = KV_POLICY_ID,
	[KVERBS_A_QP_SEND_CQ] = KV_POLICY_ID,
	[KVERBS_A_QP_RECV_CQ] = KV_POLICY_ID,
	[KVERBS_A_QP_MAX_SEND_WR] = KV_POLICY_COUNT,
	[KVERBS_A_QP_MAX_RECV_WR] = KV_POLICY_COUNT,
	[KVERBS_A_QP_STATE] = NLA_POLICY_MAX(NLA_U32, KVERBS_QPS_ERR),
	[KVERBS_A_QP_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_QP_PORT] = NLA_POLICY_MIN(NLA_U32, 1),
	[KVERBS_A_QP_PKEY_INDEX] = KV_POLICY_16BIT,
	[KVERBS_A_QP_PATH_MTU] = NLA_POLICY_RANGE(NLA_U32, 256, 4096),
	[KVERBS_A_QP_DEST_QPN] = KV_POLICY_24BIT,
	[KVERBS_A_QP_RQ_PSN] = KV_POLICY_24BIT,
	[KVERBS_A_QP_DGID] = NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
	[KVERBS_A_QP_SGID_INDEX] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[KVERBS_A_QP_DLID] = KV_POLICY_16BIT,
	[KVERBS_A_QP_HOP_LIMIT] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[KVERBS_A_QP_MIN_RNR_TIMER] = NLA_POLICY_MAX(NLA_U32, 31),
	[KVERBS_A_QP_MAX_DEST_RD_ATOMIC] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[KVERBS_A_QP_SQ_PSN] = KV_POLICY_24BIT,
	[KVERBS_A_QP_TIMEOUT] = NLA_POLICY_MAX(NLA_U32, 31),
	[KVERBS_A_QP_RETRY_CNT] = NLA_POLICY_MAX(NLA_U32, 7),
	[KVERBS_A_QP_RNR_RETRY] = NLA_POLICY_MAX(NLA_U32, 7),
	[KVERBS_A_QP_MAX_RD_ATOMIC] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[KVERBS_A_QP_PERSISTENT] = { .type = NLA_FLAG },
};

int kv_netlink_qp_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *send_id, *recv_id, *max_send, *max_recv;
	struct kv_owner owner = kv_msg_new_owner(info, KVERBS_A_QP_PERSISTENT);
	struct kv_obj *pd, *send_cq, *recv_cq;
	struct kv_reply reply;
	struct kv_qp *qp;
	int ret;

	send_id = kv_msg_need(info, KVERBS_A_QP_SEND_CQ, "send_cq is missing");
	recv_id = kv_msg_need(info, KVERBS_A_QP_RECV_CQ, "recv_cq is missing");
	max_send = kv_msg_need(info, KVERBS_A_QP_MAX_SEND_WR, "max_send_wr is missing");
	max_recv = kv_msg_need(info, KVERBS_A_QP_MAX_RECV_WR, "max_recv_wr is missing");
	if (!send_id || !recv_id || !max_send || !max_recv)
		return -EINVAL;
	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_QP_PD, KV_OBJ_PD, &pd);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	send_cq = kv_msg_find_obj(info, send_id, KV_OBJ_CQ, pd->dev);
	recv_cq = IS_ERR(send_cq) ? send_cq :
		  kv_msg_find_obj(info, recv_id, KV_OBJ_CQ, pd->dev);
	if (IS_ERR(recv_cq)) {
		ret = kv_reply_end(info, &reply, PTR_ERR(recv_cq));
		goto unlock;
	}
	qp = kv_qp_create(container_of(pd, struct kv_pd, obj),
			  container_of(send_cq, struct kv_cq, obj),
			  container_of(recv_cq, struct kv_cq, obj), &owner,
			  nla_get_u32(max_send), nla_get_u32(max_recv),
			  info->extack);
	if (IS_ERR(qp)) {
		ret = kv_reply_end(info, &reply, PTR_ERR(qp));
		goto unlock;
	}
	/* Room for these was reserved: the reply is of the default size. */
	nla_put_u32(reply.skb, KVERBS_A_QP_QPN, qp->ib->qp_num);
	nla_put_u32(reply.skb, KVERBS_A_QP_MAX_SEND_WR, qp->max_send_wr);
	nla_put_u32(reply.skb, KVERBS_A_QP_MAX_RECV_WR, qp->max_recv_wr);
	ret = kv_msg_made_obj(info, &reply, &qp->obj, KVERBS_A_QP_ID,
			      KVERBS_A_QP_VERB_NS);
unlock:
	kv_msg_unlock_obj(pd);
	return ret;
}

int kv_netlink_qp_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, KV_OBJ_QP, KVERBS_A_QP_ID, KVERBS_A_QP_VERB_NS);
}

/* IBTA 10.3.1 and the verbs agree on the order; the values may not. */
static const u8 to_ib_state[] = {
	[KVERBS_QPS_RESET] = IB_QPS_RESET,
	[KVERBS_QPS_INIT] = IB_QPS_INIT,
	[KVERBS_QPS_RTR] = IB_QPS_RTR,
	[KVERBS_QPS_RTS] = IB_QPS_RTS,
	[KVERBS_QPS_SQD] = IB_QPS_SQD,
	[KVERBS_QPS_SQE] = IB_QPS_SQE,
	[KVERBS_QPS_ERR] = IB_QPS_ERR,
};

static u32 from_ib_state(enum ib_qp_state state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(to_ib_state); i++)
		if (to_ib_state[i] == state)
			return i;
	return KVERBS_QPS_ERR;
}

static int fill_qp(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_qp *qp = container_of(obj, struct kv_qp, obj);
	/* A driver need not fill what it has not. */
	struct ib_qp_attr attr = {};

	/* Without an answer from the device the QP is shown without a state. */
	if (kv_put_obj(skb, obj, KVERBS_A_QP_ID, KVERBS_A_QP_DEV,
		       KVERBS_A_QP_PERSISTENT) ||
	    kv_put_parent(skb, KVERBS_A_QP_PD, obj, KV_QP_PD) ||
	    kv_put_parent(skb, KVERBS_A_QP_SEND_CQ, obj, KV_QP_SEND_CQ) ||
	    kv_put_parent(skb, KVERBS_A_QP_RECV_CQ, obj, KV_QP_RECV_CQ) ||
	    nla_put_u32(skb, KVERBS_A_QP_MAX_SEND_WR, qp->max_send_wr) ||
	    nla_put_u32(skb, KVERBS_A_QP_MAX_RECV_WR, qp->max_recv_wr) ||
	    nla_put_u32(skb, KVERBS_A_QP_QPN, qp->ib->qp_num))
		return -EMSGSIZE;
	if (kv_qp_query(qp, &attr, NULL))
		return 0;
	return nla_put_u32(skb, KVERBS_A_QP_STATE, from_ib_state(attr.qp_state)) ?:
	       nla_put_u32(skb, KVERBS_A_QP_ACCESS,
			   attr.qp_access_flags & KVERBS_ACCESS__ALL) ?:
	       nla_put_u32(skb, KVERBS_A_QP_PATH_MTU,
			   ib_mtu_enum_to_int(attr.path_mtu)) ?:
	       nla_put_u32(skb, KVERBS_A_QP_DEST_QPN, attr.dest_qp_num) ?:
	       nla_put_u32(skb, KVERBS_A_QP_RQ_PSN, attr.rq_psn) ?:
	       nla_put_u32(skb, KVERBS_A_QP_SQ_PSN, attr.sq_psn);
}

int kv_netlink_qp_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, KV_OBJ_QP, KVERBS_A_QP_ID, fill_qp);
}

int kv_netlink_qp_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, KV_OBJ_QP, KVERBS_CMD_QP_GET, fill_qp);
}

static int need_all(struct genl_info *info, const int *attrs,
		    const char *const *msgs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!kv_msg_need(info, attrs[i], msgs[i]))
			return -EINVAL;
	return 0;
}

static void parse_init(struct genl_info *info, struct kv_qp_modify *modify)
{
	struct nlattr **attrs = info->attrs;

	modify->attr.qp_access_flags = nla_get_u32(attrs[KVERBS_A_QP_ACCESS]);
	modify->attr.port_num = kv_u32_or(attrs[KVERBS_A_QP_PORT], 1);
	modify->attr.pkey_index = kv_u32_or(attrs[KVERBS_A_QP_PKEY_INDEX], 0);
	modify->mask |= IB_QP_ACCESS_FLAGS | IB_QP_PORT | IB_QP_PKEY_INDEX;
}

static int parse_rtr(struct genl_info *info, struct kv_qp *qp,
		     struct kv_qp_modify *modify)
{
	struct ib_device *ib = qp->ib->device;
	struct ib_qp_attr *attr = &modify->attr;
	struct rdma_ah_attr *ah = &attr->ah_attr;
	struct nlattr **attrs = info->attrs;
	u32 mtu = nla_get_u32(attrs[KVERBS_A_QP_PATH_MTU]);
	u32 port = kv_u32_or(attrs[KVERBS_A_QP_PORT], rdma_start_port(ib));
	union ib_gid dgid;

	if (!is_power_of_2(mtu))
		return kv_msg_refuse(info, attrs[KVERBS_A_QP_PATH_MTU],
				     "path_mtu must be 256, 512, 1024, 2048 or 4096", -EINVAL);
	if (!rdma_is_port_valid(ib, port))
		return kv_msg_refuse(info, attrs[KVERBS_A_QP_PORT],
				     "the device has no such port", -EINVAL);
	attr->path_mtu = ib_mtu_int_to_enum(mtu);
	attr->dest_qp_num = nla_get_u32(attrs[KVERBS_A_QP_DEST_QPN]);
	attr->rq_psn = nla_get_u32(attrs[KVERBS_A_QP_RQ_PSN]);
	attr->min_rnr_timer = nla_get_u32(attrs[KVERBS_A_QP_MIN_RNR_TIMER]);
	attr->max_dest_rd_atomic = nla_get_u32(attrs[KVERBS_A_QP_MAX_DEST_RD_ATOMIC]);

	ah->type = rdma_ah_find_type(ib, port);
	rdma_ah_set_port_num(ah, port);
	memcpy(&dgid, nla_data(attrs[KVERBS_A_QP_DGID]), sizeof(dgid));
	rdma_ah_set_grh(ah, &dgid, 0, nla_get_u32(attrs[KVERBS_A_QP_SGID_INDEX]),
			kv_u32_or(attrs[KVERBS_A_QP_HOP_LIMIT], 64), 0);
	if (ah->type == RDMA_AH_ATTR_TYPE_IB)
		rdma_ah_set_dlid(ah, kv_u32_or(attrs[KVERBS_A_QP_DLID], 0));
	modify->mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			IB_QP_MIN_RNR_TIMER | IB_QP_MAX_DEST_RD_ATOMIC;
	return 0;
}

static void parse_rts(struct genl_info *info, struct kv_qp_modify *modify)
{
	struct nlattr **attrs = info->attrs;

	modify->attr.sq_psn = nla_get_u32(attrs[KVERBS_A_QP_SQ_PSN]);
	modify->attr.timeout = nla_get_u32(attrs[KVERBS_A_QP_TIMEOUT]);
	modify->attr.retry_cnt = nla_get_u32(attrs[KVERBS_A_QP_RETRY_CNT]);
	modify->attr.rnr_retry = nla_get_u32(attrs[KVERBS_A_QP_RNR_RETRY]);
	modify->attr.max_rd_atomic = nla_get_u32(attrs[KVERBS_A_QP_MAX_RD_ATOMIC]);
	modify->mask |= IB_QP_SQ_PSN | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
}

/* What a transition must be given (IBTA table 96); the rest has defaults. */
static int check_given(struct genl_info *info, u32 state)
{
	static const int init[] = { KVERBS_A_QP_ACCESS };
	static const char *const init_msgs[] = {
		"access is missing: INIT needs it",
	};
	static const int rtr[] = {
		KVERBS_A_QP_PATH_MTU, KVERBS_A_QP_DEST_QPN, KVERBS_A_QP_RQ_PSN,
		KVERBS_A_QP_DGID, KVERBS_A_QP_SGID_INDEX,
		KVERBS_A_QP_MIN_RNR_TIMER, KVERBS_A_QP_MAX_DEST_RD_ATOMIC,
	};
	static const char *const rtr_msgs[] = {
		"path_mtu is missing: RTR needs it",
		"dest_qpn is missing: RTR needs it",
		"rq_psn is missing: RTR needs it",
		"dgid is missing: RTR needs it",
		"sgid_index is missing: RTR needs it",
		"min_rnr_timer is missing: RTR needs it",
		"max_dest_rd_atomic is missing: RTR needs it",
	};
	static const int rts[] = {
		KVERBS_A_QP_SQ_PSN, KVERBS_A_QP_TIMEOUT, KVERBS_A_QP_RETRY_CNT,
		KVERBS_A_QP_RNR_RETRY, KVERBS_A_QP_MAX_RD_ATOMIC,
	};
	static const char *const rts_msgs[] = {
		"sq_psn is missing: RTS needs it",
		"timeout is missing: RTS needs it",
		"retry_cnt is missing: RTS needs it",
		"rnr_retry is missing: RTS needs it",
		"max_rd_atomic is missing: RTS needs it",
	};

	switch (state) {
	case KVERBS_QPS_INIT:
		return need_all(info, init, init_msgs, ARRAY_SIZE(init));
	case KVERBS_QPS_RTR:
		return need_all(info, rtr, rtr_msgs, ARRAY_SIZE(rtr));
	case KVERBS_QPS_RTS:
		return need_all(info, rts, rts_msgs, ARRAY_SIZE(rts));
	case KVERBS_QPS_RESET:
	case KVERBS_QPS_ERR:
		return 0;
	}
	return kv_msg_refuse(info, info->attrs[KVERBS_A_QP_STATE],
			     "state must be RESET, INIT, RTR, RTS or ERR", -EINVAL);
}

int kv_netlink_qp_modify(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_qp_modify modify = { .mask = IB_QP_STATE };
	struct nlattr *state;
	struct kv_reply reply;
	struct kv_obj *obj;
	struct kv_qp *qp;
	int ret;

	state = kv_msg_need(info, KVERBS_A_QP_STATE, "state is missing: where to?");
	if (!state)
		return -EINVAL;
	modify.attr.qp_state = to_ib_state[nla_get_u32(state)];
	ret = check_given(info, nla_get_u32(state)) ?:
	      kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_QP_ID, KV_OBJ_QP, &obj);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	qp = container_of(obj, struct kv_qp, obj);

	switch (modify.attr.qp_state) {
	case IB_QPS_INIT:
		parse_init(info, &modify);
		break;
	case IB_QPS_RTR:
		ret = parse_rtr(info, qp, &modify);
		break;
	case IB_QPS_RTS:
		parse_rts(info, &modify);
		break;
	default:
		break;
	}
	if (!ret)
		ret = kv_qp_modify(qp, &modify, info->extack);
	if (!ret)
		ret = kv_put_u64(reply.skb, KVERBS_A_QP_VERB_NS, obj->verb_ns);
	kv_msg_unlock_obj(obj);
	return kv_reply_end(info, &reply, ret);
}
