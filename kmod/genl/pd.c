// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "genl/msg.h"
#include "pd.h"

const struct nla_policy kv_pd_policy[KVERBS_A_PD_MAX + 1] = {
	[KVERBS_A_PD_ID] = KV_POLICY_ID,
	[KVERBS_A_PD_DEV] = KV_POLICY_NAME,
	[KVERBS_A_PD_PERSISTENT] = { .type = NLA_FLAG },
};

static int fill_pd(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_pd *pd = container_of(obj, struct kv_pd, obj);

	return kv_put_obj(skb, obj, KVERBS_A_PD_ID, KVERBS_A_PD_DEV,
			  KVERBS_A_PD_PERSISTENT) ?:
	       nla_put_u32(skb, KVERBS_A_PD_LOCAL_DMA_LKEY, pd->ib->local_dma_lkey);
}

int kv_netlink_pd_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner *owner = kv_msg_new_owner(info, KVERBS_A_PD_PERSISTENT);
	struct kv_reply reply;
	struct kv_dev *dev;
	struct kv_obj *pd;
	int ret;

	ret = kv_msg_begin_dev(info, KVERBS_A_PD_DEV, &reply, &dev);
	if (ret)
		return ret;
	pd = kv_pd_create(dev, owner, info->extack);
	ret = kv_msg_end_new(info, &reply, pd, fill_pd, KVERBS_A_PD_VERB_NS);
	kv_msg_unlock_dev(dev);
	return ret;
}

int kv_netlink_pd_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, &kv_pd_class, KVERBS_A_PD_ID, KVERBS_A_PD_VERB_NS);
}

int kv_netlink_pd_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, &kv_pd_class, KVERBS_A_PD_ID, fill_pd);
}

int kv_netlink_pd_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, &kv_pd_class, KVERBS_CMD_PD_GET, fill_pd);
}
