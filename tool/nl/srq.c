// SPDX-License-Identifier: MIT
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_SRQ_##NAME, __VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_srq_init, pd, PD, "pd", KV_NL_UNLESS_0),
	FIELD(struct kv_srq_init, max_wr, MAX_WR, "max_wr"),
	FIELD(struct kv_srq_init, max_sge, MAX_SGE, "max_sge"),
	FIELD(struct kv_srq_init, limit, LIMIT, "limit"),
	FIELD(struct kv_srq_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_srq, id, ID, "srq"),
	FIELD(struct kv_srq, dev, DEV, "device"),
	FIELD(struct kv_srq, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_srq, pd, PD, "pd"),
	FIELD(struct kv_srq, max_wr, MAX_WR, "max_wr"),
	FIELD(struct kv_srq, max_sge, MAX_SGE, "max_sge"),
	FIELD(struct kv_srq, limit, LIMIT, "limit"),
};

static const struct kv_nl_field attr_fields[] = {
	FIELD(struct kv_srq_attr, limit, LIMIT, "limit",
	      KV_NL_IF(struct kv_srq_attr, has_limit)),
	FIELD(struct kv_srq_attr, max_wr, MAX_WR, "max_wr",
	      KV_NL_IF(struct kv_srq_attr, has_max_wr)),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table attr_table = KV_NL_TABLE(attr_fields);
static const struct kv_nl_table *const names[] = { &object, NULL };

const struct kv_nl_noun kv_nl_srq = {
	.what = "kernel srq",
	.init = &init,
	.object = &object,
	.names = names,
	.cmd_new = KVERBS_CMD_SRQ_NEW,
	.cmd_get = KVERBS_CMD_SRQ_GET,
	.cmd_del = KVERBS_CMD_SRQ_DEL,
	.id = KVERBS_A_SRQ_ID,
	.verb_ns = KVERBS_A_SRQ_VERB_NS,
	.size = sizeof(struct kv_srq),
};

int kv_nl_srq_modify(struct kv_nl *nl, uint32_t id,
		     const struct kv_srq_attr *attr, struct kv_srq *srq,
		     uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_srq, KVERBS_CMD_SRQ_MODIFY, id);

	kv_nl_put(msg, &attr_table, attr);
	return kv_nl_call(nl, &kv_nl_srq, msg, NULL, srq, verb_ns);
}
