// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "genl/msg.h"
#include "refuse.h"
#include "srq.h"

static const struct nla_policy policy[KVERBS_A_SRQ_MAX + 1] = {
	KV_POLICY_OF_PD(SRQ),
	[KVERBS_A_SRQ_MAX_WR] = KV_POLICY_COUNT,
	[KVERBS_A_SRQ_MAX_SGE] = KV_POLICY_COUNT,
	[KVERBS_A_SRQ_LIMIT] = KV_POLICY_INT,
};

static int srq_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_srq *srq = container_of(obj, struct kv_srq, obj);

	kv_srq_query(srq);
	return kv_put_parent(skb, KVERBS_A_SRQ_PD, obj, 0) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_MAX_WR, srq->max_wr) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_MAX_SGE, srq->max_sge) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_LIMIT, srq->limit);
}

static struct kv_obj *srq_make(struct genl_info *info, const struct kv_new *new)
{
	struct nlattr **attrs = info->attrs;
	int ret;

	if (!(kv_dev_caps(new->dev) & KVERBS_CAP_SRQ))
		return ERR_PTR(kv_refuse(info->extack, -EOPNOTSUPP,
					 "the device has no shared receive queues"));
	ret = kv_msg_check_limit(info, SRQ_MAX_WR, "max_wr", new->dev, max_srq_wr) ?:
	      kv_msg_check_limit(info, SRQ_MAX_SGE, "max_sge", new->dev, max_srq_sge) ?:
	      kv_msg_check_max(info, KVERBS_A_SRQ_LIMIT,
			       nla_get_u32(attrs[KVERBS_A_SRQ_MAX_WR]), "limit is above max_wr");
	if (ret)
		return ERR_PTR(ret);
	return kv_srq_create(new, nla_get_u32(attrs[KVERBS_A_SRQ_MAX_WR]),
			     kv_u32_or(attrs[KVERBS_A_SRQ_MAX_SGE], 1),
			     kv_u32_or(attrs[KVERBS_A_SRQ_LIMIT], 0));
}

static const struct kv_noun srq_noun = {
	KV_NOUN_OF_PD(srq, SRQ),
};

static int srq_modify(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct nlattr *limit = info->attrs[KVERBS_A_SRQ_LIMIT];
	struct nlattr *max_wr = info->attrs[KVERBS_A_SRQ_MAX_WR];
	int mask = (limit ? IB_SRQ_LIMIT : 0) | (max_wr ? IB_SRQ_MAX_WR : 0);
	struct ib_srq_attr attr = {
		.srq_limit = kv_u32_or(limit, 0),
		.max_wr = kv_u32_or(max_wr, 0),
	};

	int ret, wrong;

	ret = kv_msg_check_limit(info, SRQ_MAX_WR, "max_wr", obj->dev, max_srq_wr);
	if (ret)
		return ret;
	ret = kv_srq_modify(container_of(obj, struct kv_srq, obj), &attr, mask, &wrong,
			    info->extack);
	if (ret) {
		NL_SET_BAD_ATTR(info->extack, wrong == IB_SRQ_LIMIT ? limit : max_wr);
		return ret;
	}
	return kv_put_obj(skb, obj, &srq_noun);
}

static int srq_check_modify(struct genl_info *info)
{
	return info->attrs[KVERBS_A_SRQ_MAX_WR] ? 0 :
	       kv_msg_need(info, KVERBS_A_SRQ_LIMIT,
			   "limit and max_wr are missing: what shall change?");
}

#define TAKES(NAME) KV_TAKES(SRQ, NAME)
#define NEEDS(NAME, text) KV_NEEDS(SRQ, NAME, text)

static const struct kv_command srq_commands[] = {
	KV_COMMAND(SRQ, NEW, .doit = kv_netlink_new, TAKES(PERSISTENT), TAKES(PD),
		   NEEDS(MAX_WR, "max_wr is missing: how many receives must the srq hold?"),
		   TAKES(MAX_SGE), TAKES(LIMIT)),
	KV_COMMAND(SRQ, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND(SRQ, GET, KV_SHOWS, TAKES(ID)),
	{ .cmd = KVERBS_CMD_SRQ_MODIFY, .check = srq_check_modify, .run = srq_modify,
	  KV_TAKEN(TAKES(ID), TAKES(MAX_WR), TAKES(LIMIT)) },
};

KV_COMMAND_SET(srq, SRQ, &srq_noun);
