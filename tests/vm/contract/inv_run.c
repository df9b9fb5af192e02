// SPDX-License-Identifier: MIT
/* Runs that register an MR again and again, and have its key invalidated. */
#include <errno.h>
#include <string.h>
#include "contract.h"
#include "run.h"

static uint32_t count_on(uint32_t key, unsigned int n)
{
	return (key & ~0xffU) | ((key + n) & 0xff);
}

static bool registered(struct link *l, uint32_t id)
{
	struct kv_mr mr;

	must(l, call_get(&l->nl, KV_MR, id, &mr), "mr");
	return mr.registered;
}

static int start(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	return call_run_start(&l->nl, spec, &id);
}

static int reg(struct link *l, const struct end *e, uint32_t mr)
{
	const struct kv_mr_reg in = { .buf = e->local, .qp = e->qp, .length = 64, .access = KVERBS_ACCESS_LOCAL_WRITE };
	struct kv_mr out;

	return call_mr_reg(&l->nl, mr, &in, &out, NULL);
}

static void test_runs(struct link *l, struct end *a, struct end *b, uint32_t mr)
{
	static const char *const name[] = { "a run of SEND_WITH_INV", "a run that follows it" };
	struct kv_run_spec spec;
	const struct kv_worker_result *w;
	uint32_t key;

	for (unsigned int i = 0; i < 2; i++) {
		must(l, call_buf_write(&l->nl, a->local, 0, "the question goes", 16), "write");
		must(l, call_buf_write(&l->nl, b->local, 0, "the answer comes", 16), "write");
		key = mr_last_key(l, mr);
		spec = inv_spec(l, a, b, mr);
		w = run(l, &spec);
		result(!w->error && w->samples == INV_ITERS, "%s", name[i]);
		result(holds(l, b->target, 0, "the question goes", 16) && holds(l, a->target, 0, "the answer comes", 16),
		       "%s: the bytes have arrived at both ends", name[i]);
		result(!registered(l, mr) && mr_last_key(l, mr) == count_on(key, INV_ITERS),
		       "%s: the mr is not registered, and its key has gone on", name[i]);
	}
	done(l, reg(l, a, mr), "the mr can be registered by hand");
	result(mr_last_key(l, mr) == count_on(spec.end[1].remote_key, INV_ITERS + 1), "under the next key");
	spec = inv_spec(l, a, b, mr);
	spec.end[0].local_buf = make_buf(l, LENGTH);
	refused(l, start(l, &spec), -EBUSY, "end 1: inv_mr: the mr is registered already", "a run with a registered mr");
	done(l, call_del(&l->nl, KV_BUF, spec.end[0].local_buf, NULL), "which holds none of its buffers");
	must(l, call_mr_inv(&l->nl, mr, a->qp, NULL), "invalidate");
	spec = inv_spec(l, a, b, mr);
	result(!run(l, &spec)->error, "and then a run goes on again");
}

#define BAD(change, error, text, name)						\
	do {									\
		spec = good;							\
		change;								\
		refused(l, start(l, &spec), error, text, name);			\
	} while (0)

static void test_refused(struct link *l, struct end *a, struct end *b, uint32_t mr)
{
	struct kv_run_spec good = inv_spec(l, a, b, mr), spec;

	BAD(spec.end[0].inv_mr = 0, -EINVAL, "inv_mr is missing in this end", "a run without an mr");
	BAD(spec.end[0].inv_mr = b->target_mr, -EINVAL, "the mr and the qp are of different pds", "an mr of another pd");
	BAD(spec.end[0].inv_mr = 2000000000, -ENOENT, "inv_mr: no mr with this id among yours", "an unknown mr");
	BAD(spec.end[1].remote_key = 0, -EINVAL, "remote_key is missing in this end", "an answer without a key");
	BAD(spec.end[0].remote_key = 1, -EINVAL, "remote_key goes with the end that answers", "a question with a key");
	BAD(spec.end[1].inv_mr = mr, -EINVAL, "inv_mr goes with the end that asks", "an answer with an mr");
	BAD((spec.op = KVERBS_OP_SEND, spec.end[1].remote_key = 0), -EINVAL,
	    "inv_mr goes with send_with_inv and read_with_inv only", "an mr of a SEND");
	BAD((spec.loop = KVERBS_LOOP_STREAM, spec.ends = 1), -EINVAL, "this loop can't take this op", "a stream");
}

static void test_active(struct link *l, struct end *a, struct end *b, uint32_t mr)
{
	struct kv_run_spec spec = inv_spec(l, a, b, mr);
	uint32_t id;

	spec.iters = UINT64_MAX;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	refused(l, reg(l, a, mr), -EBUSY, "a run registers the mr again and again", "registering the mr of an active run");
	refused(l, call_mr_inv(&l->nl, mr, a->qp, NULL), -EBUSY, "a run registers the mr again and again",
		"invalidating it");
	refused(l, call_del(&l->nl, KV_MR, mr, NULL), -EBUSY, "in use by a qp", "deleting it");
	refused(l, call_del(&l->nl, KV_BUF, a->target, NULL), -EBUSY, "in use by", "deleting its buffer");
	must(l, call_run_cancel(&l->nl, id), "cancel");
	result(run_wait(l, id)->error == -ECANCELED, "the run is cancelled");
	must(l, call_run_del(&l->nl, id), "delete the run");
	refused(l, call_del(&l->nl, KV_BUF, a->target, NULL), -EBUSY, "in use by a qp",
		"its receives still name the buffer, which the mr does not hold");
	done(l, reg(l, a, mr), "after which the mr can be registered");
	must(l, call_mr_inv(&l->nl, mr, a->qp, NULL), "invalidate");
}

/* The answer invalidates a key that the MR does not have. */
static void test_failed(struct link *l, struct end *a, struct end *b, uint32_t mr)
{
	struct kv_run_spec spec = inv_spec(l, a, b, mr);
	uint32_t key;

	spec.end[1].remote_key ^= 0x5a5a00;
	result(run(l, &spec)->error < 0, "a run whose answer invalidates another key fails");
	key = mr_last_key(l, mr);
	spec = inv_spec(l, a, b, mr);
	refused(l, start(l, &spec), is_iwarp() ? -EBUSY : -EINVAL, "reset it and connect it anew", "the qps take no other run");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	refused(l, call_del(&l->nl, KV_BUF, a->target, NULL), -EBUSY, "in use by an mr",
		"the mr may be registered over the buffer");
	refused(l, start(l, &spec), -EINVAL, "end 1: inv_mr: the device may have the mr registered or not: register it anew",
		"once they are connected anew, the mr's keys are unknown");
	done(l, reg(l, a, mr), "the mr can be registered");
	result(mr_last_key(l, mr) >> 8 != key >> 8, "by a new verbs object");
	must(l, call_mr_inv(&l->nl, mr, a->qp, NULL), "invalidate");
	spec = inv_spec(l, a, b, mr);
	result(!run(l, &spec)->error, "and a run begins with its key");
}

static void test_read(struct link *l, struct end *a, struct end *b, uint32_t mr)
{
	struct kv_run_spec spec = write_spec(a, b);
	const struct kv_worker_result *w;
	uint32_t key = mr_last_key(l, mr);

	spec.op = KVERBS_OP_READ_WITH_INV;
	spec.iters = INV_ITERS;
	spec.end[0].inv_mr = mr;
	if (!is_iwarp()) {
		refused(l, start(l, &spec), -EOPNOTSUPP, "only iWARP has read_with_inv", "a run of READ_WITH_INV");
		return;
	}
	write_all(l, a->local, 0);
	write_all(l, b->target, 'r');
	w = run(l, &spec);
	result(!w->error && w->samples == INV_ITERS, "a run of READ_WITH_INV");
	result(holds(l, a->local, 0, "rrrrrrrr", 8), "brings the bytes");
	result(!registered(l, mr) && mr_last_key(l, mr) == count_on(key, INV_ITERS), "its mr is not registered, and its key has gone on");
	spec.end[0].local_mr = mr;
	refused(l, start(l, &spec), -EINVAL, "local_mr does not go with", "a sink with two keys");
}

void test_inv_run(void)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;
	uint32_t mr;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	mr = make_mr(&l, a.pd);
	test_runs(&l, &a, &b, mr);
	test_refused(&l, &a, &b, mr);
	test_active(&l, &a, &b, mr);
	register_target(&l, &b);
	test_read(&l, &a, &b, mr);
	must(&l, call_mr_inv(&l.nl, b.target_mr, b.qp, NULL), "invalidate");
	test_failed(&l, &a, &b, mr);
	pair_reconnect(&l, &a, &b, KVERBS_QPT_RC);
	done(&l, call_del(&l.nl, KV_MR, mr, NULL), "the mr is free once its qp was reset");
	link_close(&l);
}
