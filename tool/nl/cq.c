// SPDX-License-Identifier: MIT
#include <string.h>
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_CQ_##NAME, __VA_ARGS__)
#define WC(member, NAME, ...) \
	KV_NL_FIELD(struct kv_wc, member, KVERBS_A_WC_##NAME, NULL, ##__VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_cq_init, dev, DEV, "device"),
	FIELD(struct kv_cq_init, cqe, CQE, "cqe"),
	FIELD(struct kv_cq_init, comp_vector, COMP_VECTOR, "comp_vector"),
	FIELD(struct kv_cq_init, context, CONTEXT, "context"),
	FIELD(struct kv_cq_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_cq, id, ID, "cq"),
	FIELD(struct kv_cq, dev, DEV, "device"),
	FIELD(struct kv_cq, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_cq, cqe, CQE, "cqe"),
	FIELD(struct kv_cq, comp_vector, COMP_VECTOR, "comp_vector"),
	FIELD(struct kv_cq, context, CONTEXT, "context"),
	FIELD(struct kv_cq, pending, PENDING, NULL),
};

static const struct kv_nl_field wc_fields[] = {
	WC(wr_id, WR_ID),
	WC(status, STATUS),
	WC(vendor_err, VENDOR_ERR),
	WC(op, OP),
	WC(qp, QP),
	WC(length, LENGTH, KV_NL_IF(struct kv_wc, has_length)),
	WC(imm, IMM, KV_NL_IF(struct kv_wc, has_imm)),
	WC(src_qpn, SRC_QPN, KV_NL_IF(struct kv_wc, has_src_qpn)),
	WC(grh, GRH),
};

static const struct kv_nl_table wc_table = KV_NL_TABLE(wc_fields);

struct polled {
	unsigned int n;
	struct kv_wc wc[KVERBS_POLL_MAX];
	uint64_t verb_ns;
};

static const struct kv_nl_field polled_fields[] = {
	KV_NL_MANY(struct polled, wc, n, KVERBS_A_CQ_WC, NULL, &wc_table),
	FIELD(struct polled, verb_ns, VERB_NS, NULL),
};

struct armed {
	bool missed;
	uint64_t verb_ns;
};

static const struct kv_nl_field armed_fields[] = {
	FIELD(struct armed, missed, MISSED, NULL),
	FIELD(struct armed, verb_ns, VERB_NS, NULL),
};

static const struct kv_nl_field other_fields[] = {
	KV_NL_KNOWN(KVERBS_A_CQ_MAX_WC, "max"),
	KV_NL_KNOWN(KVERBS_A_CQ_SOLICITED, "solicited"),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table polled_table = KV_NL_TABLE(polled_fields);
static const struct kv_nl_table armed_table = KV_NL_TABLE(armed_fields);
static const struct kv_nl_table other = KV_NL_TABLE(other_fields);
static const struct kv_nl_table *const names[] = { &object, &other, NULL };

const struct kv_nl_noun kv_nl_cq = {
	.what = "kernel cq",
	.init = &init,
	.object = &object,
	.names = names,
	.cmd_new = KVERBS_CMD_CQ_NEW,
	.cmd_get = KVERBS_CMD_CQ_GET,
	.cmd_del = KVERBS_CMD_CQ_DEL,
	.id = KVERBS_A_CQ_ID,
	.verb_ns = KVERBS_A_CQ_VERB_NS,
	.size = sizeof(struct kv_cq),
};

static int on_polled(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&polled_table, attrs, len, arg);
}

int kv_nl_cq_poll(struct kv_nl *nl, uint32_t id, struct kv_wc *wc,
		  unsigned int max, unsigned int *n, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_cq, KVERBS_CMD_CQ_POLL, id);
	struct polled polled;
	int ret;

	memset(&polled, 0, sizeof(polled));
	kv_nl_put_u32(msg, KVERBS_A_CQ_MAX_WC, max);
	ret = kv_nl_request(nl, msg, "kernel cq poll", names, on_polled, &polled);
	if (ret)
		return ret;
	*n = polled.n < max ? polled.n : max;
	memcpy(wc, polled.wc, *n * sizeof(*wc));
	if (verb_ns)
		*verb_ns = polled.verb_ns;
	return 0;
}

static int on_armed(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&armed_table, attrs, len, arg);
}

int kv_nl_cq_arm(struct kv_nl *nl, uint32_t id, bool solicited, bool *missed,
		 uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_cq, KVERBS_CMD_CQ_ARM, id);
	struct armed armed = { .missed = false };
	int ret;

	if (msg && solicited)
		nla_put_flag(msg, KVERBS_A_CQ_SOLICITED);
	ret = kv_nl_request(nl, msg, "kernel cq arm", names, on_armed, &armed);
	if (ret)
		return ret;
	if (missed)
		*missed = armed.missed;
	if (verb_ns)
		*verb_ns = armed.verb_ns;
	return 0;
}
