// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "ah.h"
#include "dev.h"
#include "genl/av.h"
#include "refuse.h"

static const struct nla_policy policy[KVERBS_A_AH_MAX + 1] = {
	KV_POLICY_OF_PD(AH),
	[KVERBS_A_AH_PORT] = NLA_POLICY_MIN(NLA_U32, 1),
	KV_POLICY_AV(AH),
};

static const struct kv_av_attrs numbers_of_ah = KV_AV_ATTRS(AH);

/**
 * kv_msg_parse_port() - parse the number of a device's port
 * @info: the message
 * @attr: number of the attribute that has the port
 * @ib: the device
 * @port: the default if the attribute is absent; receives the port
 *
 * Return: 0, or -EINVAL with a refusal if the device has no such port.
 */
int kv_msg_parse_port(struct genl_info *info, int attr, struct ib_device *ib, u32 *port)
{
	*port = kv_u32_or(info->attrs[attr], *port);
	if (rdma_is_port_valid(ib, *port))
		return 0;
	return kv_msg_refuse(info, info->attrs[attr], -EINVAL, "the device has no such port");
}

/* Texts of refusals that concern an alternate path, too; @alt: "alt_" there. */
#define AH_NOWHERE(alt) alt "dlid and " alt "dgid are missing: where to?"
#define AH_NO_DLID(alt) alt "dlid is missing: InfiniBand needs it beside " alt "dgid"
#define AH_NO_SGID(alt) alt "sgid_index is missing: " alt "dgid needs it"
#define AH_NO_DGID(alt) alt "sgid_index is of no use without " alt "dgid"
#define ah_text(numbers, TEXT) ((numbers)->alt ? TEXT("alt_") : TEXT(""))

/* Refuses attributes of a GRH in an address without a GRH. */
static int ah_refuse_grh(struct genl_info *info, const struct kv_av_attrs *numbers)
{
	return kv_msg_refuse_given(info, numbers->sgid_index, ah_text(numbers, AH_NO_DGID)) ?:
	       kv_msg_refuse_given(info, numbers->traffic_class,
				   "traffic_class is of no use without dgid") ?:
	       kv_msg_refuse_given(info, numbers->flow_label,
				   "flow_label is of no use without dgid") ?:
	       kv_msg_refuse_given(info, numbers->hop_limit, "hop_limit is of no use without dgid");
}

static int ah_check_sgid(struct genl_info *info, const struct kv_av_attrs *numbers,
			 struct ib_device *ib, u32 port)
{
	struct nlattr *index = info->attrs[numbers->sgid_index];

	if (!index || kv_ah_has_sgid(ib, port, nla_get_u32(index)))
		return 0;
	return kv_msg_refuse(info, index, -EINVAL, "no GID at sgid_index of this port");
}

static int ah_check_av(struct genl_info *info, const struct kv_av_attrs *numbers, bool roce)
{
	int ret;

	if (!roce && !info->attrs[numbers->dgid])
		return kv_msg_need(info, numbers->dlid, ah_text(numbers, AH_NOWHERE)) ?:
		       ah_refuse_grh(info, numbers);
	if (roce)
		ret = kv_msg_refuse_given(info, numbers->dlid,
					  "dlid is of no use here: RoCE has no LIDs") ?:
		      kv_msg_need(info, numbers->dgid, "dgid is missing: RoCE needs it");
	else
		/* A GRH is for the routers; the next hop, a router or the peer, has a LID. */
		ret = kv_msg_need(info, numbers->dlid, ah_text(numbers, AH_NO_DLID));
	return ret ?: kv_msg_need(info, numbers->sgid_index, ah_text(numbers, AH_NO_SGID));
}

/**
 * kv_msg_parse_av() - parse an address
 * @info: the message
 * @numbers: the numbers of its attributes
 * @ib: the device
 * @port: a port of the device, valid
 * @ah: receives the address
 *
 * Return: 0 or a refusal.
 */
int kv_msg_parse_av(struct genl_info *info, const struct kv_av_attrs *numbers,
		    struct ib_device *ib, u32 port, struct rdma_ah_attr *ah)
{
	struct nlattr **attrs = info->attrs;
	union ib_gid dgid;
	int ret;

	ah->type = rdma_ah_find_type(ib, port);
	ret = ah_check_av(info, numbers, ah->type == RDMA_AH_ATTR_TYPE_ROCE) ?:
	      ah_check_sgid(info, numbers, ib, port);
	if (ret)
		return ret;
	rdma_ah_set_port_num(ah, port);
	rdma_ah_set_sl(ah, kv_u32_or(attrs[numbers->sl], 0));
	if (attrs[numbers->dlid])
		rdma_ah_set_dlid(ah, nla_get_u32(attrs[numbers->dlid]));
	if (!attrs[numbers->dgid])
		return 0;
	nla_memcpy(&dgid, attrs[numbers->dgid], sizeof(dgid));
	rdma_ah_set_grh(ah, &dgid, kv_u32_or(attrs[numbers->flow_label], 0),
			nla_get_u32(attrs[numbers->sgid_index]),
			kv_u32_or(attrs[numbers->hop_limit], 64),
			kv_u32_or(attrs[numbers->traffic_class], 0));
	return 0;
}

/* Puts nothing if the address has no such attribute. */
static int ah_put(struct sk_buff *skb, int attr, u32 value)
{
	return attr ? nla_put_u32(skb, attr, value) : 0;
}

/**
 * kv_put_av() - put an address into a message
 * @skb: the message
 * @numbers: the numbers of its attributes
 * @ah: the address
 *
 * Return: 0 or -EMSGSIZE.
 */
int kv_put_av(struct sk_buff *skb, const struct kv_av_attrs *numbers, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	int ret = 0;

	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH)
		ret = nla_put(skb, numbers->dgid, sizeof(grh->dgid), &grh->dgid) ?:
		      ah_put(skb, numbers->sgid_index, grh->sgid_index) ?:
		      ah_put(skb, numbers->traffic_class, grh->traffic_class) ?:
		      ah_put(skb, numbers->flow_label, grh->flow_label) ?:
		      ah_put(skb, numbers->hop_limit, grh->hop_limit);
	if (!ret && ah->type != RDMA_AH_ATTR_TYPE_ROCE)
		ret = nla_put_u32(skb, numbers->dlid, rdma_ah_get_dlid(ah));
	return ret ?: ah_put(skb, numbers->sl, rdma_ah_get_sl(ah));
}

static int ah_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_ah *ah = container_of(obj, struct kv_ah, obj);
	int ret;

	ret = kv_put_parent(skb, KVERBS_A_AH_PD, obj, 0) ?:
	      nla_put_u32(skb, KVERBS_A_AH_PORT, rdma_ah_get_port_num(&ah->attr)) ?:
	      kv_put_av(skb, &numbers_of_ah, &ah->attr);
	if (!ret && ah->attr.type == RDMA_AH_ATTR_TYPE_ROCE)
		ret = nla_put(skb, KVERBS_A_AH_DMAC, ETH_ALEN, ah->attr.roce.dmac);
	return ret;
}

static struct kv_obj *ah_make(struct genl_info *info, const struct kv_new *new)
{
	struct rdma_ah_attr attr = {};
	u32 port = 1;
	int ret;

	if (!(kv_dev_caps(new->dev) & KVERBS_CAP_AH))
		return ERR_PTR(kv_refuse(info->extack, -EOPNOTSUPP,
					 "the device has no address handles"));
	ret = kv_msg_parse_port(info, KVERBS_A_AH_PORT, new->dev->ib, &port) ?:
	      kv_msg_parse_av(info, &numbers_of_ah, new->dev->ib, port, &attr);
	return ret ? ERR_PTR(ret) : kv_ah_create(new, &attr);
}

static const struct kv_noun ah_noun = {
	KV_NOUN_OF_PD(ah, AH),
};

#define TAKES(NAME) KV_TAKES(AH, NAME)

static const struct kv_command ah_commands[] = {
	KV_COMMAND(AH, NEW, .doit = kv_netlink_new, TAKES(PERSISTENT), TAKES(PD), TAKES(PORT),
		   TAKES(DGID), TAKES(SGID_INDEX), TAKES(DLID), TAKES(SL), TAKES(TRAFFIC_CLASS),
		   TAKES(FLOW_LABEL), TAKES(HOP_LIMIT)),
	KV_COMMAND(AH, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND_AT_ONCE(AH, GET, KV_SHOWS, TAKES(ID)),
};

KV_COMMAND_SET(ah, AH, &ah_noun);
