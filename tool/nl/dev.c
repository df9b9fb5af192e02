// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "netdev.h"
#include "nl/msg.h"

#define DEV(member, NAME) \
	KV_NL_FIELD(struct kv_dev, member, KVERBS_A_DEV_##NAME, NULL)
#define GID(member, NAME) \
	KV_NL_FIELD(struct kv_gid, member, KVERBS_A_GID_##NAME, NULL)

static const struct kv_nl_field gid_fields[] = {
	GID(index, INDEX),
	GID(raw, GID),
	GID(type, TYPE),
	GID(netdev, NETDEV),
};

static const struct kv_nl_table gid_table = KV_NL_TABLE(gid_fields);

static const struct kv_nl_field dev_fields[] = {
	KV_NL_FIELD(struct kv_dev, name, KVERBS_A_DEV_NAME, "device"),
	DEV(can, CAN),
	DEV(ports, PORTS),
	DEV(comp_vectors, COMP_VECTORS),
	DEV(node_guid, NODE_GUID),
	DEV(sys_image_guid, SYS_IMAGE_GUID),
	DEV(fw_ver, FW_VER),
	DEV(vendor_id, VENDOR_ID),
	DEV(vendor_part_id, VENDOR_PART_ID),
	DEV(hw_ver, HW_VER),
	DEV(cap_flags, CAP_FLAGS),
	DEV(max_mr_size, MAX_MR_SIZE),
	DEV(page_size_cap, PAGE_SIZE_CAP),
	DEV(max_qp, MAX_QP),
	DEV(max_qp_wr, MAX_QP_WR),
	DEV(max_send_sge, MAX_SEND_SGE),
	DEV(max_recv_sge, MAX_RECV_SGE),
	DEV(max_sge_rd, MAX_SGE_RD),
	DEV(max_cq, MAX_CQ),
	DEV(max_cqe, MAX_CQE),
	DEV(max_mr, MAX_MR),
	DEV(max_pd, MAX_PD),
	DEV(max_qp_rd_atom, MAX_QP_RD_ATOM),
	DEV(max_res_rd_atom, MAX_RES_RD_ATOM),
	DEV(max_qp_init_rd_atom, MAX_QP_INIT_RD_ATOM),
	DEV(atomic, ATOMIC),
	DEV(max_mw, MAX_MW),
	DEV(max_mcast_grp, MAX_MCAST_GRP),
	DEV(max_mcast_qp_attach, MAX_MCAST_QP_ATTACH),
	DEV(max_ah, MAX_AH),
	DEV(max_srq, MAX_SRQ),
	DEV(max_srq_wr, MAX_SRQ_WR),
	DEV(max_srq_sge, MAX_SRQ_SGE),
	DEV(max_fast_reg_pages, MAX_FAST_REG_PAGES),
	DEV(max_pkeys, MAX_PKEYS),
	DEV(local_ca_ack_delay, LOCAL_CA_ACK_DELAY),
	DEV(max_mr_bytes, MAX_MR_BYTES),
	DEV(port_state, PORT_STATE),
	DEV(phys_state, PHYS_STATE),
	DEV(link_layer, LINK_LAYER),
	DEV(max_mtu, MAX_MTU),
	DEV(active_mtu, ACTIVE_MTU),
	DEV(max_msg_bytes, MAX_MSG_BYTES),
	DEV(lid, LID),
	DEV(sm_lid, SM_LID),
	DEV(active_width, ACTIVE_WIDTH),
	DEV(active_speed, ACTIVE_SPEED),
	DEV(gid_table_len, GID_TABLE_LEN),
	DEV(pkey_table_len, PKEY_TABLE_LEN),
	KV_NL_MANY(struct kv_dev, gid, gids, KVERBS_A_DEV_GID, NULL, &gid_table),
};

static const struct kv_nl_table dev_table = KV_NL_TABLE(dev_fields);
static const struct kv_nl_table *const names[] = { &dev_table, NULL };

static int on_dev(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&dev_table, attrs, len, arg);
}

static int get_dev(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_DEV_GET, 0);
	const char *name = ((const struct kv_dev_name *)in)->dev;
	char what[80];
	int ret;

	snprintf(what, sizeof(what), "kernel device %.64s", name);
	if (msg)
		nla_put_string(msg, KVERBS_A_DEV_NAME, name);
	memset(out, 0, sizeof(struct kv_dev));
	ret = kv_nl_request(nl, msg, what, names, on_dev, out);
	if (!ret)
		kv_netdev_note(out);
	return ret;
}

const struct kv_nl_op kv_nl_op_dev_get = { .call = get_dev };

static int read_counters(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	return kv_counters_read(&nl->base, ((const struct kv_dev_name *)in)->dev, out);
}

const struct kv_nl_op kv_nl_op_counters = { .call = read_counters };

struct each {
	int (*fn)(const struct kv_dev *dev, void *arg);
	void *arg;
	int stopped;
};

static int on_each(struct nlattr *attrs, int len, void *arg)
{
	struct each *each = arg;
	struct kv_dev dev;
	int ret;

	if (each->stopped)
		return 0;
	memset(&dev, 0, sizeof(dev));
	ret = on_dev(attrs, len, &dev);
	if (ret)
		return ret;
	kv_netdev_note(&dev);
	each->stopped = each->fn(&dev, each->arg);
	return 0;
}

int kv_nl_dev_each(struct kv_nl *nl,
		   int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct each each = { .fn = fn, .arg = arg };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_DEV_GET, NLM_F_DUMP),
			    "kernel devices", names, on_each, &each);
	return ret ? ret : each.stopped;
}
