// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "flow.h"

/* A stream, as in stream.c, at each of several ends. All ends together take the loop's samples. */

/* One group at each end in turn: few samples are shared out, too. */
static __always_inline int streams_begin(struct kv_loop *l, __u64 now, int bh_disabled)
{
	struct kv_flow *f;
	int ret = 0;
	__u32 n;

	kv_flow_reset(l);
	for (n = 0; n < l->groups; n++)
		for (f = l->flow; !ret && f < l->flow + l->flows; f++)
			if (kv_flow_may_post(l, f, now))
				ret = kv_flow_post(l, f, bh_disabled);
	return ret;
}

static __always_inline int drive(struct kv_loop *l, int one_cq, int bh_disabled)
{
	struct kv_flow *f, *at = l->flow;
	__u64 t1;
	int ret;

	t1 = kv_sample_start(l);
	ret = streams_begin(l, t1, bh_disabled);
	while (!ret && l->outstanding) {
		f = kv_flow_wait(l, &at, one_cq, t1, 0, &ret);
		t1 = kv_env_now();
		if (ret)
			break;
		kv_env_add(&f->done, 1);
		kv_sample_take(l, *f->oldest, t1);
		f->oldest = kv_group_next(l, f->posted, f->oldest);
		f->outstanding--;
		l->outstanding--;
		while (!ret && kv_flow_may_post(l, f, t1))
			ret = kv_flow_post(l, f, bh_disabled);
	}
	return ret ? kv_sample_broken(l, ret) : kv_sample_end(l);
}

static __always_inline int streams_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 0, bh_disabled);
}

static __always_inline int streams_one_cq_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 1, bh_disabled);
}

KV_LOOP_DEFINE(streams)
KV_LOOP_DEFINE(streams_one_cq)
