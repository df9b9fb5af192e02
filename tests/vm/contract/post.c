// SPDX-License-Identifier: MIT
/* Requests by hand: the effect of each, and its completion. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"

#define BIG_ID 0xfedcba9876543210ULL
/* enum ib_wc_status: the numbers of the specification. */
#define WC_LOC_LEN_ERR 1
#define WC_LOC_QP_OP_ERR 2
#define WC_LOC_PROT_ERR 4
#define WC_WR_FLUSH_ERR 5
#define WC_REM_INV_REQ_ERR 9
#define WC_REM_ACCESS_ERR 10
#define WC_REM_OP_ERR 11
#define WC_RNR_RETRY_EXC_ERR 13

static void test_send_nothing(struct link *l, struct end *a, struct end *b, uint32_t flags,
			      const char *name)
{
	struct wr none = { .qp = b->qp, .op = KVERBS_OP_RECV, .wr_id = 8 };
	struct wr send = { .qp = a->qp, .op = KVERBS_OP_SEND, .wr_id = 9, .flags = flags };
	struct kv_wc wc;

	post(l, &none, "recv of nothing");
	post(l, &send, "send of nothing");
	expect_wc(l, a->send_cq, 9, KVERBS_WC_OP_SEND, 0, name);
	wc = expect_wc(l, b->recv_cq, 8, KVERBS_WC_OP_RECV, 0, "arrives where there is no room");
	result(wc.has_length && !wc.length, "its length is 0");
}

static void test_send(struct link *l, struct end *a, struct end *b)
{
	struct wr recv = recv_wr(b->qp, b->target, LENGTH, BIG_ID);
	struct wr send = send_wr(a->qp, a->local, 1000, 7);
	uint64_t verb_ns = 0;
	char want[LENGTH] = "";
	struct kv_wc wc;

	write_all(l, a->local, 's');
	must(l, call_post(&l->nl, &recv, &verb_ns), "recv");
	result(verb_ns > 0, "the time of a post is told");
	post(l, &send, "send");
	wc = expect_wc(l, a->send_cq, 7, KVERBS_WC_OP_SEND, 0, "a send completes");
	result(wc.qp == a->qp && !wc.has_length && !wc.has_imm && !wc.has_src_qpn &&
	       !wc.grh && !wc.vendor_err, "of its qp, and says nothing that it does not know");
	wc = expect_wc(l, b->recv_cq, BIG_ID, KVERBS_WC_OP_RECV, 0, "the receive too");
	result(wc.qp == b->qp && wc.has_length && wc.length == 1000 && !wc.has_imm,
	       "with its length");
	memset(want, 's', 1000);
	result(holds(l, b->target, 0, want, LENGTH), "these bytes came, and no other");

	if (!lacks("a send with immediate data", "immediate data")) {
		post(l, &recv, "recv");
		send.op = KVERBS_OP_SEND_WITH_IMM;
		send.has_imm = true;
		send.imm = 0x12345678;
		post(l, &send, "send");
		expect_wc(l, a->send_cq, 7, KVERBS_WC_OP_SEND, 0, "a send with immediate data");
		wc = expect_wc(l, b->recv_cq, BIG_ID, KVERBS_WC_OP_RECV, 0, "arrives");
		result(wc.has_imm && wc.imm == 0x12345678, "with them, in host order");
	}

	test_send_nothing(l, a, b, 0, "a send of nothing");
	test_send_nothing(l, a, b, KVERBS_WR_INLINE, "one inline");
}

static void test_pieces(struct link *l, struct end *a, struct end *b)
{
	struct wr recv = {
		.qp = b->qp, .op = KVERBS_OP_RECV, .sges = 2,
		.sge = {
			{ .buf = b->target, .offset = 100, .length = 10 },
			{ .buf = b->local, .offset = 200, .length = 50 },
		},
	};
	struct wr send = {
		.qp = a->qp, .op = KVERBS_OP_SEND, .sges = 3,
		.sge = {
			{ .buf = a->local, .offset = 0, .length = 4 },
			{ .buf = a->target, .offset = 8, .length = 0 },
			{ .buf = a->local, .offset = 4000, .length = 16 },
		},
	};
	struct kv_wc wc;

	must(l, call_buf_write(&l->nl, a->local, 0, "abcd", 4), "write");
	must(l, call_buf_write(&l->nl, a->local, 4000, "efghijklmnopqrst", 16), "write");
	post(l, &recv, "recv");
	post(l, &send, "send");
	expect_wc(l, a->send_cq, 0, KVERBS_WC_OP_SEND, 0, "a send of several pieces");
	wc = expect_wc(l, b->recv_cq, 0, KVERBS_WC_OP_RECV, 0, "arrives in several");
	result(wc.length == 20 && holds(l, b->target, 100, "abcdefghij", 10) &&
	       holds(l, b->local, 200, "klmnopqrst", 10), "one after the other");
}

static void test_write_read(struct link *l, struct end *a, struct end *b)
{
	struct wr wr = write_wr(a, b, 500, 1);
	struct wr recv = { .qp = b->qp, .op = KVERBS_OP_RECV, .wr_id = 3 };
	char want[LENGTH] = "";
	struct kv_wc wc;

	write_all(l, a->local, 'w');
	write_all(l, b->target, 0);
	wr.remote_addr += 50;
	post(l, &wr, "write");
	wc = expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, 0, "a write completes");
	result(!wc.has_length, "and does not know its length");
	memset(want + 50, 'w', 500);
	result(holds(l, b->target, 0, want, LENGTH), "these bytes came, and no other");
	result(nothing_comes(l, b->recv_cq), "the peer does not hear of it");

	if (!lacks("a write with immediate data", "immediate data")) {
		post(l, &recv, "recv");
		wr.op = KVERBS_OP_WRITE_WITH_IMM;
		wr.has_imm = true;
		wr.imm = 42;
		post(l, &wr, "write with immediate data");
		expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, 0, "one with immediate data");
		wc = expect_wc(l, b->recv_cq, 3, KVERBS_WC_OP_RECV_WRITE_WITH_IMM, 0,
			       "takes a receive");
		result(wc.has_imm && wc.imm == 42 && wc.has_length && wc.length == 500,
		       "which has them, and the length");
	}

	write_all(l, a->local, 0);
	write_all(l, b->target, 'r');
	wr = write_wr(a, b, 300, 4);
	wr.op = KVERBS_OP_READ;
	wr.sge[0].offset = 20;
	wr.flags = is_iwarp() ? 0 : KVERBS_WR_FENCE;
	/* The answer of iWARP's is written into the buffer by its key. */
	if (is_iwarp()) {
		wr.sge[0].mr = a->local_mr;
		register_local(l, a, KVERBS_ACCESS_LOCAL_WRITE);
	}
	post(l, &wr, "read");
	wc = expect_wc(l, a->send_cq, 4, KVERBS_WC_OP_READ, 0, "a read completes");
	result(wc.has_length && wc.length == 300, "with its length");
	memset(want, 0, sizeof(want));
	memset(want + 20, 'r', 300);
	result(holds(l, a->local, 0, want, LENGTH), "these bytes came, and no other");
	if (is_iwarp())
		must(l, call_mr_inv(&l->nl, a->local_mr, a->qp, NULL), "invalidate");
}

static void test_atomic(struct link *l, struct end *a, struct end *b)
{
	uint64_t value = 1000, got;
	struct wr wr = write_wr(a, b, 8, 5);

	must(l, call_buf_write(&l->nl, b->target, 0, &value, 8), "write");
	wr.op = KVERBS_OP_FETCH_ADD;
	wr.compare_add = 234;
	post(l, &wr, "fetch and add");
	expect_wc(l, a->send_cq, 5, KVERBS_WC_OP_FETCH_ADD, 0, "fetch and add");
	must(l, call_buf_read(&l->nl, a->local, 0, &got, 8), "read");
	result(got == 1000, "fetches");
	value = 1234;
	result(holds(l, b->target, 0, &value, 8), "and adds");

	wr.op = KVERBS_OP_CMP_SWP;
	wr.compare_add = 1234;
	wr.swap = 77;
	post(l, &wr, "compare and swap");
	expect_wc(l, a->send_cq, 5, KVERBS_WC_OP_CMP_SWP, 0, "compare and swap");
	must(l, call_buf_read(&l->nl, a->local, 0, &got, 8), "read");
	value = 77;
	result(got == 1234 && holds(l, b->target, 0, &value, 8), "swaps what is equal");
	post(l, &wr, "compare and swap");
	expect_wc(l, a->send_cq, 5, KVERBS_WC_OP_CMP_SWP, 0, "once more");
	result(holds(l, b->target, 0, &value, 8), "leaves what is not");
}

static void test_flags(struct link *l, struct end *a, struct end *b)
{
	struct wr wr = write_wr(a, b, 16, 1);
	struct kv_cq cq;

	write_all(l, b->target, 0);
	must(l, call_buf_write(&l->nl, a->local, 0, "sixteen letters!", 16), "write");
	wr.flags = KVERBS_WR_UNSIGNALED;
	post(l, &wr, "unsignaled");
	wr.wr_id = 2;
	post(l, &wr, "unsignaled");
	result(nothing_comes(l, a->send_cq), "an unsignaled request does not complete");
	must(l, call_get(&l->nl, KV_CQ, a->send_cq, &cq), "cq");
	result(cq.pending == 2, "it counts as pending");
	wr.flags = KVERBS_WR_INLINE;
	wr.wr_id = 3;
	post(l, &wr, "inline");
	expect_wc(l, a->send_cq, 3, KVERBS_WC_OP_WRITE, 0, "a later one does, inline");
	result(holds(l, b->target, 0, "sixteen letters!", 16), "the bytes have come");
	must(l, call_get(&l->nl, KV_CQ, a->send_cq, &cq), "cq");
	result(!cq.pending, "with it none is pending");
	wr.flags = KVERBS_WR_INLINE;
	wr.sges = 2;
	wr.sge[1] = wr.sge[0];
	wr.sge[1].offset = 8;
	wr.sge[1].length = 8;
	post(l, &wr, "inline, two pieces");
	expect_wc(l, a->send_cq, 3, KVERBS_WC_OP_WRITE, 0, "inline, in two pieces");
	result(holds(l, b->target, 0, "sixteen letters!letters!", 24), "both have come");
}

/* Since 6.3 or so rxe flushes what it can't read of its own memory; siw knows one error of its own. */
static void lkey_refused(struct link *l, struct end *a, struct end *b, uint64_t offset,
			 const char *name)
{
	struct wr wr = write_wr(a, b, 64, 1);
	struct kv_wc wc;

	wr.sge[0].offset = offset;
	wr.sge[0].mr = a->local_mr;
	post(l, &wr, name);
	result(poll_one(l, a->send_cq, &wc) && wc.wr_id == 1 && wc.op == KVERBS_WC_OP_WRITE &&
	       (wc.status == WC_LOC_PROT_ERR || wc.status == WC_WR_FLUSH_ERR ||
		wc.status == WC_LOC_QP_OP_ERR),
	       "%s: status %u", name, wc.status);
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

/* The MR's own key, where it is the device that checks the range. */
static void test_lkey(struct link *l, struct end *a, struct end *b)
{
	struct kv_mr_reg reg = {
		.buf = a->local,
		.qp = a->qp,
		.offset = 64,
		.length = 64,
	};
	struct wr wr = write_wr(a, b, 64, 1);

	must(l, call_mr_reg(&l->nl, a->local_mr, &reg, NULL, NULL), "register");
	must(l, call_buf_write(&l->nl, a->local, 64, "by its own key", 14), "write");
	wr.sge[0].offset = 64;
	wr.sge[0].mr = a->local_mr;
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, 0, "the lkey of an mr, of no rights");
	result(holds(l, b->target, 0, "by its own key", 14), "names the same bytes");
	lkey_refused(l, a, b, 65, "one byte beyond the registration");
	lkey_refused(l, a, b, 63, "one byte before it");
	must(l, call_mr_inv(&l->nl, a->local_mr, a->qp, NULL), "invalidate");
}

/*
 * iWARP's WRITE completes when TCP has it: that the peer refuses it is told by the end of the connection. If
 * that comes before siw has looked at what TCP said, the WRITE fails (siw_qp_sq_process()).
 */
static void test_late_error(struct link *l, struct end *a, struct end *b)
{
	struct limit limit = limit_of(10);
	struct wr wr = write_wr(a, b, 64, 1);
	struct kv_wc wc;

	wr.remote_key ^= 0x55;
	post(l, &wr, "write");
	result(poll_one(l, a->send_cq, &wc) && wc.wr_id == 1 && wc.op == KVERBS_WC_OP_WRITE &&
	       (!wc.status || wc.status == WC_LOC_QP_OP_ERR), "a wrong rkey");
	while (state_of(l, a->qp) != KVERBS_QPS_ERR && !limit_over(&limit))
		usleep(1000);
	result(state_of(l, a->qp) == KVERBS_QPS_ERR, "the qp is in ERR after that");
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, WC_WR_FLUSH_ERR,
		  "what is posted then is flushed");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

/* Faults that only the devices can find. */
static void test_errors(struct link *l, struct end *a, struct end *b)
{
	struct wr wr = write_wr(a, b, 64, 1), recv;
	struct kv_wc wc;

	wr.remote_key ^= 0x55;
	post(l, &wr, "write");
	wc = expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, WC_REM_ACCESS_ERR, "a wrong rkey");
	result(!wc.has_length && !wc.has_imm, "tells nothing but the error");
	result(state_of(l, a->qp) == KVERBS_QPS_ERR, "the qp is in ERR after that");
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, WC_WR_FLUSH_ERR,
		  "what is posted then is flushed");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);

	wr = send_wr(a->qp, a->local, 64, 2);
	post(l, &wr, "send");
	expect_wc(l, a->send_cq, 2, KVERBS_WC_OP_SEND, WC_RNR_RETRY_EXC_ERR, "no receive");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);

	recv = recv_wr(b->qp, b->target, 63, 3);
	post(l, &recv, "recv");
	post(l, &wr, "send");
	/* rxe calls it an operation error, and not one of the length. */
	result(poll_one(l, b->recv_cq, &wc) && wc.wr_id == 3 && wc.op == KVERBS_WC_OP_RECV &&
	       (wc.status == WC_LOC_LEN_ERR || wc.status == WC_LOC_QP_OP_ERR),
	       "a receive that is too small: status %u", wc.status);
	result(wc.qp == b->qp && !wc.has_length, "says no length");
	result(poll_one(l, a->send_cq, &wc) && wc.wr_id == 2 && wc.op == KVERBS_WC_OP_SEND &&
	       (wc.status == WC_REM_INV_REQ_ERR || wc.status == WC_REM_OP_ERR),
	       "and its sender hears of it: status %u", wc.status);
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
}

static void test_datagram(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_UD };
	struct wr send, recv;
	struct end a, b;
	struct kv_wc wc;
	uint32_t ah;

	pair_make(l, &a, &b, &init);
	ah = make_ah(l, a.pd);
	must(l, call_buf_write(&l->nl, a.local, 0, "datagram", 8), "write");
	recv = recv_wr(b.qp, b.target, LENGTH, 1);
	post(l, &recv, "recv");
	send = send_wr(a.qp, a.local, 8, 2);
	send.ah = ah;
	send.remote_qpn = b.qpn;
	send.remote_qkey = UD_QKEY;
	send.op = KVERBS_OP_SEND_WITH_IMM;
	send.has_imm = true;
	send.imm = 9;
	post(l, &send, "send");
	expect_wc(l, a.send_cq, 2, KVERBS_WC_OP_SEND, 0, "a datagram is sent");
	wc = expect_wc(l, b.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "and comes");
	result(wc.has_src_qpn && wc.src_qpn == a.qpn && wc.grh && wc.has_imm && wc.imm == 9,
	       "and says whose it is");
	result(wc.has_length && wc.length == 48 && holds(l, b.target, 40, "datagram", 8),
	       "behind 40 bytes for a GRH");
	post(l, &recv, "recv");
	send.remote_qkey = 1;
	post(l, &send, "send");
	drain(l, a.send_cq, 1);
	result(nothing_comes(l, b.recv_cq), "one with a wrong Q_Key does not come");
}

static void test_uc(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_UC };
	struct kv_mr_reg reg = { .access = all_access(), .length = LENGTH };
	struct wr wr, recv;
	struct limit limit;
	struct end a, b;

	pair_make(l, &a, &b, &init);
	must(l, call_buf_write(&l->nl, a.local, 0, "unreliable", 10), "write");
	recv = recv_wr(b.qp, b.local, LENGTH, 1);
	post(l, &recv, "recv");
	wr = send_wr(a.qp, a.local, 10, 2);
	post(l, &wr, "send");
	expect_wc(l, a.send_cq, 2, KVERBS_WC_OP_SEND, 0, "a send of uc");
	expect_wc(l, b.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "comes");
	result(holds(l, b.local, 0, "unreliable", 10), "with its bytes");
	/* Not every device registers by a uc qp. */
	reg.qp = make_rc_qp(l, b.pd);
	reg.buf = b.target;
	must(l, call_mr_reg(&l->nl, b.target_mr, &reg, &b.key, NULL), "register");
	wr = write_wr(&a, &b, 10, 3);
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 3, KVERBS_WC_OP_WRITE, 0, "a write of uc");
	limit = limit_of(10);
	while (!holds(l, b.target, 0, "unreliable", 10) && !limit_over(&limit))
		usleep(1000);
	result(holds(l, b.target, 0, "unreliable", 10), "comes too");
}

static void test_signal_all(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .sq_sig_all = true };
	struct end a, b;
	struct wr wr;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	wr = write_wr(&a, &b, 8, 1);
	wr.flags = KVERBS_WR_UNSIGNALED;
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0,
		  "where all are signaled, an unsignaled request completes");
}

void test_post(void)
{
	const struct end_init init = {
		.type = KVERBS_QPT_RC,
		.max_sge = 4,
		.max_inline = 64,
	};
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	test_send(&l, &a, &b);
	test_pieces(&l, &a, &b);
	register_target(&l, &b);
	test_write_read(&l, &a, &b);
	if (!lacks("atomic operations", "atomics"))
		test_atomic(&l, &a, &b);
	test_flags(&l, &a, &b);
	test_lkey(&l, &a, &b);
	if (lacks("errors of a peer", "answer to a request"))
		test_late_error(&l, &a, &b);
	else
		test_errors(&l, &a, &b);
	if (!lacks("datagrams", "UD"))
		test_datagram(&l);
	if (!lacks("unreliable requests", "UC"))
		test_uc(&l);
	test_signal_all(&l);
	link_close(&l);
}
