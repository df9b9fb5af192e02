// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define INFO(type, member, NAME) \
	KV_NL_FIELD(type, member, KVERBS_A_INFO_##NAME, NULL)

static const struct kv_nl_field info_fields[] = {
	INFO(struct kv_info, version, VERSION),
	INFO(struct kv_info, counter, COUNTER),
	INFO(struct kv_info, created, CREATED),
	INFO(struct kv_info, destroyed, DESTROYED),
	INFO(struct kv_info, buffer_bytes, BUFFER_BYTES),
};

static const struct kv_nl_field flushed_fields[] = {
	INFO(struct kv_flushed, flushed, FLUSHED),
	INFO(struct kv_flushed, kept, KEPT),
};

static const struct kv_nl_table info_table = KV_NL_TABLE(info_fields);
static const struct kv_nl_table flushed_table = KV_NL_TABLE(flushed_fields);

static const struct kv_nl_noun module = { .what = "kernel module" };

const struct kv_nl_op kv_nl_op_info = {
	.noun = &module,
	.cmd = KVERBS_CMD_INFO_GET,
	.out = &info_table,
	.size = sizeof(struct kv_info),
};

const struct kv_nl_op kv_nl_op_flush = {
	.noun = &module,
	.what = "kernel flush",
	.cmd = KVERBS_CMD_FLUSH,
	.out = &flushed_table,
	.size = sizeof(struct kv_flushed),
};
