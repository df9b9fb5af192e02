// SPDX-License-Identifier: MIT
/* Requests that are not posted. */
#include <errno.h>
#include <string.h>
#include "contract.h"

/* The objects that all of them are tried on. */
struct set {
	struct link *l;
	struct end a; /* RC, in RTS, 2 SGEs, 32 bytes inline */
	struct end b;
	struct end uc;
	struct end ud;
	uint32_t ah; /* of @ud's PD */
	uint32_t srq;
};

static int try(struct link *l, const struct wr *wr)
{
	return call_post(&l->nl, wr, NULL);
}

#define BAD(good, change, error, text, name)			\
	do {							\
		struct wr wr = good;				\
								\
		change;						\
		refused(l, try(l, &wr), error, text, name);	\
	} while (0)

/* A request that names nothing but its number. */
static int send_without_op(struct link *l, uint32_t qp)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_WR_POST, 0);
	struct nlattr *wr;

	nla_put_u32(msg, KVERBS_A_POST_QP, qp);
	wr = nla_nest_start(msg, KVERBS_A_POST_WR | NLA_F_NESTED);
	nla_put_u64(msg, KVERBS_A_WR_WR_ID, 1);
	nla_nest_end(msg, wr);
	return send_msg(l, msg);
}

static void test_queue(const struct set *s)
{
	struct wr send = send_wr(s->a.qp, s->a.local, 64, 1);
	struct wr recv = recv_wr(s->a.qp, s->a.local, 64, 1);
	struct wr write = write_wr(&s->a, &s->b, 8, 1);
	struct link *l = s->l;

	BAD(send, wr.qp = 0, -EINVAL, "qp is missing: post to a qp or an srq",
	    "a send without a qp");
	BAD(recv, wr.qp = 0, -EINVAL, "missing", "a receive without qp and srq");
	BAD(recv, wr.srq = s->srq, -EINVAL,
	    "srq: qp and srq: post to one of them", "a receive for a qp and an srq");
	BAD(send, (wr.qp = 0, wr.srq = s->srq), -EINVAL,
	    "op: an srq takes recv only", "a send to an srq");
	BAD(send, wr.qp = 2000000000, -ENOENT,
	    "qp: no qp with this id among yours", "an unknown qp");
	BAD(recv, (wr.qp = 0, wr.srq = 2000000000), -ENOENT,
	    "srq: no srq with this id among yours", "an unknown srq");
	BAD(send, wr.op = KVERBS_OP_REG_MR, -EINVAL, "op: reg_mr: MR_REG posts it",
	    "a registration");
	BAD(send, wr.op = KVERBS_OP_LOCAL_INV, -EINVAL, "op: local_inv: MR_INV posts it",
	    "an invalidation");
	BAD(send, wr.op = KVERBS_OP_ATOMIC_WRITE, -EINVAL, "op: atomic_write: runs in user space post it",
	    "an atomic write");
	BAD(send, wr.op = KVERBS_OP_SEND_WITH_INV, -EINVAL,
	    "invalidate_rkey is missing: what is the key of the peer's mr?",
	    "a send that invalidates nothing");
	BAD(send, wr.has_inv = true, -EINVAL, "invalidate_rkey goes with send_with_inv only",
	    "a plain send that invalidates");
	if (!is_iwarp())
		BAD(write, wr.op = KVERBS_OP_READ_WITH_INV, -EOPNOTSUPP,
		    "only iWARP has read_with_inv", "a read that invalidates");
	BAD(send, wr.op = KVERBS_OP_MAX + 1, -ERANGE, "op: integer out of range",
	    "an operation that does not exist");
	BAD(send, wr.flags = KVERBS_WR__ALL + 1, -EINVAL, "flags: reserved bit set",
	    "a flag that does not exist");
	refused(l, RAW(l, KVERBS_CMD_WR_POST, KVERBS_A_POST_QP, s->a.qp), -EINVAL,
		"wr is missing: which requests?", "a post of nothing");
	refused(l, send_without_op(l, s->a.qp), -EINVAL, "op is missing",
		"a request that does not say what");
}

static void test_sges(const struct set *s)
{
	struct wr send = send_wr(s->a.qp, s->a.local, 64, 1);
	struct wr recv = recv_wr(s->a.qp, s->a.local, 64, 1);
	struct wr srq_recv = recv_wr(0, s->ud.local, 64, 1);
	struct link *l = s->l;

	srq_recv.srq = s->srq;
	send.sges = 2;
	send.sge[1] = send.sge[0];
	BAD(send, wr.sge[1].buf = 0, -EINVAL, "buf is missing", "a piece of nothing");
	BAD(send, wr.sge[1].buf = 2000000000, -ENOENT,
	    "sge 2: buf: no buf with this id among yours", "an unknown buffer");
	BAD(send, wr.sge[1].mr = 2000000000, -ENOENT,
	    "sge 2: mr: no mr with this id among yours", "an unknown mr");
	BAD(send, wr.sge[0].mr = s->b.target_mr, -EINVAL, "of another pd",
	    "an mr of another pd");
	BAD(send, wr.sge[1].length = LENGTH + 1, -EINVAL, "beyond the end",
	    "a piece beyond the end");
	BAD(send, wr.sge[1].offset = LENGTH - 63, -EINVAL, "beyond the end",
	    "one byte beyond the end");
	BAD(send, wr.sge[1].offset = ~0ULL, -EINVAL, "beyond the end",
	    "far beyond the end");
	BAD(send, wr.sge[1].mr = s->a.local_mr, -EINVAL, "not registered",
	    "the key of an mr that is not registered");
	BAD(send, (wr.sges = 3, wr.sge[2] = wr.sge[0]), -EINVAL,
	    "more sges than the qp's max_send_sge", "a piece too many");
	BAD(recv, (wr.sges = 3, wr.sge[1] = wr.sge[2] = wr.sge[0]), -EINVAL,
	    "more sges than the qp's max_recv_sge", "a piece too many of a receive");
	BAD(srq_recv, (wr.sges = 2, wr.sge[1] = wr.sge[0]), -EINVAL,
	    "more sges than the srq's max_sge", "a piece too many of an srq's");
	BAD(srq_recv, wr.sge[0].mr = s->a.target_mr, -EINVAL, "of another pd",
	    "an mr of another pd than the srq");
}

/* More pieces than any message may have. */
static int send_many_sges(struct link *l, uint32_t qp, uint32_t buf)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_WR_POST, 0);
	struct nlattr *wr, *nest;
	int i;

	nla_put_u32(msg, KVERBS_A_POST_QP, qp);
	wr = nla_nest_start(msg, KVERBS_A_POST_WR | NLA_F_NESTED);
	nla_put_u32(msg, KVERBS_A_WR_OP, KVERBS_OP_SEND);
	for (i = 0; i <= KVERBS_SGE_MAX; i++) {
		nest = nla_nest_start(msg, KVERBS_A_WR_SGE | NLA_F_NESTED);
		nla_put_u32(msg, KVERBS_A_SGE_BUF, buf);
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, wr);
	return send_msg(l, msg);
}

static int send_unknown_in_nest(struct link *l, uint32_t qp, uint32_t buf)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_WR_POST, 0);
	struct nlattr *wr, *nest;

	nla_put_u32(msg, KVERBS_A_POST_QP, qp);
	wr = nla_nest_start(msg, KVERBS_A_POST_WR | NLA_F_NESTED);
	nla_put_u32(msg, KVERBS_A_WR_OP, KVERBS_OP_SEND);
	nest = nla_nest_start(msg, KVERBS_A_WR_SGE | NLA_F_NESTED);
	nla_put_u32(msg, KVERBS_A_SGE_BUF, buf);
	nla_put_u32(msg, 99, 1);
	nla_nest_end(msg, nest);
	nla_nest_end(msg, wr);
	return send_msg(l, msg);
}

static void test_atomics(const struct set *s)
{
	struct wr write = write_wr(&s->a, &s->b, 8, 1);
	struct link *l = s->l;

	write.op = KVERBS_OP_FETCH_ADD;
	BAD(write, wr.sge[0].length = 64, -EINVAL,
	    "an atomic operation takes one sge of 8 bytes", "an atomic operation of 64 bytes");
	BAD(write, wr.sges = 0, -EINVAL, "an atomic operation takes one sge of 8 bytes",
	    "an atomic operation of no bytes");
	BAD(write, wr.remote_addr++, -EINVAL,
	    "remote_addr of an atomic operation is a multiple of 8",
	    "an atomic operation at an odd address");
	BAD(write, (wr.op = KVERBS_OP_CMP_SWP, wr.has_remote = false), -EINVAL,
	    "remote_addr is missing", "an atomic operation nowhere");
}

static void test_ops(const struct set *s)
{
	struct wr send = send_wr(s->a.qp, s->a.local, 64, 1);
	struct wr recv = recv_wr(s->a.qp, s->a.local, 64, 1);
	struct wr write = write_wr(&s->a, &s->b, 8, 1);
	struct link *l = s->l;

	BAD(write, wr.has_remote = false, -EINVAL, "remote_addr is missing",
	    "a write to nowhere");
	BAD(write, (wr.op = KVERBS_OP_READ, wr.has_imm = true), -EINVAL,
	    "imm goes with send_with_imm and write_with_imm only", "a read with immediate data");
	BAD(write, wr.has_imm = true, -EINVAL,
	    "imm goes with send_with_imm and write_with_imm only",
	    "a plain write with immediate data");
	BAD(send, wr.has_imm = true, -EINVAL,
	    "imm goes with send_with_imm and write_with_imm only",
	    "a plain send with immediate data");
	BAD(send, wr.op = KVERBS_OP_SEND_WITH_IMM, -EINVAL, "imm is missing",
	    "a send with immediate data that has none");
	BAD(write, wr.op = KVERBS_OP_WRITE_WITH_IMM, -EINVAL, "imm is missing",
	    "a write with immediate data that has none");
	BAD(write, (wr.op = KVERBS_OP_WRITE_WITH_IMM, wr.has_imm = true, wr.has_remote = false),
	    -EINVAL, "remote_addr is missing", "a write with immediate data to nowhere");
	BAD(write, (wr.op = KVERBS_OP_READ, wr.flags = KVERBS_WR_INLINE), -EINVAL,
	    "inline goes with sends and writes only", "a read inline");
	BAD(write, wr.flags = KVERBS_WR_SOLICITED, -EINVAL,
	    "solicited goes with sends and write_with_imm only",
	    "a solicited write, which the peer does not notice");
	BAD(write, (wr.op = KVERBS_OP_READ, wr.has_remote = false), -EINVAL,
	    "remote_addr is missing", "a read from nowhere");
	BAD(send, wr.flags = KVERBS_WR_INLINE, -EINVAL,
	    "more bytes than the qp's max_inline", "too many bytes inline");
	BAD(recv, wr.flags = KVERBS_WR_FENCE, -EINVAL,
	    "a recv takes no flags", "a receive with a flag");
	BAD(recv, wr.has_imm = true, -EINVAL,
	    "imm goes with send_with_imm and write_with_imm only",
	    "a receive with immediate data");
	refused(l, send_many_sges(l, s->a.qp, s->a.local), -EINVAL, "sge",
		"33 pieces");
	refused(l, send_unknown_in_nest(l, s->a.qp, s->a.local), -EINVAL,
		"Unknown attribute type", "an unknown attribute of a piece");
}

static void test_types(const struct set *s)
{
	struct wr ud = send_wr(s->ud.qp, s->ud.local, 64, 1);
	struct wr rc = send_wr(s->a.qp, s->a.local, 64, 1);
	struct wr uc = write_wr(&s->uc, &s->b, 8, 1);
	struct link *l = s->l;

	uc.op = KVERBS_OP_READ;
	BAD(uc, (void)0, -EINVAL, "a uc qp takes send and write, with or without imm, and recv only",
	    "a read on uc");
	BAD(uc, (wr.op = KVERBS_OP_SEND_WITH_INV, wr.has_remote = false, wr.has_inv = true), -EINVAL,
	    "a uc qp takes send and write, with or without imm, and recv only",
	    "a send on uc that invalidates");
	BAD(uc, wr.op = KVERBS_OP_FETCH_ADD, -EINVAL,
	    "a uc qp takes send and write, with or without imm, and recv only",
	    "an atomic operation on uc");
	ud.ah = s->ah;
	ud.remote_qpn = s->ud.qpn;
	BAD(ud, wr.ah = 0, -EINVAL, "ah is missing", "a datagram without an ah");
	BAD(ud, wr.ah = 2000000000, -ENOENT,
	    "ah: no ah with this id among yours", "an unknown ah");
	BAD(ud, wr.remote_qpn = 0, -EINVAL, "remote_qpn is missing",
	    "a datagram to no qp");
	BAD(ud, wr.remote_qpn = 1 << 24, -ERANGE, "remote_qpn: integer out of range",
	    "a QPN of 25 bits");
	BAD(rc, (wr.ah = s->ah, wr.remote_qpn = 1), -EINVAL, "ah is for ud qps only",
	    "an ah on rc");
	rc.op = KVERBS_OP_RECV;
	BAD(rc, wr.ah = s->ah, -EINVAL, "ah goes with send and send_with_imm only", "a receive with an ah");
	ud.op = KVERBS_OP_WRITE;
	ud.has_remote = true;
	BAD(ud, (void)0, -EINVAL, "ah goes with send and send_with_imm only", "a write with an ah");
	BAD(ud, (wr.ah = 0, wr.remote_qpn = 0), -EINVAL,
	    "a ud qp takes send, with or without imm, and recv only", "a write on ud");
}

static void test_other_pd(struct set *s)
{
	uint32_t ah = make_ah(s->l, s->a.pd);
	struct link *l = s->l;
	struct wr ud = send_wr(s->ud.qp, s->ud.local, 64, 1);

	ud.remote_qpn = s->ud.qpn;
	BAD(ud, wr.ah = ah, -EINVAL, "the ah and the qp are of different pds",
	    "an ah of another pd");
}

static void test_states(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end e;
	struct wr send, recv;
	struct kv_wc wc;

	end_make(l, &e, &init);
	send = send_wr(e.qp, e.local, 8, 1);
	recv = recv_wr(e.qp, e.local, 8, 2);
	BAD(send, (void)0, -EINVAL,
	    "the qp is in RESET: bring it to INIT, RTR and RTS first", "a send in RESET");
	BAD(recv, (void)0, -EINVAL, "the qp is in RESET: bring it to INIT first",
	    "a receive in RESET");
	must(l, modify(l, e.qp, init_attr(KVERBS_QPT_RC)), "INIT");
	BAD(send, (void)0, -EINVAL, "the qp is in INIT: bring it to RTR and RTS first",
	    "a send in INIT");
	done(l, try(l, &recv), "a receive in INIT");
	/* A QP of iWARP's that was never connected flushes nothing. */
	if (lacks("what is posted in RTR and in ERR", "RTR"))
		return;
	must(l, modify(l, e.qp, rtr_attr(KVERBS_QPT_RC, e.qpn)), "RTR");
	BAD(send, (void)0, -EINVAL, "the qp is in RTR: bring it to RTS first",
	    "a send in RTR");
	done(l, try(l, &recv), "a receive in RTR");
	to_state(l, e.qp, KVERBS_QPS_ERR);
	done(l, try(l, &send), "a send in ERR");
	/* IB_WC_WR_FLUSH_ERR */
	wc = expect_wc(l, e.send_cq, 1, KVERBS_WC_OP_SEND, 5, "is flushed");
	result(wc.qp == e.qp, "and says whose it was");
	expect_wc(l, e.recv_cq, 2, KVERBS_WC_OP_RECV, 5, "as are the receives");
	drain(l, e.recv_cq, 1);
	result(nothing_comes(l, e.recv_cq), "all of them, once");
}

static void test_full(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct wr recv;
	struct kv_qp qp;
	struct end e;
	uint32_t i;

	end_make(l, &e, &init);
	must(l, call_get(&l->nl, KV_QP, e.qp, &qp), "get");
	must(l, modify(l, e.qp, init_attr(KVERBS_QPT_RC)), "INIT");
	recv = recv_wr(e.qp, e.local, 8, 1);
	for (i = 0; i < qp.max_recv_wr; i++)
		post(l, &recv, "recv");
	refused(l, try(l, &recv), -EBUSY, "the receive queue is full",
		"one receive too many");
	to_state(l, e.qp, KVERBS_QPS_RESET);
	must(l, modify(l, e.qp, init_attr(KVERBS_QPT_RC)), "INIT");
	done(l, try(l, &recv), "after RESET there is room again");
}

/* A CQ that can hold fewer completions than its queues can give. */
static void test_overflow(struct link *l)
{
	struct kv_qp_init init = {
		.max_send_wr = 8,
		.max_recv_wr = 400,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct wr recv = { .op = KVERBS_OP_RECV };
	struct kv_cq cq;
	struct kv_qp qp;
	uint32_t i;

	init.pd = make_pd(l);
	init.send_cq = make_cq(l, 8, KVERBS_CQ_POLLED);
	init.recv_cq = make_cq(l, 8, KVERBS_CQ_POLLED);
	must(l, call_get(&l->nl, KV_CQ, init.recv_cq, &cq), "cq");
	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	must(l, modify(l, qp.id, init_attr(KVERBS_QPT_RC)), "INIT");
	recv.qp = qp.id;
	for (i = 0; i < cq.cqe; i++)
		post(l, &recv, "recv");
	refused(l, try(l, &recv), -EBUSY, "the cq could overflow",
		"more requests than their cq can hold");
}

void test_refuse_post(void)
{
	const struct end_init rc = {
		.type = KVERBS_QPT_RC,
		.max_sge = 2,
		.max_inline = 32,
	};
	const struct end_init uc = { .type = KVERBS_QPT_UC };
	const struct end_init ud = { .type = KVERBS_QPT_UD };
	struct set s;
	struct link l;

	link_open(&l);
	s.l = &l;
	pair_make(&l, &s.a, &s.b, &rc);
	register_target(&l, &s.b);
	end_make(&l, &s.ud, is_iwarp() ? &rc : &ud);
	if (!is_iwarp()) {
		end_make(&l, &s.uc, &uc);
		end_connect(&l, &s.uc, uc.type, s.uc.qpn);
		end_connect(&l, &s.ud, ud.type, 0);
		s.ah = make_ah(&l, s.ud.pd);
	}
	s.srq = make_srq(&l, s.ud.pd, 4);
	test_queue(&s);
	test_sges(&s);
	test_ops(&s);
	if (!lacks("atomic operations", "atomics"))
		test_atomics(&s);
	if (!lacks("what UC and UD do not take", "UC and UD")) {
		test_types(&s);
		test_other_pd(&s);
	}
	test_states(&l);
	test_full(&l);
	test_overflow(&l);
	link_close(&l);
}
