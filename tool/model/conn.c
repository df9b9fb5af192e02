// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

/* The RDMA CM resolves no longer than that. */
#define RESOLVE_MS_MAX 60000

#define S struct kv_conn_init
static const struct kv_member conn_init_members[] = {
	KV_TEXT_AT(S, dev, 64, A(CONN_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(CONN_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_conn_init = KV_SHAPE(struct kv_conn_init, conn_init_members);

#define S struct kv_conn
static const struct kv_member conn_members[] = {
	KV_U32(S, id, ANY, A(CONN_ID), KNOWN("conn")),
	KV_TEXT(S, dev, A(CONN_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(CONN_PERSISTENT)),
	KV_ADDRESS(S, src, A(CONN_SRC)),
	KV_ADDRESS(S, dst, A(CONN_DST)),
	KV_U32(S, backlog, ANY, A(CONN_BACKLOG)),
	KV_U32(S, waiting, ANY, A(CONN_WAITING)),
	KV_ID(S, listener, KV_CONN, A(CONN_LISTENER)),
	KV_ID(S, qp, KV_QP, A(CONN_QP)),
	KV_U32(S, responder_resources, ANY, A(CONN_RESPONDER_RESOURCES)),
	KV_U32(S, initiator_depth, ANY, A(CONN_INITIATOR_DEPTH)),
	KV_U32(S, state, ANY, A(CONN_STATE)),
	KV_U32(S, event, ANY, A(CONN_EVENT)),
	KV_S32(S, status, INT32_MIN, INT32_MAX, A(CONN_STATUS)),
	KV_TEXT(S, reason, A(CONN_REASON)),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA)),
};
#undef S

const struct kv_shape kv_shape_conn = KV_SHAPE(struct kv_conn, conn_members);

#define S struct kv_conn_listen
static const struct kv_member conn_listen_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src, A(CONN_SRC)),
	KV_U32(S, backlog, KVERBS_CONN_BACKLOG_MAX, A(CONN_BACKLOG)),
};
#undef S

const struct kv_shape kv_shape_conn_listen = KV_SHAPE(struct kv_conn_listen, conn_listen_members);

#define S struct kv_conn_resolve
static const struct kv_member conn_resolve_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src, A(CONN_SRC)),
	KV_ADDRESS(S, dst, A(CONN_DST)),
	KV_U32(S, timeout_ms, RESOLVE_MS_MAX, A(CONN_TIMEOUT_MS)),
};
#undef S

const struct kv_shape kv_shape_conn_resolve =
	KV_SHAPE(struct kv_conn_resolve, conn_resolve_members);

#define S struct kv_conn_route
static const struct kv_member conn_route_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U32(S, timeout_ms, RESOLVE_MS_MAX, A(CONN_TIMEOUT_MS)),
};
#undef S

const struct kv_shape kv_shape_conn_route = KV_SHAPE(struct kv_conn_route, conn_route_members);

#define S struct kv_conn_param
static const struct kv_member conn_param_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(CONN_QP), UNLESS_0),
	KV_U32(S, access, KVERBS_ACCESS__ALL, A(CONN_ACCESS), UNLESS_0),
	KV_S32(S, responder_resources, -1, 255, A(CONN_RESPONDER_RESOURCES), UNLESS_NEGATIVE),
	KV_S32(S, initiator_depth, -1, 255, A(CONN_INITIATOR_DEPTH), UNLESS_NEGATIVE),
	KV_U32(S, retry_cnt, 7, A(CONN_RETRY_CNT)),
	KV_U32(S, rnr_retry, 7, A(CONN_RNR_RETRY)),
	KV_U32(S, ack_timeout, 31, A(CONN_ACK_TIMEOUT)),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA)),
};
#undef S

const struct kv_shape kv_shape_conn_param = KV_SHAPE(struct kv_conn_param, conn_param_members);

#define S struct kv_conn_establish
static const struct kv_member conn_establish_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U32(S, ack_timeout, 31, A(CONN_ACK_TIMEOUT)),
};
#undef S

const struct kv_shape kv_shape_conn_establish =
	KV_SHAPE(struct kv_conn_establish, conn_establish_members);

#define S struct kv_conn_reject
static const struct kv_member conn_reject_members[] = {
	KV_ID_ABOUT(S, id),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA)),
};
#undef S

const struct kv_shape kv_shape_conn_reject = KV_SHAPE(struct kv_conn_reject, conn_reject_members);
