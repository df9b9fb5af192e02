// SPDX-License-Identifier: MIT
/* Runs: those that can't be started, and the objects in use while one is active. */
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
		.ends = 1,
		.end[0] = {
			.qp = a->qp,
			.local_buf = a->local,
			.has_remote = true,
			.remote_addr = b->key.iova,
			.remote_key = b->key.rkey,
		},
		.iters = 10,
		.post_context = KVERBS_POST_BH_DISABLED,
		.cpu = -1,
		.spins = -1,
	};
}

uint32_t mr_last_key(struct link *l, uint32_t id)
{
	struct kv_mr mr;

	must(l, call_get(&l->nl, KV_MR, id, &mr), "mr");
	return mr.last_key;
}

struct kv_run_spec inv_spec(struct link *l, const struct end *a, const struct end *b, uint32_t mr)
{
	return (struct kv_run_spec){
		.loop = KVERBS_LOOP_PINGPONG,
		.op = KVERBS_OP_SEND_WITH_INV,
		.size = 16,
		.ends = 2,
		.end = {
			{ .qp = a->qp, .local_buf = a->local, .target_buf = a->target, .inv_mr = mr },
			{ .qp = b->qp, .local_buf = b->local, .target_buf = b->target,
			  .remote_key = mr_last_key(l, mr) },
		},
		.iters = INV_ITERS,
		.post_context = KVERBS_POST_BH_DISABLED,
		.cpu = -1,
		.spins = -1,
	};
}

const struct kv_worker_result *run_look(struct link *l, uint32_t id)
{
	must(l, call_run_peek(&l->nl, id, &last), "look at the run");
	return &last.worker[0];
}

const struct kv_worker_result *run_wait(struct link *l, uint32_t id)
{
	struct limit limit = limit_of(10);

	while (!limit_over(&limit)) {
		must(l, call_run_get(&l->nl, id, &last), "look at the run");
		if (last.state == KVERBS_RUN_DONE)
			return &last.worker[0];
		usleep(10000);
	}
	bail_out("run %u did not end in time", id);
}

bool run_was_refused(const struct kv_worker_result *w, const struct end *e)
{
	return (w->error == -EIO && w->wc_status && w->qpn == e->qpn) ||
	       (is_iwarp() && w->error == -ENOTCONN);
}

const struct kv_worker_result *run(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	must(l, call_run_start(&l->nl, spec, &id), "start a run");
	run_wait(l, id);
	must(l, call_run_del(&l->nl, id), "delete the run");
	return &last.worker[0];
}

void run_whole(struct link *l, const struct kv_run_spec *spec, uint32_t bins_of, struct kv_run_result *to)
{
	uint32_t id;

	must(l, call_run_start(&l->nl, spec, &id), "start a run");
	run_wait(l, id);
	must(l, kv_op_run_get(&l->nl.base, &(struct kv_run_which){ id, bins_of }, to, NULL), "look at the run");
	must(l, call_run_del(&l->nl, id), "delete the run");
}

static int start(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	return call_run_start(&l->nl, spec, &id);
}

/* @change: makes a bad one of the good spec, whose copy it finds in spec. */
#define BAD(good, change, error, text, name)				\
	do {								\
		spec = good;						\
		change;							\
		refused(l, start(l, &spec), error, text, name);		\
	} while (0)

static void test_states(struct link *l, const struct end *e)
{
	struct kv_run_spec spec = write_spec(e, e);

	refused(l, start(l, &spec), -EINVAL,
		"spec: end 1: the qp is in RESET: bring it to INIT",
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

static void test_specs(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec, pingpong;

	BAD(good, spec.size = 0, -ERANGE, "spec: size: integer out of range",
	    "a run of size 0");
	BAD(good, spec.size = LENGTH + 1, -EINVAL, "size is above the bytes that the buffer has",
	    "a run larger than its buffer");
	BAD(good, spec.op = KVERBS_OP_SEND, -EINVAL, "this loop can't take this op",
	    "SEND in a one-sided loop");
	BAD(good, spec.op = KVERBS_OP_FETCH_ADD, -EINVAL, "size of an atomic operation is 8",
	    "an atomic operation of 64 bytes");
	/* The device is asked before the ends are. */
	BAD(good, (spec.op = KVERBS_OP_ATOMIC_WRITE, spec.size = 8), -EOPNOTSUPP,
	    "atomic_write needs user space", "an ATOMIC_WRITE");
	BAD(good, (spec.op = KVERBS_OP_FETCH_ADD, spec.size = 8, spec.end[0].remote_addr++),
	    is_iwarp() ? -EOPNOTSUPP : -EINVAL,
	    is_iwarp() ? "no atomic operations" : "multiple of 8",
	    "an atomic operation at an odd address");
	BAD(good, spec.spins = KVERBS_SPINS_MAX + 1, -ERANGE, "spins: integer out of range",
	    "more spins than a run that can be stopped");
	BAD(good, spec.op = KVERBS_OP_RECV, -EINVAL, "this loop can't take this op",
	    "a run of receives");
	BAD(good, spec.op = KVERBS_OP_WRITE_WITH_IMM, -EINVAL, "this loop can't take this op",
	    "a run of writes with immediate data");
	BAD(good, spec.op = 77, -ERANGE, "op: integer out of range",
	    "an operation that does not exist");
	BAD(good, spec.loop = KVERBS_LOOP_MAX + 1, -ERANGE, "loop: integer out of range",
	    "a loop that does not exist");
	BAD(good, spec.iters = 0, -EINVAL, "iters and time_ns are missing", "a run without an end");
	BAD(good, spec.time_ns = 86400000000001ULL, -ERANGE, "time: integer out of range",
	    "more than a day");
	BAD(good, spec.cpu = 5000, -EINVAL, "cpu is not online",
	    "a run on a cpu that does not exist");
	BAD(good, spec.timeout_ns = 1, -ERANGE, "timeout: integer out of range",
	    "a timeout of 1 ns");
	BAD(good, spec.post_context = KVERBS_POST_MAX + 1, -ERANGE,
	    "post_context: integer out of range",
	    "a context that does not exist");
	BAD(good, spec.end[0].local_mr = a->local_mr, -EINVAL, "the mr is not registered",
	    "an mr without a registration");
	BAD(good, spec.end[0].local_mr = b->local_mr, -EINVAL, "different pds",
	    "an mr of another pd than the qp");
	BAD(good, spec.end[0].local_mr = 2000000000, -ENOENT,
	    "spec: end 1: local_mr: no mr with this id among yours", "an unknown mr");
	BAD(good, spec.end[0].local_buf = 2000000000, -ENOENT,
	    "spec: end 1: local_buf: no buf with this id among yours",
	    "an unknown buffer");
	BAD(good, spec.end[0].qp = 2000000000, -ENOENT,
	    "spec: end 1: qp: no qp with this id among yours", "an unknown qp");
	pingpong = good;
	pingpong.loop = KVERBS_LOOP_PINGPONG;
	pingpong.end[0].target_buf = a->target;
	pingpong.ends = 2;
	pingpong.end[1] = pingpong.end[0];
	refused(l, start(l, &pingpong), -EINVAL, "a qp each",
		"a one-thread ping-pong between a qp and itself");
	pingpong.end[1].qp = 2000000000;
	refused(l, start(l, &pingpong), -ENOENT, "spec: end 2: qp: ",
		"a one-thread ping-pong with an unknown qp");
	pingpong.end[1].qp = b->qp;
	pingpong.end[1].local_mr = a->local_mr;
	refused(l, start(l, &pingpong), -EINVAL, "spec: end 2: local_mr: the mr and the qp",
		"a one-thread ping-pong whose second end is wrong");
	BAD(good, spec.loop = KVERBS_LOOP_PINGPONG_CLIENT, -EINVAL, "target_buf is missing",
	    "a ping-pong without target");
	refused(l, call_run_del(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "deleting an unknown run");
	refused(l, call_run_cancel(&l->nl, 2000000000), -ENOENT,
		"no run with this id among yours", "cancelling an unknown run");
	refused(l, call_run_get(&l->nl, 2000000000, &last), -ENOENT,
		"no run with this id among yours", "looking at an unknown run");
}

/* Attributes that a loop or an operation has no use for, each with a good spec around it. */
static void test_unused(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec null = { .iters = 1, .cpu = -1, .spins = -1 };
	struct kv_run_spec good = write_spec(a, b), send = good, spec;

#define UNUSED(good, change, text, name) \
	BAD(good, change, -EINVAL, text, name)

	UNUSED(null, , "dev is missing", "a null loop on no device");
	snprintf(null.dev, sizeof(null.dev), "%s", dev);
	done(l, start(l, &null), "a null loop needs a device, and how long it runs");
	UNUSED(null, spec.op = KVERBS_OP_WRITE, "spec: op does not go",
	       "a null loop with an op");
	UNUSED(null, spec.size = 8, "spec: size does not go", "a null loop with a size");
	UNUSED(null, (spec.ends = 1, spec.end[0] = good.end[0]), "spec: end 1: end does not go",
	       "a null loop with an end");
	UNUSED(null, spec.compare_add = 1, "spec: compare_add goes with",
	       "a null loop with an addend");
	UNUSED(null, spec.swap = 1, "spec: swap goes with", "a null loop with a swap");
	UNUSED(null, spec.timeout_ns = 1000000000, "spec: timeout: timeout_ns does not go",
	       "a null loop with a deadline");
	UNUSED(null, spec.post_context = KVERBS_POST_BH_DISABLED,
	       "spec: post_context goes with", "a null loop with a context of posts");
	UNUSED(null, spec.spins = 0, "spec: spins does not go", "a null loop with spins");

	UNUSED(good, snprintf(spec.dev, sizeof(spec.dev), "%s", dev), "spec: device: dev goes with",
	       "a loop with ends and a device");
	UNUSED(good, spec.compare_add = 1, "spec: compare_add goes with",
	       "a WRITE that adds");
	UNUSED(good, spec.swap = 1, "spec: swap goes with", "a WRITE that swaps");
	UNUSED(good, (spec.op = KVERBS_OP_FETCH_ADD, spec.size = 8, spec.swap = 1),
	       "spec: swap goes with", "a FETCH_ADD that swaps");
	UNUSED(good, spec.end[0].target_buf = 2000000000,
	       "spec: end 1: target_buf does not go with", "a one-sided loop with a target");
	send.loop = KVERBS_LOOP_PINGPONG_SERVER;
	send.op = KVERBS_OP_SEND;
	send.end[0].target_buf = a->target;
	UNUSED(send, , "spec: end 1: remote_addr goes with", "a SEND to an address");

	UNUSED(good, spec.ends = 0, "end is missing", "a loop without an end");
	UNUSED(good, (spec.loop = KVERBS_LOOP_PINGPONG, spec.end[0].target_buf = a->target),
	       "an end is missing", "one end of a loop that drives two");
	UNUSED(good, spec.end[0].qp = 0, "qp is missing in this end", "an end without a qp");
	UNUSED(good, spec.end[0].local_buf = 0, "local_buf is missing in this end",
	       "an end without a buffer");
	UNUSED(good, spec.end[0].has_remote = false, "remote_addr is missing in this end",
	       "a WRITE to no address");
#undef UNUSED
	snprintf(null.dev, sizeof(null.dev), "nosuch0");
	refused(l, start(l, &null), -ENODEV, "no such RDMA device",
		"a null loop on an unknown device");
}

/* A command with one attribute beside @id that it has no use for. */
static int send_with(struct link *l, int cmd, uint32_t id, int attr)
{
	const struct kv_shape *const names[] = { &kv_shape_run_result, &kv_shape_run_which, NULL };
	struct nl_msg *msg = kv_nl_msg(&l->nl, (uint8_t)cmd, 0);

	l->raw = true;
	kv_nl_put_u32(msg, KVERBS_A_RUN_ID, id);
	kv_nl_put_u32(msg, attr, 0);
	return kv_nl_request(&l->nl, msg, names, NULL, NULL);
}

static void test_commands(struct link *l)
{
	struct kv_run_spec null = { .iters = 1, .cpu = -1, .spins = -1 };
	uint32_t id;

	snprintf(null.dev, sizeof(null.dev), "%s", dev);
	must(l, call_run_start(&l->nl, &null, &id), "start a run");
	refused(l, send_with(l, KVERBS_CMD_RUN_START, id, KVERBS_A_RUN_STATE), -EINVAL, "",
		"a run is not started by an id");
	refused(l, send_with(l, KVERBS_CMD_RUN_CANCEL, id, KVERBS_A_RUN_FIRST_BIN), -EINVAL, "",
		"cancelling takes no bins");
	refused(l, send_with(l, KVERBS_CMD_RUN_DEL, id, KVERBS_A_RUN_WORKER), -EINVAL,
		"worker: ", "deleting takes no worker");
	refused(l, send_with(l, KVERBS_CMD_RUN_GET, id, KVERBS_A_RUN_STATE), -EINVAL,
		"state: ", "looking takes no state");
	refused(l, send_with(l, KVERBS_CMD_RUN_GET, id, KVERBS_A_RUN_WORKER), -EINVAL,
		"worker goes with first_bin", "a worker and no bins");
	refused(l, kv_op_run_get(&l->nl.base, &(struct kv_run_which){ id, 1 }, &last, NULL),
		-EINVAL, "worker: the run has fewer workers", "bins of a worker that there is not");
	must(l, call_run_del(&l->nl, id), "delete");
}

static void test_told(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b), null = { .iters = 7, .cpu = 0, .spins = -1 };
	const struct kv_run_spec *told = &last.spec;

	spec.post_context = KVERBS_POST_PROCESS;
	spec.warmup = 3;
	run(l, &spec);
	result(!strcmp(told->dev, dev) && told->loop == spec.loop && told->op == spec.op &&
	       told->size == 64 && told->iters == 10 && !told->time_ns && told->warmup == 3 &&
	       told->ends == 1 && told->end[0].qp == a->qp && told->end[0].local_buf == a->local &&
	       !told->end[0].local_mr && !told->end[0].target_buf && !told->end[0].target_mr &&
	       told->end[0].remote_addr == b->key.iova && told->end[0].remote_key == b->key.rkey,
	       "a run tells what it was asked for");
	result(told->timeout_ns == 10000000000ULL && told->post_context == KVERBS_POST_PROCESS &&
	       told->spins >= 0 && told->cpu == -1, "and the defaults");
	result(last.workers == 1 && last.worker[0].has_cpu && last.worker[0].samples == 10 &&
	       last.worker[0].warmup == 3, "its worker tells its CPU and its iterations");

	snprintf(null.dev, sizeof(null.dev), "%s", dev);
	run(l, &null);
	result(!strcmp(told->dev, dev) && told->loop == KVERBS_LOOP_NULL && told->iters == 7 &&
	       !told->op && !told->size && !told->ends && !told->timeout_ns && !told->spins,
	       "a null loop has nothing to tell of requests");
	result(told->cpu == 0 && last.worker[0].cpu == 0, "a CPU that was asked for is taken");

	if (is_iwarp())
		return;
	spec.op = KVERBS_OP_CMP_SWP;
	spec.size = 8;
	spec.compare_add = 5;
	spec.swap = 6;
	spec.post_context = KVERBS_POST_BH_DISABLED;
	spec.spins = 11;
	spec.timeout_ns = 2000000000;
	run(l, &spec);
	result(told->compare_add == 5 && told->swap == 6 && told->spins == 11 &&
	       told->post_context == KVERBS_POST_BH_DISABLED && told->timeout_ns == 2000000000,
	       "an atomic operation tells its operands");
}

static void test_in_use(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	struct kv_mr_reg reg = {
		.buf = a->target, .qp = a->qp, .access = all_access(), .length = 64,
	};
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
	refused(l, call_del(&l->nl, KV_BUF, a->local, NULL), -EBUSY, "in use by a qp",
		"deleting a buffer under a run");
	refused(l, call_mr_reg(&l->nl, a->target_mr, &reg, NULL, NULL), -EBUSY,
		"a run is active on the qp", "registering by a qp under a run");
	do {
		usleep(100000);
		must(l, call_run_get(&l->nl, id, &last), "look at the run");
	} while (!last.worker[0].samples && !limit_over(&limit));
	done(l, call_run_cancel(&l->nl, id), "cancel");
	run_wait(l, id);
	result(last.worker[0].error == -ECANCELED, "a cancelled run says so");
	result(last.worker[0].samples > 0, "a cancelled run keeps its samples");
	done(l, call_run_get(&l->nl, id, &last), "results can be fetched again");
	done(l, call_run_del(&l->nl, id), "the run goes");
	must(l, call_run_start(&l->nl, &spec, &id), "start a long run");
	done(l, call_run_del(&l->nl, id), "an active run can be deleted");
}

static void test_deadline(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	/* Nobody answers. */
	spec.loop = KVERBS_LOOP_PINGPONG_CLIENT;
	spec.end[0].target_buf = a->target;
	spec.timeout_ns = 200000000;
	result(run(l, &spec)->error == -ETIMEDOUT,
	       "a ping-pong without a peer ends at its deadline");
	refused(l, start(l, &spec), -EBUSY, "left requests outstanding",
		"and its qp must be reset after that");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

static struct kv_run_spec pingpong_spec(const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.loop = KVERBS_LOOP_PINGPONG;
	spec.op = KVERBS_OP_SEND;
	spec.ends = 2;
	spec.end[0] = (struct kv_run_end){
		.qp = a->qp, .local_buf = a->local, .target_buf = a->target,
	};
	spec.end[1] = (struct kv_run_end){
		.qp = b->qp, .local_buf = b->local, .target_buf = b->target,
	};
	return spec;
}

/* A completion of UC does not tell that the bytes have arrived. */
static bool arrives(struct link *l, uint32_t buf, const char *text, uint32_t length)
{
	struct limit limit = limit_of(2);

	while (!holds(l, buf, 0, text, length)) {
		if (limit_over(&limit))
			return false;
		usleep(10000);
	}
	return true;
}

static void test_uc(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_UC };
	static const char text[] = "over UC";
	struct kv_run_spec spec;
	struct kv_mr_reg reg;
	struct end a, b;

	pair_make(l, &a, &b, &init);
	reg = (struct kv_mr_reg){ .buf = b.target, .length = LENGTH, .access = all_access() };
	spec = pingpong_spec(&a, &b);
	result(!run(l, &spec)->error, "messages to and fro over UC");
	spec = write_spec(&a, &b);
	spec.op = KVERBS_OP_READ;
	refused(l, start(l, &spec), -EINVAL, "end 1: qp: a uc qp takes send and write", "a READ over UC");
	spec.op = KVERBS_OP_WRITE;
	result(!run(l, &spec)->error, "WRITEs over UC complete, whatever the peer does with them");
	reg.qp = make_rc_qp(l, b.pd);
	must(l, call_mr_reg(&l->nl, b.target_mr, &reg, &b.key, NULL), "register by an RC QP of the PD");
	done(l, call_del(&l->nl, KV_QP, reg.qp, NULL), "the qp that carried a registration goes");
	spec = write_spec(&a, &b);
	spec.size = sizeof(text);
	must(l, call_buf_write(&l->nl, a.local, 0, text, sizeof(text)), "write");
	result(!run(l, &spec)->error && arrives(l, b.target, text, sizeof(text)), "WRITEs over UC arrive by that key");
	end_del(l, &a);
	end_del(l, &b);
}

/* The address of the peer. A receive has a GRH before the message. */
static void test_ud(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_UD };
	struct kv_run_spec good, spec;
	struct end a, b;
	uint32_t other;

	pair_make(l, &a, &b, &init);
	good = pingpong_spec(&a, &b);
	for (unsigned int i = 0; i < 2; i++) {
		good.end[i].ah = make_ah(l, i ? b.pd : a.pd);
		good.end[i].remote_qpn = i ? a.qpn : b.qpn;
		good.end[i].remote_qkey = UD_QKEY;
	}
	must(l, call_buf_write(&l->nl, a.local, 0, "a datagram", 10), "write");
	result(!run(l, &good)->error && holds(l, b.target, 40, "a datagram", 10) &&
	       last.spec.end[0].ah == good.end[0].ah && last.spec.end[1].remote_qpn == a.qpn &&
	       last.spec.end[1].remote_qkey == UD_QKEY, "datagrams to and fro");
	refused(l, call_del(&l->nl, KV_AH, good.end[0].ah, NULL), -EBUSY, "in use by a qp",
		"deleting the address of a run's requests");

	other = make_ah(l, make_pd(l));
	BAD(good, spec.end[1].ah = other, -EINVAL, "end 2: the ah and the qp are of different pds",
	    "an address of another pd");
	BAD(good, spec.end[1].ah = 2000000000, -ENOENT, "end 2: ah: no ah with this id",
	    "an unknown address");
	BAD(good, (spec.end[0].ah = 0, spec.end[0].remote_qpn = 0, spec.end[0].remote_qkey = 0),
	    -EINVAL, "end 1: ah is missing", "datagrams without an address");
	BAD(good, spec.end[0].remote_qpn = 0, -EINVAL, "remote_qpn is missing in this end",
	    "an address without a qp");
	BAD(good, spec.end[0].ah = 0, -EINVAL, "ah is missing in this end",
	    "a qp without an address");
	BAD(good, spec.end[1].remote_qpn = 1 << 24, -ERANGE, "remote_qpn: integer out of range",
	    "a qp number of 25 bits");
	BAD(good, (spec.op = KVERBS_OP_WRITE, spec.end[0].has_remote = true,
		   spec.end[1].has_remote = true), -EINVAL,
	    "ah goes with", "a WRITE to an address handle");
	BAD(good, spec.size = LENGTH - 39, -EINVAL, "size is above the bytes that the buffer has",
	    "a target without room for the GRH");

	spec = good;
	spec.loop = KVERBS_LOOP_PINGPONG_CLIENT;
	spec.ends = 1;
	spec.end[0].remote_qkey ^= 1;
	spec.timeout_ns = 20000000;
	result(run(l, &spec)->error == -ETIMEDOUT && !last.worker[0].wc_status,
	       "a wrong Q_Key: the sends complete, and nothing comes back");
	to_state(l, a.qp, KVERBS_QPS_RESET);
	to_state(l, b.qp, KVERBS_QPS_RESET);
	for (unsigned int i = 0; i < 2; i++)
		must(l, call_del(&l->nl, KV_AH, good.end[i].ah, NULL), "delete the address that no QP uses any more");
	end_del(l, &a);
	end_del(l, &b);
}

/* A loop that receives leaves receives behind: the QP keeps their buffer. */
static void test_receives(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec pingpong = pingpong_spec(a, b), spec;
	uint32_t other = make_buf(l, LENGTH);

	result(!run(l, &pingpong)->error, "messages to and fro");
	spec = write_spec(a, b);
	spec.loop = KVERBS_LOOP_PINGPONG_SERVER;
	spec.end[0].target_buf = other;
	refused(l, start(l, &spec), -EBUSY, "posted with another target_buf",
		"a loop of WRITEs in another buffer than that of the receives");
	spec = pingpong;
	spec.end[0].target_buf = other;
	refused(l, start(l, &spec), -EBUSY, "posted with another target_buf",
		"and one of SENDs");
	refused(l, call_del(&l->nl, KV_BUF, a->target, NULL), -EBUSY, "in use by a qp",
		"deleting the buffer of these receives");
	result(!run(l, &pingpong)->error, "the same again is no trouble");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	must(l, call_del(&l->nl, KV_BUF, other, NULL), "delete");
}

/* Runs that use other bytes of their buffers than the first ones. */
static void test_offsets(struct link *l, struct end *a, struct end *b)
{
	struct kv_mr_reg reg = { .buf = a->local, .qp = a->qp, .offset = 16, .length = 32 };
	struct kv_run_spec spec = write_spec(a, b);
	struct kv_run_end *end = &spec.end[0];

	must(l, call_buf_write(&l->nl, a->local, 0, "00000000111111112222222233333333", 32), "write");
	spec.size = 8;
	end->local_offset = 24;
	result(!run(l, &spec)->error && last.spec.end[0].local_offset == 24 &&
	       holds(l, b->target, 0, "33333333", 8), "a run sends from the middle of a buffer");
	must(l, call_mr_reg(&l->nl, a->local_mr, &reg, NULL, NULL), "register");
	end->local_mr = a->local_mr;
	end->local_offset = 16;
	result(!run(l, &spec)->error && holds(l, b->target, 0, "22222222", 8),
	       "and by the key of an mr that begins there");
	end->local_offset = 8;
	refused(l, start(l, &spec), -EINVAL, "end 1: local_mr: the mr is not registered over",
		"bytes in front of the registration");
	end->local_offset = 41;
	refused(l, start(l, &spec), -EINVAL, "end 1: local_mr: the mr is not registered over",
		"bytes behind it");
	end->local_offset = LENGTH - 7;
	refused(l, start(l, &spec), -EINVAL, "size is above the bytes that the buffer has",
		"bytes behind the buffer");
	end->local_offset = UINT64_MAX;
	refused(l, start(l, &spec), -EINVAL, "size is above the bytes that the buffer has",
		"an offset that wraps");
	must(l, call_mr_inv(&l->nl, a->local_mr, a->qp, NULL), "invalidate");
	end->local_mr = 0;
	end->local_offset = 0;
	end->target_offset = 8;
	refused(l, start(l, &spec), -EINVAL, "target_offset does not go with",
		"a one-sided loop with a place in a target");

	spec = pingpong_spec(a, b);
	spec.size = 8;
	spec.end[0].local_offset = 8;
	spec.end[1].target_offset = 40;
	result(!run(l, &spec)->error && holds(l, b->target, 40, "11111111", 8) &&
	       last.spec.end[1].target_offset == 40, "messages arrive in the middle of a buffer");
	spec.end[1].target_offset = 48;
	refused(l, start(l, &spec), -EBUSY, "posted with another target_buf",
		"receives that are posted are for the same bytes");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

static void test_stream(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec stream = write_spec(a, b), spec;
	const struct kv_worker_result *w;

	stream.loop = KVERBS_LOOP_STREAM;
	stream.iters = 100;
	must(l, call_buf_write(&l->nl, a->local, 0, "streams flow", 12), "write");
	stream.size = 12;
	w = run(l, &stream);
	result(!w->error && w->samples == 100 && last.spec.depth == 1 && last.spec.list == 1 && last.spec.signal == 1,
	       "a stream of one request at a time");
	stream.depth = 8;
	stream.list = 4;
	must(l, call_buf_write(&l->nl, a->local, 0, "lists flow, ", 12), "write");
	w = run(l, &stream);
	result(!w->error && w->samples == 100 && last.spec.depth == 8 && last.spec.list == 4 &&
	       last.spec.signal == 4 && holds(l, b->target, 0, "lists flow, ", 12), "a stream of lists arrives");
	stream.signal = 8;
	must(l, call_buf_write(&l->nl, a->local, 0, "all of them ", 12), "write");
	w = run(l, &stream);
	result(!w->error && w->samples == 100 && last.spec.signal == 8 && holds(l, b->target, 0, "all of them ", 12),
	       "a stream of groups of lists arrives");
	stream.signal = 0;
	stream.list = 8;
	result(!run(l, &stream)->error, "one list at a time");
	stream.post_context = KVERBS_POST_PROCESS;
	stream.iters = 0;
	stream.time_ns = 20000000;
	stream.list = 2;
	w = run(l, &stream);
	result(!w->error && w->samples && w->elapsed_ns >= 20000000, "a stream ends when its time is over");
	stream.iters = 10;

	BAD(stream, spec.depth = 7, -EINVAL, "depth is no multiple of signal",
	    "a depth that is no multiple");
	BAD(stream, spec.signal = 3, -EINVAL, "signal is no multiple of list",
	    "a signal that is no multiple");
	BAD(stream, spec.signal = 16385, -ERANGE, "signal: integer out of range",
	    "a signal beyond all");
	BAD(stream, (spec.depth = 0, spec.list = 0, spec.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		     spec.depth = 1), -EINVAL,
	    "spec: depth goes with streams", "a depth without a stream");
	BAD(stream, (spec.depth = 0, spec.loop = KVERBS_LOOP_POST_TO_COMPLETION), -EINVAL,
	    "spec: list goes with STREAM", "a list without a stream");
	BAD(stream, spec.depth = 16385, -ERANGE, "depth: integer out of range",
	    "a depth beyond all");
	BAD(stream, spec.list = 33, -ERANGE, "list: integer out of range", "a list beyond all");
	BAD(stream, spec.depth = 16384, -EINVAL, "end 1: qp: depth is above the qp's max_send_wr",
	    "a depth beyond the queue's");
	BAD(stream, spec.op = KVERBS_OP_RECV, -EINVAL, "this loop can't take this op",
	    "a stream of receives");
	BAD(stream, (spec.depth = 0, spec.list = 0, spec.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		     spec.signal = 1), -EINVAL,
	    "spec: signal goes with STREAM", "a signal without a stream");

	/*
	 * All that is outstanding completes, and nothing of it is left behind. On iWARP a WRITE
	 * completes when it is sent: the refusal may come after any number of them.
	 */
	spec = stream;
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	spec.depth = 8;
	spec.list = 2;
	spec.signal = 4;
	spec.end[0].remote_key ^= 0x5a5a00;
	w = run(l, &spec);
	result(run_was_refused(w, a), "a stream with a wrong key fails");
	refused(l, start(l, &stream), -EINVAL, "", "its qp takes no other stream");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	result(!run(l, &stream)->error, "but it does once it is reset and connected anew");
}

/* The end of a STREAM_SERVER. It has no limit: somebody cancels it. */
static struct kv_run_spec server_spec(const struct end *e, uint32_t op)
{
	return (struct kv_run_spec){
		.loop = KVERBS_LOOP_STREAM_SERVER,
		.op = op,
		.size = 12,
		.depth = 8,
		.ends = 1,
		.end[0] = { .qp = e->qp, .target_buf = e->target },
		.iters = UINT64_MAX,
		.cpu = -1,
		.spins = -1,
	};
}

/* Ends a server once it has taken @n messages. */
static bool served(struct link *l, uint32_t id, uint64_t n)
{
	struct limit limit = limit_of(10);
	bool all;

	do {
		must(l, call_run_get(&l->nl, id, &last), "look at the server");
		all = last.worker[0].samples == n;
	} while (!all && !limit_over(&limit));
	must(l, call_run_cancel(&l->nl, id), "cancel the server");
	run_wait(l, id);
	must(l, call_run_del(&l->nl, id), "delete the server");
	return all && last.worker[0].error == -ECANCELED && last.spec.depth == 8 &&
	       !last.spec.list && !last.spec.signal && last.worker[0].samples == n;
}

static void test_served_stream(struct link *l, struct end *a, struct end *b, uint32_t op, const char *name)
{
	struct kv_run_spec stream = write_spec(a, b), server = server_spec(b, op);
	const struct kv_worker_result *w;
	uint32_t id;

	stream.loop = KVERBS_LOOP_STREAM;
	stream.op = op;
	stream.size = 12;
	stream.end[0].has_remote = op == KVERBS_OP_WRITE_WITH_IMM;
	if (!stream.end[0].has_remote)
		stream.end[0].remote_key = 0;
	stream.depth = 4;
	stream.list = 2;
	stream.signal = 4;
	stream.iters = 100;
	for (unsigned int i = 0; i < 2; i++) {
		must(l, call_buf_write(&l->nl, a->local, 0, i ? "and go again" : "messages go", 12), "write");
		must(l, call_run_start(&l->nl, &server, &id), "start a server");
		w = run(l, &stream);
		result(!w->error && w->samples == 100 &&
		       holds(l, b->target, 0, i ? "and go again" : "messages go", 12),
		       "a stream of %s%s", name, i ? ", with the receives of the one before" : "");
		result(served(l, id, 400), "%s: the server has taken all of them", name);
	}
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

static void test_served_streams(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec server = server_spec(b, KVERBS_OP_SEND), spec;

	if (is_iwarp()) {
		refused(l, start(l, &server), -EOPNOTSUPP, "iWARP ends a connection on which a SEND finds no receive",
			"a server of a stream on iWARP");
		server.op = KVERBS_OP_SEND_WITH_IMM;
		refused(l, start(l, &server), -EOPNOTSUPP, "iWARP has no immediate data", "SEND_WITH_IMM on iWARP");
		return;
	}
	/* On one CPU the server has to have it to replace a receive. */
	ends_wait(true);
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	test_served_stream(l, a, b, KVERBS_OP_SEND, "SEND");
	test_served_stream(l, a, b, KVERBS_OP_SEND_WITH_IMM, "SEND_WITH_IMM");
	test_served_stream(l, a, b, KVERBS_OP_WRITE_WITH_IMM, "WRITE_WITH_IMM");
	ends_wait(false);
	pair_reconnect(l, a, b, KVERBS_QPT_RC);

	BAD(server, spec.op = KVERBS_OP_WRITE, -EINVAL, "this loop can't take this op",
	    "a server of WRITEs");
	BAD(server, spec.list = 2, -EINVAL, "list goes with STREAM and CREDIT_STREAM only",
	    "a server with lists");
	BAD(server, spec.end[0].local_buf = b->local, -EINVAL,
	    "local_buf does not go with STREAM_SERVER",
	    "a server with a buffer to send from");
	BAD(server, spec.end[0].target_buf = 0, -EINVAL, "target_buf is missing in this end",
	    "a server without a buffer");
	BAD(server, spec.depth = 16384, -EINVAL, "end 1: the qp's max_recv_wr is below depth",
	    "a depth beyond the queue's");
}

/* A CQ has room for all requests, and only the last one of a list may be signaled. */
static void test_stream_queues(struct link *l)
{
	static const struct end_init deep = { .type = KVERBS_QPT_RC, .max_send_wr = 64 };
	static const struct end_init signaled = { .type = KVERBS_QPT_RC, .sq_sig_all = true };
	struct kv_run_spec spec;
	struct end a, b;

	pair_make(l, &a, &b, &deep);
	register_target(l, &b);
	spec = write_spec(&a, &b);
	spec.loop = KVERBS_LOOP_STREAM;
	spec.depth = 64;
	refused(l, start(l, &spec), -EINVAL, "end 1: qp: depth is above the cqe of the qp's send_cq",
		"a depth beyond the cq's");
	spec.depth = 32;
	result(!run(l, &spec)->error, "a cq as deep as the stream");
	pair_make(l, &a, &b, &signaled);
	register_target(l, &b);
	spec.end[0] = write_spec(&a, &b).end[0];
	spec.depth = 4;
	result(!run(l, &spec)->error, "a stream of single requests takes a qp with sq_sig_all");
	spec.list = 2;
	refused(l, start(l, &spec), -EINVAL, "end 1: qp: a signal of more than 1 needs a qp without sq_sig_all",
		"and one of lists does not");
}

/* Posts by hand and registrations, in each context. */
static void test_contexts(struct link *l, const struct end *a, const struct end *b)
{
	struct wr send = send_wr(a->qp, a->local, 8, 1), recv = recv_wr(b->qp, b->local, 8, 2);
	struct kv_mr_reg reg = { .buf = a->local, .qp = a->qp, .length = 8, .id = a->local_mr };
	struct kv_mr_inv inv = { .id = a->local_mr, .qp = a->qp };
	struct kv_wc wc;

	for (uint32_t context = 0; context <= KVERBS_POST_MAX; context++) {
		reg.post_context = inv.post_context = context;
		send.context = recv.context = context;
		must(l, kv_op_mr_reg(&l->nl.base, &reg, NULL, NULL), "register");
		must(l, kv_op_mr_inv(&l->nl.base, &inv, NULL, NULL), "invalidate");
		must(l, call_post(&l->nl, &recv, NULL), "post a receive");
		must(l, call_post(&l->nl, &send, NULL), "post a send");
		result(poll_one(l, a->send_cq, &wc) && !wc.status && poll_one(l, b->recv_cq, &wc) &&
		       !wc.status, "requests that are posted in context %u", context);
	}
	send.context = KVERBS_POST_MAX + 1;
	refused(l, call_post(&l->nl, &send, NULL), -ERANGE,
		"context: integer out of range", "a context of posts that there is not");
	reg.post_context = inv.post_context = KVERBS_POST_MAX + 1;
	refused(l, kv_op_mr_reg(&l->nl.base, &reg, NULL, NULL), -ERANGE,
		"post_context: integer out of range", "and of a registration");
	refused(l, kv_op_mr_inv(&l->nl.base, &inv, NULL, NULL), -ERANGE,
		"post_context: integer out of range", "and of an invalidation");
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
	struct kv_run_spec pingpong = pingpong_spec(a, b), spec, client;
	struct wr wr;
	char name[80];

	register_target(l, a);
	register_target(l, b);
	spec = write_spec(a, a);
	spec.end[0].qp = make_neighbour(l, a, sends);
	result(!run(l, &spec)->error, "two qps may complete their %s into one cq by turns", which);
	result(!run(l, &pingpong)->error, "messages to and fro by the other one");
	snprintf(name, sizeof(name), "a run on a qp whose %s complete where the other's receives do",
		 which);
	refused(l, start(l, &spec), -EBUSY, text, name);
	wr = write_wr(a, a, 64, 1);
	wr.qp = spec.end[0].qp;
	snprintf(name, sizeof(name), "posting on it, of the %s", which);
	refused(l, call_post(&l->nl, &wr, NULL), -EBUSY, text, name);
	result(!run(l, &pingpong)->error, "the other one goes on");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	result(!run(l, &spec)->error, "once that is reset, %s may complete there again", which);

	client = write_spec(a, b);
	client.loop = KVERBS_LOOP_PINGPONG_CLIENT;
	client.end[0].target_buf = a->target;
	client.timeout_ns = 200000000;
	result(run(l, &client)->error == -ETIMEDOUT, "one that ends in the middle");
	snprintf(name, sizeof(name), "a run beside what it has left, of the %s", which);
	refused(l, start(l, &spec), -EBUSY, text, name);
	end_disconnect(l, a);
	must(l, call_del(&l->nl, KV_QP, a->qp, NULL), "delete");
	result(!run(l, &spec)->error, "once the other qp is gone, %s may complete there", which);
}

/* Shared objects do not survive: new ends each time. */
static void test_neighbours(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;

	pair_make(l, &a, &b, &init);
	test_shared_cq(l, &a, &b, true);
	pair_make(l, &a, &b, &init);
	test_shared_cq(l, &a, &b, false);
}

static void test_no_thread(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	if (!fail_verb_loaded()) {
		missing("a run without a thread", FAIL_VERB_MISSING);
		return;
	}
	fail_verb_set("verb", "kthread_create_on_node");
	fail_verb_set("error", "-12");
	fail_verb_set("nth", "1");
	refused(l, start(l, &spec), -ENOMEM, "no thread for the run", "a run without a thread");
	fail_verb_set("verb", "\n");
	result(!run(l, &spec)->error, "the next one has a thread");
}

/*
 * No device here has memory that must be synced: the answer of the one function that asks
 * the DMA API is another one. Its conditions, such as bounce buffers themselves, are not
 * tried.
 */
static void test_synced(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	if (!fail_verb_loaded()) {
		missing("no run polls memory that has to be synced", FAIL_VERB_MISSING);
		return;
	}
	spec.loop = KVERBS_LOOP_PINGPONG_CLIENT;
	spec.end[0].target_buf = a->target;
	fail_verb_set("verb", "kv_buf_coherent");
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
	if (!lacks("a run on uc and ud qps", "UC")) {
		test_uc(&l);
		test_ud(&l);
	}
	test_specs(&l, &a, &b);
	test_unused(&l, &a, &b);
	test_commands(&l);
	test_told(&l, &a, &b);
	test_in_use(&l, &a, &b);
	test_synced(&l, &a, &b);
	test_no_thread(&l, &a, &b);
	test_deadline(&l, &a, &b);
	test_receives(&l, &a, &b);
	test_offsets(&l, &a, &b);
	test_stream(&l, &a, &b);
	test_stream_queues(&l);
	test_served_streams(&l, &a, &b);
	test_contexts(&l, &a, &b);
	test_neighbours(&l);
	link_close(&l);
}
