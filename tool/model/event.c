// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_event
static const struct kv_member event_members[] = {
	KV_U32(S, type, ANY, A(EVENT_TYPE)),
	KV_TEXT(S, dev, A(EVENT_DEV)),
	KV_TEXT(S, old_name, A(EVENT_OLD_NAME)),
	KV_U32(S, port, ANY, A(EVENT_PORT)),
	KV_ID(S, cq, KV_CQ, A(EVENT_CQ)),
	KV_ID(S, srq, KV_SRQ, A(EVENT_SRQ)),
	KV_ID(S, qp, KV_QP, A(EVENT_QP)),
	KV_U32(S, run, ANY, A(EVENT_RUN)),
	KV_S32(S, error, INT32_MIN, INT32_MAX, A(EVENT_ERROR)),
	KV_U32(S, wc_status, ANY, A(EVENT_WC_STATUS)),
	KV_U32(S, vendor_err, ANY, A(EVENT_VENDOR_ERR)),
	KV_ID(S, conn, KV_CONN, A(EVENT_CONN)),
	KV_U32(S, cm_event, ANY, A(EVENT_CM_EVENT)),
	KV_S32(S, cm_status, INT32_MIN, INT32_MAX, A(EVENT_CM_STATUS)),
};
#undef S

const struct kv_shape kv_shape_event = KV_SHAPE(struct kv_event, event_members);

#define S struct kv_wait
static const struct kv_member wait_members[] = {
	KV_ID_ABOUT(S, id),
	KV_S32(S, timeout_ms, INT32_MIN, INT32_MAX),
};
#undef S

const struct kv_shape kv_shape_wait = KV_SHAPE(struct kv_wait, wait_members);
