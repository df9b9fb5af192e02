// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "mr.h"
#include "genl/msg.h"
#include "pd.h"
#include "qp.h"

const struct nla_policy kv_mr_policy[KVERBS_A_MR_MAX + 1] = {
	[KVERBS_A_MR_ID] = KV_POLICY_ID,
	[KVERBS_A_MR_PD] = KV_POLICY_ID,
	[KVERBS_A_MR_QP] = KV_POLICY_ID,
	[KVERBS_A_MR_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_MR_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_MR_LENGTH] = KV_POLICY_U64_COUNT,
	[KVERBS_A_MR_DATA] = NLA_POLICY_RANGE(NLA_BINARY, 1, KVERBS_DATA_MAX),
	[KVERBS_A_MR_PERSISTENT] = { .type = NLA_FLAG },
};

int kv_netlink_mr_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner owner = kv_msg_new_owner(info, KVERBS_A_MR_PERSISTENT);
	struct nlattr *length;
	struct kv_reply reply;
	struct kv_obj *pd;
	struct kv_mr *mr;
	int ret;

	length = kv_msg_need(info, KVERBS_A_MR_LENGTH, "length is missing: how many bytes?");
	if (!length)
		return -EINVAL;
	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_MR_PD, KV_OBJ_PD, &pd);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	mr = kv_mr_create(container_of(pd, struct kv_pd, obj), &owner,
			  nla_get_u64(length), info->extack);
	if (IS_ERR(mr))
		ret = kv_reply_end(info, &reply, PTR_ERR(mr));
	else
		ret = kv_msg_made_obj(info, &reply, &mr->obj, KVERBS_A_MR_ID,
				      KVERBS_A_MR_VERB_NS);
	kv_msg_unlock_obj(pd);
	return ret;
}

int kv_netlink_mr_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, KV_OBJ_MR, KVERBS_A_MR_ID, KVERBS_A_MR_VERB_NS);
}

/* The QP that carries a registration, of the MR's PD. */
static struct kv_qp *find_reg_qp(struct genl_info *info, struct kv_mr *mr)
{
	struct nlattr *id = kv_msg_need(info, KVERBS_A_MR_QP, "qp is missing: which qp carries the request?");
	struct kv_obj *obj;

	if (!id)
		return ERR_PTR(-EINVAL);
	obj = kv_msg_find_obj(info, id, KV_OBJ_QP, mr->obj.dev);
	if (IS_ERR(obj))
		return ERR_CAST(obj);
	if (obj->parents[KV_QP_PD] != mr->obj.parents[0]) {
		kv_msg_refuse(info, id, "the qp is of another pd than the mr", -EINVAL);
		return ERR_PTR(-EINVAL);
	}
	return container_of(obj, struct kv_qp, obj);
}

static int check_access(struct genl_info *info, struct nlattr *attr)
{
	u32 access = nla_get_u32(attr);

	if (access & (KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC) &&
	    !(access & KVERBS_ACCESS_LOCAL_WRITE))
		return kv_msg_refuse(info, attr,
				     "access: remote write and remote atomic need local write too",
				     -EINVAL);
	return 0;
}

/* What a registration grants, and under which names. */
static int fill_key(struct sk_buff *skb, const struct kv_mr *mr)
{
	bool remote = mr->access & ~KVERBS_ACCESS_LOCAL_WRITE;

	return nla_put_u32(skb, KVERBS_A_MR_ACCESS, mr->access) ?:
	       kv_put_u64(skb, KVERBS_A_MR_OFFSET, mr->offset) ?:
	       kv_put_u64(skb, KVERBS_A_MR_REG_LENGTH, mr->reg_length) ?:
	       nla_put_u32(skb, KVERBS_A_MR_LKEY, mr->ib->lkey) ?:
	       nla_put_u32(skb, KVERBS_A_MR_RKEY, remote ? mr->ib->rkey : 0) ?:
	       kv_put_u64(skb, KVERBS_A_MR_IOVA, mr->ib->iova);
}

int kv_netlink_mr_reg(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct nlattr *access;
	struct kv_reply reply;
	struct kv_obj *obj;
	struct kv_mr *mr;
	struct kv_qp *qp;
	u64 offset;
	int ret;

	access = kv_msg_need(info, KVERBS_A_MR_ACCESS, "access is missing: what may local and remote do?");
	if (!access)
		return -EINVAL;
	ret = check_access(info, access) ?:
	      kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_MR_ID, KV_OBJ_MR, &obj);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	mr = container_of(obj, struct kv_mr, obj);
	qp = find_reg_qp(info, mr);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto unlock;
	}
	offset = kv_u64_or(attrs[KVERBS_A_MR_OFFSET], 0);
	ret = kv_mr_reg(mr, qp, nla_get_u32(access), offset,
			kv_u64_or(attrs[KVERBS_A_MR_LENGTH],
				  offset < mr->length ? mr->length - offset : 0),
			info->extack);
	if (!ret)
		ret = fill_key(reply.skb, mr) ?:
		      kv_put_u64(reply.skb, KVERBS_A_MR_VERB_NS, obj->verb_ns);
unlock:
	kv_msg_unlock_obj(obj);
	return kv_reply_end(info, &reply, ret);
}

int kv_netlink_mr_inv(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_obj *obj;
	struct kv_mr *mr;
	struct kv_qp *qp;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_MR_ID, KV_OBJ_MR, &obj);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	mr = container_of(obj, struct kv_mr, obj);
	qp = find_reg_qp(info, mr);
	ret = IS_ERR(qp) ? PTR_ERR(qp) : kv_mr_inv(mr, qp, info->extack);
	if (!ret)
		ret = kv_put_u64(reply.skb, KVERBS_A_MR_VERB_NS, obj->verb_ns);
	kv_msg_unlock_obj(obj);
	return kv_reply_end(info, &reply, ret);
}

int kv_netlink_mr_write(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *data = kv_msg_need(info, KVERBS_A_MR_DATA, "data is missing");
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	struct kv_obj *obj;
	struct kv_mr *mr;
	int ret;

	if (!data)
		return -EINVAL;
	ret = kv_msg_lock_obj(info, KVERBS_A_MR_ID, KV_OBJ_MR, &obj);
	if (ret)
		return ret;
	mr = container_of(obj, struct kv_mr, obj);
	ret = kv_mr_check_range(mr, offset, nla_len(data), info->extack);
	if (!ret)
		kv_mr_write(mr, offset, nla_data(data), nla_len(data));
	kv_msg_unlock_obj(obj);
	return ret;
}

int kv_netlink_mr_read(struct sk_buff *skb, struct genl_info *info)
{
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	struct nlattr *attr, *length;
	struct kv_reply reply;
	struct kv_obj *obj;
	struct kv_mr *mr;
	int ret;

	length = kv_msg_need(info, KVERBS_A_MR_LENGTH, "length is missing: how many bytes?");
	if (!length)
		return -EINVAL;
	if (nla_get_u64(length) > KVERBS_DATA_MAX)
		return kv_msg_refuse(info, length,
				     "length is above what one message carries: 16384", -EINVAL);
	ret = kv_reply_start(info, &reply, nla_total_size(KVERBS_DATA_MAX));
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, KVERBS_A_MR_ID, KV_OBJ_MR, &obj);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	mr = container_of(obj, struct kv_mr, obj);
	ret = kv_mr_check_range(mr, offset, nla_get_u64(length), info->extack);
	if (!ret) {
		attr = nla_reserve(reply.skb, KVERBS_A_MR_DATA, nla_get_u64(length));
		if (attr)
			kv_mr_read(mr, offset, nla_data(attr), nla_len(attr));
		else
			ret = -EMSGSIZE;
	}
	kv_msg_unlock_obj(obj);
	return kv_reply_end(info, &reply, ret);
}

static int fill_mr(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	int ret;

	ret = kv_put_obj(skb, obj, KVERBS_A_MR_ID, KVERBS_A_MR_DEV,
			 KVERBS_A_MR_PERSISTENT) ?:
	      kv_put_parent(skb, KVERBS_A_MR_PD, obj, 0) ?:
	      kv_put_u64(skb, KVERBS_A_MR_LENGTH, mr->length);
	return ret || !mr->registered ? ret : fill_key(skb, mr);
}

int kv_netlink_mr_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, KV_OBJ_MR, KVERBS_A_MR_ID, fill_mr);
}

int kv_netlink_mr_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, KV_OBJ_MR, KVERBS_CMD_MR_GET, fill_mr);
}
