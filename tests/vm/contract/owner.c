// SPDX-License-Identifier: MIT
/* Whose objects are seen by whom, and how long they live. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "contract.h"
#include "run.h"

/* One of each type. */
struct all {
	uint32_t pd;
	uint32_t cq;
	uint32_t buf;
	uint32_t mr;
	uint32_t srq;
	uint32_t ah;
	uint32_t qp;
};

#define OBJECTS 7

/* iWARP has no AHs, which are the last. */
static int objects(void)
{
	return is_iwarp() ? OBJECTS - 1 : OBJECTS;
}

static uint32_t make(struct link *l, enum kv_type noun, const void *init)
{
	union kv_object object;

	must(l, call_new(&l->nl, noun, init, &object, NULL), "create an object");
	return object.id;
}

static void make_all(struct link *l, struct all *all, bool persistent)
{
	const struct kv_pd_init pd = { .dev = dev, .persistent = persistent };
	const struct kv_cq_init cq = { .dev = dev, .cqe = 8, .persistent = persistent };
	struct kv_srq_init srq = { .max_wr = 4, .max_sge = 1, .persistent = persistent };
	const struct kv_buf_init buf = { .dev = dev, .length = 64, .persistent = persistent };
	struct kv_mr_init mr = { .persistent = persistent };
	struct kv_ah_init ah = { .port = 1, .av = own_address(), .persistent = persistent };
	struct kv_qp_init qp = {
		.max_send_wr = 4,
		.max_send_sge = 1,
		.persistent = persistent,
	};
	struct kv_qp made;

	all->pd = make(l, KV_PD, &pd);
	all->cq = make(l, KV_CQ, &cq);
	all->buf = make(l, KV_BUF, &buf);
	mr.pd = all->pd;
	all->mr = make(l, KV_MR, &mr);
	srq.pd = all->pd;
	all->srq = make(l, KV_SRQ, &srq);
	ah.pd = all->pd;
	if (!is_iwarp())
		all->ah = make(l, KV_AH, &ah);
	qp.pd = all->pd;
	qp.send_cq = all->cq;
	qp.recv_cq = all->cq;
	qp.srq = all->srq;
	must(l, call_qp_new(&l->nl, &qp, &made, NULL), "qp");
	all->qp = made.id;
}

struct one {
	const char *name;
	enum kv_type noun;
	uint32_t id;
};

static void list_of(const struct all *all, struct one one[OBJECTS])
{
	const struct one list[OBJECTS] = {
		{ "qp", KV_QP, all->qp },
		{ "srq", KV_SRQ, all->srq },
		{ "mr", KV_MR, all->mr },
		{ "buf", KV_BUF, all->buf },
		{ "cq", KV_CQ, all->cq },
		{ "pd", KV_PD, all->pd },
		{ "ah", KV_AH, all->ah },
	};

	memcpy(one, list, sizeof(list));
}

static void test_strangers(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct one one[OBJECTS];
	union kv_object object;
	struct kv_run_result outcome;
	struct kv_run_spec spec;
	struct wr wr;
	struct link other;
	struct end a, b;
	struct all all;
	uint32_t id, pd;
	char name[80];
	int i;

	make_all(l, &all, false);
	list_of(&all, one);
	link_open(&other);
	for (i = 0; i < objects(); i++) {
		snprintf(name, sizeof(name), "another socket does not see our %s", one[i].name);
		refused(&other, call_get(&other.nl, one[i].noun, one[i].id, &object),
			-ENOENT, "among yours", name);
		result(!count_listed(&other, one[i].noun), "nor is it listed there");
		snprintf(name, sizeof(name), "nor can it delete our %s", one[i].name);
		refused(&other, call_del(&other.nl, one[i].noun, one[i].id, NULL),
			-ENOENT, "among yours", name);
	}
	refused(&other, call_new(&other.nl, KV_MR, &(struct kv_mr_init){
			.pd = all.pd }, NULL, NULL), -ENOENT,
		"no pd with this id among yours", "nor use our pd");
	refused(&other, modify(&other, all.qp, init_attr(KVERBS_QPT_RC)), -ENOENT,
		"no qp with this id among yours", "nor modify our qp");
	wr = recv_wr(0, all.buf, 64, 1);
	wr.srq = all.srq;
	refused(&other, call_post(&other.nl, &wr, NULL), -ENOENT,
		"no srq with this id among yours", "nor post to our srq");
	refused(&other, call_buf_write(&other.nl, all.buf, 0, "x", 1), -ENOENT,
		"no buf with this id among yours", "nor write our buffer");
	refused(&other, call_cq_poll(&other.nl, all.cq, &(struct kv_wc){ 0 }, 1,
				      &(unsigned int){ 0 }, NULL), -ENOENT,
		"no cq with this id among yours", "nor poll our cq");

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	spec = write_spec(&a, &b);
	refused(&other, call_run_start(&other.nl, &spec, &id), -ENOENT,
		"no qp with this id among yours", "nor run on our qp");
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	refused(&other, call_run_cancel(&other.nl, id), -ENOENT,
		"no run with this id among yours", "nor cancel our run");
	refused(&other, call_run_del(&other.nl, id), -ENOENT,
		"no run with this id among yours", "nor delete it");
	pd = make_pd(&other);
	refused(l, call_del(&l->nl, KV_PD, pd, NULL), -ENOENT, "among yours",
		"and we see nothing of theirs");
	must(l, call_run_peek(&l->nl, id, &outcome), "look at the run");
	result(outcome.state == KVERBS_RUN_ACTIVE, "all the while our run goes on");
	kv_nl_close(&other.nl);
}

static void test_shared(struct link *l)
{
	struct one one[OBJECTS];
	union kv_object object;
	struct link other;
	uint32_t flushed, busy;
	struct all all;
	int i;

	link_open(&other);
	make_all(&other, &all, true);
	list_of(&all, one);
	for (i = 0; i < objects(); i++) {
		must(&other, call_get(&other.nl, one[i].noun, one[i].id, &object), "get");
		check_shown(l, one[i].noun, &object, one[i].name);
	}
	kv_nl_close(&other.nl);
	for (i = 0; i < objects(); i++)
		result(!call_get(&l->nl, one[i].noun, one[i].id, &object) &&
		       count_listed(l, one[i].noun) == 1,
		       "a persistent %s outlives its socket", one[i].name);
	done(l, modify(l, all.qp, init_attr(KVERBS_QPT_RC)), "others can use it");
	result(state_of(l, all.qp) == KVERBS_QPS_INIT, "and see what was done");
	done(l, call_del(&l->nl, KV_QP, all.qp, NULL), "and delete it");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result((int)flushed == objects() - 1 && !busy, "flush destroys the rest, users first");
	for (i = 0; i < objects(); i++)
		result(!count_listed(l, one[i].noun), "there is no %s any more", one[i].name);
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(!flushed && !busy, "flushing nothing is fine");
}

/* An object that lives on can't use an object that does not. */
static void test_mixed(struct link *l)
{
	struct kv_mr_init mr = { .persistent = true };
	struct kv_srq_init srq = { .max_wr = 4, .max_sge = 1, .persistent = true };
	struct kv_ah_init ah = { .port = 1, .av = own_address(), .persistent = true };
	struct kv_qp_init qp = {
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.persistent = true,
	};
	uint32_t flushed, busy, own_mr, own_buf, own_pd = make_pd(l);
	struct link other;
	struct wr wr;
	struct all all;

	make_all(l, &all, true);
	mr.pd = own_pd;
	refused(l, call_new(&l->nl, KV_MR, &mr, NULL, NULL), -EINVAL,
		"a persistent object can use only persistent ones",
		"a persistent mr of a pd that is not");
	srq.pd = own_pd;
	refused(l, call_new(&l->nl, KV_SRQ, &srq, NULL, NULL), -EINVAL,
		"a persistent object can use only persistent ones", "an srq");
	ah.pd = own_pd;
	if (!lacks("an ah", "address handles"))
		refused(l, call_new(&l->nl, KV_AH, &ah, NULL, NULL), -EINVAL,
			"a persistent object can use only persistent ones", "an ah");
	qp.pd = all.pd;
	qp.send_cq = all.cq;
	qp.recv_cq = make_cq(l, 8, KVERBS_CQ_POLLED);
	refused(l, call_qp_new(&l->nl, &qp, NULL, NULL), -EINVAL,
		"a persistent object can use only persistent ones",
		"a persistent qp with a cq that is not");
	qp.max_inline = 16;
	refused(l, call_qp_new(&l->nl, &qp, NULL, NULL), -EINVAL,
		"persistent: a persistent object can use only persistent ones",
		"with inline data, too, that attribute is to blame");

	/* The other way round it works, and then they must stay. */
	own_mr = make_mr(l, all.pd);
	link_open(&other);
	refused(&other, call_del(&other.nl, KV_PD, all.pd, NULL), -EBUSY, "in use by",
		"nobody can delete what others' objects use");
	must(&other, call_flush(&other.nl, &flushed, &busy), "flush");
	result((int)flushed == objects() - 1 && busy == 1, "nor flush it: it is busy");
	result(count_listed(&other, KV_PD) == 1, "and listed");
	kv_nl_close(&other.nl);
	done(l, call_get(&l->nl, KV_MR, own_mr, NULL), "what uses it goes on");
	must(l, call_del(&l->nl, KV_MR, own_mr, NULL), "delete");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(flushed == 1 && !busy, "when that has gone it is flushed");

	make_all(l, &all, true);
	own_buf = make_buf(l, 64);
	wr = recv_wr(0, own_buf, 64, 1);
	wr.srq = all.srq;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL, "is persistent, and the buffer or the mr is not",
		"a persistent queue can't hold a buffer that goes");
	wr.sge[0].buf = all.buf;
	done(l, call_post(&l->nl, &wr, NULL), "but one that stays");
	must(l, call_del(&l->nl, KV_BUF, own_buf, NULL), "delete");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result((int)flushed == objects() && !busy, "flush takes posted requests along");
}

/* The object that was made last goes first, also while it is in use. */
/* A connected QP that is persistent; with two CQs. */
static uint32_t make_persistent_qp(struct link *l, uint32_t type, uint32_t *pd)
{
	const struct kv_pd_init pd_init = { .dev = dev, .persistent = true };
	const struct kv_cq_init cq_init = { .dev = dev, .cqe = 8, .persistent = true };
	struct kv_qp_init init = {
		.pd = make(l, KV_PD, &pd_init),
		.type = type,
		.send_cq = make(l, KV_CQ, &cq_init),
		.recv_cq = make(l, KV_CQ, &cq_init),
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.persistent = true,
	};
	struct kv_qp qp;

	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	if (type == KVERBS_QPT_RC)
		qp_connect_self(l, init.pd, &qp);
	*pd = init.pd;
	return qp.id;
}

/* A persistent QP keeps what a request names: no MR, AH or buffer that goes with its socket. */
static void test_outlived(struct link *l)
{
	const struct kv_buf_init kept_init = { .dev = dev, .length = 64, .persistent = true };
	struct kv_ah_init ah_init = { .port = 1, .av = own_address() };
	uint32_t run, pd, flushed, busy, kept = make(l, KV_BUF, &kept_init);
	struct end end = { .qp = make_persistent_qp(l, KVERBS_QPT_RC, &pd), .local = make_buf(l, 64) };
	struct kv_mr_reg reg = { .buf = end.local, .qp = end.qp, .length = 64 };
	struct kv_mr_init mr_init = { .pd = pd, .persistent = true };
	uint32_t own_mr = make_mr(l, pd);
	uint32_t kept_mr = make(l, KV_MR, &mr_init);
	struct kv_run_spec spec = write_spec(&end, &end);
	struct wr wr = send_wr(end.qp, kept, 8, 1);

	refused(l, call_mr_reg(&l->nl, own_mr, &reg, NULL, NULL), -EINVAL,
		"the qp is persistent and the mr is not", "a registration by a qp that outlives the mr");
	refused(l, call_mr_reg(&l->nl, kept_mr, &reg, NULL, NULL), -EINVAL,
		"buf: the mr is persistent and the buffer is not", "and over a buffer that the mr outlives");
	refused(l, call_run_start(&l->nl, &spec, &run), -EINVAL, "the qp is persistent, and a buffer, an mr or an ah is not",
		"a run from a buffer that its qp outlives");
	wr.qp = make_persistent_qp(l, KVERBS_QPT_UD, &ah_init.pd);
	wr.ah = make(l, KV_AH, &ah_init);
	wr.remote_qpn = 1;
	wr.remote_qkey = 1;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL, "the qp is persistent and the ah is not",
		"a request by an ah that its qp outlives");
	must(l, call_del(&l->nl, KV_AH, wr.ah, NULL), "delete");
	must(l, call_del(&l->nl, KV_MR, own_mr, NULL), "delete");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(!busy, "all of it goes");
}

static void test_death(void)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	const struct end_init busy = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_SOFTIRQ };
	struct kv_run_spec spec;
	struct end a, b, c, d;
	struct wr wr;
	struct link l;
	uint32_t id;
	int i;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	spec = write_spec(&a, &b);
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(&l, call_run_start(&l.nl, &spec, &id), "start a run");
	pair_make(&l, &c, &d, &busy);
	for (i = 0; i < 4; i++) {
		wr = recv_wr(d.qp, d.local, LENGTH, 1);
		post(&l, &wr, "recv");
		wr = send_wr(c.qp, c.local, 4096, 2);
		post(&l, &wr, "send");
	}
	note("a socket dies with a run and requests under way");
	link_close(&l);
}

void test_owner(void)
{
	struct link l;

	link_open(&l);
	test_strangers(&l);
	link_close(&l);
	link_open(&l);
	test_shared(&l);
	test_mixed(&l);
	if (!lacks("what a persistent qp in RTS would outlive", "raw connection"))
		test_outlived(&l);
	link_close(&l);
	test_death();
}
