// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "flow.h"

/**
 * kv_flow_init() - set up the flows of a loop of several ends
 * @l: the loop, with room for @l->flows flows; @l->a is the first of as many ends, and @l->posted
 *	has room for @l->groups counters of each
 * @sends: the loop polls for sends; else for receives
 *
 * The ends have their CQs.
 */
void kv_flow_init(struct kv_loop *l, int sends)
{
	struct kv_flow *f = l->flow;
	__u32 i;

	for (i = 0; i < l->flows; i++, f++) {
		f->end = &l->a[i];
		f->cq = sends ? kv_env_send_cq(f->end) : kv_env_recv_cq(f->end);
		f->next = i + 1 < l->flows ? f + 1 : l->flow;
		f->posted = l->posted + i * l->groups;
	}
}

/**
 * kv_flow_share() - how evenly iterations are shared out to the ends
 * @l: a loop of several ends; it may run meanwhile
 * @least: receives the iterations of the end that has the fewest
 * @most: receives those of the end that has the most
 */
void kv_flow_share(const struct kv_loop *l, __u64 *least, __u64 *most)
{
	__u64 done;
	__u32 i;

	*least = ~0ULL;
	*most = 0;
	for (i = 0; i < l->flows; i++) {
		done = kv_env_get(&l->flow[i].done);
		*least = done < *least ? done : *least;
		*most = done > *most ? done : *most;
	}
}

/**
 * kv_flow_yield() - kv_wait_yield() for a wait for a completion of any end
 * @l: the loop
 * @since: counter when the wait began
 * @idle: as there
 * @late: 0 before the first call of this wait
 *
 * A stream has requests outstanding, so that nobody has to ask whether the peers are there.
 *
 * Return: as kv_wait_yield(); -ETIMEDOUT comes after one more look at all CQs.
 */
int kv_flow_yield(struct kv_loop *l, __u64 since, int idle, int *late)
{
	int ret = kv_wait_yield(l, since, idle);

	return ret == -ETIMEDOUT && !(*late)++ ? 0 : ret;
}
