/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_GROUP_H
#define _KV_GROUP_H

#include "loop.h"
#include "loop_env.h"

/**
 * kv_group_post() - post a group of requests, of which the last one is signaled
 * @l: the loop
 * @e: one of its ends
 * @bh_disabled: a constant
 *
 * Return: 0, or what a post returned.
 */
static __always_inline int kv_group_post(struct kv_loop *l, struct kv_end *e,
					 int bh_disabled)
{
	__u32 quiet;
	int ret;

	for (quiet = l->quiet; quiet; quiet--) {
		ret = kv_env_post_quiet(e, bh_disabled);
		if (ret)
			return ret;
	}
	return kv_env_post_send(e, bh_disabled);
}

/**
 * kv_group_next() - where the counter of the next group stands
 * @l: the loop
 * @posted: the ring: room for kv_loop.groups counters
 * @at: one of them
 *
 * Return: the one behind it, or the first one.
 */
static __always_inline __u64 *kv_group_next(const struct kv_loop *l, __u64 *posted, __u64 *at)
{
	return ++at == posted + l->groups ? posted : at;
}

#endif
