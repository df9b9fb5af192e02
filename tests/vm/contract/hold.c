// SPDX-License-Identifier: MIT
/* Objects that a posted request names are in use until its completion was polled. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"

static int del_buf(struct link *l, uint32_t id)
{
	return call_del(&l->nl, KV_BUF, id, NULL);
}

static const struct end_init rc = { .type = KVERBS_QPT_RC };

static void test_send(struct link *l)
{
	struct end a, b;
	struct wr wr;
	uint32_t other;

	pair_make(l, &a, &b, &rc);
	register_target(l, &b);
	wr = write_wr(&a, &b, 64, 1);
	post(l, &wr, "write");
	usleep(50000);
	refused(l, del_buf(l, a.local), -EBUSY, "posted",
		"the buffer of a send that was not polled");
	drain(l, a.send_cq, 1);
	other = make_buf(l, 64);
	wr.sge[0].buf = other;
	wr.flags = KVERBS_WR_UNSIGNALED;
	post(l, &wr, "unsignaled write");
	usleep(50000);
	refused(l, del_buf(l, other), -EBUSY, "posted", "the buffer of an unsignaled send");
	wr = write_wr(&a, &b, 64, 2);
	post(l, &wr, "write");
	usleep(50000);
	refused(l, del_buf(l, other), -EBUSY, "posted",
		"even if a later one has completed, as long as that is not polled");
	drain(l, a.send_cq, 1);
	done(l, del_buf(l, other), "then it can go");
	done(l, del_buf(l, a.local), "and so can the other");
}

static void test_recv(struct link *l)
{
	struct end a, b;
	struct wr wr;

	pair_make(l, &a, &b, &rc);
	wr = recv_wr(b.qp, b.target, 64, 1);
	post(l, &wr, "recv");
	refused(l, del_buf(l, b.target), -EBUSY, "posted", "the buffer of a posted receive");
	wr = send_wr(a.qp, a.local, 64, 2);
	post(l, &wr, "send");
	drain(l, b.recv_cq, 1);
	done(l, del_buf(l, b.target), "it is free when that was polled");

	wr = recv_wr(a.qp, a.target, 64, 3);
	post(l, &wr, "recv");
	to_state(l, a.qp, KVERBS_QPS_RESET);
	done(l, del_buf(l, a.target), "RESET frees what was posted");
	result(nothing_comes(l, a.recv_cq) && nothing_comes(l, a.send_cq),
	       "and nobody hears of it any more");
	must(l, modify(l, b.qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), "ERR");
	wr = recv_wr(b.qp, b.local, 64, 4);
	post(l, &wr, "recv");
	end_disconnect(l, &b);
	done(l, call_del(&l->nl, KV_QP, b.qp, NULL), "a qp goes with its requests");
	done(l, del_buf(l, b.local), "and frees their buffer");
	result(nothing_comes(l, b.recv_cq), "nobody hears of those either");
}

static void test_address(struct link *l)
{
	const struct end_init ud = { .type = KVERBS_QPT_UD };
	struct end a, b;
	struct wr wr;
	uint32_t ah;

	pair_make(l, &a, &b, &ud);
	ah = make_ah(l, a.pd);
	wr = send_wr(a.qp, a.local, 64, 1);
	wr.ah = ah;
	wr.remote_qpn = b.qpn;
	wr.remote_qkey = 1;
	post(l, &wr, "send");
	usleep(50000);
	refused(l, call_del(&l->nl, KV_AH, ah, NULL), -EBUSY, "posted",
		"the ah of a datagram that was not polled");
	drain(l, a.send_cq, 1);
	done(l, call_del(&l->nl, KV_AH, ah, NULL), "then it can go");
}

static void test_shared(struct link *l)
{
	uint32_t pd = make_pd(l), srq = make_srq(l, pd, 8), buf = make_buf(l, 64);
	const struct end_init shared = { .type = KVERBS_QPT_RC, .srq = srq };
	struct end a, b;
	struct wr wr;

	end_make(l, &a, &rc);
	end_make(l, &b, &shared);
	pair_connect(l, &a, all_access(), &b, all_access());
	wr = recv_wr(0, buf, 64, 1);
	wr.srq = srq;
	post(l, &wr, "recv");
	refused(l, del_buf(l, buf), -EBUSY, "posted", "the buffer of an srq's receive");
	wr = send_wr(a.qp, a.local, 64, 2);
	post(l, &wr, "send");
	drain(l, a.send_cq, 1);
	refused(l, del_buf(l, buf), -EBUSY, "posted", "even if a qp has taken it");
	end_disconnect(l, &b);
	to_state(l, b.qp, KVERBS_QPS_RESET);
	done(l, del_buf(l, buf), "RESET of that qp frees it");
	result(nothing_comes(l, b.recv_cq), "and nobody hears of it any more");

	buf = make_buf(l, 64);
	wr = recv_wr(0, buf, 64, 1);
	wr.srq = srq;
	post(l, &wr, "recv");
	must(l, modify(l, b.qp, init_attr(KVERBS_QPT_RC)), "INIT");
	to_state(l, b.qp, KVERBS_QPS_ERR);
	refused(l, del_buf(l, buf), -EBUSY, "posted", "what no qp has taken is the srq's");
	must(l, call_del(&l->nl, KV_QP, b.qp, NULL), "delete the qp");
	refused(l, del_buf(l, buf), -EBUSY, "posted", "with or without qps");
	done(l, call_del(&l->nl, KV_SRQ, srq, NULL), "the srq goes");
	done(l, del_buf(l, buf), "and then its receive's buffer");
}

void test_hold(void)
{
	struct link l;

	link_open(&l);
	test_send(&l);
	test_recv(&l);
	if (!lacks("an ah", "address handles"))
		test_address(&l);
	test_shared(&l);
	link_close(&l);
}
