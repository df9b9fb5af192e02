// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"

/*
 * No verbs: what two counter reads and the record cost. Reported beside every
 * result, never subtracted from one.
 */
static __always_inline int null_body(struct kv_loop *l, int bh_disabled)
{
	__u64 t0, t1;

	(void)bh_disabled; /* nothing is posted */
	t1 = kv_sample_start(l);
	while (kv_sample_more(l, t1)) {
		t0 = kv_env_now();
		t1 = kv_env_now();
		kv_sample_take(l, t0, t1);
	}
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(null)
