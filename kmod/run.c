// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "ah.h"
#include "buf.h"
#include "cq.h"
#include "dev.h"
#include "handler.h"
#include "loop/flow.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "refuse.h"
#include "rules/request.h"
#include "run.h"
#include "srq.h"
#include "wqe.h"
#include "wr.h"

/* Notes which attribute a rule refuses. */
static int run_refuse_by(const struct kv_refusal *why, struct kv_run_culprit *wrong,
			 struct netlink_ext_ack *extack)
{
	wrong->attr = why->attr;
	return kv_refuse_by(extack, why);
}

static int run_check_qp(const struct kv_run_spec_facts *s, const struct kv_run_end *end,
			struct kv_run_culprit *wrong, struct netlink_ext_ack *extack)
{
	struct kv_qp *qp = end->qp;
	struct kv_cq *send = qp->send_cq, *recv = qp->recv_cq;
	const struct kv_run_qp_facts facts = {
		.type = qp->type,
		.has_ah = end->ah,
		.ah_pd = end->ah && end->ah->obj.parents[0] == &qp->pd->obj,
		.srq = qp->srq,
		.srq_pd = qp->srq && qp->srq->pd == qp->pd,
		.context = send->context,
		.other_context = send->context != s->context,
		.polled = send->context == KVERBS_CQ_POLLED && recv->context == KVERBS_CQ_POLLED,
		.srq_cq = send->wqes.srq_qps > (qp->srq && send == recv) ||
			  recv->wqes.srq_qps > !!qp->srq,
		.pending = kv_wqe_pending(send) || kv_wqe_pending(recv),
	};
	struct kv_refusal why;

	if (kv_run_check_qp(s, &facts, &why))
		return run_refuse_by(&why, wrong, extack);
	return end->has_cqs ? kv_qp_check_outstanding(qp, extack) : 0;
}

/* Do the CPU and the device see each other's writes to the last byte without a sync? */
static bool run_is_coherent(const struct kv_run_memory *memory, u32 bytes)
{
	return kv_buf_coherent(memory->buf, memory->offset + bytes - 1);
}

/* The receiver of a WRITE polls memory instead of a CQ, and so does the receiver of credits. */
static int run_check_polled(const struct kv_run_spec *spec, const struct kv_run_end *end,
			    struct netlink_ext_ack *extack)
{
	bool write = end->target.buf && spec->op == KVERBS_OP_WRITE;
	bool local = write || spec->loop == KVERBS_LOOP_CREDIT_SERVER;
	bool target = write || spec->loop == KVERBS_LOOP_CREDIT_STREAM;
	u32 sent = kv_run_local_bytes(spec->loop, spec->size);
	u32 filled = kv_run_target_bytes(spec->loop, spec->size);

	if ((!local || run_is_coherent(&end->local, sent)) &&
	    (!target || run_is_coherent(&end->target, filled)))
		return 0;
	if (kv_run_has_credits(spec->loop))
		return kv_refuse(extack, -EOPNOTSUPP,
				 "buffers have to be synced between the device and the CPU here, so no thread can watch a buffer for credits");
	return kv_refuse(extack, -EOPNOTSUPP,
			 "buffers have to be synced between the device and the CPU here, so no thread can watch a buffer for a WRITE: take SEND");
}

/* Marks the QPs and, of the ends that have CQs for themselves or for their worker, the CQs. */
static enum kv_run_cqs run_mark(const struct kv_run_spec *spec)
{
	u32 i, each = spec->ends / spec->workers;
	struct kv_run_marks marks = {};

	for (i = 0; i < spec->ends; i++) {
		struct kv_run_end *end = &spec->end[i];
		const struct kv_qp *first = spec->end[i - i % each].qp;
		struct kv_qp *qp = end->qp;
		bool same = i % each && qp->send_cq == first->send_cq &&
			    qp->recv_cq == first->recv_cq;

		end->has_cqs = kv_run_mark_end(&marks, same, &qp->in_spec, &qp->send_cq->marked,
					       &qp->recv_cq->marked);
	}
	return kv_run_judge_cqs(&marks, spec->ends, spec->workers);
}

static void run_unmark(const struct kv_run_spec *spec)
{
	u32 i;

	for (i = 0; i < spec->ends; i++) {
		spec->end[i].qp->in_spec = false;
		spec->end[i].qp->send_cq->marked = false;
		spec->end[i].qp->recv_cq->marked = false;
	}
}

static struct kv_run_buf_facts run_buf_facts(const struct kv_qp *qp,
					     const struct kv_run_memory *memory)
{
	const struct kv_buf *buf = memory->buf;
	const struct kv_mr *mr = memory->mr;
	struct kv_run_buf_facts facts = {
		.buffer = buf->length,
		.first = memory->offset,
		.contiguous = kv_buf_place(buf, memory->offset).length,
		.dma_key = true,
		.by_mr = mr,
	};

	if (!mr)
		return facts;
	facts.same_pd = mr->obj.parents[KV_MR_PD] == qp->obj.parents[KV_QP_PD];
	facts.registered = kv_mr_over(mr, &buf->obj);
	facts.offset = mr->offset;
	facts.length = mr->length;
	return facts;
}

/*
 * Posted receives need the present target: the QP, or its SRQ, keeps its buffer and its key for
 * them. So do credits.
 */
static bool run_is_other_target(const struct kv_qp *qp, const struct kv_run_memory *target)
{
	const struct kv_srq *srq = qp->srq;
	struct kv_obj *const *uses = srq ? &srq->obj.parents[KV_SRQ_TARGET_BUF] :
					   &qp->obj.parents[KV_QP_TARGET_BUF];

	if (!(srq ? srq->run_recvs : qp->run_recvs) && !qp->credit.recvs)
		return false;
	return uses[0] != &target->buf->obj ||
	       uses[1] != (target->mr ? &target->mr->obj : NULL) ||
	       (srq ? srq->target_offset : qp->target_offset) != target->offset;
}

/*
 * Does an earlier end of the run take receives from the same SRQ into another target? The last one
 * of them has been compared with those before it; of most runs it is the end before this one.
 */
static bool run_splits_srq(const struct kv_run_spec *spec, const struct kv_run_end *end)
{
	const struct kv_run_memory *target = &end->target;
	const struct kv_run_end *from = end;

	while (from-- > spec->end)
		if (from->qp->srq == end->qp->srq)
			return from->target.buf != target->buf || from->target.mr != target->mr ||
			       from->target.offset != target->offset;
	return false;
}

/* May the QP keep the buffer and the MR after the run? */
static bool run_keeps(const struct kv_run_memory *memory)
{
	return (!memory->buf || kv_obj_persistent(&memory->buf->obj)) &&
	       (!memory->mr || kv_obj_persistent(&memory->mr->obj));
}

/* Is a CPU given that no thread can run on? */
static bool run_cpu_offline(int cpu)
{
	return cpu >= 0 && (cpu >= nr_cpu_ids || !cpu_online(cpu));
}

/* The bytes over which an end's MR is registered again and again, and their rights. */
static struct kv_mr_reg run_reg(const struct kv_run_spec *spec, const struct kv_run_end *end)
{
	bool sink = kv_op_among(spec->op, KV_OPS_READ);
	const struct kv_run_memory *memory = sink ? &end->local : &end->target;

	return (struct kv_mr_reg){
		.buf = memory->buf,
		.offset = memory->offset,
		.length = spec->size,
		.access = KVERBS_ACCESS_LOCAL_WRITE | (sink ? 0 : KVERBS_ACCESS_REMOTE_WRITE),
	};
}

static struct kv_reg_facts run_reg_facts(const struct kv_run_spec *spec,
					 const struct kv_run_end *end)
{
	const struct kv_mr_reg reg = run_reg(spec, end);

	return (struct kv_reg_facts){
		.buffer = reg.buf->length,
		.offset = reg.offset,
		.length = reg.length,
		.page_size = kv_dev_page_size(end->qp->obj.dev),
		.max_pages = end->inv_mr->max_pages,
		.access = reg.access,
	};
}

/* How many ends complete into the CQ of one. */
static u32 run_cq_ends(const struct kv_run_spec *spec, const struct kv_run_spec_facts *s)
{
	return s->cqs == KV_RUN_CQS_WORKER ? spec->ends / spec->workers : 1;
}

static int run_check_end(const struct kv_run_spec *spec, const struct kv_run_spec_facts *s,
			 const struct kv_run_end *end, struct kv_run_culprit *wrong,
			 struct netlink_ext_ack *extack)
{
	struct kv_qp *qp = end->qp;
	struct kv_run_end_facts facts = {
		.needs_reset = qp->needs_reset,
		.grh = kv_run_grh(qp->type),
		.other_target = end->target.buf && run_is_other_target(qp, &end->target),
		.credits = qp->credit.recvs,
		.gives_credits = qp->credit.gives,
		.one_cq = qp->recv_cq == qp->send_cq,
		.sq_sig_all = qp->sq_sig_all,
		.max_inline = qp->cap.max_inline_data,
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->srq ? qp->srq->max_sge : qp->cap.max_recv_sge,
		.max_send_wr = qp->cap.max_send_wr,
		.send_cqe = qp->send_cq->cqe / run_cq_ends(spec, s),
		.max_recv_wr = qp->srq ? qp->srq->max_wr : qp->cap.max_recv_wr,
		.recv_cqe = qp->recv_cq->cqe / run_cq_ends(spec, s),
		.remote_addr = end->remote_addr,
		.offline = run_cpu_offline(end->cpu),
		.has_inv_mr = end->inv_mr,
	};
	struct kv_refusal why;
	int ret;

	if (qp->srq) {
		facts.srq_target = run_splits_srq(spec, end);
		facts.srq_by_hand = qp->srq->wqes.rq.taken;
		facts.srq_lost = qp->srq->run_lost || qp->srq->undrained;
	}
	if (end->inv_mr) {
		facts.inv_same_pd = end->inv_mr->obj.parents[KV_MR_PD] ==
				    qp->obj.parents[KV_QP_PD];
		facts.reg = run_reg_facts(spec, end);
	}
	if (end->local.buf)
		facts.local = run_buf_facts(qp, &end->local);
	if (end->target.buf)
		facts.target = run_buf_facts(qp, &end->target);
	ret = run_check_qp(s, end, wrong, extack);
	if (ret)
		return ret;

	if (kv_obj_persistent(&qp->obj) &&
	    !(run_keeps(&end->local) && run_keeps(&end->target) &&
	      (!end->ah || kv_obj_persistent(&end->ah->obj)) &&
	      (!end->inv_mr || kv_obj_persistent(&end->inv_mr->obj))))
		return kv_refuse(extack, -EINVAL,
				 "the qp is persistent, and a buffer, an mr or an ah is not: that object would go while the qp has it posted");
	if (qp->srq && kv_obj_persistent(&qp->srq->obj) && !run_keeps(&end->target))
		return kv_refuse(extack, -EINVAL,
				 "the srq is persistent, and a buffer or an mr is not: that object would go while the srq has it posted");

	ret = kv_qp_check_rts(qp, extack);
	if (ret)
		return ret;
	if (kv_run_check_end(s, &facts, &why))
		return run_refuse_by(&why, wrong, extack);
	return run_check_polled(spec, end, extack);
}

/* The context of a run's completions: that of its send CQs. */
static u32 run_context(const struct kv_run_spec *spec)
{
	return spec->ends ? spec->end[0].qp->send_cq->context : KVERBS_CQ_POLLED;
}

static struct kv_run_spec_facts run_spec_facts(const struct kv_dev *dev,
					       const struct kv_run_spec *spec, enum kv_run_cqs cqs)
{
	return (struct kv_run_spec_facts){
		.loop = spec->loop,
		.op = spec->op,
		.size = spec->size,
		.depth = spec->depth,
		.list = spec->list,
		.signal = spec->signal,
		.spins = spec->spins_given,
		.context = run_context(spec),
		.atomic = dev->ib->attrs.atomic_cap != IB_ATOMIC_NONE,
		.mem_mgt = dev->ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS,
		.reg_mr = true,
		.keeps_map = dev->ib->ops.driver_id != RDMA_DRIVER_CXGB4,
		.iwarp = kv_dev_iwarp(dev),
		.several = kv_run_spec_several(spec),
		.cqs = cqs,
		.flags = spec->flags,
		.sges = spec->sges,
		.recv_sges = spec->recv_sges,
		.max_sge_rd = dev->ib->attrs.max_sge_rd,
		.paced = spec->interval_ns,
		.srq = spec->ends && spec->end[0].qp->srq,
		.offline = run_cpu_offline(spec->cpu),
		.credits = spec->credits,
	};
}

static void run_release(const struct kv_run_spec *spec, u32 ends)
{
	while (ends--)
		kv_worker_release_end(&spec->end[ends], true);
}

/* @wrong: receives the end that another run has claimed. */
static int run_claim(const struct kv_run_spec *spec, struct kv_run_culprit *wrong,
		     struct netlink_ext_ack *extack)
{
	int ret;
	u32 i;

	for (i = 0; i < spec->ends; i++) {
		ret = spec->end[i].has_cqs ? kv_qp_claim(spec->end[i].qp, extack) : 0;
		if (ret) {
			wrong->end = i;
			run_release(spec, i);
			return ret;
		}
	}
	return 0;
}

/*
 * The receives that the loop expects, less those that are posted already; an SRQ counts the
 * receives of all runs on its QPs.
 */
static int run_post_recvs(const struct kv_run_spec *spec, const struct kv_run_end *from,
			  struct kv_end *end, struct netlink_ext_ack *extack)
{
	struct kv_srq *srq = from->qp->srq;
	u32 *posted = srq ? &srq->run_recvs : &from->qp->run_recvs;
	u32 recvs = kv_run_recvs(spec->loop, spec->op, spec->depth);
	int ret = 0;

	while (*posted < recvs && !ret) {
		ret = srq ? kv_env_post_srq_recv(end) : kv_env_post_recv(end);
		*posted += !ret;
	}
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_POST, ret, srq ?
				    "ib_post_srq_recv failed" : "ib_post_recv failed") : 0;
}

/* @slot: of the buffer; that of the MR is the next one. */
static void run_give_memory(struct kv_obj *user, unsigned int slot,
			    const struct kv_run_memory *memory)
{
	kv_obj_set_parent(user, slot, &memory->buf->obj);
	kv_obj_set_parent(user, slot + 1, memory->mr ? &memory->mr->obj : NULL);
}

/* No loop has two ends that register an MR: what is refused here has changed nothing. */
static int run_begin_mr(const struct kv_run_spec *spec, const struct kv_run_end *end,
			struct kv_run_culprit *wrong, struct netlink_ext_ack *extack)
{
	const struct kv_mr_reg reg = run_reg(spec, end);
	int ret = kv_mr_begin_run(end->inv_mr, end->qp, &reg, extack);

	if (ret)
		wrong->attr = kv_run_inv_attr();
	return ret;
}

static int run_prep_end(const struct kv_run_spec *spec, struct kv_end *end,
			const struct kv_run_end *from, struct netlink_ext_ack *extack)
{
	struct kv_obj *qp = &from->qp->obj;

	kv_qp_note_run(from->qp, from->has_cqs);
	if (from->local.buf)
		run_give_memory(qp, KV_QP_LOCAL_BUF, &from->local);
	if (from->target.buf) {
		run_give_memory(qp, KV_QP_TARGET_BUF, &from->target);
		from->qp->target_offset = from->target.offset;
	}
	kv_obj_set_parent(qp, KV_QP_AH, from->ah ? &from->ah->obj : NULL);
	kv_wr_prep(end, spec, from);
	if (from->qp->srq) {
		run_give_memory(&from->qp->srq->obj, KV_SRQ_TARGET_BUF, &from->target);
		from->qp->srq->target_offset = from->target.offset;
	}
	return run_post_recvs(spec, from, end, extack);
}

/* @wrong: receives what causes a refusal; its attribute is 0. */
static int run_prep(struct kv_run *run, const struct kv_run_spec_facts *s,
		    struct kv_run_culprit *wrong, struct netlink_ext_ack *extack)
{
	const struct kv_run_spec *spec = &run->spec;
	struct kv_worker *worker;
	int ret = 0;
	u32 i;

	for (i = 0; i < spec->ends && !ret; i++) {
		wrong->end = i;
		ret = run_check_end(spec, s, &spec->end[i], wrong, extack);
	}
	for (i = 0; i < spec->ends && !ret; i++) {
		wrong->end = i;
		if (spec->end[i].inv_mr)
			ret = run_begin_mr(spec, &spec->end[i], wrong, extack);
	}
	for (worker = run->worker; worker < run->worker + run->spec.workers; worker++) {
		for (i = 0; i < worker->ends && !ret; i++) {
			wrong->end = worker->from + i - spec->end;
			ret = run_prep_end(spec, &worker->end[i], &worker->from[i], extack);
		}
		if (!ret)
			kv_flow_init(&worker->loop, kv_run_has_groups(spec->loop));
		for (i = 0; i < worker->ends && s->cqs == KV_RUN_CQS_WORKER; i++)
			worker->from[i].qp->flow = &worker->loop.flow[i];
	}
	return ret;
}

static void run_free_workers(struct kv_run *run)
{
	u32 i;

	for (i = 0; i < run->spec.workers; i++)
		kv_worker_exit(&run->worker[i]);
	kvfree(run->spec.end);
}

/* The run outlives the command, whose spec has the ends. */
static int run_copy_ends(struct kv_run *run, const struct kv_run_spec *spec)
{
	if (!spec->ends)
		return 0;
	run->spec.end = kvmalloc_array(spec->ends, sizeof(*spec->end), GFP_KERNEL_ACCOUNT);
	if (!run->spec.end)
		return -ENOMEM;
	memcpy(run->spec.end, spec->end, spec->ends * sizeof(*spec->end));
	return kv_obj_set_slots(&run->obj, spec->ends);
}

static int run_init_workers(struct kv_run *run, const struct kv_run_spec *spec,
			    struct netlink_ext_ack *extack)
{
	size_t per_end = sizeof(*spec->end) + sizeof(*run->obj.parents);
	int ret;
	u32 i;

	ret = kv_obj_charge(&run->obj, spec->workers * kv_worker_bytes(run) +
			    spec->ends * per_end, extack) ?:
	      run_copy_ends(run, spec);
	for (i = 0; i < run->spec.workers && !ret; i++)
		ret = kv_worker_init(&run->worker[i], run, i);
	if (ret)
		run_free_workers(run);
	return ret;
}

static void run_pick(struct kv_run *run, const struct kv_run_spec_facts *s)
{
	const struct kv_run_spec *spec = &run->spec;
	bool bh_disabled = spec->post_context == KVERBS_POST_BH_DISABLED;
	const struct kv_loop_form form = {
		.loop = spec->loop,
		.op = spec->op,
		.several = s->several,
		.one_cq = s->cqs == KV_RUN_CQS_WORKER,
		.paced = spec->interval_ns > 0,
		.srq = spec->ends && spec->end[0].qp->srq,
	};
	u32 context = run_context(spec);

	run->told = context != KVERBS_CQ_POLLED;
	if (!run->told)
		run->fn = kv_loop_pick(&form, bh_disabled);
	else
		run->fn = context == KVERBS_CQ_EVENT ? kv_loop_pick_event(bh_disabled) :
						       kv_handler_run;
}

static struct kv_obj *run_start(const struct kv_new *new, const struct kv_run_spec *spec,
				enum kv_run_cqs cqs, struct kv_run_culprit *wrong)
{
	const struct kv_run_spec_facts facts = run_spec_facts(new->dev, spec, cqs);
	struct netlink_ext_ack *extack = new->extack;
	u32 i, workers = spec->workers;
	struct kv_refusal why;
	struct kv_run *run;
	int ret;

	*wrong = (struct kv_run_culprit){ .end = spec->ends };
	if (kv_run_check_spec(&facts, &why))
		return ERR_PTR(run_refuse_by(&why, wrong, extack));
	run = kv_obj_alloc(&kv_run_class, struct_size(run, worker, workers), new);
	if (IS_ERR(run))
		return ERR_CAST(run);
	init_completion(&run->done);
	init_completion(&run->gate);
	run->spec = *spec;
	run_pick(run, &facts);
	run->spec.end = NULL;
	atomic_set(&run->warming, workers);
	atomic_set(&run->active, workers);
	ret = run_init_workers(run, spec, extack);
	if (ret)
		goto err_free;
	ret = run_claim(spec, wrong, extack);
	if (ret)
		goto err_free_workers;
	ret = run_prep(run, &facts, wrong, extack);
	if (ret)
		goto err_release;
	wrong->end = spec->ends;
	for (i = 0; i < spec->ends; i++)
		kv_obj_set_parent(&run->obj, i, &spec->end[i].qp->obj);

	/* The run gets its id first: the threads' names and events carry it. */
	ret = kv_obj_publish(&run->obj, extack);
	if (ret)
		goto err_release;
	ret = kv_workers_spawn(run, extack);
	if (ret) {
		/* A published object can only go by kv_obj_destroy(). */
		run->state = KVERBS_RUN_DONE;
		run_release(spec, spec->ends);
		complete_all(&run->done);
		kv_obj_destroy(&run->obj, NULL);
		return ERR_PTR(ret);
	}
	return &run->obj;

err_release:
	run_release(spec, spec->ends);
err_free_workers:
	run_free_workers(run);
err_free:
	return kv_obj_give_up(&run->obj, ret);
}

/**
 * kv_run_start() - start threads that run a loop
 * @new: the device of all objects that the spec names, and the run's owner
 * @spec: what to run; values in range, and as many ends, QPs, buffers and MRs as the loop needs
 * @wrong: receives what causes a refusal
 *
 * Each thread holds a reference to the module.
 *
 * Locks: dev->lock
 * Return: the run, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_run_start(const struct kv_new *new, const struct kv_run_spec *spec,
			    struct kv_run_culprit *wrong)
{
	enum kv_run_cqs cqs = run_mark(spec);
	struct kv_obj *run = run_start(new, spec, cqs, wrong);

	run_unmark(spec);
	return run;
}

static void run_stop(struct kv_obj *obj, int reason)
{
	kv_workers_cancel(container_of(obj, struct kv_run, obj), reason);
}

/* The wait is bounded: a thread checks the stop flag before each wait that could be long. */
static void run_end_wait(struct kv_obj *obj, int reason)
{
	run_stop(obj, reason);
	wait_for_completion(&container_of(obj, struct kv_run, obj)->done);
}

static void run_remove(struct kv_obj *obj)
{
	run_end_wait(obj, -ENODEV);
}

static int run_destroy(struct kv_obj *obj)
{
	run_end_wait(obj, -ECANCELED);
	run_free_workers(container_of(obj, struct kv_run, obj));
	return 0;
}

struct kv_obj_class kv_run_class = {
	KV_OBJ_CLASS(run, KV_OBJ_RUN, "a", "cancel or delete"),
	.stop = run_stop,
	.destroy = run_destroy,
	.remove = run_remove,
};
