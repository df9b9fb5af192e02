// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <rdma/ib_verbs.h>
#include "cq.h"
#include "dev.h"
#include "handler.h"
#include "loop_env.h"
#include "rules/queue.h"
#include "refuse.h"

/* Completions that one ib_poll_cq() may give. */
#define BATCH 8

/* The completion handler of an armed CQ. The device may call it in any context. */
static void cq_comp_handler(struct ib_cq *ib, void *context)
{
	if (!kv_handler_notify(context))
		kv_cq_notify(context);
}

static struct ib_cq *cq_create_ib(struct kv_cq *cq, u32 cqe)
{
	static const enum ib_poll_context contexts[] = {
		[KVERBS_CQ_SOFTIRQ] = IB_POLL_SOFTIRQ,
		[KVERBS_CQ_WORKQUEUE] = IB_POLL_WORKQUEUE,
		[KVERBS_CQ_UNBOUND_WORKQUEUE] = IB_POLL_UNBOUND_WORKQUEUE,
	};
	struct ib_cq_init_attr attr = {
		.cqe = cqe,
		.comp_vector = cq->comp_vector,
	};
	struct ib_cq *ib;

	/*
	 * Not ib_alloc_cq() with IB_POLL_DIRECT: to the core it is a mistake to arm such a CQ
	 * (ib_cq_completion_direct(), core/cq.c). So a CQ that this module polls, from time to
	 * time or after an event, is polled by ib_poll_cq(), and never by
	 * ib_process_cq_direct() or ib_drain_qp(), which need a CQ of ib_alloc_cq().
	 */
	if (!kv_cq_core_polls(cq))
		return ib_create_cq(cq->obj.dev->ib, cq_comp_handler, kv_event_async, cq, &attr);
	ib = ib_alloc_cq(cq->obj.dev->ib, cq, cqe, cq->comp_vector, contexts[cq->context]);
	/* No QP uses the CQ yet, so no event can come before this. */
	if (!IS_ERR(ib))
		ib->event_handler = kv_event_async;
	return ib;
}

/**
 * kv_cq_most_moderation() - the limits of a device's CQ moderation
 * @ib: the device
 *
 * Of the drivers of 6.12 mlx5, mlx4 and hns have it; mlx5 has the operation, with limits of 0, also
 * for a device without (mlx5_ib_modify_cq()). bnxt_re, irdma, rxe and siw lack it.
 *
 * Return: both 0 if the device has none.
 */
struct kv_cq_moderation kv_cq_most_moderation(const struct ib_device *ib)
{
	struct kv_cq_moderation most = {};

	if (ib->ops.modify_cq) {
		most.count = ib->attrs.cq_caps.max_cq_moderation_count;
		most.period = ib->attrs.cq_caps.max_cq_moderation_period;
	}
	return most;
}

/*
 * mlx5_ib_modify_cq() is a command of the firmware. hns_roce_v2_modify_cq() makes less of a
 * period that HIP08 can't have, without an error. Where the core polls, its own moderation takes
 * over after some completions, if the device has that on (ib_device.use_cq_dim, set by mlx5;
 * ib_cq_rdma_dim_work(), core/cq.c): `rdma dev set DEV adaptive-moderation off` ends that.
 */
static int cq_moderate(struct kv_cq *cq, struct netlink_ext_ack *extack)
{
	int ret;

	if (!kv_cq_moderates(&cq->moderation))
		return 0;
	ret = rdma_set_cq_moderation(cq->ib, cq->moderation.count, cq->moderation.period);
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret,
				    "rdma_set_cq_moderation failed") : 0;
}

/*
 * No QP uses the CQ any more. Completions in it are lost with it (siw_destroy_cq(),
 * mlx5_ib_destroy_cq()). If a driver refuses, the core logs a warning.
 */
static int cq_destroy(struct kv_obj *obj)
{
	struct kv_cq *cq = container_of(obj, struct kv_cq, obj);

	if (kv_cq_core_polls(cq))
		kv_obj_time(obj, DESTROY, ib_free_cq(cq->ib));
	else
		kv_obj_time(obj, DESTROY, ib_destroy_cq(cq->ib));
	return 0;
}

/**
 * kv_cq_create() - allocate a completion queue
 * @new: its device and its owner
 * @cqe: how many completions it must hold, 1 .. the device's max_cqe
 * @comp_vector: completion vector, below the device's num_comp_vectors
 * @context: the poller and its context
 * @moderation: of its events, as kv_cq_check_moderation() allows
 *
 * Locks: dev->lock
 * Return: the CQ, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_cq_create(const struct kv_new *new, u32 cqe, u32 comp_vector,
			    enum kverbs_cq_context context,
			    const struct kv_cq_moderation *moderation)
{
	u32 entries = min_t(u32, cqe + KV_CQ_MARKERS, new->dev->ib->attrs.max_cqe);
	struct kv_cq *cq = kv_obj_alloc(&kv_cq_class, sizeof(*cq), new);
	int ret;

	if (IS_ERR(cq))
		return ERR_CAST(cq);
	/* The number asked for: each device rounds it differently, and markers take entries. */
	cq->cqe = cqe;
	cq->comp_vector = comp_vector;
	cq->context = context;
	cq->moderation = *moderation;
	INIT_LIST_HEAD(&cq->last_run);
	INIT_LIST_HEAD(&cq->wqes.done);
	ret = kv_obj_charge(&cq->obj, kv_queue_cq_bytes(entries), new->extack);
	if (ret)
		return kv_obj_give_up(&cq->obj, ret);

	kv_obj_time(&cq->obj, CREATE, cq->ib = cq_create_ib(cq, entries));
	ret = IS_ERR(cq->ib) ? 0 : cq_moderate(cq, new->extack);
	if (ret) {
		cq_destroy(&cq->obj);
		return kv_obj_give_up(&cq->obj, ret);
	}
	return kv_obj_made(&cq->obj, PTR_ERR_OR_ZERO(cq->ib), "the device refuses to make the cq",
			   new->extack);
}

/**
 * kv_cq_claim() - become the CQ's only poller
 * @cq: the CQ
 *
 * Return: false if the CQ has a poller already.
 */
bool kv_cq_claim(struct kv_cq *cq)
{
	return !test_and_set_bit_lock(0, &cq->claimed);
}

/**
 * kv_cq_release() - let others poll
 * @cq: the CQ, claimed by the caller
 */
void kv_cq_release(struct kv_cq *cq)
{
	clear_bit_unlock(0, &cq->claimed);
}

/**
 * kv_cq_poll() - take some completions out, and hand each to its request
 * @cq: the CQ, claimed by the caller and not polled by the RDMA core
 * @max: how many at most
 * @verb_ns: the time that ib_poll_cq() took is added; NULL: nobody asks for it
 *
 * Return: how many it has taken out; 0: there are no more, or a negative errno.
 */
int kv_cq_poll(struct kv_cq *cq, unsigned int max, u64 *verb_ns)
{
	struct ib_wc wc[BATCH];
	u64 start;
	int i, n;

	/*
	 * A CQ that gives fewer completions than asked for may not be empty
	 * (bnxt_qplib_poll_cq()). bnxt_re and irdma make flush completions only during a poll
	 * (bnxt_qplib_process_flush_list(), irdma_generate_flush_completions()).
	 */
	start = ktime_get_raw_ns();
	n = ib_poll_cq(cq->ib, min_t(unsigned int, max, BATCH), wc);
	if (verb_ns)
		*verb_ns += ktime_get_raw_ns() - start;
	for (i = 0; i < n; i++)
		wc[i].wr_cqe->done(cq->ib, &wc[i]);
	return n;
}

/* A timed wait polls for this time before it sleeps. */
#define SPIN_NS (10 * NSEC_PER_MSEC)

/**
 * kv_cq_wait() - wait for a completion that sets a flag
 * @cq: the completion's CQ; claimed by the caller, unless the RDMA core polls it
 * @done: the flag; set with release
 * @ms: how long to wait, milliseconds
 * @slept_ns: receives the time that the caller has slept. In the first 10 ms the caller does
 *	not sleep: like the loops it polls, and calls schedule() after many empty polls.
 *	NULL: nothing is timed, so the caller sleeps from the beginning
 *
 * Completions of other requests that come meanwhile go to the lists of their queues.
 *
 * Context: may sleep
 * Return: true if the completion came.
 */
bool kv_cq_wait(struct kv_cq *cq, const bool *done, unsigned int ms, u64 *slept_ns)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(ms);
	u64 start = ktime_get_raw_ns(), now;
	u32 spins = kv_env_default_spins(), empty = 0;
	bool late = false;

	if (slept_ns)
		*slept_ns = 0;
	/* Pairs with the release in the completion's handler. */
	while (!smp_load_acquire(done)) {
		if (!kv_cq_core_polls(cq) && kv_cq_poll(cq, UINT_MAX, NULL) > 0)
			continue;
		/* Polled once more: completions may have come while this task had no CPU. */
		if (late)
			return false;
		late = time_after(jiffies, deadline);
		if (late)
			continue;
		now = ktime_get_raw_ns();
		if (!slept_ns || now - start > SPIN_NS) {
			usleep_range(1, 10);
			if (slept_ns)
				*slept_ns += ktime_get_raw_ns() - now;
		} else if (empty++ < spins) {
			cpu_relax();
		} else {
			schedule();
		}
	}
	return true;
}

/**
 * kv_cq_arm() - let the next completion make one event
 * @cq: the CQ
 * @solicited: only a solicited completion, or an error
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0; 1 if completions are there already: then an event need not come; or a negative errno.
 */
int kv_cq_arm(struct kv_cq *cq, bool solicited, struct netlink_ext_ack *extack)
{
	enum ib_cq_notify_flags flags = IB_CQ_REPORT_MISSED_EVENTS |
		(solicited ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP);
	int ret = 0;

	lockdep_assert_held(&cq->obj.dev->lock);
	if (test_bit(0, &cq->claimed))
		return kv_refuse(extack, -EBUSY,
				 "a run is active on a qp with this cq: wait for it or cancel it");
	if (cq->context == KVERBS_CQ_POLLED)
		return kv_refuse(extack, -EINVAL,
				 "the cq's context is polled: make one with context event");
	if (kv_cq_core_polls(cq) && solicited)
		return kv_refuse(extack, -EINVAL,
				 "solicited needs a cq with context event: a completion does not show whether it is a solicited one");

	/*
	 * The bit is set first: the event may come before the verb returns. bnxt_re_req_notify_cq()
	 * returns 1 without arming; siw_req_notify_cq() returns the number of completions.
	 */
	set_bit(0, &cq->armed);
	if (!kv_cq_core_polls(cq))
		kv_obj_time(&cq->obj, ARM, ret = ib_req_notify_cq(cq->ib, flags));
	if (ret < 0) {
		clear_bit(0, &cq->armed);
		return kv_verb_failed(extack, KVERBS_STAGE_ARM, ret, "ib_req_notify_cq failed");
	}
	/*
	 * Some completions may have been taken out of the CQ already, by the RDMA core or by a wait
	 * for a registration or a drain.
	 */
	return ret > 0 || !list_empty_careful(&cq->wqes.done);
}

struct kv_obj_class kv_cq_class = {
	KV_OBJ_CLASS(cq, KV_OBJ_CQ, "a", "delete"),
	.destroy = cq_destroy,
};
