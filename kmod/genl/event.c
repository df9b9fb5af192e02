// SPDX-License-Identifier: GPL-2.0
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include "event.h"
#include "genl/family.h"
#include "genl/msg.h"

/*
 * Is there a listener that may receive events? In a network namespace of another user namespace
 * than the initial one, its root user can join the group: so no events are sent there.
 */
static bool event_is_heard(struct net *net)
{
	return net->user_ns == &init_user_ns && genl_has_listeners(&kv_family, net, 0);
}

static int event_fill(struct sk_buff *skb, const struct kv_event *event, const char *dev)
{
	static const int id_attr[KV_OBJ_RANKS] = {
		[KV_OBJ_RUN] = KVERBS_A_EVENT_RUN,
		[KV_OBJ_CONN] = KVERBS_A_EVENT_CONN,
		[KV_OBJ_QP] = KVERBS_A_EVENT_QP,
		[KV_OBJ_CQ] = KVERBS_A_EVENT_CQ,
		[KV_OBJ_SRQ] = KVERBS_A_EVENT_SRQ,
	};

	if (nla_put_u32(skb, KVERBS_A_EVENT_TYPE, event->type) ||
	    nla_put_string(skb, KVERBS_A_EVENT_DEV, dev) ||
	    (event->id && nla_put_u32(skb, id_attr[event->rank], event->id)) ||
	    (event->old_name && nla_put_string(skb, KVERBS_A_EVENT_OLD_NAME, event->old_name)) ||
	    (event->port && nla_put_u32(skb, KVERBS_A_EVENT_PORT, event->port)))
		return -EMSGSIZE;
	switch (event->type) {
	case KVERBS_EVENT_RUN_DONE:
		return nla_put_s32(skb, KVERBS_A_EVENT_ERROR, event->error);
	case KVERBS_EVENT_WC_ERROR:
		return nla_put_u32(skb, KVERBS_A_EVENT_WC_STATUS, event->wc_status) ?:
		       nla_put_u32(skb, KVERBS_A_EVENT_VENDOR_ERR, event->vendor_err);
	case KVERBS_EVENT_CM:
		return nla_put_u32(skb, KVERBS_A_EVENT_CM_EVENT, event->cm_event) ?:
		       nla_put_s32(skb, KVERBS_A_EVENT_CM_STATUS, event->cm_status);
	default:
		return 0;
	}
}

static void event_send(struct net *net, const struct kv_event *event, const char *dev, gfp_t gfp)
{
	struct sk_buff *skb;
	void *hdr;

	if (!event_is_heard(net))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &kv_family, 0, KVERBS_CMD_EVENT);
	if (!hdr || event_fill(skb, event, dev)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&kv_family, net, skb, 0, 0, gfp);
}

/* Works as long as the family is registered. */
const struct kv_event_sender kv_netlink_sender = {
	.heard = event_is_heard,
	.send = event_send,
};
