// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include "cli/interrupt.h"
#include "rate/rate.h"
#include "sys/now.h"

#define TIMEOUT_MIN_MS 1
#define TIMEOUT_MAX_MS 60000

/* One of the connections that are made at the same time. */
struct slot {
	uint32_t conn; /* id of the CONN */
	uint32_t qp; /* id of the QP */
	uint64_t begin_ns; /* when the step began */
	uint64_t verb_ns; /* how long the step's verbs took so far */
};

/* The connection for a step whose time begins now. */
static struct kv_conn_side side_of(const struct kv_rate *r, const struct slot *s)
{
	return (struct kv_conn_side){
		.b = r->end.site->b,
		.end_ns = kv_now_ns() + r->timeout_ns,
		.conn.id = s->conn,
	};
}

static uint32_t timeout_ms(const struct kv_rate *r)
{
	uint64_t ms = r->timeout_ns / 1000000;

	if (ms < TIMEOUT_MIN_MS)
		return TIMEOUT_MIN_MS;
	return ms > TIMEOUT_MAX_MS ? TIMEOUT_MAX_MS : (uint32_t)ms;
}

static struct kv_conn_param parameters(const struct kv_rate *r, const struct slot *s)
{
	struct kv_conn_param param = kv_endpoint_param(&r->end);

	param.qp = s->qp;
	param.id = s->conn;
	return param;
}

static int establish(struct kv_rate *r, struct slot *s, struct kv_fault *f)
{
	const struct kv_conn_param param = parameters(r, s);
	struct kv_conn_side side = side_of(r, s);
	int ret = kv_conn_confirm(&side, &param, f);

	s->verb_ns += side.verb_ns[KV_CONN_ESTABLISH];
	/* The connection was established, if only for a moment. */
	if (ret == -ECONNABORTED && side.verb_ns[KV_CONN_ESTABLISH] &&
	    side.conn.state == KVERBS_CONN_DISCONNECTED)
		return 0;
	return ret;
}

/* The time of the step runs already: what one verb needs is not prepared for the others. */
static int ask(struct kv_rate *r, enum kv_rate_step step, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.site->b;
	struct kv_conn_param param;
	struct kv_conn conn;
	int ret;

	switch (step) {
	case KV_RATE_CREATE_ID:
		ret = kv_op_conn_new(b, &(struct kv_conn_init){ .dev = r->end.site->dev.name },
				     &conn, &s->verb_ns);
		s->conn = ret ? 0 : conn.id;
		return ret;
	case KV_RATE_RESOLVE_ADDR:
		return kv_op_conn_resolve_addr(b, &(struct kv_conn_resolve){
					       s->conn, .dst = r->addr, .timeout_ms = timeout_ms(r)
					       }, NULL, &s->verb_ns);
	case KV_RATE_RESOLVE_ROUTE:
		return kv_op_conn_resolve_route(b,
						&(struct kv_conn_route){ s->conn, timeout_ms(r) },
						NULL, &s->verb_ns);
	case KV_RATE_CREATE_QP:
		return kv_rate_create_qp(r, &s->qp, &s->verb_ns, f);
	case KV_RATE_CONNECT:
		param = parameters(r, s);
		return kv_op_conn_connect(b, &param, NULL, &s->verb_ns);
	case KV_RATE_DISCONNECT:
		return kv_op_conn_disconnect(b, &(struct kv_id){ s->conn }, NULL, &s->verb_ns);
	case KV_RATE_DESTROY_ID:
		return kv_op_del(b, KV_CONN, s->conn, &s->verb_ns);
	default: /* KV_RATE_DESTROY_QP: only the passive side accepts */
		return kv_op_del(b, KV_QP, s->qp, &s->verb_ns);
	}
}

/* The step ends when the verb returns, and not in a state. */
#define AT_RETURN KVERBS_CONN_IDLE

static const struct phase {
	enum kv_rate_step step;
	const char *what; /* the attempt, before the peer's address */
	uint32_t wanted; /* the state that the step ends in */
} phases[] = {
	{ KV_RATE_CREATE_ID, "make a connection to", AT_RETURN },
	{ KV_RATE_RESOLVE_ADDR, "resolve address", KVERBS_CONN_ADDR_RESOLVED },
	{ KV_RATE_RESOLVE_ROUTE, "resolve the route to", KVERBS_CONN_ROUTE_RESOLVED },
	{ KV_RATE_CREATE_QP, NULL, AT_RETURN },
	{ KV_RATE_CONNECT, NULL, KVERBS_CONN_ESTABLISHED },
	/* From here on, the steps that end the connection. */
	{ KV_RATE_DISCONNECT, "disconnect from", KVERBS_CONN_DISCONNECTED },
	{ KV_RATE_DESTROY_ID, "destroy a connection to", AT_RETURN },
	{ KV_RATE_DESTROY_QP, "destroy the QP of a connection to", AT_RETURN },
};

/* ucmatose's server may be first: it ends its connections when all of them are established. */
static bool is_ended(struct kv_rate *r, const struct slot *s)
{
	union kv_object object;

	return !kv_op_get(r->end.site->b, KV_CONN, s->conn, &object) &&
	       object.conn.state == KVERBS_CONN_DISCONNECTED;
}

static int begin(struct kv_rate *r, const struct phase *p, struct slot *s, struct kv_fault *f)
{
	struct kv_backend *b = r->end.site->b;
	int ret = ask(r, p->step, s, f);

	/* A QP that is not made has told the reason. */
	if (!ret || p->step == KV_RATE_CREATE_QP)
		return ret;
	if (p->step == KV_RATE_CONNECT)
		return kv_conn_fault_connect(f, b, ret, &r->addr);
	kv_fault_backend(f, b, ret, "cannot %s %s", p->what, KV_SOCKADDR(&r->addr));
	if (p->step != KV_RATE_DISCONNECT)
		return ret;
	s->verb_ns = 0;
	return is_ended(r, s) ? 0 : ret;
}

static int await(struct kv_rate *r, const struct phase *p, struct slot *s, struct kv_fault *f)
{
	struct kv_conn_side side;

	if (p->step == KV_RATE_CONNECT)
		return establish(r, s, f);
	side = side_of(r, s);
	return kv_conn_wait(&side, 1U << p->wanted, f);
}

static void record(struct kv_rate *r, const struct phase *p, const struct slot *s)
{
	kv_rate_record(r, p->step, s->verb_ns, kv_now_ns() - s->begin_ns);
}

static int run_phase(struct kv_rate *r, const struct phase *p, struct slot *s, uint32_t n,
		     struct kv_fault *f)
{
	int ret = 0;

	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	for (uint32_t i = 0; i < n && !ret; i++) {
		s[i].verb_ns = 0;
		s[i].begin_ns = kv_now_ns();
		ret = begin(r, p, &s[i], f);
		if (!ret && p->wanted == AT_RETURN)
			record(r, p, &s[i]);
	}
	for (uint32_t i = 0; i < n && !ret && p->wanted != AT_RETURN; i++) {
		ret = await(r, p, &s[i], f);
		if (!ret)
			record(r, p, &s[i]);
	}
	return ret;
}

/* Makes and ends @n connections. */
static int run_batch(struct kv_rate *r, struct slot *s, uint32_t n, struct kv_fault *f)
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
 * kv_rate_active() - make connections to a peer that accepts all of them
 * @r: the measurement; receives the costs
 *
 * Return: 0 or a negative errno; closing the site destroys the objects that are left.
 */
int kv_rate_active(struct kv_rate *r, struct kv_fault *f)
{
	struct slot *s = calloc(r->parallel, sizeof(*s));
	struct kv_fault why;
	int ret;

	if (!s)
		return kv_fault_set(f, -ENOMEM, "no memory for %u connections", r->parallel);
	ret = kv_rate_init(r, f);
	while (!ret && r->done < r->count) {
		uint64_t left = r->count - r->done;

		ret = run_batch(r, s, left < r->parallel ? (uint32_t)left : r->parallel, &why);
		if (ret == -EINTR)
			*f = why;
		else if (ret)
			kv_fault_set(f, ret, "after %llu connections: %.900s",
				     (unsigned long long)r->done, why.text);
	}
	free(s);
	return ret;
}
