// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "contract.h"
#include "fail.h"

static int new_cq(struct link *l, uint32_t cqe, uint32_t vector, uint32_t context)
{
	struct kv_cq_init init = {
		.dev = dev,
		.cqe = cqe,
		.comp_vector = vector,
		.context = context,
	};

	return call_new(&l->nl, KV_CQ, &init, NULL, NULL);
}

static int new_without_cqe(struct link *l)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_CQ_NEW, 0);

	nla_put_string(msg, KVERBS_A_CQ_DEV, dev);
	return send_msg(l, msg);
}

static int poll_max(struct link *l, uint32_t cq, uint32_t max)
{
	return RAW(l, KVERBS_CMD_CQ_POLL, KVERBS_A_CQ_ID, cq, KVERBS_A_CQ_MAX_WC, max);
}

static void test_new(struct link *l)
{
	struct kv_cq_init init = { .dev = dev, .cqe = 100 };
	uint64_t verb_ns = 0;
	struct kv_cq cq;

	for (; init.context <= KVERBS_CQ_MAX; init.context++) {
		must(l, call_new(&l->nl, KV_CQ, &init, &cq, &verb_ns), "cq");
		result(cq.context == init.context && cq.cqe >= 100 && !cq.comp_vector &&
		       !cq.pending && !strcmp(cq.dev, dev) && verb_ns > 0,
		       "a cq of context %u", init.context);
		check_shown(l, KV_CQ, &cq, "the cq");
		done(l, call_del(&l->nl, KV_CQ, cq.id, NULL), "it goes");
	}
	init.context = 0;
	init.comp_vector = caps.comp_vectors - 1;
	must(l, call_new(&l->nl, KV_CQ, &init, &cq, NULL), "cq");
	result(cq.comp_vector == caps.comp_vectors - 1, "the last completion vector");
	must(l, call_del(&l->nl, KV_CQ, cq.id, NULL), "delete");

	refused(l, new_without_cqe(l), -EINVAL, "cqe is missing", "a cq without cqe");
	refused(l, new_cq(l, 0, 0, 0), -ERANGE, "cqe: integer out of range",
		"a cq of no completions");
	refused(l, new_cq(l, caps.max_cqe + 1, 0, 0), -EINVAL,
		"cqe is above the device's max_cqe", "a cq that is too deep");
	refused(l, new_cq(l, 2000000000, 0, 0), -EINVAL,
		"cqe is above the device's max_cqe", "a cq that is much too deep");
	refused(l, new_cq(l, 4000000000, 0, 0), -ERANGE, "out of range",
		"a cq deeper than any number");
	refused(l, new_cq(l, 8, caps.comp_vectors, 0), -EINVAL,
		"comp_vector is not below the device's num_comp_vectors",
		"a completion vector that does not exist");
	refused(l, new_cq(l, 8, 0, KVERBS_CQ_MAX + 1), -ERANGE,
		"context: integer out of range", "a context that does not exist");
}

static int new_moderated(struct link *l, uint32_t context, uint32_t count, uint32_t period,
			 struct kv_cq *cq)
{
	struct kv_cq_init init = {
		.dev = dev,
		.cqe = 8,
		.context = context,
		.moderation_count = count,
		.moderation_period = period,
	};

	return call_new(&l->nl, KV_CQ, &init, cq, NULL);
}

/* On a device that has it: that of hardware.ko with moderate=1, for one. */
static void check_moderated(struct link *l)
{
	uint32_t count = caps.max_cq_moderation_count, period = caps.max_cq_moderation_period;
	struct kv_cq cq;

	for (uint32_t context = KVERBS_CQ_EVENT; context <= KVERBS_CQ_MAX; context++) {
		must(l, new_moderated(l, context, count, period, &cq), "a moderated cq");
		result(cq.moderation_count == count && cq.moderation_period == period,
		       "a cq of context %u is moderated as far as the device can", context);
		check_shown(l, KV_CQ, &cq, "the cq");
		must(l, call_del(&l->nl, KV_CQ, cq.id, NULL), "delete");
	}
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, count + 1, 1, NULL), -EINVAL,
		"moderation_count is above the device's max_cq_moderation_count", "too many completions");
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, 1, period + 1, NULL), -EINVAL,
		"moderation_period is above the device's max_cq_moderation_period", "too long a time");
	if (!fail_verb_loaded()) {
		missing("moderation that fails", FAIL_VERB_MISSING);
		return;
	}
	fail_verb_set("error", "-5");
	fail_verb_set("verb", "rdma_set_cq_moderation");
	fail_verb_set("nth", "1");
	refused_by(l, new_moderated(l, KVERBS_CQ_EVENT, 1, 1, NULL), -EIO, KVERBS_STAGE_MODIFY,
		   "rdma_set_cq_moderation failed",
		   "the device fails to moderate, after it has made the cq");
	fail_verb_set("nth", "1");
	refused_by(l, new_moderated(l, KVERBS_CQ_SOFTIRQ, 1, 1, NULL), -EIO, KVERBS_STAGE_MODIFY,
		   "rdma_set_cq_moderation failed",
		   "the same with one that the kernel polls");
	fail_verb_set("verb", "\n");
}

static void test_moderation(struct link *l)
{
	refused(l, new_moderated(l, KVERBS_CQ_POLLED, 1, 1, NULL), -EINVAL,
		"a cq with context polled makes no events to moderate", "moderation of a cq without events");
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, 1, 0, NULL), -EINVAL,
		"moderation_count and moderation_period go together", "completions without a time");
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, 0, 1, NULL), -EINVAL,
		"moderation_count and moderation_period go together", "a time without completions");
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, 65536, 1, NULL), -ERANGE,
		"moderation_count: integer out of range", "more completions than any device takes");
	refused(l, new_moderated(l, KVERBS_CQ_EVENT, 1, 65536, NULL), -ERANGE,
		"moderation_period: integer out of range", "a longer time than any device takes");
	if (caps.max_cq_moderation_count)
		check_moderated(l);
	else
		refused(l, new_moderated(l, KVERBS_CQ_EVENT, 1, 1, NULL), -EOPNOTSUPP,
			"the device has no CQ moderation", "a device without moderation");
}

void test_cq(void)
{
	struct kv_wc wc[KVERBS_POLL_MAX];
	uint64_t verb_ns = 0;
	uint32_t polled, event, core;
	bool missed = true;
	unsigned int n;
	struct link l;

	link_open(&l);
	test_new(&l);
	test_moderation(&l);

	polled = make_cq(&l, 8, KVERBS_CQ_POLLED);
	event = make_cq(&l, 8, KVERBS_CQ_EVENT);
	core = make_cq(&l, 8, KVERBS_CQ_SOFTIRQ);
	must(&l, call_cq_poll(&l.nl, polled, wc, KVERBS_POLL_MAX, &n, &verb_ns), "poll");
	result(!n && verb_ns > 0, "there is nothing in a new cq");
	refused(&l, poll_max(&l, polled, 0), -ERANGE, "out of range", "taking no completions");
	refused(&l, poll_max(&l, polled, KVERBS_POLL_MAX + 1), -ERANGE, "out of range",
		"taking too many at once");
	refused(&l, RAW(&l, KVERBS_CMD_CQ_POLL, KVERBS_A_CQ_MAX_WC, 1), -EINVAL,
		"the cq's id is missing", "polling without a cq");
	refused(&l, call_cq_poll(&l.nl, 2000000000, wc, 1, &n, NULL), -ENOENT,
		"no cq with this id among yours", "polling an unknown cq");

	verb_ns = 0;
	must(&l, call_cq_arm(&l.nl, event, false, &missed, &verb_ns), "arm");
	result(!missed && verb_ns > 0, "an empty cq is armed");
	must(&l, call_cq_arm(&l.nl, event, true, &missed, NULL), "arm");
	result(!missed, "for solicited completions too");
	must(&l, call_cq_arm(&l.nl, core, false, &missed, NULL), "arm");
	result(!missed, "as is one that the kernel polls");
	refused(&l, call_cq_arm(&l.nl, core, true, NULL, NULL), -EINVAL,
		"solicited needs a cq with context event",
		"solicited with one that the kernel polls");
	refused(&l, call_cq_arm(&l.nl, polled, false, NULL, NULL), -EINVAL,
		"the cq's context is polled", "arming a cq that is but polled");
	refused(&l, call_cq_arm(&l.nl, 2000000000, false, NULL, NULL), -ENOENT,
		"no cq with this id among yours", "arming an unknown cq");
	refused(&l, send_msg(&l, kv_nl_msg(&l.nl, KVERBS_CMD_CQ_ARM, 0)), -EINVAL,
		"the cq's id is missing", "arming without a cq");
	link_close(&l);
}
