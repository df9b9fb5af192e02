// SPDX-License-Identifier: MIT
/* Streams of SENDs that take credits: each SEND finds a receive, also on iWARP. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "contract.h"
#include "run.h"

#define ENDS 3

/* Receives of the server, and where in the target of the other end its byte is. */
#define RECVS 8
#define BYTE 100

#define SIZE 12
#define SAMPLES 100
#define SIGNAL 4

/**
 * struct stage - pairs of ends
 * @l: the connection
 * @a: ends that send
 * @b: their peers
 * @n: how many of each
 */
struct stage {
	struct link l;
	struct end a[ENDS];
	struct end b[ENDS];
	unsigned int n;
};

static struct stage stage;
static struct kv_run_result last; /* too large for the stack */

/* @one_cq: the ends of each side have one CQ for sends, and one for receives */
static void stage_make(struct stage *s, unsigned int n, bool one_cq)
{
	struct end_init a = { .type = KVERBS_QPT_RC }, b = a;

	s->n = n;
	for (unsigned int i = 0; i < n; i++) {
		if (i && one_cq) {
			a.send_cq = s->a[0].send_cq;
			a.recv_cq = s->a[0].recv_cq;
			b.send_cq = s->b[0].send_cq;
			b.recv_cq = s->b[0].recv_cq;
		}
		end_make(&s->l, &s->a[i], &a);
		end_make(&s->l, &s->b[i], &b);
		pair_connect(&s->l, &s->a[i], all_access(), &s->b[i], all_access());
		register_target(&s->l, &s->a[i]);
	}
}

static struct kv_run_spec spec_of(const struct stage *s, uint32_t loop)
{
	return (struct kv_run_spec){
		.loop = loop,
		.op = KVERBS_OP_SEND,
		.size = SIZE,
		.ends = s->n,
		.workers = 1,
		.cpu = -1,
		.spins = -1,
	};
}

static struct kv_run_spec stream_of(const struct stage *s)
{
	struct kv_run_spec spec = spec_of(s, KVERBS_LOOP_CREDIT_STREAM);

	spec.depth = 4;
	spec.list = 2;
	spec.signal = SIGNAL;
	spec.credits = RECVS;
	spec.iters = SAMPLES;
	for (unsigned int i = 0; i < s->n; i++)
		spec.end[i] = (struct kv_run_end){ .qp = s->a[i].qp, .local_buf = s->a[i].local,
						   .target_buf = s->a[i].target, .target_offset = BYTE };
	return spec;
}

/* All ends become as the first one. */
static void repeat_end(struct kv_run_spec *spec)
{
	for (unsigned int i = 1; i < spec->ends; i++)
		spec->end[i] = spec->end[0];
}

static struct kv_run_spec server_of(const struct stage *s)
{
	struct kv_run_spec spec = spec_of(s, KVERBS_LOOP_CREDIT_SERVER);

	spec.depth = RECVS;
	spec.iters = UINT64_MAX;
	for (unsigned int i = 0; i < s->n; i++)
		spec.end[i] = (struct kv_run_end){ .qp = s->b[i].qp, .target_buf = s->b[i].target,
						   .local_buf = s->b[i].local, .local_offset = 8, .has_remote = true,
						   .remote_addr = s->a[i].key.iova + BYTE, .remote_key = s->a[i].key.rkey };
	return spec;
}

/* Ends a server once it has taken @n messages. */
static bool served(struct link *l, uint32_t id, uint64_t n)
{
	struct limit limit = limit_of(10);

	do
		must(l, call_run_get(&l->nl, id, &last), "look at the server");
	while (last.worker[0].samples != n && !limit_over(&limit));
	must(l, call_run_cancel(&l->nl, id), "cancel the server");
	run_wait(l, id);
	must(l, call_run_get(&l->nl, id, &last), "look at the server");
	must(l, call_run_del(&l->nl, id), "delete the server");
	return last.worker[0].error == -ECANCELED && last.worker[0].samples == n && last.spec.depth == RECVS &&
	       !last.spec.signal && !last.spec.credits && last.spec.recv_sges == 1 && !last.spec.sges &&
	       last.spec.end[0].has_remote;
}

static bool arrived(struct stage *s, unsigned int round)
{
	bool all = true;
	char text[SIZE + 1];

	for (unsigned int i = 0; i < s->n; i++) {
		snprintf(text, sizeof(text), "end %u, run %u", i, round);
		all &= holds(&s->l, s->b[i].target, 0, text, SIZE);
	}
	return all;
}

/* Runs of one connection: each run goes on counting where the one before it has ended. */
static void test_runs(struct stage *s, const char *name)
{
	struct kv_run_spec stream = stream_of(s), server = server_of(s);
	char text[SIZE + 1];
	uint32_t id;

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < s->n; i++) {
			snprintf(text, sizeof(text), "end %u, run %u", i, round);
			must(&s->l, call_buf_write(&s->l.nl, s->a[i].local, 0, text, SIZE), "write");
		}
		must(&s->l, call_run_start(&s->l.nl, &server, &id), "start a server");
		run_whole(&s->l, &stream, 0, &last);
		result(!last.worker[0].error && last.worker[0].samples == SAMPLES && last.spec.credits == RECVS &&
		       last.spec.signal == SIGNAL && last.worker[0].several == (s->n > 1) &&
		       (s->n == 1 || (last.worker[0].least && last.worker[0].most <= SAMPLES)),
		       "%s: a run of SENDs with credits, %u", name, round);
		result(served(&s->l, id, SAMPLES * SIGNAL), "%s: the server has taken all of them", name);
		result(arrived(s, round), "%s: and what was sent is there", name);
	}
}

/* No server runs: the stream uses the receives that are left, and waits. The connection stays. */
static void test_no_server(struct stage *s)
{
	struct kv_run_spec stream = stream_of(s), server = server_of(s);
	const struct kv_worker_result *w;
	uint32_t id;

	stream.depth = stream.list = stream.signal = 1;
	stream.iters = 0;
	stream.time_ns = 100000000;
	w = run(&s->l, &stream);
	result(!w->error && w->samples > RECVS / 2 && w->samples <= RECVS,
	       "without a server a stream posts a SEND for each receive that is left, and ends with its time");
	w = run(&s->l, &stream);
	result(!w->error && !w->samples, "and none after that");
	stream.time_ns = 0;
	stream.iters = SAMPLES;
	stream.timeout_ns = 50000000;
	must(&s->l, call_run_start(&s->l.nl, &stream, &id), "start a stream");
	w = run_wait(&s->l, id);
	result(w->error == -ETIMEDOUT && !w->wc_status, "a stream that waits too long misses its deadline");
	must(&s->l, call_run_del(&s->l.nl, id), "delete the stream");
	pair_reconnect(&s->l, &s->a[0], &s->b[0], KVERBS_QPT_RC);
	stream = stream_of(s);
	must(&s->l, call_run_start(&s->l.nl, &server, &id), "start a server");
	w = run(&s->l, &stream);
	result(!w->error && w->samples == SAMPLES, "after a reset both ends begin to count anew");
	result(served(&s->l, id, SAMPLES * SIGNAL), "and the server has taken all");
}

static void test_refusals(struct stage *s)
{
	struct kv_run_spec good = stream_of(s), spec;
	struct link *l = &s->l;
	uint32_t id;

	RUN_BAD(spec.credits = 0, -EINVAL, "credits is missing", "a stream that does not know the peer's receives");
	RUN_BAD(spec.credits = 16385, -ERANGE, "credits: integer out of range", "more credits than a depth can be");
	RUN_BAD(spec.credits = RECVS + 1, -EBUSY, "end 1: qp: an earlier run of the connection had another number of credits",
		"another number of credits on the connection");
	RUN_BAD(spec.credits = 5, -EINVAL, "spec: credits: the peer has too few receives for a group",
		"groups for which there would never be credits");
	RUN_BAD(spec.end[0].target_offset++, -EBUSY, "end 1: target_buf: credits of an earlier run come to another",
		"a byte at another place");
	RUN_BAD(spec.end[0].target_buf = 0, -EINVAL, "target_buf is missing in this end", "a stream without a byte for credits");
	RUN_BAD(spec.op = KVERBS_OP_WRITE, -EINVAL, "this loop can't take this op", "credits for WRITEs");
	RUN_BAD(spec.end[0].has_remote = true, -EINVAL, "remote_addr goes with", "a remote address of SENDs");
	RUN_BAD(spec.recv_sges = 1, -EINVAL, "recv_sges goes with", "SGEs of receives of a stream");
	RUN_BAD(spec.interval_ns = 1000, -EINVAL, "interval_ns goes with STREAM only", "credits at an interval");
	RUN_BAD((spec.loop = KVERBS_LOOP_STREAM, spec.end[0].target_buf = spec.end[0].target_offset = 0), -EINVAL,
		"credits goes with CREDIT_STREAM only", "credits of a plain stream");
	good = server_of(s);
	RUN_BAD(spec.end[0].qp = s->a[0].qp, -EBUSY, "in an earlier run of the connection the qp was at the other end",
		"a server at the other end of the same connection");
	RUN_BAD(spec.depth++, -EBUSY, "an earlier run of the connection had another number of credits",
		"a server with another number of receives");
	RUN_BAD(spec.end[0].has_remote = false, -EINVAL, "remote_addr is missing in this end", "a server that does not know where to count");
	RUN_BAD(spec.end[0].local_buf = spec.end[0].local_offset = 0, -EINVAL, "local_buf is missing in this end",
		"a server without a byte to count in");
	RUN_BAD(spec.end[0].local_offset = LENGTH, -EINVAL, "size is above the bytes", "a byte behind the buffer");
	RUN_BAD((spec.end[0].local_mr = spec.end[0].target_mr = 1, spec.ends = KV_RUN_ENDS_MAX, repeat_end(&spec)), -EMSGSIZE,
		"spec needs more than the 65,535 bytes of a netlink attribute", "more ends than a message has room for");
	RUN_BAD(spec.flags = KVERBS_WR_FENCE, -EINVAL, "flags goes with loops that post the op", "flags of a server's requests");
	RUN_BAD(spec.credits = RECVS, -EINVAL, "credits goes with CREDIT_STREAM only", "credits of a server");
}

/* The loops with credits poll: other contexts are refused. */
static void test_contexts(struct link *l)
{
	static const struct end_init told = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };
	struct stage s = { .n = 1 };
	struct kv_run_spec spec;
	uint32_t id;

	pair_make(l, &s.a[0], &s.b[0], &told);
	spec = stream_of(&s);
	refused(l, call_run_start(&l->nl, &spec, &id), -EINVAL,
		"the loops with credits poll", "a stream with credits whose cq makes events");
}

/** test_credit() - streams with credits */
void test_credit(void)
{
	memset(&stage, 0, sizeof(stage));
	link_open(&stage.l);
	ends_wait(true);
	stage_make(&stage, 1, false);
	test_runs(&stage, "one end");
	test_refusals(&stage);
	test_no_server(&stage);
	stage_make(&stage, ENDS, false);
	test_runs(&stage, "several ends");
	stage_make(&stage, ENDS, true);
	test_runs(&stage, "several ends with one cq");
	test_contexts(&stage.l);
	ends_wait(false);
	link_close(&stage.l);
}
