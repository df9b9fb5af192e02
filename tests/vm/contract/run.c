// SPDX-License-Identifier: MIT
/* Runs: what can't be started, and what is in use while one is active. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "fail.h"
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
	struct limit limit = limit_of(10);

	while (!limit_over(&limit)) {
		must(l, call_run_get(&l->nl, id, &last), "look at the run");
		if (last.state == KVERBS_RUN_DONE)
			return &last;
		usleep(10000);
	}
	bail_out("run %u did not end in time", id);
}

/* Runs to the end. */
const struct kv_run_result *run(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	must(l, call_run_start(&l->nl, spec, &id), "start a run");
	run_wait(l, id);
	must(l, call_run_del(&l->nl, id), "delete the run");
	return &last;
}

static int start(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	return call_run_start(&l->nl, spec, &id);
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
	if (!lacks("a run on a qp in RTR", "RTR")) {
		must(l, modify(l, e->qp, rtr_attr(KVERBS_QPT_RC, e->qpn)), "RTR");
		refused(l, start(l, &spec), -EINVAL,
			"the qp is in RTR: bring it to RTS", "a run on a qp in RTR");
	}
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
	refused(l, call_run_del(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "deleting an unknown run");
	refused(l, call_run_cancel(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "cancelling an unknown run");
	refused(l, call_run_get(&l->nl, 2000000000, &last), -ENOENT,
		"no run with this id among yours", "looking at an unknown run");
}

static void test_in_use(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	struct kv_mr_reg reg = { 0, a->qp, all_access(), 0, 64 };
	struct limit limit = limit_of(10);
	uint32_t id;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a long run");
	refused(l, start(l, &spec), -EBUSY, "a run is active on the qp",
		"a second run on the same qp");
	refused(l, modify(l, a->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), -EBUSY,
		"a run is active on the qp", "modifying a qp under a run");
	refused(l, call_del(&l->nl, KV_QP, a->qp, NULL), -EBUSY,
		is_iwarp() ? "in use by a conn" : "in use by a run: cancel or delete that first",
		"deleting a qp under a run");
	refused(l, call_del(&l->nl, KV_MR, a->local, NULL), -EBUSY, "in use by a qp",
		"deleting an mr under a run");
	refused(l, call_mr_reg(&l->nl, a->target, &reg, NULL, NULL), -EBUSY,
		"a run is active on the qp", "registering by a qp under a run");
	do {
		usleep(100000);
		must(l, call_run_get(&l->nl, id, &last), "look at the run");
	} while (!last.samples && !limit_over(&limit));
	done(l, call_run_cancel(&l->nl, id), "cancel");
	run_wait(l, id);
	result(last.error == -ECANCELED, "a cancelled run says so");
	result(last.samples > 0, "a cancelled run keeps its samples");
	done(l, call_run_get(&l->nl, id, &last), "results can be fetched again");
	done(l, call_run_del(&l->nl, id), "the run goes");
	must(l, call_run_start(&l->nl, &spec, &id), "start a long run");
	done(l, call_run_del(&l->nl, id), "an active run can be deleted");
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

static struct kv_run_spec relay_spec(const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.loop = KVERBS_LOOP_RELAY;
	spec.op = KVERBS_OP_SEND;
	spec.end.target_mr = a->target;
	spec.peer = (struct kv_run_end){
		.qp = b->qp, .local_mr = b->local, .target_mr = b->target,
	};
	return spec;
}

/* A loop that receives leaves receives behind: the QP keeps their buffer. */
static void test_receives(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec relay = relay_spec(a, b), spec;
	uint32_t other = make_mr(l, a->pd, LENGTH);

	result(!run(l, &relay)->error, "messages to and fro");
	spec = write_spec(a, b);
	spec.loop = KVERBS_LOOP_PONG;
	spec.end.target_mr = other;
	refused(l, start(l, &spec), -EBUSY, "posted with another target_mr",
		"a loop of WRITEs in another buffer than that of the receives");
	spec = relay;
	spec.end.target_mr = other;
	refused(l, start(l, &spec), -EBUSY, "posted with another target_mr",
		"and one of SENDs");
	refused(l, call_del(&l->nl, KV_MR, a->target, NULL), -EBUSY, "in use by a qp",
		"deleting the buffer of these receives");
	result(!run(l, &relay)->error, "the same again is no trouble");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	must(l, call_del(&l->nl, KV_MR, other, NULL), "delete");
}

/* A QP whose CQ is that of @a's receives; it is its own peer. */
static uint32_t make_neighbour(struct link *l, const struct end *a, bool sends)
{
	uint32_t own = make_cq(l, 32, KVERBS_CQ_POLLED);
	struct kv_qp_init init = {
		.pd = a->pd,
		.type = KVERBS_QPT_RC,
		.send_cq = sends ? a->recv_cq : own,
		.recv_cq = sends ? own : a->recv_cq,
		.max_send_wr = 8,
		.max_recv_wr = 8,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp qp;

	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	qp_connect_self(l, a->pd, &qp);
	return qp.id;
}

static void test_shared_cq(struct link *l, struct end *a, struct end *b, bool sends)
{
	static const char *const text = "an earlier run on another qp";
	const char *which = sends ? "sends" : "receives";
	struct kv_run_spec relay = relay_spec(a, b), spec, ping;
	struct kv_wr wr;
	char name[80];

	register_target(l, a);
	register_target(l, b);
	spec = write_spec(a, a);
	spec.end.qp = make_neighbour(l, a, sends);
	result(!run(l, &spec)->error, "two qps may complete their %s into one cq by turns", which);
	result(!run(l, &relay)->error, "messages to and fro by the other one");
	snprintf(name, sizeof(name), "a run on a qp whose %s complete where the other's receives do",
		 which);
	refused(l, start(l, &spec), -EBUSY, text, name);
	wr = write_wr(a, a, 64, 1);
	wr.qp = spec.end.qp;
	snprintf(name, sizeof(name), "posting on it, of the %s", which);
	refused(l, call_post(&l->nl, &wr, NULL), -EBUSY, text, name);
	result(!run(l, &relay)->error, "the other one goes on");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	result(!run(l, &spec)->error, "once that is reset, %s may complete there again", which);

	ping = write_spec(a, b);
	ping.loop = KVERBS_LOOP_PING;
	ping.end.target_mr = a->target;
	ping.timeout_ns = 200000000;
	result(run(l, &ping)->error == -ETIMEDOUT, "one that ends in the middle");
	snprintf(name, sizeof(name), "a run beside what it has left, of the %s", which);
	refused(l, start(l, &spec), -EBUSY, text, name);
	end_disconnect(l, a);
	must(l, call_del(&l->nl, KV_QP, a->qp, NULL), "delete");
	result(!run(l, &spec)->error, "once the other qp is gone, %s may complete there", which);
}

/* What is shared does not survive: new ends each time. */
static void test_neighbours(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;

	pair_make(l, &a, &b, &init);
	test_shared_cq(l, &a, &b, true);
	pair_make(l, &a, &b, &init);
	test_shared_cq(l, &a, &b, false);
}

/*
 * No device here has memory that must be synced: the answer of the one function that asks
 * the DMA API is another one. What that asks, bounce buffers themselves among it, is not
 * tried.
 */
static void test_synced(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	if (!fail_verb_loaded()) {
		missing("no run polls memory that has to be synced", FAIL_VERB_MISSING);
		return;
	}
	spec.loop = KVERBS_LOOP_PING;
	spec.end.target_mr = a->target;
	fail_verb_set("verb", "kv_mr_coherent");
	fail_verb_set("error", "0");
	fail_verb_set("nth", "1");
	refused(l, start(l, &spec), -EOPNOTSUPP, "have to be synced",
		"no run polls memory that has to be synced");
	fail_verb_set("verb", "\n");
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
	pair_connect(&l, &a, all_access(), &b, all_access());
	register_target(&l, &b);
	if (!lacks("a run on a uc qp", "UC"))
		test_type(&l);
	test_specs(&l, &a, &b);
	test_in_use(&l, &a, &b);
	test_synced(&l, &a, &b);
	test_deadline(&l, &a, &b);
	test_receives(&l, &a, &b);
	test_neighbours(&l);
	link_close(&l);
}
