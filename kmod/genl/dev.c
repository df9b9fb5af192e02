// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cache.h>
#include "dev.h"
#include "loop_env.h"
#include "mr.h"
#include "genl/msg.h"
#include "quota.h"

/* Netlink headers and all of a device but its GID table. */
#define FIXED_SIZE 2048

const struct nla_policy kv_dev_policy[KVERBS_A_DEV_MAX + 1] = {
	[KVERBS_A_DEV_NAME] = KV_POLICY_NAME,
};

int kv_netlink_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	u64 made, gone;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	kv_obj_counts(&made, &gone);
	ret = nla_put_string(reply.skb, KVERBS_A_INFO_VERSION, THIS_MODULE->version) ?:
	      nla_put_string(reply.skb, KVERBS_A_INFO_COUNTER, KV_ENV_COUNTER) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_CREATED, made) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_DESTROYED, gone) ?:
	      kv_put_u64(reply.skb, KVERBS_A_INFO_BUFFER_BYTES, kv_quota_bytes());
	return kv_reply_end(info, &reply, ret);
}

/* Destroys what is persistent in this namespace. */
int kv_netlink_flush(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int removed, kept;
	struct kv_reply reply;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	removed = kv_obj_remove_owner(kv_msg_owner(info)->persistent, &kept);
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

/* The name of a RoCE GID's network interface, which is nobody's business in other namespaces. */
static int put_netdev(struct sk_buff *skb, const struct net *net, const struct ib_gid_attr *attr)
{
	struct net_device *netdev;
	int ret = 0;

	rcu_read_lock();
	netdev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(netdev) && net_eq(dev_net(netdev), net))
		ret = nla_put_string(skb, KVERBS_A_GID_NETDEV, netdev->name);
	rcu_read_unlock();
	return ret;
}

static int fill_gid(struct sk_buff *skb, const struct net *net, const struct ib_gid_attr *attr)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_DEV_GID);
	int ret;

	if (!nest)
		return -EMSGSIZE;
	ret = nla_put_u32(skb, KVERBS_A_GID_INDEX, attr->index) ?:
	      nla_put(skb, KVERBS_A_GID_GID, sizeof(attr->gid), &attr->gid) ?:
	      nla_put_u32(skb, KVERBS_A_GID_TYPE, gid_type(attr)) ?:
	      put_netdev(skb, net, attr);
	if (ret)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return ret;
}

static int fill_gids(struct sk_buff *skb, const struct net *net, struct ib_device *ib,
		     int entries)
{
	int ret = 0, i;

	for (i = 0; !ret && i < entries; i++) {
		const struct ib_gid_attr *attr;

		attr = rdma_get_gid_attr(ib, rdma_start_port(ib), i);
		if (IS_ERR(attr))
			continue;
		ret = fill_gid(skb, net, attr);
		rdma_put_gid_attr(attr);
	}
	return ret;
}

/* What is true of the device as long as it is there. */
static int fill_attrs(struct sk_buff *skb, const struct kv_dev *dev)
{
	const struct ib_device *ib = dev->ib;
	const struct ib_device_attr *attrs = &ib->attrs;
	char fw_ver[IB_FW_VERSION_NAME_MAX];

	kv_dev_copy_fw_ver(dev, fw_ver);
	return nla_put_u32(skb, KVERBS_A_DEV_PORTS, ib->phys_port_cnt) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_COMP_VECTORS, ib->num_comp_vectors) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_NODE_GUID, be64_to_cpu(ib->node_guid)) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_SYS_IMAGE_GUID,
			  be64_to_cpu(attrs->sys_image_guid)) ?:
	       nla_put_string(skb, KVERBS_A_DEV_FW_VER, fw_ver) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_VENDOR_ID, attrs->vendor_id) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_VENDOR_PART_ID, attrs->vendor_part_id) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_HW_VER, attrs->hw_ver) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_CAP_FLAGS, attrs->device_cap_flags) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_MAX_MR_SIZE, attrs->max_mr_size) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_PAGE_SIZE_CAP, attrs->page_size_cap) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_QP, attrs->max_qp) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_WR, attrs->max_qp_wr) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SEND_SGE, attrs->max_send_sge) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_RECV_SGE, attrs->max_recv_sge) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SGE_RD, attrs->max_sge_rd) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_CQ, attrs->max_cq) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_CQE, attrs->max_cqe) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MR, attrs->max_mr) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_PD, attrs->max_pd) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_RD_ATOM, attrs->max_qp_rd_atom) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_RES_RD_ATOM, attrs->max_res_rd_atom) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_INIT_RD_ATOM,
			   attrs->max_qp_init_rd_atom) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_ATOMIC, attrs->atomic_cap) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MW, attrs->max_mw) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MCAST_GRP, attrs->max_mcast_grp) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MCAST_QP_ATTACH,
			   attrs->max_mcast_qp_attach) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_AH, attrs->max_ah) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ, attrs->max_srq) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ_WR, attrs->max_srq_wr) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ_SGE, attrs->max_srq_sge) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_FAST_REG_PAGES,
			   attrs->max_fast_reg_page_list_len) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_PKEYS, attrs->max_pkeys) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_LOCAL_CA_ACK_DELAY,
			   attrs->local_ca_ack_delay);
}

static int fill_port(struct sk_buff *skb, struct ib_device *ib,
		     const struct ib_port_attr *attr)
{
	u32 link_layer = rdma_port_get_link_layer(ib, rdma_start_port(ib));

	return nla_put_u32(skb, KVERBS_A_DEV_PORT_STATE, attr->state) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_PHYS_STATE, attr->phys_state) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_LINK_LAYER, link_layer) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MTU, ib_mtu_enum_to_int(attr->max_mtu)) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_ACTIVE_MTU,
			   ib_mtu_enum_to_int(attr->active_mtu)) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MSG_BYTES, attr->max_msg_sz) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_LID, attr->lid) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_SM_LID, attr->sm_lid) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_ACTIVE_WIDTH, attr->active_width) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_ACTIVE_SPEED, attr->active_speed) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_GID_TABLE_LEN, attr->gid_tbl_len) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_PKEY_TABLE_LEN, attr->pkey_tbl_len);
}

static int fill_dev(struct sk_buff *skb, const struct net *net, struct kv_dev *dev)
{
	struct ib_port_attr port;
	int ret;

	ret = kv_dev_query_port(dev, &port);
	if (ret)
		return ret;
	return nla_put_string(skb, KVERBS_A_DEV_NAME, dev->name) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_CAN, kv_dev_can(dev)) ?:
	       fill_attrs(skb, dev) ?:
	       kv_put_u64(skb, KVERBS_A_DEV_MAX_MR_BYTES, kv_dev_max_mr_bytes(dev)) ?:
	       fill_port(skb, dev->ib, &port) ?:
	       fill_gids(skb, net, dev->ib, port.gid_tbl_len);
}

/* Bytes that fill_dev() may need; more, if the GID table grows meanwhile. */
static size_t size_of_dev(struct kv_dev *dev)
{
	size_t gid_size = nla_total_size(nla_total_size(sizeof(u32)) +
					 nla_total_size(sizeof(union ib_gid)) +
					 nla_total_size(sizeof(u32)) +
					 nla_total_size(IFNAMSIZ));
	u32 port = rdma_start_port(dev->ib);
	size_t size = FIXED_SIZE;
	int i;

	for (i = 0; i < dev->ib->port_data[port].immutable.gid_tbl_len; i++) {
		const struct ib_gid_attr *attr = rdma_get_gid_attr(dev->ib, port, i);

		if (IS_ERR(attr))
			continue;
		rdma_put_gid_attr(attr);
		size += gid_size;
	}
	return size;
}

int kv_netlink_dev_get(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_dev *dev;
	int ret;

	ret = kv_msg_lock_dev(info, KVERBS_A_DEV_NAME, &dev);
	if (ret)
		return ret;
	ret = kv_reply_start(info, &reply, size_of_dev(dev));
	if (!ret)
		ret = kv_reply_end(info, &reply, fill_dev(reply.skb, genl_info_net(info), dev));
	kv_msg_unlock_dev(dev);
	return ret;
}

/* A message of the dump has to hold the largest device. */
int kv_netlink_dev_start(struct netlink_callback *cb)
{
	struct net *net = sock_net(cb->skb->sk);
	int ret = kv_netlink_dump_start(cb);
	struct kv_dev *dev;
	unsigned long n;

	if (ret)
		return ret;

	for (n = 0; (dev = kv_dev_lookup_nth(n, net)); n++) {
		if (!kv_dev_lock(dev)) {
			cb->min_dump_alloc = max_t(size_t, cb->min_dump_alloc,
						   size_of_dev(dev));
			mutex_unlock(&dev->lock);
		}
		kv_dev_put(dev);
	}
	return 0;
}

static int fill_dumped(struct sk_buff *skb, void *dev)
{
	return fill_dev(skb, sock_net(skb->sk), dev);
}

int kv_netlink_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(skb->sk);
	struct kv_dev *dev;
	int ret = 0;

	cb->seq = kv_dev_generation();
	while (!ret && (dev = kv_dev_lookup_nth(cb->args[0], net))) {
		/* One that went meanwhile is not shown; the generation tells. */
		if (!kv_dev_lock(dev)) {
			ret = kv_msg_dump_one(skb, cb, fill_dumped, dev);
			mutex_unlock(&dev->lock);
		}
		kv_dev_put(dev);
		if (!ret)
			cb->args[0]++;
	}
	/* A full message is sent, and we are called again. */
	return ret == -EMSGSIZE && skb->len ? skb->len : ret ?: skb->len;
}
