// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "buf.h"
#include "dev.h"
#include "genl/msg.h"
#include "mr.h"
#include "qp.h"
#include "refuse.h"
#include "rules/buf.h"

static const struct nla_policy policy[KVERBS_A_MR_MAX + 1] = {
	KV_POLICY_OF_PD(MR),
	[KVERBS_A_MR_MAX_PAGES] = KV_POLICY_COUNT,
	[KVERBS_A_MR_QP] = KV_POLICY_ID,
	[KVERBS_A_MR_BUF] = KV_POLICY_ID,
	[KVERBS_A_MR_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_MR_LENGTH] = KV_POLICY_U64_COUNT,
	[KVERBS_A_MR_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_MR_POST_CONTEXT] = NLA_POLICY_MAX(NLA_U32, KVERBS_POST_MAX),
};

/* Puts the bytes, the rights and the keys of a registration. */
static int mr_fill_key(struct sk_buff *skb, const struct kv_mr *mr)
{
	bool remote = mr->access & ~KVERBS_ACCESS_LOCAL_WRITE;

	return kv_put_parent(skb, KVERBS_A_MR_BUF, &mr->obj, KV_MR_BUF) ?:
	       kv_put_u64(skb, KVERBS_A_MR_OFFSET, mr->offset) ?:
	       kv_put_u64(skb, KVERBS_A_MR_LENGTH, mr->length) ?:
	       nla_put_u32(skb, KVERBS_A_MR_ACCESS, mr->access) ?:
	       nla_put_u32(skb, KVERBS_A_MR_LKEY, mr->ib->lkey) ?:
	       nla_put_u32(skb, KVERBS_A_MR_RKEY, remote ? mr->ib->rkey : 0) ?:
	       kv_put_u64(skb, KVERBS_A_MR_IOVA, mr->ib->iova);
}

static int mr_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	int ret;

	ret = kv_put_parent(skb, KVERBS_A_MR_PD, obj, KV_MR_PD) ?:
	      nla_put_u32(skb, KVERBS_A_MR_MAX_PAGES, mr->max_pages) ?:
	      (kv_mr_in_run(mr) ? 0 : nla_put_u32(skb, KVERBS_A_MR_LAST_KEY, mr->ib->rkey));
	return ret || !kv_mr_registered(mr) ? ret : mr_fill_key(skb, mr);
}

static struct kv_obj *mr_make(struct genl_info *info, const struct kv_new *new)
{
	u32 max = kv_dev_max_mr_pages(new->dev);
	int ret;

	if (!max)
		return ERR_PTR(kv_refuse(info->extack, -EOPNOTSUPP,
					 "the device has no fast registration"));
	ret = kv_msg_check_max(info, KVERBS_A_MR_MAX_PAGES, max,
			       "max_pages is above the device's max_fast_reg_pages");
	if (ret)
		return ERR_PTR(ret);
	return kv_mr_create(new, kv_u32_or(info->attrs[KVERBS_A_MR_MAX_PAGES], 0));
}

static const struct kv_noun mr_noun = {
	KV_NOUN_OF_PD(mr, MR),
	.stage = KVERBS_A_MR_STAGE,
};

/* Finds the QP that carries a registration; it must be of the MR's PD, and in RTS. */
static int mr_find_reg_qp(struct genl_info *info, struct kv_mr *mr, struct kv_qp **qp)
{
	struct nlattr *id = info->attrs[KVERBS_A_MR_QP];
	int ret;

	ret = kv_msg_need(info, KVERBS_A_MR_QP, "qp is missing: which qp carries the request?") ?:
	      kv_msg_find(info, id, qp, mr->obj.dev, qp);
	if (ret)
		return ret;
	if ((*qp)->obj.parents[KV_QP_PD] != mr->obj.parents[KV_MR_PD])
		return kv_msg_refuse(info, id, -EINVAL, "the qp is of another pd than the mr");
	if ((*qp)->type != KVERBS_QPT_RC)
		return kv_msg_refuse(info, id, -EINVAL,
				     "uc and ud qps carry no registration: take an rc qp of the same pd");
	ret = kv_qp_check_rts(*qp, info->extack);
	if (ret)
		NL_SET_BAD_ATTR(info->extack, id);
	return ret;
}

/* Finds the buffer and its bytes; without LENGTH they are the bytes from OFFSET to the end. */
static int mr_find_reg(struct genl_info *info, const struct kv_mr *mr, struct kv_mr_reg *reg)
{
	struct kv_dev *dev = mr->obj.dev;
	struct kv_reg_facts facts;
	struct kv_refusal why;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_MR_BUF, "buf is missing: which buffer is registered?") ?:
	      kv_msg_find(info, info->attrs[KVERBS_A_MR_BUF], buf, dev, &reg->buf);
	if (ret)
		return ret;
	ret = kv_mr_check_buf(mr, reg->buf, info->extack);
	if (ret) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[KVERBS_A_MR_BUF]);
		return ret;
	}
	reg->offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	reg->length = kv_u64_or(info->attrs[KVERBS_A_MR_LENGTH],
				reg->offset < reg->buf->length ?
				reg->buf->length - reg->offset : 0);
	reg->access = kv_u32_or(info->attrs[KVERBS_A_MR_ACCESS], 0);
	facts = (struct kv_reg_facts){
		.buffer = reg->buf->length,
		.offset = reg->offset,
		.length = reg->length,
		.page_size = kv_dev_page_size(dev),
		.max_pages = mr->max_pages,
		.access = reg->access,
		.atomic = kv_dev_caps(dev) & KVERBS_CAP_ATOMIC,
	};
	if (!kv_reg_check(&facts, &why))
		return 0;
	if (why.attr)
		return kv_msg_refuse_by(info, &why);
	return kv_msg_refuse(info, info->attrs[KVERBS_A_MR_OFFSET] ?:
			     info->attrs[KVERBS_A_MR_LENGTH], why.error, why.text);
}

/* MR_REG or MR_INV. */
static int mr_request(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	u32 context = kv_u32_or(info->attrs[KVERBS_A_MR_POST_CONTEXT], KVERBS_POST_PROCESS);
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	struct kv_mr_reg reg = { .post_context = context };
	struct kv_qp *qp;
	int ret;

	ret = mr_find_reg_qp(info, mr, &qp);
	if (!ret && info->genlhdr->cmd == KVERBS_CMD_MR_INV)
		ret = kv_mr_inv(mr, qp, context, info->extack);
	else if (!ret)
		ret = mr_find_reg(info, mr, &reg) ?: kv_mr_reg(mr, qp, &reg, info->extack);
	return ret ?: kv_put_obj(skb, obj, &mr_noun);
}

#define TAKES(NAME) KV_TAKES(MR, NAME)

static const struct kv_command mr_commands[] = {
	KV_COMMAND(MR, NEW, .doit = kv_netlink_new, TAKES(PERSISTENT), TAKES(PD), TAKES(MAX_PAGES)),
	KV_COMMAND(MR, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND_AT_ONCE(MR, GET, KV_SHOWS, TAKES(ID)),
	KV_COMMAND(MR, REG, .run = mr_request, TAKES(ID), TAKES(QP), TAKES(BUF), TAKES(OFFSET),
		   TAKES(LENGTH), TAKES(ACCESS), TAKES(POST_CONTEXT)),
	KV_COMMAND(MR, INV, .run = mr_request, TAKES(ID), TAKES(QP), TAKES(POST_CONTEXT)),
};

KV_COMMAND_SET(mr, MR, &mr_noun);
