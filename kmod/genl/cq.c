// SPDX-License-Identifier: GPL-2.0
#include "cq.h"
#include "genl/msg.h"

const struct nla_policy kv_cq_policy[KVERBS_A_CQ_MAX + 1] = {
	[KVERBS_A_CQ_ID] = KV_POLICY_ID,
	[KVERBS_A_CQ_DEV] = KV_POLICY_NAME,
	[KVERBS_A_CQ_CQE] = KV_POLICY_COUNT,
	[KVERBS_A_CQ_COMP_VECTOR] = KV_POLICY_INT,
	[KVERBS_A_CQ_PERSISTENT] = { .type = NLA_FLAG },
};

int kv_netlink_cq_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner owner = kv_msg_new_owner(info, KVERBS_A_CQ_PERSISTENT);
	struct nlattr *cqe;
	struct kv_reply reply;
	struct kv_dev *dev;
	struct kv_cq *cq;
	int ret;

	cqe = kv_msg_need(info, KVERBS_A_CQ_CQE, "cqe is missing: how many completions must the cq hold?");
	if (!cqe)
		return -EINVAL;
	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_dev(info, KVERBS_A_CQ_DEV, &dev);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	cq = kv_cq_create(dev, &owner, nla_get_u32(cqe),
			  kv_u32_or(info->attrs[KVERBS_A_CQ_COMP_VECTOR], 0),
			  info->extack);
	if (IS_ERR(cq))
		ret = kv_reply_end(info, &reply, PTR_ERR(cq));
	else if (nla_put_u32(reply.skb, KVERBS_A_CQ_CQE, cq->cqe))
		ret = kv_reply_end(info, &reply, -EMSGSIZE);
	else
		ret = kv_msg_made_obj(info, &reply, &cq->obj, KVERBS_A_CQ_ID,
				      KVERBS_A_CQ_VERB_NS);
	kv_msg_unlock_dev(dev);
	return ret;
}

int kv_netlink_cq_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, KV_OBJ_CQ, KVERBS_A_CQ_ID, KVERBS_A_CQ_VERB_NS);
}

static int fill_cq(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_cq *cq = container_of(obj, struct kv_cq, obj);

	return kv_put_obj(skb, obj, KVERBS_A_CQ_ID, KVERBS_A_CQ_DEV,
			  KVERBS_A_CQ_PERSISTENT) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_CQE, cq->cqe) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_COMP_VECTOR, cq->comp_vector);
}

int kv_netlink_cq_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, KV_OBJ_CQ, KVERBS_A_CQ_ID, fill_cq);
}

int kv_netlink_cq_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, KV_OBJ_CQ, KVERBS_CMD_CQ_GET, fill_cq);
}
