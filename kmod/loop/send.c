// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"
#include "wait.h"

/*
 * SEND there, SEND back. Two receives are posted on each end at the start, one
 * more after each that was used up: the peer's next SEND always finds one.
 */

/* The untimed part: replace the receive, take the completion of the SEND. */
static __always_inline int send_settle(struct kv_loop *l, struct kv_end *e, __u64 since)
{
	int ret;

	ret = kv_env_post_recv(e);
	if (ret)
		return ret;
	return kv_wait_wc(l, e, kv_env_send_cq(e), since, 0);
}

static __always_inline int send_client_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = kv_wait_wc(l, a, kv_env_recv_cq(a), t0, 0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_settle(l, a, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

static __always_inline int send_server_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		t0 = kv_env_now();
		ret = kv_wait_wc(l, a, kv_env_recv_cq(a), t0, 1);
		if (ret)
			return kv_sample_unasked(ret);
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		/* A peer may take its time to ask, and has: a new deadline. */
		t1 = kv_env_now();
		ret = send_settle(l, a, t1);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_answer(l, t1);
	}
	return kv_sample_end(l);
}

static __always_inline int send_pingpong_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a, *b = l->b;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = kv_wait_wc(l, b, kv_env_recv_cq(b), t0, 0);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = kv_env_post_send(b, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = kv_wait_wc(l, a, kv_env_recv_cq(a), t0, 0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_settle(l, a, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_settle(l, b, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(send_client)
KV_LOOP_DEFINE(send_server)
KV_LOOP_DEFINE(send_pingpong)
