// SPDX-License-Identifier: MIT
/* Requests that are posted together: all that are checked, or none. */
#include <errno.h>
#include <string.h>
#include "contract.h"

#define REQUESTS 32
#define BYTES 8
#define PAGE 4096

/* A WRITE of 8 bytes each, the first one of 'a', the next of 'b', to places side by side. */
static void make_list(struct link *l, const struct end *a, const struct end *b,
		      struct kv_wr list[REQUESTS])
{
	struct wr wr = write_wr(a, b, BYTES, 0);
	char bytes[REQUESTS * BYTES];

	for (unsigned int i = 0; i < REQUESTS; i++) {
		memset(bytes + i * BYTES, 'a' + (int)i % 26, BYTES);
		list[i] = *(const struct kv_wr *)&wr.op;
		list[i].wr_id = 100 + i;
		list[i].sge[0].offset = i * BYTES;
		list[i].remote_addr += i * BYTES;
	}
	must(l, call_buf_write(&l->nl, a->local, 0, bytes, sizeof(bytes)), "write");
	write_all(l, b->target, 0);
}

static bool arrived(struct link *l, const struct end *b, unsigned int n)
{
	char want[LENGTH] = "";

	for (unsigned int i = 0; i < n; i++)
		memset(want + i * BYTES, 'a' + (int)i % 26, BYTES);
	return holds(l, b->target, 0, want, LENGTH);
}

static uint32_t pending(struct link *l, uint32_t id)
{
	struct kv_cq cq;

	must(l, call_get(&l->nl, KV_CQ, id, &cq), "cq");
	return cq.pending;
}

static void test_good(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_wr list[REQUESTS];
	const struct kv_post post = { .qp = a->qp, .wrs = REQUESTS, .wr = list };
	struct kv_posted posted = { 0 };
	uint64_t ns = 0;
	struct kv_wc wc;
	bool in_order = true;

	make_list(l, a, b, list);
	done(l, call_post_list(&l->nl, &post, &posted, &ns), "32 requests are posted at once");
	result(posted.posted == REQUESTS && !posted.error, "all of them");
	result(ns > 0, "by one call that took some time");
	for (unsigned int i = 0; i < REQUESTS; i++)
		in_order &= poll_one(l, a->send_cq, &wc) && wc.wr_id == 100 + i && !wc.status &&
			    wc.op == KVERBS_WC_OP_WRITE;
	result(in_order, "each completes, in the order of the list");
	result(arrived(l, b, REQUESTS), "and has moved its bytes");
	result(!pending(l, a->send_cq), "nothing is left of them");

	make_list(l, a, b, list);
	for (unsigned int i = 0; i < REQUESTS - 1; i++)
		list[i].flags = KVERBS_WR_UNSIGNALED;
	done(l, call_post_list(&l->nl, &post, &posted, NULL), "a list with one signaled request");
	result(poll_one(l, a->send_cq, &wc) && wc.wr_id == 100 + REQUESTS - 1 && !wc.status,
	       "that one, the last, completes");
	result(nothing_comes(l, a->send_cq) && !pending(l, a->send_cq),
	       "and the silent ones with it");
	result(arrived(l, b, REQUESTS), "all have moved their bytes");
}

/* Refused, and nothing of the list is posted. */
static void bad_list(struct link *l, const struct end *a, const struct end *b,
		     const struct kv_post *post, int error, const char *text, const char *name)
{
	struct kv_posted posted;

	refused(l, call_post_list(&l->nl, post, &posted, NULL), error, text, name);
	result(!pending(l, a->send_cq) && nothing_comes(l, a->send_cq) && arrived(l, b, 0),
	       "none of its requests is posted");
}

/* Each request takes its bytes from two pieces of a buffer. */
static void test_across(struct link *l, const struct end *a, const struct end *b)
{
	const struct kv_buf_init init = {
		.dev = dev, .length = (REQUESTS + 1) * PAGE, .pieces = REQUESTS + 1,
	};
	struct kv_mr_reg reg = { .qp = a->qp, .length = init.length };
	struct kv_wr list[REQUESTS];
	const struct kv_post post = { .qp = a->qp, .wrs = REQUESTS, .wr = list };
	struct kv_posted posted = { 0 };
	char bytes[BYTES];
	struct kv_buf from;
	struct kv_wc wc;
	bool good = true;

	must(l, call_new(&l->nl, KV_BUF, &init, &from, NULL), "buf");
	reg.buf = from.id;
	must(l, call_mr_reg(&l->nl, a->local_mr, &reg, NULL, NULL), "register");
	make_list(l, a, b, list);
	for (unsigned int i = 0; i < REQUESTS; i++) {
		memset(bytes, 'a' + (int)i % 26, BYTES);
		list[i].sge[0].buf = from.id;
		list[i].sge[0].mr = a->local_mr;
		list[i].sge[0].offset = (i + 1) * PAGE - BYTES / 2;
		must(l, call_buf_write(&l->nl, from.id, list[i].sge[0].offset, bytes, BYTES),
		     "write");
	}
	done(l, call_post_list(&l->nl, &post, &posted, NULL), "32 requests across two pieces each");
	result(posted.posted == REQUESTS && !posted.error, "are posted at once");
	for (unsigned int i = 0; i < REQUESTS; i++)
		good &= poll_one(l, a->send_cq, &wc) && wc.wr_id == 100 + i && !wc.status;
	result(good && arrived(l, b, REQUESTS), "and move the bytes of both");
	must(l, call_mr_inv(&l->nl, a->local_mr, a->qp, NULL), "invalidate");
	must(l, call_del(&l->nl, KV_BUF, from.id, NULL), "delete");
}

static void test_wrong(struct link *l, const struct end *a, const struct end *b)
{
	struct kv_wr list[REQUESTS], good[REQUESTS], many[KVERBS_WR_LIST_MAX + 1];
	struct kv_post post = { .qp = a->qp, .wrs = REQUESTS, .wr = list };

	make_list(l, a, b, good);
	memcpy(list, good, sizeof(list));
	list[16].sge[0].offset = LENGTH;
	bad_list(l, a, b, &post, -EINVAL, "wr 17: sge 1: the bytes are beyond the end",
		 "a list whose 17th request is beyond its buffer");
	memcpy(list, good, sizeof(list));
	list[16].has_remote = false;
	bad_list(l, a, b, &post, -EINVAL, "wr 17: remote_addr is missing",
		 "a list whose 17th request lacks something");
	memcpy(list, good, sizeof(list));
	list[16].op = KVERBS_OP_REG_MR;
	bad_list(l, a, b, &post, -EINVAL, "wr 17: op: reg_mr: MR_REG posts it",
		 "a list with a registration");
	memcpy(list, good, sizeof(list));
	list[REQUESTS - 1].op = KVERBS_OP_MAX + 1;
	bad_list(l, a, b, &post, -ERANGE, "wr 32: op: integer out of range",
		 "a list whose last request is none");
	memcpy(list, good, sizeof(list));
	list[16].sge[0].mr = 2000000000;
	bad_list(l, a, b, &post, -ENOENT, "wr 17: sge 1: mr: no mr with this id",
		 "a list whose 17th request names no mr");
	memcpy(list, good, sizeof(list));
	list[1] = (struct kv_wr){ .op = KVERBS_OP_RECV };
	bad_list(l, a, b, &post, -EINVAL, "wr 2: op: recv goes to another queue",
		 "a receive among sends");
	list[0] = list[1];
	list[1] = good[1];
	bad_list(l, a, b, &post, -EINVAL, "wr 2: op: recv goes to another queue",
		 "a write among receives");
	for (unsigned int i = 0; i < KVERBS_WR_LIST_MAX + 1; i++)
		many[i] = good[0];
	/* The tool's own tables end there. */
	post.wr = many;
	post.wrs = 0;
	bad_list(l, a, b, &post, -EINVAL, "wr is missing", "a list of nothing");
}

/* As @post, with one request more than any list may have. */
static int send_too_many(struct link *l, uint32_t qp)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_WR_POST, 0);
	struct nlattr *wr;

	nla_put_u32(msg, KVERBS_A_POST_QP, qp);
	for (unsigned int i = 0; i <= KVERBS_WR_LIST_MAX; i++) {
		wr = nla_nest_start(msg, KVERBS_A_POST_WR | NLA_F_NESTED);
		nla_put_u32(msg, KVERBS_A_WR_OP, KVERBS_OP_SEND);
		nla_nest_end(msg, wr);
	}
	return send_msg(l, msg);
}

/* A QP in INIT whose receives complete into a CQ of @cqe; receives for all of a list. */
static void make_receiver(struct link *l, struct kv_qp_init *init, uint32_t cqe, struct kv_qp *qp,
			  struct kv_wr *list)
{
	for (unsigned int i = 0; i < KVERBS_WR_LIST_MAX; i++)
		list[i].op = KVERBS_OP_RECV;
	init->pd = make_pd(l);
	init->send_cq = make_cq(l, 8, KVERBS_CQ_POLLED);
	init->recv_cq = make_cq(l, cqe, KVERBS_CQ_POLLED);
	must(l, call_qp_new(&l->nl, init, qp, NULL), "qp");
	must(l, modify(l, qp->id, init_attr(KVERBS_QPT_RC)), "INIT");
}

/* There has to be room for all, in the queue and in the CQ. */
static void test_room(struct link *l)
{
	struct kv_qp_init init = { .max_send_wr = 8, .max_send_sge = 1, .max_recv_wr = 8,
				   .max_recv_sge = 1 };
	struct kv_wr list[KVERBS_WR_LIST_MAX] = { 0 };
	struct kv_post post = { .wr = list };
	struct kv_posted posted;
	struct kv_qp qp;

	make_receiver(l, &init, 500, &qp, list);
	if (qp.max_recv_wr > KVERBS_WR_LIST_MAX - 1) {
		note("the receive queue of %u is too long for this", qp.max_recv_wr);
		return;
	}
	post.qp = qp.id;
	post.wrs = qp.max_recv_wr + 1;
	refused(l, call_post_list(&l->nl, &post, &posted, NULL), -EBUSY,
		"the queue has no room for the whole list", "a list longer than its queue");
	result(!pending(l, init.recv_cq), "none of it is posted");
	post.wrs = qp.max_recv_wr;
	done(l, call_post_list(&l->nl, &post, &posted, NULL), "one as long as its queue");
	result(posted.posted == qp.max_recv_wr && pending(l, init.recv_cq) == qp.max_recv_wr,
	       "is posted whole");
	post.wrs = 1;
	refused(l, call_post_list(&l->nl, &post, &posted, NULL), -EBUSY,
		"the receive queue is full", "one more receive");
}

static void test_cq_room(struct link *l)
{
	struct kv_qp_init init = { .max_send_wr = 8, .max_send_sge = 1, .max_recv_wr = 128,
				   .max_recv_sge = 1 };
	struct kv_wr list[KVERBS_WR_LIST_MAX] = { 0 };
	struct kv_post post = { .wr = list };
	struct kv_posted posted;
	struct kv_cq cq;
	struct kv_qp qp;

	make_receiver(l, &init, 8, &qp, list);
	must(l, call_get(&l->nl, KV_CQ, init.recv_cq, &cq), "cq");
	post.qp = qp.id;
	post.wrs = cq.cqe + 1;
	refused(l, call_post_list(&l->nl, &post, &posted, NULL), -EBUSY,
		"the cq could overflow", "a list with more completions than its cq can hold");
	result(!pending(l, init.recv_cq), "none of it is posted");
	post.wrs = cq.cqe;
	done(l, call_post_list(&l->nl, &post, &posted, NULL), "one that fits its cq");
}

/* Receives of an SRQ, which messages take in the order of the list. */
static void test_srq_list(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_wr list[4] = { 0 };
	struct kv_post post = { .wrs = 4, .wr = list };
	struct kv_posted posted;
	struct kv_srq srq;
	struct end a;

	end_make(l, &a, &init);
	post.srq = make_srq(l, a.pd, 4);
	must(l, call_get(&l->nl, KV_SRQ, post.srq, &srq), "srq");
	for (unsigned int i = 0; i < 4; i++)
		list[i] = (struct kv_wr){ .op = KVERBS_OP_RECV, .wr_id = i, .sges = 1,
					  .sge[0] = { .buf = a.local, .length = BYTES } };
	done(l, call_post_list(&l->nl, &post, &posted, NULL), "4 receives for an srq");
	result(posted.posted == 4, "are posted");
	list[1].op = KVERBS_OP_SEND;
	refused(l, call_post_list(&l->nl, &post, &posted, NULL), -EINVAL,
		"wr 2: op: an srq takes recv only", "a send among an srq's receives");
	if (srq.max_wr != 4)
		return;
	list[1].op = KVERBS_OP_RECV;
	post.wrs = 1;
	refused(l, call_post_list(&l->nl, &post, &posted, NULL), -EBUSY, "the srq is full",
		"a receive too many");
}

void test_post_list(void)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .max_send_wr = REQUESTS };
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	test_good(&l, &a, &b);
	test_across(&l, &a, &b);
	test_wrong(&l, &a, &b);
	refused(&l, send_too_many(&l, a.qp), -EINVAL,
		"more than 128 requests", "a list of 129");
	test_room(&l);
	test_cq_room(&l);
	if (!lacks("receives of an SRQ in a list", "SRQ"))
		test_srq_list(&l);
	link_close(&l);
}
