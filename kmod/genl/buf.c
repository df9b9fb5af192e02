// SPDX-License-Identifier: GPL-2.0
#include <linux/stringify.h>
#include "buf.h"
#include "genl/msg.h"
#include "rules/buf.h"

static struct netlink_range_validation range_pieces = { .min = 1, .max = KVERBS_PIECES_MAX };

static const struct nla_policy policy[KVERBS_A_BUF_MAX + 1] = {
	KV_POLICY_OF_DEV(BUF),
	[KVERBS_A_BUF_LENGTH] = KV_POLICY_U64_COUNT,
	[KVERBS_A_BUF_PIECES] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_pieces),
	[KVERBS_A_BUF_NODE] = KV_POLICY_INT,
	[KVERBS_A_BUF_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_BUF_DATA] = NLA_POLICY_RANGE(NLA_BINARY, 1, KVERBS_DATA_MAX),
};

static int buf_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_buf *buf = container_of(obj, struct kv_buf, obj);

	return kv_put_u64(skb, KVERBS_A_BUF_LENGTH, buf->length) ?:
	       nla_put_u32(skb, KVERBS_A_BUF_PIECES, buf->pieces) ?:
	       nla_put_u32(skb, KVERBS_A_BUF_NODE, kv_buf_node(buf));
}

static struct kv_obj *buf_make(struct genl_info *info, const struct kv_new *new)
{
	struct nlattr **attrs = info->attrs;
	struct kv_obj *buf;
	struct kv_refusal why;

	buf = kv_buf_create(new, nla_get_u64(attrs[KVERBS_A_BUF_LENGTH]),
			    kv_u32_or(attrs[KVERBS_A_BUF_PIECES], 0),
			    kv_u32_or(attrs[KVERBS_A_BUF_NODE], NUMA_NO_NODE), &why);
	if (IS_ERR(buf) && attrs[why.attr])
		NL_SET_BAD_ATTR(info->extack, attrs[why.attr]);
	return buf;
}

static const struct kv_noun buf_noun = {
	KV_NOUN(buf, BUF),
};

static int buf_check_range(struct genl_info *info, const struct kv_buf *buf, u64 offset, u64 length)
{
	struct nlattr **attrs = info->attrs;
	struct nlattr *wrong = attrs[KVERBS_A_BUF_OFFSET] ?: attrs[KVERBS_A_BUF_LENGTH] ?:
			       attrs[KVERBS_A_BUF_DATA];
	struct kv_refusal why;

	return kv_buf_rules_check_range(buf->length, offset, length, &why) ?
	       kv_msg_refuse(info, wrong, why.error, why.text) : 0;
}

static int buf_write(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *data = info->attrs[KVERBS_A_BUF_DATA];
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_BUF_OFFSET], 0);
	struct kv_obj *obj;
	struct kv_buf *buf;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_BUF_DATA, "data is missing") ?:
	      kv_msg_lock_obj(info, KVERBS_A_BUF_ID, &kv_buf_class, &obj);
	if (ret)
		return ret;
	buf = container_of(obj, struct kv_buf, obj);
	ret = buf_check_range(info, buf, offset, nla_len(data));
	if (!ret)
		kv_buf_copy(buf, offset, nla_data(data), nla_len(data), DMA_TO_DEVICE);
	kv_obj_unlock(obj);
	return ret;
}

static int buf_read(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_BUF_OFFSET], 0);
	u64 length = nla_get_u64(info->attrs[KVERBS_A_BUF_LENGTH]);
	struct kv_buf *buf = container_of(obj, struct kv_buf, obj);
	struct nlattr *attr;
	int ret;

	ret = buf_check_range(info, buf, offset, length);
	if (ret)
		return ret;
	attr = nla_reserve(skb, KVERBS_A_BUF_DATA, length);
	if (!attr)
		return -EMSGSIZE;
	kv_buf_copy(buf, offset, nla_data(attr), nla_len(attr), DMA_FROM_DEVICE);
	return 0;
}

static int buf_check_read(struct genl_info *info)
{
	struct nlattr *length = info->attrs[KVERBS_A_BUF_LENGTH];

	if (nla_get_u64(length) <= KVERBS_DATA_MAX)
		return 0;
	return kv_msg_refuse(info, length, -EINVAL,
			     "length is above what one message carries: "
			     __stringify(KVERBS_DATA_MAX));
}

static size_t buf_size_of_read(const struct genl_info *info)
{
	return nla_total_size(nla_get_u64(info->attrs[KVERBS_A_BUF_LENGTH]));
}

#define TAKES(NAME) KV_TAKES(BUF, NAME)
#define NEEDS(NAME, text) KV_NEEDS(BUF, NAME, text)

#define LENGTH NEEDS(LENGTH, "length is missing: how many bytes?")

static const struct kv_command buf_commands[] = {
	KV_COMMAND(BUF, NEW, .doit = kv_netlink_new, TAKES(DEV), TAKES(PERSISTENT), LENGTH,
		   TAKES(PIECES), TAKES(NODE)),
	KV_COMMAND(BUF, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND_AT_ONCE(BUF, GET, KV_SHOWS, TAKES(ID)),
	KV_COMMAND_AT_ONCE(BUF, WRITE, .doit = buf_write, TAKES(ID), TAKES(OFFSET), TAKES(DATA)),
	{ .cmd = KVERBS_CMD_BUF_READ, .at_once = true, .check = buf_check_read,
	  .size = buf_size_of_read, .run = buf_read,
	  KV_TAKEN(TAKES(ID), LENGTH, TAKES(OFFSET)) },
};

KV_COMMAND_SET(buf, BUF, &buf_noun);
