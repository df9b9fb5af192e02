// SPDX-License-Identifier: MIT
/* Runs of several workers: they begin together, have a result each, and end together. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "fail.h"
#include "run.h"

#define FEW 4

static struct kv_run_result last; /* too large for the stack */

/* A stream of all pairs. */
static struct kv_run_spec stream_spec(const struct end *a, const struct end *b, uint32_t n)
{
	struct kv_run_spec spec = write_spec(a, b);

	for (spec.ends = 1; spec.ends < n; spec.ends++)
		spec.end[spec.ends] = write_spec(&a[spec.ends], &b[spec.ends]).end[0];
	spec.loop = KVERBS_LOOP_STREAM;
	spec.size = 8;
	spec.depth = 4;
	spec.iters = 100;
	return spec;
}

/* So many workers, and each with this end, this number of samples and of iterations before. */
static bool each(uint32_t workers, int error, uint64_t samples, uint64_t warmup)
{
	for (uint32_t i = 0; i < last.workers; i++) {
		const struct kv_worker_result *w = &last.worker[i];

		if (w->error == error && w->samples == samples && w->warmup == warmup)
			continue;
		note("worker %u: error %d, %llu samples, %llu before", i, w->error,
		     (unsigned long long)w->samples, (unsigned long long)w->warmup);
		return false;
	}
	return last.workers == workers;
}

static uint64_t count_bins(void)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		n += last.hist.bin[i].count;
	return n;
}

static void test_results(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = stream_spec(a, b, FEW);
	bool arrived = true;
	char text[9];

	for (unsigned int i = 0; i < FEW; i++) {
		snprintf(text, sizeof(text), "worker %u", i);
		must(l, call_buf_write(&l->nl, a[i].local, 0, text, 8), "write");
	}
	spec.warmup = 20;
	spec.end[FEW - 1].has_cpu = true;
	run_whole(l, &spec, FEW - 1, &last);
	result(each(FEW, 0, 100, 20), "each worker has its samples, and its warm-up");
	result(count_bins() == 100, "and its histogram");
	result(last.spec.ends == FEW && last.spec.end[1].qp == a[1].qp && last.spec.cpu == -1 &&
	       !last.spec.end[0].has_cpu && last.spec.end[FEW - 1].has_cpu && !last.spec.end[FEW - 1].cpu &&
	       !last.worker[FEW - 1].cpu, "and the CPU of its end");
	for (unsigned int i = 0; i < FEW; i++) {
		snprintf(text, sizeof(text), "worker %u", i);
		arrived &= holds(l, b[i].target, 0, text, 8);
	}
	result(arrived, "what each has sent has arrived");
	spec.loop = KVERBS_LOOP_POST_TO_COMPLETION;
	spec.depth = 0;
	run_whole(l, &spec, 0, &last);
	result(each(FEW, 0, 100, 20), "each worker waits for each request");
}

static void test_refusals(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = stream_spec(a, b, 2), spec;
	uint32_t id;


	RUN_BAD(spec.end[1].qp = a->qp, -EINVAL, "a qp each", "two workers on one qp");
	RUN_BAD((spec.end[1].has_cpu = true, spec.end[1].cpu = 5000), -EINVAL, "end 2: cpu is not online",
	    "a worker on a cpu that does not exist");
	RUN_BAD(spec.end[1].local_buf = 2000000000, -ENOENT, "end 2: local_buf: no buf", "an unknown buffer of the second");
	RUN_BAD((spec.loop = KVERBS_LOOP_PINGPONG_CLIENT, spec.depth = 0, spec.end[0].target_buf = a->target), -EINVAL,
	    "end 2: more than one end", "two workers of a loop that has one");
	RUN_BAD((spec = write_spec(a, b), spec.loop = KVERBS_LOOP_PINGPONG_CLIENT, spec.end[0].target_buf = a->target,
	     spec.end[0].has_cpu = true), -EINVAL, "end 1: the cpu of an end does not go with",
	    "the cpu of a ping-pong's end");
	if (!fail_verb_loaded()) {
		missing("no thread for the second worker", FAIL_VERB_MISSING);
		return;
	}
	fail_verb_set("verb", "kthread_create_on_node");
	fail_verb_set("error", "-12");
	fail_verb_set("nth", "2");
	refused(l, call_run_start(&l->nl, &good, &id), -ENOMEM, "no thread for the run", "no thread for the second worker");
	fail_verb_set("verb", "\n");
	run_whole(l, &good, 0, &last);
	result(each(2, 0, 100, 0), "the next run has both");
}

/* One fails, in its warm-up or later: the others end, and their QPs take another run. */
static void test_failure(struct link *l, struct end *a, struct end *b, uint64_t warmup)
{
	struct kv_run_spec good = stream_spec(a, b, FEW), spec = good;
	const char *when = warmup ? "in its warm-up" : "while all measure";
	bool ended;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	spec.warmup = warmup;
	spec.end[1].remote_key ^= 0x5a5a00;
	run_whole(l, &spec, 1, &last);
	result(run_was_refused(&last.worker[1], &a[1]), "a worker that fails %s tells why", when);
	ended = last.workers == FEW;
	for (unsigned int i = 0; i < FEW; i++)
		ended &= i == 1 || (last.worker[i].error == -ECANCELED && !last.worker[i].wc_status &&
				    (!warmup || !last.worker[i].elapsed_ns));
	result(ended, "and ends the others");
	good.end[1] = good.end[--good.ends];
	run_whole(l, &good, 0, &last);
	result(each(FEW - 1, 0, 100, 0), "their qps take another run");
	pair_reconnect(l, &a[1], &b[1], KVERBS_QPT_RC);
}

/* A worker that is cancelled waits for its requests for a time, which may be over on a slow guest. */
static void reconnect_all(struct link *l, struct end *a, struct end *b)
{
	for (unsigned int i = 0; i < FEW; i++)
		pair_reconnect(l, &a[i], &b[i], KVERBS_QPT_RC);
}

static void test_cancelled(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = stream_spec(a, b, FEW);
	bool ended;
	uint32_t id;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a long run");
	usleep(200000);
	must(l, call_run_cancel(&l->nl, id), "cancel");
	run_wait(l, id);
	must(l, call_run_get(&l->nl, id, &last), "look at the run");
	ended = last.workers == FEW;
	for (unsigned int i = 0; i < FEW; i++)
		ended &= last.worker[i].error == -ECANCELED && last.worker[i].samples;
	result(ended, "all workers of a run that is cancelled have ended, with their samples");
	must(l, call_run_del(&l->nl, id), "delete");
	reconnect_all(l, a, b);
	must(l, call_run_start(&l->nl, &spec, &id), "start a long run");
	done(l, call_run_del(&l->nl, id), "a run of several workers is deleted while they work");
	reconnect_all(l, a, b);
}

/* Two workers of two ends each. */
static void test_several_ends(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = stream_spec(a, b, FEW), spec;
	bool arrived = true, fair;
	char text[9];
	uint32_t id;

	for (unsigned int i = 0; i < FEW; i++) {
		snprintf(text, sizeof(text), "  end %u ", i);
		must(l, call_buf_write(&l->nl, a[i].local, 0, text, 8), "write");
	}
	good.workers = 2;
	good.warmup = 20;
	spec = good;
	spec.end[2].has_cpu = true;
	run_whole(l, &spec, 1, &last);
	result(each(2, 0, 100, 20) && count_bins() == 100, "each worker of several ends has its samples");
	result(last.spec.workers == 2 && last.spec.ends == FEW && last.spec.end[2].has_cpu, "and the spec says how many");
	for (unsigned int i = 0; i < FEW; i++) {
		snprintf(text, sizeof(text), "  end %u ", i);
		arrived &= holds(l, b[i].target, 0, text, 8);
	}
	result(arrived, "what each end has sent has arrived");
	fair = true;
	for (unsigned int i = 0; i < 2; i++) {
		const struct kv_worker_result *w = &last.worker[i];

		fair &= w->several && w->least && w->least + w->most == w->samples;
	}
	result(fair, "the samples are those of its ends");

	spec.workers = 3;
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL, "workers: the number of ends is no multiple",
		"ends that cannot be shared out");
	spec = good;
	spec.end[1].has_cpu = true;
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL, "end 2: cpu goes with the first end of a worker",
		"a cpu of an end that is not its worker's first");
	spec = good;
	spec.cpu = 0;
	spec.end[0].has_cpu = spec.end[spec.ends / 2].has_cpu = true;
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL, "spec: cpu is of no use: each worker takes the cpu of its end",
		"a cpu for workers that have one each");
	spec = good;
	spec.loop = KVERBS_LOOP_POST_TO_COMPLETION;
	spec.depth = 0;
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL, "workers goes with streams",
		"workers of another loop");

	/* An end that fails ends its worker, and so the other one. */
	spec = good;
	spec.workers = 1;
	spec.warmup = 0;
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	spec.end[1].remote_key ^= 0x5a5a00;
	run_whole(l, &spec, 0, &last);
	result(run_was_refused(&last.worker[0], &a[1]), "a worker of which one end fails tells why");
	refused(l, call_run_start(&l->nl, &good, &id), -EBUSY, "an earlier run left requests outstanding",
		"its qps before a reset");
	reconnect_all(l, a, b);
	run_whole(l, &good, 0, &last);
	result(each(2, 0, 100, 20), "and after that");
}

/* The peer of streams at several ends: one worker replaces the receives of all. */
static void test_server_of_several(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = stream_spec(a, b, FEW), server = spec;
	struct kv_run_result *answer = &last;
	uint32_t id, server_id;

	if (is_iwarp())
		return;
	spec.op = server.op = KVERBS_OP_SEND;
	spec.workers = server.workers = 1;
	server.loop = KVERBS_LOOP_STREAM_SERVER;
	server.post_context = KVERBS_POST_PROCESS;
	server.depth = 8;
	server.iters = 100;
	for (unsigned int i = 0; i < FEW; i++) {
		spec.end[i].has_remote = false;
		spec.end[i].remote_key = 0;
		server.end[i] = (struct kv_run_end){ .qp = b[i].qp, .target_buf = b[i].target, .target_mr = 0 };
	}
	must(l, call_run_start(&l->nl, &server, &server_id), "start the server");
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	run_wait(l, id);
	run_wait(l, server_id);
	must(l, call_run_get(&l->nl, server_id, answer), "look at the server");
	result(!answer->worker[0].error && answer->worker[0].samples == 100 && answer->worker[0].several &&
	       answer->worker[0].least && answer->worker[0].most <= 100 - answer->worker[0].least * (FEW - 1),
	       "a server of several ends has received what was sent, at each");
	must(l, call_run_del(&l->nl, id), "delete the run");
	must(l, call_run_del(&l->nl, server_id), "delete the server");
}

/* The handlers of completions belong to one end each. */
static void test_contexts(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_SOFTIRQ };
	struct kv_run_spec spec;
	struct end a[2], b[2];
	uint32_t id;

	for (unsigned int i = 0; i < 2; i++) {
		pair_make(l, &a[i], &b[i], &init);
		register_target(l, &b[i]);
	}
	spec = stream_spec(a, b, 2);
	spec.workers = 1;
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL, "a worker of several ends polls",
		"several ends whose completions go to a handler");
}

static int on_run(struct nlattr *attrs, int len, void *arg)
{
	unsigned int *workers = arg;
	struct nlattr *attr;
	int rem;

	nla_for_each_attr(attr, attrs, len, rem)
		*workers += nla_type(attr) == KVERBS_A_RUN_RESULT;
	return 0;
}

/* As many as there may be: their results need a large message, and so does the list of runs. */
static void test_most(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a[KV_RUN_WORKERS_MAX], b[KV_RUN_WORKERS_MAX];
	const struct kv_shape *const names[] = { &kv_shape_run_result, NULL };
	unsigned int listed = 0;
	struct kv_run_spec spec;
	uint32_t id;

	for (unsigned int i = 0; i < KV_RUN_WORKERS_MAX; i++) {
		pair_make(l, &a[i], &b[i], &init);
		register_target(l, &b[i]);
	}
	spec = stream_spec(a, b, KV_RUN_WORKERS_MAX);
	spec.iters = 30;
	for (unsigned int i = 0; i < KV_RUN_WORKERS_MAX; i++)
		spec.end[i].has_cpu = true;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	run_wait(l, id);
	must(l, kv_op_run_get(&l->nl.base, &(struct kv_run_which){ id, KV_RUN_WORKERS_MAX - 1 }, &last, NULL),
	     "look at the run");
	result(each(KV_RUN_WORKERS_MAX, 0, 30, 0) && last.spec.ends == KV_RUN_WORKERS_MAX && count_bins() == 30,
	       "%u workers", KV_RUN_WORKERS_MAX);
	must(l, kv_nl_request(&l->nl, kv_nl_msg(&l->nl, KVERBS_CMD_RUN_GET, NLM_F_DUMP), names,
			      on_run, &listed), "list runs");
	result(listed == KV_RUN_WORKERS_MAX, "and a list shows all of them");
	must(l, call_run_del(&l->nl, id), "delete");
}

void test_workers(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a[FEW], b[FEW];
	struct link l;

	ends_wait(true);
	link_open(&l);
	for (unsigned int i = 0; i < FEW; i++) {
		pair_make(&l, &a[i], &b[i], &init);
		register_target(&l, &b[i]);
	}
	test_results(&l, a, b);
	test_refusals(&l, a, b);
	test_failure(&l, a, b, 0);
	test_failure(&l, a, b, 10);
	test_cancelled(&l, a, b);
	test_several_ends(&l, a, b);
	test_server_of_several(&l, a, b);
	test_contexts(&l);
	test_most(&l);
	link_close(&l);
	ends_wait(false);
}
