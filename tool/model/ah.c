// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_av
static const struct kv_member av_members[] = {
	KV_BOOL(S, has_dgid),
	KV_HEX(S, dgid, A(AH_DGID), IF(has_dgid)),
	KV_BOOL(S, has_sgid_index),
	KV_U32(S, sgid_index, ANY, A(AH_SGID_INDEX), IF(has_sgid_index)),
	KV_U32(S, dlid, ANY, A(AH_DLID), UNLESS_0),
	KV_U32(S, sl, ANY, A(AH_SL), UNLESS_0),
	KV_U32(S, traffic_class, ANY, A(AH_TRAFFIC_CLASS), UNLESS_0),
	KV_U32(S, flow_label, ANY, A(AH_FLOW_LABEL), UNLESS_0),
	/* Even 0, which is not its default; it belongs to the DGID. */
	KV_U32(S, hop_limit, ANY, A(AH_HOP_LIMIT), IF(has_dgid)),
};
#undef S

const struct kv_shape kv_shape_av = KV_SHAPE(struct kv_av, av_members);

#define S struct kv_ah_init
static const struct kv_member ah_init_members[] = {
	KV_ID(S, pd, KV_PD, A(AH_PD), UNLESS_0),
	KV_U32(S, port, ANY, A(AH_PORT)),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, persistent, A(AH_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_ah_init = KV_SHAPE(struct kv_ah_init, ah_init_members);

#define S struct kv_ah
static const struct kv_member ah_members[] = {
	KV_U32(S, id, ANY, A(AH_ID), KNOWN("ah")),
	KV_TEXT(S, dev, A(AH_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(AH_PERSISTENT)),
	KV_ID(S, pd, KV_PD, A(AH_PD)),
	KV_U32(S, port, ANY, A(AH_PORT)),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, has_dmac),
	KV_HEX(S, dmac, A(AH_DMAC), IF(has_dmac)),
};
#undef S

const struct kv_shape kv_shape_ah = KV_SHAPE(struct kv_ah, ah_members);
