/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_WAIT_H
#define _KV_WAIT_H

#include "loop.h"
#include "loop_env.h"

/* IB_WC_WR_FLUSH_ERR and IBV_WC_WR_FLUSH_ERR (IBTA 11.6.2). */
#define KV_WC_FLUSHED 5

int kv_wait_let_go(struct kv_loop *l, __u64 since);
int kv_wait_failed(struct kv_loop *l, struct kv_end *e);
int kv_wait_timed_out(struct kv_loop *l);

/**
 * kv_wait_wc() - wait for one completion
 * @l: the loop
 * @e: the end that the completion is for
 * @cq: its send or its receive CQ
 * @since: counter when the wait began, for the deadline
 *
 * Return: 0, or what ended the loop.
 */
static __always_inline int kv_wait_wc(struct kv_loop *l, struct kv_end *e,
				      struct kv_env_cq *cq, __u64 since)
{
	__u32 empty = 0;
	int ret;

	while (!(ret = kv_env_poll(l, cq))) {
		if (empty++ < l->spins) {
			kv_env_relax();
			continue;
		}
		ret = kv_wait_let_go(l, since);
		if (ret)
			return ret == -ETIMEDOUT ? kv_wait_timed_out(l) : ret;
	}
	return ret > 0 ? 0 : kv_wait_failed(l, e);
}

/**
 * kv_wait_flag() - wait until the peer has written a value
 * @l: the loop
 * @e: the end whose target is watched
 * @value: what is waited for
 * @until: 1: until the flag is @value, 0: until it is something else
 * @from: the end whose WRITE this waits for, if it is of this loop
 * @reaped: set to 1 if the completion of that WRITE was taken meanwhile; 1 if
 *	there is none to take
 * @since: counter when the wait began
 *
 * When it lets the CPU go it looks at the send CQ too: else a WRITE that failed
 * would only be seen at the deadline.
 *
 * Return: 0, or what ended the loop.
 */
static __always_inline int kv_wait_flag(struct kv_loop *l, struct kv_end *e,
					__u8 value, int until,
					struct kv_end *from, int *reaped,
					__u64 since)
{
	__u32 empty = 0;
	int ret;

	while ((kv_env_flag(e) == value) != until) {
		if (empty++ < l->spins) {
			kv_env_relax();
			continue;
		}
		if (!*reaped) {
			ret = kv_env_poll(l, kv_env_send_cq(from));
			if (ret < 0)
				return ret;
			*reaped = ret;
		}
		ret = kv_wait_let_go(l, since);
		if (ret)
			return ret;
	}
	return 0;
}

#endif
