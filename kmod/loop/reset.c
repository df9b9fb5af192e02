// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loop.h"

/**
 * kv_loop_reset() - clear what a loop has left; what it works on stays
 * @l: the loop; others may read it meanwhile
 */
void kv_loop_reset(struct kv_loop *l)
{
	__u32 i;

	kv_hist_reset(l->hist);
	kv_env_set(&l->first, 0);
	kv_env_set(&l->last, 0);
	kv_env_set(&l->done, 0);
	kv_env_set(&l->dropped, 0);
	kv_env_set(&l->yields, 0);
	for (i = 0; i < l->flows; i++)
		kv_env_set(&l->flow[i].done, 0);
}
