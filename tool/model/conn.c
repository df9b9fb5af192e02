// SPDX-License-Identifier: MIT
#include "model/row.h"

/* The longest time that the RDMA CM takes to resolve an address or a route. */
#define RESOLVE_MS_MAX 60000

#define S struct kv_conn_init
SHAPE(conn_init, DEV(CONN_DEV), KV_BOOL(S, persistent, A(CONN_PERSISTENT), UNTOLD));
#undef S

#define LISTENER (1U << KVERBS_CONN_LISTENING)

#define S struct kv_conn
SHAPE(conn,
	HEAD(CONN, "conn"),
	KV_U32(S, state, ANY, A(CONN_STATE), ENUM(conn_state)),
	KV_U32(S, event, ANY, A(CONN_EVENT), ENUM(cm_event), TOLD_UNLESS_0),
	KV_S32(S, status, INT32_MIN, INT32_MAX, A(CONN_STATUS), CM_STATUS),
	KV_TEXT(S, reason, A(CONN_REASON), UNTOLD),
	KV_ADDRESS(S, src, A(CONN_SRC)),
	KV_ADDRESS(S, dst, A(CONN_DST)),
	KV_ID(S, listener, KV_CONN, A(CONN_LISTENER), TOLD_UNLESS_0),
	KV_ID(S, qp, KV_QP, A(CONN_QP), TOLD_UNLESS_0),
	KV_ADDRESS(S, src, CALLED("port"), .form = KV_FORM_PORT, TOLD_AMONG(state, LISTENER)),
	KV_U32(S, backlog, ANY, A(CONN_BACKLOG), TOLD_AMONG(state, LISTENER)),
	KV_U32(S, waiting, ANY, A(CONN_WAITING), TOLD_AMONG(state, LISTENER)),
	KV_U32(S, responder_resources, ANY, A(CONN_RESPONDER_RESOURCES), TOLD_UNLESS_0),
	KV_U32(S, initiator_depth, ANY, A(CONN_INITIATOR_DEPTH), TOLD_UNLESS_0),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA), COUNTED),
);
#undef S

#define S struct kv_conn_listen
SHAPE(conn_listen,
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src, A(CONN_SRC), UNTOLD),
	KV_U32(S, backlog, KVERBS_CONN_BACKLOG_MAX, A(CONN_BACKLOG)),
);
#undef S

#define S struct kv_conn_resolve
SHAPE(conn_resolve,
	KV_ID_ABOUT(S, id),
	KV_ADDRESS(S, src, A(CONN_SRC), UNTOLD),
	KV_ADDRESS(S, dst, A(CONN_DST)),
	KV_U32(S, timeout_ms, RESOLVE_MS_MAX, A(CONN_TIMEOUT_MS)),
);
#undef S

#define S struct kv_conn_route
SHAPE(conn_route, KV_ID_ABOUT(S, id), KV_U32(S, timeout_ms, RESOLVE_MS_MAX, A(CONN_TIMEOUT_MS)));
#undef S

#define S struct kv_conn_param
SHAPE(conn_param,
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(CONN_QP), UNLESS_0),
	KV_U32(S, access, KVERBS_ACCESS__ALL, A(CONN_ACCESS), UNLESS_0, FLAGS(access), TOLD),
	KV_S32(S, responder_resources, -1, 255, A(CONN_RESPONDER_RESOURCES), UNLESS_NEGATIVE),
	KV_S32(S, initiator_depth, -1, 255, A(CONN_INITIATOR_DEPTH), UNLESS_NEGATIVE),
	KV_U32(S, rnr_retry, 7, A(CONN_RNR_RETRY)),
	KV_S32(S, ack_timeout, -1, 31, A(CONN_ACK_TIMEOUT), UNLESS_NEGATIVE, UNTOLD),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA), COUNTED),
	KV_U32(S, retry_cnt, 7, A(CONN_RETRY_CNT)),
);
#undef S

#define S struct kv_conn_establish
SHAPE(conn_establish,
	KV_ID_ABOUT(S, id),
	KV_S32(S, ack_timeout, -1, 31, A(CONN_ACK_TIMEOUT), UNLESS_NEGATIVE, UNTOLD),
);
#undef S

#define S struct kv_conn_reject
SHAPE(conn_reject,
	KV_ID_ABOUT(S, id),
	KV_HEX_UPTO(S, private_data, private_length, A(CONN_PRIVATE_DATA)),
);
#undef S
