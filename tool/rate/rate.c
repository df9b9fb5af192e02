// SPDX-License-Identifier: MIT
#include "rate/rate.h"

/**
 * kv_rate_init() - make the objects that all connections share
 * @r: spec and site are set; receives it. It dies with the site
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_rate_init(struct kv_rate *r, struct kv_fault *f)
{
	int ret;

	for (unsigned int i = 0; i < KV_RATE_STEPS; i++) {
		kv_hist_reset(&r->cost[i].verb);
		kv_hist_reset(&r->cost[i].step);
	}
	ret = kv_endpoint_add_pd(&r->end, f);
	/* Nothing is ever sent. */
	return ret ? ret : kv_endpoint_add_cq(&r->end, 1, KVERBS_CQ_POLLED, f);
}

/**
 * kv_rate_record() - note what a step cost
 * @r: gets it
 * @step: which
 * @verb_ns: how long the verb itself took; 0: nobody called it
 * @step_ns: how long the step took
 */
void kv_rate_record(struct kv_rate *r, enum kv_rate_step step, uint64_t verb_ns, uint64_t step_ns)
{
	if (!verb_ns)
		return;
	kv_hist_record(&r->cost[step].verb, verb_ns);
	kv_hist_record(&r->cost[step].step, step_ns);
}

/**
 * kv_rate_create_qp() - a QP for one connection
 * @r: what it shares with the others
 * @id: receives it
 * @verb_ns: receives how long the verb took
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_rate_create_qp(struct kv_rate *r, uint32_t *id, uint64_t *verb_ns, struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.max_send_wr = 1,
		.max_recv_wr = 1,
	};
	int ret = kv_endpoint_add_qp(&r->end, &init, f);

	*id = r->end.qp;
	*verb_ns = r->end.verb_ns[KV_VERB_QP_NEW];
	return ret;
}
