// SPDX-License-Identifier: MIT
/* As many QPs as a large program has, each with a stream under way: all of them end at once with their device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "crowd.h"

#define WORKERS 16
#define QPS 1024
#define QPS_WATCHED 64
#define DEPTH 4

/* How long the removal of the device may take on an idle host, and on a kernel with checkers. */
#define LIMIT_S 1.0
#define LIMIT_WATCHED_S 4.0

static unsigned int qps, runs;
static struct kv_run_result shown; /* too large for the stack */

/**
 * struct stage - the objects of all streams
 * @l: the connection
 * @pd: of all QPs
 * @buf: source and target of all streams, of 64 bytes
 * @mr: over @buf
 * @key: its registration
 * @qps: each is connected to itself; as many of them for each run
 * @ids: id of each run
 */
struct stage {
	struct link l;
	uint32_t pd;
	uint32_t buf;
	uint32_t mr;
	struct kv_mr key;
	struct kv_qp qps[QPS];
	uint32_t ids[QPS / WORKERS];
};

static struct stage stage;

static void make_qp(struct stage *s, struct kv_qp *qp)
{
	struct kv_qp_init init = {
		.pd = s->pd,
		.type = KVERBS_QPT_RC,
		.max_send_wr = DEPTH,
		.max_recv_wr = 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};

	init.send_cq = make_cq(&s->l, DEPTH, KVERBS_CQ_POLLED);
	init.recv_cq = init.send_cq;
	must(&s->l, call_qp_new(&s->l.nl, &init, qp, NULL), "qp");
	qp_connect(&s->l, qp->id, init_attr(KVERBS_QPT_RC), KVERBS_QPT_RC, qp->qpn);
}

static void stage_make(struct stage *s)
{
	struct kv_mr_reg reg = { .access = all_access(), .length = 64 };
	unsigned int i;

	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	s->pd = make_pd(&s->l);
	s->buf = make_buf(&s->l, 64);
	s->mr = make_mr(&s->l, s->pd);
	for (i = 0; i < qps; i++)
		make_qp(s, &s->qps[i]);
	reg.buf = s->buf;
	reg.qp = s->qps[0].id;
	must(&s->l, call_mr_reg(&s->l.nl, s->mr, &reg, &s->key, NULL), "register");
}

static void start_run(struct stage *s, unsigned int i)
{
	static struct kv_run_spec spec; /* too large for the stack */
	unsigned int j;

	spec = (struct kv_run_spec){
		.loop = KVERBS_LOOP_STREAM,
		.op = KVERBS_OP_WRITE,
		.size = 8,
		.depth = DEPTH,
		.ends = qps / runs,
		.workers = WORKERS,
		.time_ns = 3600000000000ULL,
		.timeout_ns = 3600000000000ULL,
		.post_context = KVERBS_POST_BH_DISABLED,
		.cpu = -1,
	};
	for (j = 0; j < spec.ends; j++) {
		spec.end[j].qp = s->qps[i * spec.ends + j].id;
		spec.end[j].local_buf = s->buf;
		spec.end[j].has_remote = true;
		spec.end[j].remote_addr = s->key.iova;
		spec.end[j].remote_key = s->key.rkey;
	}
	must(&s->l, call_run_start(&s->l.nl, &spec, &s->ids[i]), "start a run");
}

static bool flows(const struct kv_worker_result *w)
{
	return w->several ? w->least : w->samples;
}

static bool says_device(const struct kv_worker_result *w)
{
	if (w->error == -ENODEV && !w->wc_status)
		return true;
	note("  error %d, status %u, %llu samples", w->error, w->wc_status, (unsigned long long)w->samples);
	return false;
}

/* Workers of runs in this state that are as @is says. */
static unsigned int count_workers(struct stage *s, uint32_t state, bool (*is)(const struct kv_worker_result *w))
{
	unsigned int i, j, n = 0;

	for (i = 0; i < runs; i++) {
		must(&s->l, call_run_peek(&s->l.nl, s->ids[i], &shown), "look at a run");
		for (j = 0; shown.state == state && j < shown.workers; j++)
			n += is(&shown.worker[j]);
	}
	return n;
}

static void test_device(void)
{
	/* On one CPU, where 1024 threads poll: 12 s on an idle host, 41 s seen beside other jobs. */
	struct limit limit = limit_of(200);
	unsigned int i, flowing;
	double took, start = seconds();

	stage_make(&stage);
	for (i = 0; i < runs; i++)
		start_run(&stage, i);
	do {
		usleep(100000);
		flowing = count_workers(&stage, KVERBS_RUN_ACTIVE, flows);
	} while (flowing != runs * WORKERS && !limit_over(&limit));
	result(flowing == runs * WORKERS, "each of %u qps has a stream under way, in %u runs", qps, runs);
	note("  %u workers after %.1f s", flowing, seconds() - start);
	result(shown.ends == qps / runs && shown.spec.ends == (shown.ends < 16 ? shown.ends : 16),
	       "a run tells the number of its ends, and up to 16 of them");
	limit = limit_of(is_watched() ? LIMIT_WATCHED_S : LIMIT_S);
	took = crowd_delete_device();
	result(!limit_over(&limit), "the device goes: all streams end at once");
	note("  %u qps in %u runs: %.2f s", qps, runs, took);
	result(count_workers(&stage, KVERBS_RUN_DONE, says_device) == runs * WORKERS,
	       "each worker says that the device is gone");
	result(!count_listed(&stage.l, KV_QP) && !count_listed(&stage.l, KV_CQ) && !count_listed(&stage.l, KV_MR) &&
	       !count_listed(&stage.l, KV_PD) && !count_listed(&stage.l, KV_BUF), "its objects are gone with it");
	link_close(&stage.l);
	result(!system("! rdma resource show qp | grep -F '[kverbs]' && ! rdma resource show cq | grep -F '[kverbs]'"),
	       "the kernel lists none of them");
}

void test_streams(void)
{
	qps = is_watched() ? QPS_WATCHED : QPS;
	ends_wait(true);
	crowd_begin();
	for (runs = qps / WORKERS; runs; runs = runs > 1 ? 1 : 0) {
		crowd_enter_device();
		test_device();
		crowd_leave_device();
	}
	crowd_end();
	ends_wait(false);
}
