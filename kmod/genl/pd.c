// SPDX-License-Identifier: GPL-2.0
#include "genl/msg.h"
#include "pd.h"

const struct nla_policy kv_pd_policy[KVERBS_A_PD_MAX + 1] = {
	[KVERBS_A_PD_ID] = KV_POLICY_ID,
	[KVERBS_A_PD_DEV] = KV_POLICY_NAME,
};

int kv_netlink_pd_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner owner = kv_msg_owner(info);
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

