// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "send_inv.h"

/*
 * The end that asks registers an MR under its next key and SENDs, by one post; the other end
 * answers by a SEND that invalidates that key. Both ends count the keys, and no message tells one.
 * A target of NVMe over Fabrics answers a command in this way (nvmet_rdma_queue_response()), and
 * the host looks at the completion of its receive (nvme_rdma_process_nvme_rsp()).
 *
 * Receives are posted as in send.c.
 */

/* As kv_wait_wc(), for the receive of the answer; the completion's key is kept. */
static __always_inline int send_inv_wait(struct kv_loop *l, struct kv_end *e, __u64 since)
{
	__u32 empty = 0;
	int ret;

	for (;;) {
		ret = kv_env_poll_inv(l, e);
		if (__builtin_expect(ret > 0, 1))
			return 0;
		if (ret < 0)
			return kv_wait_failed(l, e);
		if (empty++ < l->spins) {
			kv_env_relax();
			continue;
		}
		ret = kv_wait_yield(l, since, 0);
		if (ret)
			return kv_wait_give_up(l, e, kv_env_recv_cq(e), ret);
	}
}

/* The untimed part at the end that asks. */
static __always_inline int send_inv_check(struct kv_loop *l, struct kv_end *e, __u64 since)
{
	int ret = send_inv_settle(l, e, since);

	/* A device or a peer that invalidates nothing would be measured for what it does not do. */
	return ret || kv_env_invalidated(e) ? ret : -EKEYREJECTED;
}

static __always_inline int send_inv_client_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		kv_env_register_next(a);
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_inv_wait(l, a, t0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_inv_check(l, a, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

static __always_inline int send_inv_pingpong_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a, *b = l->b;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		kv_env_register_next(a);
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
		ret = send_inv_wait(l, a, t0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_inv_check(l, a, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = send_inv_settle(l, b, t0);
		if (ret)
			return kv_sample_broken(l, ret);
		kv_env_invalidate_next(b);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(send_inv_client)
KV_LOOP_DEFINE(send_inv_pingpong)
