/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_SAMPLE_H
#define _KV_SAMPLE_H

#include "loop.h"
#include "loop_env.h"

int kv_sample_broken(struct kv_loop *l, int error);

/* The steps of every loop around a sample; none of them between its timestamps. */

static __always_inline __u64 kv_sample_start(struct kv_loop *l)
{
	__u64 now = kv_env_now();

	kv_env_set(&l->first, now);
	kv_env_set(&l->last, now);
	/* If the sum overflows there is no limit: the end must not be before the start. */
	l->end = now + l->time < now ? ~0ULL : now + l->time;
	return now;
}

/**
 * kv_sample_more() - is another sample wanted?
 * @l: the loop
 * @last: what is in @l->last; the caller has it in a register
 *
 * Return: 0 when the count is reached, the time is over, or somebody stops us.
 */
static __always_inline int kv_sample_more(struct kv_loop *l, __u64 last)
{
	return !kv_env_stop(l) && l->done < l->iters && last < l->end;
}

/**
 * kv_sample_record() - a sample is complete; nothing of it is outstanding
 * @l: the loop
 * @t0: counter before
 * @t1: counter after
 *
 * Context: any
 */
static __always_inline void kv_sample_record(struct kv_loop *l, __u64 t0, __u64 t1)
{
	__u64 ticks;

	if (__builtin_expect(__builtin_sub_overflow(t1, t0, &ticks), 0))
		kv_env_add(&l->dropped, 1);
	else
		kv_hist_record(l->hist, ticks);
	kv_env_set(&l->last, t1);
	kv_env_add(&l->done, 1);
}

/**
 * kv_sample_take() - kv_sample_record() for a loop that may sleep
 * @l: the loop
 * @t0: counter before
 * @t1: counter after
 */
static __always_inline void kv_sample_take(struct kv_loop *l, __u64 t0, __u64 t1)
{
	kv_sample_record(l, t0, t1);
	kv_env_cond_resched(l);
}

/**
 * kv_sample_answer() - a message is answered, and nothing outstanding
 * @l: the loop, a server: it takes no samples
 * @t: counter when the answer was posted
 */
static __always_inline void kv_sample_answer(struct kv_loop *l, __u64 t)
{
	kv_env_set(&l->last, t);
	kv_env_add(&l->done, 1);
	kv_env_cond_resched(l);
}

/**
 * kv_sample_unasked() - a server ends where it waits for a message, with nothing outstanding
 * @error: what the wait returned
 *
 * Return: 0 if its time is over, else @error
 */
static inline int kv_sample_unasked(int error)
{
	return error == -ETIME ? 0 : error;
}

/**
 * kv_sample_end() - why are there no more samples?
 * @l: the loop
 *
 * Return: 0 if all were taken that were asked for, -ECANCELED if not.
 */
static __always_inline int kv_sample_end(struct kv_loop *l)
{
	return l->done < l->iters && l->last < l->end ? -ECANCELED : 0;
}

#endif
