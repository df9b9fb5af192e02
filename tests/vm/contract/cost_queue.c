// SPDX-License-Identifier: MIT
/* Others' completions and QPs are not in the way on a CQ or an SRQ that is shared with them. */
#include <unistd.h>
#include "cost.h"

/* Completions in a CQ, of another QP, that nobody has polled. */
#define DONE_FEW 10
#define DONE_MANY 4000

/* QPs on an SRQ. */
#define QPS_FEW 10
#define QPS_MANY 4000

/* After this a SEND has completed. A counting guest skips it. */
#define COMPLETED_US 20000

/**
 * struct scene - where the QPs are that commands are about
 * @l: the connection
 * @pd: of all
 * @cq: of all QPs but those of @from and @to
 * @buf: of 64 bytes
 * @srq: of QPs, or 0
 * @qp: in RESET
 * @from: sends to a QP with an SRQ
 * @to: that QP
 */
struct scene {
	struct link l;
	uint32_t pd;
	uint32_t cq;
	uint32_t buf;
	uint32_t srq;
	uint32_t qp;
	const struct end *from;
	const struct end *to;
};

static struct kv_qp make_qp(struct scene *s, uint32_t depth)
{
	struct kv_qp_init init = {
		.pd = s->pd,
		.type = KVERBS_QPT_RC,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.srq = s->srq,
		.max_send_wr = 1,
		.max_recv_wr = s->srq ? 0 : depth,
		.max_send_sge = 1,
		.max_recv_sge = s->srq ? 0 : 1,
	};
	struct kv_qp qp;

	must(&s->l, call_qp_new(&s->l.nl, &init, &qp, NULL), "qp");
	return qp;
}

static double reset_qp(void *arg)
{
	struct scene *s = arg;
	double start;

	must(&s->l, modify(&s->l, s->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	start = cost_now();
	to_state(&s->l, s->qp, KVERBS_QPS_RESET);
	return cost_now() - start;
}

static double del_qp(void *arg)
{
	struct scene *s = arg;
	struct kv_qp qp = make_qp(s, 1);
	double start = cost_now();

	must(&s->l, call_del(&s->l.nl, KV_QP, qp.id, NULL), "delete");
	return cost_now() - start;
}

/* They are flushed into the CQ, whose context takes them out of the device's at once. */
static void flush_into(struct scene *s, unsigned int n)
{
	struct kv_qp qp = make_qp(s, n);
	unsigned int i;
	struct wr wr;

	qp_connect(&s->l, qp.id, init_attr(KVERBS_QPT_RC), KVERBS_QPT_RC, qp.qpn);
	for (i = 0; i < n; i++) {
		wr = recv_wr(qp.id, s->buf, 64, i);
		post(&s->l, &wr, "recv");
	}
	to_state(&s->l, qp.id, KVERBS_QPS_ERR);
	usleep(300000);
}

static void scene_make(struct scene *s, uint32_t cqe)
{
	*s = (struct scene){ .pd = 0 };
	link_open(&s->l);
	s->pd = make_pd(&s->l);
	s->cq = make_cq(&s->l, cqe, KVERBS_CQ_SOFTIRQ);
	s->buf = make_buf(&s->l, 64);
}

static void test_completions(void)
{
	struct kv_wc wc[KVERBS_POLL_MAX];
	struct cost reset, del;
	unsigned int n, all = 0;
	struct scene s;

	/* Room for what a drain needs, too. */
	scene_make(&s, DONE_MANY + 100);
	s.qp = make_qp(&s, 1).id;
	flush_into(&s, DONE_FEW);
	reset.few = cost_least(reset_qp, &s);
	del.few = cost_least(del_qp, &s);
	flush_into(&s, DONE_MANY - DONE_FEW);
	reset.many = cost_least(reset_qp, &s);
	del.many = cost_least(del_qp, &s);
	cost_check(&reset, DONE_MANY - DONE_FEW,
		   "a qp is reset whose cq has completions of another one");
	cost_check(&del, DONE_MANY - DONE_FEW,
		   "a qp is deleted whose cq has completions of another one");
	do {
		must(&s.l, call_cq_poll(&s.l.nl, s.cq, wc, KVERBS_POLL_MAX, &n, NULL), "poll");
		all += n;
	} while (n);
	result(all == DONE_MANY, "these completions are there to the end");
	link_close(&s.l);
}

static void take_one(struct link *l, uint32_t cq)
{
	struct kv_wc wc;
	unsigned int n;

	do {
		must(l, call_cq_poll(&l->nl, cq, &wc, 1, &n, NULL), "poll");
	} while (!n);
	if (wc.status)
		bail_out("a request completed with status %u", wc.status);
}

static double receive(void *arg)
{
	struct scene *s = arg;
	struct wr wr = recv_wr(0, s->buf, 64, 1);
	double start, cost;

	wr.srq = s->srq;
	post(&s->l, &wr, "recv");
	wr = send_wr(s->from->qp, s->from->local, 64, 2);
	start = cost_now();
	post(&s->l, &wr, "send");
	cost = cost_now() - start;
	/* How often it is polled in vain is a matter of who runs when. */
	usleep(COMPLETED_US);
	start = cost_now();
	take_one(&s->l, s->to->recv_cq);
	cost += cost_now() - start;
	take_one(&s->l, s->from->send_cq);
	return cost;
}

static double receive_at(struct scene *s, const struct end *from, const struct end *to)
{
	s->from = from;
	s->to = to;
	return cost_least(receive, s);
}

static void connect_ends(struct scene *s, struct end *from, struct end *to)
{
	struct end_init init = { .type = KVERBS_QPT_RC };

	end_make(&s->l, from, &init);
	init.srq = s->srq;
	end_make(&s->l, to, &init);
	end_connect(&s->l, from, KVERBS_QPT_RC, to->qpn);
	end_connect(&s->l, to, KVERBS_QPT_RC, from->qpn);
}

static void test_shared(void)
{
	struct end from, to, late_from, late_to;
	struct cost first, last, del;
	struct scene s;
	unsigned int i;

	scene_make(&s, 100);
	s.srq = make_srq(&s.l, s.pd, 16);
	connect_ends(&s, &from, &to);
	for (i = 0; i < QPS_FEW; i++)
		make_qp(&s, 0);
	first.few = receive_at(&s, &from, &to);
	last.few = first.few;
	del.few = cost_least(del_qp, &s);
	for (; i < QPS_MANY; i++)
		make_qp(&s, 0);
	connect_ends(&s, &late_from, &late_to);
	first.many = receive_at(&s, &from, &to);
	last.many = receive_at(&s, &late_from, &late_to);
	del.many = cost_least(del_qp, &s);
	cost_check(&first, QPS_MANY - QPS_FEW, "the first qp of an srq receives");
	cost_check(&last, QPS_MANY - QPS_FEW, "the last qp of an srq receives");
	cost_check(&del, QPS_MANY - QPS_FEW, "a qp of an srq is deleted");
	link_close(&s.l);
}

void cost_queues(void)
{
	test_completions();
	test_shared();
}
