// SPDX-License-Identifier: MIT
/* A STREAM_SERVER whose QPs take their receives from an SRQ. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "crowd.h"
#include "run.h"

#define ENDS 8
#define DEPTH 8
#define TEXT "from an srq"

/**
 * struct stage - streams to the QPs of an SRQ
 * @l: the connection
 * @srq: the SRQ
 * @a: ends that send
 * @b: ends that receive, of the SRQ's PD
 * @client: the run of the streams
 * @server: the run that replaces the receives, all in the target of the first end
 */
struct stage {
	struct link l;
	uint32_t srq;
	struct end a[ENDS];
	struct end b[ENDS];
	struct kv_run_spec client;
	struct kv_run_spec server;
};

static struct stage stage;
static struct kv_run_result last; /* too large for the stack */

static void stage_make(struct stage *s)
{
	static const struct end_init plain = { .type = KVERBS_QPT_RC };
	struct end_init shared = plain;

	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	s->srq = make_srq(&s->l, make_pd(&s->l), 2 * DEPTH);
	shared.srq = s->srq;
	s->client = (struct kv_run_spec){
		.loop = KVERBS_LOOP_STREAM,
		.op = KVERBS_OP_SEND,
		.size = sizeof(TEXT),
		.depth = 4,
		.ends = ENDS,
		.workers = 1,
		.iters = 400,
		.cpu = -1,
		.spins = -1,
	};
	s->server = s->client;
	s->server.loop = KVERBS_LOOP_STREAM_SERVER;
	s->server.depth = DEPTH;
	s->client.post_context = KVERBS_POST_BH_DISABLED;
	for (unsigned int i = 0; i < ENDS; i++) {
		end_make(&s->l, &s->a[i], &plain);
		end_make(&s->l, &s->b[i], &shared);
		pair_connect(&s->l, &s->a[i], all_access(), &s->b[i], all_access());
		must(&s->l, call_buf_write(&s->l.nl, s->a[i].local, 0, TEXT, sizeof(TEXT)), "write");
		s->client.end[i] = (struct kv_run_end){ .qp = s->a[i].qp, .local_buf = s->a[i].local };
		s->server.end[i] = (struct kv_run_end){ .qp = s->b[i].qp, .target_buf = s->b[0].target };
	}
}

static int start(struct stage *s, const struct kv_run_spec *spec)
{
	uint32_t id;

	return call_run_start(&s->l.nl, spec, &id);
}

#define BAD(change, error, text, ...)					\
	do {								\
		struct kv_run_spec spec = s->server;			\
									\
		change;							\
		refused(&s->l, start(s, &spec), error, text, __VA_ARGS__); \
	} while (0)

/* Runs the streams once. Return: the server has taken all that was sent. */
static bool flows(struct stage *s)
{
	uint32_t client, server;
	bool good;

	must(&s->l, call_run_start(&s->l.nl, &s->server, &server), "start a server");
	must(&s->l, call_run_start(&s->l.nl, &s->client, &client), "start the streams");
	good = !run_wait(&s->l, client)->error;
	good = !run_wait(&s->l, server)->error && good;
	must(&s->l, call_run_get(&s->l.nl, server, &last), "look at the server");
	must(&s->l, call_run_del(&s->l.nl, client), "delete the streams");
	must(&s->l, call_run_del(&s->l.nl, server), "delete the server");
	return good && last.worker[0].samples == 400;
}

static int post_recv(struct stage *s, uint32_t srq)
{
	struct wr wr = recv_wr(0, s->b[1].target, 16, 1);

	wr.srq = srq;
	return call_post(&s->l.nl, &wr, NULL);
}

static void test_refusals(struct stage *s)
{
	uint32_t by_hand = make_srq(&s->l, s->b[0].pd, DEPTH);
	const struct end_init init = { .type = KVERBS_QPT_RC, .srq = by_hand };
	struct end a, b;

	BAD((spec.loop = KVERBS_LOOP_STREAM, spec.depth = 1,
	     spec.end[0] = (struct kv_run_end){ .qp = s->b[0].qp, .local_buf = s->b[0].local }, spec.ends = 1), -EINVAL,
	    "end 1: qp: this loop takes a qp without an srq", "a stream from a qp with an srq");
	BAD(spec.end[1].qp = s->a[1].qp, -EINVAL, "end 2: qp: either all qps of a run have an srq, or none has one",
	    "a qp without an srq beside one that has one");
	BAD(spec.end[0].qp = s->a[1].qp, -EINVAL, "end 2: qp: either all qps of a run have an srq, or none has one",
	    "a qp with an srq beside one that has none");
	BAD(spec.end[2].target_buf = s->b[2].target, -EINVAL, "end 3: target_buf: ends whose qps have one srq need one target_buf",
	    "two targets of one srq");
	BAD(spec.end[2].target_offset = 8, -EINVAL, "end 3: target_buf: ends whose qps have one srq need one target_buf",
	    "two offsets of one srq");
	BAD(spec.depth = 16384, -EINVAL, "end 1: qp: the srq's max_wr is below depth", "a depth beyond the srq's");
	BAD(spec.depth = 2 * DEPTH + 17, -EINVAL, "end 1: ", "a depth beyond the srq's or the cq's");
	BAD(spec.recv_sges = 12, -EINVAL, "end 1: qp: more recv_sges than the srq's max_sge", "more SGEs than the srq takes in a receive");
	end_make(&s->l, &a, &(struct end_init){ .type = KVERBS_QPT_RC });
	end_make(&s->l, &b, &init);
	pair_connect(&s->l, &a, all_access(), &b, all_access());
	must(&s->l, post_recv(s, by_hand), "receive");
	BAD((spec.ends = 1, spec.end[0].qp = b.qp), -EBUSY, "end 1: qp: receives posted by hand are on the srq",
	    "an srq that has receives");
}

static void test_flow(struct stage *s)
{
	struct kv_srq_attr limit = { .has_limit = true, .limit = DEPTH };
	struct kv_srq srq;

	result(flows(s) && last.worker[0].several && last.spec.depth == DEPTH && holds(&s->l, s->b[0].target, 0, TEXT, sizeof(TEXT)),
	       "a stream to each of %u qps of one srq", ENDS);
	result(last.worker[0].least, "each of them takes receives");
	must(&s->l, call_srq_modify(&s->l.nl, s->srq, &limit, NULL, NULL), "limit");
	must(&s->l, call_buf_write(&s->l.nl, s->b[0].target, 0, "nothing.....", sizeof(TEXT)), "write");
	result(flows(s) && holds(&s->l, s->b[0].target, 0, TEXT, sizeof(TEXT)),
	       "and once more, with the receives of the run before");
	must(&s->l, call_get(&s->l.nl, KV_SRQ, s->srq, &srq), "get");
	result(!srq.limit, "the srq's limit is reached during the run");
	s->server.ends = 1;
	s->client.ends = 1;
	s->server.workers = 0;
	s->client.workers = 0;
	result(flows(s) && !last.worker[0].several, "a stream to one of them");
	s->server.op = KVERBS_OP_SEND_WITH_IMM;
	s->client.op = KVERBS_OP_SEND_WITH_IMM;
	result(flows(s), "a stream with immediate data");
}

static void test_after(struct stage *s)
{
	struct kv_srq_attr less = { .has_max_wr = true, .max_wr = DEPTH - 1 };
	unsigned int i;

	refused(&s->l, post_recv(s, s->srq), -EBUSY, "receives of a run are posted on the srq",
		"a receive by hand beside those of a run");
	if (!lacks("less room than receives of runs", "srq that can be resized"))
		refused(&s->l, call_srq_modify(&s->l.nl, s->srq, &less, NULL, NULL), -EBUSY,
			"more receives than max_wr are posted", "less room than receives of runs");
	BAD(spec.end[0].target_buf = s->b[1].target, -EBUSY, "receives of an earlier run are on the srq with another",
	    "another target for receives that are posted");
	refused(&s->l, call_del(&s->l.nl, KV_SRQ, s->srq, NULL), -EBUSY, "in use by a qp", "the srq of qps");
	pair_reconnect(&s->l, &s->a[1], &s->b[1], KVERBS_QPT_RC);
	BAD(spec.ends = 1, -EBUSY, "a qp that took receives of an earlier run from the srq", "an srq whose receives may be lost");
	for (i = 0; i < ENDS; i++)
		done(&s->l, call_del(&s->l.nl, KV_QP, s->b[i].qp, NULL), "a qp goes");
	refused(&s->l, call_del(&s->l.nl, KV_BUF, s->b[0].target, NULL), -EBUSY, "in use by an srq",
		"the target that is posted on an srq");
	done(&s->l, call_del(&s->l.nl, KV_SRQ, s->srq, NULL), "the srq goes, with its receives");
	done(&s->l, call_del(&s->l.nl, KV_BUF, s->b[0].target, NULL), "and then the target");
}

/* Starts runs without an end. */
static void go_on(struct stage *s, uint32_t *server, uint32_t *client)
{
	struct limit limit = limit_of(20);

	s->server.iters = 0;
	s->server.time_ns = 3600000000000ULL;
	s->client.iters = 0;
	s->client.time_ns = 3600000000000ULL;
	must(&s->l, call_run_start(&s->l.nl, &s->server, server), "start a server");
	must(&s->l, call_run_start(&s->l.nl, &s->client, client), "start the streams");
	do {
		usleep(10000);
		must(&s->l, call_run_peek(&s->l.nl, *server, &last), "look at the server");
	} while (!last.worker[0].samples && !limit_over(&limit));
}

static void test_gone(struct stage *s)
{
	uint32_t server, client;

	stage_make(s);
	go_on(s, &server, &client);
	result(last.worker[0].samples, "a run on a device of its own goes on");
	/* How long that may take is asked where no thread of a run stands in its way: streams.c. */
	note("  the device goes: %.2f s", crowd_delete_device());
	run_wait(&s->l, server);
	must(&s->l, call_run_get(&s->l.nl, server, &last), "look at the server");
	result(last.worker[0].error == -ENODEV, "the server says so");
	kv_nl_close(&s->l.nl);
}

void test_srq_run(void)
{
	struct stage *s = &stage;
	uint32_t server, client;

	ends_wait(true);
	if (is_iwarp()) {
		stage_make(s);
		refused(&s->l, start(s, &s->server), -EOPNOTSUPP, "iWARP ends a connection on which a SEND finds no receive",
			"a server of a stream on iWARP, with an srq");
		link_close(&s->l);
		ends_wait(false);
		return;
	}
	stage_make(s);
	test_refusals(s);
	test_flow(s);
	test_after(s);
	link_close(&s->l);

	/* Its socket is closed, as when the tool is killed. */
	stage_make(s);
	go_on(s, &server, &client);
	result(last.worker[0].samples, "a run goes on");
	link_close(&s->l);

	crowd_enter_device();
	test_gone(s);
	crowd_leave_device();
	ends_wait(false);
}
