// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "nl/msg.h"

#define END(member, NAME, ...) \
	KV_NL_FIELD(struct kv_run_end, member, KVERBS_A_END_##NAME, #member, ##__VA_ARGS__)
#define SPEC(member, NAME, ...) \
	KV_NL_FIELD(struct kv_run_spec, member, KVERBS_A_RUN_##NAME, ##__VA_ARGS__)
#define RESULT(type, member, NAME) \
	KV_NL_FIELD(type, member, KVERBS_A_RUN_##NAME, NULL)

static const struct kv_nl_field end_fields[] = {
	END(qp, QP),
	END(local_mr, LOCAL_MR),
	END(target_mr, TARGET_MR, KV_NL_UNLESS_0),
	END(lkey, LKEY),
	END(remote_addr, REMOTE_ADDR),
	END(remote_key, REMOTE_KEY),
};

static const struct kv_nl_table end_table = KV_NL_TABLE(end_fields);

static const struct kv_nl_field spec_fields[] = {
	SPEC(loop, LOOP, "loop"),
	SPEC(iters, ITERS, "iters", KV_NL_UNLESS_0),
	SPEC(time_ns, TIME_NS, "time", KV_NL_UNLESS_0),
	SPEC(warmup, WARMUP, "warmup"),
	SPEC(timeout_ns, TIMEOUT_NS, "timeout", KV_NL_UNLESS_0),
	SPEC(post, POST, "post"),
	SPEC(cpu, CPU, "cpu", KV_NL_UNLESS_NEGATIVE),
	SPEC(spins, SPINS, "spins", KV_NL_UNLESS_NEGATIVE),
};

/* Without verbs. */
static const struct kv_nl_field null_fields[] = {
	SPEC(dev, DEV, "device"),
};

/* With verbs. */
static const struct kv_nl_field verbs_fields[] = {
	SPEC(op, OP, "op"),
	SPEC(size, SIZE, "size"),
	KV_NL_ONE(struct kv_run_spec, end, KVERBS_A_RUN_END, "end", &end_table),
	SPEC(compare_add, COMPARE_ADD, "compare_add"),
	SPEC(swap, SWAP, "swap"),
};

static const struct kv_nl_field peer_fields[] = {
	KV_NL_ONE(struct kv_run_spec, peer, KVERBS_A_RUN_PEER, "peer", &end_table),
};

static const struct kv_nl_field id_fields[] = {
	KV_NL_FIELD(struct kv_id, id, KVERBS_A_RUN_ID, "run"),
};

static const struct kv_nl_table spec_table = KV_NL_TABLE(spec_fields);
static const struct kv_nl_table null_table = KV_NL_TABLE(null_fields);
static const struct kv_nl_table verbs_table = KV_NL_TABLE(verbs_fields);
static const struct kv_nl_table peer_table = KV_NL_TABLE(peer_fields);
static const struct kv_nl_table id_table = KV_NL_TABLE(id_fields);
static const struct kv_nl_table *const names[] = {
	&spec_table, &null_table, &verbs_table, &peer_table, &id_table, NULL,
};

static const struct kv_nl_field result_fields[] = {
	RESULT(struct kv_run_result, state, STATE),
	RESULT(struct kv_run_result, error, ERROR),
	RESULT(struct kv_run_result, wc_status, WC_STATUS),
	RESULT(struct kv_run_result, vendor_err, VENDOR_ERR),
	RESULT(struct kv_run_result, samples, SAMPLES),
	RESULT(struct kv_run_result, warmed, WARMED),
	RESULT(struct kv_run_result, elapsed_ticks, ELAPSED_TICKS),
	RESULT(struct kv_run_result, elapsed_ns, ELAPSED_NS),
	RESULT(struct kv_run_result, let_go, LET_GO),
	RESULT(struct kv_run_result, hist.sum, SUM_TICKS),
};

struct more {
	uint32_t next_bin; /* 0: that was all */
};

static const struct kv_nl_field more_fields[] = {
	RESULT(struct more, next_bin, NEXT_BIN),
};

static const struct kv_nl_table result_table = KV_NL_TABLE(result_fields);
static const struct kv_nl_table more_table = KV_NL_TABLE(more_fields);

static const struct kv_nl_noun kv_nl_run = {
	.what = "kernel run",
	.names = names,
	.id = KVERBS_A_RUN_ID,
};

static void put_ends(struct nl_msg *msg, const void *in)
{
	const struct kv_run_spec *spec = in;

	kv_nl_put(msg, spec->loop == KVERBS_LOOP_NULL ? &null_table : &verbs_table, spec);
	if (spec->loop == KVERBS_LOOP_RELAY)
		kv_nl_put(msg, &peer_table, spec);
}

const struct kv_nl_op kv_nl_op_run_start = {
	.noun = &kv_nl_run,
	.cmd = KVERBS_CMD_RUN_START,
	.in = &spec_table,
	.put = put_ends,
	.out = &id_table,
	.size = sizeof(struct kv_id),
};

const struct kv_nl_op kv_nl_op_run_cancel = {
	.noun = &kv_nl_run,
	.cmd = KVERBS_CMD_RUN_CANCEL,
	.by_id = true,
};

const struct kv_nl_op kv_nl_op_run_del = {
	.noun = &kv_nl_run,
	.cmd = KVERBS_CMD_RUN_DEL,
	.by_id = true,
};

static int take_bins(struct nlattr *attr, struct kv_hist *hist)
{
	const char *data = nla_data(attr);
	struct kverbs_bin bin;
	unsigned long i;
	int at;

	for (at = 0; at + (int)sizeof(bin) <= nla_len(attr); at += sizeof(bin)) {
		memcpy(&bin, data + at, sizeof(bin));
		i = kv_hist_index(bin.min);
		if (bin.min > bin.max || kv_hist_index(bin.max) != i)
			return -EBADMSG;
		hist->bin[i].count = bin.count;
		hist->bin[i].low = (uint32_t)bin.min;
		hist->bin[i].high = (uint32_t)bin.max;
	}
	return 0;
}

struct result {
	struct kv_run_result *to;
	struct more more;
};

static int on_result(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *bins = nla_find(attrs, len, KVERBS_A_RUN_BINS);
	struct result *result = arg;
	int ret;

	result->more.next_bin = 0;
	ret = kv_nl_take(&result_table, attrs, len, result->to);
	if (!ret)
		ret = kv_nl_take(&more_table, attrs, len, &result->more);
	return ret || !bins ? ret : take_bins(bins, &result->to->hist);
}

static int get_result(struct kv_nl *nl, uint32_t id, int32_t first_bin,
		      struct result *result)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_RUN_GET, 0);

	kv_nl_put_u32(msg, KVERBS_A_RUN_ID, id);
	if (first_bin >= 0)
		kv_nl_put_u32(msg, KVERBS_A_RUN_FIRST_BIN, (uint32_t)first_bin);
	return kv_nl_request(nl, msg, "kernel run", names, on_result, result);
}

static int peek_run(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	struct result arg = { .to = out };

	memset(out, 0, offsetof(struct kv_run_result, hist.bin));
	return get_result(nl, ((const struct kv_id *)in)->id, -1, &arg);
}

const struct kv_nl_op kv_nl_op_run_peek = { .call = peek_run };

static int get_run(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	struct result arg = { .to = out };
	int ret;

	memset(out, 0, offsetof(struct kv_run_result, hist));
	kv_hist_reset(&arg.to->hist);
	do
		ret = get_result(nl, ((const struct kv_id *)in)->id, (int32_t)arg.more.next_bin,
				 &arg);
	while (!ret && arg.more.next_bin);
	return ret;
}

const struct kv_nl_op kv_nl_op_run_get = { .call = get_run };

static int wait_run(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_wait *in = arg;
	uint64_t deadline_ns = kv_nl_deadline(in->timeout_ms);
	struct kv_run_result result;
	int ret;

	/* An event can be somebody else's: ask, wait, ask again. */
	do {
		ret = peek_run(nl, in, &result, ns);
		if (ret || result.state == KVERBS_RUN_DONE)
			return ret;
		ret = kv_nl_wait_any(nl, deadline_ns);
	} while (!ret);
	return ret;
}

const struct kv_nl_op kv_nl_op_run_wait = { .call = wait_run };
