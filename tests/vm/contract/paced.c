// SPDX-License-Identifier: MIT
/* Streams whose groups are due at an interval. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define MS 1000000ULL

static struct kv_run_result last; /* too large for the stack */

static int start(struct link *l, const struct kv_run_spec *spec, uint32_t *id)
{
	return call_run_start(&l->nl, spec, id);
}

/* Two workers, whose groups are due 20 times, a millisecond from each other. */
static struct kv_run_spec paced_spec(const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.end[spec.ends++] = write_spec(&a[1], &b[1]).end[0];
	spec.loop = KVERBS_LOOP_STREAM;
	spec.size = 8;
	spec.depth = 8;
	spec.list = 2;
	spec.iters = 20;
	spec.interval_ns = MS;
	return spec;
}

static void test_pace(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = paced_spec(a, b);

	run_whole(l, &spec, 0, &last);
	result(last.workers == 2 && last.spec.interval_ns == MS && last.spec.signal == 2, "a paced stream tells its interval");
	for (unsigned int i = 0; i < 2; i++)
		result(!last.worker[i].error && last.worker[i].samples == 20 && last.worker[i].elapsed_ns >= 20 * MS,
		       "worker %u: 20 groups take 20 intervals", i);
	spec.iters = 0;
	spec.time_ns = 12 * MS + MS / 2;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples && last.worker[0].samples <= 13 &&
	       last.worker[0].elapsed_ns >= spec.time_ns, "its time is over: no group before it is due");
	/* All are due at the start: the last one has waited for the others. */
	spec.interval_ns = 1;
	spec.time_ns = 0;
	spec.iters = 20;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == 20 && kv_hist_max(&last.hist) > last.worker[0].elapsed_ticks / 4,
	       "with more than can be done the samples have the delay");
	spec.interval_ns = 0;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && !last.spec.interval_ns, "a stream without an interval has none");
}

/* One worker gives the groups of its schedule to two ends in turn. */
static void test_turns(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_run_spec spec = paced_spec(a, b);
	const struct kv_worker_result *w = &last.worker[0];

	spec.workers = 1;
	spec.iters = 21;
	must(l, call_buf_write(&l->nl, a[0].local, 0, "to the 1", 8), "write");
	must(l, call_buf_write(&l->nl, a[1].local, 0, "to the 2", 8), "write");
	run_whole(l, &spec, 0, &last);
	result(last.workers == 1 && !w->error && w->samples == 21 && w->elapsed_ns >= 21 * MS,
	       "one worker of two ends: 21 groups take 21 intervals");
	result(w->several && w->least == 10 && w->most == 11, "the ends get them in turn");
	result(holds(l, b[0].target, 0, "to the 1", 8) && holds(l, b[1].target, 0, "to the 2", 8),
	       "what each has sent has arrived");
	spec.iters = 0;
	spec.warmup = 3;
	spec.time_ns = 12 * MS + MS / 2;
	run_whole(l, &spec, 0, &last);
	result(!w->error && w->warmup == 3 && w->samples && w->samples <= 13 && w->elapsed_ns >= spec.time_ns,
	       "their time is over, after a warm-up");
	/* More than can be done: each end has its depth outstanding, and the worker can be stopped. */
	spec.interval_ns = 1;
	spec.time_ns = 0;
	spec.iters = 2000;
	run_whole(l, &spec, 0, &last);
	result(!w->error && w->samples == 2000 && w->least == 1000 && w->most == 1000 && kv_hist_max(&last.hist) > w->elapsed_ticks / 4,
	       "with more than can be done the samples of both have the delay");
}

/* One of two ends fails: the worker tells why. */
static void test_failure(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = paced_spec(a, b);

	spec.workers = 1;
	spec.iters = 0;
	spec.time_ns = 60000 * MS;
	spec.end[1].remote_key ^= 0x5a5a00;
	run_whole(l, &spec, 0, &last);
	result(run_was_refused(&last.worker[0], &a[1]), "one of the ends fails, and the worker tells why");
	for (unsigned int i = 0; i < 2; i++)
		pair_reconnect(l, &a[i], &b[i], KVERBS_QPT_RC);
}

static void start_server(struct link *l, const struct end *b, uint32_t *id)
{
	const struct kv_run_spec server = {
		.loop = KVERBS_LOOP_STREAM_SERVER,
		.op = KVERBS_OP_SEND,
		.size = 8,
		.depth = 8,
		.ends = 1,
		.end[0] = { .qp = b->qp, .target_buf = b->target },
		.iters = 20,
		.cpu = -1,
		.spins = -1,
	};

	must(l, start(l, &server, id), "start a server");
}

/* The peer of one end has no receives for a while: the other end gets all its groups meanwhile. */
static void test_stalled(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = paced_spec(a, b);
	struct limit limit = limit_of(10);
	const struct kv_worker_result *w;
	uint32_t id, server[2];

	if (is_iwarp())
		return;
	spec.op = KVERBS_OP_SEND;
	spec.end[0].has_remote = spec.end[1].has_remote = false;
	spec.end[0].remote_key = spec.end[1].remote_key = 0;
	spec.workers = 1;
	spec.list = 0;
	spec.iters = 40;
	start_server(l, &b[0], &server[0]);
	must(l, start(l, &spec, &id), "start a run");
	/* A look at a worker that goes on may find the group counted and the sample not yet. */
	do
		w = run_look(l, id);
	while ((w->most < 20 || w->samples < 20) && !limit_over(&limit));
	result(w->most == 20 && !w->least && w->samples == 20, "an end whose peer takes nothing holds up no other one");
	if (w->most != 20 || w->least || w->samples != 20)
		note("  the ends have %" PRIu64 " to %" PRIu64 " groups, and %" PRIu64 " samples", w->least, w->most, w->samples);
	start_server(l, &b[1], &server[1]);
	w = run_wait(l, id);
	result(!w->error && w->samples == 40 && w->least == 20 && w->most == 20, "then it gets all its groups, too");
	must(l, call_run_del(&l->nl, id), "delete the run");
	for (unsigned int i = 0; i < 2; i++) {
		run_wait(l, server[i]);
		must(l, call_run_del(&l->nl, server[i]), "delete a server");
		pair_reconnect(l, &a[i], &b[i], KVERBS_QPT_RC);
	}
}

/* The thread waits for a second: a cancel does not. */
static void test_cancel(struct link *l, const struct end *a, const struct end *b, uint32_t workers)
{
	struct kv_run_spec spec = paced_spec(a, b);
	const struct kv_worker_result *w;
	uint32_t id;

	spec.workers = workers;
	spec.interval_ns = 1000 * MS;
	spec.iters = 1000;
	must(l, start(l, &spec, &id), "start a run");
	usleep(50000);
	must(l, call_run_cancel(&l->nl, id), "cancel");
	w = run_wait(l, id);
	result(w->error == -ECANCELED && w->samples <= 1 && w->elapsed_ns < 900 * MS, "a run of %u workers is cancelled between two groups",
	       workers);
	must(l, call_run_del(&l->nl, id), "delete the run");
	spec.interval_ns = MS;
	spec.iters = 5;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error, "and its qps take another");
}

static void test_refused(struct link *l, const struct end *a, const struct end *b)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };
	struct kv_run_spec spec = paced_spec(a, b), event;
	struct end c, d;
	uint32_t id;

	spec.interval_ns = 1000 * MS + 1;
	refused(l, start(l, &spec, &id), -ERANGE, "interval_ns: integer out of range", "an interval of more than a second");
	spec.interval_ns = MS;
	spec.loop = KVERBS_LOOP_POST_TO_COMPLETION;
	spec.depth = spec.list = 0;
	refused(l, start(l, &spec, &id), -EINVAL, "interval_ns goes with STREAM only", "an interval of another loop");
	pair_make(l, &c, &d, &init);
	register_target(l, &d);
	event = write_spec(&c, &d);
	event.loop = KVERBS_LOOP_STREAM;
	event.size = 8;
	event.iters = 5;
	event.interval_ns = MS;
	refused(l, start(l, &event, &id), -EINVAL, "end 1: qp: interval_ns needs a send_cq of context polled",
		"an interval on a cq that makes events");
}

void test_paced(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a[2], b[2];
	struct link l;

	ends_wait(true);
	link_open(&l);
	for (unsigned int i = 0; i < 2; i++) {
		pair_make(&l, &a[i], &b[i], &init);
		register_target(&l, &b[i]);
	}
	test_pace(&l, a, b);
	test_turns(&l, a, b);
	test_cancel(&l, a, b, 1);
	test_cancel(&l, a, b, 2);
	test_failure(&l, a, b);
	test_stalled(&l, a, b);
	test_refused(&l, a, b);
	link_close(&l);
	ends_wait(false);
}
