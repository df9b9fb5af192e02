// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "kernel/msg.h"

/* Results of runs, which take several messages, and waits for their end. */

struct result {
	struct kv_run_result *to;
	uint32_t next_bin; /* 0: no bins are left */
};

static const struct kv_member more_members[] = {
	{ .name = "next_bin", .type = KV_MEMBER_U32, .offset = offsetof(struct result, next_bin),
	  .attr = KVERBS_A_RUN_NEXT_BIN },
};

static const struct kv_shape more = KV_SHAPE(struct result, more_members);

static int on_result(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *bins = nla_find(attrs, len, KVERBS_A_RUN_BINS);
	struct result *result = arg;
	int ret;

	result->next_bin = 0;
	/* No CPU in the message means any CPU. Each of several messages has all but the bins. */
	result->to->spec.cpu = -1;
	result->to->spec.ends = 0;
	result->to->workers = 0;
	ret = kv_nl_take(&kv_shape_run_result, attrs, len, result->to) ?:
	      kv_nl_take(&more, attrs, len, result);
	if (!ret && (!result->to->workers || result->to->hist_shift != KV_HIST_SHIFT))
		ret = -EBADMSG;
	return ret || !bins ? ret : kv_nl_take_bins(nla_data(bins), (size_t)nla_len(bins),
						    &result->to->hist);
}

/* @worker: the worker whose bins are read, from @next_bin on; NULL: no bins. */
static int get_result(struct kv_nl *nl, uint32_t id, const uint32_t *worker, struct result *result)
{
	const struct kv_shape *const names[] = { &kv_shape_run_which, kv_nl_run.shape, NULL };
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_RUN_GET, 0);

	kv_nl_put_u32(msg, KVERBS_A_RUN_ID, id);
	if (worker) {
		kv_nl_put_u32(msg, KVERBS_A_RUN_WORKER, *worker);
		kv_nl_put_u32(msg, KVERBS_A_RUN_FIRST_BIN, result->next_bin);
	}
	return kv_nl_request(nl, msg, names, on_result, result);
}

/*
 * All up to the histogram, without the room for more ends than are told: a run that goes on is
 * looked at often.
 */
static void clear_result(struct kv_run_result *out)
{
	char *behind = (char *)&out->spec.end[KV_RUN_ENDS_MAX];

	memset(out, 0, offsetof(struct kv_run_result, spec.end[KV_RUN_ENDS_TOLD]));
	memset(behind, 0, (size_t)((char *)&out->hist - behind));
}

int kv_nl_run_peek(struct kv_nl *nl, const struct kv_id *in, struct kv_run_result *out)
{
	struct result arg = { .to = out };

	clear_result(out);
	memset(&out->hist, 0, offsetof(struct kv_hist, bin));
	return get_result(nl, in->id, NULL, &arg);
}

int kv_nl_run_get(struct kv_nl *nl, const struct kv_run_which *which, struct kv_run_result *out)
{
	struct result arg = { .to = out };
	int ret;

	clear_result(out);
	kv_hist_reset(&out->hist);
	do
		ret = get_result(nl, which->id, &which->worker, &arg);
	while (!ret && arg.next_bin);
	if (!ret && which->worker < out->workers)
		out->hist.sum = out->worker[which->worker].sum_ticks;
	return ret;
}

int kv_nl_run_wait(struct kv_nl *nl, const struct kv_wait *in, struct kv_none *out)
{
	uint64_t deadline_ns = kv_nl_deadline(in->timeout_ms);
	struct kv_run_result result;
	int ret;

	/* An event may concern another object: ask, wait, ask again. */
	do {
		ret = kv_nl_run_peek(nl, &(struct kv_id){ in->id }, &result);
		if (ret || result.state == KVERBS_RUN_DONE)
			return ret;
		ret = kv_nl_wait_any(nl, deadline_ns);
	} while (!ret);
	return ret;
}
