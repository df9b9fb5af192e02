// SPDX-License-Identifier: GPL-2.0
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "dev.h"
#include "event.h"
#include "handler.h"
#include "mr.h"
#include "qp.h"
#include "refuse.h"
#include "run.h"

/* Resets the loop after the previous pass, and sets the limits of the next one. */
static struct kv_loop *worker_prep_pass(struct kv_worker *worker, u64 iters, u64 time)
{
	struct kv_loop *loop = &worker->loop;

	kv_loop_reset(loop);
	loop->iters = iters;
	loop->time = time;
	return loop;
}

/* Waits until all workers have come, or are to end. An interruptible wait may be a long one. */
static int worker_pass_gate(struct kv_run *run)
{
	if (atomic_dec_and_test(&run->warming)) {
		WRITE_ONCE(run->gate_ns, ktime_get_raw_ns());
		complete_all(&run->gate);
	} else {
		wait_for_completion_interruptible(&run->gate);
	}
	return READ_ONCE(run->gate_ns) ? 0 : -ECANCELED;
}

static int worker_measure(struct kv_worker *worker)
{
	struct kv_run *run = worker->run;
	const struct kv_run_spec *spec = &run->spec;
	kv_loop_fn fn = run->fn;
	struct kv_loop *loop;
	int ret = 0;

	WRITE_ONCE(worker->cpu, raw_smp_processor_id());
	if (spec->warmup) {
		ret = fn(worker_prep_pass(worker, spec->warmup, ~0ULL));
		WRITE_ONCE(worker->warmup, worker->loop.done);
	}
	loop = worker_prep_pass(worker, spec->iters, spec->time_ns == ~0ULL ? ~0ULL :
				kv_env_ns_to_ticks(spec->time_ns));
	WRITE_ONCE(worker->measuring, true);
	ret = ret ?: worker_pass_gate(run);
	if (ret)
		return ret;
	ret = fn(loop);
	WRITE_ONCE(worker->elapsed_ns, ktime_get_raw_ns() - run->gate_ns);
	/* A handler has told where it ended the loop. */
	if (fn != kv_handler_run)
		WRITE_ONCE(worker->cpu, raw_smp_processor_id());
	return ret;
}

/**
 * kv_worker_release_end() - a run does not use an end any more
 * @end: the end; a worker's first end is released last: then others may claim its CQs
 * @clean: no request of the run is outstanding there
 */
void kv_worker_release_end(const struct kv_run_end *end, bool clean)
{
	end->qp->flow = NULL;
	if (end->inv_mr)
		kv_mr_end_run(end->inv_mr, end->qp, clean);
	if (end->has_cqs)
		kv_qp_release(end->qp);
}

static void worker_release(struct kv_worker *worker)
{
	u32 i = worker->ends;

	while (i--) {
		struct kv_run_end *end = &worker->from[i];

		end->qp->needs_reset = worker->loop.busy ||
				       (worker->error && worker->error != -ECANCELED);
		kv_worker_release_end(end, !end->qp->needs_reset);
	}
}

/* The last worker has ended. */
static void worker_end_run(struct kv_run *run)
{
	struct kv_event event = { .type = KVERBS_EVENT_RUN_DONE, .error = run->error };

	/* Pairs with the acquire of the reader of the result. */
	smp_store_release(&run->state, KVERBS_RUN_DONE);
	kv_event_send_obj(&run->obj, &event);
	/* The run may be freed from here on. */
	complete_all(&run->done);
}

/**
 * kv_workers_cancel() - ask the workers to end
 * @run: the run; workers that have ended are not affected
 * @reason: the error that the workers report, a negative errno
 */
void kv_workers_cancel(struct kv_run *run, int reason)
{
	u32 i;

	cmpxchg(&run->stop_reason, 0, reason);
	for (i = 0; i < run->spec.workers; i++) {
		/* Pairs with the acquire of the thread that reads the reason. */
		smp_store_release(&run->worker[i].loop.stop, 1);
		WRITE_ONCE(run->worker[i].late, true);
		complete(&run->worker[i].wake);
	}
	complete_all(&run->gate);
}

/* The object of the event about a bad completion: its QP, or the run if no end has that QP. */
static const struct kv_obj *worker_failed_at(const struct kv_worker *worker)
{
	u32 i;

	for (i = 0; i < worker->ends; i++) {
		const struct kv_qp *qp = worker->from[i].qp;

		if (qp->ib->qp_num == worker->loop.qp_num)
			return &qp->obj;
	}
	return &worker->run->obj;
}

static int worker_thread(void *arg)
{
	struct kv_worker *worker = arg;
	struct kv_run *run = worker->run;
	int ret;

	if (run->told)
		kv_handler_attach(worker);
	ret = worker_measure(worker);
	if (run->told)
		kv_handler_detach(worker);
	/* Pairs with the release of kv_workers_cancel(). */
	if (ret == -ECANCELED && smp_load_acquire(&worker->loop.stop))
		ret = READ_ONCE(run->stop_reason);
	WRITE_ONCE(worker->error, ret);
	if (ret) {
		cmpxchg(&run->error, 0, ret);
		kv_workers_cancel(run, -ECANCELED);
	}
	kv_event_send_wc(worker_failed_at(worker), worker->loop.wc_status, worker->loop.vendor_err);
	worker_release(worker);
	/* Orders the other workers' results before the reads of the last worker. */
	if (atomic_dec_and_test(&run->active))
		worker_end_run(run);
	module_put_and_kthread_exit(0);
}

/* Are requests posted in groups? */
static bool worker_has_groups(const struct kv_run *run)
{
	return kv_run_has_groups(run->spec.loop) || run->told;
}

/*
 * How many requests the groups of an end need beside kv_end.send: the rest of that list, and a
 * quiet list.
 */
static u32 worker_more(const struct kv_run_spec *spec)
{
	return 2 * spec->list - 1;
}

static u32 worker_ends(const struct kv_run_spec *spec)
{
	return spec->ends / spec->workers;
}

/* SGEs of an end. */
static u32 worker_sges(const struct kv_run_spec *spec)
{
	return spec->sges + spec->recv_sges;
}

/**
 * kv_worker_bytes() - the memory that a worker needs
 * @run: the run
 *
 * Return: bytes: its histogram, its thread, its ends with their SGEs, and what groups of requests
 * need.
 */
size_t kv_worker_bytes(const struct kv_run *run)
{
	const struct kv_run_spec *spec = &run->spec;
	size_t per_end = sizeof(struct kv_end) + worker_sges(spec) * sizeof(struct ib_sge);

	if (worker_has_groups(run))
		per_end += spec->depth / spec->signal * sizeof(u64) +
			   worker_more(spec) * sizeof(union kv_end_wr);
	if (kv_run_spec_several(spec))
		per_end += sizeof(struct kv_flow);
	return sizeof(struct kv_hist) + THREAD_SIZE + worker_ends(spec) * per_end;
}

/* Groups need the times of those outstanding, and all requests of their lists. */
static int worker_init_groups(struct kv_worker *worker, const struct kv_run_spec *spec, int node)
{
	struct kv_loop *loop = &worker->loop;
	u32 i, more = worker_more(spec);

	loop->groups = spec->depth / spec->signal;
	loop->quiet = spec->signal / spec->list - 1;
	loop->posted = kvzalloc_node(worker->ends * loop->groups * sizeof(*loop->posted),
				     GFP_KERNEL_ACCOUNT, node);
	worker->more = kvzalloc_node(worker->ends * more * sizeof(*worker->more),
				     GFP_KERNEL_ACCOUNT, node);
	if (!loop->posted || !worker->more)
		return -ENOMEM;
	for (i = 0; i < worker->ends; i++) {
		worker->end[i].more = worker->more + i * more;
		worker->end[i].quiet = worker->end[i].more + spec->list - 1;
	}
	return 0;
}

/**
 * kv_worker_init() - set up a worker, without its thread
 * @worker: zeroed; kv_worker_exit() frees its memory
 * @run: its run, with the spec
 * @number: the worker's index in the run
 *
 * Return: 0 or -ENOMEM.
 */
int kv_worker_init(struct kv_worker *worker, struct kv_run *run, u32 number)
{
	const struct kv_run_spec *spec = &run->spec;
	int ret = 0, node = ibdev_to_node(run->obj.dev->ib);
	struct kv_loop *loop = &worker->loop;
	u32 i;

	worker->run = run;
	worker->ends = worker_ends(spec);
	worker->from = &run->spec.end[number * worker->ends];
	worker->cpu = -1;
	kv_handler_init(worker);
	worker->hist = kvzalloc_node(sizeof(*worker->hist), GFP_KERNEL_ACCOUNT, node);
	worker->end = kvzalloc_node(worker->ends * sizeof(*worker->end), GFP_KERNEL_ACCOUNT, node);
	worker->sges = kvzalloc_node(worker->ends * worker_sges(spec) * sizeof(*worker->sges),
				     GFP_KERNEL_ACCOUNT, node);
	if (!worker->hist || !worker->end || !worker->sges)
		return -ENOMEM;
	for (i = 0; i < worker->ends; i++) {
		worker->end[i].send_sge = worker->sges + i * worker_sges(spec);
		worker->end[i].recv_sge = worker->end[i].send_sge + spec->sges;
	}
	kv_hist_reset(worker->hist);
	loop->hist = worker->hist;
	loop->a = &worker->end[0];
	loop->b = kv_run_ends(spec->loop) > 1 ? &worker->end[1] : NULL;
	loop->timeout = kv_env_ns_to_ticks(spec->timeout_ns);
	loop->grace = kv_env_ns_to_ticks(KVERBS_GRACE_NS);
	loop->spins = spec->spins;
	loop->interval = kv_env_ns_to_ticks(spec->interval_ns);
	loop->fraction = kv_env_ns_to_fraction(spec->interval_ns);
	loop->sends = spec->signal;
	if (worker_has_groups(run))
		ret = worker_init_groups(worker, spec, node);
	if (ret || !kv_run_spec_several(spec))
		return ret;
	loop->flows = worker->ends;
	loop->flow = kvzalloc_node(loop->flows * sizeof(*loop->flow), GFP_KERNEL_ACCOUNT, node);
	return loop->flow ? 0 : -ENOMEM;
}

/**
 * kv_worker_exit() - undo kv_worker_init()
 * @worker: its thread has ended, or never began
 */
void kv_worker_exit(struct kv_worker *worker)
{
	kvfree(worker->loop.flow);
	kvfree(worker->more);
	kvfree(worker->loop.posted);
	kvfree(worker->sges);
	kvfree(worker->end);
	kvfree(worker->hist);
}

static int worker_create(struct kv_worker *worker, struct netlink_ext_ack *extack)
{
	const struct kv_run *run = worker->run;
	int cpu = worker->ends && worker->from->cpu >= 0 ? worker->from->cpu : run->spec.cpu;
	struct task_struct *task;

	/* The thread's reference: rmmod fails while it runs. An rmmod that has begun goes on. */
	if (!try_module_get(THIS_MODULE))
		return kv_refuse(extack, -ENODEV, "the module is being unloaded");
	task = kthread_create_on_node(worker_thread, worker, ibdev_to_node(run->obj.dev->ib),
				      "kverbs/%u", run->obj.id);
	if (IS_ERR(task)) {
		module_put(THIS_MODULE);
		return kv_refuse(extack, PTR_ERR(task), "no thread for the run");
	}
	/* The thread takes the caller's niceness, so that both spaces compete for the CPU alike. */
	set_user_nice(task, worker->run->spec.nice);
	if (cpu >= 0)
		kthread_bind(task, cpu);
	worker->task = task;
	return 0;
}

/**
 * kv_workers_spawn() - start the threads of a run: all, or none
 * @run: has its id, its QPs claimed; it may end at any time after this
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_workers_spawn(struct kv_run *run, struct netlink_ext_ack *extack)
{
	const struct kv_event event = { .type = KVERBS_EVENT_RUN_STARTED };
	u32 i, n = run->spec.workers;
	int ret;

	for (i = 0; i < n; i++) {
		ret = worker_create(&run->worker[i], extack);
		if (ret)
			goto err_stop;
	}
	kv_event_send_obj(&run->obj, &event);
	/* The run stays: its destruction needs dev->lock. */
	for (i = 0; i < n; i++)
		wake_up_process(run->worker[i].task);
	return 0;

err_stop:
	/* A thread that was never woken ends without its function. */
	while (i--) {
		kthread_stop(run->worker[i].task);
		module_put(THIS_MODULE);
	}
	return ret;
}
