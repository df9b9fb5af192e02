/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_FLOW_H
#define _KV_FLOW_H

#include "group.h"
#include "sample.h"
#include "wait.h"

/* Declarations that the loops of several ends have in common. */

void kv_flow_init(struct kv_loop *l, int sends);
void kv_flow_share(const struct kv_loop *l, __u64 *least, __u64 *most);
int kv_flow_yield(struct kv_loop *l, __u64 since, int idle, int *late);

/* Nothing is outstanding at any end, and no group is posted yet. */
static __always_inline void kv_flow_reset(struct kv_loop *l)
{
	struct kv_flow *f;

	l->left = l->iters - l->done;
	l->outstanding = 0;
	for (f = l->flow; f < l->flow + l->flows; f++) {
		f->oldest = f->posted;
		f->newest = f->posted;
		f->outstanding = 0;
	}
}

/* Is there room for one more group at an end, and is a sample wanted? @now: as kv_sample_more() */
static __always_inline int kv_flow_may_post(struct kv_loop *l, const struct kv_flow *f, __u64 now)
{
	return f->outstanding < l->groups && l->left && kv_sample_more(l, now);
}

/* Posts a group at an end. Returns 0 or the error of a post. */
static __always_inline int kv_flow_post(struct kv_loop *l, struct kv_flow *f, int bh_disabled)
{
	int ret;

	*f->newest = kv_env_now();
	ret = kv_group_post(l, f->end, bh_disabled);
	if (ret)
		return ret;
	f->newest = kv_group_next(l, f->posted, f->newest);
	f->outstanding++;
	l->outstanding++;
	l->left--;
	return 0;
}

/* How many CQs the loop polls. */
static __always_inline __u32 kv_flow_cqs(const struct kv_loop *l, int one_cq)
{
	return one_cq ? 1 : l->flows;
}

/**
 * kv_flow_wait() - wait for a completion of any end
 * @l: the loop
 * @at: the flow whose CQ is polled first; receives the flow where the next call goes on
 * @one_cq: a constant: the ends have one CQ in common, and the completion tells the end
 * @since: counter when the wait began, for the deadline
 * @idle: nothing is outstanding: when somebody stops us, don't wait for the completion
 * @ret: receives 0, or what ended the loop
 *
 * Each completion moves the turn to the next CQ, so that no end waits behind a busier one. One CQ
 * in common has the completions in the order in which they came.
 *
 * Return: the flow that the completion is of; after an error, any.
 */
static __always_inline struct kv_flow *kv_flow_wait(struct kv_loop *l, struct kv_flow **at,
						    int one_cq, __u64 since, int idle, int *ret)
{
	__u32 left = l->spins + kv_flow_cqs(l, one_cq);
	struct kv_flow *f;
	int late = 0;

	for (;;) {
		f = *at;
		if (one_cq) {
			struct kv_flow *of = f;

			*ret = kv_env_poll_flow(l, f->cq, &of);
			f = of;
		} else {
			*at = f->next;
			*ret = kv_env_poll(l, f->cq);
		}
		if (*ret) {
			*ret = *ret < 0 ? kv_wait_failed(l, f->end) : 0;
			return f;
		}
		if (--left) {
			kv_env_relax();
			continue;
		}
		left = kv_flow_cqs(l, one_cq);
		*ret = kv_flow_yield(l, since, idle, &late);
		if (*ret)
			return f;
	}
}

#endif
