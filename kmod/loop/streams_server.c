// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "flow.h"

/* The peer of streams, as in stream_server.c, at each of several ends. */
static __always_inline int serve(struct kv_loop *l, int one_cq, int srq)
{
	struct kv_flow *f, *at = l->flow;
	__u64 t;
	int ret;

	t = kv_sample_start(l);
	while (kv_sample_more(l, t)) {
		f = kv_flow_wait(l, &at, one_cq, t, 1, &ret);
		if (ret)
			return kv_sample_unasked(ret);
		ret = srq ? kv_env_post_srq_recv(f->end) : kv_env_post_recv(f->end);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_env_add(&f->done, 1);
		t = kv_env_now();
		kv_sample_answer(l, t);
	}
	return kv_sample_end(l);
}

static __always_inline int streams_server_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 0, 0);
}

static __always_inline int streams_server_srq_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 0, 1);
}

static __always_inline int streams_server_one_cq_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 1, 0);
}

KV_LOOP_DEFINE(streams_server)
KV_LOOP_DEFINE(streams_server_one_cq)
KV_LOOP_DEFINE(streams_server_srq)
