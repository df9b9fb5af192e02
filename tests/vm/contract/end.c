// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "conn.h"

#define PSN 4711

void end_make(struct link *l, struct end *e, const struct end_init *init)
{
	uint32_t sges = init->max_sge ? init->max_sge : 1;
	struct kv_qp_init qp_init = {
		.type = init->type,
		.srq = init->srq,
		.max_send_wr = init->max_send_wr ? init->max_send_wr : 8,
		.max_recv_wr = init->srq ? 0 : 8,
		.max_send_sge = sges,
		.max_recv_sge = init->srq ? 0 : sges,
		.max_inline = init->max_inline,
		.sq_sig_all = init->sq_sig_all,
	};
	struct kv_srq srq;
	struct kv_qp qp;

	memset(e, 0, sizeof(*e));
	if (init->srq) {
		/* Which has a PD already. */
		must(l, call_get(&l->nl, KV_SRQ, init->srq, &srq), "srq");
		e->pd = srq.pd;
	} else {
		e->pd = make_pd(l);
	}
	e->send_cq = init->send_cq ? init->send_cq : make_cq(l, init->cqe ? init->cqe : 32, init->context);
	e->recv_cq = init->recv_cq ? init->recv_cq : make_cq(l, 32, init->context);
	e->local = make_buf(l, LENGTH);
	e->local_mr = make_mr(l, e->pd);
	e->target = make_buf(l, LENGTH);
	e->target_mr = make_mr(l, e->pd);
	qp_init.pd = e->pd;
	qp_init.send_cq = e->send_cq;
	qp_init.recv_cq = e->recv_cq;
	must(l, call_qp_new(&l->nl, &qp_init, &qp, NULL), "qp");
	e->qp = qp.id;
	e->qpn = qp.qpn;
}

void end_disconnect(struct link *l, struct end *e)
{
	if (e->conn)
		must(l, conn_del(l, e->conn), "delete");
	e->conn = 0;
}

void end_del(struct link *l, struct end *e)
{
	end_disconnect(l, e);
	done(l, call_del(&l->nl, KV_QP, e->qp, NULL), "the qp goes");
	done(l, call_del(&l->nl, KV_MR, e->local_mr, NULL), "its local mr goes");
	done(l, call_del(&l->nl, KV_MR, e->target_mr, NULL), "its target mr goes");
	done(l, call_del(&l->nl, KV_BUF, e->local, NULL), "its local buffer goes");
	done(l, call_del(&l->nl, KV_BUF, e->target, NULL), "its target goes");
	done(l, call_del(&l->nl, KV_CQ, e->send_cq, NULL), "its send cq goes");
	done(l, call_del(&l->nl, KV_CQ, e->recv_cq, NULL), "its recv cq goes");
	done(l, call_del(&l->nl, KV_PD, e->pd, NULL), "its pd goes");
}

uint32_t all_access(void)
{
	return caps.caps & KVERBS_CAP_ATOMIC ? KVERBS_ACCESS__ALL :
	       KVERBS_ACCESS__ALL & ~KVERBS_ACCESS_REMOTE_ATOMIC;
}

struct kv_qp_attr init_attr(uint32_t type)
{
	return (struct kv_qp_attr){
		.mask = KV_QPA_PORT | KV_QPA_PKEY_INDEX |
			(type == KVERBS_QPT_UD ? KV_QPA_QKEY : KV_QPA_ACCESS_FLAGS),
		.state = KVERBS_QPS_INIT,
		.access = type == KVERBS_QPT_RC ? all_access() :
			  KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
		.port = 1,
		.qkey = UD_QKEY,
	};
}

struct kv_qp_attr rtr_attr(uint32_t type, uint32_t dest_qpn)
{
	static const uint32_t connected = KV_QPA_AV | KV_QPA_PATH_MTU |
					  KV_QPA_DEST_QPN | KV_QPA_RQ_PSN;
	static const uint32_t mask[] = {
		[KVERBS_QPT_RC] = connected | KV_QPA_MIN_RNR_TIMER |
				  KV_QPA_MAX_DEST_RD_ATOMIC,
		[KVERBS_QPT_UC] = connected,
		[KVERBS_QPT_UD] = 0,
	};

	return (struct kv_qp_attr){
		.mask = mask[type],
		.state = KVERBS_QPS_RTR,
		.path_mtu = 1024,
		.dest_qpn = dest_qpn,
		.rq_psn = PSN,
		.av = own_address(),
		.min_rnr_timer = 12,
		.max_dest_rd_atomic = 1,
	};
}

/* 67 ms, IBTA 9.7.6.1.3. */
#define ACK_TIMEOUT 14

static uint8_t ack_timeout = ACK_TIMEOUT;
static uint8_t rnr_retry = 2;

void ends_wait(bool longer)
{
	ack_timeout = longer ? ACK_TIMEOUT + 4 : ACK_TIMEOUT;
	/* 7: for ever. */
	rnr_retry = longer ? 7 : 2;
}

struct kv_qp_attr rts_attr(uint32_t type)
{
	return (struct kv_qp_attr){
		.mask = KV_QPA_SQ_PSN |
			(type == KVERBS_QPT_RC ?
			 KV_QPA_TIMEOUT | KV_QPA_RETRY_CNT | KV_QPA_RNR_RETRY |
			 KV_QPA_MAX_QP_RD_ATOMIC : 0),
		.state = KVERBS_QPS_RTS,
		.sq_psn = PSN,
		.timeout = ack_timeout,
		.retry_cnt = 2,
		.rnr_retry = rnr_retry,
		.max_rd_atomic = 1,
	};
}

int modify(struct link *l, uint32_t qp, struct kv_qp_attr attr)
{
	return call_qp_modify(&l->nl, qp, &attr, NULL);
}

void to_state(struct link *l, uint32_t qp, uint32_t state)
{
	must(l, modify(l, qp, (struct kv_qp_attr){ .state = state }), "modify");
}

uint32_t state_of(struct link *l, uint32_t id)
{
	struct kv_qp qp;

	must(l, call_get(&l->nl, KV_QP, id, &qp), "look at the qp");
	return qp.attr.state;
}

void qp_connect(struct link *l, uint32_t qp, struct kv_qp_attr init, uint32_t type,
		uint32_t dest_qpn)
{
	must(l, modify(l, qp, init), "INIT");
	must(l, modify(l, qp, rtr_attr(type, dest_qpn)), "RTR");
	must(l, modify(l, qp, rts_attr(type)), "RTS");
}

void end_connect(struct link *l, const struct end *e, uint32_t type,
		 uint32_t dest_qpn)
{
	qp_connect(l, e->qp, init_attr(type), type, dest_qpn);
}

static void connect_by_cm(struct link *l, struct end *a, uint32_t a_access, struct end *b,
			  uint32_t b_access)
{
	struct kv_conn_param param;
	uint32_t listener;
	uint16_t port;

	listener = conn_listener(l, AF_INET, 1, &port);
	a->conn = conn_routed(l, AF_INET, port);
	param = conn_param(a->qp);
	param.access = a_access;
	must(l, call_conn_connect(&l->nl, a->conn, &param, NULL), "connect");
	b->conn = conn_taken(l, listener);
	param = conn_param(b->qp);
	param.access = b_access;
	must(l, call_conn_accept(&l->nl, b->conn, &param, NULL), "accept");
	conn_must_be(l, a->conn, KVERBS_CONN_ESTABLISHED);
	conn_must_be(l, b->conn, KVERBS_CONN_ESTABLISHED);
	must(l, conn_del(l, listener), "delete");
}

void pair_connect(struct link *l, struct end *a, uint32_t a_access, struct end *b,
		  uint32_t b_access)
{
	struct kv_qp_attr init = init_attr(KVERBS_QPT_RC);

	if (is_iwarp()) {
		connect_by_cm(l, a, a_access, b, b_access);
		return;
	}
	init.access = a_access;
	qp_connect(l, a->qp, init, KVERBS_QPT_RC, b->qpn);
	init.access = b_access;
	qp_connect(l, b->qp, init, KVERBS_QPT_RC, a->qpn);
}

static void connect_ends(struct link *l, struct end *a, struct end *b, uint32_t type)
{
	if (type == KVERBS_QPT_RC) {
		pair_connect(l, a, all_access(), b, all_access());
		return;
	}
	end_connect(l, a, type, b->qpn);
	end_connect(l, b, type, a->qpn);
}

void pair_make(struct link *l, struct end *a, struct end *b,
	       const struct end_init *init)
{
	end_make(l, a, init);
	end_make(l, b, init);
	connect_ends(l, a, b, init->type);
}

/* RESET gives an iWARP QP another number: the module makes the QP anew. */
static void reset(struct link *l, struct end *e)
{
	struct kv_qp qp;

	to_state(l, e->qp, KVERBS_QPS_RESET);
	must(l, call_get(&l->nl, KV_QP, e->qp, &qp), "qp");
	e->qpn = qp.qpn;
}

/* Both first: messages that one still sends must not reach the other's new life. */
void pair_reconnect(struct link *l, struct end *a, struct end *b, uint32_t type)
{
	end_disconnect(l, a);
	end_disconnect(l, b);
	reset(l, a);
	reset(l, b);
	connect_ends(l, a, b, type);
}

void qp_block(struct link *l, struct end *a, struct end *b)
{
	struct kv_qp_attr rts = rts_attr(KVERBS_QPT_RC);
	struct wr read;

	register_target(l, b);
	read = write_wr(a, b, 64, 1);
	read.op = KVERBS_OP_READ;
	to_state(l, a->qp, KVERBS_QPS_RESET);
	must(l, modify(l, a->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	must(l, modify(l, a->qp, rtr_attr(KVERBS_QPT_RC, b->qpn)), "RTR");
	/* 4.3 s until it is asked again. */
	rts.timeout = 20;
	rts.retry_cnt = 7;
	must(l, modify(l, a->qp, rts), "RTS");
	to_state(l, b->qp, KVERBS_QPS_RESET);
	post(l, &read, "a READ");
	post(l, &read, "another READ");
}

void qp_connect_self(struct link *l, uint32_t pd, const struct kv_qp *qp)
{
	struct kv_qp_init init = {
		.pd = pd,
		.max_send_wr = 8,
		.max_recv_wr = 8,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct end own = { .qp = qp->id, .qpn = qp->qpn }, peer = { .pd = pd };
	struct kv_qp made;

	if (!is_iwarp()) {
		end_connect(l, &own, KVERBS_QPT_RC, own.qpn);
		return;
	}
	init.send_cq = make_cq(l, 32, KVERBS_CQ_POLLED);
	init.recv_cq = init.send_cq;
	must(l, call_qp_new(&l->nl, &init, &made, NULL), "qp");
	peer.qp = made.id;
	pair_connect(l, &own, all_access(), &peer, all_access());
}

/* One that is connected to itself, for registrations. */
uint32_t make_rc_qp(struct link *l, uint32_t pd)
{
	struct kv_qp_init init = {
		.pd = pd,
		.type = KVERBS_QPT_RC,
		.max_send_wr = 8,
		.max_recv_wr = 8,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp qp;

	init.send_cq = make_cq(l, 32, KVERBS_CQ_POLLED);
	init.recv_cq = init.send_cq;
	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	qp_connect_self(l, pd, &qp);
	return qp.id;
}

void register_target(struct link *l, struct end *e)
{
	struct kv_mr_reg reg = {
		.buf = e->target,
		.qp = e->qp,
		.access = all_access(),
		.length = LENGTH,
	};

	must(l, call_mr_reg(&l->nl, e->target_mr, &reg, &e->key, NULL), "register");
}

void register_local(struct link *l, const struct end *e, uint32_t access)
{
	struct kv_mr_reg reg = {
		.buf = e->local,
		.qp = e->qp,
		.access = access,
		.length = LENGTH,
	};

	must(l, call_mr_reg(&l->nl, e->local_mr, &reg, NULL, NULL), "register");
}

struct wr recv_wr(uint32_t qp, uint32_t buf, uint32_t length, uint64_t wr_id)
{
	return (struct wr){
		.qp = qp,
		.op = KVERBS_OP_RECV,
		.wr_id = wr_id,
		.sges = 1,
		.sge[0] = { .buf = buf, .length = length },
	};
}

struct wr send_wr(uint32_t qp, uint32_t buf, uint32_t length, uint64_t wr_id)
{
	struct wr wr = recv_wr(qp, buf, length, wr_id);

	wr.op = KVERBS_OP_SEND;
	return wr;
}

struct wr write_wr(const struct end *from, const struct end *to,
		      uint32_t length, uint64_t wr_id)
{
	struct wr wr = recv_wr(from->qp, from->local, length, wr_id);

	wr.op = KVERBS_OP_WRITE;
	wr.has_remote = true;
	wr.remote_addr = to->key.iova;
	wr.remote_key = to->key.rkey;
	return wr;
}

void post(struct link *l, const struct wr *wr, const char *what)
{
	must(l, call_post(&l->nl, wr, NULL), what);
}

static unsigned int poll_once(struct link *l, uint32_t cq, struct kv_wc *wc)
{
	unsigned int n;

	must(l, call_cq_poll(&l->nl, cq, wc, 1, &n, NULL), "poll");
	return n;
}

bool poll_one(struct link *l, uint32_t cq, struct kv_wc *wc)
{
	struct limit limit = limit_of(10);

	while (!poll_once(l, cq, wc)) {
		if (limit_over(&limit))
			return false;
		usleep(1000);
	}
	return true;
}

/* Not within 50 ms, that is. */
bool nothing_comes(struct link *l, uint32_t cq)
{
	struct kv_wc wc;

	usleep(50000);
	return !poll_once(l, cq, &wc);
}

struct kv_wc expect_wc(struct link *l, uint32_t cq, uint64_t wr_id, uint32_t op,
		       uint32_t status, const char *name)
{
	struct kv_wc wc = { .wr_id = 0 };
	bool came = poll_one(l, cq, &wc), good;

	good = came && wc.wr_id == wr_id && wc.op == op && wc.status == status;
	result(good, "%s", name);
	if (!came)
		note("  no completion within 10 s");
	else if (!good)
		note("  wr_id %llu, op %u, status %u; want %llu, %u, %u",
		     (unsigned long long)wc.wr_id, wc.op, wc.status,
		     (unsigned long long)wr_id, op, status);
	return wc;
}

/* Takes so many completions, whatever they are. */
void drain(struct link *l, uint32_t cq, unsigned int n)
{
	struct kv_wc wc;

	while (n--)
		if (!poll_one(l, cq, &wc))
			bail_out("a completion is missing");
}
