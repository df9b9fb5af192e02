// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include "loop/loop.h"
#include "measure/connect.h"
#include "measure/endpoint.h"
#include "qp_table.h"

/* One registration, one for the drain. */
#define SEND_WRS_MORE 2
/* One for the drain. */
#define RECV_WRS_MORE 1

#define PORT 1
#define PSN_MASK 0xffffff

/* 0.64 ms (IBTA table 45) */
#define RNR_TIMER 12
#define HOP_LIMIT 64

/**
 * kv_verb_name() - name of a verb, as it stands in results
 * @verb: which
 *
 * Return: the name.
 */
const char *kv_verb_name(enum kv_verb verb)
{
	static const char *const name[KV_VERBS] = {
		[KV_VERB_PD_NEW] = "alloc_pd",
		[KV_VERB_CQ_NEW] = "create_cq",
		[KV_VERB_MR_NEW] = "alloc_mr",
		[KV_VERB_TOUCH] = "first_touch",
		[KV_VERB_QP_NEW] = "create_qp",
		[KV_VERB_QP_INIT] = "modify_qp_init",
		[KV_VERB_QP_RTR] = "modify_qp_rtr",
		[KV_VERB_QP_RTS] = "modify_qp_rts",
		[KV_VERB_MR_REG] = "reg_mr",
		[KV_VERB_CM_CREATE_ID] = "cm_create_id",
		[KV_VERB_CM_RESOLVE_ADDR] = "cm_resolve_addr",
		[KV_VERB_CM_RESOLVE_ROUTE] = "cm_resolve_route",
		[KV_VERB_CM_CONNECT] = "cm_connect",
		[KV_VERB_CM_ESTABLISH] = "cm_establish",
		[KV_VERB_CM_LISTEN] = "cm_listen",
		[KV_VERB_CM_ACCEPT] = "cm_accept",
	};

	return name[verb];
}

/* What a peer may do with the target, of those that it could. */
static uint32_t remote_access(const struct kv_work *w)
{
	switch (w->op) {
	case KVERBS_OP_WRITE:
		return KVERBS_ACCESS_REMOTE_WRITE;
	case KVERBS_OP_READ:
		return KVERBS_ACCESS_REMOTE_READ;
	case KVERBS_OP_FETCH_ADD:
	case KVERBS_OP_CMP_SWP:
		return KVERBS_ACCESS_REMOTE_ATOMIC;
	}
	return 0;
}

/* Does this end post requests, or only answer them? */
static bool is_active(const struct kv_work *w, unsigned int end)
{
	return !end || w->kind != KV_KIND_COMPLETION;
}

/* Is anything put into this end's target, or read from it? */
static bool is_target(const struct kv_work *w, unsigned int end)
{
	return end || w->kind != KV_KIND_COMPLETION;
}

/* In the kernel, local_dma_lkey reaches a buffer that has no registration. */
static bool needs_lkey(const struct kv_pair *p, unsigned int end)
{
	return p->space[end]->id == KV_SPACE_USER ||
	       p->work.lkey == KVERBS_LKEY_MR;
}

static const struct kv_space *space_of(const struct kv_pair *p,
				       const struct kv_endpoint *e)
{
	return p->space[e - p->end];
}

static uint32_t local_access(const struct kv_pair *p, unsigned int end)
{
	uint32_t access = KVERBS_ACCESS_LOCAL_WRITE;

	if (!is_active(&p->work, end) || !needs_lkey(p, end))
		return 0;
	/* There the peer's answer to a READ is written as a WRITE is (RFC 5040, 5.2). */
	if (p->work.op == KVERBS_OP_READ && kv_dev_is_iwarp(&p->space[end]->dev))
		access |= KVERBS_ACCESS_REMOTE_WRITE;
	return access;
}

static uint32_t target_access(const struct kv_pair *p, unsigned int end)
{
	uint32_t remote = remote_access(&p->work);

	if (!is_target(&p->work, end) || (!remote && !needs_lkey(p, end)))
		return 0;
	return KVERBS_ACCESS_LOCAL_WRITE | remote;
}

static int create_buffer(struct kv_pair *p, struct kv_endpoint *e,
			 struct kv_buffer *buf, struct kv_fault *f)
{
	const struct kv_space *space = space_of(p, e);
	struct kv_backend *b = space->b;
	const struct kv_mr_init init = {
		.pd = e->pd,
		.length = p->work.size,
		.max_access = KVERBS_ACCESS__ALL,
	};
	enum kv_verb verb = space->id == KV_SPACE_KERNEL ? KV_VERB_MR_NEW : KV_VERB_TOUCH;
	struct kv_mr mr;
	int ret;

	ret = kv_op_mr_new(b, &init, &mr, &e->verb_ns[verb]);
	if (ret)
		return kv_fault_backend(f, b, ret,
					"cannot make a buffer of %u bytes on %s",
					p->work.size, space->dev.name);
	buf->mr = mr.id;
	return 0;
}

static int create_cq(struct kv_pair *p, struct kv_endpoint *e, uint32_t cqe,
		     uint32_t *id, struct kv_fault *f)
{
	const struct kv_space *space = space_of(p, e);
	struct kv_backend *b = space->b;
	const struct kv_cq_init init = {
		.dev = space->dev.name,
		.cqe = cqe,
	};
	struct kv_cq cq;
	int ret;

	ret = kv_op_cq_new(b, &init, &cq, &e->verb_ns[KV_VERB_CQ_NEW]);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a CQ on %s",
					init.dev);
	*id = cq.id;
	return 0;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static int create_end(struct kv_pair *p, struct kv_endpoint *e,
		      struct kv_fault *f)
{
	const struct kv_space *space = space_of(p, e);
	struct kv_backend *b = space->b;
	const struct kv_pd_init pd_init = { .dev = space->dev.name };
	struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.max_send_wr = max_u32(p->work.depth, 1) + SEND_WRS_MORE,
		.max_recv_wr = max_u32(p->work.depth, KV_LOOP_RECVS) + RECV_WRS_MORE,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_pd pd;
	struct kv_qp qp;
	int ret;

	ret = kv_op_pd_new(b, &pd_init, &pd, &e->verb_ns[KV_VERB_PD_NEW]);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a PD on %s",
					pd_init.dev);
	e->pd = pd.id;
	ret = create_cq(p, e, init.max_send_wr + 1, &e->send_cq, f);
	if (!ret)
		ret = create_cq(p, e, init.max_recv_wr + 1, &e->recv_cq, f);
	if (!ret)
		ret = create_buffer(p, e, &e->local, f);
	if (!ret)
		ret = create_buffer(p, e, &e->target, f);
	if (ret)
		return ret;
	init.pd = e->pd;
	init.send_cq = e->send_cq;
	init.recv_cq = e->recv_cq;
	ret = kv_op_qp_new(b, &init, &qp, &e->verb_ns[KV_VERB_QP_NEW]);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot make a QP on %s",
					pd_init.dev);
	e->qp = qp.id;
	e->qpn = qp.qpn;
	return 0;
}

static int modify(struct kv_pair *p, struct kv_endpoint *e,
		  const struct kv_qp_attr *attr, enum kv_verb verb,
		  const char *state, struct kv_fault *f)
{
	const struct kv_space *space = space_of(p, e);
	const struct kv_qp_modify modify = { .id = e->qp, .attr = *attr };
	struct kv_backend *b = space->b;
	int ret;

	ret = kv_op_qp_modify(b, &modify, NULL, &e->verb_ns[verb]);
	if (ret)
		return kv_fault_backend(f, b, ret,
					"cannot bring a QP on %s to %s",
					space->dev.name, state);
	return 0;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The largest that there is, 4096, if the ends can do more. */
static uint32_t path_mtu(const struct kv_pair *p)
{
	uint32_t mtu = min_u32(p->space[0]->dev.active_mtu,
			       p->space[1]->dev.active_mtu);

	return p->work.mtu ? p->work.mtu : min_u32(mtu, 4096);
}

static int check_mtu(const struct kv_pair *p, struct kv_fault *f)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct kv_space *s = p->space[i];

		if (p->work.mtu > s->dev.active_mtu)
			return kv_fault_set(f, -EMSGSIZE,
					    "path MTU %u (--mtu) is too large: the active MTU of %s%s%s is %u, which the MTU of its network interface allows",
					    p->work.mtu, s->dev.name,
					    s->host ? " on " : "",
					    s->host ? s->host : "",
					    s->dev.active_mtu);
	}
	return 0;
}

/*
 * What the peer of an end may do by way of its QP. WRITE always: a loop's probe is one of
 * no bytes. Which bytes can be reached is up to the MRs.
 */
static uint32_t qp_access(const struct kv_pair *p, unsigned int end)
{
	return is_target(&p->work, end) ?
	       remote_access(&p->work) | KVERBS_ACCESS_REMOTE_WRITE : 0;
}

static int connect_end(struct kv_pair *p, unsigned int end, struct kv_fault *f)
{
	struct kv_endpoint *e = &p->end[end], *peer = &p->end[!end];
	const struct kv_space *to = p->space[!end];
	const struct kv_dev *dev = &p->space[end]->dev;
	struct kv_qp_attr init = {
		.mask = KV_QPA_ACCESS | KV_QPA_PORT | KV_QPA_PKEY_INDEX,
		.state = KVERBS_QPS_INIT,
		.access = qp_access(p, end),
		.port = PORT,
	};
	struct kv_qp_attr rtr = {
		.mask = KV_QPA_AV | KV_QPA_PATH_MTU | KV_QPA_DEST_QPN |
			KV_QPA_RQ_PSN | KV_QPA_MIN_RNR_TIMER |
			KV_QPA_MAX_DEST_RD_ATOMIC,
		.state = KVERBS_QPS_RTR,
		.path_mtu = path_mtu(p),
		.dest_qpn = peer->qpn,
		.rq_psn = peer->psn,
		.av = {
			.has_dgid = true,
			.has_sgid_index = true,
			.sgid_index = p->space[end]->gid->index,
			.dlid = to->dev.lid,
			.hop_limit = HOP_LIMIT,
		},
		.min_rnr_timer = RNR_TIMER,
		.max_dest_rd_atomic = min_u32(dev->max_qp_rd_atom, KV_CONNECT_RD_ATOMIC),
	};
	struct kv_qp_attr rts = {
		.mask = KV_QPA_SQ_PSN | KV_QPA_TIMEOUT | KV_QPA_RETRY_CNT |
			KV_QPA_RNR_RETRY | KV_QPA_MAX_RD_ATOMIC,
		.state = KVERBS_QPS_RTS,
		.sq_psn = e->psn,
		.timeout = p->work.ack_timeout,
		.retry_cnt = p->work.retry_cnt,
		.rnr_retry = KV_CONNECT_RNR_RETRIES,
		.max_rd_atomic = min_u32(dev->max_qp_init_rd_atom, KV_CONNECT_RD_ATOMIC),
	};
	int ret;

	memcpy(rtr.av.dgid, to->gid->raw, sizeof(rtr.av.dgid));
	ret = modify(p, e, &init, KV_VERB_QP_INIT, "INIT", f);
	if (!ret)
		ret = modify(p, e, &rtr, KV_VERB_QP_RTR, "RTR", f);
	if (!ret)
		ret = modify(p, e, &rts, KV_VERB_QP_RTS, "RTS", f);
	return ret;
}

static int connect_both(struct kv_pair *p, struct kv_fault *f)
{
	const uint32_t access[2] = { qp_access(p, 0), qp_access(p, 1) };
	int ret;

	if (p->work.connect == KV_CONNECT_CM)
		return kv_connect_cm(p, access, f);
	ret = connect_end(p, 0, f);
	return ret ? ret : connect_end(p, 1, f);
}

static int register_buffer(struct kv_pair *p, struct kv_endpoint *e,
			   struct kv_buffer *buf, uint32_t access,
			   struct kv_fault *f)
{
	const struct kv_space *space = space_of(p, e);
	struct kv_backend *b = space->b;
	const struct kv_mr_reg reg = {
		.id = buf->mr,
		.qp = e->qp,
		.access = access,
		.length = p->work.size,
	};
	struct kv_mr mr;
	int ret;

	if (!access)
		return 0;
	ret = kv_op_mr_reg(b, &reg, &mr, &e->verb_ns[KV_VERB_MR_REG]);
	if (ret)
		return kv_fault_backend(f, b, ret,
					"cannot register %u bytes on %s",
					p->work.size, space->dev.name);
	buf->access = access;
	buf->iova = mr.iova;
	buf->rkey = mr.rkey;
	return 0;
}

/**
 * kv_pair_create() - make two endpoints and connect them to each other
 * @p: receives them; kv_pair_destroy() destroys them
 * @initiator: where the one that begins is to be
 * @responder: where the other one is to be; the loops of one thread for both ends
 *	need the same
 * @work: what for: it decides which rights are granted; not KV_KIND_NULL
 * @f: receives why not
 *
 * The buffers are @work->size bytes long and zeroed, and exactly those bytes
 * can be reached.
 *
 * Return: 0 or a negative errno; then nothing is left.
 */
int kv_pair_create(struct kv_pair *p, const struct kv_space *initiator,
		   const struct kv_space *responder, const struct kv_work *work,
		   struct kv_fault *f)
{
	int ret = 0;

	memset(p, 0, sizeof(*p));
	p->space[0] = initiator;
	p->space[1] = responder;
	p->work = *work;
	ret = check_mtu(p, f);
	for (unsigned int i = 0; i < 2 && !ret; i++) {
		struct kv_endpoint *e = &p->end[i];

		if (getrandom(&e->psn, sizeof(e->psn), GRND_NONBLOCK) < 0)
			e->psn = i + 1;
		e->psn &= PSN_MASK;
		ret = create_end(p, e, f);
	}
	if (!ret)
		ret = connect_both(p, f);
	/* A fast registration is a request on a QP in RTS. */
	for (unsigned int i = 0; i < 2 && !ret; i++) {
		struct kv_endpoint *e = &p->end[i];

		ret = register_buffer(p, e, &e->local, local_access(p, i), f);
		if (!ret)
			ret = register_buffer(p, e, &e->target,
					      target_access(p, i), f);
	}
	if (ret)
		kv_pair_destroy(p);
	return ret;
}

static void invalidate(struct kv_pair *p, struct kv_endpoint *e,
		       struct kv_buffer *buf)
{
	struct kv_backend *b = space_of(p, e)->b;
	uint64_t ns;

	if (!buf->access || p->broken)
		return;
	/* A QP that can't do this one can't do the others. */
	if (kv_op_mr_inv(b, &(struct kv_mr_inv){ buf->mr, e->qp }, NULL, &ns))
		p->broken = true;
	buf->access = 0;
}

/**
 * kv_pair_destroy() - destroy all that kv_pair_create() made
 * @p: the pair
 *
 * Errors are of no interest: a device that was removed took its objects along,
 * and what is left otherwise is destroyed with the backend.
 */
void kv_pair_destroy(struct kv_pair *p)
{
	struct kv_backend *b;
	uint64_t ns;

	for (int i = 1; i >= 0; i--) {
		invalidate(p, &p->end[i], &p->end[i].target);
		invalidate(p, &p->end[i], &p->end[i].local);
	}
	kv_connect_undo(p);
	/* Both QPs first: neither may reach the other's buffers any more. */
	for (int i = 1; i >= 0; i--) {
		b = p->space[i]->b;
		if (p->end[i].qp)
			kv_op_del(b, KV_QP, p->end[i].qp, &ns);
	}
	for (int i = 1; i >= 0; i--) {
		struct kv_endpoint *e = &p->end[i];

		b = p->space[i]->b;
		if (e->target.mr)
			kv_op_del(b, KV_MR, e->target.mr, &ns);
		if (e->local.mr)
			kv_op_del(b, KV_MR, e->local.mr, &ns);
		if (e->recv_cq)
			kv_op_del(b, KV_CQ, e->recv_cq, &ns);
		if (e->send_cq)
			kv_op_del(b, KV_CQ, e->send_cq, &ns);
		if (e->pd)
			kv_op_del(b, KV_PD, e->pd, &ns);
	}
	memset(p->end, 0, sizeof(p->end));
}

/**
 * kv_pair_verbs() - how long each verb took
 * @p: the pair
 * @ns: receives the initiator's times, and the responder's of what only that
 *	one needs; 0 for what neither needs
 */
void kv_pair_verbs(const struct kv_pair *p, uint64_t ns[KV_VERBS])
{
	for (unsigned int v = 0; v < KV_VERBS; v++)
		ns[v] = p->end[0].verb_ns[v] ? p->end[0].verb_ns[v] :
					       p->end[1].verb_ns[v];
}

/**
 * kv_pair_fill() - describe one end for a run
 * @p: the pair
 * @end: 0 or 1
 * @run: receives it
 */
void kv_pair_fill(const struct kv_pair *p, unsigned int end,
		  struct kv_run_end *run)
{
	const struct kv_endpoint *e = &p->end[end], *peer = &p->end[!end];

	run->qp = e->qp;
	run->local_mr = e->local.mr;
	run->target_mr = e->target.mr;
	run->lkey = needs_lkey(p, end) ? KVERBS_LKEY_MR : KVERBS_LKEY_DMA;
	run->remote_addr = peer->target.iova;
	run->remote_key = peer->target.rkey;
}
