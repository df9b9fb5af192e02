// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "ah.h"
#include "buf.h"
#include "genl/msg.h"
#include "mr.h"
#include "post.h"
#include "qp.h"
#include "rules/request.h"
#include "srq.h"
#include "wr.h"

static const struct nla_policy sge_policy[KVERBS_A_SGE_MAX + 1] = {
	[KVERBS_A_SGE_BUF] = KV_POLICY_ID,
	[KVERBS_A_SGE_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_SGE_LENGTH] = { .type = NLA_U32 },
	[KVERBS_A_SGE_MR] = KV_POLICY_ID,
};

static const struct nla_policy wr_policy[KVERBS_A_WR_MAX + 1] = {
	[KVERBS_A_WR_OP] = NLA_POLICY_MAX(NLA_U32, KVERBS_OP_MAX),
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
	[KVERBS_A_WR_INVALIDATE_RKEY] = { .type = NLA_U32 },
};

static const struct nla_policy policy[KVERBS_A_POST_MAX + 1] = {
	[KVERBS_A_POST_QP] = KV_POLICY_ID,
	[KVERBS_A_POST_SRQ] = KV_POLICY_ID,
	[KVERBS_A_POST_WR] = NLA_POLICY_NESTED(wr_policy),
	[KVERBS_A_POST_CONTEXT] = NLA_POLICY_MAX(NLA_U32, KVERBS_POST_MAX),
};

/* Parses the attributes that name no objects. @first: the list's first request. */
static int wr_parse_spec(struct genl_info *info, struct nlattr *nest, struct nlattr **attrs,
			 const struct kv_wr_spec *first, struct kv_wr_spec *spec)
{
	struct kv_refusal why;

	spec->op = kv_u32_or(attrs[KVERBS_A_WR_OP], 0);
	if (kv_request_check_attrs(spec->op, kv_attrs_given(attrs, KVERBS_A_WR_MAX), &why) ||
	    kv_request_check_queue(spec->op, first->op, info->attrs[KVERBS_A_POST_SRQ], &why)) {
		/* Of a list, the request that lacks an attribute is named, too. */
		NL_SET_BAD_ATTR(info->extack, nest);
		return kv_msg_refuse_in(info, nest, attrs, &why);
	}
	spec->wr_id = kv_u64_or(attrs[KVERBS_A_WR_WR_ID], 0);
	spec->flags = kv_u32_or(attrs[KVERBS_A_WR_FLAGS], 0);
	spec->imm = kv_u32_or(attrs[KVERBS_A_WR_IMM], 0);
	spec->remote_addr = kv_u64_or(attrs[KVERBS_A_WR_REMOTE_ADDR], 0);
	spec->remote_key = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_KEY], 0);
	spec->compare_add = kv_u64_or(attrs[KVERBS_A_WR_COMPARE_ADD], 0);
	spec->swap = kv_u64_or(attrs[KVERBS_A_WR_SWAP], 0);
	spec->remote_qpn = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_QPN], 0);
	spec->remote_qkey = kv_u32_or(attrs[KVERBS_A_WR_REMOTE_QKEY], 0);
	spec->invalidate_rkey = kv_u32_or(attrs[KVERBS_A_WR_INVALIDATE_RKEY], 0);
	return 0;
}

static int wr_parse_sge(struct genl_info *info, struct nlattr *nest,
			struct kv_dev *dev, struct kv_wr_sge *sge)
{
	struct nlattr *attrs[KVERBS_A_SGE_MAX + 1];
	struct kv_refusal why;
	u64 left;
	int ret;

	ret = nla_parse_nested(attrs, KVERBS_A_SGE_MAX, nest, sge_policy, info->extack);
	if (ret)
		return ret;
	if (!attrs[KVERBS_A_SGE_BUF])
		return kv_msg_refuse(info, nest, -EINVAL,
				     "buf is missing in an sge: which buffer?");
	ret = kv_msg_find(info, attrs[KVERBS_A_SGE_BUF], buf, dev, &sge->buf);
	if (ret)
		return ret;
	sge->offset = kv_u64_or(attrs[KVERBS_A_SGE_OFFSET], 0);
	left = sge->offset < sge->buf->length ? sge->buf->length - sge->offset : 0;
	if (!attrs[KVERBS_A_SGE_LENGTH] && kv_request_check_rest(left, &why))
		return kv_msg_refuse(info, nest, why.error, why.text);
	sge->length = kv_u32_or(attrs[KVERBS_A_SGE_LENGTH], left);
	return kv_msg_find(info, attrs[KVERBS_A_SGE_MR], mr, dev, &sge->mr);
}

static int wr_parse_sges(struct genl_info *info, struct nlattr *nest, struct kv_dev *dev,
			 struct kv_wr_spec *spec)
{
	struct nlattr *attr;
	int ret, rem;

	nla_for_each_nested(attr, nest, rem) {
		if (nla_type(attr) != KVERBS_A_WR_SGE)
			continue;
		if (spec->sges == KVERBS_SGE_MAX)
			return kv_msg_refuse(info, attr, -EINVAL, "more than 32 sges");
		ret = wr_parse_sge(info, attr, dev, &spec->sge[spec->sges]);
		if (ret)
			return ret;
		spec->sges++;
	}
	return 0;
}

/* Names the SGE number @n in a refusal, or the request if it has fewer SGEs. */
static void wr_blame_sge(struct genl_info *info, struct nlattr *nest, unsigned int n)
{
	struct nlattr *attr, *wrong = nest;
	int rem;

	nla_for_each_nested(attr, nest, rem)
		if (nla_type(attr) == KVERBS_A_WR_SGE && n-- == 0)
			wrong = attr;
	NL_SET_BAD_ATTR(info->extack, wrong);
}

/* Finds the objects that the request names; they are of the locked device. */
static int wr_parse_objects(struct genl_info *info, struct nlattr *nest, struct kv_obj *queue,
			    struct kv_wr_spec *spec)
{
	struct nlattr *ah_id = nla_find_nested(nest, KVERBS_A_WR_AH);
	unsigned int sge;
	int ret;

	if (queue->class == &kv_qp_class)
		spec->qp = container_of(queue, struct kv_qp, obj);
	else
		spec->srq = container_of(queue, struct kv_srq, obj);
	ret = wr_parse_sges(info, nest, queue->dev, spec) ?:
	      kv_msg_find(info, ah_id, ah, queue->dev, &spec->ah);
	if (ret)
		return ret;
	ret = kv_wr_check(spec, &sge, info->extack);
	if (ret)
		wr_blame_sge(info, nest, sge);
	return ret;
}

static int wr_post_list(struct genl_info *info, struct kv_wr_spec *spec, unsigned int n,
			struct kv_obj *queue, struct sk_buff *skb)
{
	struct kv_posted posted = {};
	struct kv_wr_spec *at = spec;
	struct nlattr *nest;
	int ret, rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nest) != KVERBS_A_POST_WR)
			continue;
		ret = wr_parse_objects(info, nest, queue, at++);
		if (ret)
			return ret;
	}
	return kv_post(spec, n, kv_u32_or(info->attrs[KVERBS_A_POST_CONTEXT], KVERBS_POST_PROCESS),
		       &posted, info->extack) ?:
	       nla_put_u32(skb, KVERBS_A_POST_POSTED, posted.n) ?:
	       (posted.error ? nla_put_s32(skb, KVERBS_A_POST_ERROR, posted.error) : 0) ?:
	       kv_put_u64(skb, KVERBS_A_POST_VERB_NS, posted.verb_ns);
}

/* All requests are checked before any object is looked for. */
static int wr_parse_and_post(struct genl_info *info, struct kv_wr_spec *spec, unsigned int n)
{
	bool srq = info->attrs[KVERBS_A_POST_SRQ];
	u32 queue_attr = srq ? KVERBS_A_POST_SRQ : KVERBS_A_POST_QP;
	struct nlattr *attrs[KVERBS_A_WR_MAX + 1];
	struct kv_wr_spec *at = spec;
	struct sk_buff *reply;
	struct kv_obj *queue;
	struct nlattr *nest;
	int ret, rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nest) != KVERBS_A_POST_WR)
			continue;
		ret = nla_parse_nested(attrs, KVERBS_A_WR_MAX, nest, wr_policy, info->extack) ?:
		      wr_parse_spec(info, nest, attrs, spec, at++);
		if (ret)
			return ret;
	}
	ret = kv_msg_begin_obj(info, queue_attr, srq ? &kv_srq_class : &kv_qp_class,
			       GENLMSG_DEFAULT_SIZE, &reply, &queue);
	if (ret)
		return ret;
	ret = wr_post_list(info, spec, n, queue, reply);
	/* The queue's state or its room; a verb that has failed is named by its stage. */
	if (ret && !info->extack->bad_attr && !info->extack->cookie_len)
		NL_SET_BAD_ATTR(info->extack, info->attrs[queue_attr]);
	kv_obj_unlock(queue);
	return kv_reply_end(info, reply, ret);
}

static int wr_post(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_wr_spec *spec;
	struct kv_refusal why;
	struct nlattr *nest;
	unsigned int n = 0;
	int ret, rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(nest) == KVERBS_A_POST_WR;
	if (kv_request_check_list(kv_attrs_given(info->attrs, KVERBS_A_POST_MAX), n, &why))
		return kv_msg_refuse_by(info, &why);
	/* Not on the stack: each has 32 SGEs, which take most of 1 KiB. */
	spec = kvcalloc(n, sizeof(*spec), GFP_KERNEL);
	if (!spec)
		return -ENOMEM;
	ret = wr_parse_and_post(info, spec, n);
	kvfree(spec);
	return ret;
}

#define TAKES(NAME) KV_TAKES(POST, NAME)

static const struct kv_command wr_commands[] = {
	KV_COMMAND_AT_ONCE(WR, POST, .doit = wr_post, TAKES(QP), TAKES(SRQ), TAKES(WR),
			   TAKES(CONTEXT)),
};

KV_COMMAND_SET(wr, POST, NULL);
