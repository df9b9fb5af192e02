// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include "conn_event.h"
#include "dev.h"
#include "event.h"
#include "qp.h"

/*
 * Events of the RDMA CM. The CM calls handlers under a mutex of the id. rdma_destroy_id()
 * takes this mutex too, and is called under dev->lock. So a handler takes only kv_conn_lock,
 * and records the event. All other work is left to a work item or to the next command on the
 * CONN, whichever comes first.
 */

/* See struct kv_conn. One lock for all CONNs: a listener and its requests change together. */
DEFINE_SPINLOCK(kv_conn_lock);

static struct workqueue_struct *conn_wq;

static bool conn_state_is_end(enum kverbs_conn_state state)
{
	return state == KVERBS_CONN_DISCONNECTED || state == KVERBS_CONN_REJECTED ||
	       state == KVERBS_CONN_FAILED;
}

/**
 * kv_conn_state() - the state after the last event or command
 * @conn: the CONN
 *
 * Return: the state.
 */
enum kverbs_conn_state kv_conn_state(struct kv_conn *conn)
{
	guard(spinlock)(&kv_conn_lock);
	return conn->news.state;
}

/**
 * kv_conn_ended() - has the connection ended?
 * @conn: the CONN
 *
 * Return: true if so; the work of @conn->ending may still be due.
 */
bool kv_conn_ended(struct kv_conn *conn)
{
	return conn_state_is_end(kv_conn_state(conn));
}

/**
 * kv_conn_set_state() - set the state that a command leads to
 * @conn: the CONN; it has no backlog unless it listens
 * @state: its state from now on
 */
void kv_conn_set_state(struct kv_conn *conn, enum kverbs_conn_state state)
{
	guard(spinlock)(&kv_conn_lock);
	conn->news.state = state;
	if (state != KVERBS_CONN_LISTENING)
		conn->backlog = 0;
}

static void conn_send_news(const struct kv_conn *conn, const struct kv_conn_news *news)
{
	struct kv_event event = {
		.type = KVERBS_EVENT_CM,
		.cm_event = news->event,
		.cm_status = news->status,
	};

	/* A request that nobody has taken has no id: no user knows it. */
	if (conn->obj.id)
		kv_event_send_obj(&conn->obj, &event);
}

/**
 * kv_conn_end() - end a connection or its handshake, and bring its QP to ERR
 * @conn: the CONN
 * @answer: call rdma_disconnect(), which asks the peer to disconnect, or replies to its request
 *
 * rdma_disconnect() comes before ERR: iWARP's CM closes a connection in RTS, and aborts one in
 * ERR (iw_cm_disconnect()). The CM takes the QP to SQD (iwcm_modify_qp_sqd()), where siw forgets
 * READs that wait for their response (siw_qp_nextstate_from_rts()): these never complete. So on
 * iWARP a QP that has outstanding requests goes to ERR first.
 *
 * Locks: dev->lock
 * Return: the result of rdma_disconnect(), or 0.
 */
int kv_conn_end(struct kv_conn *conn, bool answer)
{
	struct kv_qp *qp = conn->qp;
	int ret = 0;

	if (answer && conn->id) {
		if (qp && kv_dev_iwarp(conn->obj.dev) && !kv_wq_idle(&qp->wqes.sq))
			kv_drain_begin(qp);
		kv_obj_time(&conn->obj, CM, ret = rdma_disconnect(conn->id));
	}
	if (qp)
		kv_drain_begin(qp);
	return ret;
}

/**
 * kv_conn_settle() - do the work that the CM's events have left
 * @conn: the CONN
 *
 * Locks: dev->lock
 */
void kv_conn_settle(struct kv_conn *conn)
{
	bool ending, foreign, answer;

	lockdep_assert_held(&conn->obj.dev->lock);
	spin_lock(&kv_conn_lock);
	ending = conn->ending;
	foreign = conn->foreign;
	answer = conn->end.event == KVERBS_CM_EVENT_DISCONNECTED ||
		 conn->news.state == KVERBS_CONN_ESTABLISHED;
	spin_unlock(&kv_conn_lock);

	if (test_and_clear_bit(0, &conn->comm_est) && conn->id)
		rdma_notify(conn->id, IB_EVENT_COMM_EST);
	if (ending)
		kv_conn_end(conn, answer);
	if (foreign && conn->id) {
		rdma_destroy_id(conn->id);
		conn->id = NULL;
	}
	if (!ending)
		return;
	spin_lock(&kv_conn_lock);
	conn->news = conn->end;
	conn->ending = false;
	spin_unlock(&kv_conn_lock);
	conn_send_news(conn, &conn->end);
}

static void conn_settle_work(struct work_struct *work)
{
	struct kv_conn *conn = container_of(work, struct kv_conn, work);

	scoped_guard(mutex, &conn->obj.dev->lock)
		if (!conn->obj.dead)
			kv_conn_settle(conn);
	kv_obj_put(&conn->obj);
}

static void conn_queue_settle(struct kv_conn *conn)
{
	kv_obj_get(&conn->obj);
	if (!queue_work(conn_wq, &conn->work))
		kv_obj_put(&conn->obj);
}

/**
 * kv_conn_established() - the QP's device reports the peer's first message
 * @user: the CONN
 *
 * After IB_EVENT_COMM_EST the handshake is over, even if the CM's last message is lost or
 * late (cm_establish(), core/cm.c).
 *
 * Context: any; the CONN uses its QP meanwhile
 */
void kv_conn_established(void *user)
{
	struct kv_conn *conn = user;

	set_bit(0, &conn->comm_est);
	conn_queue_settle(conn);
}

/**
 * kv_conn_alloc() - memory for a CONN, not yet visible to anybody
 * @class: kv_conn_class
 * @new: its device and its future owner
 *
 * Return: as kv_obj_alloc().
 */
struct kv_conn *kv_conn_alloc(struct kv_obj_class *class, const struct kv_new *new)
{
	struct kv_conn *conn = kv_obj_alloc(class, sizeof(*conn), new);

	if (IS_ERR(conn))
		return conn;
	INIT_LIST_HEAD(&conn->requests);
	INIT_LIST_HEAD(&conn->request);
	INIT_WORK(&conn->work, conn_settle_work);
	return conn;
}

/**
 * kv_conn_drop_request() - free a request that nobody has taken
 * @conn: the request, no longer among its listener's
 */
void kv_conn_drop_request(struct kv_conn *conn)
{
	kv_obj_put(&conn->listener->obj);
	/* It was never published, and has no parents. */
	kv_obj_put(&conn->obj);
}

/* An answer carries private data; a message that only confirms carries none. */
static void conn_save_data(struct kv_conn *conn, const struct rdma_conn_param *param)
{
	if (!param->private_data)
		return;
	conn->data.length = min_t(u32, param->private_data_len, sizeof(conn->data.bytes));
	memcpy(conn->data.bytes, param->private_data, conn->data.length);
}

/* The address vector is valid only during the event. */
static void conn_save_group(struct kv_conn *conn, const struct rdma_cm_id *id,
			    const struct rdma_ud_param *param)
{
	const struct rdma_ah_attr *ah = &param->ah_attr;
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	conn->group = (struct kv_conn_group){
		.gid = grh->dgid,
		.qpn = param->qp_num,
		.qkey = param->qkey,
		.port = id->port_num,
		.lid = ah->type == RDMA_AH_ATTR_TYPE_ROCE ? 0 : rdma_ah_get_dlid(ah),
		.sgid_index = grh->sgid_index,
	};
}

/* Does not return -ENOMEM: the CM would let the peer repeat the request again and again. */
static int conn_refuse_request(struct rdma_cm_id *id, u8 reason)
{
	rdma_reject(id, NULL, 0, reason);
	return -ECONNREFUSED;
}

/* Puts a request where CONN_GET_REQUEST finds it. */
static int conn_add_request(struct kv_conn *listener, struct rdma_cm_id *id,
			    const struct rdma_cm_event *event)
{
	const struct kv_conn_news news = {
		.state = KVERBS_CONN_REQUESTED,
		.event = KVERBS_CM_EVENT_CONNECT_REQUEST,
	};
	const struct kv_new new = { .dev = listener->obj.dev, .owner = listener->obj.owner };
	struct kv_conn *conn;
	bool full;

	/* A listener at all addresses also receives requests through other devices. */
	if (id->device != listener->obj.dev->ib)
		return conn_refuse_request(id, IB_CM_REJ_INVALID_SERVICE_ID);
	conn = kv_conn_alloc(listener->obj.class, &new);
	if (IS_ERR(conn))
		return conn_refuse_request(id, IB_CM_REJ_NO_RESOURCES);
	conn->id = id;
	conn->news = news;
	conn->responder_resources = event->param.conn.responder_resources;
	conn->initiator_depth = event->param.conn.initiator_depth;
	conn_save_data(conn, &event->param.conn);
	kv_obj_get(&listener->obj);
	conn->listener = listener;
	id->context = conn;

	spin_lock(&kv_conn_lock);
	full = listener->waiting >= listener->backlog;
	if (!full) {
		list_add_tail(&conn->request, &listener->requests);
		listener->waiting++;
		listener->news.event = news.event;
	}
	spin_unlock(&kv_conn_lock);
	if (full) {
		kv_conn_drop_request(conn);
		return conn_refuse_request(id, IB_CM_REJ_NO_RESOURCES);
	}
	conn_send_news(listener, &news);
	return 0;
}

/* The uapi's number of an event, its status, and the CONN's state after it. */
static struct kv_conn_news conn_make_news(const struct kv_conn *conn, const struct rdma_cm_id *id,
					  const struct rdma_cm_event *event)
{
	static const struct {
		enum kverbs_cm_event event;
		enum kverbs_conn_state state; /* IDLE: the state stays */
	} all[] = {
#define NEWS(EVENT, STATE) \
	[RDMA_CM_EVENT_##EVENT] = { KVERBS_CM_EVENT_##EVENT, KVERBS_CONN_##STATE }
		NEWS(ADDR_RESOLVED, ADDR_RESOLVED),
		NEWS(ADDR_ERROR, FAILED),
		NEWS(ROUTE_RESOLVED, ROUTE_RESOLVED),
		NEWS(ROUTE_ERROR, FAILED),
		NEWS(CONNECT_REQUEST, IDLE),
		NEWS(CONNECT_RESPONSE, ANSWERED),
		NEWS(CONNECT_ERROR, FAILED),
		NEWS(UNREACHABLE, FAILED),
		NEWS(REJECTED, REJECTED),
		NEWS(ESTABLISHED, ESTABLISHED),
		NEWS(DISCONNECTED, DISCONNECTED),
		NEWS(DEVICE_REMOVAL, FAILED),
		NEWS(MULTICAST_JOIN, JOINED),
		NEWS(MULTICAST_ERROR, FAILED),
		NEWS(ADDR_CHANGE, IDLE),
		NEWS(TIMEWAIT_EXIT, IDLE),
#undef NEWS
	};
	struct kv_conn_news news = {
		.event = KVERBS_CM_EVENT_OTHER,
		.status = event->status,
	};

	lockdep_assert_held(&kv_conn_lock);
	if (event->event < ARRAY_SIZE(all)) {
		news.event = all[event->event].event;
		news.state = all[event->event].state;
	}
	if (news.event == KVERBS_CM_EVENT_ADDR_RESOLVED && id->device != conn->obj.dev->ib) {
		news.state = KVERBS_CONN_FAILED;
		news.event = KVERBS_CM_EVENT_ADDR_ERROR;
		news.status = -EXDEV;
	}
	if (news.state == KVERBS_CONN_IDLE || conn_state_is_end(conn->news.state))
		news.state = conn->news.state;
	return news;
}

static void conn_note_end(struct kv_conn *conn, const struct kv_conn_news *news,
			  const struct rdma_cm_id *id)
{
	lockdep_assert_held(&kv_conn_lock);
	conn->end = *news;
	conn->ending = true;
	conn->foreign = id->device && id->device != conn->obj.dev->ib;
	conn_queue_settle(conn);
}

/**
 * kv_conn_handle() - handle an event of the CM
 * @id: the id that the event is for
 * @event: the event
 *
 * Return: 0; a negative errno makes the CM destroy @id, which then nothing refers to.
 */
int kv_conn_handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kv_conn *conn = id->context;
	struct kv_conn_news news;
	bool dropped = false, told = false;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return conn_add_request(conn, id, event);

	spin_lock(&kv_conn_lock);
	news = conn_make_news(conn, id, event);
	if (conn->ending) {
		/* The end is recorded: no later event changes it. */
	} else if (!conn_state_is_end(news.state) || conn_state_is_end(conn->news.state)) {
		conn->news = news;
		told = true;
	} else if (!list_empty(&conn->request)) {
		/* The peer has given up before somebody took its request. */
		list_del_init(&conn->request);
		conn->listener->waiting--;
		dropped = true;
	} else {
		conn_note_end(conn, &news, id);
	}
	if (event->event == RDMA_CM_EVENT_CONNECT_RESPONSE ||
	    event->event == RDMA_CM_EVENT_ESTABLISHED ||
	    event->event == RDMA_CM_EVENT_REJECTED)
		conn_save_data(conn, &event->param.conn);
	if (event->event == RDMA_CM_EVENT_MULTICAST_JOIN)
		conn_save_group(conn, id, &event->param.ud);
	spin_unlock(&kv_conn_lock);

	if (told)
		conn_send_news(conn, &news);
	if (!dropped)
		return 0;
	kv_conn_drop_request(conn);
	return -ECONNABORTED;
}

/**
 * kv_conn_init() - before any CONN is made
 *
 * Return: 0 or -ENOMEM.
 */
int kv_conn_init(void)
{
	conn_wq = alloc_workqueue("kverbs_conn", WQ_UNBOUND, 0);
	return conn_wq ? 0 : -ENOMEM;
}

/**
 * kv_conn_exit() - after all CONNs are destroyed: wait for work that is still due
 */
void kv_conn_exit(void)
{
	destroy_workqueue(conn_wq);
}
