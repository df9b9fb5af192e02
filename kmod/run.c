// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "mr.h"
#include "qp.h"
#include "refuse.h"
#include "rules/run.h"
#include "run.h"
#include "wqe.h"
#include "wr.h"

enum run_parent { RUN_QP, RUN_PEER_QP };

static bool receives(const struct kv_run_spec *spec)
{
	return spec->op == KVERBS_OP_SEND;
}

static int check_qp(struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	struct kv_cq *send = qp->send_cq, *recv = qp->recv_cq;
	const struct kv_run_rules_qp facts = {
		.type = qp->type,
		.srq = qp->srq,
		.polled = send->context == KVERBS_CQ_POLLED && recv->context == KVERBS_CQ_POLLED,
		.srq_cq = send->wqes.srq_qps || recv->wqes.srq_qps,
		.pending = kv_wqe_pending(send) || kv_wqe_pending(recv),
	};
	struct kv_refusal why;

	if (kv_run_rules_check_qp(&facts, &why))
		return kv_refuse_by(extack, &why);
	return kv_qp_check_leftovers(qp, extack);
}

/* A WRITE's receiver watches memory, and no completion. */
static int check_polled(const struct kv_run_end *end, struct netlink_ext_ack *extack)
{
	if (kv_mr_coherent(end->local) && kv_mr_coherent(end->target))
		return 0;
	return kv_refuse(extack, -EOPNOTSUPP,
			 "buffers have to be synced between the device and the CPU here, so none can be polled for a WRITE: take SEND");
}

static bool shares_cq(const struct kv_qp *a, const struct kv_qp *b)
{
	return a->send_cq == b->send_cq || a->send_cq == b->recv_cq ||
	       a->recv_cq == b->send_cq || a->recv_cq == b->recv_cq;
}

static struct kv_run_rules_mr mr_facts(const struct kv_run_end *end, const struct kv_mr *mr)
{
	return (struct kv_run_rules_mr){
		.buffer = mr->length,
		.same_pd = mr->obj.parents[0] == end->qp->obj.parents[KV_QP_PD],
		.by_mr = end->lkey == KVERBS_LKEY_MR,
		.registered = kv_mr_registered(mr),
		.offset = mr->offset,
		.length = mr->reg_length,
	};
}

static struct kv_run_rules_spec spec_facts(const struct kv_dev *dev,
					   const struct kv_run_spec *spec)
{
	return (struct kv_run_rules_spec){
		.loop = spec->loop,
		.op = spec->op,
		.size = spec->size,
		.remote_addr = spec->end.remote_addr,
		.atomic = dev->ib->attrs.atomic_cap != IB_ATOMIC_NONE,
		.share_cq = spec->peer.qp && shares_cq(spec->end.qp, spec->peer.qp),
	};
}

static int check_end(const struct kv_run_spec *spec, const struct kv_run_end *end,
		     struct netlink_ext_ack *extack)
{
	struct kv_qp *qp = end->qp;
	const struct kv_run_rules_spec rules = spec_facts(qp->obj.dev, spec);
	struct kv_run_rules_end facts = {
		.needs_reset = qp->dirty,
		.local = mr_facts(end, end->local),
		/* The present target keeps the buffer of these receives. */
		.other_target = end->target && qp->run_recvs &&
				qp->obj.parents[KV_QP_TARGET_MR] != &end->target->obj,
		.one_cq = qp->recv_cq == qp->send_cq,
		.max_recv_wr = qp->cap.max_recv_wr,
		.recv_cqe = qp->recv_cq->cqe,
	};
	struct kv_refusal why;
	int ret;

	if (end->target)
		facts.target = mr_facts(end, end->target);

	ret = check_qp(qp, extack);
	if (ret)
		return ret;

	/* The QP keeps them after the run. */
	if (kv_obj_persistent(&qp->obj) &&
	    (!kv_obj_persistent(&end->local->obj) ||
	     (end->target && !kv_obj_persistent(&end->target->obj))))
		return kv_refuse(extack, -EINVAL,
				 "the qp is persistent and an mr is not: it would go while the qp has it posted");

	ret = kv_qp_check_rts(qp, extack);
	if (ret)
		return ret;
	if (kv_run_rules_check_end(&rules, &facts, &why))
		return kv_refuse_by(extack, &why);
	ret = kv_wr_check_sink(end->local, spec->op, end->lkey, extack);
	if (!ret && end->target && spec->op == KVERBS_OP_WRITE)
		ret = check_polled(end, extack);
	return ret;
}

static int check_spec(const struct kv_dev *dev, const struct kv_run_spec *spec,
		      struct netlink_ext_ack *extack)
{
	const struct kv_run_rules_spec facts = spec_facts(dev, spec);
	struct kv_refusal why;

	if (kv_run_rules_check_spec(&facts, &why))
		return kv_refuse_by(extack, &why);
	if (spec->cpu >= 0 && (spec->cpu >= nr_cpu_ids || !cpu_online(spec->cpu)))
		return kv_refuse(extack, -EINVAL, "cpu is not online");
	return 0;
}

/* The receives that the loop expects, less those that are posted already. */
static int post_recvs(struct kv_qp *qp, struct kv_end *end,
		      struct netlink_ext_ack *extack)
{
	int ret;

	for (; qp->run_recvs < KV_LOOP_RECVS; qp->run_recvs++) {
		ret = kv_env_post_recv(end);
		if (ret)
			return kv_refuse(extack, ret, "ib_post_recv failed");
	}
	return 0;
}

static int prep_end(struct kv_run *run, struct kv_end *end,
		    const struct kv_run_end *from, struct netlink_ext_ack *extack)
{
	struct kv_obj *qp = &from->qp->obj;

	from->qp->send_cq->ran = from->qp;
	from->qp->recv_cq->ran = from->qp;
	kv_obj_set_parent(qp, KV_QP_LOCAL_MR, &from->local->obj);
	if (from->target)
		kv_obj_set_parent(qp, KV_QP_TARGET_MR, &from->target->obj);
	kv_wr_prep(end, &run->spec, from);
	return receives(&run->spec) ? post_recvs(from->qp, end, extack) : 0;
}

/* Forget the pass before, and set the limits of the next. */
static struct kv_loop *prep_pass(struct kv_run *run, u64 iters, u64 time)
{
	struct kv_loop *loop = &run->loop;

	kv_loop_reset(loop);
	loop->iters = iters;
	loop->time = time;
	return loop;
}

static void release_end(struct kv_run *run, const struct kv_run_end *from)
{
	if (!from->qp)
		return;
	from->qp->dirty = run->loop.busy || (run->error && run->error != -ECANCELED);
	kv_qp_release(from->qp);
}

static int run_thread(void *arg)
{
	struct kv_event event = { .type = KVERBS_EVENT_RUN_STARTED };
	struct kv_run *run = arg;
	const struct kv_run_spec *spec = &run->spec;
	struct kv_loop *loop;
	u64 start;
	int ret = 0;

	kv_event_send_obj(&run->obj, &event);
	if (spec->warmup) {
		ret = run->fn(prep_pass(run, spec->warmup, ~0ULL));
		WRITE_ONCE(run->warmed, run->loop.done);
	}
	loop = prep_pass(run, spec->iters, spec->time_ns == ~0ULL ? ~0ULL :
			 kv_env_ns_to_ticks(spec->time_ns));
	WRITE_ONCE(run->measuring, true);
	if (!ret) {
		start = ktime_get_raw_ns();
		ret = run->fn(loop);
		WRITE_ONCE(run->elapsed_ns, ktime_get_raw_ns() - start);
	}

	/* Pairs with the release of who stops it. */
	if (ret == -ECANCELED && smp_load_acquire(&run->loop.stop))
		ret = READ_ONCE(run->stop_reason);
	WRITE_ONCE(run->error, ret);
	/* Which QP of a RELAY met it the loop does not say. */
	kv_event_send_wc(spec->peer.qp || !spec->end.qp ? &run->obj : &spec->end.qp->obj,
			 run->loop.wc_status, run->loop.vendor_err);
	release_end(run, &spec->end);
	release_end(run, &spec->peer);
	/* Pairs with the acquire of who reads the result. */
	smp_store_release(&run->state, KVERBS_RUN_DONE);
	event.type = KVERBS_EVENT_RUN_DONE;
	event.error = ret;
	kv_event_send_obj(&run->obj, &event);
	/* The run may be freed from here on. */
	complete_all(&run->done);
	module_put_and_kthread_exit(0);
}

static int spawn_thread(struct kv_run *run, struct netlink_ext_ack *extack)
{
	struct task_struct *task;

	/* The thread's: an rmmod while it runs is refused. One that is under way wins. */
	if (!try_module_get(THIS_MODULE))
		return kv_refuse(extack, -ENODEV, "the module is being unloaded");
	task = kthread_create_on_node(run_thread, run, ibdev_to_node(run->obj.dev->ib),
				      "kverbs/%u", run->obj.id);
	if (IS_ERR(task)) {
		module_put(THIS_MODULE);
		return kv_refuse(extack, PTR_ERR(task), "no thread for the run");
	}
	/* As urgent as who asks for it, so that in both spaces the same thing waits. */
	set_user_nice(task, task_nice(current));
	if (run->spec.cpu >= 0)
		kthread_bind(task, run->spec.cpu);
	wake_up_process(task);
	return 0;
}

static int claim(const struct kv_run_spec *spec, struct netlink_ext_ack *extack)
{
	int ret;

	if (!spec->end.qp)
		return 0;
	ret = kv_qp_claim(spec->end.qp, extack);
	if (ret || !spec->peer.qp)
		return ret;
	ret = kv_qp_claim(spec->peer.qp, extack);
	if (ret)
		kv_qp_release(spec->end.qp);
	return ret;
}

static void release(const struct kv_run_spec *spec)
{
	if (spec->peer.qp)
		kv_qp_release(spec->peer.qp);
	if (spec->end.qp)
		kv_qp_release(spec->end.qp);
}

static int check_and_prep(struct kv_run *run, struct netlink_ext_ack *extack)
{
	const struct kv_run_spec *spec = &run->spec;
	int ret;

	if (!spec->end.qp)
		return 0;
	ret = check_end(spec, &spec->end, extack);
	if (!ret && spec->peer.qp)
		ret = check_end(spec, &spec->peer, extack);
	if (!ret)
		ret = prep_end(run, &run->end[0], &spec->end, extack);
	if (!ret && spec->peer.qp)
		ret = prep_end(run, &run->end[1], &spec->peer, extack);
	return ret;
}

/**
 * kv_run_start() - start a thread that runs a loop
 * @dev: the device of all that the spec names
 * @owner: whose run it is
 * @spec: what to run; values in range, QPs and MRs there as the loop needs them
 * @extack: where the reason of a refusal goes
 *
 * The thread holds a reference to the module.
 *
 * Locks: dev->lock
 * Return: the run, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_run_start(struct kv_dev *dev, struct kv_owner *owner,
			    const struct kv_run_spec *spec,
			    struct netlink_ext_ack *extack)
{
	struct kv_run *run;
	int ret;

	ret = check_spec(dev, spec, extack);
	if (ret)
		return ERR_PTR(ret);
	run = kv_obj_alloc(&kv_run_class, sizeof(*run), dev, owner, extack);
	if (IS_ERR(run))
		return ERR_CAST(run);
	init_completion(&run->done);
	run->spec = *spec;
	run->fn = kv_loop_pick(spec->loop, spec->op,
			       spec->post == KVERBS_POST_SOFTIRQ_OFF);
	/* Beside the histogram: what the thread needs. */
	ret = kv_obj_charge(&run->obj, sizeof(*run->hist) + THREAD_SIZE, extack);
	if (ret)
		goto err_free;
	run->hist = kvzalloc_node(sizeof(*run->hist), GFP_KERNEL_ACCOUNT,
				  ibdev_to_node(dev->ib));
	if (!run->hist) {
		ret = -ENOMEM;
		goto err_free;
	}
	kv_hist_reset(run->hist);
	run->loop.hist = run->hist;
	run->loop.a = &run->end[0];
	run->loop.b = spec->peer.qp ? &run->end[1] : NULL;
	run->loop.timeout = kv_env_ns_to_ticks(spec->timeout_ns);
	run->loop.grace = kv_env_ns_to_ticks(KVERBS_GRACE_NS);
	run->loop.spins = spec->spins;

	ret = claim(spec, extack);
	if (ret)
		goto err_free_hist;
	ret = check_and_prep(run, extack);
	if (ret)
		goto err_release;
	if (spec->end.qp)
		kv_obj_set_parent(&run->obj, RUN_QP, &spec->end.qp->obj);
	if (spec->peer.qp)
		kv_obj_set_parent(&run->obj, RUN_PEER_QP, &spec->peer.qp->obj);

	/* The id first: the thread's event carries it. */
	ret = kv_obj_publish(&run->obj, extack);
	if (ret)
		goto err_release;
	ret = spawn_thread(run, extack);
	if (ret) {
		/* Published objects have but one way to go. */
		run->error = ret;
		run->state = KVERBS_RUN_DONE;
		release(spec);
		complete_all(&run->done);
		kv_obj_destroy(&run->obj, NULL);
		return ERR_PTR(ret);
	}
	return &run->obj;

err_release:
	release(spec);
err_free_hist:
	kvfree(run->hist);
err_free:
	return kv_obj_give_up(&run->obj, ret);
}

/**
 * kv_run_cancel() - ask the thread to end
 * @run: the run; one that has ended stays as it is
 * @reason: what it shall report, a negative errno
 */
void kv_run_cancel(struct kv_run *run, int reason)
{
	cmpxchg(&run->stop_reason, 0, reason);
	/* Pairs with the acquire of the thread that reads the reason. */
	smp_store_release(&run->loop.stop, 1);
}

static void stop_run(struct kv_obj *obj, int reason)
{
	kv_run_cancel(container_of(obj, struct kv_run, obj), reason);
}

/* Bounded: the thread looks at the stop flag before each wait that could last. */
static void end_run(struct kv_obj *obj, int reason)
{
	stop_run(obj, reason);
	wait_for_completion(&container_of(obj, struct kv_run, obj)->done);
}

static void remove_run(struct kv_obj *obj)
{
	end_run(obj, -ENODEV);
}

static int destroy_run(struct kv_obj *obj)
{
	end_run(obj, -ECANCELED);
	kvfree(container_of(obj, struct kv_run, obj)->hist);
	return 0;
}

struct kv_obj_class kv_run_class = {
	KV_OBJ_CLASS(run, KV_OBJ_RUN, "a", "cancel or delete"),
	.stop = stop_run,
	.destroy = destroy_run,
	.remove = remove_run,
};
