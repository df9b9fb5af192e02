// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include "conn_event.h"
#include "dev.h"
#include "qp.h"
#include "refuse.h"
#include "rules/conn.h"

/* A CONN's use of its QP: the handshake, and its end. */

/* The peer repeats a SEND that met no receive after 0.64 ms; the CM would set 655 ms. */
#define MIN_RNR_TIMER 12

static_assert(KVERBS_CONN_PRIVATE_MAX == IB_CM_REP_PRIVATE_DATA_SIZE);
static_assert(KV_CONN_REJECT_DATA_MAX == IB_CM_REJ_PRIVATE_DATA_SIZE);
/* The other 36 bytes are the header in which the RDMA CM sends the addresses. */
static_assert(KV_CONN_REQUEST_DATA_MAX + 36 == IB_CM_REQ_PRIVATE_DATA_SIZE);
static_assert(KVERBS_CONN_PRIVATE_MAX <= U8_MAX);

static int conn_check_qp(const struct kv_conn *conn, struct kv_qp *qp, enum kverbs_qp_state *state,
			 struct netlink_ext_ack *extack)
{
	struct kv_refusal why;
	struct ib_qp_attr attr;
	int ret;

	ret = kv_qp_query(qp, &attr, extack);
	if (ret)
		return ret;
	*state = kv_qp_state(qp, &attr);
	if (kv_conn_rules_check_qp(qp->type, qp->established, *state, &why))
		return kv_refuse_by(extack, &why);
	if (kv_obj_persistent(&conn->obj) && !kv_obj_persistent(&qp->obj))
		return kv_refuse(extack, -EINVAL, "a persistent conn can use only a persistent qp");
	return 0;
}

/* Gets the attributes of a transition from the CM. */
static int conn_ask_cm(const struct kv_conn *conn, enum kverbs_qp_state to,
		       struct kv_qp_modify *modify, struct netlink_ext_ack *extack)
{
	int mask, ret;

	memset(modify, 0, sizeof(*modify));
	modify->attr.qp_state = (enum ib_qp_state)to;
	modify->to = to;
	modify->resolved = true;
	ret = rdma_init_qp_attr(conn->id, &modify->attr, &mask);
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_QUERY, ret,
				      "rdma_init_qp_attr failed: the peer may have given up");
	modify->mask = mask & ~IB_QP_STATE;
	/* The path MTU comes from the peer. */
	if (mask & IB_QP_PATH_MTU && ib_mtu_enum_to_int(modify->attr.path_mtu) < 0)
		return kv_verb_failed(extack, KVERBS_STAGE_QUERY, -EPROTO,
				      "the peer asks for a path MTU that does not exist");
	return 0;
}

/* The times of the QP's verbs are added to those of the CONN's command. */
static int conn_walk(struct kv_conn *conn, struct kv_qp *qp, struct kv_qp_modify *modify,
		     struct netlink_ext_ack *extack)
{
	struct kv_refusal wrong = {};
	int ret, stage;

	kv_obj_reset_times(&qp->obj);
	ret = kv_qp_modify(qp, modify, &wrong, extack);
	for (stage = 0; stage <= KVERBS_STAGE_MAX; stage++)
		conn->obj.stage_ns[stage] += qp->obj.stage_ns[stage];
	return wrong.text ? kv_refuse_by(extack, &wrong) : ret;
}

/* A QP that is in INIT keeps its posted receives and its access rights. */
static int conn_init_qp(struct kv_conn *conn, struct kv_qp *qp, enum kverbs_qp_state from,
			u32 access, struct netlink_ext_ack *extack)
{
	struct kv_qp_modify modify;
	int ret;

	ret = conn_ask_cm(conn, KVERBS_QPS_INIT, &modify, extack);
	if (ret)
		return ret;
	modify.attr.qp_access_flags = access;
	if (from == KVERBS_QPS_INIT)
		modify.mask &= ~KV_QPA_ACCESS_FLAGS;
	return conn_walk(conn, qp, &modify, extack);
}

/* From here on the QP is in use by the CONN. */
static int conn_take_qp(struct kv_conn *conn, const struct kv_conn_param *param,
			enum kverbs_qp_state *from, struct netlink_ext_ack *extack)
{
	int ret;

	ret = conn_check_qp(conn, param->qp, from, extack) ?:
	      conn_init_qp(conn, param->qp, *from, param->access, extack);
	if (ret)
		return ret;
	conn->qp = param->qp;
	kv_qp_set_user(conn->qp, kv_conn_established, conn);
	kv_obj_set_parent(&conn->obj, 0, &conn->qp->obj);
	return 0;
}

/**
 * kv_conn_release_qp() - end the CONN's use of its QP
 * @conn: the CONN; it has a QP
 *
 * Locks: dev->lock
 */
void kv_conn_release_qp(struct kv_conn *conn)
{
	kv_qp_set_user(conn->qp, NULL, NULL);
	conn->qp = NULL;
	kv_obj_set_parent(&conn->obj, 0, NULL);
}

static void conn_give_back_qp(struct kv_conn *conn, enum kverbs_qp_state from)
{
	struct kv_qp_modify modify = { .to = KVERBS_QPS_RESET };
	struct kv_refusal wrong;

	if (from == KVERBS_QPS_RESET)
		kv_qp_modify(conn->qp, &modify, &wrong, NULL);
	kv_conn_release_qp(conn);
}

/*
 * Takes the QP from INIT to RTS; iWARP's CM does that by itself. The peer may have agreed
 * to more than it was asked for: the QP never gets more than the device supports.
 */
static int conn_ready_qp(struct kv_conn *conn, const struct rdma_conn_param *cm, u8 ack_timeout,
			 struct netlink_ext_ack *extack)
{
	const struct ib_device_attr *limits = &conn->obj.dev->ib->attrs;
	struct kv_qp_modify modify;
	struct ib_qp_attr *attr = &modify.attr;
	int ret;

	if (kv_dev_iwarp(conn->obj.dev))
		return 0;
	ret = conn_ask_cm(conn, KVERBS_QPS_RTR, &modify, extack);
	if (ret)
		return ret;
	attr->min_rnr_timer = MIN_RNR_TIMER;
	if (cm)
		attr->max_dest_rd_atomic = cm->responder_resources;
	attr->max_dest_rd_atomic = min_t(u32, attr->max_dest_rd_atomic, limits->max_qp_rd_atom);
	ret = conn_walk(conn, conn->qp, &modify, extack) ?:
	      conn_ask_cm(conn, KVERBS_QPS_RTS, &modify, extack);
	if (ret)
		return ret;
	attr->timeout = ack_timeout;
	if (cm)
		attr->max_rd_atomic = cm->initiator_depth;
	attr->max_rd_atomic = min_t(u32, attr->max_rd_atomic, limits->max_qp_init_rd_atom);
	return conn_walk(conn, conn->qp, &modify, extack);
}

/* --- the handshake --- */

/*
 * iWARP's CM takes the QP to RTS when the handshake is done (iw_cm, siw_proc_mpareply(),
 * siw_accept()); before that a device refuses posted requests.
 */
static void conn_note_iwarp(struct kv_conn *conn)
{
	if (kv_dev_iwarp(conn->obj.dev))
		kv_qp_set_state(conn->qp, KVERBS_QPS_RTS);
}

static u8 conn_depth(int asked, u32 device, u32 peer)
{
	return asked >= 0 ? asked : min3(device, peer, (u32)U8_MAX);
}

/* @peer: true: by default, take the lesser of our device's limit and the peer's value. */
static struct rdma_conn_param conn_make_param(const struct kv_conn *conn,
					      const struct kv_conn_param *from, bool peer)
{
	const struct ib_device_attr *limits = &conn->obj.dev->ib->attrs;

	return (struct rdma_conn_param){
		.private_data = from->data,
		.private_data_len = from->length,
		.responder_resources = conn_depth(from->responder_resources, limits->max_qp_rd_atom,
						  peer ? conn->responder_resources : U8_MAX),
		.initiator_depth = conn_depth(from->initiator_depth, limits->max_qp_init_rd_atom,
					      peer ? conn->initiator_depth : U8_MAX),
		.flow_control = 1,
		.retry_count = from->retry_cnt,
		.rnr_retry_count = from->rnr_retry,
		.srq = !!from->qp->srq,
		.qp_num = from->qp->ib->qp_num,
	};
}

/* The CM has informed the peer, and accepts no other operation on the id. */
static void conn_fail(struct kv_conn *conn, int error)
{
	kv_drain_begin(conn->qp);
	guard(spinlock)(&kv_conn_lock);
	conn->news.state = KVERBS_CONN_FAILED;
	conn->news.event = KVERBS_CM_EVENT_CONNECT_ERROR;
	conn->news.status = error;
}

/**
 * kv_conn_connect() - send the peer a request
 * @conn: the CONN, its route resolved
 * @param: the parameters
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. The answer is an event.
 */
int kv_conn_connect(struct kv_conn *conn, const struct kv_conn_param *param,
		    struct netlink_ext_ack *extack)
{
	struct rdma_conn_param cm = conn_make_param(conn, param, false);
	enum kverbs_qp_state from;
	int ret;

	ret = conn_take_qp(conn, param, &from, extack);
	if (ret)
		return ret;
	kv_conn_set_state(conn, KVERBS_CONN_CONNECTING);
	kv_obj_time(&conn->obj, CM, ret = rdma_connect(conn->id, &cm));
	if (!ret) {
		conn_note_iwarp(conn);
		return 0;
	}
	kv_conn_set_state(conn, KVERBS_CONN_ROUTE_RESOLVED);
	conn_give_back_qp(conn, from);
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret, "rdma_connect failed");
}

/* No handler of the id runs meanwhile. */
DEFINE_GUARD(conn_handler, struct rdma_cm_id *, rdma_lock_handler(_T), rdma_unlock_handler(_T))

/* The last step of either side of a handshake: bring the QP to RTS, and tell the peer. */
static int conn_finish(struct kv_conn *conn, struct rdma_conn_param *cm, u8 ack_timeout,
		       enum kverbs_conn_state state, struct netlink_ext_ack *extack)
{
	int ret;

	lockdep_assert_held(&conn->obj.dev->lock);
	ret = conn_ready_qp(conn, cm, ack_timeout, extack);
	if (ret)
		return ret;
	kv_conn_set_state(conn, state);
	kv_obj_time(&conn->obj, CM, ret = rdma_accept(conn->id, cm));
	if (!ret) {
		conn_note_iwarp(conn);
		return 0;
	}
	conn_fail(conn, ret);
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret,
			      "rdma_accept failed: the peer may have given up");
}

/**
 * kv_conn_establish() - confirm the peer's answer
 * @conn: the CONN, answered
 * @ack_timeout: of the QP
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_conn_establish(struct kv_conn *conn, u8 ack_timeout, struct netlink_ext_ack *extack)
{
	guard(conn_handler)(conn->id);
	return conn_finish(conn, NULL, ack_timeout, KVERBS_CONN_ESTABLISHED, extack);
}

/**
 * kv_conn_accept() - accept a peer's request
 * @conn: the CONN, requested
 * @param: the parameters
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. The peer's confirmation is an event.
 */
int kv_conn_accept(struct kv_conn *conn, const struct kv_conn_param *param,
		   struct netlink_ext_ack *extack)
{
	struct rdma_conn_param cm = conn_make_param(conn, param, true);
	enum kverbs_qp_state from;
	int ret;

	guard(conn_handler)(conn->id);
	ret = conn_take_qp(conn, param, &from, extack);
	if (ret)
		return ret;
	ret = conn_finish(conn, &cm, param->ack_timeout, KVERBS_CONN_ACCEPTED, extack);
	if (ret && kv_conn_state(conn) == KVERBS_CONN_REQUESTED)
		conn_give_back_qp(conn, from);
	return ret;
}

/**
 * kv_conn_reject() - reject a peer's request, or its answer
 * @conn: the CONN, requested or answered
 * @data: private data, or NULL
 * @length: of it, bytes
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_conn_reject(struct kv_conn *conn, const void *data, u32 length,
		   struct netlink_ext_ack *extack)
{
	int ret;

	kv_obj_time(&conn->obj, CM,
		    ret = rdma_reject(conn->id, data, length, IB_CM_REJ_CONSUMER_DEFINED));
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_CM, ret,
				      "rdma_reject failed: the peer may have given up");
	kv_conn_end(conn, false);
	kv_conn_set_state(conn, KVERBS_CONN_REJECTED);
	return 0;
}

/**
 * kv_conn_disconnect() - end a connection
 * @conn: the CONN, established
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. The peer's answer is an event.
 */
int kv_conn_disconnect(struct kv_conn *conn, struct netlink_ext_ack *extack)
{
	int ret;

	kv_conn_set_state(conn, KVERBS_CONN_DISCONNECTING);
	ret = kv_conn_end(conn, true);
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_CM, ret, "rdma_disconnect failed") : 0;
}
