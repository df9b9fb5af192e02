// SPDX-License-Identifier: MIT
#include <errno.h>
#include "remote/call.h"
#include "remote/shape.h"
#include "remote/wire.h"

#define ANY UINT32_MAX

/* The RDMA CM resolves no longer than that. */
#define RESOLVE_MS_MAX 60000

#define S struct kv_args_id
static const struct kv_member id_members[] = {
	KV_ID_ABOUT(S, id),
};
#undef S

#define S struct kv_args_wait
static const struct kv_member wait_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U32(S, timeout_ms, KV_CALL_WAIT_MS),
};
#undef S

#define S struct kv_args_mr_reg
static const struct kv_member mr_reg_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, reg, kv_shape_mr_reg),
};
#undef S

#define S struct kv_args_mr_inv
static const struct kv_member mr_inv_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP),
};
#undef S

#define S struct kv_args_range
static const struct kv_member range_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX),
	KV_U32(S, length, KV_WIRE_DATA_MAX),
};
#undef S

#define S struct kv_args_srq_modify
static const struct kv_member srq_modify_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, attr, kv_shape_srq_attr),
};
#undef S

#define S struct kv_args_qp_modify
static const struct kv_member qp_modify_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
};
#undef S

#define S struct kv_args_listen
static const struct kv_member listen_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src),
	KV_U32(S, backlog, KVERBS_CONN_BACKLOG_MAX),
};
#undef S

#define S struct kv_args_resolve
static const struct kv_member resolve_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src),
	KV_ADDRESS(S, dst),
	KV_U32(S, timeout_ms, RESOLVE_MS_MAX),
};
#undef S

#define S struct kv_args_conn
static const struct kv_member conn_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, param, kv_shape_conn_param),
};
#undef S

#define S struct kv_args_reject
static const struct kv_member reject_members[] = {
	KV_ID_ABOUT(S, id),
	KV_HEX_UPTO(S, data, length),
};
#undef S

#define S struct kv_args_poll
static const struct kv_member poll_members[] = {
	KV_ID(S, cq, KV_CQ),
	KV_U32(S, max, KVERBS_POLL_MAX),
};
#undef S

#define S struct kv_args_arm
static const struct kv_member arm_members[] = {
	KV_ID(S, cq, KV_CQ),
	KV_BOOL(S, solicited),
};
#undef S

#define S struct kv_result_poll
static const struct kv_member polled_members[] = {
	KV_LIST(S, wc, n, kv_shape_wc),
};
#undef S

#define S struct kv_result_arm
static const struct kv_member armed_members[] = {
	KV_BOOL(S, missed),
};
#undef S

#define S struct kv_request
static const struct kv_member request_members[] = {
	KV_U32(S, seq, ANY),
	KV_TEXT_AT(S, call, 32),
	KV_OBJECT(S, args),
};
#undef S

#define S struct kv_reply
static const struct kv_member reply_members[] = {
	KV_U32(S, seq, ANY),
	KV_S32(S, ret, -4095, 0),
	KV_U64(S, verb_ns, UINT64_MAX),
	KV_TEXT(S, error),
	KV_OBJECT(S, result),
};
#undef S

static const struct kv_shape shape_none;
static const struct kv_shape shape_id = KV_SHAPE(struct kv_args_id, id_members);
static const struct kv_shape shape_wait = KV_SHAPE(struct kv_args_wait, wait_members);
static const struct kv_shape shape_mr_reg = KV_SHAPE(struct kv_args_mr_reg, mr_reg_members);
static const struct kv_shape shape_mr_inv = KV_SHAPE(struct kv_args_mr_inv, mr_inv_members);
static const struct kv_shape shape_range = KV_SHAPE(struct kv_args_range, range_members);
static const struct kv_shape shape_srq_modify =
	KV_SHAPE(struct kv_args_srq_modify, srq_modify_members);
static const struct kv_shape shape_qp_modify =
	KV_SHAPE(struct kv_args_qp_modify, qp_modify_members);
static const struct kv_shape shape_listen = KV_SHAPE(struct kv_args_listen, listen_members);
static const struct kv_shape shape_resolve = KV_SHAPE(struct kv_args_resolve, resolve_members);
static const struct kv_shape shape_conn = KV_SHAPE(struct kv_args_conn, conn_members);
static const struct kv_shape shape_reject = KV_SHAPE(struct kv_args_reject, reject_members);
static const struct kv_shape shape_poll = KV_SHAPE(struct kv_args_poll, poll_members);
static const struct kv_shape shape_arm = KV_SHAPE(struct kv_args_arm, arm_members);
static const struct kv_shape shape_polled = KV_SHAPE(struct kv_result_poll, polled_members);
static const struct kv_shape shape_armed = KV_SHAPE(struct kv_result_arm, armed_members);

const struct kv_shape kv_shape_request = KV_SHAPE(struct kv_request, request_members);
const struct kv_shape kv_shape_reply = KV_SHAPE(struct kv_reply, reply_members);

#define ROW(name_, takes_, gives_) { .name = name_, .args = takes_, .result = gives_ }
/* The arguments have an id of this type of object. */
#define ROW_OF(what_, name_, takes_, gives_)				\
	{ .name = name_, .args = takes_, .result = gives_, .about = 1U + (what_) }

const struct kv_call_row kv_call_rows[KV_CALLS] = {
	[KV_CALL_NOP] = ROW("nop", &shape_none, &shape_none),
	[KV_CALL_INFO] = ROW("info", &shape_none, &kv_shape_info),
	[KV_CALL_DEV_GET] = ROW("dev_get", &shape_none, &kv_shape_dev),
	[KV_CALL_COUNTERS] = ROW("counters", &shape_none, &kv_shape_counters),
	[KV_CALL_PD_NEW] = ROW("pd_new", &kv_shape_pd_init, &kv_shape_pd),
	[KV_CALL_CQ_NEW] = ROW("cq_new", &kv_shape_cq_init, &kv_shape_cq),
	[KV_CALL_MR_NEW] = ROW("mr_new", &kv_shape_mr_init, &kv_shape_mr),
	[KV_CALL_SRQ_NEW] = ROW("srq_new", &kv_shape_srq_init, &kv_shape_srq),
	[KV_CALL_AH_NEW] = ROW("ah_new", &kv_shape_ah_init, &kv_shape_ah),
	[KV_CALL_QP_NEW] = ROW("qp_new", &kv_shape_qp_init, &kv_shape_qp),
	[KV_CALL_CONN_NEW] = ROW("conn_new", &kv_shape_conn_init, &kv_shape_conn),
	[KV_CALL_PD_GET] = ROW_OF(KV_PD, "pd_get", &shape_id, &kv_shape_pd),
	[KV_CALL_CQ_GET] = ROW_OF(KV_CQ, "cq_get", &shape_id, &kv_shape_cq),
	[KV_CALL_MR_GET] = ROW_OF(KV_MR, "mr_get", &shape_id, &kv_shape_mr),
	[KV_CALL_SRQ_GET] = ROW_OF(KV_SRQ, "srq_get", &shape_id, &kv_shape_srq),
	[KV_CALL_AH_GET] = ROW_OF(KV_AH, "ah_get", &shape_id, &kv_shape_ah),
	[KV_CALL_QP_GET] = ROW_OF(KV_QP, "qp_get", &shape_id, &kv_shape_qp),
	[KV_CALL_CONN_GET] = ROW_OF(KV_CONN, "conn_get", &shape_id, &kv_shape_conn),
	[KV_CALL_PD_DEL] = ROW_OF(KV_PD, "pd_del", &shape_id, &shape_none),
	[KV_CALL_CQ_DEL] = ROW_OF(KV_CQ, "cq_del", &shape_id, &shape_none),
	[KV_CALL_MR_DEL] = ROW_OF(KV_MR, "mr_del", &shape_id, &shape_none),
	[KV_CALL_SRQ_DEL] = ROW_OF(KV_SRQ, "srq_del", &shape_id, &shape_none),
	[KV_CALL_AH_DEL] = ROW_OF(KV_AH, "ah_del", &shape_id, &shape_none),
	[KV_CALL_QP_DEL] = ROW_OF(KV_QP, "qp_del", &shape_id, &shape_none),
	[KV_CALL_CONN_DEL] = ROW_OF(KV_CONN, "conn_del", &shape_id, &shape_none),
	[KV_CALL_MR_REG] = ROW_OF(KV_MR, "mr_reg", &shape_mr_reg, &kv_shape_mr),
	[KV_CALL_MR_INV] = ROW_OF(KV_MR, "mr_inv", &shape_mr_inv, &shape_none),
	[KV_CALL_MR_WRITE] = {
		.name = "mr_write",
		.args = &shape_range,
		.result = &shape_none,
		.about = 1U + KV_MR,
		.sends = true,
	},
	[KV_CALL_MR_READ] = ROW_OF(KV_MR, "mr_read", &shape_range, &shape_none),
	[KV_CALL_SRQ_MODIFY] = ROW_OF(KV_SRQ, "srq_modify", &shape_srq_modify, &kv_shape_srq),
	[KV_CALL_QP_MODIFY] = ROW_OF(KV_QP, "qp_modify", &shape_qp_modify, &shape_none),
	[KV_CALL_CONN_LISTEN] = ROW_OF(KV_CONN, "conn_listen", &shape_listen, &kv_shape_conn),
	[KV_CALL_CONN_TAKE] = ROW_OF(KV_CONN, "conn_take", &shape_id, &kv_shape_conn),
	[KV_CALL_CONN_RESOLVE_ADDR] = ROW_OF(KV_CONN, "conn_resolve_addr", &shape_resolve, &shape_none),
	[KV_CALL_CONN_RESOLVE_ROUTE] = ROW_OF(KV_CONN, "conn_resolve_route", &shape_resolve, &shape_none),
	[KV_CALL_CONN_CONNECT] = ROW_OF(KV_CONN, "conn_connect", &shape_conn, &shape_none),
	[KV_CALL_CONN_ESTABLISH] = ROW_OF(KV_CONN, "conn_establish", &shape_conn, &shape_none),
	[KV_CALL_CONN_ACCEPT] = ROW_OF(KV_CONN, "conn_accept", &shape_conn, &shape_none),
	[KV_CALL_CONN_REJECT] = ROW_OF(KV_CONN, "conn_reject", &shape_reject, &shape_none),
	[KV_CALL_CONN_DISCONNECT] = ROW_OF(KV_CONN, "conn_disconnect", &shape_id, &shape_none),
	[KV_CALL_CONN_WAIT] = ROW_OF(KV_CONN, "conn_wait", &shape_wait, &shape_none),
	[KV_CALL_POST] = ROW("post", &kv_shape_wr, &shape_none),
	[KV_CALL_POLL] = ROW("poll", &shape_poll, &shape_polled),
	[KV_CALL_ARM] = ROW("arm", &shape_arm, &shape_armed),
	[KV_CALL_CQ_WAIT] = ROW_OF(KV_CQ, "cq_wait", &shape_wait, &shape_none),
	[KV_CALL_EVENT_WAIT] = ROW("event_wait", &shape_wait, &kv_shape_event),
	[KV_CALL_RUN_START] = ROW("run_start", &kv_shape_run_spec, &shape_id),
	[KV_CALL_RUN_WAIT] = ROW("run_wait", &shape_wait, &shape_none),
	[KV_CALL_RUN_CANCEL] = ROW("run_cancel", &shape_id, &shape_none),
	[KV_CALL_RUN_PEEK] = ROW("run_peek", &shape_id, &kv_shape_run_result),
	[KV_CALL_RUN_GET] = ROW("run_get", &shape_id, &kv_shape_run_result),
	[KV_CALL_RUN_DEL] = ROW("run_del", &shape_id, &shape_none),
	[KV_CALL_FILE_OPEN] = ROW("file_open", &kv_shape_file_open, &kv_shape_file_opened),
	[KV_CALL_FILE_CREATE] = ROW("file_create", &kv_shape_file_create, &shape_none),
	[KV_CALL_FILE_LOAD] = ROW("file_load", &kv_shape_file_piece, &shape_none),
	[KV_CALL_FILE_SAVE] = ROW("file_save", &kv_shape_file_piece, &shape_none),
	[KV_CALL_FILE_HASH] = ROW("file_hash", &shape_none, &kv_shape_file_hashed),
	[KV_CALL_FILE_FINISH] = ROW("file_finish", &kv_shape_file_finish, &shape_none),
	[KV_CALL_FILE_CLOSE] = ROW("file_close", &kv_shape_file_close, &shape_none),
};

static void put_number(uint8_t *to, unsigned int bytes, uint64_t value)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t take_number(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *from++;
	return value;
}

/**
 * kv_call_put_bins() - write bins as data: 32 bits each of index, low and high, and 64 bits
 *	of count, each in network order
 * @hist: the histogram
 * @data: room for KV_WIRE_DATA_MAX bytes
 * @length: receives how many bytes were written
 *
 * Return: 0, or -EMSGSIZE: it has more bins than there is room for.
 */
int kv_call_put_bins(const struct kv_hist *hist, uint8_t *data, uint32_t *length)
{
	uint8_t *at = data;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		const struct kv_hist_bin *bin = &hist->bin[i];

		if (!bin->count)
			continue;
		if (at + KV_CALL_BIN_BYTES > data + KV_WIRE_DATA_MAX)
			return -EMSGSIZE;
		put_number(at, 4, i);
		put_number(at + 4, 4, bin->low);
		put_number(at + 8, 4, bin->high);
		put_number(at + 12, 8, bin->count);
		at += KV_CALL_BIN_BYTES;
	}
	*length = (uint32_t)(at - data);
	return 0;
}

/* Do its extremes lie in the bin? */
static bool is_bin(const struct kv_hist *hist, unsigned int i)
{
	uint64_t min = kv_hist_bin_min(hist, i), max = kv_hist_bin_max(hist, i);

	return min <= max && kv_hist_index(min) == i && kv_hist_index(max) == i;
}

/**
 * kv_call_take_bins() - read what kv_call_put_bins() wrote
 * @hist: receives it; its other bins stay
 * @data: the data
 * @length: bytes there
 *
 * Return: 0 or -EBADMSG.
 */
int kv_call_take_bins(struct kv_hist *hist, const uint8_t *data,
		      uint32_t length)
{
	uint64_t index;

	if (length % KV_CALL_BIN_BYTES)
		return -EBADMSG;
	for (; length; length -= KV_CALL_BIN_BYTES, data += KV_CALL_BIN_BYTES) {
		struct kv_hist_bin *bin;

		index = take_number(data, 4);
		if (index >= KV_HIST_BINS)
			return -EBADMSG;
		bin = &hist->bin[index];
		bin->low = (uint32_t)take_number(data + 4, 4);
		bin->high = (uint32_t)take_number(data + 8, 4);
		bin->count = take_number(data + 12, 8);
		if (!is_bin(hist, (unsigned int)index))
			return -EBADMSG;
	}
	return 0;
}
