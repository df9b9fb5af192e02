// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "credit.h"
#include "flow.h"

/* The peer of a stream with credits: it replaces receives, as streams_server.c, and counts them. */

/* Waits until the WRITE of an end is complete. A CQ in common has those of other ends, too. */
static int credit_settle(struct kv_loop *l, struct kv_end *e, int one_cq)
{
	struct kv_env_cq *cq = kv_env_send_cq(e);
	__u64 since = kv_env_now();
	__u32 left = l->spins + 1;
	struct kv_flow *of;
	int ret, late = 0;

	while (kv_env_credit(e)->writing) {
		of = NULL;
		ret = one_cq ? kv_env_poll_flow(l, cq, &of) : kv_env_poll(l, cq);
		if (ret < 0)
			return kv_wait_failed(l, of ? of->end : e);
		if (ret) {
			kv_env_credit(of ? of->end : e)->writing = 0;
			continue;
		}
		if (--left) {
			kv_env_relax();
			continue;
		}
		left = 1;
		ret = kv_flow_yield(l, since, 0, &late);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * The byte belongs to the WRITE until that is complete. It should be when the next one is due: half
 * of all receives were used up since it was posted.
 */
static __always_inline int credit_give(struct kv_loop *l, struct kv_end *e, int one_cq,
				       int bh_disabled)
{
	struct kv_credit *c = kv_env_credit(e);
	int ret;

	if (++c->used < c->batch)
		return 0;
	ret = credit_settle(l, e, one_cq);
	if (ret)
		return ret;
	c->used = 0;
	*kv_env_tx_tail(e) = ++c->told;
	ret = kv_env_post_send(e, bh_disabled);
	c->writing = !ret;
	return ret;
}

/* The loop ends, as @why says, and leaves no WRITE behind. */
static int credit_end(struct kv_loop *l, int one_cq, int why)
{
	struct kv_flow *f;
	int ret = 0;

	for (f = l->flow; !ret && f < l->flow + l->flows; f++)
		ret = credit_settle(l, f->end, one_cq);
	if (ret)
		return kv_sample_broken(l, ret);
	return why ? kv_sample_unasked(why) : kv_sample_end(l);
}

static __always_inline int serve(struct kv_loop *l, int one_cq, int bh_disabled)
{
	struct kv_flow *f, *at = l->flow;
	__u64 t;
	int ret;

	t = kv_sample_start(l);
	while (kv_sample_more(l, t)) {
		f = kv_flow_wait(l, &at, one_cq, t, 1, &ret);
		/* A QP that failed takes no other run before RESET. */
		if (ret == -EIO)
			return ret;
		if (ret)
			return credit_end(l, one_cq, ret);
		ret = kv_env_post_recv(f->end);
		if (!ret)
			ret = credit_give(l, f->end, one_cq, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_env_add(&f->done, 1);
		t = kv_env_now();
		kv_sample_answer(l, t);
	}
	return credit_end(l, one_cq, 0);
}

static __always_inline int credit_server_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 0, bh_disabled);
}

static __always_inline int credit_server_one_cq_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 1, bh_disabled);
}

KV_LOOP_DEFINE(credit_server)
KV_LOOP_DEFINE(credit_server_one_cq)
