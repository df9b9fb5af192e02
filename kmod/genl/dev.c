// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cache.h>
#include "cq.h"
#include "dev.h"
#include "loop_env.h"
#include "genl/msg.h"
#include "quota.h"

/* Netlink headers and all attributes of a device but its ports. */
#define FIXED_SIZE 2048
/* All attributes of a port but its GID table. */
#define PORT_SIZE 256
/* One entry of the GID table, with the name of a netdev. */
#define GID_SIZE nla_total_size(nla_total_size(sizeof(u32)) +			\
				nla_total_size(sizeof(union ib_gid)) +		\
				nla_total_size(sizeof(u32)) +			\
				nla_total_size(IFNAMSIZ))

/* The most entries that a port shows: its attribute is not longer than 64 KiB. */
#define GIDS_MAX ((U16_MAX - PORT_SIZE) / GID_SIZE)

static const struct nla_policy policy[KVERBS_A_DEV_MAX + 1] = {
	[KVERBS_A_DEV_NAME] = KV_POLICY_NAME,
};

static int info_get(struct genl_info *info, struct kv_obj *none, struct sk_buff *skb)
{
	u64 made, gone;

	kv_obj_counts(&made, &gone);
	return nla_put_string(skb, KVERBS_A_INFO_VERSION, THIS_MODULE->version) ?:
	       nla_put_string(skb, KVERBS_A_INFO_COUNTER, KV_ENV_COUNTER) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_COUNTER_HZ, kv_env_counter_hz()) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_CREATED, made) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_DESTROYED, gone) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_BUFFER_BYTES, kv_quota_bytes()) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_MAX_OBJECTS, kv_quota_max_objects()) ?:
	       kv_put_u64(skb, KVERBS_A_INFO_MAX_BYTES, kv_quota_max_bytes());
}

/* Destroys the persistent objects of this namespace. */
static int dev_flush(struct genl_info *info, struct kv_obj *none, struct sk_buff *skb)
{
	struct kv_obj_removal removal = kv_obj_remove_owner(kv_msg_owner(info)->persistent);

	return nla_put_u32(skb, KVERBS_A_INFO_FLUSHED, removal.removed) ?:
	       nla_put_u32(skb, KVERBS_A_INFO_BUSY, removal.busy);
}

static u32 dev_gid_type(const struct ib_gid_attr *attr)
{
	if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
		return KVERBS_GID_ROCE_V2;
	return rdma_protocol_roce(attr->device, attr->port_num) ?
	       KVERBS_GID_ROCE_V1 : KVERBS_GID_IB;
}

/* Puts the name of a RoCE GID's netdev, which other namespaces must not see. */
static int dev_put_netdev(struct sk_buff *skb, const struct net *net,
			  const struct ib_gid_attr *attr)
{
	struct net_device *netdev;

	guard(rcu)();
	netdev = rdma_read_gid_attr_ndev_rcu(attr);
	if (IS_ERR(netdev) || !net_eq(dev_net(netdev), net))
		return 0;
	return nla_put_string(skb, KVERBS_A_GID_NETDEV, netdev->name);
}

static int dev_fill_gid(struct sk_buff *skb, const struct net *net, const struct ib_gid_attr *attr)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_PORT_GID);

	if (!nest ||
	    nla_put_u32(skb, KVERBS_A_GID_INDEX, attr->index) ||
	    nla_put(skb, KVERBS_A_GID_GID, sizeof(attr->gid), &attr->gid) ||
	    nla_put_u32(skb, KVERBS_A_GID_TYPE, dev_gid_type(attr)) ||
	    dev_put_netdev(skb, net, attr))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int dev_fill_gids(struct sk_buff *skb, const struct net *net, struct ib_device *ib, u32 port,
			 int entries)
{
	unsigned int n = 0;
	int ret = 0, i;

	for (i = 0; !ret && i < entries && n < GIDS_MAX; i++) {
		/* An error means that the entry is free: the core keeps the table. */
		const struct ib_gid_attr *attr = rdma_get_gid_attr(ib, port, i);

		if (IS_ERR(attr))
			continue;
		ret = dev_fill_gid(skb, net, attr);
		rdma_put_gid_attr(attr);
		n++;
	}
	return ret;
}

/* Attributes that do not change as long as the device exists. */
static int dev_fill_attrs(struct sk_buff *skb, const struct kv_dev *dev)
{
	const struct ib_device *ib = dev->ib;
	const struct kv_cq_moderation moderation = kv_cq_most_moderation(ib);
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
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_QP_INIT_RD_ATOM, attrs->max_qp_init_rd_atom) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_ATOMIC, attrs->atomic_cap) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MW, attrs->max_mw) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MCAST_GRP, attrs->max_mcast_grp) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_MCAST_QP_ATTACH, attrs->max_mcast_qp_attach) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_AH, attrs->max_ah) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ, attrs->max_srq) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ_WR, attrs->max_srq_wr) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_SRQ_SGE, attrs->max_srq_sge) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_FAST_REG_PAGES,
			   attrs->max_fast_reg_page_list_len) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_PKEYS, attrs->max_pkeys) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_LOCAL_CA_ACK_DELAY, attrs->local_ca_ack_delay) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_CQ_MODERATION_COUNT, moderation.count) ?:
	       nla_put_u32(skb, KVERBS_A_DEV_MAX_CQ_MODERATION_PERIOD, moderation.period);
}

static int dev_fill_port_attrs(struct sk_buff *skb, const struct net *net, struct ib_device *ib,
			       u32 port, const struct ib_port_attr *attr)
{
	u32 link_layer = rdma_port_get_link_layer(ib, port);

	return nla_put_u32(skb, KVERBS_A_PORT_STATE, attr->state) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_PHYS_STATE, attr->phys_state) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_LINK_LAYER, link_layer) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_MAX_MTU, ib_mtu_enum_to_int(attr->max_mtu)) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_ACTIVE_MTU, ib_mtu_enum_to_int(attr->active_mtu)) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_MAX_MSG_BYTES, attr->max_msg_sz) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_LID, attr->lid) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_SM_LID, attr->sm_lid) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_ACTIVE_WIDTH, attr->active_width) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_ACTIVE_SPEED, attr->active_speed) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_GID_TABLE_LEN, attr->gid_tbl_len) ?:
	       nla_put_u32(skb, KVERBS_A_PORT_PKEY_TABLE_LEN, attr->pkey_tbl_len) ?:
	       dev_fill_gids(skb, net, ib, port, attr->gid_tbl_len);
}

/* A port that can't be queried is shown with the error: the rest of the device is known. */
static int dev_fill_port(struct sk_buff *skb, const struct net *net, struct kv_dev *dev, u32 port)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_DEV_PORT);
	struct ib_port_attr attr;
	int ret, error;

	if (!nest)
		return -EMSGSIZE;
	error = kv_dev_query_port(dev, port, &attr);
	ret = nla_put_u32(skb, KVERBS_A_PORT_NUMBER, port);
	if (!ret)
		ret = error ? nla_put_u32(skb, KVERBS_A_PORT_ERROR, -error) :
			      dev_fill_port_attrs(skb, net, dev->ib, port, &attr);
	nla_nest_end(skb, nest);
	return ret;
}

static int dev_fill(struct sk_buff *skb, const struct net *net, struct kv_dev *dev)
{
	u32 port;
	int ret;

	ret = kv_put_dev_name(skb, KVERBS_A_DEV_NAME, dev) ?:
	      nla_put_u32(skb, KVERBS_A_DEV_CAPS, kv_dev_caps(dev)) ?:
	      dev_fill_attrs(skb, dev) ?:
	      kv_put_u64(skb, KVERBS_A_DEV_MAX_MR_BYTES, kv_dev_max_mr_bytes(dev));
	rdma_for_each_port(dev->ib, port)
		ret = ret ?: dev_fill_port(skb, net, dev, port);
	return ret;
}

static size_t dev_size_of_port(struct ib_device *ib, u32 port)
{
	size_t size = PORT_SIZE;
	int i;

	for (i = 0; i < ib->port_data[port].immutable.gid_tbl_len; i++) {
		const struct ib_gid_attr *attr = rdma_get_gid_attr(ib, port, i);

		if (IS_ERR(attr))
			continue;
		rdma_put_gid_attr(attr);
		size += GID_SIZE;
	}
	return size;
}

/*
 * Bytes that dev_fill() may need; more, if a GID table grows meanwhile. The device does not
 * go meanwhile.
 */
static size_t dev_size_of(struct kv_dev *dev)
{
	size_t size = FIXED_SIZE;
	u32 port;

	rdma_for_each_port(dev->ib, port)
		size += dev_size_of_port(dev->ib, port);
	return size;
}

static int dev_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	struct kv_dev *dev;
	int ret;

	ret = kv_msg_lock_dev(info, KVERBS_A_DEV_NAME, &dev);
	if (ret)
		return ret;
	ret = kv_reply_start(info, &reply, dev_size_of(dev));
	if (!ret)
		ret = kv_reply_end(info, reply, dev_fill(reply, genl_info_net(info), dev));
	kv_msg_unlock_dev(dev);
	return ret;
}

/* A message of the dump has to hold the largest device. */
static int dev_start(struct netlink_callback *cb)
{
	size_t size = kv_dev_largest(sock_net(cb->skb->sk), dev_size_of);

	cb->min_dump_alloc = max_t(size_t, cb->min_dump_alloc, size);
	return kv_netlink_dump_start(cb);
}

static int dev_fill_dumped(struct sk_buff *skb, struct netlink_callback *cb, void *dev)
{
	return dev_fill(skb, sock_net(skb->sk), dev);
}

static int dev_fill_part(struct sk_buff *skb, struct netlink_callback *cb, struct kv_owner *owner)
{
	struct net *net = sock_net(skb->sk);
	struct kv_dev *dev;
	int ret = 0;

	cb->seq = kv_dev_generation();
	while (!ret && (dev = kv_dev_find(NULL, cb->args[0], net))) {
		ret = kv_msg_dump_one(skb, cb, dev, &dev->gone, dev_fill_dumped, dev);
		kv_dev_put(dev);
		if (!ret)
			cb->args[0]++;
	}
	return ret;
}

static int dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump(skb, cb, dev_fill_part);
}

static const struct kv_command info_commands[] = {
	{ .cmd = KVERBS_CMD_INFO_GET, .at_once = true, .run = info_get },
	{ .cmd = KVERBS_CMD_FLUSH, .run = dev_flush },
};

const struct kv_command_set kv_info_commands = {
	.max = KVERBS_A_INFO_MAX,
	.command = info_commands,
	.commands = ARRAY_SIZE(info_commands),
};

static const struct kv_command dev_commands[] = {
	{ .cmd = KVERBS_CMD_DEV_GET, .doit = dev_get, .start = dev_start, .dumpit = dev_dump,
	  KV_TAKEN(KV_TAKES(DEV, NAME)) },
};

KV_COMMAND_SET(dev, DEV, NULL);
