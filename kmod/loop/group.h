/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_GROUP_H
#define _KV_GROUP_H

#include "loop.h"
#include "loop_env.h"

/**
 * kv_group_post() - post a group of requests, of which the last one is signaled
 * @l: the loop
 * @bh_disabled: a constant
 *
 * Return: 0, or what a post returned.
 */
static __always_inline int kv_group_post(struct kv_loop *l, int bh_disabled)
{
	__u32 quiet;
	int ret;

	for (quiet = l->quiet; quiet; quiet--) {
		ret = kv_env_post_quiet(l->a, bh_disabled);
		if (ret)
			return ret;
	}
	return kv_env_post_send(l->a, bh_disabled);
}

#endif
