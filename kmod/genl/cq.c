// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "cq.h"
#include "dev.h"
#include "genl/msg.h"
#include "post.h"

static const struct nla_policy policy[KVERBS_A_CQ_MAX + 1] = {
	KV_POLICY_OF_DEV(CQ),
	[KVERBS_A_CQ_CQE] = KV_POLICY_COUNT,
	[KVERBS_A_CQ_COMP_VECTOR] = KV_POLICY_INT,
	[KVERBS_A_CQ_CONTEXT] = NLA_POLICY_MAX(NLA_U32, KVERBS_CQ_MAX),
	[KVERBS_A_CQ_MAX_WC] = NLA_POLICY_RANGE(NLA_U32, 1, KVERBS_POLL_MAX),
	[KVERBS_A_CQ_SOLICITED] = { .type = NLA_FLAG },
	[KVERBS_A_CQ_MODERATION_COUNT] = KV_POLICY_16BIT,
	[KVERBS_A_CQ_MODERATION_PERIOD] = KV_POLICY_16BIT,
};

static int cq_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_cq *cq = container_of(obj, struct kv_cq, obj);

	return nla_put_u32(skb, KVERBS_A_CQ_CQE, cq->cqe) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_COMP_VECTOR, cq->comp_vector) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_CONTEXT, cq->context) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_MODERATION_COUNT, cq->moderation.count) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_MODERATION_PERIOD, cq->moderation.period) ?:
	       nla_put_u32(skb, KVERBS_A_CQ_PENDING, kv_wqe_pending(cq));
}

static struct kv_obj *cq_make(struct genl_info *info, const struct kv_new *new)
{
	struct nlattr **attrs = info->attrs;
	u32 context = kv_u32_or(attrs[KVERBS_A_CQ_CONTEXT], KVERBS_CQ_POLLED);
	const struct kv_cq_moderation moderation = {
		.count = kv_u32_or(attrs[KVERBS_A_CQ_MODERATION_COUNT], 0),
		.period = kv_u32_or(attrs[KVERBS_A_CQ_MODERATION_PERIOD], 0),
	};
	const struct kv_cq_moderation most = kv_cq_most_moderation(new->dev->ib);
	struct kv_refusal why;
	int ret;

	ret = kv_msg_check_limit(info, CQ_CQE, "cqe", new->dev, max_cqe) ?:
	      kv_msg_check_max(info, KVERBS_A_CQ_COMP_VECTOR, new->dev->ib->num_comp_vectors - 1,
			       "comp_vector is not below the device's num_comp_vectors");
	if (!ret && kv_cq_check_moderation(&moderation, &most, context, &why))
		ret = kv_msg_refuse_by(info, &why);
	if (ret)
		return ERR_PTR(ret);
	return kv_cq_create(new, nla_get_u32(attrs[KVERBS_A_CQ_CQE]),
			    kv_u32_or(attrs[KVERBS_A_CQ_COMP_VECTOR], 0), context, &moderation);
}

static const struct kv_noun cq_noun = {
	KV_NOUN(cq, CQ),
	.verb_ns = KVERBS_A_CQ_VERB_NS,
};

static int cq_fill_wc(struct sk_buff *skb, const struct kv_wc *wc)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_CQ_WC);

	if (!nest ||
	    kv_put_u64(skb, KVERBS_A_WC_WR_ID, wc->wr_id) ||
	    nla_put_u32(skb, KVERBS_A_WC_STATUS, wc->status) ||
	    (wc->status && nla_put_u32(skb, KVERBS_A_WC_VENDOR_ERR, wc->vendor_err)) ||
	    nla_put_u32(skb, KVERBS_A_WC_OP, wc->op) ||
	    nla_put_u32(skb, KVERBS_A_WC_QP, wc->qp) ||
	    (wc->has_length && nla_put_u32(skb, KVERBS_A_WC_LENGTH, wc->length)) ||
	    (wc->has_imm && nla_put_u32(skb, KVERBS_A_WC_IMM, wc->imm)) ||
	    (wc->has_inv &&
	     nla_put_u32(skb, KVERBS_A_WC_INVALIDATE_RKEY, wc->invalidate_rkey)) ||
	    (wc->has_src_qpn && nla_put_u32(skb, KVERBS_A_WC_SRC_QPN, wc->src_qpn)) ||
	    (wc->grh && nla_put_flag(skb, KVERBS_A_WC_GRH)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static unsigned int cq_max_wc(const struct genl_info *info)
{
	return kv_u32_or(info->attrs[KVERBS_A_CQ_MAX_WC], KVERBS_POLL_MAX);
}

/* A polled completion is returned only once: the reply has room for all. */
static size_t cq_size_of_wcs(const struct genl_info *info)
{
	return GENLMSG_DEFAULT_SIZE +
	       cq_max_wc(info) * nla_total_size(nla_total_size(sizeof(u64)) +
				    9 * nla_total_size(sizeof(u32)));
}

static int cq_poll(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	unsigned int max = cq_max_wc(info);
	struct kv_wc *wcs;
	u64 verb_ns;
	int ret, n, i;

	wcs = kcalloc(max, sizeof(*wcs), GFP_KERNEL);
	if (!wcs)
		return -ENOMEM;
	n = kv_post_poll(container_of(obj, struct kv_cq, obj), wcs, max, &verb_ns, info->extack);
	ret = min(n, 0);
	for (i = 0; !ret && i < n; i++)
		ret = cq_fill_wc(skb, &wcs[i]);
	kfree(wcs);
	return ret ?: kv_put_u64(skb, KVERBS_A_CQ_VERB_NS, verb_ns);
}

static int cq_arm(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct nlattr *solicited = info->attrs[KVERBS_A_CQ_SOLICITED];
	struct kv_cq *cq = container_of(obj, struct kv_cq, obj);
	int ret = kv_cq_arm(cq, solicited, info->extack);

	/* Of a CQ that the RDMA core polls nothing else is wrong, and no verb is called. */
	if (ret == -EINVAL && kv_cq_core_polls(cq))
		NL_SET_BAD_ATTR(info->extack, solicited);
	return ret > 0 ? nla_put_flag(skb, KVERBS_A_CQ_MISSED) : ret;
}

#define TAKES(NAME) KV_TAKES(CQ, NAME)
#define NEEDS(NAME, text) KV_NEEDS(CQ, NAME, text)

static const struct kv_command cq_commands[] = {
	KV_COMMAND(CQ, NEW, .doit = kv_netlink_new, TAKES(DEV), TAKES(PERSISTENT),
		   NEEDS(CQE, "cqe is missing: how many completions must the cq hold?"),
		   TAKES(COMP_VECTOR), TAKES(CONTEXT), TAKES(MODERATION_COUNT),
		   TAKES(MODERATION_PERIOD)),
	KV_COMMAND(CQ, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND_AT_ONCE(CQ, GET, KV_SHOWS, TAKES(ID)),
	{ .cmd = KVERBS_CMD_CQ_POLL, .at_once = true, .run = cq_poll, .size = cq_size_of_wcs,
	  KV_TAKEN(TAKES(ID), TAKES(MAX_WC)) },
	KV_COMMAND_AT_ONCE(CQ, ARM, .run = cq_arm, TAKES(ID), TAKES(SOLICITED)),
};

KV_COMMAND_SET(cq, CQ, &cq_noun);
