// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cache.h>
#include "dev.h"
#include "loop_env.h"
#include "mr.h"
#include "genl/msg.h"

const struct nla_policy kv_dev_policy[KVERBS_A_DEV_MAX + 1] = {
	[KVERBS_A_DEV_NAME] = KV_POLICY_NAME,
};

int kv_netlink_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = nla_put_string(reply.skb, KVERBS_A_INFO_VERSION, THIS_MODULE->version) ?:
	      nla_put_string(reply.skb, KVERBS_A_INFO_COUNTER, KV_ENV_COUNTER) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_CREATED, kv_obj_created()) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_DESTROYED, kv_obj_destroyed()) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_BUFFER_BYTES, kv_mr_buffer_bytes());
	return kv_reply_end(info, &reply, ret);
}

/* Destroys what is persistent in this namespace. */
int kv_netlink_flush(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner owner = {
		.net = genl_info_net(info),
		.portid = KV_PERSISTENT,
	};
	unsigned int removed, kept;
	struct kv_reply reply;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	removed = kv_obj_remove_owner(&owner, &kept);
	ret = nla_put_u32(reply.skb, KVERBS_A_INFO_FLUSHED, removed) ?:
	      nla_put_u32(reply.skb, KVERBS_A_INFO_KEPT, kept);
	return kv_reply_end(info, &reply, ret);
}

static u32 gid_type(const struct ib_gid_attr *attr)
{
	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		return KVERBS_GID_ROCE_V2;
	default:
		return rdma_protocol_roce(attr->device, attr->port_num) ?
		       KVERBS_GID_ROCE_V1 : KVERBS_GID_IB;
	}
}

static int fill_gid(struct sk_buff *skb, const struct ib_gid_attr *attr)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_DEV_GID);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KVERBS_A_GID_INDEX, attr->index) ||
	    nla_put(skb, KVERBS_A_GID_GID, sizeof(attr->gid), &attr->gid) ||
	    nla_put_u32(skb, KVERBS_A_GID_TYPE, gid_type(attr))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int fill_dev(struct sk_buff *skb, struct kv_dev *dev)
{
	const struct ib_device_attr *attrs = &dev->ib->attrs;
	u32 port = rdma_start_port(dev->ib);
	struct ib_port_attr port_attr;
	int ret, i;

	ret = kv_dev_query_port(dev, &port_attr);
	if (ret)
		return ret;
	ret = nla_put_string(skb, KVERBS_A_DEV_NAME, dev->name) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_PORTS, dev->ib->phys_port_cnt) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_WR, attrs->max_qp_wr) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_MAX_CQE, attrs->max_cqe) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_MAX_SEND_SGE, attrs->max_send_sge) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_RD_ATOM, attrs->max_qp_rd_atom) ?:
	      kv_put_u64(skb, KVERBS_A_DEV_MAX_MR_BYTES, kv_dev_max_mr_bytes(dev)) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_MAX_MSG_BYTES, port_attr.max_msg_sz) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_ATOMIC, attrs->atomic_cap) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_FAST_REG, !!kv_dev_max_mr_bytes(dev)) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_PORT_STATE, port_attr.state) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_ACTIVE_MTU,
			  ib_mtu_enum_to_int(port_attr.active_mtu)) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_LID, port_attr.lid);
	for (i = 0; !ret && i < port_attr.gid_tbl_len; i++) {
		const struct ib_gid_attr *attr = rdma_get_gid_attr(dev->ib, port, i);

		if (IS_ERR(attr))
			continue;
		ret = fill_gid(skb, attr);
		rdma_put_gid_attr(attr);
	}
	return ret;
}

int kv_netlink_dev_get(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_dev *dev;
	int ret;

	/* A GID table has 256 entries at most where we know, 44 bytes each. */
	ret = kv_reply_start(info, &reply, 16384);
	if (ret)
		return ret;
	ret = kv_msg_lock_dev(info, KVERBS_A_DEV_NAME, &dev);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	ret = fill_dev(reply.skb, dev);
	kv_msg_unlock_dev(dev);
	return kv_reply_end(info, &reply, ret);
}

int kv_netlink_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(skb->sk);
	struct kv_dev *dev;
	void *hdr;
	int ret = 0;

	cb->seq = kv_dev_generation();
	while (!ret && (dev = kv_dev_lookup_nth(cb->args[0], net))) {
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, &kv_family, NLM_F_MULTI,
				  KVERBS_CMD_DEV_GET);
		if (!hdr) {
			kv_dev_put(dev);
			break;
		}
		genl_dump_check_consistent(cb, hdr);
		if (!kv_dev_lock(dev)) {
			ret = fill_dev(skb, dev);
			kv_dev_unlock(dev);
		}
		kv_dev_put(dev);
		if (ret) {
			genlmsg_cancel(skb, hdr);
		} else {
			genlmsg_end(skb, hdr);
			cb->args[0]++;
		}
	}
	/* A full message is sent, and we are called again. */
	return ret == -EMSGSIZE && skb->len ? skb->len : ret ?: skb->len;
}

