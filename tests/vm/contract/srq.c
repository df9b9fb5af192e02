// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "contract.h"

static int new_srq(struct link *l, uint32_t pd, uint32_t max_wr, uint32_t max_sge,
		   uint32_t limit)
{
	struct kv_srq_init init = {
		.pd = pd,
		.max_wr = max_wr,
		.max_sge = max_sge,
		.limit = limit,
	};

	return call_new(&l->nl, KV_SRQ, &init, NULL, NULL);
}

static int set_limit(struct link *l, uint32_t srq, uint32_t limit)
{
	struct kv_srq_attr attr = { .has_limit = true, .limit = limit };

	return call_srq_modify(&l->nl, srq, &attr, NULL, NULL);
}

static int set_max_wr(struct link *l, uint32_t srq, uint32_t max_wr)
{
	struct kv_srq_attr attr = { .has_max_wr = true, .max_wr = max_wr };

	return call_srq_modify(&l->nl, srq, &attr, NULL, NULL);
}

static void test_new(struct link *l, uint32_t pd)
{
	struct kv_srq_init init = { .pd = pd, .max_wr = 10, .max_sge = 2, .limit = 3 };
	uint64_t verb_ns = 0;
	struct kv_srq srq;

	must(l, call_new(&l->nl, KV_SRQ, &init, &srq, &verb_ns), "srq");
	result(srq.pd == pd && srq.max_wr >= 10 && srq.max_sge >= 2 && verb_ns > 0,
	       "made as it was asked for");
	check_shown(l, KV_SRQ, &srq, "an srq");
	refused(l, call_del(&l->nl, KV_PD, pd, NULL), -EBUSY,
		"in use by an srq: delete that first", "a pd with an srq");
	done(l, call_del(&l->nl, KV_SRQ, srq.id, NULL), "it goes");
	must(l, RAW(l, KVERBS_CMD_SRQ_NEW, KVERBS_A_SRQ_PD, pd, KVERBS_A_SRQ_MAX_WR, 4),
	     "srq of defaults");

	refused(l, new_srq(l, pd, 0, 1, 0), -ERANGE,
		"max_wr: integer out of range", "an srq of no receives");
	refused(l, new_srq(l, pd, caps.max_srq_wr + 1, 1, 0), -EINVAL,
		"max_wr is above the device's max_srq_wr", "an srq that is too deep");
	refused(l, new_srq(l, pd, 4, 0, 0), -ERANGE,
		"max_sge: integer out of range", "receives of no pieces");
	refused(l, new_srq(l, pd, 4, caps.max_srq_sge + 1, 0), -EINVAL,
		"max_sge is above the device's max_srq_sge", "receives of too many pieces");
	refused(l, new_srq(l, pd, 4, 1, 5), -EINVAL, "limit is above max_wr",
		"a limit above the depth");
	refused(l, new_srq(l, 0, 4, 1, 0), -EINVAL, "the pd's id is missing", "no pd");
	refused(l, new_srq(l, 2000000000, 4, 1, 0), -ENOENT,
		"pd: no pd with this id among yours", "an unknown pd");
	refused(l, RAW(l, KVERBS_CMD_SRQ_NEW, KVERBS_A_SRQ_PD, pd), -EINVAL,
		"max_wr is missing", "an srq without a depth");
}

static void test_modify_srq(struct link *l, uint32_t pd)
{
	struct kv_srq_attr both = {
		.has_limit = true,
		.limit = 2,
		.has_max_wr = true,
		.max_wr = 20,
	};
	uint32_t id = make_srq(l, pd, 10);
	uint64_t verb_ns = 0;
	struct kv_srq srq;

	must(l, call_srq_modify(&l->nl, id, &(struct kv_srq_attr){
		     .has_limit = true, .limit = 5 }, &srq, &verb_ns), "modify");
	result(srq.id == id && srq.limit == 5 && srq.max_wr >= 10 && verb_ns > 0,
	       "the limit is changed");
	if (!lacks("both are changed at once", "srq that can be resized")) {
		must(l, call_srq_modify(&l->nl, id, &both, &srq, NULL), "modify");
		result(srq.limit == 2 && srq.max_wr >= 20, "both are changed at once");
	}
	check_shown(l, KV_SRQ, &srq, "the srq");
	refused(l, set_limit(l, id, srq.max_wr + 1), -EINVAL, "limit is above max_wr",
		"a limit above the depth");
	refused(l, set_max_wr(l, id, caps.max_srq_wr + 1), -EINVAL,
		"max_wr is above the device's max_srq_wr", "a depth above the device's");
	if (!lacks("a depth below the limit", "srq that can be resized"))
		refused(l, set_max_wr(l, id, 1), -EINVAL, "max_wr is below limit",
			"a depth below the limit");
	refused(l, set_max_wr(l, id, 0), -ERANGE, "max_wr: integer out of range",
		"a depth of 0");
	refused(l, call_srq_modify(&l->nl, id, &(struct kv_srq_attr){ .limit = 1 },
				    NULL, NULL), -EINVAL,
		"limit and max_wr are missing: what shall change?", "changing nothing");
	refused(l, set_limit(l, 2000000000, 1), -ENOENT,
		"no srq with this id among yours", "an unknown srq");
	done(l, set_limit(l, id, 0), "the limit can be taken away");
}

static void test_receives(struct link *l, uint32_t pd)
{
	uint32_t id = make_srq(l, pd, 4), buf = make_buf(l, LENGTH);
	struct wr wr = recv_wr(0, buf, 64, 1);
	struct kv_srq srq;
	uint32_t i;

	must(l, call_get(&l->nl, KV_SRQ, id, &srq), "get");
	wr.srq = id;
	for (i = 0; i < srq.max_wr; i++)
		post(l, &wr, "receive");
	refused(l, call_post(&l->nl, &wr, NULL), -EBUSY, "the srq is full",
		"one receive too many");
	if (!lacks("less room than receives", "srq that can be resized"))
		refused(l, set_max_wr(l, id, srq.max_wr - 1), -EBUSY,
			"more receives than max_wr are posted", "less room than receives");
	refused(l, call_del(&l->nl, KV_BUF, buf, NULL), -EBUSY, "in use by",
		"the buffer of a posted receive");
	done(l, call_del(&l->nl, KV_SRQ, id, NULL), "the srq goes with its receives");
	done(l, call_del(&l->nl, KV_BUF, buf, NULL), "and then their buffer");
}

/* Two QPs take from one. */
static void test_shared(struct link *l)
{
	uint32_t pd = make_pd(l), srq = make_srq(l, pd, 8);
	const struct end_init shared = { .type = KVERBS_QPT_RC, .srq = srq };
	const struct end_init plain = { .type = KVERBS_QPT_RC };
	struct end a, b, c, d;
	struct wr wr;
	struct kv_wc wc;
	struct kv_cq cq;
	int i;

	end_make(l, &a, &plain);
	end_make(l, &b, &shared);
	end_make(l, &c, &plain);
	end_make(l, &d, &shared);
	pair_connect(l, &a, all_access(), &b, all_access());
	pair_connect(l, &c, all_access(), &d, all_access());
	for (i = 0; i < 2; i++) {
		wr = recv_wr(0, b.target, LENGTH, 100 + i);
		wr.srq = srq;
		post(l, &wr, "receive");
	}
	must(l, call_get(&l->nl, KV_CQ, b.recv_cq, &cq), "cq");
	result(!cq.pending, "a receive of an srq is no cq's before it completes");
	wr = send_wr(a.qp, a.local, 64, 1);
	post(l, &wr, "send");
	wc = expect_wc(l, b.recv_cq, 100, KVERBS_WC_OP_RECV, 0, "one qp takes the first");
	result(wc.qp == b.qp && wc.has_length && wc.length == 64, "and says who it was");
	wr = send_wr(c.qp, c.local, 100, 2);
	post(l, &wr, "send");
	wc = expect_wc(l, d.recv_cq, 101, KVERBS_WC_OP_RECV, 0, "another the second");
	result(wc.qp == d.qp && wc.length == 100, "and says so too");
	refused(l, call_del(&l->nl, KV_SRQ, srq, NULL), -EBUSY,
		"in use by a qp: delete that first", "an srq with qps");
	wr = recv_wr(b.qp, b.target, 64, 1);
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL,
		"the qp's receives come from its srq: post there",
		"a receive for a qp that has an srq");
}

void test_srq(void)
{
	struct link l;
	uint32_t pd;

	link_open(&l);
	pd = make_pd(&l);
	test_new(&l, pd);
	test_modify_srq(&l, pd);
	test_receives(&l, pd);
	test_shared(&l);
	link_close(&l);
}
