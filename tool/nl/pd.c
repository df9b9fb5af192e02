// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_PD_##NAME, __VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_pd_init, dev, DEV, "device"),
	FIELD(struct kv_pd_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_pd, id, ID, "pd"),
	FIELD(struct kv_pd, dev, DEV, "device"),
	FIELD(struct kv_pd, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_pd, local_dma_lkey, LOCAL_DMA_LKEY, NULL),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table *const names[] = { &object, NULL };

KV_NL_NOUN(PD, pd);
KV_NL_OBJECT_OPS(PD, pd);
