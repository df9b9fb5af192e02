// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_event
SHAPE(event,
	KV_U32(S, type, ANY, A(EVENT_TYPE), CALLED("event"), ENUM(event)),
	KV_TEXT(S, dev, A(EVENT_DEV), TOLD_UNLESS_0),
	KV_TEXT(S, old_name, A(EVENT_OLD_NAME), TOLD_UNLESS_0),
	KV_U32(S, port, ANY, A(EVENT_PORT), TOLD_UNLESS_0),
	KV_ID(S, cq, KV_CQ, A(EVENT_CQ), TOLD_UNLESS_0),
	KV_ID(S, srq, KV_SRQ, A(EVENT_SRQ), TOLD_UNLESS_0),
	KV_ID(S, qp, KV_QP, A(EVENT_QP), TOLD_UNLESS_0),
	KV_U32(S, run, ANY, A(EVENT_RUN), TOLD_UNLESS_0),
	KV_ID(S, conn, KV_CONN, A(EVENT_CONN), TOLD_UNLESS_0),
	KV_U32(S, cm_event, ANY, A(EVENT_CM_EVENT), ENUM(cm_event),
	       TOLD_AMONG(type, 1U << KVERBS_EVENT_CM)),
	KV_S32(S, cm_status, INT32_MIN, INT32_MAX, A(EVENT_CM_STATUS), CALLED("status"), CM_STATUS),
	KV_S32(S, error, INT32_MIN, INT32_MAX, A(EVENT_ERROR), UNTOLD),
	KV_U32(S, wc_status, ANY, A(EVENT_WC_STATUS), CALLED("status"), NAMED(wc_status),
	       TOLD_AMONG(type, 1U << KVERBS_EVENT_WC_ERROR)),
	KV_U32(S, vendor_err, ANY, A(EVENT_VENDOR_ERR),
	       TOLD_AMONG(type, 1U << KVERBS_EVENT_WC_ERROR)),
);
#undef S

#define S struct kv_wait
SHAPE(wait, KV_ID_ABOUT(S, id), KV_S32(S, timeout_ms, INT32_MIN, INT32_MAX, BEYOND(1)));
#undef S
