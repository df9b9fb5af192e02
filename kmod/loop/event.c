// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "handler.h"
#include "wait.h"

/*
 * Groups of requests, as in stream.c, for a CQ that makes events: the thread sleeps until an event
 * comes, arms the CQ for the next one, and takes the completions out. In this order no completion
 * is missed: one that comes after the arming makes an event (IBTA 11.4.2.2).
 */

/* Returns 0 once the CQ is empty, or what kv_handler_take() returns. */
static __always_inline int event_take_all(struct kv_loop *l, int bh_disabled)
{
	int ret;

	while ((ret = kv_env_poll(l, kv_env_send_cq(l->a))) > 0) {
		ret = kv_handler_take(l, kv_env_now(), bh_disabled, 1);
		if (ret)
			return ret;
	}
	return ret < 0 ? kv_wait_failed(l, l->a) : 0;
}

/* Nothing came for a while: is it time to end? */
static int event_look(struct kv_loop *l, int bh_disabled)
{
	__u64 done = l->done;
	int ret = kv_wait_yield(l, *l->oldest, 0);

	if (ret != -ETIMEDOUT)
		return ret;
	/* Completions that came while others had the CPU are there. */
	ret = event_take_all(l, bh_disabled);
	return !ret && l->done == done ? -ETIMEDOUT : ret;
}

static __always_inline int event_body(struct kv_loop *l, int bh_disabled)
{
	int ret;

	ret = kv_env_arm(l->a);
	if (!ret)
		ret = kv_handler_begin(l, bh_disabled);
	while (!ret) {
		ret = kv_env_sleep(l);
		if (ret > 0) {
			ret = kv_env_arm(l->a);
			if (!ret)
				ret = event_take_all(l, bh_disabled);
		} else if (!ret) {
			ret = event_look(l, bh_disabled);
		}
	}
	kv_env_ack(l->a);
	if (ret < 0)
		return l->outstanding ? kv_sample_broken(l, ret) : ret;
	return kv_sample_end(l);
}

KV_LOOP_DEFINE(event)

/**
 * kv_loop_pick_event() - the function that runs a loop on a CQ of context event
 * @bh_disabled: post with softirqs held off
 *
 * Return: the function, of POST_TO_COMPLETION and STREAM.
 */
kv_loop_fn kv_loop_pick_event(int bh_disabled)
{
	return KV_LOOP_PICK(event, bh_disabled);
}
