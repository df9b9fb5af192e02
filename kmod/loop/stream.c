// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "group.h"
#include "sample.h"
#include "wait.h"

/*
 * Groups of requests, as many outstanding as there is room for. A group is posted in lists, and its
 * last request is the only one that is signaled. A sample is a group, from before its first post
 * until its completion was polled. Completions come in the order of the posts (IBTA 10.8.3.1).
 */
static __always_inline int stream_body(struct kv_loop *l, int bh_disabled)
{
	__u64 *newest = l->posted, *oldest = newest, *end = newest + l->groups;
	struct kv_end *a = l->a;
	__u64 left = l->iters - l->done, t1;
	__u32 outstanding = 0;
	int ret;

	t1 = kv_sample_start(l);
	for (;;) {
		while (outstanding < l->groups && left && kv_sample_more(l, t1)) {
			*newest = kv_env_now();
			ret = kv_group_post(l, a, bh_disabled);
			if (ret)
				return kv_sample_broken(l, ret);
			if (++newest == end)
				newest = l->posted;
			outstanding++;
			left--;
		}
		if (!outstanding)
			return kv_sample_end(l);
		ret = kv_wait_wc(l, a, kv_env_send_cq(a), *oldest, 0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, *oldest, t1);
		if (++oldest == end)
			oldest = l->posted;
		outstanding--;
	}
}

KV_LOOP_DEFINE(stream)
