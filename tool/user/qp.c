// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "cli/parse.h"
#include "rules/qp_table.h"
#include "rules/request.h"
#include "user/post.h"
#include "user/put.h"

const size_t kv_user_qp_size = sizeof(struct kv_user_qp);

_Static_assert((int)KVERBS_QPS_RESET == (int)IBV_QPS_RESET, "QP states");
_Static_assert((int)KVERBS_QPS_INIT == (int)IBV_QPS_INIT, "QP states");
_Static_assert((int)KVERBS_QPS_RTR == (int)IBV_QPS_RTR, "QP states");
_Static_assert((int)KVERBS_QPS_RTS == (int)IBV_QPS_RTS, "QP states");
_Static_assert((int)KVERBS_QPS_SQD == (int)IBV_QPS_SQD, "QP states");
_Static_assert((int)KVERBS_QPS_SQE == (int)IBV_QPS_SQE, "QP states");
_Static_assert((int)KVERBS_QPS_ERR == (int)IBV_QPS_ERR, "QP states");

_Static_assert((int)KVERBS_MIG_MIGRATED == (int)IBV_MIG_MIGRATED, "migration states");
_Static_assert((int)KVERBS_MIG_REARM == (int)IBV_MIG_REARM, "migration states");
_Static_assert((int)KVERBS_MIG_ARMED == (int)IBV_MIG_ARMED, "migration states");

static const struct {
	const char *name;
	enum ibv_qp_type ib;
	uint32_t caps; /* capability that the device needs, KVERBS_CAP_* */
} types[] = {
	[KVERBS_QPT_RC] = { "RC", IBV_QPT_RC, KVERBS_CAP_RC },
	[KVERBS_QPT_UC] = { "UC", IBV_QPT_UC, KVERBS_CAP_UC },
	[KVERBS_QPT_UD] = { "UD", IBV_QPT_UD, KVERBS_CAP_UD },
};

static int check_recv(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_qp_init *init)
{
	if (init->srq && (init->max_recv_wr || init->max_recv_sge))
		return kv_user_fail(u, -EINVAL, "%s is of no use here: receives come from the srq",
				    init->max_recv_wr ? "max_recv_wr" : "max_recv_sge");
	if (init->srq)
		return 0;
	return kv_user_check_count(u, "max_recv_wr", init->max_recv_wr,
				   dev->attr.max_qp_wr, "max_qp_wr") ?:
	       kv_user_check_count(u, "max_recv_sge", init->max_recv_sge,
				   dev->attr.max_sge, "max_recv_sge");
}

static int check_init(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_qp_init *init)
{
	if (!(kv_user_dev_caps(dev) & types[init->type].caps))
		return kv_user_fail(u, -EOPNOTSUPP, "%s has no %s qps", kv_user_dev_name(dev),
				    types[init->type].name);
	return kv_user_check_count(u, "max_send_wr", init->max_send_wr,
				   dev->attr.max_qp_wr, "max_qp_wr") ?:
	       kv_user_check_count(u, "max_send_sge", init->max_send_sge,
				   dev->attr.max_sge, "max_send_sge") ?:
	       check_recv(u, dev, init);
}

/* Sets the QP's CQs and SRQ, which must be of the PD's device. */
static int set_parents(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_init *init)
{
	qp->send_cq = kv_user_obj_find(u, KV_CQ, init->send_cq);
	qp->recv_cq = qp->send_cq ? kv_user_obj_find(u, KV_CQ, init->recv_cq) : NULL;
	if (!qp->recv_cq)
		return -ENOENT;
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_SEND_CQ, &qp->send_cq->obj);
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_RECV_CQ, &qp->recv_cq->obj);
	if (qp->send_cq->api != init->api || qp->recv_cq->api != init->api)
		return kv_user_fail(u, -EINVAL, "the qp and its cqs are not all of the same api");
	qp->api = init->api;
	if (init->srq) {
		qp->srq = kv_user_obj_find(u, KV_SRQ, init->srq);
		if (!qp->srq)
			return -ENOENT;
		kv_user_obj_set_parent(&qp->obj, KV_USER_QP_SRQ, &qp->srq->obj);
	}
	for (unsigned int i = 0; i < qp->obj.slots; i++)
		if (qp->obj.parents[i] && qp->obj.parents[i]->dev != qp->obj.dev)
			return kv_user_fail(u, -EINVAL,
					    "pd %u, the cqs and the srq are not all of the same device",
					    init->pd);
	return 0;
}

/* @attr: as for ibv_create_qp(); receives the values in effect */
static struct ibv_qp *create_ib(const struct kv_user_qp *qp, struct ibv_qp_init_attr *attr)
{
	struct ibv_pd *pd = ((struct kv_user_pd *)qp->obj.parents[KV_USER_QP_PD])->ib;
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = kv_user_put_flags(attr->qp_type,
						    kv_user_dev_has_atomic_write(qp->obj.dev)),
	};
	struct ibv_qp *ib;

	if (qp->api == KV_API_POST)
		return ibv_create_qp(pd, attr);
	ib = ibv_create_qp_ex(pd->context, &ex);
	attr->cap = ex.cap;
	return ib;
}

static int create_qp(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_init *init)
{
	const struct ibv_qp_init_attr asked = {
		.qp_context = qp,
		.send_cq = qp->send_cq->ib,
		.recv_cq = qp->recv_cq->ib,
		.srq = qp->srq ? qp->srq->ib : NULL,
		.cap.max_send_wr = init->max_send_wr,
		.cap.max_recv_wr = init->max_recv_wr,
		.cap.max_send_sge = init->max_send_sge,
		.cap.max_recv_sge = init->max_recv_sge,
		.cap.max_inline_data = init->max_inline,
		.qp_type = types[init->type].ib,
		.sq_sig_all = init->sq_sig_all,
	};
	struct ibv_qp_init_attr attr = asked;

	qp->ib = KV_USER_TIMED(u, create_ib(qp, &attr));
	if (!qp->ib)
		return kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno,
					   "ibv_create_qp%s with max_send_wr %u, max_recv_wr %u and max_inline %u: %s",
					   init->api == KV_API_WR ? "_ex" : "", init->max_send_wr, init->max_recv_wr, init->max_inline,
					   strerror(errno));
	qp->init = asked;
	qp->is = (struct kv_qp){
		.pd = init->pd,
		.type = init->type,
		.send_cq = init->send_cq,
		.recv_cq = init->recv_cq,
		.srq = init->srq,
		.max_send_wr = attr.cap.max_send_wr,
		.max_recv_wr = init->srq ? 0 : attr.cap.max_recv_wr,
		.max_send_sge = attr.cap.max_send_sge,
		.max_recv_sge = init->srq ? 0 : attr.cap.max_recv_sge,
		.max_inline = attr.cap.max_inline_data,
		.sq_sig_all = init->sq_sig_all,
		.qpn = qp->ib->qp_num,
	};
	kv_user_queue_init(&qp->sq, qp->is.max_send_wr, qp->is.max_send_sge);
	kv_user_queue_init(&qp->rq, qp->is.max_recv_wr, qp->is.max_recv_sge);
	return 0;
}

int kv_user_qp_new(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_init *init)
{
	int ret = set_parents(u, qp, init) ?: check_init(u, qp->obj.dev, init);

	if (ret)
		return ret;
	qp->port = 1;
	return create_qp(u, qp, init);
}

int kv_user_qp_destroy(struct kv_user *u, struct kv_user_qp *qp)
{
	int ret = -kv_user_qp_detach_all(u, qp) ?: KV_USER_TIMED(u, ibv_destroy_qp(qp->ib));

	if (!ret)
		kv_user_queue_purge_qp(u, qp);
	return -ret;
}

/*
 * Replaces a QP that can't be reset by a new QP, in RESET and with another number. The requests of
 * the old QP are flushed, and their completions are in the CQs. On failure the QP is as it was.
 */
int kv_user_qp_renew(struct kv_user *u, struct kv_user_qp *qp)
{
	struct ibv_qp_init_attr attr = qp->init;
	struct ibv_qp *ib;
	int ret;

	ib = create_ib(qp, &attr);
	if (!ib)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -errno,
					   "qp %u can't be made anew: ibv_create_qp: %s",
					   qp->obj.id, strerror(errno));
	ret = ibv_destroy_qp(qp->ib);
	if (ret) {
		ibv_destroy_qp(ib);
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					   "qp %u can't be made anew: ibv_destroy_qp: %s",
					   qp->obj.id, strerror(ret));
	}
	qp->ib = ib;
	qp->is.qpn = ib->qp_num;
	return 0;
}

/* Is there a CQ into which both QPs complete? */
bool kv_user_qp_share_cq(const struct kv_user_qp *a, const struct kv_user_qp *b)
{
	return a->send_cq == b->send_cq || a->send_cq == b->recv_cq ||
	       a->recv_cq == b->send_cq || a->recv_cq == b->recv_cq;
}

/*
 * -EBUSY if another QP has requests of a run outstanding that complete into the CQs of this one.
 * A run takes every completion for its own; the room for requests posted by hand is counted.
 */
int kv_user_qp_check_outstanding(struct kv_user *u, const struct kv_user_qp *qp)
{
	const struct kv_user_qp *other;

	KV_USER_FOR_EACH(u, KV_QP, other)
		if (other != qp && !(qp->in_spec && other->in_spec) &&
		    (other->needs_reset || other->recvs || (other->srq && other->srq->recvs)) &&
		    kv_user_qp_share_cq(qp, other))
			return kv_user_fail(u, -EBUSY,
					    "requests of an earlier run on qp %u could complete into a cq of qp %u: reset qp %u",
					    other->obj.id, qp->obj.id, other->obj.id);
	return 0;
}

/*
 * A device may bring the QP to ERR, SQE or SQD by itself, and iWARP's CM to RTS: the device is
 * asked. For earlier states iWARP drivers are not relied on: siw reports a fresh QP as INIT, and
 * siw of Linux 6.1 fills no state, which reads as RESET.
 */
static uint32_t state_of(const struct kv_user_qp *qp, const struct ibv_qp_attr *attr)
{
	if (kv_user_dev_is_iwarp(qp->obj.dev) && attr->qp_state < IBV_QPS_RTS)
		return qp->state;
	return attr->qp_state;
}

static void fill_attr(const struct kv_user_qp *qp, const struct ibv_qp_attr *attr,
		      struct kv_qp_attr *to)
{
	/* The other members hold whatever the driver left there. */
	to->mask = KV_QPA_STATE | (qp->given & ~KV_QPA_CUR_STATE);
#define ATTR(member, NAME, BIT, max, ibv, ...)		\
	if (to->mask & KV_QPA_##BIT)				\
		to->member = attr->ibv;
#define VECTOR(...)
#include "model/qp_attr.def"
	to->state = state_of(qp, attr);
	to->access &= KVERBS_ACCESS__ALL;
	to->path_mtu = to->path_mtu ? 128U << attr->path_mtu : 0;
	/* For iWARP only the state is known, if that. */
	if (kv_user_dev_is_iwarp(qp->obj.dev))
		to->port = qp->port;
	if (to->mask & KV_QPA_AV)
		kv_user_av_fill(&attr->ah_attr, &to->av);
	if (to->mask & KV_QPA_ALT_PATH)
		kv_user_av_fill(&attr->alt_ah_attr, &to->alt_av);
}

static int query(struct kv_user_qp *qp, struct ibv_qp_attr *attr)
{
	const int mask = IBV_QP_CAP | IBV_QP_DEST_QPN | (IBV_QP_DEST_QPN - 1);
	struct ibv_qp_init_attr init;
	int ret;

	memset(attr, 0, sizeof(*attr));
	ret = ibv_query_qp(qp->ib, attr, mask, &init);
	/*
	 * siw fills little, and ib_uverbs_query_qp() returns uninitialised memory for the rest;
	 * cxgb4 fills the state.
	 */
	if (kv_user_dev_is_iwarp(qp->obj.dev))
		*attr = (struct ibv_qp_attr){
			.qp_state = attr->qp_state,
			.qp_access_flags = attr->qp_access_flags,
		};
	return ret;
}

/* Asks the device for the attributes; without an answer there are none. */
void kv_user_qp_fill(struct kv_user_qp *qp, struct kv_qp *to)
{
	struct ibv_qp_attr attr;

	*to = qp->is;
	if (query(qp, &attr))
		return;
	fill_attr(qp, &attr, &to->attr);
	to->sq_draining = attr.qp_state == IBV_QPS_SQD && attr.sq_draining;
}

/*
 * Asks the device for the QP's state. On iWARP the driver's answer counts only from RTS on: see
 * state_of().
 */
int kv_user_qp_query_state(struct kv_user *u, struct kv_user_qp *qp, uint32_t *state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = { 0 };
	int ret = ibv_query_qp(qp->ib, &attr, IBV_QP_STATE, &init);

	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_QUERY, -ret,
					   "ibv_query_qp of qp %u: %s", qp->obj.id, strerror(ret));
	if ((uint32_t)attr.qp_state > KVERBS_QPS_ERR)
		return kv_user_fail(u, -EIO, "qp %u is in an unknown state: %d",
				    qp->obj.id, attr.qp_state);
	*state = state_of(qp, &attr);
	return 0;
}

/* Can a run post requests? -EINVAL unless the QP is in RTS. */
int kv_user_qp_check_rts(struct kv_user *u, struct kv_user_qp *qp)
{
	uint32_t state;
	int ret = kv_user_qp_query_state(u, qp, &state);

	if (ret || !kv_request_check_rts(state, &u->why))
		return ret;
	if (state < KVERBS_QPS_RTS && kv_user_dev_is_iwarp(qp->obj.dev))
		return kv_user_fail(u, -EINVAL, "the qp is in %s: on iWARP its conn brings it to RTS",
				    kv_qp_state_name(state));
	return kv_user_refuse(u, &u->why);
}

/* -EBUSY if a run posts on the QP or polls its CQs. */
int kv_user_qp_check_idle(struct kv_user *u, struct kv_user_qp *qp)
{
	return kv_user_cq_check_idle(u, qp->send_cq) ?: kv_user_cq_check_idle(u, qp->recv_cq);
}
