// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_av
SHAPE(av,
	KV_BOOL(S, has_dgid, UNTOLD),
	KV_HEX(S, dgid, A(AH_DGID), IF(has_dgid), KEY("the peer's GID; RoCE needs it")),
	KV_BOOL(S, has_sgid_index, UNTOLD),
	KV_U32(S, sgid_index, UINT8_MAX, A(AH_SGID_INDEX), IF(has_sgid_index),
	       KEY("entry of the own GID table to send from; default: IPv4 RoCE v2, else IPv6 RoCE v2, else any")),
	KV_U32(S, dlid, UINT16_MAX, A(AH_DLID), UNLESS_0, KEY("the peer's LID, InfiniBand only")),
	KV_U32(S, sl, 15, A(AH_SL), UNLESS_0, TOLD,
	       KEY("service level, 0 to 15; default: 0")),
	KV_U32(S, traffic_class, UINT8_MAX, A(AH_TRAFFIC_CLASS), UNLESS_0, TOLD,
	       KEY("0 to 255; default: 0")),
	KV_U32(S, flow_label, 0xfffff, A(AH_FLOW_LABEL), UNLESS_0, TOLD, KEY("20 bits; default: 0")),
	/* Sent with the DGID, also if it is 0: the default is not 0. */
	KV_U32(S, hop_limit, UINT8_MAX, A(AH_HOP_LIMIT), IF(has_dgid), TOLD, PRESET(64),
	       KEY("0 to 255; default: 64; on RoCE the kernel takes the route's")),
);
#undef S

#define S struct kv_ah_init
SHAPE(ah_init,
	KV_ID(S, pd, KV_PD, A(AH_PD), UNLESS_0, MUST("its protection domain")),
	KV_U32(S, port, ANY, A(AH_PORT), PRESET(1), KEY("default: 1")),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, persistent, A(AH_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_ah
SHAPE(ah,
	HEAD(AH, "ah"),
	KV_ID(S, pd, KV_PD, A(AH_PD)),
	KV_U32(S, port, ANY, A(AH_PORT)),
	KV_STRUCT(S, av, kv_shape_av),
	KV_BOOL(S, has_dmac, UNTOLD),
	KV_HEX(S, dmac, A(AH_DMAC), IF(has_dmac)),
);
#undef S
