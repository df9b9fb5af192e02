// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include "clock.h"
#include "user/user.h"

/* Far enough for any network of ours; the kernel module's default too. */
#define HOP_LIMIT 64

#define PSN_MAX 0xffffffU

_Static_assert((int)KVERBS_QPS_RESET == (int)IBV_QPS_RESET, "QP states");
_Static_assert((int)KVERBS_QPS_INIT == (int)IBV_QPS_INIT, "QP states");
_Static_assert((int)KVERBS_QPS_RTR == (int)IBV_QPS_RTR, "QP states");
_Static_assert((int)KVERBS_QPS_RTS == (int)IBV_QPS_RTS, "QP states");
_Static_assert((int)KVERBS_QPS_SQD == (int)IBV_QPS_SQD, "QP states");
_Static_assert((int)KVERBS_QPS_SQE == (int)IBV_QPS_SQE, "QP states");
_Static_assert((int)KVERBS_QPS_ERR == (int)IBV_QPS_ERR, "QP states");

/* The states that a QP of ours can be in, and what it takes from there to RTS. */
static const struct {
	const char *name;
	const char *next;
	const char *to_rts;
} states[] = {
	[IBV_QPS_RESET] = { "RESET", "INIT", "bring it to INIT, RTR and RTS first" },
	[IBV_QPS_INIT] = { "INIT", "RTR", "bring it to RTR and RTS first" },
	[IBV_QPS_RTR] = { "RTR", "RTS", "bring it to RTS first" },
	[IBV_QPS_RTS] = { "RTS", "ERR or RESET", "" },
	[IBV_QPS_SQD] = { "SQD", "ERR or RESET", "reset it and connect it anew" },
	[IBV_QPS_SQE] = { "SQE", "ERR or RESET", "reset it and connect it anew" },
	[IBV_QPS_ERR] = { "ERR", "RESET", "reset it and connect it anew" },
};

static int check_depth(struct kv_user *u, const struct kv_user_dev *dev,
		       const char *what, uint32_t depth)
{
	if (depth && depth <= (uint32_t)dev->attr.max_qp_wr)
		return 0;
	return kv_user_fail(u, -EINVAL, "%s is %u: it must be 1 to %d, the device's max_qp_wr", what, depth, dev->attr.max_qp_wr);
}

static int check_init(struct kv_user *u, const struct kv_qp_init *init,
		      const struct kv_user_pd *pd,
		      const struct kv_user_cq *send_cq,
		      const struct kv_user_cq *recv_cq)
{
	const struct kv_user_dev *dev = pd->obj.dev;
	int ret;

	if (send_cq->obj.dev != dev || recv_cq->obj.dev != dev)
		return kv_user_fail(u, -EINVAL, "pd %u, send_cq %u and recv_cq %u are not of the same device", init->pd, init->send_cq, init->recv_cq);
	ret = check_depth(u, dev, "max_send_wr", init->max_send_wr);
	if (ret)
		return ret;
	return check_depth(u, dev, "max_recv_wr", init->max_recv_wr);
}

/**
 * kv_user_qp_new() - create an RC queue pair; see struct kv_backend_ops
 * @b: the backend
 * @init: what it uses, and how deep its queues are
 * @id: where its id goes
 * @qpn: where its number goes
 * @verb_ns: duration of ibv_create_qp()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_qp_new(struct kv_backend *b, const struct kv_qp_init *init,
		   uint32_t *id, uint32_t *qpn, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct ibv_qp_init_attr attr = {
		.cap.max_send_wr = init->max_send_wr,
		.cap.max_recv_wr = init->max_recv_wr,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 0,
	};
	struct kv_user_cq *send_cq, *recv_cq;
	struct kv_user_pd *pd;
	struct kv_user_qp *qp;
	uint64_t start;
	int ret;

	pd = kv_user_obj_find(u, KV_USER_PD, init->pd);
	send_cq = pd ? kv_user_obj_find(u, KV_USER_CQ, init->send_cq) : NULL;
	recv_cq = send_cq ? kv_user_obj_find(u, KV_USER_CQ, init->recv_cq) : NULL;
	if (!recv_cq)
		return -ENOENT;
	ret = check_init(u, init, pd, send_cq, recv_cq);
	if (ret)
		return ret;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return kv_user_fail(u, -ENOMEM, "no memory");
	attr.send_cq = send_cq->ib;
	attr.recv_cq = recv_cq->ib;
	start = kv_clock_raw_ns();
	qp->ib = ibv_create_qp(pd->ib, &attr);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!qp->ib) {
		ret = kv_user_fail(u, -errno, "ibv_create_qp with max_send_wr %u and max_recv_wr %u: %s", init->max_send_wr, init->max_recv_wr, strerror(errno));
		free(qp);
		return ret;
	}
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;
	qp->max_recv_wr = attr.cap.max_recv_wr;
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_PD, &pd->obj);
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_SEND_CQ, &send_cq->obj);
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_RECV_CQ, &recv_cq->obj);
	kv_user_obj_publish(u, &qp->obj, KV_USER_QP, pd->obj.dev);
	*id = qp->obj.id;
	*qpn = qp->ib->qp_num;
	return 0;
}

/**
 * kv_user_qp_del() - destroy a queue pair; see struct kv_backend_ops
 * @b: the backend
 * @id: its id
 * @verb_ns: duration of ibv_destroy_qp()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_qp_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_user_obj_delete((struct kv_user *)b, KV_USER_QP, id, verb_ns);
}

/**
 * kv_user_qp_destroy() - undo kv_user_qp_new()
 * @obj: the QP's
 * @verb_ns: duration of ibv_destroy_qp()
 *
 * Return: 0 or a negative errno: then the QP is as it was.
 */
int kv_user_qp_destroy(struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_qp *qp = (struct kv_user_qp *)obj;
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_destroy_qp(qp->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	return -ret;
}

static int query_state(struct kv_user *u, struct kv_user_qp *qp,
		       enum ibv_qp_state *state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	ret = ibv_query_qp(qp->ib, &attr, IBV_QP_STATE, &init);
	if (ret)
		return kv_user_fail(u, -ret, "ibv_query_qp of qp %u: %s", qp->obj.id, strerror(ret));
	if (attr.qp_state >= sizeof(states) / sizeof(states[0]))
		return kv_user_fail(u, -EIO, "qp %u is in a state that nobody knows: %d", qp->obj.id, attr.qp_state);
	*state = attr.qp_state;
	return 0;
}

/**
 * kv_user_qp_check_rts() - can requests be posted?
 * @u: the backend
 * @qp: the QP
 *
 * Return: 0 if the QP is in RTS, else a negative errno: -EINVAL.
 */
int kv_user_qp_check_rts(struct kv_user *u, struct kv_user_qp *qp)
{
	enum ibv_qp_state state;
	int ret;

	ret = query_state(u, qp, &state);
	if (ret || state == IBV_QPS_RTS)
		return ret;
	return kv_user_fail(u, -EINVAL, "qp %u is in %s: %s", qp->obj.id, states[state].name, states[state].to_rts);
}

static int check_unpolled(struct kv_user *u, const struct kv_user_qp *qp,
			  struct kv_user_cq *cq)
{
	struct kv_user_run *run = cq->poller;

	if (!run || !kv_user_run_active(run))
		return 0;
	if (run->ends[0].qp == qp || run->ends[1].qp == qp)
		return kv_user_fail(u, -EBUSY, "run %u is active on qp %u: wait for it or cancel it", run->obj.id, qp->obj.id);
	return kv_user_fail(u, -EBUSY, "run %u is active on another qp that has cq %u in common with qp %u: wait for it or cancel it", run->obj.id, cq->obj.id, qp->obj.id);
}

/**
 * kv_user_qp_check_idle() - is nobody posting on the QP or polling its CQs?
 * @u: the backend
 * @qp: the QP
 *
 * Return: 0 or -EBUSY.
 */
int kv_user_qp_check_idle(struct kv_user *u, struct kv_user_qp *qp)
{
	int ret;

	ret = check_unpolled(u, qp, qp->send_cq);
	return ret ? ret : check_unpolled(u, qp, qp->recv_cq);
}

/* The way through the states that needs no more than we offer (IBTA 10.3.1). */
static int check_transition(struct kv_user *u, const struct kv_user_qp *qp,
			    enum ibv_qp_state from, uint32_t to)
{
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return 0;
	if (to > IBV_QPS_RTS)
		return kv_user_fail(u, -EINVAL, "state %u is none that a qp can be brought to: RESET, INIT, RTR, RTS or ERR", to);
	if ((from == IBV_QPS_RESET && to == IBV_QPS_INIT) ||
	    (from == IBV_QPS_INIT && to == IBV_QPS_INIT) ||
	    (from == IBV_QPS_INIT && to == IBV_QPS_RTR) ||
	    (from == IBV_QPS_RTR && to == IBV_QPS_RTS))
		return 0;
	return kv_user_fail(u, -EINVAL, "qp %u is in %s: its next state is %s, not %s", qp->obj.id, states[from].name, states[from].next, states[to].name);
}

static int check_max(struct kv_user *u, const char *what, uint32_t value,
		     uint32_t max)
{
	if (value <= max)
		return 0;
	return kv_user_fail(u, -EINVAL, "%s is %u: it must be 0 to %u", what, value, max);
}

static int prep_init(struct kv_user *u, const struct kv_user_qp *qp,
		     const struct kv_qp_attr *from, struct ibv_qp_attr *attr)
{
	uint32_t ports = qp->obj.dev->attr.phys_port_cnt;
	uint32_t port = from->port ? from->port : 1;

	if (from->access & ~KVERBS_ACCESS__ALL)
		return kv_user_fail(u, -EINVAL, "access 0x%x has flags that are unknown: 0x%x", from->access, from->access & ~KVERBS_ACCESS__ALL);
	if (port > ports)
		return kv_user_fail(u, -EINVAL, "port is %u: the device has 1 to %u", port, ports);
	attr->qp_access_flags = from->access;
	attr->port_num = (uint8_t)port;
	attr->pkey_index = (uint16_t)from->pkey_index;
	return check_max(u, "pkey_index", from->pkey_index, UINT16_MAX);
}

/*
 * With a GRH on InfiniBand too, if there is a GID: so does the module. On RoCE
 * the kernel looks up the MAC address that belongs to the GID.
 */
static int prep_path(struct kv_user *u, const struct kv_user_qp *qp,
		     const struct kv_qp_attr *from, struct ibv_ah_attr *ah)
{
	bool roce = qp->obj.dev->link_layer == IBV_LINK_LAYER_ETHERNET;
	static const uint8_t no_gid[16];
	int ret;

	ah->is_global = memcmp(from->dgid, no_gid, sizeof(no_gid)) != 0;
	if (roce && !ah->is_global)
		return kv_user_fail(u, -EINVAL, "dgid is missing: RoCE needs the peer's GID");
	if (!roce && !from->dlid)
		return kv_user_fail(u, -EINVAL, "dlid is missing: InfiniBand needs the peer's LID");
	ah->port_num = qp->port;
	ah->dlid = (uint16_t)from->dlid;
	ah->grh.sgid_index = (uint8_t)from->sgid_index;
	ah->grh.hop_limit = HOP_LIMIT;
	memcpy(ah->grh.dgid.raw, from->dgid, sizeof(ah->grh.dgid.raw));
	ret = check_max(u, "dlid", from->dlid, UINT16_MAX);
	return ret ? ret : check_max(u, "sgid_index", from->sgid_index, UINT8_MAX);
}

static int prep_rtr(struct kv_user *u, const struct kv_user_qp *qp,
		    const struct kv_qp_attr *from, struct ibv_qp_attr *attr)
{
	enum ibv_mtu mtu;
	int ret;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
		if (from->path_mtu == 128U << mtu)
			attr->path_mtu = mtu;
	if (!attr->path_mtu)
		return kv_user_fail(u, -EINVAL, "path_mtu is %u: it must be 256, 512, 1024, 2048 or 4096", from->path_mtu);
	attr->dest_qp_num = from->dest_qpn;
	attr->rq_psn = from->rq_psn;
	attr->min_rnr_timer = (uint8_t)from->min_rnr_timer;
	attr->max_dest_rd_atomic = (uint8_t)from->max_dest_rd_atomic;
	ret = check_max(u, "dest_qpn", from->dest_qpn, PSN_MAX);
	if (!ret)
		ret = check_max(u, "rq_psn", from->rq_psn, PSN_MAX);
	if (!ret)
		ret = check_max(u, "min_rnr_timer", from->min_rnr_timer, 31);
	if (!ret)
		ret = check_max(u, "max_dest_rd_atomic", from->max_dest_rd_atomic, UINT8_MAX);
	return ret ? ret : prep_path(u, qp, from, &attr->ah_attr);
}

static int prep_rts(struct kv_user *u, const struct kv_qp_attr *from,
		    struct ibv_qp_attr *attr)
{
	int ret;

	attr->sq_psn = from->sq_psn;
	attr->timeout = (uint8_t)from->timeout;
	attr->retry_cnt = (uint8_t)from->retry_cnt;
	attr->rnr_retry = (uint8_t)from->rnr_retry;
	attr->max_rd_atomic = (uint8_t)from->max_rd_atomic;
	ret = check_max(u, "sq_psn", from->sq_psn, PSN_MAX);
	if (!ret)
		ret = check_max(u, "timeout", from->timeout, 31);
	if (!ret)
		ret = check_max(u, "retry_cnt", from->retry_cnt, 7);
	if (!ret)
		ret = check_max(u, "rnr_retry", from->rnr_retry, 7);
	if (!ret)
		ret = check_max(u, "max_rd_atomic", from->max_rd_atomic, UINT8_MAX);
	return ret;
}

/* What the transition takes, and the mask that says so. */
static int prep(struct kv_user *u, const struct kv_user_qp *qp,
		const struct kv_qp_attr *from, struct ibv_qp_attr *attr, int *mask)
{
	attr->qp_state = (enum ibv_qp_state)from->state;
	*mask = IBV_QP_STATE;
	switch (from->state) {
	case KVERBS_QPS_INIT:
		*mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
		return prep_init(u, qp, from, attr);
	case KVERBS_QPS_RTR:
		*mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			 IBV_QP_MIN_RNR_TIMER;
		return prep_rtr(u, qp, from, attr);
	case KVERBS_QPS_RTS:
		*mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
		return prep_rts(u, from, attr);
	}
	return 0;
}

/* RESET forgets what was posted; its completions go too. */
static void forget_posted(struct kv_user_qp *qp)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(qp->send_cq->ib, 1, &wc) > 0 ||
	       ibv_poll_cq(qp->recv_cq->ib, 1, &wc) > 0)
		;
	qp->recvs = 0;
	qp->dirty = false;
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_LOCAL_MR, NULL);
	kv_user_obj_set_parent(&qp->obj, KV_USER_QP_TARGET_MR, NULL);
}

/**
 * kv_user_qp_modify() - take the QP through one transition; see struct
 * kv_backend_ops
 * @b: the backend
 * @id: the QP
 * @from: which transition, and what it needs
 * @verb_ns: duration of ibv_modify_qp()
 *
 * Return: 0 or a negative errno; -EBUSY while a run is on the QP.
 */
int kv_user_qp_modify(struct kv_backend *b, uint32_t id,
		      const struct kv_qp_attr *from, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_qp *qp = kv_user_obj_find(u, KV_USER_QP, id);
	struct ibv_qp_attr attr = { 0 };
	enum ibv_qp_state state;
	uint64_t start;
	int ret, mask;

	if (!qp)
		return -ENOENT;
	ret = query_state(u, qp, &state);
	if (!ret)
		ret = check_transition(u, qp, state, from->state);
	if (!ret)
		ret = kv_user_qp_check_idle(u, qp);
	if (!ret)
		ret = prep(u, qp, from, &attr, &mask);
	if (ret)
		return ret;

	start = kv_clock_raw_ns();
	ret = ibv_modify_qp(qp->ib, &attr, mask);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return kv_user_fail(u, -ret, "ibv_modify_qp of qp %u from %s to %s: %s%s", id, states[state].name, states[from->state].name, strerror(ret),
				    mask & IBV_QP_AV ? ": check dgid, sgid_index, the route to it, and what the device can do" :
				    ret == EINVAL ? ": the device refuses the value of an attribute" : "");
	if (from->state == KVERBS_QPS_INIT)
		qp->port = attr.port_num;
	if (from->state == KVERBS_QPS_RESET)
		forget_posted(qp);
	return 0;
}
