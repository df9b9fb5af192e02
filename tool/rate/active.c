// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include "cli/interrupt.h"
#include "cm/conn.h"
#include "rate/rate.h"
#include "sys/now.h"

/**
 * struct slot - one of the connections that are made at the same time
 * @conn: its id
 * @qp: its id
 * @begin_ns: when the step began
 * @verb_ns: how long the step's verbs took so far
 */
struct slot {
	uint32_t conn;
	uint32_t qp;
	uint64_t begin_ns;
	uint64_t verb_ns;
};

static uint64_t deadline(const struct kv_rate *r)
{
	return kv_now_ns() + r->timeout_ns;
}

static uint32_t timeout_ms(const struct kv_rate *r)
{
	uint64_t ms = r->timeout_ns / 1000000;

	return ms < 1 ? 1 : ms > 60000 ? 60000 : (uint32_t)ms;
}

static int refuse(const struct kv_rate *r, int error, const char *what,
		  struct kv_fault *f)
{
	char to[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(to, &r->addr);
	return kv_fault_backend(f, r->end.space->b, error, "cannot %s %s", what,
				to);
}

static int create_id(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	const struct kv_conn_init init = { .dev = r->end.space->dev.name };
	struct kv_backend *b = r->end.space->b;
	struct kv_conn conn;
	int ret = kv_op_conn_new(b, &init, &conn, &s->verb_ns);

	if (ret)
		return refuse(r, ret, "make a connection to", f);
	s->conn = conn.id;
	return 0;
}

static int resolve_addr(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.space->b;
	const struct kv_conn_resolve resolve = {
		.id = s->conn,
		.dst = r->addr,
		.timeout_ms = timeout_ms(r),
	};
	int ret = kv_op_conn_resolve_addr(b, &resolve, NULL, &s->verb_ns);

	return ret ? refuse(r, ret, "resolve address", f) : 0;
}

static int wait_addr(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_conn conn;

	return kv_conn_wait(r->end.space->b, s->conn,
			    1U << KVERBS_CONN_ADDR_RESOLVED, deadline(r), &conn,
			    f);
}

static int resolve_route(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.space->b;
	const struct kv_conn_route route = { s->conn, timeout_ms(r) };
	int ret = kv_op_conn_resolve_route(b, &route, NULL, &s->verb_ns);

	return ret ? refuse(r, ret, "resolve the route to", f) : 0;
}

static int wait_route(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_conn conn;

	return kv_conn_wait(r->end.space->b, s->conn,
			    1U << KVERBS_CONN_ROUTE_RESOLVED, deadline(r),
			    &conn, f);
}

static int create_qp(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	return kv_rate_create_qp(r, &s->qp, &s->verb_ns, f);
}

static struct kv_conn_param parameters(const struct slot *s)
{
	struct kv_conn_param param;

	kv_conn_param_init(&param, s->qp);
	param.id = s->conn;
	param.responder_resources = 1;
	param.initiator_depth = 1;
	return param;
}

static int request(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	const struct kv_conn_param param = parameters(s);
	struct kv_backend *b = r->end.space->b;
	int ret = kv_op_conn_connect(b, &param, NULL, &s->verb_ns);

	return ret ? kv_conn_fault_connect(f, b, ret, &r->addr) : 0;
}

static int establish(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	const struct kv_conn_param param = parameters(s);
	struct kv_conn_times times = { 0 };
	struct kv_conn conn;
	int ret;

	ret = kv_conn_confirm(r->end.space->b, s->conn, &param, deadline(r), &conn,
			      &times, f);
	s->verb_ns += times.verb_ns[KV_CONN_ESTABLISH];
	/* It was there, if only for a moment. */
	if (ret == -ECONNABORTED && times.verb_ns[KV_CONN_ESTABLISH] &&
	    conn.state == KVERBS_CONN_DISCONNECTED)
		return 0;
	return ret;
}

/* ucmatose's server is faster: it ends its connections when it has seen all of them. */
static int disconnect(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.space->b;
	union kv_object object;
	struct kv_fault why;
	int ret;

	ret = kv_op_conn_disconnect(b, &(struct kv_id){ s->conn }, NULL, &s->verb_ns);
	if (!ret)
		return 0;
	s->verb_ns = 0;
	refuse(r, ret, "disconnect from", &why);
	if (!kv_op_get(b, KV_CONN, s->conn, &object) &&
	    object.conn.state == KVERBS_CONN_DISCONNECTED)
		return 0;
	*f = why;
	return ret;
}

static int wait_end(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_conn conn;

	return kv_conn_wait(r->end.space->b, s->conn,
			    1U << KVERBS_CONN_DISCONNECTED, deadline(r), &conn,
			    f);
}

static int destroy_id(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.space->b;
	int ret = kv_op_del(b, KV_CONN, s->conn, &s->verb_ns);

	return ret ? refuse(r, ret, "destroy a connection to", f) : 0;
}

static int destroy_qp(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.space->b;
	int ret = kv_op_del(b, KV_QP, s->qp, &s->verb_ns);

	return ret ? refuse(r, ret, "destroy the QP of a connection to", f) : 0;
}

/* @wait: for the answer; NULL: the verb's return is the end. */
static const struct phase {
	enum kv_rate_step step;
	int (*ask)(struct kv_rate *r, struct slot *s, struct kv_fault *f);
	int (*wait)(struct kv_rate *r, struct slot *s, struct kv_fault *f);
} phases[] = {
	{ KV_RATE_CREATE_ID, create_id, NULL },
	{ KV_RATE_RESOLVE_ADDR, resolve_addr, wait_addr },
	{ KV_RATE_RESOLVE_ROUTE, resolve_route, wait_route },
	{ KV_RATE_CREATE_QP, create_qp, NULL },
	{ KV_RATE_CONNECT, request, establish },
	/* From here on it goes down. */
	{ KV_RATE_DISCONNECT, disconnect, wait_end },
	{ KV_RATE_DESTROY_ID, destroy_id, NULL },
	{ KV_RATE_DESTROY_QP, destroy_qp, NULL },
};

static void record(struct kv_rate *r, const struct phase *p,
		   const struct slot *s)
{
	kv_rate_record(r, p->step, s->verb_ns, kv_now_ns() - s->begin_ns);
}

static int run_phase(struct kv_rate *r, const struct phase *p, struct slot *s,
		     uint32_t n, struct kv_fault *f)
{
	int ret = 0;

	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	for (uint32_t i = 0; i < n && !ret; i++) {
		s[i].verb_ns = 0;
		s[i].begin_ns = kv_now_ns();
		ret = p->ask(r, &s[i], f);
		if (!ret && !p->wait)
			record(r, p, &s[i]);
	}
	for (uint32_t i = 0; i < n && !ret && p->wait; i++) {
		ret = p->wait(r, &s[i], f);
		if (!ret)
			record(r, p, &s[i]);
	}
	return ret;
}

/* @n of them, from begin to end. */
static int run_batch(struct kv_rate *r, struct slot *s, uint32_t n,
		     struct kv_fault *f)
{
	uint64_t begin_ns = kv_now_ns();
	int ret = 0;

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]) && !ret; i++) {
		ret = run_phase(r, &phases[i], s, n, f);
		if (!ret && phases[i].step == KV_RATE_CONNECT)
			r->setup_ns += kv_now_ns() - begin_ns;
	}
	if (ret)
		return ret;
	r->elapsed_ns += kv_now_ns() - begin_ns;
	r->done += n;
	return 0;
}

/**
 * kv_rate_active() - make connections to somebody who accepts all of them
 * @r: what; receives what it cost
 * @f: receives why not
 *
 * Return: 0 or a negative errno. What is left then dies with the space.
 */
int kv_rate_active(struct kv_rate *r, struct kv_fault *f)
{
	struct slot *s = calloc(r->parallel, sizeof(*s));
	struct kv_fault why;
	int ret;

	if (!s)
		return kv_fault_set(f, -ENOMEM, "no memory for %u connections",
				    r->parallel);
	ret = kv_rate_init(r, f);
	while (!ret && r->done < r->count) {
		uint64_t left = r->count - r->done;

		ret = run_batch(r, s, left < r->parallel ? (uint32_t)left :
							   r->parallel, &why);
		if (ret == -EINTR)
			*f = why;
		else if (ret)
			kv_fault_set(f, ret, "after %llu connections: %.900s",
				     (unsigned long long)r->done, why.text);
	}
	free(s);
	return ret;
}
