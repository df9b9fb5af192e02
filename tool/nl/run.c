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

static const struct kv_nl_field other_fields[] = {
	KV_NL_KNOWN(KVERBS_A_RUN_ID, "run"),
	KV_NL_KNOWN(KVERBS_A_RUN_CPU, "cpu"),
	KV_NL_KNOWN(KVERBS_A_RUN_SPINS, "spins"),
};

static const struct kv_nl_table spec_table = KV_NL_TABLE(spec_fields);
static const struct kv_nl_table null_table = KV_NL_TABLE(null_fields);
static const struct kv_nl_table verbs_table = KV_NL_TABLE(verbs_fields);
static const struct kv_nl_table peer_table = KV_NL_TABLE(peer_fields);
static const struct kv_nl_table other = KV_NL_TABLE(other_fields);
static const struct kv_nl_table *const names[] = {
	&spec_table, &null_table, &verbs_table, &peer_table, &other, NULL,
};

struct started {
	uint32_t id;
};

static const struct kv_nl_field started_fields[] = {
	RESULT(struct started, id, ID),
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

static const struct kv_nl_table started_table = KV_NL_TABLE(started_fields);
static const struct kv_nl_table result_table = KV_NL_TABLE(result_fields);
static const struct kv_nl_table more_table = KV_NL_TABLE(more_fields);

static int on_started(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&started_table, attrs, len, arg);
}

int kv_nl_run_start(struct kv_nl *nl, const struct kv_run_spec *spec,
		    uint32_t *id)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_RUN_START, 0);
	struct started started = { .id = 0 };
	int ret;

	kv_nl_put(msg, &spec_table, spec);
	kv_nl_put(msg, spec->loop == KVERBS_LOOP_NULL ? &null_table : &verbs_table,
		  spec);
	if (spec->loop == KVERBS_LOOP_RELAY)
		kv_nl_put(msg, &peer_table, spec);
	if (spec->cpu >= 0)
		kv_nl_put_u32(msg, KVERBS_A_RUN_CPU, (uint32_t)spec->cpu);
	if (spec->spins >= 0)
		kv_nl_put_u32(msg, KVERBS_A_RUN_SPINS, (uint32_t)spec->spins);
	ret = kv_nl_request(nl, msg, "kernel run", names, on_started, &started);
	if (!ret)
		*id = started.id;
	return ret;
}

static int run_command(struct kv_nl *nl, int cmd, uint32_t id)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, KVERBS_A_RUN_ID, id);
	return kv_nl_request(nl, msg, "kernel run", names, NULL, NULL);
}

int kv_nl_run_cancel(struct kv_nl *nl, uint32_t id)
{
	return run_command(nl, KVERBS_CMD_RUN_CANCEL, id);
}

int kv_nl_run_del(struct kv_nl *nl, uint32_t id)
{
	return run_command(nl, KVERBS_CMD_RUN_DEL, id);
}

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

int kv_nl_run_peek(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	struct result arg = { .to = result };

	memset(result, 0, offsetof(struct kv_run_result, hist.bin));
	return get_result(nl, id, -1, &arg);
}

int kv_nl_run_get(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	struct result arg = { .to = result };
	int ret;

	memset(result, 0, offsetof(struct kv_run_result, hist));
	kv_hist_reset(&result->hist);
	do
		ret = get_result(nl, id, (int32_t)arg.more.next_bin, &arg);
	while (!ret && arg.more.next_bin);
	return ret;
}
