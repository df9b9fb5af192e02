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

struct flushed {
	uint32_t flushed;
	uint32_t kept;
};

static const struct kv_nl_field flushed_fields[] = {
	INFO(struct flushed, flushed, FLUSHED),
	INFO(struct flushed, kept, KEPT),
};

static const struct kv_nl_table info_table = KV_NL_TABLE(info_fields);
static const struct kv_nl_table flushed_table = KV_NL_TABLE(flushed_fields);

static int on_info(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&info_table, attrs, len, arg);
}

int kv_nl_info_get(struct kv_nl *nl, struct kv_info *info)
{
	*info = (struct kv_info){ .created = 0 };
	return kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_INFO_GET, 0),
			     "kernel module", NULL, on_info, info);
}

static int on_flushed(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&flushed_table, attrs, len, arg);
}

int kv_nl_flush(struct kv_nl *nl, uint32_t *flushed, uint32_t *kept)
{
	struct flushed counts = { .flushed = 0 };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_FLUSH, 0),
			    "kernel flush", NULL, on_flushed, &counts);
	if (ret)
		return ret;
	if (flushed)
		*flushed = counts.flushed;
	if (kept)
		*kept = counts.kept;
	return 0;
}
