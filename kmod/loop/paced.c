// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "group.h"
#include "pace.h"
#include "sample.h"
#include "wait.h"

/*
 * Groups of requests, as in stream.c, that are due at a fixed interval, whether earlier groups are
 * complete or not. A sample begins when its group was due: if the group was posted late, because
 * there was no room or the thread had no CPU, the delay is a part of the sample. A loop that is
 * late posts all groups that are due, until it has caught up.
 *
 * The loop lasts for as many whole intervals as it has taken samples, or longer if it is late.
 */

/*
 * Looks once for a completion, if groups are outstanding. @since: counter when the last one came,
 * or when the first of these groups was posted. Returns 1 if there was one; 0; or what ends the
 * loop.
 */
static __always_inline int paced_look(struct kv_loop *l, __u32 outstanding, __u64 since,
				      __u32 *empty)
{
	struct kv_env_cq *cq = kv_env_send_cq(l->a);
	int ret = outstanding ? kv_env_poll(l, cq) : 0;

	if (ret)
		return ret < 0 ? kv_wait_failed(l, l->a) : 1;
	if ((*empty)++ < l->spins) {
		kv_env_relax();
		return 0;
	}
	if (!outstanding)
		return kv_pace_yield(l);
	ret = kv_wait_yield(l, since, 0);
	return ret ? kv_wait_give_up(l, l->a, cq, ret) ?: 1 : 0;
}

static __always_inline int paced_body(struct kv_loop *l, int bh_disabled)
{
	__u64 *newest = l->posted, *oldest = newest;
	__u64 left = l->iters - l->done, now, due, since, fraction = 0;
	__u32 outstanding = 0, empty = 0;
	int ret;

	now = kv_sample_start(l);
	due = now;
	since = now;
	for (;;) {
		if (!outstanding)
			since = now;
		if (now >= due && outstanding < l->groups && left && kv_sample_more(l, now)) {
			*newest = due;
			ret = kv_group_post(l, l->a, bh_disabled);
			if (ret)
				return kv_sample_broken(l, ret);
			newest = kv_group_next(l, l->posted, newest);
			outstanding++;
			left--;
			fraction += l->fraction;
			due += l->interval + (fraction >> 32);
			fraction &= 0xffffffff;
			empty = 0;
		} else if (now >= due && !outstanding) {
			kv_env_set(&l->last, now);
			return kv_sample_end(l);
		}
		ret = paced_look(l, outstanding, since, &empty);
		now = kv_env_now();
		if (ret < 0)
			return outstanding ? kv_sample_broken(l, ret) : ret;
		if (!ret)
			continue;
		kv_sample_take(l, *oldest, now);
		oldest = kv_group_next(l, l->posted, oldest);
		outstanding--;
		since = now;
		empty = 0;
	}
}

KV_LOOP_DEFINE(paced)
