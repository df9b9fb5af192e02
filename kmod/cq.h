/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CQ_H
#define _KV_CQ_H

#include <linux/bitops.h>
#include "event.h"
#include "obj.h"
#include "rules/cq.h"
#include "wqe.h"

/*
 * Completions of markers that a CQ has room for, in addition to the number asked for. This
 * is the number of one QP's markers: QPs are drained one after the other (drain.c).
 */
#define KV_CQ_MARKERS 2

/**
 * struct kv_cq - a completion queue
 * @obj: base
 * @ib: the verbs object
 * @cqe: how many completions it holds, as asked for, besides those of markers
 * @comp_vector: its completion vector
 * @context: the poller and its context
 * @moderation: of its events
 * @claimed: bit 0: the CQ has a poller. The task that sets the bit may call ib_poll_cq()
 *	until it clears the bit. Nothing else takes completions out of the CQ, unless the
 *	RDMA core polls it.
 * @armed: bit 0: the next completion makes an event
 * @loop: the loop of the active run that is told of completions (handler.c), or NULL
 * @last_run: the QPs of the last run that completed into the CQ, kv_last_run_qp.link. No other
 *	QP can have left requests of a run behind; dev->lock
 * @marked: a spec that is being checked has an end that completes here; dev->lock
 * @wqes: the requests that complete here
 */
struct kv_cq {
	struct kv_obj obj;
	struct ib_cq *ib;
	u32 cqe;
	u32 comp_vector;
	enum kverbs_cq_context context;
	struct kv_cq_moderation moderation;
	unsigned long claimed;
	unsigned long armed;
	struct kv_loop __rcu *loop;
	struct list_head last_run;
	bool marked;
	struct kv_cq_wqes wqes;
};

/* Does the RDMA core poll the CQ, in a context of the kernel, instead of this module? */
static inline bool kv_cq_core_polls(const struct kv_cq *cq)
{
	return cq->context != KVERBS_CQ_POLLED && cq->context != KVERBS_CQ_EVENT;
}

struct kv_obj *kv_cq_create(const struct kv_new *new, u32 cqe, u32 comp_vector,
			    enum kverbs_cq_context context,
			    const struct kv_cq_moderation *moderation);
struct kv_cq_moderation kv_cq_most_moderation(const struct ib_device *ib);
bool kv_cq_claim(struct kv_cq *cq);
void kv_cq_release(struct kv_cq *cq);
int kv_cq_poll(struct kv_cq *cq, unsigned int max, u64 *verb_ns);
int kv_cq_arm(struct kv_cq *cq, bool solicited, struct netlink_ext_ack *extack);
bool kv_cq_wait(struct kv_cq *cq, const bool *done, unsigned int ms, u64 *slept_ns);

/**
 * kv_cq_notify() - a completion came: send an event if the CQ is armed
 * @cq: the CQ
 *
 * Context: any
 */
static inline void kv_cq_notify(struct kv_cq *cq)
{
	struct kv_event event = { .type = KVERBS_EVENT_COMPLETION };

	if (test_and_clear_bit(0, &cq->armed))
		kv_event_send_obj(&cq->obj, &event);
}

extern struct kv_obj_class kv_cq_class;

#endif
