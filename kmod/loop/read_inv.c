// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"
#include "wait.h"

/*
 * As post_to_completion.c, of a list of two requests: the sink is registered under its next key,
 * and the READ that invalidates that key. rdma_rw registers a sink in this way, and iSER and NFS
 * use it (rdma_rw_init_mr_wrs()). The next registration fails if the key is still valid
 * (siw_fastreg_mr()).
 */

static __always_inline int read_inv_body(struct kv_loop *l, int bh_disabled)
{
	struct kv_end *a = l->a;
	__u64 t0, t1;
	int ret;

	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		kv_env_register_next(a);
		kv_env_sink_next(a);
		t0 = kv_env_now();
		ret = kv_env_post_send(a, bh_disabled);
		if (ret)
			return kv_sample_broken(l, ret);
		ret = kv_wait_wc(l, a, kv_env_send_cq(a), t0, 0);
		t1 = kv_env_now();
		if (ret)
			return kv_sample_broken(l, ret);
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(read_inv)
