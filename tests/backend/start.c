// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "measure/pair.h"
#include "start.h"

/* A run that can't start, with connected QPs and registered buffers. */

/* Beyond every machine of the tests. */
#define NO_CPU 1000

/* One that can start, on a CPU of the scheduler's choice. */
static struct kv_run_start good(const struct kv_pair *p)
{
	struct kv_run_start in = {
		.spec = {
			.loop = KVERBS_LOOP_POST_TO_COMPLETION,
			.op = KVERBS_OP_WRITE,
			.size = p->work.size,
			.ends = 1,
			.iters = 1,
			.cpu = -1,
			.spins = -1,
		},
	};

	kv_pair_fill(p, 0, &in.spec.end[0]);
	in.spec.end[0].target_buf = 0;
	in.spec.end[0].target_mr = 0;
	in.spec.end[0].has_remote = true;
	return in;
}

static const char *start(struct kv_pair *p)
{
	struct kv_backend *b = p->end[0].site->b;
	struct kv_run_start in = good(p);
	struct kv_id run;
	uint64_t ns;

	in.spec.cpu = NO_CPU;
	if (kv_op_run_start(b, &in, &run, NULL) != -EINVAL)
		return "a run on a CPU that is not there is not refused as EINVAL";
	if (p->local[0].mr && kv_op_del(b, KV_MR, p->local[0].mr, &ns))
		return "an MR is in use by a run that could not start";
	if (kv_op_del(b, KV_BUF, p->local[0].buf, &ns))
		return "a buffer is in use by a run that could not start";
	return NULL;
}

/* Does the space refuse this, and say so? Both spaces have the same rules. */
static bool refuses(struct kv_backend *b, const struct kv_run_start *in, int error,
		    const char *text)
{
	struct kv_id run;
	int ret = kv_op_run_start(b, in, &run, NULL);

	if (ret == error && strstr(b->err, text))
		return true;
	fprintf(stderr, "%d, %s, in place of %d, %s\n", ret, ret ? b->err : "no error", error, text);
	return false;
}

static const char *refuse_unused(struct kv_pair *p)
{
	struct kv_backend *b = p->end[0].site->b;
	struct kv_run_start in;

#define REFUSES(change, text) (in = good(p), change, refuses(b, &in, -EINVAL, text))
	if (!REFUSES(in.spec.loop = KVERBS_LOOP_NULL, "does not go with the null loop") ||
	    !REFUSES(strcpy(in.spec.dev, p->end[0].site->dev.name), "dev goes with") ||
	    !REFUSES(in.spec.swap = 1, "swap goes with") ||
	    !REFUSES(in.spec.compare_add = 1, "compare_add goes with") ||
	    !REFUSES(in.spec.end[0].target_buf = 12345, "end 1: ") ||
	    !REFUSES(in.spec.end[0].has_remote = false, "remote_addr is missing") ||
	    !REFUSES(in.spec.ends = 0, "end is missing") ||
	    !REFUSES((in.spec.end[1] = in.spec.end[0], in.spec.ends = 2), "two ends need a qp each") ||
	    !REFUSES((in.spec.end[0].has_cpu = true, in.spec.end[0].cpu = NO_CPU), "") ||
	    !REFUSES(in.spec.iters = 0, "iters and time_ns are missing"))
		return "a run with what its loop has no use for, or without what it needs, is not refused";
#undef REFUSES
	return NULL;
}

/* An SRQ's receives complete where a QP of its receives, also those that come while the run lasts. */
static const char *refuse_srq(struct kv_pair *p)
{
	const struct kv_endpoint *e = &p->end[0];
	struct kv_srq_init srq_init = { .pd = e->pd, .max_wr = 4, .max_sge = 1 };
	struct kv_qp_init qp_init = {
		.pd = e->pd,
		.type = KVERBS_QPT_RC,
		.send_cq = e->recv_cq,
		.recv_cq = e->send_cq,
		.max_send_wr = 1,
		.max_send_sge = 1,
	};
	struct kv_backend *b = e->site->b;
	const struct kv_run_start in = good(p);
	const char *wrong = NULL;
	struct kv_srq srq;
	struct kv_qp qp;

	if (kv_op_srq_new(b, &srq_init, &srq, NULL))
		return b->err;
	qp_init.srq = srq.id;
	if (kv_op_qp_new(b, &qp_init, &qp, NULL))
		return b->err;
	if (!refuses(b, &in, -EBUSY, "another qp with an srq receives into the cq"))
		wrong = "a run with a CQ of an SRQ's receives is not refused";
	kv_op_del(b, KV_QP, qp.id, NULL);
	kv_op_del(b, KV_SRQ, srq.id, NULL);
	return wrong;
}

static const char *with_pair(const struct kv_site *space, const char *(*fn)(struct kv_pair *p))
{
	struct kv_workload work = { .ack_timeout = 14, .retry_cnt = 6 };
	struct kv_fault f = { 0 };
	const char *wrong;
	struct kv_pair p;

	if (kv_dev_is_iwarp(&space->dev))
		work.connect = KV_CONNECT_CM;
	kv_workload_set(&work, KV_KIND_COMPLETION, KVERBS_OP_WRITE, 64);
	if (kv_pair_create(&p, space, space, &work, &f))
		return "no pair can be made";
	wrong = fn(&p);
	kv_pair_destroy(&p);
	return wrong;
}

/**
 * failed_start_holds_nothing() - hold how a backend starts runs against backend.h
 * @space: a space, opened
 *
 * Return: NULL, or what is wrong.
 */
const char *failed_start_holds_nothing(const struct kv_site *space)
{
	return with_pair(space, start);
}

/**
 * runs_are_refused() - hold which runs a backend refuses against the rules of both spaces
 * @space: a space, opened
 *
 * Return: NULL, or what is wrong.
 */
const char *runs_are_refused(const struct kv_site *space)
{
	const char *wrong = with_pair(space, refuse_unused);

	return wrong ? wrong : with_pair(space, refuse_srq);
}
