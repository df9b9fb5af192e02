// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "genl/msg.h"

static const struct nla_policy policy[KVERBS_A_PD_MAX + 1] = {
	KV_POLICY_OF_DEV(PD),
};

static int pd_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_pd *pd = container_of(obj, struct kv_pd, obj);

	return nla_put_u32(skb, KVERBS_A_PD_LOCAL_DMA_LKEY, pd->ib->local_dma_lkey);
}

static struct kv_obj *pd_make(struct genl_info *info, const struct kv_new *new)
{
	return kv_pd_create(new);
}

static const struct kv_noun pd_noun = {
	KV_NOUN(pd, PD),
	.verb_ns = KVERBS_A_PD_VERB_NS,
};

#define TAKES(NAME) KV_TAKES(PD, NAME)

static const struct kv_command pd_commands[] = {
	KV_COMMAND(PD, NEW, .doit = kv_netlink_new, TAKES(DEV), TAKES(PERSISTENT)),
	KV_COMMAND(PD, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND_AT_ONCE(PD, GET, KV_SHOWS, TAKES(ID)),
};

KV_COMMAND_SET(pd, PD, &pd_noun);
