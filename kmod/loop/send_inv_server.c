// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "send_inv.h"

/* The end that answers; see send_inv.c. It registers nothing, so user space has it, too. */
static __always_inline int send_inv_server_body(struct kv_loop *l, int bh_disabled)
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
		/* As in send_server(): a new deadline. */
		t1 = kv_env_now();
		ret = send_inv_settle(l, a, t1);
		if (ret)
			return kv_sample_broken(l, ret);
		/* Not before the post: a loop that ends while it waits has used no key. */
		kv_env_invalidate_next(a);
		kv_sample_answer(l, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(send_inv_server)
