// SPDX-License-Identifier: MIT
#include <errno.h>
#include "measure/pair.h"
#include "start.h"

/* A run that can't start, with connected QPs and registered buffers. */

/* Beyond every machine of the tests. */
#define NO_CPU 1000

static const char *start(struct kv_pair *p)
{
	struct kv_backend *b = p->end[0].site->b;
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		.op = KVERBS_OP_WRITE,
		.size = p->work.size,
		.iters = 1,
		.cpu = NO_CPU,
		.spins = -1,
	};
	struct kv_id run;
	uint64_t ns;

	kv_pair_fill(p, 0, &spec.end);
	if (kv_op_run_start(b, &spec, &run, NULL) != -EINVAL)
		return "a run on a CPU that is not there is not refused as EINVAL";
	if (kv_op_del(b, KV_MR, p->local[0].mr, &ns))
		return "an MR is in use by a run that could not start";
	return NULL;
}

/**
 * failed_start_holds_nothing() - hold how a backend starts runs against backend.h
 * @space: a space, opened
 *
 * Return: NULL, or what is wrong.
 */
const char *failed_start_holds_nothing(const struct kv_site *space)
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
	wrong = start(&p);
	kv_pair_destroy(&p);
	return wrong;
}
