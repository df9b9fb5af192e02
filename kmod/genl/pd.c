// SPDX-License-Identifier: GPL-2.0
#include "genl/msg.h"
#include "pd.h"

const struct nla_policy kv_pd_policy[KVERBS_A_PD_MAX + 1] = {
	[KVERBS_A_PD_ID] = KV_POLICY_ID,
	[KVERBS_A_PD_DEV] = KV_POLICY_NAME,
	[KVERBS_A_PD_PERSISTENT] = { .type = NLA_FLAG },
};

int kv_netlink_pd_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner owner = kv_msg_new_owner(info, KVERBS_A_PD_PERSISTENT);
	struct kv_reply reply;
	struct kv_dev *dev;
	struct kv_pd *pd;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_dev(info, KVERBS_A_PD_DEV, &dev);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	pd = kv_pd_create(dev, &owner, info->extack);
	if (IS_ERR(pd))
		ret = kv_reply_end(info, &reply, PTR_ERR(pd));
	else
		ret = kv_msg_made_obj(info, &reply, &pd->obj, KVERBS_A_PD_ID,
				      KVERBS_A_PD_VERB_NS);
	kv_msg_unlock_dev(dev);
	return ret;
}

int kv_netlink_pd_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, KV_OBJ_PD, KVERBS_A_PD_ID, KVERBS_A_PD_VERB_NS);
}

static int fill_pd(struct sk_buff *skb, struct kv_obj *obj)
{
	return kv_put_obj(skb, obj, KVERBS_A_PD_ID, KVERBS_A_PD_DEV,
			  KVERBS_A_PD_PERSISTENT);
}

int kv_netlink_pd_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, KV_OBJ_PD, KVERBS_A_PD_ID, fill_pd);
}

int kv_netlink_pd_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, KV_OBJ_PD, KVERBS_CMD_PD_GET, fill_pd);
}
