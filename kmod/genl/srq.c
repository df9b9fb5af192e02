// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "genl/msg.h"
#include "pd.h"
#include "refuse.h"
#include "srq.h"

const struct nla_policy kv_srq_policy[KVERBS_A_SRQ_MAX + 1] = {
	[KVERBS_A_SRQ_ID] = KV_POLICY_ID,
	[KVERBS_A_SRQ_PERSISTENT] = { .type = NLA_FLAG },
	[KVERBS_A_SRQ_PD] = KV_POLICY_ID,
	[KVERBS_A_SRQ_MAX_WR] = KV_POLICY_COUNT,
	[KVERBS_A_SRQ_MAX_SGE] = KV_POLICY_COUNT,
	[KVERBS_A_SRQ_LIMIT] = KV_POLICY_INT,
};

static int fill_srq(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_srq *srq = container_of(obj, struct kv_srq, obj);

	kv_srq_query(srq);
	return kv_put_obj(skb, obj, KVERBS_A_SRQ_ID, KVERBS_A_SRQ_DEV,
			  KVERBS_A_SRQ_PERSISTENT) ?:
	       kv_put_parent(skb, KVERBS_A_SRQ_PD, obj, 0) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_MAX_WR, srq->max_wr) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_MAX_SGE, srq->max_sge) ?:
	       nla_put_u32(skb, KVERBS_A_SRQ_LIMIT, srq->limit);
}

static int check_new(struct genl_info *info, const struct kv_dev *dev)
{
	const struct ib_device_attr *limits = &dev->ib->attrs;
	struct nlattr **attrs = info->attrs;

	if (!(kv_dev_can(dev) & KVERBS_CAN_SRQ))
		return kv_refuse(info->extack, -EOPNOTSUPP,
				 "the device has no shared receive queues");
	return kv_msg_check_max(info, KVERBS_A_SRQ_MAX_WR, limits->max_srq_wr,
				"max_wr is above the device's max_srq_wr") ?:
	       kv_msg_check_max(info, KVERBS_A_SRQ_MAX_SGE, limits->max_srq_sge,
				"max_sge is above the device's max_srq_sge") ?:
	       kv_msg_check_max(info, KVERBS_A_SRQ_LIMIT,
				nla_get_u32(attrs[KVERBS_A_SRQ_MAX_WR]),
				"limit is above max_wr");
}

int kv_netlink_srq_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner *owner = kv_msg_new_owner(info, KVERBS_A_SRQ_PERSISTENT);
	struct nlattr **attrs = info->attrs;
	struct kv_obj *pd, *made;
	struct kv_reply reply;
	int ret;

	if (!kv_msg_need(info, KVERBS_A_SRQ_MAX_WR,
			 "max_wr is missing: how many receives must the srq hold?"))
		return -EINVAL;
	ret = kv_msg_begin_obj(info, KVERBS_A_SRQ_PD, &kv_pd_class,
			       GENLMSG_DEFAULT_SIZE, &reply, &pd);
	if (ret)
		return ret;
	ret = check_new(info, pd->dev);
	if (ret)
		return kv_msg_end_obj(info, &reply, pd, ret);
	made = kv_srq_create(container_of(pd, struct kv_pd, obj), owner,
			     nla_get_u32(attrs[KVERBS_A_SRQ_MAX_WR]),
			     kv_u32_or(attrs[KVERBS_A_SRQ_MAX_SGE], 1),
			     kv_u32_or(attrs[KVERBS_A_SRQ_LIMIT], 0), info->extack);
	ret = kv_msg_end_new(info, &reply, made, fill_srq, KVERBS_A_SRQ_VERB_NS);
	kv_obj_unlock(pd);
	return ret;
}

int kv_netlink_srq_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, &kv_srq_class, KVERBS_A_SRQ_ID, KVERBS_A_SRQ_VERB_NS);
}

int kv_netlink_srq_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, &kv_srq_class, KVERBS_A_SRQ_ID, fill_srq);
}

int kv_netlink_srq_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, &kv_srq_class, KVERBS_CMD_SRQ_GET, fill_srq);
}

int kv_netlink_srq_modify(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *limit = info->attrs[KVERBS_A_SRQ_LIMIT];
	struct nlattr *max_wr = info->attrs[KVERBS_A_SRQ_MAX_WR];
	struct kv_srq_modify modify = {
		.mask = (limit ? IB_SRQ_LIMIT : 0) | (max_wr ? IB_SRQ_MAX_WR : 0),
		.limit = kv_u32_or(limit, 0),
		.max_wr = kv_u32_or(max_wr, 0),
	};
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	if (!max_wr && !kv_msg_need(info, KVERBS_A_SRQ_LIMIT,
				    "limit and max_wr are missing: what shall change?"))
		return -EINVAL;
	ret = kv_msg_begin_obj(info, KVERBS_A_SRQ_ID, &kv_srq_class,
			       GENLMSG_DEFAULT_SIZE, &reply, &obj);
	if (ret)
		return ret;
	ret = kv_msg_check_max(info, KVERBS_A_SRQ_MAX_WR, obj->dev->ib->attrs.max_srq_wr,
			       "max_wr is above the device's max_srq_wr") ?:
	      kv_srq_modify(container_of(obj, struct kv_srq, obj), &modify, info->extack);
	if (!ret)
		ret = fill_srq(reply.skb, obj) ?:
		      kv_put_u64(reply.skb, KVERBS_A_SRQ_VERB_NS, obj->verb_ns);
	return kv_msg_end_obj(info, &reply, obj, ret);
}
