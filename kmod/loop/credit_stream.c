// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "credit.h"
#include "flow.h"

/*
 * A stream of SENDs, as in streams.c, at one end or several. A group is posted once there are
 * credits for it, and its sample begins then.
 */

/* @since: receives the counter from before the post. Returns 1; 0: nothing to post; or an errno. */
static __always_inline int credit_post(struct kv_loop *l, struct kv_flow *f, __u64 now,
				       __u64 *since, int bh_disabled)
{
	__u64 *at = f->newest;
	int ret;

	if (!kv_flow_may_post(l, f, now) || !kv_credit_covers(l, f->end))
		return 0;
	kv_env_credit(f->end)->left -= l->sends;
	ret = kv_flow_post(l, f, bh_disabled);
	*since = *at;
	return ret ?: 1;
}

/* A group of an end is complete. */
static __always_inline __u64 credit_take(struct kv_loop *l, struct kv_flow *f)
{
	__u64 now = kv_env_now();

	kv_env_add(&f->done, 1);
	kv_sample_take(l, *f->oldest, now);
	f->oldest = kv_group_next(l, f->posted, f->oldest);
	f->outstanding--;
	l->outstanding--;
	return now;
}

/* Ends a wait in which nothing came. With nothing outstanding, is the peer of the credits gone? */
static int credit_give_up(struct kv_loop *l, int why)
{
	if (l->outstanding)
		return kv_sample_broken(l, why);
	if (why == -ETIMEDOUT)
		why = kv_wait_give_up(l, l->a, kv_env_send_cq(l->a), why);
	return kv_sample_unasked(why);
}

/* One post and one poll for each end in turn: few samples are shared out, too. */
static __always_inline int drive(struct kv_loop *l, int one_cq, int bh_disabled)
{
	__u64 t1 = kv_sample_start(l), since = t1;
	struct kv_flow *f, *of, *at = l->flow;
	__u32 left = l->spins + l->flows;
	int ret, posted, late = 0;

	kv_flow_reset(l);
	while (l->outstanding || (l->left && kv_sample_more(l, t1))) {
		f = at;
		of = f;
		at = f->next;
		posted = credit_post(l, f, t1, &since, bh_disabled);
		if (posted < 0)
			return kv_sample_broken(l, posted);
		ret = one_cq ? kv_env_poll_flow(l, f->cq, &of) : kv_env_poll(l, f->cq);
		if (ret < 0)
			return kv_sample_broken(l, kv_wait_failed(l, of->end));
		if (ret) {
			t1 = credit_take(l, of);
			since = t1;
		}
		if (ret || posted) {
			left = l->spins + l->flows;
			late = 0;
			continue;
		}
		if (--left) {
			kv_env_relax();
			continue;
		}
		left = l->flows;
		ret = kv_flow_yield(l, since, !l->outstanding, &late);
		if (ret)
			return credit_give_up(l, ret);
	}
	return kv_sample_end(l);
}

static __always_inline int credit_stream_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 0, bh_disabled);
}

static __always_inline int credit_stream_one_cq_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 1, bh_disabled);
}

KV_LOOP_DEFINE(credit_stream)
KV_LOOP_DEFINE(credit_stream_one_cq)
