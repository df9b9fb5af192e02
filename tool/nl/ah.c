// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_AH_##NAME, __VA_ARGS__)

static const struct kv_nl_field av_fields[] = {
	FIELD(struct kv_av, dgid, DGID, "dgid", KV_NL_IF(struct kv_av, has_dgid)),
	FIELD(struct kv_av, sgid_index, SGID_INDEX, "sgid_index",
	      KV_NL_IF(struct kv_av, has_sgid_index)),
	FIELD(struct kv_av, dlid, DLID, "dlid", KV_NL_UNLESS_0),
	FIELD(struct kv_av, sl, SL, "sl", KV_NL_UNLESS_0),
	FIELD(struct kv_av, traffic_class, TRAFFIC_CLASS, "traffic_class", KV_NL_UNLESS_0),
	FIELD(struct kv_av, flow_label, FLOW_LABEL, "flow_label", KV_NL_UNLESS_0),
	/* Even 0, which is not its default; it belongs to the DGID. */
	FIELD(struct kv_av, hop_limit, HOP_LIMIT, "hop_limit",
	      KV_NL_IF(struct kv_av, has_dgid)),
};

static const struct kv_nl_table av = KV_NL_TABLE(av_fields);

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_ah_init, pd, PD, "pd", KV_NL_UNLESS_0),
	FIELD(struct kv_ah_init, port, PORT, "port"),
	KV_NL_WITHIN(struct kv_ah_init, av, &av),
	FIELD(struct kv_ah_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_ah, id, ID, "ah"),
	FIELD(struct kv_ah, dev, DEV, "device"),
	FIELD(struct kv_ah, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_ah, pd, PD, "pd"),
	FIELD(struct kv_ah, port, PORT, "port"),
	KV_NL_WITHIN(struct kv_ah, av, &av),
	FIELD(struct kv_ah, dmac, DMAC, NULL, KV_NL_IF(struct kv_ah, has_dmac)),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table *const names[] = { &object, NULL };

KV_NL_NOUN(AH, ah);
KV_NL_OBJECT_OPS(AH, ah);
