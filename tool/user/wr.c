// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include "user/post.h"
#include "user/run.h"

/* A run's work requests: their checks, and their making. */

static const char *const names[] = { "end", "peer" };

static const struct kv_run_end *asked(const struct kv_user_run *run, unsigned int i)
{
	return i ? &run->spec.peer : &run->spec.end;
}

static int check_mr(struct kv_user *u, const struct kv_user_run *run, unsigned int i,
		    const char *role, const struct kv_user_mr *mr, uint32_t access)
{
	const struct kv_user_qp *qp = run->ends[i].qp;
	const char *end = names[i];
	uint32_t size = run->spec.size;

	if (size > mr->length)
		return kv_user_fail(u, -EINVAL,
				    "%s: size is %u, but the buffer of its %s, mr %u, has %" PRIu64 " bytes",
				    end, size, role, mr->obj.id, mr->length);
	if (mr->obj.parents[0] != qp->obj.parents[KV_USER_QP_PD])
		return kv_user_fail(u, -EINVAL, "%s: its %s, mr %u, and qp %u are of different pds",
				    end, role, mr->obj.id, qp->obj.id);
	if (!mr->ib)
		return kv_user_fail(u, -EINVAL,
				    "%s: its %s, mr %u, is not registered: register it first",
				    end, role, mr->obj.id);
	if (mr->offset || mr->reg_length < size)
		return kv_user_fail(u, -EINVAL,
				    "%s: its %s, mr %u, is not registered over the bytes from its start to size %u",
				    end, role, mr->obj.id, size);
	if (access & ~mr->access)
		return kv_user_fail(u, -EINVAL,
				    "%s: its %s, mr %u, is registered without the right that this needs: %s",
				    end, role, mr->obj.id,
				    access & ~mr->access & KVERBS_ACCESS_LOCAL_WRITE ?
				    "local write" : "remote write");
	return 0;
}

static int check_recvs(struct kv_user *u, const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_qp *qp = run->ends[i].qp;
	const char *end = names[i];

	if (qp->recv_cq == qp->send_cq)
		return kv_user_fail(u, -EINVAL,
				    "%s: SEND needs a qp whose send_cq and recv_cq differ; those of qp %u are both cq %u",
				    end, qp->obj.id, qp->recv_cq->obj.id);
	if (qp->rq.max < KV_LOOP_RECVS || qp->recv_cq->ib->cqe < KV_LOOP_RECVS)
		return kv_user_fail(u, -EINVAL,
				    "%s: SEND needs a max_recv_wr and a cqe of %d at least; qp %u has %u, its recv_cq %d",
				    end, KV_LOOP_RECVS, qp->obj.id, qp->rq.max,
				    qp->recv_cq->ib->cqe);
	return 0;
}

/* A QP keeps one MR: that of the receives that earlier runs have posted. */
static int check_left(struct kv_user *u, const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_mr *target = run->ends[i].target;
	const struct kv_user_qp *qp = run->ends[i].qp;

	if (qp->recvs && (qp->obj.parents[KV_USER_QP_TARGET_MR] != &target->obj ||
			  (run->spec.op == KVERBS_OP_SEND && qp->recv_lkey != target->ib->lkey)))
		return kv_user_fail(u, -EBUSY,
				    "%s: receives of an earlier run are posted on qp %u with another target_mr or registration: reset the qp and connect it anew",
				    names[i], qp->obj.id);
	return 0;
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

static int check_cq(struct kv_user *u, const char *end, const struct kv_user_cq *cq)
{
	if (cq->context != KVERBS_CQ_POLLED)
		return kv_user_fail(u, -EINVAL,
				    "%s: cq %u has context event: a run needs cqs with context polled",
				    end, cq->obj.id);
	if (has_posts(u, cq))
		return kv_user_fail(u, -EBUSY,
				    "%s: requests posted by hand are outstanding, or their completions not polled: poll cq %u, or reset the qp",
				    end, cq->obj.id);
	return 0;
}

static int check_qp(struct kv_user *u, const char *end, struct kv_user_qp *qp)
{
	int ret;

	if (qp->type != KVERBS_QPT_RC || qp->srq)
		return kv_user_fail(u, -EINVAL, "%s: qp %u %s: a run needs an RC qp without an srq",
				    end, qp->obj.id, qp->srq ? "has an srq" : "is not RC");
	ret = check_cq(u, end, qp->send_cq);
	if (!ret)
		ret = check_cq(u, end, qp->recv_cq);
	return ret ? ret : kv_user_qp_check_outstanding(u, qp);
}

static int check_end(struct kv_user *u, const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *end = &run->ends[i];
	uint32_t op = run->spec.op;
	int ret;

	if (asked(run, i)->lkey > KVERBS_LKEY_MAX)
		return kv_user_fail(u, -EINVAL, "%s: lkey is %u: there is no such kind", names[i],
				    asked(run, i)->lkey);
	if (asked(run, i)->lkey != KVERBS_LKEY_MR)
		return kv_user_fail(u, -EOPNOTSUPP,
				    "%s: lkey dma is the kernel's: in user space the key is always an mr's",
				    names[i]);
	ret = check_qp(u, names[i], end->qp);
	if (!ret)
		ret = kv_user_qp_check_rts(u, end->qp);
	if (ret)
		return ret;
	if (end->qp->needs_reset)
		return kv_user_fail(u, -EBUSY,
				    "%s: an earlier run left requests outstanding on qp %u: reset it and connect it anew",
				    names[i], end->qp->obj.id);
	ret = check_mr(u, run, i, "local_mr", end->local,
		       op == KVERBS_OP_READ || kv_user_op_is_atomic(op) ?
		       KVERBS_ACCESS_LOCAL_WRITE : 0);
	if (ret || !end->target)
		return ret;
	ret = check_mr(u, run, i, "target_mr", end->target,
		       op == KVERBS_OP_SEND ? KVERBS_ACCESS_LOCAL_WRITE :
					      KVERBS_ACCESS_REMOTE_WRITE);
	if (!ret)
		ret = check_left(u, run, i);
	if (ret || op != KVERBS_OP_SEND)
		return ret;
	return check_recvs(u, run, i);
}

static int check_atomic(struct kv_user *u, const struct kv_user_run *run)
{
	if (run->spec.size != sizeof(uint64_t))
		return kv_user_fail(u, -EINVAL, "size is %u: that of an atomic operation is 8",
				    run->spec.size);
	if (run->spec.end.remote_addr % sizeof(uint64_t))
		return kv_user_fail(u, -EINVAL,
				    "end: remote_addr 0x%" PRIx64 " of an atomic operation must be a multiple of 8",
				    run->spec.end.remote_addr);
	return kv_user_dev_check_atomic(u, run->ends[0].qp->obj.dev);
}

/*
 * Can the run post what it was asked to, where it was? Its @ends are filled in, and its QPs not
 * used by others.
 */
int kv_user_wr_check(struct kv_user *u, const struct kv_user_run *run)
{
	const struct kv_user_qp *qp = run->ends[0].qp, *peer = run->ends[1].qp;
	int ret;

	if (peer && qp->obj.dev != peer->obj.dev)
		return kv_user_fail(u, -EINVAL, "end and peer are of different devices");
	if (peer && kv_user_qp_share_cq(qp, peer))
		return kv_user_fail(u, -EBUSY,
				    "end and peer: qp %u and qp %u share a cq, or are the same: each needs its own",
				    qp->obj.id, peer->obj.id);
	ret = kv_user_op_is_atomic(run->spec.op) ? check_atomic(u, run) : 0;
	if (!ret)
		ret = check_end(u, run, 0);
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
