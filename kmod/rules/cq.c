// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "cq.h"

/**
 * kv_cq_check_moderation() - can the device moderate the events of a CQ in this way?
 * @moderation: the way
 * @most: the device's max_cq_moderation_count and max_cq_moderation_period
 * @context: enum kverbs_cq_context
 * @why: receives the refusal, with an attribute of KVERBS_A_CQ_*
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device can't do it.
 */
int kv_cq_check_moderation(const struct kv_cq_moderation *moderation,
			   const struct kv_cq_moderation *most, __u32 context,
			   struct kv_refusal *why)
{
	__u32 given = moderation->count ? KVERBS_A_CQ_MODERATION_COUNT :
					  KVERBS_A_CQ_MODERATION_PERIOD;

	if (!kv_cq_moderates(moderation))
		return 0;
	return kv_refusal_if(why, context == KVERBS_CQ_POLLED, -EINVAL, given,
			     "a cq with context polled makes no events to moderate: make a cq with another context") ?:
	       /* One is 0: mlx5 does not moderate; no period: the last event would never come. */
	       kv_refusal_if(why, !moderation->count || !moderation->period, -EINVAL, given,
			     "moderation_count and moderation_period go together: give both") ?:
	       kv_refusal_if(why, !kv_cq_moderates(most), -EOPNOTSUPP, given,
			     "the device has no CQ moderation") ?:
	       kv_refusal_if(why, moderation->count > most->count, -EINVAL,
			     KVERBS_A_CQ_MODERATION_COUNT,
			     "moderation_count is above the device's max_cq_moderation_count") ?:
	       kv_refusal_if(why, moderation->period > most->period, -EINVAL,
			     KVERBS_A_CQ_MODERATION_PERIOD,
			     "moderation_period is above the device's max_cq_moderation_period");
}
