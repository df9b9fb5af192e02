/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_CQ_H
#define _KV_RULES_CQ_H

#include <kverbs.h>
#include "refusal.h"

/* Rules about CQ moderation: the device puts events of several completions together. */

/**
 * struct kv_cq_moderation - how events are put together, or the most that a device can
 * @count: so many completions make one event
 * @period: microseconds after which the event comes for fewer, too
 *
 * Both 0: the device's own way; as a limit: the device has no CQ moderation.
 */
struct kv_cq_moderation {
	__u32 count;
	__u32 period;
};

/* Is it to be set? */
static inline bool kv_cq_moderates(const struct kv_cq_moderation *moderation)
{
	return moderation->count || moderation->period;
}

int kv_cq_check_moderation(const struct kv_cq_moderation *moderation,
			   const struct kv_cq_moderation *most, __u32 context,
			   struct kv_refusal *why);

#endif
