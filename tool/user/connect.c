// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "cli/parse.h"
#include "rules/conn.h"
#include "rules/qp_table.h"
#include "user/conn.h"

/*
 * Connects a CONN and a QP. The QP is not made by librdmacm: the CM gets the QP's number, and
 * returns the attributes that the QP needs for each state.
 */

/* A request of the IB CM has 92 bytes of private data; the RDMA CM takes 36 of them. */
#define REQUEST_PRIVATE_MAX 56
#define ANSWER_PRIVATE_MAX 196
#define REJECT_PRIVATE_MAX 148

/* A SEND that met no receive is sent again after 0.64 ms; the CM would set 655 ms. */
#define MIN_RNR_TIMER 12

static bool is_iwarp(const struct kv_user_conn *conn)
{
	return kv_user_dev_is_iwarp(conn->obj.dev);
}

static int check_private(struct kv_user *u, const struct kv_user_conn *conn,
			 const char *what, uint32_t length, uint32_t max)
{
	if (is_iwarp(conn))
		max = KVERBS_CONN_PRIVATE_MAX;
	if (length <= max)
		return 0;
	return kv_user_fail(u, length > KVERBS_CONN_PRIVATE_MAX ? -ERANGE : -EINVAL,
			    "private_data has %u bytes: %s carries at most %u", length, what, max);
}

/* -1 means the default; @wanted: the peer's wish, UINT_MAX if there is none. */
static int choose_depth(struct kv_user *u, const char *what, int32_t value, int limit,
			const char *limit_name, uint32_t wanted, uint8_t *to)
{
	uint32_t max = limit < 0 ? 0 : limit > UINT8_MAX ? UINT8_MAX : (uint32_t)limit;

	if (value > limit)
		return kv_user_fail(u, -EINVAL, "%s is %d, above the device's %s, %d",
				    what, value, limit_name, limit);
	if (value >= 0)
		*to = (uint8_t)value;
	else
		*to = (uint8_t)(wanted < max ? wanted : max);
	return 0;
}

static bool is_in_use(const struct kv_user *u, const struct kv_user_qp *qp)
{
	const struct kv_user_conn *conn;

	KV_USER_FOR_EACH(u, KV_CONN, conn)
		if (conn->obj.parents[KV_USER_CONN_QP] == &qp->obj)
			return true;
	return false;
}

/* Can the QP be connected? @state receives RESET or INIT. */
static int check_qp(struct kv_user *u, const struct kv_user_conn *conn, struct kv_user_qp *qp,
		    uint32_t *state)
{
	if (qp->obj.dev != conn->obj.dev)
		return kv_user_fail(u, -EINVAL, "qp %u and conn %u are not of the same device",
				    qp->obj.id, conn->obj.id);
	return kv_user_qp_query_state(u, qp, state) ?:
	       kv_user_rule(u, kv_conn_rules_check_qp(qp->is.type, is_in_use(u, qp), *state,
						      &u->why)) ?:
	       kv_user_qp_check_idle(u, qp);
}

static int check_given(struct kv_user *u, const struct kv_user_conn *conn,
		       const struct kv_conn_param *param, uint32_t state)
{
	const uint32_t given = kv_shape_given(&kv_shape_conn_param, param);

	return kv_user_rule(u, kv_conn_rules_check_given(given, state, is_iwarp(conn), &u->why));
}

/* Checks and fills the parameters of @what, which carries up to @max bytes of private data. */
static int prep(struct kv_user *u, const struct kv_user_conn *conn,
		const struct kv_conn_param *from, const char *what, uint32_t max,
		struct rdma_conn_param *to, struct kv_user_qp **found, uint32_t *state)
{
	const struct ibv_device_attr *limits = &conn->obj.dev->attr;
	bool asked = conn->is.state == KVERBS_CONN_REQUESTED;
	int ret = check_private(u, conn, what, from->private_length, max);
	struct kv_user_qp *qp = ret ? NULL : kv_user_obj_find(u, KV_QP, from->qp);

	if (!qp)
		return ret ?: -ENOENT;
	ret = check_qp(u, conn, qp, state) ?:
	      check_given(u, conn, from, *state) ?:
	      choose_depth(u, "responder_resources", from->responder_resources,
			   limits->max_qp_rd_atom, "max_qp_rd_atom",
			   asked ? conn->is.responder_resources : UINT_MAX,
			   &to->responder_resources) ?:
	      choose_depth(u, "initiator_depth", from->initiator_depth,
			   limits->max_qp_init_rd_atom, "max_qp_init_rd_atom",
			   asked ? conn->is.initiator_depth : UINT_MAX, &to->initiator_depth);
	if (ret)
		return ret;
	to->private_data = from->private_data;
	to->private_data_len = (uint8_t)from->private_length;
	to->flow_control = 1;
	to->retry_count = (uint8_t)from->retry_cnt;
	to->rnr_retry_count = (uint8_t)from->rnr_retry;
	to->srq = !!qp->srq;
	to->qp_num = qp->is.qpn;
	*found = qp;
	return 0;
}

static uint8_t ack_timeout(int32_t asked)
{
	return asked < 0 ? KV_CONN_ACK_TIMEOUT : (uint8_t)asked;
}

static uint8_t at_most(uint8_t value, int limit)
{
	return value > limit ? (uint8_t)limit : value;
}

/* Uses the CM's attributes, but @own's for @own_mask; each state uses only its own attributes. */
static int modify(struct kv_user *u, struct kv_user_conn *conn, struct kv_user_qp *qp,
		  uint32_t state, const struct ibv_qp_attr *own, uint32_t own_mask)
{
	const struct ibv_device_attr *limits = &conn->obj.dev->attr;
	struct ibv_qp_attr attr = { .qp_state = (enum ibv_qp_state)state };
	enum kverbs_stage stage = KVERBS_STAGE_QUERY;
	const char *verb = "rdma_init_qp_attr";
	int ret, mask = 0;

	ret = rdma_init_qp_attr(conn->cm, &attr, &mask) ? -errno : 0;
	/* The kernel's mask can have bits that are not for user space. */
	mask &= KV_QPA_DEST_QPN | (KV_QPA_DEST_QPN - 1);
	if (own_mask & KV_QPA_ACCESS_FLAGS)
		attr.qp_access_flags = own->qp_access_flags;
	if (own_mask & KV_QPA_MAX_DEST_RD_ATOMIC)
		attr.max_dest_rd_atomic = own->max_dest_rd_atomic;
	if (own_mask & KV_QPA_MAX_QP_RD_ATOMIC)
		attr.max_rd_atomic = own->max_rd_atomic;
	if (own_mask & KV_QPA_TIMEOUT)
		attr.timeout = own->timeout;
	if (mask & KV_QPA_MIN_RNR_TIMER)
		attr.min_rnr_timer = MIN_RNR_TIMER;
	/* The peer may agree to a larger depth than it was asked for. */
	attr.max_dest_rd_atomic = at_most(attr.max_dest_rd_atomic, limits->max_qp_rd_atom);
	attr.max_rd_atomic = at_most(attr.max_rd_atomic, limits->max_qp_init_rd_atom);
	if (!ret) {
		stage = KVERBS_STAGE_MODIFY;
		verb = "ibv_modify_qp";
		ret = kv_user_qp_transit(u, qp, &attr, (uint32_t)mask);
	}
	return ret ? kv_user_verb_failed(u, stage, ret,
					 "conn %u: %s: qp %u can't be brought to %s: %s",
					 conn->obj.id, verb, qp->obj.id, kv_qp_state_name(state),
					 strerror(-ret)) : 0;
}

static void force(struct kv_user *u, struct kv_user_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	kv_user_qp_transit(u, qp, &attr, KV_QPA_STATE);
}

static int init_qp(struct kv_user *u, struct kv_user_conn *conn, struct kv_user_qp *qp,
		   uint32_t state, uint32_t access)
{
	const struct ibv_qp_attr own = { .qp_access_flags = access };

	if (state == KVERBS_QPS_INIT)
		return 0;
	return modify(u, conn, qp, KVERBS_QPS_INIT, &own, KV_QPA_ACCESS_FLAGS);
}

/* Called when the CM has made the connection: on iWARP the QP is in RTS by then. */
void kv_user_conn_note_rts(struct kv_user_conn *conn)
{
	struct kv_user_qp *qp = (struct kv_user_qp *)conn->obj.parents[KV_USER_CONN_QP];

	if (qp && is_iwarp(conn))
		qp->state = KVERBS_QPS_RTS;
}

/* Takes the QP from a failed connection, and brings the QP back to @state if possible. */
static void give_back(struct kv_user *u, struct kv_user_conn *conn, struct kv_user_qp *qp,
		      uint32_t state)
{
	uint32_t now;

	kv_user_obj_set_parent(&conn->obj, KV_USER_CONN_QP, NULL);
	if (kv_user_qp_query_state(u, qp, &now) || now == state)
		return;
	force(u, qp, state == KVERBS_QPS_RESET ? IBV_QPS_RESET : IBV_QPS_ERR);
}

/* Brings the QP of an ended connection to ERR; a QP that was never connected keeps its state. */
void kv_user_conn_end_qp(struct kv_user *u, struct kv_user_conn *conn)
{
	struct kv_user_qp *qp = (struct kv_user_qp *)conn->obj.parents[KV_USER_CONN_QP];
	const struct kv_backend base = u->base;
	uint32_t state;

	if (!qp)
		return;
	if (!kv_user_qp_query_state(u, qp, &state) &&
	    state != KVERBS_QPS_RESET && state != KVERBS_QPS_ERR)
		force(u, qp, IBV_QPS_ERR);
	/* The current operation keeps its own text and times, as in the kernel. */
	u->base = base;
}

/* The CM refuses all further operations on the connection. */
static int fail(struct kv_user *u, struct kv_user_conn *conn, const char *verb, int error)
{
	kv_user_conn_end_qp(u, conn);
	conn->is.state = KVERBS_CONN_FAILED;
	conn->is.event = KVERBS_CM_EVENT_CONNECT_ERROR;
	conn->is.status = error;
	return kv_user_verb_failed(u, KVERBS_STAGE_CM, error,
				   "%s of conn %u: %s: the peer may have given up", verb,
				   conn->obj.id, strerror(-error));
}

/* If the CM refuses, the CONN and the QP are as they were. */
int kv_user_conn_connect(struct kv_user *u, struct kv_user_conn *conn,
			 const struct kv_conn_param *param, struct kv_none *out)
{
	struct rdma_conn_param to = { 0 };
	struct kv_user_qp *qp;
	uint32_t state;
	int ret = prep(u, conn, param, "a request", REQUEST_PRIVATE_MAX, &to, &qp, &state) ?:
		  init_qp(u, conn, qp, state, param->access);

	if (ret)
		return ret;
	kv_user_obj_set_parent(&conn->obj, KV_USER_CONN_QP, &qp->obj);
	if (KV_USER_STAGE(u, CM, rdma_connect(conn->cm, &to))) {
		ret = kv_user_verb_failed(u, KVERBS_STAGE_CM, -errno, "rdma_connect of conn %u: %s",
					  param->id, strerror(errno));
		give_back(u, conn, qp, state);
		return ret;
	}
	conn->is.state = KVERBS_CONN_CONNECTING;
	return 0;
}

/* Brings the QP from INIT to RTS, with @own's attributes of @own_mask. iWARP's CM does this. */
static int ready_qp(struct kv_user *u, struct kv_user_conn *conn, struct kv_user_qp *qp,
		    const struct ibv_qp_attr *own, uint32_t own_mask)
{
	if (is_iwarp(conn))
		return 0;
	return modify(u, conn, qp, KVERBS_QPS_RTR, own, own_mask) ?:
	       modify(u, conn, qp, KVERBS_QPS_RTS, own, own_mask);
}

int kv_user_conn_establish(struct kv_user *u, struct kv_user_conn *conn,
			   const struct kv_conn_establish *param, struct kv_none *out)
{
	const struct ibv_qp_attr own = { .timeout = ack_timeout(param->ack_timeout) };
	int ret = ready_qp(u, conn, (struct kv_user_qp *)conn->obj.parents[KV_USER_CONN_QP],
				   &own, KV_QPA_TIMEOUT);

	if (ret)
		return ret;
	if (KV_USER_STAGE(u, CM, rdma_establish(conn->cm)))
		return fail(u, conn, "rdma_establish", -errno);
	conn->is.state = KVERBS_CONN_ESTABLISHED;
	return 0;
}

static int accept_qp(struct kv_user *u, struct kv_user_conn *conn, struct kv_user_qp *qp,
		     uint32_t state, const struct kv_conn_param *param,
		     const struct rdma_conn_param *to)
{
	const struct ibv_qp_attr own = {
		.max_dest_rd_atomic = to->responder_resources,
		.max_rd_atomic = to->initiator_depth,
		.timeout = ack_timeout(param->ack_timeout),
	};

	return init_qp(u, conn, qp, state, param->access) ?:
	       ready_qp(u, conn, qp, &own, KV_QPA_MAX_DEST_RD_ATOMIC | KV_QPA_MAX_QP_RD_ATOMIC |
			KV_QPA_TIMEOUT);
}

int kv_user_conn_accept(struct kv_user *u, struct kv_user_conn *conn,
			const struct kv_conn_param *param, struct kv_none *out)
{
	struct rdma_conn_param to = { 0 };
	struct kv_user_qp *qp;
	uint32_t state;
	int ret = prep(u, conn, param, "an answer", ANSWER_PRIVATE_MAX, &to, &qp, &state);

	if (ret)
		return ret;
	ret = accept_qp(u, conn, qp, state, param, &to);
	if (ret) {
		give_back(u, conn, qp, state);
		return ret;
	}
	kv_user_obj_set_parent(&conn->obj, KV_USER_CONN_QP, &qp->obj);
	if (KV_USER_STAGE(u, CM, rdma_accept(conn->cm, &to)))
		return fail(u, conn, "rdma_accept", -errno);
	kv_user_conn_note_rts(conn);
	conn->is.state = KVERBS_CONN_ACCEPTED;
	return 0;
}

int kv_user_conn_reject(struct kv_user *u, struct kv_user_conn *conn,
			const struct kv_conn_reject *in, struct kv_none *out)
{
	int ret = check_private(u, conn, "a rejection", in->private_length, REJECT_PRIVATE_MAX);

	if (ret)
		return ret;
	if (KV_USER_STAGE(u, CM,
			  rdma_reject(conn->cm, in->private_data, (uint8_t)in->private_length)))
		return kv_user_verb_failed(u, KVERBS_STAGE_CM, -errno,
					   "rdma_reject of conn %u: %s", in->id, strerror(errno));
	kv_user_conn_end_qp(u, conn);
	conn->is.state = KVERBS_CONN_REJECTED;
	return 0;
}

int kv_user_conn_disconnect(struct kv_user *u, struct kv_user_conn *conn, const struct kv_id *in,
			    struct kv_none *out)
{
	/* On iWARP ERR ends the stream even with data on its way: the CM closes it first. */
	if (!is_iwarp(conn))
		kv_user_conn_end_qp(u, conn);
	if (KV_USER_STAGE(u, CM, rdma_disconnect(conn->cm)))
		return kv_user_verb_failed(u, KVERBS_STAGE_CM, -errno,
					   "rdma_disconnect of conn %u: %s", in->id,
					   strerror(errno));
	conn->is.state = KVERBS_CONN_DISCONNECTING;
	return 0;
}
