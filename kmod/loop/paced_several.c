// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "flow.h"
#include "pace.h"

/*
 * Groups that are due at a fixed interval, as in paced.c, at several ends. The loop has one
 * schedule, and the ends get its groups in turn. A group belongs to its end: if there is no room
 * for it there, it waits for that end, and the next group goes to the next end when it is due.
 * A sample begins when its group was due. So a slow end delays its own groups only.
 *
 * The groups that wait are not counted. An end posts its groups in their order, so the number of
 * its next one follows from those that are complete or outstanding there, and the number tells when
 * the group is due.
 *
 * The loop lasts for as many whole intervals as the ends have got groups, or longer if it is late.
 */

/* The number of a group on the schedule. @nth: which of those of its end */
static __always_inline __u64 number_of(const struct kv_loop *l, const struct kv_flow *f, __u64 nth)
{
	return nth * l->flows + (__u64)(f - l->flow);
}

/* When a group is due. The fraction has 32 bits, so that neither product overflows. */
static __always_inline __u64 due_of(const struct kv_loop *l, __u64 number)
{
	return l->first + number * l->interval + (number >> 32) * l->fraction +
	       ((number & 0xffffffff) * l->fraction >> 32);
}

/* Posts the next group of an end, which has room for it. Returns 0 or the error of a post. */
static __always_inline int post(struct kv_loop *l, struct kv_flow *f, int bh_disabled)
{
	int ret = kv_group_post(l, f->end, bh_disabled);

	if (ret)
		return ret;
	f->outstanding++;
	l->outstanding++;
	return 0;
}

/* The oldest group of an end is complete. */
static __always_inline void take(struct kv_loop *l, struct kv_flow *f, __u64 now)
{
	__u64 due = due_of(l, number_of(l, f, f->done));

	kv_env_add(&f->done, 1);
	kv_sample_take(l, due, now);
	f->outstanding--;
	l->outstanding--;
}

/* Does a group wait for room at an end? @turn: number of the first group that no end has got yet */
static __always_inline int waits(const struct kv_loop *l, const struct kv_flow *f, __u64 turn)
{
	return number_of(l, f, f->done + f->outstanding) < turn;
}

/*
 * Looks once for a completion; groups are outstanding. An end without any is not looked at.
 * @at: as kv_flow_wait(). Returns what the poll returned.
 */
static __always_inline int look(struct kv_loop *l, struct kv_flow **at, int one_cq,
				struct kv_flow **of)
{
	struct kv_flow *f = *at;

	if (one_cq) {
		*of = f;
		return kv_env_poll_flow(l, f->cq, of);
	}
	while (!f->outstanding)
		f = f->next;
	*at = f->next;
	*of = f;
	return kv_env_poll(l, f->cq);
}

/* How many looks show whether any group is complete. */
static __always_inline __u32 looks(const struct kv_loop *l, int one_cq)
{
	if (one_cq || !l->outstanding)
		return 1;
	return l->outstanding < l->flows ? l->outstanding : l->flows;
}

/*
 * A look that showed nothing. @left: looks until the CPU is yielded; @since: counter when the last
 * completion came, or when the first of the groups outstanding was posted. Returns 0 or what ends
 * the loop.
 */
static __always_inline int rest(struct kv_loop *l, int one_cq, __u64 since, __u32 *left, int *late)
{
	if (--*left) {
		kv_env_relax();
		return 0;
	}
	*left = looks(l, one_cq);
	return l->outstanding ? kv_flow_yield(l, since, 0, late) : kv_pace_yield(l);
}

static __always_inline int drive(struct kv_loop *l, int one_cq, int bh_disabled)
{
	struct kv_flow *f = l->flow, *at = f, *of;
	__u64 now = kv_sample_start(l), due = now, since = now, turn = 0;
	__u32 left = l->spins + 1;
	int ret, late = 0;

	kv_flow_reset(l);
	for (;;) {
		if (!l->outstanding)
			since = now;
		if (now >= due && turn < l->iters && kv_sample_more(l, now)) {
			if (f->outstanding < l->groups) {
				ret = post(l, f, bh_disabled);
				if (ret)
					return kv_sample_broken(l, ret);
				left = l->spins + looks(l, one_cq);
			}
			f = f->next;
			due = due_of(l, ++turn);
		} else if (now >= due && !l->outstanding) {
			kv_env_set(&l->last, now);
			return kv_sample_end(l);
		}
		ret = l->outstanding ? look(l, &at, one_cq, &of) : 0;
		if (ret < 0)
			return kv_sample_broken(l, kv_wait_failed(l, of->end));
		if (!ret) {
			ret = rest(l, one_cq, since, &left, &late);
			if (ret)
				return l->outstanding ? kv_sample_broken(l, ret) : ret;
			now = kv_env_now();
			continue;
		}
		now = kv_env_now();
		take(l, of, now);
		since = now;
		late = 0;
		if (waits(l, of, turn) && kv_sample_more(l, now)) {
			ret = post(l, of, bh_disabled);
			if (ret)
				return kv_sample_broken(l, ret);
		}
		left = l->spins + looks(l, one_cq);
	}
}

static __always_inline int paced_several_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 0, bh_disabled);
}

static __always_inline int paced_several_one_cq_body(struct kv_loop *l, int bh_disabled)
{
	return drive(l, 1, bh_disabled);
}

KV_LOOP_DEFINE(paced_several)
KV_LOOP_DEFINE(paced_several_one_cq)
