/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_HANDLER_H
#define _KV_HANDLER_H

#include "group.h"
#include "sample.h"

/*
 * Groups of requests, as in stream.c, for a CQ that is not polled without a pause. The code that
 * is told of a completion is the loop's body: a handler of the RDMA core, or a thread that an event
 * has woken. kv_handler_begin() posts the first group; each completion is handed to
 * kv_handler_take(), which records a sample and posts groups up to the depth. Calls of
 * kv_handler_take() come one at a time, and may begin before kv_handler_begin() has returned.
 */

static __always_inline int kv_handler_post(struct kv_loop *l, int bh_disabled)
{
	__u64 *at = l->newest;

	/* All of it before the post: the completion may be handled before the post returns. */
	l->newest = kv_group_next(l, l->posted, at);
	l->outstanding++;
	l->left--;
	*at = kv_env_now();
	return kv_group_post(l, l->a, bh_disabled);
}

/**
 * kv_handler_begin() - post the first group
 * @l: the loop, reset
 * @bh_disabled: a constant
 *
 * Return: 0; 1: no sample is wanted, and nothing is outstanding; or what the post returned.
 */
static __always_inline int kv_handler_begin(struct kv_loop *l, int bh_disabled)
{
	int ret;

	l->oldest = l->posted;
	l->newest = l->posted;
	l->outstanding = 0;
	l->left = l->iters - l->done;
	if (!kv_sample_more(l, kv_sample_start(l)))
		return 1;
	ret = kv_handler_post(l, bh_disabled);
	return ret ? kv_sample_broken(l, ret) : 0;
}

/**
 * kv_handler_take() - the oldest group is complete
 * @l: the loop
 * @t1: counter when its completion was there
 * @bh_disabled: a constant
 * @may_sleep: a constant: the caller is a thread
 *
 * Return: 0; 1: the loop is over, and nothing is outstanding; or what a post returned.
 */
static __always_inline int kv_handler_take(struct kv_loop *l, __u64 t1, int bh_disabled,
					   int may_sleep)
{
	int ret;

	kv_sample_record(l, *l->oldest, t1);
	if (may_sleep)
		kv_env_cond_resched(l);
	l->oldest = kv_group_next(l, l->posted, l->oldest);
	l->outstanding--;
	while (l->outstanding < l->groups && l->left && kv_sample_more(l, t1)) {
		ret = kv_handler_post(l, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
	}
	return !l->outstanding;
}

#endif
