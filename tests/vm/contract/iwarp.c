// SPDX-License-Identifier: MIT
/* Functions that iWARP lacks are refused; the RDMA CM connects its QPs. */
#include <errno.h>
#include "conn.h"

static int new_qp(struct link *l, const struct end *e, uint32_t type)
{
	const struct kv_qp_init init = {
		.pd = e->pd, .send_cq = e->send_cq, .recv_cq = e->recv_cq, .type = type,
		.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
	};

	return call_qp_new(&l->nl, &init, NULL, NULL);
}

static void test_objects(struct link *l, const struct end *e)
{
	const struct kv_ah_init ah = { .pd = e->pd, .port = 1 };

	refused(l, call_new(&l->nl, KV_AH, &ah, NULL, NULL), -EOPNOTSUPP,
		"pd: the device has no address handles", "an ah");
	refused(l, new_qp(l, e, KVERBS_QPT_UC), -EOPNOTSUPP, "UC", "a qp of UC");
	refused(l, new_qp(l, e, KVERBS_QPT_UD), -EOPNOTSUPP, "UD", "a qp of UD");
}

/* RTR and RTS are the CM's. */
static void test_states(struct link *l, const struct end *e)
{
	struct kv_qp_attr rtr = rtr_attr(KVERBS_QPT_RC, e->qpn);
	struct kv_qp qp;

	done(l, modify(l, e->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	must(l, call_get(&l->nl, KV_QP, e->qp, &qp), "qp");
	result(qp.attr.state == KVERBS_QPS_INIT && qp.attr.port == 1, "it is in INIT, on port 1");
	refused(l, modify(l, e->qp, rtr), -EOPNOTSUPP, "use a conn", "RTR");
	done(l, modify(l, e->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), "ERR");
	result(state_of(l, e->qp) == KVERBS_QPS_ERR, "it is in ERR");
	done(l, modify(l, e->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_RESET }), "RESET");
	result(state_of(l, e->qp) == KVERBS_QPS_RESET, "and back in RESET");
}

static void test_requests(struct link *l, const struct end *a, const struct end *b)
{
	struct wr wr = send_wr(a->qp, a->local, 8, 1);

	wr.op = KVERBS_OP_SEND_WITH_IMM;
	wr.has_imm = true;
	refused(l, call_post(&l->nl, &wr, NULL), -EOPNOTSUPP, "no immediate data",
		"a send with immediate data");
	wr = write_wr(a, b, 8, 2);
	wr.op = KVERBS_OP_WRITE_WITH_IMM;
	wr.has_imm = true;
	refused(l, call_post(&l->nl, &wr, NULL), -EOPNOTSUPP, "no immediate data",
		"a write with immediate data");
	wr = write_wr(a, b, 8, 3);
	wr.op = KVERBS_OP_READ;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL, "needs a registration",
		"a read into a buffer that is not registered");
	wr.flags = KVERBS_WR_FENCE;
	refused(l, call_post(&l->nl, &wr, NULL), -EOPNOTSUPP, "takes no fence", "a fenced read");
	wr.flags = 0;
	wr.sges = 0;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL, "takes one sge", "a read into no piece");
	wr.sges = 1;
	wr.op = KVERBS_OP_FETCH_ADD;
	refused(l, call_post(&l->nl, &wr, NULL), -EOPNOTSUPP, "atomic", "an atomic operation");
}

/*
 * siw completes a WRITE when it is sent, and a READ before it when the answer has come. The next
 * registration finds both in the queue.
 */
static void test_order(struct link *l, struct end *a, struct end *b)
{
	struct wr read = write_wr(a, b, 4096, 1), write = write_wr(a, b, 8, 2);
	unsigned int i, n, seen = 0;
	struct kv_wc wc;

	register_local(l, a, KVERBS_ACCESS_LOCAL_WRITE);
	read.op = KVERBS_OP_READ;
	read.sge[0].mr = a->local_mr;
	for (i = 0; i < 50; i++) {
		read.flags = i % 2 ? KVERBS_WR_UNSIGNALED : 0;
		post(l, &read, "read");
		post(l, &write, "write");
		must(l, call_mr_reg(&l->nl, a->target_mr, &(struct kv_mr_reg){
			     .buf = a->target, .qp = a->qp, .length = 64,
			     .access = KVERBS_ACCESS_LOCAL_WRITE }, NULL, NULL), "register");
		must(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), "invalidate");
		for (n = 0; n < (i % 2 ? 1 : 2); n++)
			seen += poll_one(l, a->send_cq, &wc) && !wc.status;
	}
	result(seen == 75, "a read and what overtakes it: %u of 75 completions come", seen);
	result(nothing_comes(l, a->send_cq), "and no other");
}

#define READS 64

/*
 * siw may flush a READ twice (siw_check_tx_fence(), siw_sq_flush()). They are polled one at a time, so that
 * the second completion comes once the first one was returned.
 */
static void test_flushed_reads(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .max_send_wr = READS, .cqe = 2 * READS };
	unsigned int times[READS] = { 0 }, seen = 0, rounds = 8;
	struct kv_wc wc;
	struct end a, b;
	struct wr read;
	bool once = true;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	register_local(l, &a, KVERBS_ACCESS_LOCAL_WRITE);
	for (unsigned int round = 0; round < rounds; round++) {
		for (unsigned int i = 0; i < READS; i++) {
			read = write_wr(&a, &b, LENGTH, i);
			read.op = KVERBS_OP_READ;
			read.sge[0].mr = a.local_mr;
			post(l, &read, "read");
		}
		must(l, modify(l, a.qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), "ERR");
		for (unsigned int i = 0; i < READS && poll_one(l, a.send_cq, &wc); i++, seen++)
			times[wc.wr_id]++;
		once &= nothing_comes(l, a.send_cq);
		pair_reconnect(l, &a, &b, KVERBS_QPT_RC);
	}
	for (unsigned int i = 0; i < READS; i++)
		once &= times[i] == rounds;
	result(once, "each of %u READs that are flushed is returned once: %u", rounds * READS, seen);
}

static void test_life(struct link *l, int family)
{
	const char *name = family == AF_INET ? "IPv4" : "IPv6";
	struct kv_conn_param param;
	struct kv_conn conn;
	struct wr wr;
	struct duo d;

	duo_make(l, &d, family, KVERBS_CONN_ROUTE_RESOLVED, 0);
	param = conn_param(d.a.qp);
	done(l, call_conn_connect(&l->nl, d.active, &param, NULL), name);
	d.passive = conn_taken(l, d.listener);
	param = conn_param(d.p.qp);
	param.ack_timeout = 14;
	refused(l, call_conn_accept(&l->nl, d.passive, &param, NULL), -EINVAL,
		"ack_timeout does not go with iWARP", "a timeout of TCP's");
	param.ack_timeout = -1;
	done(l, call_conn_accept(&l->nl, d.passive, &param, NULL), "a request is accepted");
	result(conn_is(l, d.active, KVERBS_CONN_ESTABLISHED, &conn) &&
	       conn_is(l, d.passive, KVERBS_CONN_ESTABLISHED, &conn),
	       "then both are established, without a confirmation");
	result(state_of(l, d.a.qp) == KVERBS_QPS_RTS && state_of(l, d.p.qp) == KVERBS_QPS_RTS,
	       "both qps are in RTS");
	wr = recv_wr(d.p.qp, d.p.local, 64, 1);
	post(l, &wr, "recv");
	wr = send_wr(d.a.qp, d.a.local, 64, 2);
	post(l, &wr, "send");
	expect_wc(l, d.a.send_cq, 2, KVERBS_WC_OP_SEND, 0, "a send over it completes");
	expect_wc(l, d.p.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "and is received");
	done(l, call_conn_disconnect(&l->nl, d.active, NULL), "one side disconnects");
	result(conn_is(l, d.passive, KVERBS_CONN_DISCONNECTED, &conn) &&
	       conn_is(l, d.active, KVERBS_CONN_DISCONNECTED, &conn), "both hear of it");
	result(state_of(l, d.a.qp) == KVERBS_QPS_ERR && state_of(l, d.p.qp) == KVERBS_QPS_ERR,
	       "both qps are in ERR");
	duo_del(l, &d);
}

void test_iwarp(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	if (!is_iwarp()) {
		skip("all of it", "the device is not iWARP");
		return;
	}
	link_open(&l);
	end_make(&l, &a, &init);
	test_objects(&l, &a);
	test_states(&l, &a);
	end_del(&l, &a);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	test_requests(&l, &a, &b);
	test_order(&l, &a, &b);
	test_flushed_reads(&l);
	test_life(&l, AF_INET);
	link_close(&l);
}
