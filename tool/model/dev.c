// SPDX-License-Identifier: MIT
#include "model/row.h"

/* The largest errno of Linux (MAX_ERRNO). */
#define ERRNO_MAX 4095

#define S struct kv_dev_name
SHAPE(dev_name, KV_TEXT_AT(S, dev, 64, BEYOND(1)));
#undef S

#define S struct kv_dev_port
SHAPE(dev_port, KV_TEXT_AT(S, dev, 64, BEYOND(1)), KV_U32(S, port, ANY, BEYOND(2)));
#undef S

#define S struct kv_gid
SHAPE(gid,
	KV_U32(S, index, ANY, A(GID_INDEX)),
	KV_U32(S, type, ANY, A(GID_TYPE)),
	KV_HEX(S, raw, A(GID_GID)),
	KV_TEXT(S, netdev, A(GID_NETDEV)),
);
#undef S

#define S struct kv_port
SHAPE(port,
	KV_U32(S, number, ANY, A(PORT_NUMBER)),
	KV_U32(S, error, ERRNO_MAX, A(PORT_ERROR)),
	KV_U32(S, state, ANY, A(PORT_STATE)),
	KV_U32(S, phys_state, ANY, A(PORT_PHYS_STATE)),
	KV_U32(S, link_layer, ANY, A(PORT_LINK_LAYER)),
	KV_U32(S, max_mtu, ANY, A(PORT_MAX_MTU)),
	KV_U32(S, active_mtu, ANY, A(PORT_ACTIVE_MTU)),
	KV_U32(S, max_msg_bytes, ANY, A(PORT_MAX_MSG_BYTES)),
	KV_U32(S, lid, ANY, A(PORT_LID)),
	KV_U32(S, sm_lid, ANY, A(PORT_SM_LID)),
	KV_U32(S, active_width, ANY, A(PORT_ACTIVE_WIDTH)),
	KV_U32(S, active_speed, ANY, A(PORT_ACTIVE_SPEED)),
	KV_U32(S, gid_table_len, ANY, A(PORT_GID_TABLE_LEN)),
	KV_U32(S, pkey_table_len, ANY, A(PORT_PKEY_TABLE_LEN)),
	KV_HEX(S, addr, BEYOND(1)),
	KV_LIST(S, gid, gids, kv_shape_gid, A(PORT_GID)),
);
#undef S

#define S struct kv_dev
SHAPE(dev,
	KV_TEXT(S, name, A(DEV_NAME), KNOWN("device")),
	KV_U32(S, caps, ANY, A(DEV_CAPS)),
	KV_U32(S, ports, ANY, A(DEV_PORTS)),
	KV_U32(S, comp_vectors, ANY, A(DEV_COMP_VECTORS)),
	KV_U64(S, node_guid, UINT64_MAX, A(DEV_NODE_GUID)),
	KV_U64(S, sys_image_guid, UINT64_MAX, A(DEV_SYS_IMAGE_GUID)),
	KV_TEXT(S, fw_ver, A(DEV_FW_VER)),
	KV_U32(S, vendor_id, ANY, A(DEV_VENDOR_ID)),
	KV_U32(S, vendor_part_id, ANY, A(DEV_VENDOR_PART_ID)),
	KV_U32(S, hw_ver, ANY, A(DEV_HW_VER)),
	KV_U64(S, cap_flags, UINT64_MAX, A(DEV_CAP_FLAGS)),
	KV_U64(S, max_mr_size, UINT64_MAX, A(DEV_MAX_MR_SIZE)),
	KV_U64(S, page_size_cap, UINT64_MAX, A(DEV_PAGE_SIZE_CAP)),
	KV_U32(S, max_qp, ANY, A(DEV_MAX_QP)),
	KV_U32(S, max_qp_wr, ANY, A(DEV_MAX_QP_WR)),
	KV_U32(S, max_send_sge, ANY, A(DEV_MAX_SEND_SGE)),
	KV_U32(S, max_recv_sge, ANY, A(DEV_MAX_RECV_SGE)),
	KV_U32(S, max_sge_rd, ANY, A(DEV_MAX_SGE_RD)),
	KV_U32(S, max_cq, ANY, A(DEV_MAX_CQ)),
	KV_U32(S, max_cqe, ANY, A(DEV_MAX_CQE)),
	KV_U32(S, max_mr, ANY, A(DEV_MAX_MR)),
	KV_U32(S, max_pd, ANY, A(DEV_MAX_PD)),
	KV_U32(S, max_qp_rd_atom, ANY, A(DEV_MAX_QP_RD_ATOM)),
	KV_U32(S, max_res_rd_atom, ANY, A(DEV_MAX_RES_RD_ATOM)),
	KV_U32(S, max_qp_init_rd_atom, ANY, A(DEV_MAX_QP_INIT_RD_ATOM)),
	KV_U32(S, atomic, ANY, A(DEV_ATOMIC)),
	KV_U32(S, max_mw, ANY, A(DEV_MAX_MW)),
	KV_U32(S, max_mcast_grp, ANY, A(DEV_MAX_MCAST_GRP)),
	KV_U32(S, max_mcast_qp_attach, ANY, A(DEV_MAX_MCAST_QP_ATTACH)),
	KV_U32(S, max_ah, ANY, A(DEV_MAX_AH)),
	KV_U32(S, max_srq, ANY, A(DEV_MAX_SRQ)),
	KV_U32(S, max_srq_wr, ANY, A(DEV_MAX_SRQ_WR)),
	KV_U32(S, max_srq_sge, ANY, A(DEV_MAX_SRQ_SGE)),
	KV_U32(S, max_fast_reg_pages, ANY, A(DEV_MAX_FAST_REG_PAGES)),
	KV_U32(S, max_pkeys, ANY, A(DEV_MAX_PKEYS)),
	KV_U32(S, local_ca_ack_delay, ANY, A(DEV_LOCAL_CA_ACK_DELAY)),
	KV_U64(S, max_mr_bytes, UINT64_MAX, A(DEV_MAX_MR_BYTES)),
	KV_LIST(S, port, listed, kv_shape_port, A(DEV_PORT)),
);
#undef S

#define S struct kv_counter
SHAPE(counter, KV_TEXT(S, name, BEYOND(1)), KV_U64(S, value, UINT64_MAX, BEYOND(2)));
#undef S

#define S struct kv_counters
SHAPE(counters, KV_LIST(S, counter, counters, kv_shape_counter, BEYOND(1)));
#undef S
