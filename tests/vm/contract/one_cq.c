// SPDX-License-Identifier: MIT
/* Streams of one worker whose QPs have one CQ in common: the completion tells the end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

/* The first ones have one CQ for sends and one for receives, the others another two. */
#define ENDS 6
#define FIRST 4

#define SAMPLES 100

/**
 * struct stage - pairs of ends
 * @l: the connection
 * @a: ends that begin
 * @b: their peers
 */
struct stage {
	struct link l;
	struct end a[ENDS];
	struct end b[ENDS];
};

static struct stage stage;
static struct kv_run_result last; /* too large for the stack */

static void make_end(struct link *l, struct end *e, unsigned int i)
{
	struct end_init init = { .type = KVERBS_QPT_RC };

	if (i && i != FIRST) {
		init.send_cq = e[-1].send_cq;
		init.recv_cq = e[-1].recv_cq;
	}
	end_make(l, e, &init);
}

static void stage_make(struct stage *s)
{
	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	for (unsigned int i = 0; i < ENDS; i++) {
		make_end(&s->l, &s->a[i], i);
		make_end(&s->l, &s->b[i], i);
		pair_connect(&s->l, &s->a[i], all_access(), &s->b[i], all_access());
		register_target(&s->l, &s->b[i]);
	}
}

/* A WRITE stream of one worker from the first @ends ends. */
static struct kv_run_spec stream_of(const struct stage *s, uint32_t ends)
{
	struct kv_run_spec spec = write_spec(&s->a[0], &s->b[0]);

	for (spec.ends = 0; spec.ends < ends; spec.ends++)
		spec.end[spec.ends] = write_spec(&s->a[spec.ends], &s->b[spec.ends]).end[0];
	spec.loop = KVERBS_LOOP_STREAM;
	spec.size = 8;
	spec.depth = 4;
	spec.iters = SAMPLES;
	spec.workers = 1;
	return spec;
}

static bool all_good(uint32_t workers)
{
	for (uint32_t i = 0; i < last.workers; i++) {
		const struct kv_worker_result *w = &last.worker[i];

		if (w->error || w->samples != SAMPLES || !w->several || !w->least || w->least > w->most)
			return false;
	}
	return last.workers == workers;
}

static void test_stream(struct stage *s)
{
	struct kv_run_spec spec = stream_of(s, FIRST);
	bool arrived = true;
	char text[9];

	for (unsigned int i = 0; i < FIRST; i++) {
		snprintf(text, sizeof(text), "  end %u ", i);
		must(&s->l, call_buf_write(&s->l.nl, s->a[i].local, 0, text, 8), "write");
	}
	run_whole(&s->l, &spec, 0, &last);
	result(all_good(1), "%u ends with one cq have the samples", FIRST);
	for (unsigned int i = 0; i < FIRST; i++) {
		snprintf(text, sizeof(text), "  end %u ", i);
		arrived &= holds(&s->l, s->b[i].target, 0, text, 8);
	}
	result(arrived, "what each has sent has arrived");
	spec = stream_of(s, 1);
	run_whole(&s->l, &spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == SAMPLES, "one of them takes a run alone");
	spec = stream_of(s, ENDS);
	spec.ends = 4;
	spec.workers = 2;
	spec.end[2] = spec.end[FIRST];
	spec.end[3] = spec.end[FIRST + 1];
	run_whole(&s->l, &spec, 0, &last);
	result(all_good(2), "two workers, of which each has a cq");
}

/* Groups that are due at an interval: the ends get them in turn. */
static void test_turns(struct stage *s)
{
	const struct kv_worker_result *w = &last.worker[0];
	struct kv_run_spec spec = stream_of(s, FIRST);

	spec.interval_ns = 500000;
	spec.signal = 2;
	spec.iters = SAMPLES + FIRST / 2;
	run_whole(&s->l, &spec, 0, &last);
	result(!w->error && w->samples == spec.iters && w->elapsed_ns >= spec.iters * spec.interval_ns,
	       "%u ends with one cq get groups at an interval", FIRST);
	result(w->least == SAMPLES / FIRST && w->most == SAMPLES / FIRST + 1, "in turn");
}

static void test_refusals(struct stage *s)
{
	uint32_t id;

#define BAD(change, error, text, ...)							\
	do {										\
		struct kv_run_spec spec = stream_of(s, FIRST);				\
											\
		change;									\
		refused(&s->l, call_run_start(&s->l.nl, &spec, &id), error, text, __VA_ARGS__); \
	} while (0)

	BAD(spec.end[2].qp = s->a[1].qp, -EINVAL, "two ends need a qp each", "one of the qps twice");
	BAD(spec = stream_of(s, ENDS), -EINVAL, "two ends need a qp each, and cqs of their own",
	    "a cq of some ends, and another one of others");
	BAD(spec.workers = 2, -EINVAL, "two ends need a qp each, and cqs of their own", "two workers with one cq");
	BAD(spec.workers = FIRST, -EINVAL, "two ends need a qp each, and cqs of their own", "as many workers with one cq");
	BAD(spec.depth = 9, -EINVAL, "depth is above", "a depth that the qp does not take");
	BAD((spec.loop = KVERBS_LOOP_POST_TO_COMPLETION, spec.depth = 0, spec.workers = 0), -EINVAL,
	    "two ends need a qp each, and cqs of their own", "a loop of one end each, with one cq");
#undef BAD
}

/* The CQ has room for some ends only. */
static void test_room(struct stage *s)
{
	struct end_init init = { .type = KVERBS_QPT_RC, .cqe = 11 }, plain = { .type = KVERBS_QPT_RC };
	struct kv_run_spec spec = stream_of(s, 3);
	struct end a[3], b[3];
	uint32_t id;

	for (unsigned int i = 0; i < 3; i++) {
		end_make(&s->l, &a[i], &init);
		end_make(&s->l, &b[i], &plain);
		init.send_cq = a[0].send_cq;
		init.recv_cq = a[0].recv_cq;
		pair_connect(&s->l, &a[i], all_access(), &b[i], all_access());
		spec.end[i].qp = a[i].qp;
		spec.end[i].local_buf = a[i].local;
	}
	refused(&s->l, call_run_start(&s->l.nl, &spec, &id), -EINVAL, "depth is above the cqe of the qp's send_cq",
		"3 ends with 4 requests each, of a cq with room for 11");
	spec.depth = 3;
	must(&s->l, call_run_start(&s->l.nl, &spec, &id), "3 ends with 3 requests each");
	done(&s->l, call_run_del(&s->l.nl, id), "and with 3 it has");
}

/* One worker replaces the receives of all; they stay when the run ends. */
static void test_server(struct stage *s)
{
	struct kv_run_spec spec = stream_of(s, FIRST), server = spec, alone;
	uint32_t id, server_id;
	struct wr wr;

	if (is_iwarp())
		return;
	spec.op = server.op = KVERBS_OP_SEND;
	server.loop = KVERBS_LOOP_STREAM_SERVER;
	server.post_context = KVERBS_POST_PROCESS;
	server.depth = 8;
	for (unsigned int i = 0; i < FIRST; i++) {
		spec.end[i].has_remote = false;
		spec.end[i].remote_key = 0;
		server.end[i] = (struct kv_run_end){ .qp = s->b[i].qp, .target_buf = s->b[i].target };
	}
	for (unsigned int round = 0; round < 2; round++) {
		must(&s->l, call_run_start(&s->l.nl, &server, &server_id), "start the server");
		must(&s->l, call_run_start(&s->l.nl, &spec, &id), "start a run");
		run_wait(&s->l, id);
		run_wait(&s->l, server_id);
		must(&s->l, call_run_get(&s->l.nl, server_id, &last), "look at the server");
		result(all_good(1), "a server of %u ends with one cq has received what was sent%s", FIRST,
		       round ? ", and once more" : "");
		must(&s->l, call_run_del(&s->l.nl, id), "delete the run");
		must(&s->l, call_run_del(&s->l.nl, server_id), "delete the server");
	}
	alone = server;
	alone.ends = 1;
	refused(&s->l, call_run_start(&s->l.nl, &alone, &id), -EBUSY, "an earlier run on another qp could complete",
		"a server of one end, while receives of the others are posted");
	wr = recv_wr(s->b[1].qp, s->b[1].target, 16, 1);
	refused(&s->l, call_post(&s->l.nl, &wr, NULL), -EBUSY, "receives of an earlier run are posted",
		"a receive by hand, while receives of runs are posted");
	for (unsigned int i = 0; i < FIRST; i++)
		pair_reconnect(&s->l, &s->a[i], &s->b[i], KVERBS_QPT_RC);
	must(&s->l, call_run_start(&s->l.nl, &alone, &id), "a server of one end, once they are gone");
	done(&s->l, call_run_del(&s->l.nl, id), "a server of one end, once they are gone");
	pair_reconnect(&s->l, &s->a[0], &s->b[0], KVERBS_QPT_RC);
}

static void test_failure(struct stage *s)
{
	struct kv_run_spec good = stream_of(s, FIRST), spec = good;
	uint32_t id;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	spec.end[1].remote_key ^= 0x5a5a00;
	run_whole(&s->l, &spec, 0, &last);
	result(run_was_refused(&last.worker[0], &s->a[1]), "one of the ends fails, and the worker tells why");
	refused(&s->l, call_run_start(&s->l.nl, &good, &id), -EBUSY, "an earlier run left requests outstanding",
		"its qps before a reset");
	spec = good;
	spec.end[0] = good.end[1];
	spec.ends = 1;
	for (unsigned int i = 1; i < FIRST; i++)
		pair_reconnect(&s->l, &s->a[i], &s->b[i], KVERBS_QPT_RC);
	refused(&s->l, call_run_start(&s->l.nl, &spec, &id), -EBUSY, "an earlier run on another qp could complete",
		"a qp of the cq, while one is not reset");
	pair_reconnect(&s->l, &s->a[0], &s->b[0], KVERBS_QPT_RC);
	run_whole(&s->l, &good, 0, &last);
	result(all_good(1), "and after that");
}

/* A QP outside of the run has the CQ, too. */
static void test_other_qp(struct stage *s)
{
	struct kv_run_spec spec = stream_of(s, FIRST - 1);
	struct end *other = &s->a[FIRST - 1];
	struct wr wr = recv_wr(other->qp, other->target, 16, 1);
	uint32_t id;

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(&s->l, call_run_start(&s->l.nl, &spec, &id), "start a long run");
	refused(&s->l, call_post(&s->l.nl, &wr, NULL), -EBUSY, "a run is active", "a request of another qp of the cq");
	end_disconnect(&s->l, other);
	done(&s->l, call_del(&s->l.nl, KV_QP, other->qp, NULL), "that qp goes while the run is active");
	usleep(100000);
	must(&s->l, call_run_cancel(&s->l.nl, id), "cancel");
	run_wait(&s->l, id);
	must(&s->l, call_run_get(&s->l.nl, id, &last), "look at the run");
	result(last.worker[0].error == -ECANCELED && !last.worker[0].wc_status && last.worker[0].samples,
	       "which goes on until it is cancelled");
	must(&s->l, call_run_del(&s->l.nl, id), "delete the run");
	/* On a slow guest the worker may not have waited for all of its requests. */
	for (unsigned int i = 0; i < FIRST - 1; i++)
		pair_reconnect(&s->l, &s->a[i], &s->b[i], KVERBS_QPT_RC);
	must(&s->l, call_run_start(&s->l.nl, &spec, &id), "start a long run");
	done(&s->l, call_run_del(&s->l.nl, id), "a run with one cq is deleted while it is active");
}

void test_one_cq(void)
{
	ends_wait(true);
	stage_make(&stage);
	test_stream(&stage);
	test_turns(&stage);
	test_refusals(&stage);
	test_room(&stage);
	test_server(&stage);
	test_failure(&stage);
	test_other_qp(&stage);
	link_close(&stage.l);
	ends_wait(false);
}
