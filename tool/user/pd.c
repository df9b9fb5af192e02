// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "user/user.h"

const size_t kv_user_pd_size = sizeof(struct kv_user_pd);

int kv_user_pd_new(struct kv_user *u, struct kv_user_pd *pd, const struct kv_pd_init *init)
{
	pd->ib = KV_USER_TIMED(u, ibv_alloc_pd(pd->obj.dev->ctx));
	return pd->ib ? 0 :
	       kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno, "%s: ibv_alloc_pd: %s",
				   init->dev, strerror(errno));
}

int kv_user_pd_destroy(struct kv_user *u, struct kv_user_pd *pd)
{
	return -KV_USER_TIMED(u, ibv_dealloc_pd(pd->ib));
}

/* libibverbs reports nothing about a PD. */
void kv_user_pd_fill(struct kv_user_pd *pd, struct kv_pd *to)
{
}
