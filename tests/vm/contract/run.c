// SPDX-License-Identifier: MIT
/* Runs: what can't be started, and what is in use while one is active. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

static struct kv_run_result last; /* too large for the stack */

struct kv_run_spec write_spec(const struct end *a, const struct end *b)
{
	return (struct kv_run_spec){
		.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		.op = KVERBS_OP_WRITE,
		.size = 64,
		.end = {
			.qp = a->qp,
			.local_mr = a->local,
			.remote_addr = b->key.iova,
			.remote_key = b->key.rkey,
		},
		.iters = 10,
		.post = KVERBS_POST_SOFTIRQ_OFF,
		.cpu = -1,
		.spins = -1,
	};
}

const struct kv_run_result *run_wait(struct link *l, uint32_t id)
{
	int i;

	for (i = 0; i < 1000; i++) {
		must(l, kv_nl_run_get(&l->nl, id, &last), "look at the run");
		if (last.state == KVERBS_RUN_DONE)
			return &last;
		usleep(10000);
	}
	bail_out("run %u did not end within 10 s", id);
}

/* Runs to the end. */
const struct kv_run_result *run(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	must(l, kv_nl_run_start(&l->nl, spec, &id), "start a run");
	run_wait(l, id);
	must(l, kv_nl_run_del(&l->nl, id), "delete the run");
	return &last;
}

static int start(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	return kv_nl_run_start(&l->nl, spec, &id);
}

static void test_states(struct link *l, const struct end *e)
{
	struct kv_run_spec spec = write_spec(e, e);

	refused(l, start(l, &spec), -EINVAL,
		"kernel run: the qp is in RESET: bring it to INIT",
		"a run on a qp in RESET");
	must(l, modify(l, e->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	refused(l, start(l, &spec), -EINVAL,
		"the qp is in INIT: bring it to RTR", "a run on a qp in INIT");
	must(l, modify(l, e->qp, rtr_attr(KVERBS_QPT_RC, e->qpn)), "RTR");
	refused(l, start(l, &spec), -EINVAL,
		"the qp is in RTR: bring it to RTS", "a run on a qp in RTR");
	to_state(l, e->qp, KVERBS_QPS_RESET);
}

static void test_type(struct link *l)
{
	static const struct end_init uc = { .type = KVERBS_QPT_UC };
	struct kv_run_spec spec;
	struct end a, b;

	pair_make(l, &a, &b, &uc);
	spec = write_spec(&a, &b);
	refused(l, start(l, &spec), -EINVAL, "rc", "a run on a uc qp");
}

static void test_specs(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec;

#define BAD(change, error, text, name)					\
	do {								\
		spec = good;						\
		change;							\
		refused(l, start(l, &spec), error, text, name);		\
	} while (0)

	BAD(spec.size = 0, -ERANGE, "kernel run: size: integer out of range",
	    "a run of size 0");
	BAD(spec.size = LENGTH + 1, -EINVAL, "size is larger than the mr's buffer",
	    "a run larger than its buffer");
	BAD(spec.op = KVERBS_OP_SEND, -EINVAL, "this loop can't take this op",
	    "SEND in a one-sided loop");
	BAD(spec.op = KVERBS_OP_FETCH_ADD, -EINVAL, "size of an atomic operation is 8",
	    "an atomic operation of 64 bytes");
	BAD((spec.op = KVERBS_OP_FETCH_ADD, spec.size = 8, spec.end.remote_addr++), -EINVAL,
	    "multiple of 8", "an atomic operation at an odd address");
	BAD(spec.spins = KVERBS_SPINS_MAX + 1, -ERANGE, "spins: integer out of range",
	    "more spins than a run that can be stopped");
	BAD(spec.op = KVERBS_OP_RECV, -ERANGE, "op: integer out of range",
	    "a run of receives");
	BAD(spec.op = 77, -ERANGE, "op: integer out of range",
	    "an operation that does not exist");
	BAD(spec.loop = KVERBS_LOOP_MAX + 1, -ERANGE, "loop: integer out of range",
	    "a loop that does not exist");
	BAD(spec.iters = 0, -EINVAL, "iters and time_ns are missing", "a run without an end");
	BAD(spec.time_ns = 86400000000001ULL, -ERANGE, "time: integer out of range",
	    "more than a day");
	BAD(spec.cpu = 5000, -EINVAL, "cpu is not online", "a run on a cpu that does not exist");
	BAD(spec.timeout_ns = 1, -ERANGE, "timeout: integer out of range", "a timeout of 1 ns");
	BAD(spec.post = KVERBS_POST_MAX + 1, -ERANGE, "post: integer out of range",
	    "a context that does not exist");
	BAD(spec.end.lkey = KVERBS_LKEY_MR, -EINVAL, "the mr is not registered",
	    "lkey mr without a registration");
	BAD(spec.end.lkey = KVERBS_LKEY_MAX + 1, -ERANGE,
	    "kernel run: end: lkey: integer out of range", "a key that does not exist");
	BAD(spec.end.local_mr = b->local, -EINVAL, "different pds",
	    "an mr of another pd than the qp");
	BAD(spec.end.local_mr = 2000000000, -ENOENT,
	    "kernel run: end: local_mr: no mr with this id among yours", "an unknown mr");
	BAD(spec.end.qp = 2000000000, -ENOENT,
	    "kernel run: end: qp: no qp with this id among yours", "an unknown qp");
	BAD((spec.loop = KVERBS_LOOP_RELAY, spec.end.target_mr = a->target,
	     spec.peer = spec.end), -EINVAL, "a qp each", "a relay between a qp and itself");
	BAD((spec.loop = KVERBS_LOOP_RELAY, spec.end.target_mr = a->target,
	     spec.peer = spec.end, spec.peer.qp = 2000000000), -ENOENT,
	    "kernel run: peer: qp: ", "a relay with an unknown qp");
	BAD(spec.loop = KVERBS_LOOP_PING, -EINVAL, "target_mr is missing",
	    "a ping-pong without target");
	BAD((spec.loop = KVERBS_LOOP_NULL, snprintf(spec.dev, sizeof(spec.dev), "nosuch0")),
	    -ENODEV, "no such RDMA device", "a null loop on an unknown device");
#undef BAD
	refused(l, kv_nl_run_del(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "deleting an unknown run");
	refused(l, kv_nl_run_cancel(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "cancelling an unknown run");
	refused(l, kv_nl_run_get(&l->nl, 2000000000, &last), -ENOENT,
		"no run with this id among yours", "looking at an unknown run");
}

static void test_in_use(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	struct kv_mr_reg reg = { a->qp, KVERBS_ACCESS__ALL, 0, 64 };
	uint32_t id;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, kv_nl_run_start(&l->nl, &spec, &id), "start a long run");
	refused(l, start(l, &spec), -EBUSY, "a run is active on the qp",
		"a second run on the same qp");
	refused(l, modify(l, a->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), -EBUSY,
		"a run is active on the qp", "modifying a qp under a run");
	refused(l, kv_nl_del(&l->nl, &kv_nl_qp, a->qp, NULL), -EBUSY,
		"in use by a run: cancel or delete that first", "deleting a qp under a run");
	refused(l, kv_nl_del(&l->nl, &kv_nl_mr, a->local, NULL), -EBUSY, "in use by a qp",
		"deleting an mr under a run");
	refused(l, kv_nl_mr_reg(&l->nl, a->target, &reg, NULL, NULL), -EBUSY,
		"a run is active on the qp", "registering by a qp under a run");
	usleep(100000);
	done(l, kv_nl_run_cancel(&l->nl, id), "cancel");
	run_wait(l, id);
	result(last.error == -ECANCELED, "a cancelled run says so");
	result(last.samples > 0, "a cancelled run keeps its samples");
	done(l, kv_nl_run_get(&l->nl, id, &last), "results can be fetched again");
	done(l, kv_nl_run_del(&l->nl, id), "the run goes");
	must(l, kv_nl_run_start(&l->nl, &spec, &id), "start a long run");
	done(l, kv_nl_run_del(&l->nl, id), "an active run can be deleted");
}

static void test_deadline(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	/* Nobody answers. */
	spec.loop = KVERBS_LOOP_PING;
	spec.end.target_mr = a->target;
	spec.timeout_ns = 200000000;
	result(run(l, &spec)->error == -ETIMEDOUT,
	       "a ping-pong without a peer ends at its deadline");
	refused(l, start(l, &spec), -EBUSY, "left requests outstanding",
		"and its qp must be reset after that");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

void test_run(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	link_open(&l);
	end_make(&l, &a, &init);
	end_make(&l, &b, &init);
	test_states(&l, &a);
	end_connect(&l, &a, KVERBS_QPT_RC, b.qpn);
	end_connect(&l, &b, KVERBS_QPT_RC, a.qpn);
	register_target(&l, &b);
	test_type(&l);
	test_specs(&l, &a, &b);
	test_in_use(&l, &a, &b);
	test_deadline(&l, &a, &b);
	link_close(&l);
}
