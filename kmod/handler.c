// SPDX-License-Identifier: GPL-2.0
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include "cq.h"
#include "handler.h"
#include "loop/handler.h"
#include "qp.h"
#include "run.h"

/*
 * Runs that are told of completions instead of polling for them.
 *
 * The RDMA core polls a CQ of ib_alloc_cq() in a softirq or in a workqueue, and calls the request's
 * done() for each completion. This handler is the loop's body: it takes the sample and posts the
 * next group. The run's thread posts the first group and sleeps until the loop is over.
 *
 * A CQ with context event has a completion handler (ib_create_cq()), which wakes the run's thread
 * (loop/event.c). The handler does not poll: rxe calls it under the CQ's lock, with interrupts off
 * (rxe_cq_post()). Others call it in a tasklet (mlx5_cq_tasklet_cb(), bnxt_qplib_service_nq()), in
 * the interrupt (irdma_process_ceq()), or where a request completes (siw_sqe_complete()).
 *
 * kv_cq.loop is the loop of the active run. A handler uses it in an RCU read section, and
 * kv_handler_detach() waits for these sections before the run's memory may go.
 */

static void handler_end(struct kv_loop *l, int error)
{
	struct kv_worker *worker = container_of(l, struct kv_worker, loop);

	WRITE_ONCE(worker->cpu, raw_smp_processor_id());
	l->error = error;
	/* Pairs with the acquire of the run's thread. */
	smp_store_release(&l->ended, 1);
	complete(&worker->wake);
}

/* @status: what kv_env_take() returned. */
static __always_inline void handler_take(struct kv_loop *l, int status, u64 now, int bh_disabled)
{
	int ret;

	/* Of the completions of a QP that fails, the first one tells why. */
	if (unlikely(status < 0))
		ret = kv_sample_broken(l, status);
	else
		ret = kv_handler_take(l, now, bh_disabled, 0);
	if (unlikely(ret))
		handler_end(l, min(ret, 0));
}

static __always_inline void handler_done(struct ib_cq *ib, struct ib_wc *wc, int bh_disabled)
{
	u64 now = kv_env_now();
	struct kv_cq *cq = ib->cq_context;
	struct kv_loop *l;

	rcu_read_lock();
	l = rcu_dereference(cq->loop);
	/* Completions that a run has left behind are taken at its QP's drain. */
	if (l && !READ_ONCE(l->ended))
		handler_take(l, kv_env_take(l, ib, wc), now, bh_disabled);
	rcu_read_unlock();
}

static void handler_done_process(struct ib_cq *ib, struct ib_wc *wc)
{
	handler_done(ib, wc, 0);
}

static void handler_done_bh_disabled(struct ib_cq *ib, struct ib_wc *wc)
{
	handler_done(ib, wc, 1);
}

/**
 * kv_handler_cqe() - the ib_cqe of a run's requests
 * @post_context: enum kverbs_post_context
 *
 * A CQ that its run polls has no loop: the completions that the run has left are dropped.
 *
 * Return: it, the same for all runs.
 */
struct ib_cqe *kv_handler_cqe(u32 post_context)
{
	static struct ib_cqe process = { .done = handler_done_process };
	static struct ib_cqe bh_disabled = { .done = handler_done_bh_disabled };

	return post_context == KVERBS_POST_BH_DISABLED ? &bh_disabled : &process;
}

/**
 * kv_handler_notify() - the device has called the completion handler of a CQ
 * @cq: the CQ, with context event
 *
 * Context: any
 * Return: false if no run is active on the CQ.
 */
bool kv_handler_notify(struct kv_cq *cq)
{
	struct kv_loop *l;

	rcu_read_lock();
	l = rcu_dereference(cq->loop);
	if (l)
		complete(&container_of(l, struct kv_worker, loop)->wake);
	rcu_read_unlock();
	return l;
}

/* The interval of looks at the limits of a run whose thread sleeps without limit. */
#define WATCH (HZ / 10)

static void handler_watch(struct timer_list *timer)
{
	struct kv_worker *worker = container_of(timer, struct kv_worker, watch);

	WRITE_ONCE(worker->late, true);
	complete(&worker->wake);
	mod_timer(timer, jiffies + WATCH);
}

/**
 * kv_env_sleep() - wait for the event of the CQ of a loop's sends
 * @l: the loop
 *
 * A wait with a timeout would set up a timer for each sample.
 *
 * Return: as described in loop/loop.h.
 */
int kv_env_sleep(struct kv_loop *l)
{
	struct kv_worker *worker = container_of(l, struct kv_worker, loop);

	if (wait_for_completion_interruptible(&worker->wake))
		return 0;
	if (likely(!READ_ONCE(worker->late)))
		return 1;
	WRITE_ONCE(worker->late, false);
	return 0;
}

static struct kv_cq *handler_cq(const struct kv_worker *worker)
{
	return worker->from->qp->send_cq;
}

/**
 * kv_handler_init() - set up what a worker needs
 * @worker: the worker
 */
void kv_handler_init(struct kv_worker *worker)
{
	init_completion(&worker->wake);
	timer_setup(&worker->watch, handler_watch, 0);
}

/**
 * kv_handler_attach() - give the completions of a CQ to a worker's loop
 * @worker: its run has claimed the CQ
 */
void kv_handler_attach(struct kv_worker *worker)
{
	struct kv_cq *cq = handler_cq(worker);

	/* No completion belongs to the loop before it begins. */
	worker->loop.ended = 1;
	rcu_assign_pointer(cq->loop, &worker->loop);
	if (cq->context == KVERBS_CQ_EVENT)
		mod_timer(&worker->watch, jiffies + WATCH);
}

/**
 * kv_handler_detach() - undo kv_handler_attach()
 * @worker: the worker; no handler uses its loop afterwards
 *
 * Context: may sleep
 */
void kv_handler_detach(struct kv_worker *worker)
{
	timer_delete_sync(&worker->watch);
	RCU_INIT_POINTER(handler_cq(worker)->loop, NULL);
	synchronize_rcu();
}

/* Returns 0 once the loop has ended. */
static int handler_wait(struct kv_worker *worker)
{
	unsigned long timeout = nsecs_to_jiffies(worker->run->spec.timeout_ns) + 1;
	unsigned long grace = nsecs_to_jiffies(KVERBS_GRACE_NS) + 1;
	struct kv_loop *l = &worker->loop;
	u64 done = READ_ONCE(l->done);
	bool stop;

	/* Pairs with the release of handler_end(). */
	while (!smp_load_acquire(&l->ended)) {
		stop = kv_env_stop(l);
		/* Woken at the end, and by kv_workers_cancel(). */
		if (wait_for_completion_interruptible_timeout(&worker->wake,
							      stop ? grace : timeout))
			continue;
		if (stop)
			return -ECANCELED;
		if (READ_ONCE(l->done) == done)
			return -ETIMEDOUT;
		done = READ_ONCE(l->done);
	}
	return 0;
}

/**
 * kv_handler_run() - run a loop whose completions the RDMA core hands out
 * @l: of a worker with kv_handler_attach()
 *
 * Context: may sleep
 * Return: as a kv_loop_fn.
 */
int kv_handler_run(struct kv_loop *l)
{
	struct kv_worker *worker = container_of(l, struct kv_worker, loop);
	int ret;

	l->error = 0;
	WRITE_ONCE(l->ended, 0);
	ret = worker->run->spec.post_context == KVERBS_POST_BH_DISABLED ?
		kv_handler_begin(l, 1) : kv_handler_begin(l, 0);
	if (ret) {
		WRITE_ONCE(l->ended, 1);
		return ret < 0 ? ret : kv_sample_end(l);
	}
	ret = handler_wait(worker);
	if (ret) {
		kv_handler_detach(worker);
		/* It may have ended meanwhile. */
		if (!l->ended)
			return kv_sample_broken(l, ret);
	}
	return l->error ?: kv_sample_end(l);
}
