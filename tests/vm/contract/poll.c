// SPDX-License-Identifier: MIT
/* How completions are told: polled, after an event, by the kernel's contexts. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "sys/now.h"

static uint64_t in_ms(unsigned int ms)
{
	return kv_now_ns() + ms * 1000000ULL;
}

static int wait_ms(struct link *l, uint32_t cq, unsigned int ms)
{
	return call_wait_completion(&l->nl, cq, in_ms(ms));
}

/* Many at a time, and in order. */
static void test_order(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_wc wc[KVERBS_POLL_MAX];
	unsigned int n, i, got = 0;
	struct wr wr;
	struct end a, b;
	struct kv_cq cq;
	bool order = true;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	for (i = 0; i < 8; i++) {
		wr = write_wr(&a, &b, 8, i);
		post(l, &wr, "write");
	}
	must(l, call_get(&l->nl, KV_CQ, a.send_cq, &cq), "cq");
	result(cq.pending == 8, "what was not polled is pending");
	while (got < 8) {
		must(l, call_cq_poll(&l->nl, a.send_cq, wc, 3, &n, NULL), "poll");
		if (n > 3)
			bail_out("%u completions, 3 were asked for", n);
		for (i = 0; i < n; i++)
			order = order && wc[i].wr_id == got++;
	}
	result(order, "completions come in order, and no more than were asked for");
	must(l, call_get(&l->nl, KV_CQ, a.send_cq, &cq), "cq");
	result(!cq.pending, "then nothing is pending");
}

/* So many as one poll can give. */
static void test_most(struct link *l)
{
	struct kv_qp_init init = {
		.max_send_wr = 8,
		.max_recv_wr = KVERBS_POLL_MAX + 6,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct wr recv = { .op = KVERBS_OP_RECV };
	struct kv_wc wc[KVERBS_POLL_MAX];
	unsigned int n, i;
	struct kv_qp qp;
	bool good = true;

	init.pd = make_pd(l);
	init.send_cq = make_cq(l, 200, KVERBS_CQ_POLLED);
	init.recv_cq = init.send_cq;
	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	/* One of iWARP's that was never connected flushes nothing. */
	if (is_iwarp())
		qp_connect_self(l, init.pd, &qp);
	else
		must(l, modify(l, qp.id, init_attr(KVERBS_QPT_RC)), "INIT");
	recv.qp = qp.id;
	for (i = 0; i < init.max_recv_wr; i++) {
		recv.wr_id = i;
		post(l, &recv, "recv");
	}
	to_state(l, qp.id, KVERBS_QPS_ERR);
	/* Flushing them takes its time. */
	for (i = 0; i < 1000; i++) {
		must(l, call_cq_poll(&l->nl, init.recv_cq, wc, 1, &n, NULL), "poll");
		if (n)
			break;
	}
	usleep(100000);
	must(l, call_cq_poll(&l->nl, init.recv_cq, wc, KVERBS_POLL_MAX, &n, NULL), "poll");
	for (i = 0; i < n; i++)
		good = good && wc[i].wr_id == i + 1 && wc[i].status == 5;
	result(n == KVERBS_POLL_MAX && good, "a poll gives up to 64 completions");
	must(l, call_cq_poll(&l->nl, init.recv_cq, wc, KVERBS_POLL_MAX, &n, NULL), "poll");
	result(n == 5, "the next the rest");
}

static void test_armed(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };
	struct wr wr, recv;
	struct end a, b;
	bool missed;
	double start;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	wr = write_wr(&a, &b, 8, 1);
	start = seconds();
	result(wait_ms(l, a.send_cq, 100) == -EAGAIN && seconds() - start >= 0.1,
	       "nothing comes, and the wait ends not before its time");
	post(l, &wr, "write");
	result(wait_ms(l, a.send_cq, 100) == -EAGAIN, "no event without arming");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0, "the completion is there all the same");

	must(l, call_cq_arm(&l->nl, a.send_cq, false, &missed, NULL), "arm");
	result(!missed, "an empty cq is armed");
	post(l, &wr, "write");
	done(l, wait_ms(l, a.send_cq, 10000), "a completion makes an event");
	post(l, &wr, "write");
	result(wait_ms(l, a.send_cq, 100) == -EAGAIN, "one, not two");
	must(l, call_cq_arm(&l->nl, a.send_cq, false, &missed, NULL), "arm");
	result(missed, "arming tells what is there already");
	drain(l, a.send_cq, 2);

	/* Both ends are waited for, one after the other: none gets lost. */
	recv = recv_wr(b.qp, b.target, LENGTH, 2);
	post(l, &recv, "recv");
	must(l, call_cq_arm(&l->nl, a.send_cq, false, NULL, NULL), "arm");
	must(l, call_cq_arm(&l->nl, b.recv_cq, false, NULL, NULL), "arm");
	wr = send_wr(a.qp, a.local, 8, 3);
	post(l, &wr, "send");
	done(l, wait_ms(l, a.send_cq, 10000), "of two cqs each has its event: the one");
	done(l, wait_ms(l, b.recv_cq, 10000), "and the other");
	drain(l, a.send_cq, 1);
	drain(l, b.recv_cq, 1);

	post(l, &recv, "recv");
	must(l, call_cq_arm(&l->nl, b.recv_cq, true, NULL, NULL), "arm");
	post(l, &wr, "send");
	result(wait_ms(l, b.recv_cq, 200) == -EAGAIN,
	       "an unsolicited message makes no event where solicited ones are wanted");
	drain(l, b.recv_cq, 1);
	drain(l, a.send_cq, 1);
	/* siw tells nobody of them (siw_rqe_complete()). */
	if (lacks("a solicited one does", "event of a solicited message"))
		return;
	post(l, &recv, "recv");
	wr.flags = KVERBS_WR_SOLICITED;
	post(l, &wr, "send");
	done(l, wait_ms(l, b.recv_cq, 10000), "a solicited one does");
	drain(l, b.recv_cq, 1);
	drain(l, a.send_cq, 1);
}

/* The kernel takes the completions out of the CQ and keeps them for us. */
static void test_context(struct link *l, uint32_t context, const char *name)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .context = context };
	struct wr wr, recv;
	struct limit limit;
	struct end a, b;
	struct kv_cq cq;
	bool missed;

	note("context %s", name);
	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	recv = recv_wr(b.qp, b.local, LENGTH, 1);
	post(l, &recv, "recv");
	wr = send_wr(a.qp, a.local, 100, 2);
	post(l, &wr, "send");
	expect_wc(l, a.send_cq, 2, KVERBS_WC_OP_SEND, 0, "a send completes");
	expect_wc(l, b.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "and its receive");

	must(l, call_cq_arm(&l->nl, a.send_cq, false, &missed, NULL), "arm");
	result(!missed, "an empty cq is armed");
	wr = write_wr(&a, &b, 8, 3);
	post(l, &wr, "write");
	done(l, wait_ms(l, a.send_cq, 10000), "a completion makes an event");
	must(l, call_cq_arm(&l->nl, a.send_cq, false, &missed, NULL), "arm");
	result(missed, "arming tells what is there already");
	must(l, call_get(&l->nl, KV_CQ, a.send_cq, &cq), "cq");
	result(cq.pending == 1, "it is pending until it is polled");
	expect_wc(l, a.send_cq, 3, KVERBS_WC_OP_WRITE, 0, "and polled");

	/* An mr can be registered by a QP whose completions the kernel takes. */
	must(l, call_mr_inv(&l->nl, b.target_mr, b.qp, NULL), "invalidate");
	result(nothing_comes(l, b.send_cq), "a registration's completion is nobody else's");

	/* QPs that go with requests and completions outstanding. */
	post(l, &recv, "recv");
	wr = send_wr(a.qp, a.local, 100, 4);
	post(l, &wr, "send");
	post(l, &recv, "recv");
	limit = limit_of(10);
	do
		must(l, call_get(&l->nl, KV_CQ, a.send_cq, &cq), "cq");
	while (!cq.pending && !limit_over(&limit));
	end_del(l, &a);
	end_del(l, &b);
}

static void test_runs(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		.op = KVERBS_OP_WRITE,
		.size = 8,
		.iters = 10,
		.post_context = KVERBS_POST_BH_DISABLED,
		.cpu = -1,
		.spins = -1,
	};
	struct wr wr, recv;
	struct kv_wc wc;
	unsigned int n;
	struct end a, b;
	uint32_t id;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	spec.ends = 1;
	spec.end[0] = (struct kv_run_end){
		.qp = a.qp,
		.local_buf = a.local,
		.has_remote = true,
		.remote_addr = b.key.iova,
		.remote_key = b.key.rkey,
	};
	wr = write_wr(&a, &b, 8, 1);
	post(l, &wr, "write");
	refused(l, call_run_start(&l->nl, &spec, &id), -EBUSY, "posted by hand",
		"a run where a request by hand was not polled");
	drain(l, a.send_cq, 1);
	recv = recv_wr(a.qp, a.local, 8, 1);
	post(l, &recv, "recv");
	refused(l, call_run_start(&l->nl, &spec, &id), -EBUSY, "posted by hand",
		"nor where a receive by hand is outstanding");
	pair_reconnect(l, &a, &b, KVERBS_QPT_RC);
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	refused(l, call_post(&l->nl, &wr, NULL), -EBUSY, "a run is active on the qp",
		"a post under a run");
	refused(l, call_post(&l->nl, &recv, NULL), -EBUSY, "a run is active on the qp",
		"a receive under a run");
	refused(l, call_cq_poll(&l->nl, a.send_cq, &wc, 1, &n, NULL), -EBUSY,
		"a run is active", "polling under a run");
	must(l, call_run_cancel(&l->nl, id), "cancel");
	must(l, call_run_del(&l->nl, id), "delete");
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0, "after the run a post works again");
}

void test_poll(void)
{
	struct link l;

	link_open(&l);
	test_order(&l);
	test_most(&l);
	test_armed(&l);
	test_context(&l, KVERBS_CQ_EVENT, "event");
	test_context(&l, KVERBS_CQ_SOFTIRQ, "softirq");
	test_context(&l, KVERBS_CQ_WORKQUEUE, "workqueue");
	test_context(&l, KVERBS_CQ_UNBOUND_WORKQUEUE, "unbound workqueue");
	test_runs(&l);
	link_close(&l);
}
