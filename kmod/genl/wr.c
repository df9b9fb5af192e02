// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "ah.h"
#include "dev.h"
#include "genl/msg.h"
#include "mr.h"
#include "post.h"
#include "qp.h"
#include "rules/request.h"
#include "srq.h"
#include "wr.h"

static const struct nla_policy sge_policy[KVERBS_A_SGE_MAX + 1] = {
	[KVERBS_A_SGE_MR] = KV_POLICY_ID,
	[KVERBS_A_SGE_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_SGE_LENGTH] = { .type = NLA_U32 },
	[KVERBS_A_SGE_LKEY] = NLA_POLICY_MAX(NLA_U32, KVERBS_LKEY_MAX),
};

const struct nla_policy kv_wr_policy[KVERBS_A_WR_MAX + 1] = {
	[KVERBS_A_WR_QP] = KV_POLICY_ID,
	[KVERBS_A_WR_SRQ] = KV_POLICY_ID,
	[KVERBS_A_WR_OP] = NLA_POLICY_MAX(NLA_U32, KVERBS_OP_RECV),
	[KVERBS_A_WR_WR_ID] = { .type = NLA_U64 },
	[KVERBS_A_WR_FLAGS] = NLA_POLICY_MASK(NLA_U32, KVERBS_WR__ALL),
	[KVERBS_A_WR_IMM] = { .type = NLA_U32 },
	[KVERBS_A_WR_SGE] = NLA_POLICY_NESTED(sge_policy),
	[KVERBS_A_WR_REMOTE_ADDR] = { .type = NLA_U64 },
	[KVERBS_A_WR_REMOTE_KEY] = { .type = NLA_U32 },
	[KVERBS_A_WR_COMPARE_ADD] = { .type = NLA_U64 },
	[KVERBS_A_WR_SWAP] = { .type = NLA_U64 },
	[KVERBS_A_WR_AH] = KV_POLICY_ID,
	[KVERBS_A_WR_REMOTE_QPN] = KV_POLICY_24BIT,
	[KVERBS_A_WR_REMOTE_QKEY] = { .type = NLA_U32 },
};

/* What does not need the objects. */
static int parse_spec(struct genl_info *info, struct kv_wr_spec *spec)
{
	struct nlattr **attrs = info->attrs;
	struct kv_refusal why;
	unsigned int i;
	u32 given = 0;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_WR_OP, "op is missing: which operation?");
	if (ret)
		return ret;
	spec->op = nla_get_u32(attrs[KVERBS_A_WR_OP]);
	for (i = 0; i <= KVERBS_A_WR_MAX; i++)
		given |= attrs[i] ? BIT(i) : 0;
	if (kv_request_check_attrs(spec->op, given, &why))
		return kv_msg_refuse_by(info, &why);
	spec->wr_id = kv_u64_or(attrs[KVERBS_A_WR_WR_ID], 0);
	spec->flags = kv_u32_or(attrs[KVERBS_A_WR_FLAGS], 0);
	spec->has_imm = attrs[KVERBS_A_WR_IMM];
	spec->imm = kv_u32_or(attrs[KVERBS_A_WR_IMM], 0);
	spec->remote_addr = kv_u64_or(attrs[KVERBS_A_WR_REMOTE_ADDR], 0);
	spec->remote_key = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_KEY], 0);
	spec->compare_add = kv_u64_or(attrs[KVERBS_A_WR_COMPARE_ADD], 0);
	spec->swap = kv_u64_or(attrs[KVERBS_A_WR_SWAP], 0);
	spec->remote_qpn = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_QPN], 0);
	spec->remote_qkey = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_QKEY], 0);
	return 0;
}

static int parse_sge(struct genl_info *info, struct nlattr *nest,
		     struct kv_dev *dev, struct kv_wr_sge *sge)
{
	struct nlattr *attrs[KVERBS_A_SGE_MAX + 1];
	struct kv_obj *obj;
	u64 left;
	int ret;

	ret = nla_parse_nested(attrs, KVERBS_A_SGE_MAX, nest, sge_policy, info->extack);
	if (ret)
		return ret;
	if (!attrs[KVERBS_A_SGE_MR])
		return kv_msg_refuse(info, nest, -EINVAL, "mr is missing in an sge: which buffer?");
	obj = kv_msg_find_obj(info, attrs[KVERBS_A_SGE_MR], &kv_mr_class, dev);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	sge->mr = container_of(obj, struct kv_mr, obj);
	sge->offset = kv_u64_or(attrs[KVERBS_A_SGE_OFFSET], 0);
	left = sge->offset < sge->mr->length ? sge->mr->length - sge->offset : 0;
	sge->length = kv_u32_or(attrs[KVERBS_A_SGE_LENGTH], left);
	sge->lkey = kv_u32_or(attrs[KVERBS_A_SGE_LKEY], KVERBS_LKEY_DMA);
	return 0;
}

static int parse_sges(struct genl_info *info, struct kv_dev *dev,
		      struct kv_wr_spec *spec)
{
	struct nlattr *attr;
	int rem, ret;

	nla_for_each_attr(attr, genlmsg_data(info->genlhdr),
			  genlmsg_len(info->genlhdr), rem) {
		if (nla_type(attr) != KVERBS_A_WR_SGE)
			continue;
		if (spec->sges == KVERBS_SGE_MAX)
			return kv_msg_refuse(info, attr, -EINVAL, "more than 32 sges");
		ret = parse_sge(info, attr, dev, &spec->sge[spec->sges]);
		if (ret)
			return ret;
		spec->sges++;
	}
	return 0;
}

/* Points a refusal at one of the pieces, if there are so many. */
static void blame_sge(struct genl_info *info, unsigned int n)
{
	struct nlattr *attr;
	int rem;

	nla_for_each_attr(attr, genlmsg_data(info->genlhdr),
			  genlmsg_len(info->genlhdr), rem)
		if (nla_type(attr) == KVERBS_A_WR_SGE && !n--)
			NL_SET_BAD_ATTR(info->extack, attr);
}

/* What it names, of the device that is locked; and off it goes. */
static int post(struct genl_info *info, struct kv_wr_spec *spec,
		struct kv_obj *queue, u64 *verb_ns)
{
	struct nlattr *ah_id = info->attrs[KVERBS_A_WR_AH];
	struct kv_obj *ah;
	unsigned int sge;
	int ret;

	if (queue->class == &kv_qp_class)
		spec->qp = container_of(queue, struct kv_qp, obj);
	else
		spec->srq = container_of(queue, struct kv_srq, obj);
	ret = parse_sges(info, queue->dev, spec);
	if (ret)
		return ret;
	if (ah_id) {
		ah = kv_msg_find_obj(info, ah_id, &kv_ah_class, queue->dev);
		if (IS_ERR(ah))
			return PTR_ERR(ah);
		spec->ah = container_of(ah, struct kv_ah, obj);
	}
	ret = kv_wr_check(spec, &sge, info->extack);
	if (ret) {
		blame_sge(info, sge);
		return ret;
	}
	return kv_post(spec, verb_ns, info->extack);
}

static int parse_and_post(struct genl_info *info, struct kv_wr_spec *spec)
{
	bool srq = info->attrs[KVERBS_A_WR_SRQ];
	struct kv_reply reply;
	struct kv_obj *queue;
	u64 verb_ns;
	int ret;

	ret = parse_spec(info, spec) ?:
	      kv_msg_begin_obj(info, srq ? KVERBS_A_WR_SRQ : KVERBS_A_WR_QP,
			       srq ? &kv_srq_class : &kv_qp_class, GENLMSG_DEFAULT_SIZE,
			       &reply, &queue);
	if (ret)
		return ret;
	ret = post(info, spec, queue, &verb_ns) ?:
	      kv_put_u64(reply.skb, KVERBS_A_WR_VERB_NS, verb_ns);
	return kv_msg_end_obj(info, &reply, queue, ret);
}

int kv_netlink_wr_post(struct sk_buff *skb, struct genl_info *info)
{
	/* Not on the stack: 32 pieces take most of 1 KiB. */
	struct kv_wr_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	int ret;

	if (!spec)
		return -ENOMEM;
	ret = parse_and_post(info, spec);
	kfree(spec);
	return ret;
}
