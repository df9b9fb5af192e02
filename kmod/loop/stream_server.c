// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"
#include "wait.h"

/*
 * The peer of a stream of requests that take a receive. The receives are posted before the loop
 * begins; each that completes is replaced. @srq: in the SRQ from which it came.
 */
static __always_inline int serve(struct kv_loop *l, int srq)
{
	struct kv_end *a = l->a;
	__u64 t;
	int ret;

	t = kv_sample_start(l);
	while (kv_sample_more(l, t)) {
		ret = kv_wait_wc(l, a, kv_env_recv_cq(a), t, 1);
		if (ret)
			return kv_sample_unasked(ret);
		ret = srq ? kv_env_post_srq_recv(a) : kv_env_post_recv(a);
		if (ret)
			return kv_sample_broken(l, ret);
		t = kv_env_now();
		kv_sample_answer(l, t);
	}
	return kv_sample_end(l);
}

static __always_inline int stream_server_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 0);
}

static __always_inline int stream_server_srq_body(struct kv_loop *l, int bh_disabled)
{
	return serve(l, 1);
}

KV_LOOP_DEFINE(stream_server)
KV_LOOP_DEFINE(stream_server_srq)
