// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/interrupt.h"
#include "cm/conn.h"
#include "rate/rate.h"
#include "sys/now.h"

/* While no event comes, the loop checks at this interval whether to go on. */
#define LOOK_MS 200

/* The maximum of connections at a time; further requests wait until one ends. */
#define GUESTS_MAX 1024

/* A connection that a peer has requested. */
struct guest {
	uint32_t conn; /* id of the CONN */
	uint32_t qp; /* id of the QP */
	uint64_t begin_ns; /* when it was accepted */
	uint64_t verb_ns; /* how long accepting took */
	uint64_t disconnect_ns; /* how long disconnecting took; 0: the peer has disconnected */
	uint64_t end_ns; /* when we disconnected; 0: we have not */
	bool established; /* the peer has confirmed */
};

/* The side that accepts all connections. */
struct host {
	struct kv_rate *r; /* the measurement; receives the costs */
	struct kv_backend *b; /* of its site */
	uint32_t listener; /* id of the CONN that listens */
	uint32_t guests; /* number of present connections */
	uint64_t established; /* number of connections that were ever established */
	uint64_t first_ns; /* when the first request came; 0: none has come */
	struct guest guest[GUESTS_MAX]; /* the present connections */
};

static int destroy(struct host *h, struct guest *g, struct kv_fault *f)
{
	uint64_t begin_ns = kv_now_ns(), middle_ns, ns;
	int ret = kv_op_del(h->b, KV_CONN, g->conn, &ns);

	if (ret)
		return kv_fault_backend(f, h->b, ret, "cannot destroy a connection");
	middle_ns = kv_now_ns();
	kv_rate_record(h->r, KV_RATE_DESTROY_ID, ns, middle_ns - begin_ns);
	ret = kv_op_del(h->b, KV_QP, g->qp, &ns);
	if (ret)
		return kv_fault_backend(f, h->b, ret, "cannot destroy a QP");
	kv_rate_record(h->r, KV_RATE_DESTROY_QP, ns, kv_now_ns() - middle_ns);
	return 0;
}

/*
 * Did accepting a request fail because its peer is gone? rdma_init_qp_attr(), the first call, then
 * returns EINVAL. In user space no event comes, either: the kernel drops the events of an id before
 * its first rdma_accept(). EINVAL of any other call is a mistake of ours or of the device.
 */
static bool is_gone(struct host *h, uint32_t conn, int error)
{
	union kv_object object;

	if (error == -EINVAL && h->b->failed == KVERBS_STAGE_QUERY)
		return true;
	if (error == -ENOMEM || kv_op_get(h->b, KV_CONN, conn, &object))
		return false;
	return object.conn.state == KVERBS_CONN_FAILED ||
	       object.conn.state == KVERBS_CONN_REJECTED ||
	       object.conn.state == KVERBS_CONN_DISCONNECTED;
}

/* If its peer is gone, a request that can't be accepted is dropped: there are others. */
static int not_accepted(struct host *h, struct guest *g, int error, struct kv_fault *f)
{
	error = kv_fault_backend(f, h->b, error, "cannot accept a connection");
	if (!is_gone(h, g->conn, error))
		return error;
	memset(f, 0, sizeof(*f));
	h->r->gone++;
	return destroy(h, g, f);
}

static int accept_one(struct host *h, uint32_t conn, struct kv_fault *f)
{
	struct guest *g = &h->guest[h->guests];
	struct kv_conn_param param = { .id = conn, KV_CONN_PARAM_DEFAULTS };
	uint64_t begin_ns, ns;
	int ret;

	memset(g, 0, sizeof(*g));
	g->conn = conn;
	begin_ns = kv_now_ns();
	ret = kv_rate_create_qp(h->r, &g->qp, &ns, f);
	if (ret)
		return ret;
	kv_rate_record(h->r, KV_RATE_CREATE_QP, ns, kv_now_ns() - begin_ns);
	param.qp = g->qp;
	g->begin_ns = kv_now_ns();
	ret = kv_op_conn_accept(h->b, &param, NULL, &g->verb_ns);
	if (ret)
		return not_accepted(h, g, ret, f);
	h->guests++;
	return 0;
}

static int take_requests(struct host *h, struct kv_fault *f)
{
	struct kv_conn conn;
	int ret = 0;

	while (!ret && h->guests < GUESTS_MAX) {
		ret = kv_op_conn_get_request(h->b, &(struct kv_id){ h->listener }, &conn, NULL);
		if (ret == -EAGAIN)
			return 0;
		if (ret)
			return kv_fault_backend(f, h->b, ret, "cannot take a request");
		if (!h->first_ns)
			h->first_ns = kv_now_ns();
		ret = accept_one(h, conn.id, f);
	}
	return ret;
}

static int disconnect(struct host *h, struct guest *g, struct kv_fault *f)
{
	int ret;

	g->end_ns = kv_now_ns();
	ret = kv_op_conn_disconnect(h->b, &(struct kv_id){ g->conn }, NULL, &g->disconnect_ns);
	/* The peer may have disconnected first: the state of the CONN will show it. */
	if (ret)
		g->disconnect_ns = 0;
	return ret == -EINVAL ? 0 : kv_fault_backend(f, h->b, ret, "cannot disconnect");
}

/* Looks at the state of a connection. Return: 1: it is gone. */
static int look(struct host *h, struct guest *g, struct kv_fault *f)
{
	uint64_t now_ns = kv_now_ns();
	union kv_object object;
	int ret = kv_op_get(h->b, KV_CONN, g->conn, &object);

	if (ret)
		return kv_fault_backend(f, h->b, ret, "cannot look at a connection");
	switch (object.conn.state) {
	case KVERBS_CONN_ACCEPTED:
	case KVERBS_CONN_DISCONNECTING:
		return 0;
	case KVERBS_CONN_ESTABLISHED:
	case KVERBS_CONN_DISCONNECTED:
		if (!g->established) {
			kv_rate_record(h->r, KV_RATE_ACCEPT, g->verb_ns, now_ns - g->begin_ns);
			g->established = true;
			h->established++;
		}
		if (object.conn.state == KVERBS_CONN_ESTABLISHED)
			return 0;
		h->r->done++;
		kv_rate_record(h->r, KV_RATE_DISCONNECT, g->disconnect_ns, now_ns - g->end_ns);
	}
	/* A failed connection is not counted, and does not stop the others. */
	return destroy(h, g, f) ?: 1;
}

static int look_all(struct host *h, struct kv_fault *f)
{
	uint32_t i = 0;
	int ret;

	while (i < h->guests) {
		ret = look(h, &h->guest[i], f);
		if (ret < 0)
			return ret;
		if (ret)
			h->guest[i] = h->guest[--h->guests];
		else
			i++;
	}
	return 0;
}

static int disconnect_all(struct host *h, struct kv_fault *f)
{
	int ret = 0;

	if (!h->r->disconnect || h->established < h->r->count)
		return 0;
	for (uint32_t i = 0; i < h->guests && !ret; i++)
		if (h->guest[i].established && !h->guest[i].end_ns)
			ret = disconnect(h, &h->guest[i], f);
	return ret;
}

static int serve(struct host *h, struct kv_fault *f)
{
	struct kv_rate *r = h->r;
	int ret = 0;

	while (!ret && (!r->count || r->done < r->count)) {
		if (kv_interrupt_seen())
			return kv_fault_set(f, -EINTR, "interrupted after %llu connections",
					    (unsigned long long)r->done);
		ret = take_requests(h, f) ?:
		      look_all(h, f) ?:
		      disconnect_all(h, f);
		if (h->first_ns)
			r->elapsed_ns = kv_now_ns() - h->first_ns;
		if (ret || (r->count && r->done >= r->count))
			break;
		ret = kv_op_conn_wait(h->b, &(struct kv_wait){ h->listener, LOOK_MS }, NULL, NULL);
		if (ret == -EAGAIN || ret == -EINTR)
			ret = 0;
		else if (ret)
			kv_fault_backend(f, h->b, ret, "cannot wait for connections");
	}
	return ret;
}

/**
 * kv_rate_passive() - accept all connections that come, until they have ended
 * @r: the measurement; receives the costs
 *
 * Return: 0 or a negative errno; closing the site destroys the objects that are left.
 */
int kv_rate_passive(struct kv_rate *r, struct kv_fault *f)
{
	const struct kv_conn_init init = { .dev = r->end.site->dev.name };
	struct kv_conn_side listener = { .b = r->end.site->b };
	struct host *h;
	int ret;

	h = calloc(1, sizeof(*h));
	if (!h)
		return kv_fault_no_memory(f);
	h->r = r;
	h->b = r->end.site->b;
	ret = kv_rate_init(r, f) ?:
	      kv_conn_listen(&listener, &init, &r->addr, KVERBS_CONN_BACKLOG_MAX, f);
	if (!ret) {
		h->listener = listener.conn.id;
		ret = serve(h, f);
	}
	free(h);
	return ret;
}
