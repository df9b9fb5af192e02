// SPDX-License-Identifier: MIT
/* The shapes of the structs of model/structs.def. */
#include "cli/parse.h"
#include "model/row.h"
#include "rules/qp_table.h"
#include "rules/run.h"

/* The longest time that the RDMA CM takes to resolve an address or a route. */
#define RESOLVE_MS_MAX 60000

#define LISTENER (1U << KVERBS_CONN_LISTENING)

#define CARRIER "kernel: the QP that carries the request, in rts; user space needs none"

/* The keys of a work request's flags. */
static const struct kv_enum flags[] = {
	{ "inline", KVERBS_WR_INLINE },
	{ "unsignaled", KVERBS_WR_UNSIGNALED },
	{ "fence", KVERBS_WR_FENCE },
	{ "solicited", KVERBS_WR_SOLICITED },
	{ NULL, 0 },
};

const struct kv_shape kv_shape_none;

#include "model/as_shape.h"

/* The address vectors of a QP: the attributes are others than those of an AH. */
static const struct kv_member av_members[] = {
	BOOL(av, has_dgid, UNTOLD)
	HEX(av, dgid, 16, A(QP_DGID), IF(av, has_dgid), KEY("the peer's GID"))
	BOOL(av, has_sgid_index, UNTOLD)
	U32(av, sgid_index, ANY, A(QP_SGID_INDEX), IF(av, has_sgid_index),
		KEY("entry of the own GID table to send from"))
	U32(av, dlid, ANY, A(QP_DLID), UNLESS_0, KEY("the peer's LID, InfiniBand only"))
	/* Sent also if it is 0, so that an address vector is never empty. */
	U32(av, sl, ANY, A(QP_SL), KEY("service level, 0 to 15"))
	U32(av, traffic_class, ANY, A(QP_TRAFFIC_CLASS), UNLESS_0, TOLD_WITH(av, has_dgid),
		KEY("0 to 255"))
	U32(av, flow_label, ANY, A(QP_FLOW_LABEL), UNLESS_0, TOLD_WITH(av, has_dgid),
		KEY("20 bits"))
	/* Sent with the DGID, also if it is 0: the default is not 0. */
	U32(av, hop_limit, ANY, A(QP_HOP_LIMIT), IF(av, has_dgid), PRESET(64),
		KEY("0 to 255; default: 64; on RoCE the kernel takes that of the route"))
};

/* The module has no other attributes for the alternate path. */
static const struct kv_member alt_av_members[] = {
	BOOL(av, has_dgid, UNTOLD)
	HEX(av, dgid, 16, A(QP_ALT_DGID), KNOWN("alt_dgid"), IF(av, has_dgid),
		KEY("the alternate path, InfiniBand only: the peer's GID"))
	BOOL(av, has_sgid_index, UNTOLD)
	U32(av, sgid_index, ANY, A(QP_ALT_SGID_INDEX), KNOWN("alt_sgid_index"),
		IF(av, has_sgid_index), KEY("entry of the own GID table"))
	U32(av, dlid, ANY, A(QP_ALT_DLID), KNOWN("alt_dlid"), UNLESS_0,
		KEY("the peer's LID"))
	U32(av, sl, ANY, BEYOND(1), UNTOLD)
	U32(av, traffic_class, ANY, BEYOND(2), UNTOLD)
	U32(av, flow_label, ANY, BEYOND(3), UNTOLD)
	U32(av, hop_limit, ANY, BEYOND(4), UNTOLD, PRESET(64))
};

static const struct kv_shape kv_shape_qp_av = KV_SHAPE(struct kv_av, av_members);
static const struct kv_shape kv_shape_qp_alt_av = KV_SHAPE(struct kv_av, alt_av_members);

#include "model/structs.def"
