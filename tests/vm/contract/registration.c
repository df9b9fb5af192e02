// SPDX-License-Identifier: MIT
/* Registrations whose completion comes late, or never: the device's state is shown. And keys. */
#include <errno.h>
#include <string.h>
#include "contract.h"
#include "fail.h"

/* Variants of a key: its low byte counts up. */
#define KEYS 256

/**
 * struct scene - an MR, and QPs that register it
 * @l: the connection
 * @a: has the MR as its target
 * @b: its peer
 * @own: a QP of the same PD as @a, connected to itself
 * @own_cq: its CQ
 */
struct scene {
	struct link l;
	struct end a;
	struct end b;
	uint32_t own;
	uint32_t own_cq;
};

static void scene_make(struct scene *s)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_qp qp;

	link_open(&s->l);
	pair_make(&s->l, &s->a, &s->b, &init);
	s->own = make_rc_qp(&s->l, s->a.pd);
	must(&s->l, call_get(&s->l.nl, KV_QP, s->own, &qp), "get");
	s->own_cq = qp.send_cq;
}

static int reg(struct scene *s, uint32_t qp)
{
	struct kv_mr_reg reg = {
		.buf = s->a.target, .qp = qp, .access = all_access(), .length = LENGTH,
	};

	return call_mr_reg(&s->l.nl, s->a.target_mr, &reg, &s->a.key, NULL);
}

static int inv(struct scene *s, uint32_t qp)
{
	return call_mr_inv(&s->l.nl, s->a.target_mr, qp, NULL);
}

static struct kv_mr shown(struct scene *s)
{
	struct kv_mr mr;

	must(&s->l, call_get(&s->l.nl, KV_MR, s->a.target_mr, &mr), "get");
	return mr;
}

/* A WRITE with the key; the status that it completes with. */
static uint32_t use_key(struct scene *s, const struct kv_mr *mr)
{
	struct end from = { .qp = s->own, .local = s->a.local }, to = { .key = *mr };
	struct wr wr = write_wr(&from, &to, 64, 1);
	struct kv_wc wc;

	post(&s->l, &wr, "write");
	if (!poll_one(&s->l, s->own_cq, &wc))
		bail_out("a WRITE does not complete");
	return wc.status;
}

static bool times_out(struct scene *s, int ret)
{
	return ret == -ETIMEDOUT && strstr(s->l.nl.base.err, "no completion within 2 s");
}

/* From now on the device has no completion to give, whatever it does. */
static void hold_back(void)
{
	fail_verb_set("verb", is_iwarp() ? "siw_poll_cq" : "rxe_poll_cq");
	fail_verb_set("error", "0");
	fail_verb_set("more", "4000000000");
	fail_verb_set("nth", "1");
}

static void let_come(struct scene *s)
{
	struct kv_wc wc;
	unsigned int n;

	fail_verb_set("verb", "\n");
	fail_verb_set("more", "0");
	must(&s->l, call_cq_poll(&s->l.nl, s->a.send_cq, &wc, 1, &n, NULL), "poll");
	result(!n, "its completion, which comes then, is told nobody");
}

static void test_late(void)
{
	struct scene s;
	struct kv_mr mr;

	if (!fail_verb_loaded()) {
		missing("a completion that comes late", FAIL_VERB_MISSING);
		return;
	}
	scene_make(&s);
	hold_back();
	result(times_out(&s, reg(&s, s.a.qp)), "a registration whose completion is late times out");
	let_come(&s);
	mr = shown(&s);
	result(mr.registered && !use_key(&s, &mr), "the mr is shown as registered, and a peer can write");

	hold_back();
	result(times_out(&s, inv(&s, s.a.qp)), "an invalidation whose completion is late times out");
	let_come(&s);
	result(!shown(&s).registered, "the mr is shown as not registered");
	done(&s.l, reg(&s, s.a.qp), "it is registered anew");
	mr = shown(&s);
	result(mr.registered && !use_key(&s, &mr), "and a peer can write");
	link_close(&s.l);
}

/* The device never begins with it: it is behind READs when its QP is reset. */
static void test_lost_reg(void)
{
	struct scene s;
	struct kv_mr mr;

	scene_make(&s);
	qp_block(&s.l, &s.a, &s.b);
	result(times_out(&s, reg(&s, s.a.qp)), "a registration that waits for others times out");
	to_state(&s.l, s.a.qp, KVERBS_QPS_RESET);
	result(!shown(&s).registered, "with its qp reset the mr is shown as not registered");
	done(&s.l, reg(&s, s.own), "another qp registers it");
	mr = shown(&s);
	result(mr.registered && !use_key(&s, &mr), "and a peer can write");
	link_close(&s.l);
}

static void test_lost_inv(void)
{
	struct scene s;
	struct kv_mr mr;

	scene_make(&s);
	must(&s.l, reg(&s, s.own), "register");
	qp_block(&s.l, &s.a, &s.b);
	result(times_out(&s, inv(&s, s.a.qp)), "an invalidation that waits for others times out");
	to_state(&s.l, s.a.qp, KVERBS_QPS_RESET);
	mr = shown(&s);
	result(mr.registered && !use_key(&s, &mr),
	       "with its qp reset the mr is shown as registered, and a peer can write");
	done(&s.l, inv(&s, s.own), "another qp invalidates it");
	result(!shown(&s).registered, "the mr is shown as not registered");
	result(use_key(&s, &mr), "and a peer can't write");
	link_close(&s.l);
}

/* A request on the MR fails, and not by a flush: the device may have executed it or not. */
static void test_failed(void)
{
	struct kv_times times;
	struct scene s;
	uint32_t old;
	struct wr wr;

	if (!fail_verb_loaded()) {
		missing("a request on an mr that fails", FAIL_VERB_MISSING);
		return;
	}
	if (!is_iwarp()) {
		skip("a request on an mr that fails", "rxe flushes a local request that fails, as one that was not executed");
		return;
	}
	scene_make(&s);
	must(&s.l, reg(&s, s.own), "register");
	old = s.a.key.rkey;
	wr = recv_wr(s.a.qp, s.a.target, 64, 1);
	wr.sge[0].mr = s.a.target_mr;
	post(&s.l, &wr, "a receive by its key");
	fail_verb_set("verb", "siw_invalidate_stag");
	fail_verb_set("error", "-22");
	fail_verb_set("nth", "1");
	result(inv(&s, s.own) == -EIO && s.l.nl.base.failed == KVERBS_STAGE_COMPLETION &&
	       strstr(s.l.nl.base.err, "the device completed the request with an error"),
	       "an invalidation fails");
	fail_verb_set("verb", "\n");
	refused(&s.l, inv(&s, s.a.qp), -EINVAL, "may have the mr registered or not: register it anew",
		"it can't be repeated");
	refused(&s.l, reg(&s, s.a.qp), -EBUSY, "and requests name it",
		"the mr is not made anew under a receive");
	pair_reconnect(&s.l, &s.a, &s.b, KVERBS_QPT_RC);
	must(&s.l, reg(&s, s.a.qp), "register");
	times = s.l.nl.base.times;
	result(times.stage_ns[KVERBS_STAGE_CREATE] && times.stage_ns[KVERBS_STAGE_DESTROY] &&
	       s.a.key.rkey != old, "without the receive it is made anew, and registered");
	link_close(&s.l);
}

/* Nothing promises that a key is never used again: this one says when it is. */
static void test_keys(void)
{
	uint32_t key[KEYS];
	unsigned int i, j, same = 0;
	struct scene s;

	scene_make(&s);
	for (i = 0; i < KEYS; i++) {
		must(&s.l, reg(&s, s.own), "register");
		key[i] = s.a.key.rkey;
		for (j = 0; j < i; j++)
			same += key[j] == key[i];
		must(&s.l, inv(&s, s.own), "invalidate");
	}
	result(!same, "each of %u registrations has another key", KEYS);
	must(&s.l, reg(&s, s.own), "register");
	result(s.a.key.rkey == key[0], "the one after that has the first one's");
	link_close(&s.l);
}

void test_registration(void)
{
	test_late();
	if (!lacks("a registration behind READs that nobody answers", "peer that never answers")) {
		test_lost_reg();
		test_lost_inv();
	}
	test_failed();
	test_keys();
}
