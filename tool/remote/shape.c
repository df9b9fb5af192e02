// SPDX-License-Identifier: MIT
/* What the structs of model/structs.h have. The bounds of enums are those of their words. */
#include "parse.h"
#include "remote/call.h"
#include "remote/shape.h"
#include "remote/wire.h"

#define ANY UINT32_MAX

/* The RDMA CM resolves no longer than that. */
#define RESOLVE_MS_MAX 60000

const struct kv_shape kv_shape_none;

#define S struct kv_id
static const struct kv_member id_members[] = {
	KV_ID_ABOUT(S, id),
};
#undef S

const struct kv_shape kv_shape_id = KV_SHAPE(struct kv_id, id_members);

#define S struct kv_dev_name
static const struct kv_member dev_name_members[] = {
	KV_TEXT_AT(S, dev, 64),
};
#undef S

const struct kv_shape kv_shape_dev_name = KV_SHAPE(struct kv_dev_name, dev_name_members);

#define S struct kv_wait
static const struct kv_member wait_members[] = {
	KV_ID_ABOUT(S, id),
	KV_S32(S, timeout_ms, 0, KV_CALL_WAIT_MS),
};
#undef S

const struct kv_shape kv_shape_wait = KV_SHAPE(struct kv_wait, wait_members);

#define S struct kv_gid
static const struct kv_member gid_members[] = {
	KV_U32(S, index, ANY),
	KV_U32(S, type, ANY),
	KV_HEX(S, raw),
	KV_TEXT(S, netdev),
};
#undef S

const struct kv_shape kv_shape_gid = KV_SHAPE(struct kv_gid, gid_members);

#define S struct kv_dev
static const struct kv_member dev_members[] = {
	KV_TEXT(S, name),
	KV_U32(S, can, ANY),
	KV_U32(S, ports, ANY),
	KV_U32(S, comp_vectors, ANY),
	KV_U64(S, node_guid, UINT64_MAX),
	KV_U64(S, sys_image_guid, UINT64_MAX),
	KV_TEXT(S, fw_ver),
	KV_U32(S, vendor_id, ANY),
	KV_U32(S, vendor_part_id, ANY),
	KV_U32(S, hw_ver, ANY),
	KV_U64(S, cap_flags, UINT64_MAX),
	KV_U64(S, max_mr_size, UINT64_MAX),
	KV_U64(S, page_size_cap, UINT64_MAX),
	KV_U32(S, max_qp, ANY),
	KV_U32(S, max_qp_wr, ANY),
	KV_U32(S, max_send_sge, ANY),
	KV_U32(S, max_recv_sge, ANY),
	KV_U32(S, max_sge_rd, ANY),
	KV_U32(S, max_cq, ANY),
	KV_U32(S, max_cqe, ANY),
	KV_U32(S, max_mr, ANY),
	KV_U32(S, max_pd, ANY),
	KV_U32(S, max_qp_rd_atom, ANY),
	KV_U32(S, max_res_rd_atom, ANY),
	KV_U32(S, max_qp_init_rd_atom, ANY),
	KV_U32(S, atomic, ANY),
	KV_U32(S, max_mw, ANY),
	KV_U32(S, max_mcast_grp, ANY),
	KV_U32(S, max_mcast_qp_attach, ANY),
	KV_U32(S, max_ah, ANY),
	KV_U32(S, max_srq, ANY),
	KV_U32(S, max_srq_wr, ANY),
	KV_U32(S, max_srq_sge, ANY),
	KV_U32(S, max_fast_reg_pages, ANY),
	KV_U32(S, max_pkeys, ANY),
	KV_U32(S, local_ca_ack_delay, ANY),
	KV_U64(S, max_mr_bytes, UINT64_MAX),
	KV_U32(S, port_state, ANY),
	KV_U32(S, phys_state, ANY),
	KV_U32(S, link_layer, ANY),
	KV_U32(S, max_mtu, ANY),
	KV_U32(S, active_mtu, ANY),
	KV_U32(S, max_msg_bytes, ANY),
	KV_U32(S, lid, ANY),
	KV_U32(S, sm_lid, ANY),
	KV_U32(S, active_width, ANY),
	KV_U32(S, active_speed, ANY),
	KV_U32(S, gid_table_len, ANY),
	KV_U32(S, pkey_table_len, ANY),
	KV_HEX(S, addr),
	KV_LIST(S, gid, gids, kv_shape_gid),
};
#undef S

const struct kv_shape kv_shape_dev = KV_SHAPE(struct kv_dev, dev_members);

#define S struct kv_counter
static const struct kv_member counter_members[] = {
	KV_TEXT(S, name),
	KV_U64(S, value, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_counter = KV_SHAPE(struct kv_counter, counter_members);

#define S struct kv_counters
static const struct kv_member counters_members[] = {
	KV_LIST(S, counter, counters, kv_shape_counter),
};
#undef S

const struct kv_shape kv_shape_counters = KV_SHAPE(struct kv_counters, counters_members);

#define S struct kv_info
static const struct kv_member info_members[] = {
	KV_TEXT(S, version),
	KV_TEXT(S, counter),
	KV_U64(S, created, UINT64_MAX),
	KV_U64(S, destroyed, UINT64_MAX),
	KV_U64(S, buffer_bytes, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_info = KV_SHAPE(struct kv_info, info_members);

#define S struct kv_pd_init
static const struct kv_member pd_init_members[] = {
	KV_TEXT_AT(S, dev, 64),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_pd_init = KV_SHAPE(struct kv_pd_init, pd_init_members);

#define S struct kv_pd
static const struct kv_member pd_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_U32(S, local_dma_lkey, ANY),
};
#undef S

const struct kv_shape kv_shape_pd = KV_SHAPE(struct kv_pd, pd_members);

#define S struct kv_cq_init
static const struct kv_member cq_init_members[] = {
	KV_TEXT_AT(S, dev, 64),
	KV_U32(S, cqe, ANY),
	KV_U32(S, comp_vector, ANY),
	KV_U32(S, context, KVERBS_CQ_MAX),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_cq_init = KV_SHAPE(struct kv_cq_init, cq_init_members);

#define S struct kv_cq
static const struct kv_member cq_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_U32(S, cqe, ANY),
	KV_U32(S, comp_vector, ANY),
	KV_U32(S, context, ANY),
	KV_U32(S, pending, ANY),
};
#undef S

const struct kv_shape kv_shape_cq = KV_SHAPE(struct kv_cq, cq_members);

#define S struct kv_mr_init
static const struct kv_member mr_init_members[] = {
	KV_ID(S, pd, KV_PD),
	KV_U64(S, length, UINT64_MAX),
	KV_U32(S, max_access, KVERBS_ACCESS__ALL),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_mr_init = KV_SHAPE(struct kv_mr_init, mr_init_members);

#define S struct kv_mr
static const struct kv_member mr_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_ID(S, pd, KV_PD),
	KV_U64(S, length, UINT64_MAX),
	KV_U32(S, max_access, ANY),
	KV_BOOL(S, registered),
	KV_U32(S, access, ANY),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, reg_length, UINT64_MAX),
	KV_U32(S, lkey, ANY),
	KV_U32(S, rkey, ANY),
	KV_U64(S, iova, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_mr = KV_SHAPE(struct kv_mr, mr_members);

#define S struct kv_mr_reg
static const struct kv_member mr_reg_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP),
	KV_U32(S, access, KVERBS_ACCESS__ALL),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, length, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_mr_reg = KV_SHAPE(struct kv_mr_reg, mr_reg_members);

#define S struct kv_mr_inv
static const struct kv_member mr_inv_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP),
};
#undef S

const struct kv_shape kv_shape_mr_inv = KV_SHAPE(struct kv_mr_inv, mr_inv_members);

#define S struct kv_mr_write
static const struct kv_member mr_write_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, length, KV_WIRE_DATA_MAX),
};
#undef S

const struct kv_shape kv_shape_mr_write = KV_SHAPE(struct kv_mr_write, mr_write_members);

#define S struct kv_mr_read
static const struct kv_member mr_read_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, length, KV_WIRE_DATA_MAX),
};
#undef S

const struct kv_shape kv_shape_mr_read = KV_SHAPE(struct kv_mr_read, mr_read_members);

#define S struct kv_srq_init
static const struct kv_member srq_init_members[] = {
	KV_ID(S, pd, KV_PD),
	KV_U32(S, max_wr, ANY),
	KV_U32(S, max_sge, ANY),
	KV_U32(S, limit, ANY),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_srq_init = KV_SHAPE(struct kv_srq_init, srq_init_members);

#define S struct kv_srq
static const struct kv_member srq_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_ID(S, pd, KV_PD),
	KV_U32(S, max_wr, ANY),
	KV_U32(S, max_sge, ANY),
	KV_U32(S, limit, ANY),
};
#undef S

const struct kv_shape kv_shape_srq = KV_SHAPE(struct kv_srq, srq_members);

#define S struct kv_srq_attr
static const struct kv_member srq_attr_members[] = {
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, has_limit),
	KV_U32(S, limit, ANY),
	KV_BOOL(S, has_max_wr),
	KV_U32(S, max_wr, ANY),
};
#undef S

const struct kv_shape kv_shape_srq_attr = KV_SHAPE(struct kv_srq_attr, srq_attr_members);

#define S struct kv_av
static const struct kv_member av_members[] = {
	KV_BOOL(S, has_dgid),
	KV_HEX(S, dgid),
	KV_BOOL(S, has_sgid_index),
	KV_U32(S, sgid_index, ANY),
	KV_U32(S, dlid, ANY),
	KV_U32(S, sl, ANY),
	KV_U32(S, traffic_class, ANY),
	KV_U32(S, flow_label, ANY),
	KV_U32(S, hop_limit, ANY),
};
#undef S

const struct kv_shape kv_shape_av = KV_SHAPE(struct kv_av, av_members);

#define S struct kv_ah_init
static const struct kv_member ah_init_members[] = {
	KV_ID(S, pd, KV_PD),
	KV_U32(S, port, ANY),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_ah_init = KV_SHAPE(struct kv_ah_init, ah_init_members);

#define S struct kv_ah
static const struct kv_member ah_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_ID(S, pd, KV_PD),
	KV_U32(S, port, ANY),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, has_dmac),
	KV_HEX(S, dmac),
};
#undef S

const struct kv_shape kv_shape_ah = KV_SHAPE(struct kv_ah, ah_members);

#define S struct kv_qp_init
static const struct kv_member qp_init_members[] = {
	KV_ID(S, pd, KV_PD),
	KV_U32(S, type, KVERBS_QPT_MAX),
	KV_ID(S, send_cq, KV_CQ),
	KV_ID(S, recv_cq, KV_CQ),
	KV_ID(S, srq, KV_SRQ),
	KV_U32(S, max_send_wr, ANY),
	KV_U32(S, max_recv_wr, ANY),
	KV_U32(S, max_send_sge, ANY),
	KV_U32(S, max_recv_sge, ANY),
	KV_U32(S, max_inline, ANY),
	KV_BOOL(S, sq_sig_all),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_qp_init = KV_SHAPE(struct kv_qp_init, qp_init_members);

#define S struct kv_qp_attr
static const struct kv_member qp_attr_members[] = {
	KV_U32(S, mask, ANY),
	KV_U32(S, state, KVERBS_QPS_ERR),
	KV_U32(S, cur_state, KVERBS_QPS_ERR),
	KV_U32(S, access, ANY),
	KV_U32(S, port, ANY),
	KV_U32(S, pkey_index, ANY),
	KV_U32(S, qkey, ANY),
	KV_U32(S, path_mtu, ANY),
	KV_U32(S, dest_qpn, ANY),
	KV_U32(S, rq_psn, ANY),
	KV_STRUCT(S, av, kv_shape_av),
	KV_U32(S, min_rnr_timer, ANY),
	KV_U32(S, max_dest_rd_atomic, ANY),
	KV_U32(S, sq_psn, ANY),
	KV_U32(S, timeout, ANY),
	KV_U32(S, retry_cnt, ANY),
	KV_U32(S, rnr_retry, ANY),
	KV_U32(S, max_rd_atomic, ANY),
	KV_U32(S, path_mig_state, KVERBS_MIG_ARMED),
	KV_STRUCT(S, alt_av, kv_shape_av),
	KV_U32(S, alt_port, ANY),
	KV_U32(S, alt_pkey_index, ANY),
	KV_U32(S, alt_timeout, ANY),
	KV_U32(S, sqd_async_notify, ANY),
};
#undef S

const struct kv_shape kv_shape_qp_attr = KV_SHAPE(struct kv_qp_attr, qp_attr_members);

#define S struct kv_qp_modify
static const struct kv_member qp_modify_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
};
#undef S

const struct kv_shape kv_shape_qp_modify = KV_SHAPE(struct kv_qp_modify, qp_modify_members);

#define S struct kv_qp
static const struct kv_member qp_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_ID(S, pd, KV_PD),
	KV_U32(S, type, ANY),
	KV_ID(S, send_cq, KV_CQ),
	KV_ID(S, recv_cq, KV_CQ),
	KV_ID(S, srq, KV_SRQ),
	KV_U32(S, max_send_wr, ANY),
	KV_U32(S, max_recv_wr, ANY),
	KV_U32(S, max_send_sge, ANY),
	KV_U32(S, max_recv_sge, ANY),
	KV_U32(S, max_inline, ANY),
	KV_BOOL(S, sq_sig_all),
	KV_BOOL(S, sq_draining),
	KV_U32(S, qpn, ANY),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
};
#undef S

const struct kv_shape kv_shape_qp = KV_SHAPE(struct kv_qp, qp_members);

#define S struct kv_conn_init
static const struct kv_member conn_init_members[] = {
	KV_TEXT_AT(S, dev, 64),
	KV_BOOL(S, persistent),
};
#undef S

const struct kv_shape kv_shape_conn_init = KV_SHAPE(struct kv_conn_init, conn_init_members);

#define S struct kv_conn
static const struct kv_member conn_members[] = {
	KV_U32(S, id, ANY),
	KV_TEXT(S, dev),
	KV_BOOL(S, persistent),
	KV_ADDRESS(S, src),
	KV_ADDRESS(S, dst),
	KV_U32(S, backlog, ANY),
	KV_U32(S, waiting, ANY),
	KV_ID(S, listener, KV_CONN),
	KV_ID(S, qp, KV_QP),
	KV_U32(S, responder_resources, ANY),
	KV_U32(S, initiator_depth, ANY),
	KV_U32(S, state, ANY),
	KV_U32(S, event, ANY),
	KV_S32(S, status, INT32_MIN, INT32_MAX),
	KV_TEXT(S, reason),
	KV_HEX_UPTO(S, private_data, private_length),
};
#undef S

const struct kv_shape kv_shape_conn = KV_SHAPE(struct kv_conn, conn_members);

#define S struct kv_conn_param
static const struct kv_member conn_param_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP),
	KV_U32(S, access, KVERBS_ACCESS__ALL),
	KV_S32(S, responder_resources, -1, 255),
	KV_S32(S, initiator_depth, -1, 255),
	KV_U32(S, retry_cnt, 7),
	KV_U32(S, rnr_retry, 7),
	KV_U32(S, ack_timeout, 31),
	KV_HEX_UPTO(S, private_data, private_length),
};
#undef S

const struct kv_shape kv_shape_conn_param = KV_SHAPE(struct kv_conn_param, conn_param_members);

#define S struct kv_conn_listen
static const struct kv_member conn_listen_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src),
	KV_U32(S, backlog, KVERBS_CONN_BACKLOG_MAX),
};
#undef S

const struct kv_shape kv_shape_conn_listen = KV_SHAPE(struct kv_conn_listen, conn_listen_members);

#define S struct kv_conn_resolve
static const struct kv_member conn_resolve_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src),
	KV_ADDRESS(S, dst),
	KV_U32(S, timeout_ms, RESOLVE_MS_MAX),
};
#undef S

const struct kv_shape kv_shape_conn_resolve = KV_SHAPE(struct kv_conn_resolve, conn_resolve_members);

#define S struct kv_conn_reject
static const struct kv_member conn_reject_members[] = {
	KV_ID_ABOUT(S, id),
	KV_HEX_UPTO(S, private_data, private_length),
};
#undef S

const struct kv_shape kv_shape_conn_reject = KV_SHAPE(struct kv_conn_reject, conn_reject_members);

#define S struct kv_sge
static const struct kv_member sge_members[] = {
	KV_ID(S, mr, KV_MR),
	KV_U64(S, offset, UINT64_MAX),
	KV_U32(S, length, ANY),
	KV_U32(S, lkey, KVERBS_LKEY_MAX),
};
#undef S

const struct kv_shape kv_shape_sge = KV_SHAPE(struct kv_sge, sge_members);

#define S struct kv_wr
static const struct kv_member wr_members[] = {
	KV_ID(S, qp, KV_QP),
	KV_ID(S, srq, KV_SRQ),
	KV_U32(S, op, KVERBS_OP_RECV),
	KV_U64(S, wr_id, UINT64_MAX),
	KV_U32(S, flags, KVERBS_WR__ALL),
	KV_BOOL(S, has_imm),
	KV_U32(S, imm, ANY),
	KV_LIST(S, sge, sges, kv_shape_sge),
	KV_BOOL(S, has_remote),
	KV_U64(S, remote_addr, UINT64_MAX),
	KV_U32(S, remote_key, ANY),
	KV_U64(S, compare_add, UINT64_MAX),
	KV_U64(S, swap, UINT64_MAX),
	KV_ID(S, ah, KV_AH),
	KV_U32(S, remote_qpn, ANY),
	KV_U32(S, remote_qkey, ANY),
};
#undef S

const struct kv_shape kv_shape_wr = KV_SHAPE(struct kv_wr, wr_members);

#define S struct kv_wc
static const struct kv_member wc_members[] = {
	KV_U64(S, wr_id, UINT64_MAX),
	KV_U32(S, status, ANY),
	KV_U32(S, vendor_err, ANY),
	KV_U32(S, op, ANY),
	KV_ID(S, qp, KV_QP),
	KV_BOOL(S, has_length),
	KV_U32(S, length, ANY),
	KV_BOOL(S, has_imm),
	KV_U32(S, imm, ANY),
	KV_BOOL(S, has_src_qpn),
	KV_U32(S, src_qpn, ANY),
	KV_BOOL(S, grh),
};
#undef S

const struct kv_shape kv_shape_wc = KV_SHAPE(struct kv_wc, wc_members);

#define S struct kv_cq_poll
static const struct kv_member cq_poll_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U32(S, max, KVERBS_POLL_MAX),
};
#undef S

const struct kv_shape kv_shape_cq_poll = KV_SHAPE(struct kv_cq_poll, cq_poll_members);

#define S struct kv_polled
static const struct kv_member polled_members[] = {
	KV_LIST(S, wc, n, kv_shape_wc),
};
#undef S

const struct kv_shape kv_shape_polled = KV_SHAPE(struct kv_polled, polled_members);

#define S struct kv_cq_arm
static const struct kv_member cq_arm_members[] = {
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, solicited),
};
#undef S

const struct kv_shape kv_shape_cq_arm = KV_SHAPE(struct kv_cq_arm, cq_arm_members);

#define S struct kv_armed
static const struct kv_member armed_members[] = {
	KV_BOOL(S, missed),
};
#undef S

const struct kv_shape kv_shape_armed = KV_SHAPE(struct kv_armed, armed_members);

#define S struct kv_event
static const struct kv_member event_members[] = {
	KV_U32(S, type, ANY),
	KV_TEXT(S, dev),
	KV_TEXT(S, old_name),
	KV_U32(S, port, ANY),
	KV_ID(S, cq, KV_CQ),
	KV_ID(S, srq, KV_SRQ),
	KV_ID(S, qp, KV_QP),
	KV_U32(S, run, ANY),
	KV_S32(S, error, INT32_MIN, INT32_MAX),
	KV_U32(S, wc_status, ANY),
	KV_U32(S, vendor_err, ANY),
	KV_ID(S, conn, KV_CONN),
	KV_U32(S, cm_event, ANY),
	KV_S32(S, cm_status, INT32_MIN, INT32_MAX),
};
#undef S

const struct kv_shape kv_shape_event = KV_SHAPE(struct kv_event, event_members);

#define S struct kv_run_end
static const struct kv_member run_end_members[] = {
	KV_ID(S, qp, KV_QP),
	KV_ID(S, local_mr, KV_MR),
	KV_ID(S, target_mr, KV_MR),
	KV_U32(S, lkey, KVERBS_LKEY_MAX),
	KV_U64(S, remote_addr, UINT64_MAX),
	KV_U32(S, remote_key, ANY),
};
#undef S

const struct kv_shape kv_shape_run_end = KV_SHAPE(struct kv_run_end, run_end_members);

#define S struct kv_run_spec
static const struct kv_member run_spec_members[] = {
	KV_TEXT(S, dev),
	KV_U32(S, loop, KVERBS_LOOP_MAX),
	KV_U32(S, op, KVERBS_OP_CMP_SWP),
	KV_U32(S, size, ANY),
	KV_STRUCT(S, end, kv_shape_run_end),
	KV_STRUCT(S, peer, kv_shape_run_end),
	KV_U64(S, compare_add, UINT64_MAX),
	KV_U64(S, swap, UINT64_MAX),
	KV_U64(S, iters, UINT64_MAX),
	KV_U64(S, time_ns, UINT64_MAX),
	KV_U64(S, warmup, UINT64_MAX),
	KV_U64(S, timeout_ns, UINT64_MAX),
	KV_U32(S, post, KVERBS_POST_MAX),
	KV_S32(S, cpu, -1, KV_PARSE_CPU_MAX),
	KV_S32(S, spins, -1, KVERBS_SPINS_MAX),
};
#undef S

const struct kv_shape kv_shape_run_spec = KV_SHAPE(struct kv_run_spec, run_spec_members);

#define S struct kv_run_result
static const struct kv_member run_result_members[] = {
	KV_U32(S, state, ANY),
	KV_S32(S, error, INT32_MIN, INT32_MAX),
	KV_U32(S, wc_status, ANY),
	KV_U32(S, vendor_err, ANY),
	KV_U64(S, samples, UINT64_MAX),
	KV_U64(S, warmed, UINT64_MAX),
	KV_U64(S, elapsed_ticks, UINT64_MAX),
	KV_U64(S, elapsed_ns, UINT64_MAX),
	KV_U64(S, let_go, UINT64_MAX),
	KV_U64(S, hist.sum, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_run_result = KV_SHAPE(struct kv_run_result, run_result_members);
