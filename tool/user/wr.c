// SPDX-License-Identifier: MIT
#include <errno.h>
#include "rules/request.h"
#include "rules/run.h"
#include "user/post.h"
#include "user/run.h"

/* A run's work requests: their checks, and their making. */

static const char *const names[] = { "end", "peer" };

static const struct kv_run_end *asked(const struct kv_user_run *run, unsigned int i)
{
	return i ? &run->spec.peer : &run->spec.end;
}

static struct kv_run_rules_mr mr_facts(const struct kv_user_qp *qp, const struct kv_user_mr *mr)
{
	return (struct kv_run_rules_mr){
		.buffer = mr->length,
		.same_pd = mr->obj.parents[0] == qp->obj.parents[KV_USER_QP_PD],
		.by_mr = true,
		.registered = mr->ib,
		.offset = mr->offset,
		.length = mr->reg_length,
	};
}

static int check_rights(struct kv_user *u, const char *end, const char *role,
			const struct kv_user_mr *mr, uint32_t access)
{
	if (!(access & ~mr->access))
		return 0;
	return kv_user_fail(u, -EINVAL,
			    "%s: its %s, mr %u, is registered without the right that this needs: %s",
			    end, role, mr->obj.id,
			    access & ~mr->access & KVERBS_ACCESS_LOCAL_WRITE ?
			    "local write" : "remote write");
}

/* A QP keeps one MR: that of the receives that earlier runs have posted. */
static bool has_other_target(const struct kv_user_run *run, const struct kv_user_end *end)
{
	const struct kv_user_qp *qp = end->qp;

	return end->target && qp->recvs &&
	       (qp->obj.parents[KV_USER_QP_TARGET_MR] != &end->target->obj ||
		(run->spec.op == KVERBS_OP_SEND && end->target->ib &&
		 qp->recv_lkey != end->target->ib->lkey));
}

/* An SRQ's receive may complete on any CQ that its QPs receive on. */
static bool has_posts(const struct kv_user *u, const struct kv_user_cq *cq)
{
	const struct kv_user_qp *qp;

	if (cq->pending)
		return true;
	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp->recv_cq == cq && qp->srq && qp->srq->rq.n)
			return true;
	return false;
}

static int check_qp(struct kv_user *u, const char *end, struct kv_user_qp *qp)
{
	const struct kv_run_rules_qp facts = {
		.type = qp->type,
		.srq = qp->srq,
		.polled = qp->send_cq->context == KVERBS_CQ_POLLED &&
			  qp->recv_cq->context == KVERBS_CQ_POLLED,
		.pending = has_posts(u, qp->send_cq) || has_posts(u, qp->recv_cq),
	};
	struct kv_refusal why;

	if (kv_run_rules_check_qp(&facts, &why))
		return kv_user_fail(u, why.error, "%s: %s", end, why.text);
	return kv_user_qp_check_outstanding(u, qp);
}

static struct kv_run_rules_spec spec_facts(const struct kv_user_run *run)
{
	const struct kv_user_qp *qp = run->ends[0].qp, *peer = run->ends[1].qp;

	return (struct kv_run_rules_spec){
		.loop = run->spec.loop,
		.op = run->spec.op,
		.size = run->spec.size,
		.remote_addr = run->spec.end.remote_addr,
		.atomic = qp && kv_user_dev_has_atomics(qp->obj.dev),
		.share_cq = peer && kv_user_qp_share_cq(qp, peer),
	};
}

static int check_end(struct kv_user *u, const struct kv_user_run *run, unsigned int i)
{
	const struct kv_run_rules_spec rules = spec_facts(run);
	const struct kv_user_end *end = &run->ends[i];
	struct kv_run_rules_end facts = {
		.needs_reset = end->qp->needs_reset,
		.local = mr_facts(end->qp, end->local),
		.other_target = has_other_target(run, end),
		.one_cq = end->qp->recv_cq == end->qp->send_cq,
		.max_recv_wr = end->qp->rq.max,
		.recv_cqe = (uint32_t)end->qp->recv_cq->ib->cqe,
	};
	uint32_t op = run->spec.op;
	struct kv_refusal why;
	int ret;

	if (asked(run, i)->lkey != KVERBS_LKEY_MR)
		return kv_user_fail(u, -EOPNOTSUPP,
				    "%s: lkey dma is the kernel's: in user space the key is always an mr's",
				    names[i]);
	if (end->target)
		facts.target = mr_facts(end->qp, end->target);
	ret = check_qp(u, names[i], end->qp);
	if (!ret)
		ret = kv_user_qp_check_rts(u, end->qp);
	if (ret)
		return ret;
	if (kv_run_rules_check_end(&rules, &facts, &why))
		return kv_user_fail(u, why.error, "%s: %s", names[i], why.text);
	ret = check_rights(u, names[i], "local_mr", end->local,
			   op == KVERBS_OP_READ || kv_op_is_atomic(op) ?
			   KVERBS_ACCESS_LOCAL_WRITE : 0);
	if (ret || !end->target)
		return ret;
	return check_rights(u, names[i], "target_mr", end->target,
			    op == KVERBS_OP_SEND ? KVERBS_ACCESS_LOCAL_WRITE :
						   KVERBS_ACCESS_REMOTE_WRITE);
}

/*
 * Can the run post what it was asked to, where it was? Its @ends are filled in, and its QPs not
 * used by others.
 */
int kv_user_wr_check(struct kv_user *u, const struct kv_user_run *run)
{
	const struct kv_user_qp *qp = run->ends[0].qp, *peer = run->ends[1].qp;
	const struct kv_run_rules_spec facts = spec_facts(run);
	struct kv_refusal why;
	int ret;

	if (peer && qp->obj.dev != peer->obj.dev)
		return kv_user_fail(u, -EINVAL, "end and peer are of different devices");
	if (kv_run_rules_check_spec(&facts, &why))
		return kv_user_refuse(u, &why);
	ret = qp ? check_end(u, run, 0) : 0;
	if (!ret && peer)
		ret = check_end(u, run, 1);
	return ret;
}

static void prep_sge(struct ibv_sge *sge, const struct kv_user_mr *mr, uint64_t length)
{
	sge->addr = (uintptr_t)mr->buf;
	sge->length = (uint32_t)length;
	sge->lkey = mr->ib->lkey;
}

/* Builds the work requests that end @i of a checked run posts over and over. */
void kv_user_wr_prep(struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *from = &run->ends[i];
	const struct kv_run_end *end = asked(run, i);
	struct kv_end *to = &run->end[i];
	struct ibv_send_wr *wr = &to->send_wr;

	to->qp = from->qp->ib;
	to->send_cq = from->qp->send_cq->ib;
	to->recv_cq = from->qp->recv_cq->ib;

	prep_sge(&to->send_sge, from->local, run->spec.size);
	wr->sg_list = &to->send_sge;
	wr->num_sge = 1;
	wr->opcode = kv_user_post_opcode(run->spec.op, false);
	wr->send_flags = IBV_SEND_SIGNALED;
	switch (run->spec.op) {
	case KVERBS_OP_WRITE:
	case KVERBS_OP_READ:
		wr->wr.rdma.remote_addr = end->remote_addr;
		wr->wr.rdma.rkey = end->remote_key;
		break;
	case KVERBS_OP_FETCH_ADD:
	case KVERBS_OP_CMP_SWP:
		wr->wr.atomic.remote_addr = end->remote_addr;
		wr->wr.atomic.rkey = end->remote_key;
		wr->wr.atomic.compare_add = run->spec.compare_add;
		wr->wr.atomic.swap = run->spec.swap;
		break;
	}
	to->mark = from->local->buf + run->spec.size - 1;

	if (!from->target)
		return;
	/* All of the target: a receive may stay posted for a run of another size. */
	prep_sge(&to->recv_sge, from->target, from->target->reg_length);
	to->recv_wr.sg_list = &to->recv_sge;
	to->recv_wr.num_sge = 1;
	to->flag = from->target->buf + run->spec.size - 1;
}
