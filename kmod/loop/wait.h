/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_WAIT_H
#define _KV_WAIT_H

#include "loop.h"
#include "loop_env.h"

/* The same in ib_verbs.h and libibverbs (IBTA 11.6.2). */
#define KV_WC_FLUSHED 5 /* WR_FLUSH_ERR */
#define KV_WC_REM_INV_REQ 9

int kv_wait_yield(struct kv_loop *l, __u64 since, int idle);
int kv_wait_failed(struct kv_loop *l, struct kv_end *e);
int kv_wait_give_up(struct kv_loop *l, struct kv_end *e, struct kv_env_cq *cq, int why);
int kv_wait_rx_tail_poll(struct kv_loop *l, struct kv_end *e, __u8 value, int until,
			 struct kv_end *from, __u64 since);

/**
 * kv_wait_wc() - wait for one completion
 * @l: the loop
 * @e: the end that the completion is for
 * @cq: its send or its receive CQ
 * @since: counter when the wait began, for the deadline
 * @idle: nothing is outstanding: when somebody stops us, don't wait for the completion
 *
 * Return: 0, or what ended the loop.
 */
static __always_inline int kv_wait_wc(struct kv_loop *l, struct kv_end *e,
				      struct kv_env_cq *cq, __u64 since,
				      int idle)
{
	__u32 empty = 0;
	int ret;

	for (;;) {
		ret = kv_env_poll(l, cq);
		if (__builtin_expect(ret > 0, 1))
			return 0;
		if (ret < 0)
			return kv_wait_failed(l, e);
		if (empty++ < l->spins) {
			kv_env_relax();
			continue;
		}
		ret = kv_wait_yield(l, since, idle);
		if (ret)
			return kv_wait_give_up(l, e, cq, ret);
	}
}

/**
 * kv_wait_rx_tail() - wait until the peer has written
 * @l: the loop
 * @e: the end whose target is watched
 * @value: with @until 1 wait for this value, with 0 for another one
 * @until: a constant
 * @from: the end whose WRITE this waits for; NULL if that is not of this loop
 * @since: counter when the wait began, for the deadline
 *
 * Return: 0; 1 if the completion of that WRITE was taken meanwhile; or what
 * ended the loop.
 */
static __always_inline int kv_wait_rx_tail(struct kv_loop *l, struct kv_end *e,
					   __u8 value, int until,
					   struct kv_end *from, __u64 since)
{
	if ((kv_env_rx_tail(e) == value) == until)
		return 0;
	return kv_wait_rx_tail_poll(l, e, value, until, from, since);
}

#endif
