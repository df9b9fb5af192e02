// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"
#include "wait.h"

/*
 * WRITE there, WRITE back; the receiver watches the last byte of its target.
 * The byte counts up with each round. The client and the one-thread ping-pong send
 * one more than the last byte of their local buffer (tx_tail); the server answers when
 * the last byte of its target (rx_tail) differs from its own tx_tail, which is what it
 * answered last. So each side finds its place in its own buffers, and it does not matter
 * which of the two starts first; the tails of both ends must be equal before the first
 * round.
 */

/*
 * Take the completion of the WRITE, unless the wait before it has taken it, or has failed. Not
 * timed. @reaped: the value that kv_wait_rx_tail() returned.
 */
static __always_inline int write_settle(struct kv_loop *l, struct kv_end *e,
					int reaped, __u64 since)
{
	if (__builtin_expect(reaped, 0))
		return reaped < 0 ? reaped : 0;
	return kv_wait_wc(l, e, kv_env_send_cq(e), since, 0);
}

static __always_inline int write_client_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u8 *tail = kv_env_tx_tail(a);
	__u8 v = *tail;
	__u64 t0, t1;
	int reaped, ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		*tail = ++v;
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		reaped = kv_wait_rx_tail(l, a, v, 1, a, t0);
		t1 = kv_env_now();
		ret = write_settle(l, a, reaped, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

static __always_inline int write_server_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u8 v = *kv_env_tx_tail(a);
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		t0 = kv_env_now();
		ret = kv_wait_rx_tail(l, a, v, 0, NULL, t0);
		if (ret)
			return kv_sample_unasked(ret);
		*kv_env_tx_tail(a) = ++v;
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		/* A peer may take its time to ask, and has: a new deadline. */
		t1 = kv_env_now();
		ret = write_settle(l, a, 0, t1);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_answer(l, t1);
	}
	return kv_sample_end(l);
}

static __always_inline int write_pingpong_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a, *b = l->b;
	__u8 v = *kv_env_tx_tail(a);
	__u64 t0, t1;
	int reaped_a, reaped_b, ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		*kv_env_tx_tail(a) = ++v;
		*kv_env_tx_tail(b) = v;
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		reaped_a = kv_wait_rx_tail(l, b, v, 1, a, t0);
		if (reaped_a < 0)
			return kv_sample_broken(l, reaped_a);
		ret = kv_env_post_send(b, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		reaped_b = kv_wait_rx_tail(l, a, v, 1, b, t0);
		t1 = kv_env_now();
		ret = write_settle(l, a, reaped_a, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = write_settle(l, b, reaped_b, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(write_client)
KV_LOOP_DEFINE(write_server)
KV_LOOP_DEFINE(write_pingpong)
