// SPDX-License-Identifier: MIT
/* Many runs whose peer never answers: all of them end at once with their socket, and with their device. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "crowd.h"

#define RUNS 1000
#define RUNS_WATCHED 60

/* How long all runs may take to end; on a slow host twice as long as runs that are cancelled first. */
#define LIMIT_S 1.0

static unsigned int runs;
static struct kv_run_result shown; /* too large for the stack */

/**
 * struct scene - what the runs are of
 * @l: the connection
 * @pd: of all
 * @buf: of 64 bytes
 * @deaf: number of a QP that is in RESET to the end
 * @qps: id of each run's QP
 * @ids: id of each run
 */
struct scene {
	struct link l;
	uint32_t pd;
	uint32_t buf;
	uint32_t deaf;
	uint32_t qps[RUNS];
	uint32_t ids[RUNS];
};

static struct scene scene;

static struct kv_qp make_qp(struct scene *s)
{
	struct kv_qp_init init = {
		.pd = s->pd,
		.type = KVERBS_QPT_RC,
		.max_send_wr = 4,
		.max_recv_wr = 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp qp;

	init.send_cq = make_cq(&s->l, 8, KVERBS_CQ_POLLED);
	init.recv_cq = init.send_cq;
	must(&s->l, call_qp_new(&s->l.nl, &init, &qp, NULL), "qp");
	return qp;
}

/* It never gives up: with 7 retries rxe goes on for ever. */
static void connect_to_deaf(struct scene *s, uint32_t qp)
{
	struct kv_qp_attr rts = rts_attr(KVERBS_QPT_RC);

	rts.timeout = 20;
	rts.retry_cnt = 7;
	must(&s->l, modify(&s->l, qp, init_attr(KVERBS_QPT_RC)), "INIT");
	must(&s->l, modify(&s->l, qp, rtr_attr(KVERBS_QPT_RC, s->deaf)), "RTR");
	must(&s->l, modify(&s->l, qp, rts), "RTS");
}

static void start_run(struct scene *s, unsigned int i)
{
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		.op = KVERBS_OP_WRITE,
		.size = 8,
		.ends = 1,
		.end[0] = {
			.qp = s->qps[i], .local_buf = s->buf, .has_remote = true, .remote_key = 1,
		},
		.iters = 1,
		.timeout_ns = 3600000000000ULL,
		.post_context = KVERBS_POST_BH_DISABLED,
		.cpu = -1,
	};

	must(&s->l, call_run_start(&s->l.nl, &spec, &s->ids[i]), "start a run");
}

static void scene_make(struct scene *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	s->pd = make_pd(&s->l);
	s->buf = make_buf(&s->l, 64);
	s->deaf = make_qp(s).qpn;
	for (i = 0; i < runs; i++) {
		s->qps[i] = make_qp(s).id;
		connect_to_deaf(s, s->qps[i]);
	}
	for (i = 0; i < runs; i++)
		start_run(s, i);
	/* Each thread is to come to where it waits. */
	usleep(500000);
}

static unsigned int count_state(struct scene *s, uint32_t state, int error)
{
	unsigned int i, n = 0;

	for (i = 0; i < runs; i++) {
		must(&s->l, call_run_peek(&s->l.nl, s->ids[i], &shown), "look at a run");
		n += shown.state == state && shown.worker[0].error == error;
	}
	return n;
}

/* In seconds, as the following. */
static double cancel_all(struct scene *s)
{
	double start = seconds();
	unsigned int i;

	for (i = 0; i < runs; i++)
		must(&s->l, call_run_cancel(&s->l.nl, s->ids[i]), "cancel");
	while (count_state(s, KVERBS_RUN_DONE, -ECANCELED) != runs)
		usleep(10000);
	return seconds() - start;
}

static double close_socket(struct scene *s)
{
	double start = seconds();

	kv_nl_close(&s->l.nl);
	return seconds() - start;
}

/* @first: of runs that were cancelled before */
static void check_time(double took, double first, const char *name)
{
	result(took <= (2 * first > LIMIT_S ? 2 * first : LIMIT_S), "%s: all runs end at once", name);
	note("  %u runs: %.2f s; each cancelled first: %.2f s", runs, took, first);
}

static void test_socket(void)
{
	double took, first;

	scene_make(&scene);
	first = cancel_all(&scene);
	first += close_socket(&scene);
	scene_make(&scene);
	result(count_state(&scene, KVERBS_RUN_ACTIVE, 0) == runs, "all runs are stuck");
	took = close_socket(&scene);
	check_time(took, first, "the socket is closed");
}

static double end_device(bool cancelled)
{
	double took = 0;

	crowd_enter_device();
	scene_make(&scene);
	if (cancelled)
		took = cancel_all(&scene);
	took += crowd_delete_device();
	if (!cancelled)
		result(count_state(&scene, KVERBS_RUN_DONE, -ENODEV) == runs,
		       "each run says that the device is gone");
	link_close(&scene.l);
	crowd_leave_device();
	return took;
}

static void test_device(void)
{
	double first = end_device(true), took = end_device(false);

	check_time(took, first, "the device goes");
}

void test_stuck(void)
{
	runs = is_watched() ? RUNS_WATCHED : RUNS;
	crowd_begin();
	test_socket();
	test_device();
	crowd_end();
}
