// SPDX-License-Identifier: MIT
/* Runs on CQs of all contexts: handlers of the RDMA core, and threads that events wake. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define WC_RETRY_EXC_ERR 12

static const char *name;

static const char *in(const char *what)
{
	static char text[96];

	snprintf(text, sizeof(text), "%s: %s", name, what);
	return text;
}

static int start(struct link *l, const struct kv_run_spec *spec, uint32_t *id)
{
	return call_run_start(&l->nl, spec, id);
}

static void test_ends(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	const struct kv_worker_result *w;

	spec.iters = 300;
	spec.warmup = 20;
	spec.size = 12;
	must(l, call_buf_write(&l->nl, a->local, 0, "told, told, ", 12), "write");
	w = run(l, &spec);
	result(!w->error && w->samples == 300 && w->warmup == 20 && holds(l, b->target, 0, "told, told, ", 12),
	       "%s: a run takes its samples", name);
	result(w->has_cpu && w->elapsed_ns && w->elapsed_ticks && w->sum_ticks <= w->elapsed_ticks,
	       "%s: and says how long it took", name);
	spec.iters = 0;
	spec.time_ns = 30000000;
	spec.post_context = KVERBS_POST_PROCESS;
	w = run(l, &spec);
	result(!w->error && w->samples && w->elapsed_ns >= 30000000, "%s: it ends with its time", name);
	spec.loop = KVERBS_LOOP_STREAM;
	spec.time_ns = 0;
	spec.iters = 200;
	spec.depth = 8;
	spec.list = 2;
	spec.signal = 4;
	w = run(l, &spec);
	result(!w->error && w->samples == 200, "%s: a stream of groups", name);
}

static void test_cancel(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	const struct kv_worker_result *w;
	uint32_t id;
	bool missed;

	spec.iters = 0;
	spec.time_ns = 3600000000000ULL;
	must(l, start(l, &spec, &id), "start a run");
	refused(l, call_cq_arm(&l->nl, a->send_cq, false, &missed, NULL), -EBUSY, "a run is active on a qp with this cq",
		in("arming the cq of a run"));
	usleep(30000);
	must(l, call_run_cancel(&l->nl, id), "cancel");
	w = run_wait(l, id);
	result(w->error == -ECANCELED && w->samples, "%s: a run is cancelled", name);
	must(l, call_run_del(&l->nl, id), "delete the run");
	/* The outstanding requests have completed: the QP takes the next run. */
	spec.iters = 10;
	result(!run(l, &spec)->error, "%s: and leaves nothing outstanding", name);
	spec.iters = 0;
	must(l, start(l, &spec, &id), "start a run");
	done(l, call_run_del(&l->nl, id), in("a run is deleted under way"));
}

static void test_failures(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec = good;
	const struct kv_worker_result *w;
	uint32_t id;

	/* On iWARP a WRITE completes when it is sent: the refusal comes later. */
	spec.iters = 0;
	spec.time_ns = 8000000000ULL;
	spec.end[0].remote_key ^= 0x5a5a00;
	w = run(l, &spec);
	result(run_was_refused(w, a), "%s: a wrong key fails", name);
	refused(l, start(l, &good, &id), -EINVAL, "", in("the qp of that takes no other run"));
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	good.end[0] = write_spec(a, b).end[0];

	/* READs that are not answered: the deadline comes before the last retry. */
	if (!lacks(in("a deadline"), "RTR")) {
		spec = good;
		spec.timeout_ns = 50000000;
		to_state(l, b->qp, KVERBS_QPS_RESET);
		result(run(l, &spec)->error == -ETIMEDOUT, "%s: a run ends at its deadline", name);
		/* The QP may be in ERR by now. */
		result(start(l, &good, &id) < 0, "%s: and its qp takes no other", name);
		pair_reconnect(l, a, b, KVERBS_QPT_RC);
		good.end[0] = write_spec(a, b).end[0];
		to_state(l, b->qp, KVERBS_QPS_RESET);
		spec.timeout_ns = 10000000000ULL;
		spec.end[0] = good.end[0];
		must(l, start(l, &spec, &id), "start a run");
		usleep(20000);
		must(l, call_run_cancel(&l->nl, id), "cancel");
		w = run_wait(l, id);
		/* The last retry may come before the end of the grace. */
		result(w->error == -ECANCELED || (w->error == -EIO && w->wc_status == WC_RETRY_EXC_ERR),
		       "%s: one that is stuck is cancelled", name);
		must(l, call_run_del(&l->nl, id), "delete the run");
		pair_reconnect(l, a, b, KVERBS_QPT_RC);
		good.end[0] = write_spec(a, b).end[0];
	}
	result(!run(l, &good)->error, "%s: connected anew the qp takes a run", name);
}

static void test_refused(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	uint32_t id;

	spec.spins = 3;
	refused(l, start(l, &spec, &id), -EINVAL, "end 1: qp: spins goes with a cq of context polled",
		in("spins without polls"));
	spec.spins = -1;
	spec.loop = KVERBS_LOOP_PINGPONG_SERVER;
	spec.end[0].target_buf = a->target;
	refused(l, start(l, &spec, &id), -EINVAL, "end 1: qp: ping-pongs, STREAM_SERVER and the loops with credits poll", in("a ping-pong"));
}

static void test_one(uint32_t context)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .context = context };
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	test_ends(&l, &a, &b);
	test_cancel(&l, &a, &b);
	test_refused(&l, &a, &b);
	test_failures(&l, &a, &b);
	link_close(&l);
}

void test_handler(void)
{
	static const char *const names[] = {
		[KVERBS_CQ_EVENT] = "event",
		[KVERBS_CQ_SOFTIRQ] = "softirq",
		[KVERBS_CQ_WORKQUEUE] = "workqueue",
		[KVERBS_CQ_UNBOUND_WORKQUEUE] = "unbound workqueue",
	};

	for (uint32_t context = KVERBS_CQ_EVENT; context <= KVERBS_CQ_MAX; context++) {
		name = names[context];
		test_one(context);
	}
}
