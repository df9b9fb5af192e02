// SPDX-License-Identifier: MIT
#include "rate/rate.h"

/**
 * kv_rate_init() - what all connections share
 * @r: spec and space are set; receives it. It dies with the space
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_rate_init(struct kv_rate *r, struct kv_fault *f)
{
	const char *dev = r->space->dev.name;
	const struct kv_pd_init pd_init = { .dev = dev };
	const struct kv_cq_init cq_init = { .dev = dev, .cqe = 1 };
	struct kv_backend *b = r->space->b;
	struct kv_pd pd;
	struct kv_cq cq;
	uint64_t ns;
	int ret;

	for (unsigned int i = 0; i < KV_RATE_STEPS; i++) {
		kv_hist_reset(&r->cost[i].verb);
		kv_hist_reset(&r->cost[i].step);
	}
	ret = kv_op_pd_new(b, &pd_init, &pd, &ns);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a PD on %s",
					dev);
	r->pd = pd.id;
	/* Nothing is ever sent. */
	ret = kv_op_cq_new(b, &cq_init, &cq, &ns);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a CQ on %s",
					dev);
	r->cq = cq.id;
	return 0;
}

/**
 * kv_rate_record() - note what a step cost
 * @r: gets it
 * @step: which
 * @verb_ns: how long the verb itself took; 0: nobody called it
 * @step_ns: how long the step took
 */
void kv_rate_record(struct kv_rate *r, enum kv_rate_step step,
		    uint64_t verb_ns, uint64_t step_ns)
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
int kv_rate_create_qp(struct kv_rate *r, uint32_t *id, uint64_t *verb_ns,
		      struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.pd = r->pd,
		.type = KVERBS_QPT_RC,
		.send_cq = r->cq,
		.recv_cq = r->cq,
		.max_send_wr = 1,
		.max_recv_wr = 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_backend *b = r->space->b;
	struct kv_qp qp;
	int ret;

	ret = kv_op_qp_new(b, &init, &qp, verb_ns);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a QP on %s",
					r->space->dev.name);
	*id = qp.id;
	return 0;
}
