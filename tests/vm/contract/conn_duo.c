// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "conn.h"

struct sockaddr_storage conn_addr(int family, uint16_t port)
{
	struct sockaddr_storage addr = { .ss_family = (sa_family_t)family };
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;

	/* At the same place in both. */
	in->sin_port = htons(port);
	if (family == AF_INET)
		inet_pton(AF_INET, "192.0.2.1", &in->sin_addr);
	else
		inet_pton(AF_INET6, "2001:db8::1", &in6->sin6_addr);
	return addr;
}

uint16_t conn_port(const struct sockaddr_storage *addr)
{
	return ntohs(((const struct sockaddr_in *)addr)->sin_port);
}

bool conn_arp(void)
{
	if (system("ip link show dev d0 | grep -q NOARP"))
		return false;
	if (system("ip link set dev d0 arp on"))
		bail_out("d0 does not take ARP");
	return true;
}

void conn_noarp(bool off)
{
	if (off && system("ip link set dev d0 arp off"))
		bail_out("d0 keeps ARP");
}

uint32_t conn_new(struct link *l)
{
	struct kv_conn_init init = { .dev = dev };
	struct kv_conn conn;

	must(l, call_new(&l->nl, KV_CONN, &init, &conn, NULL), "conn");
	return conn.id;
}

int conn_del(struct link *l, uint32_t id)
{
	return call_del(&l->nl, KV_CONN, id, NULL);
}

struct kv_conn conn_get(struct link *l, uint32_t id)
{
	struct kv_conn conn;

	must(l, call_get(&l->nl, KV_CONN, id, &conn), "look at the conn");
	return conn;
}

bool conn_is(struct link *l, uint32_t id, uint32_t state, struct kv_conn *conn)
{
	struct limit limit = limit_of(20);
	struct kv_conn here;

	for (;;) {
		here = conn_get(l, id);
		if (conn)
			*conn = here;
		if (here.state == state)
			return true;
		if (limit_over(&limit))
			break;
		usleep(10000);
	}
	note("  state %u, event %u, status %d; want state %u", here.state, here.event,
	     here.status, state);
	return false;
}

void conn_must_be(struct link *l, uint32_t id, uint32_t state)
{
	if (!conn_is(l, id, state, NULL))
		bail_out("conn %u does not get there", id);
}

bool conn_waits(struct link *l, uint32_t listener, uint32_t requests)
{
	struct limit limit = limit_of(20);

	while (conn_get(l, listener).waiting != requests) {
		if (limit_over(&limit))
			return false;
		usleep(10000);
	}
	return true;
}

struct kv_conn_param conn_param(uint32_t qp)
{
	return (struct kv_conn_param){
		.qp = qp,
		.access = all_access(),
		.responder_resources = -1,
		.initiator_depth = -1,
		.retry_cnt = 6,
		.rnr_retry = 6,
		.ack_timeout = -1,
	};
}

uint32_t conn_listener(struct link *l, int family, uint32_t backlog, uint16_t *port)
{
	struct sockaddr_storage src = conn_addr(family, 0);
	uint32_t id = conn_new(l);
	struct kv_conn conn;

	must(l, call_conn_listen(&l->nl, id, &src, backlog, &conn, NULL), "listen");
	*port = conn_port(&conn.src);
	return id;
}

uint32_t conn_routed(struct link *l, int family, uint16_t port)
{
	struct sockaddr_storage dst = conn_addr(family, port);
	uint32_t id = conn_new(l);

	must(l, call_conn_resolve_addr(&l->nl, id, NULL, &dst, 5000, NULL), "resolve the address");
	conn_must_be(l, id, KVERBS_CONN_ADDR_RESOLVED);
	must(l, call_conn_resolve_route(&l->nl, id, 5000, NULL), "resolve the route");
	conn_must_be(l, id, KVERBS_CONN_ROUTE_RESOLVED);
	return id;
}

uint32_t conn_taken(struct link *l, uint32_t listener)
{
	struct kv_conn conn;

	if (!conn_waits(l, listener, 1))
		bail_out("no request comes");
	must(l, call_conn_get_request(&l->nl, listener, &conn), "take");
	return conn.id;
}

void duo_make(struct link *l, struct duo *d, int family, uint32_t active, uint32_t passive)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_conn_param param;

	memset(d, 0, sizeof(*d));
	end_make(l, &d->a, &init);
	end_make(l, &d->p, &init);
	d->listener = conn_listener(l, family, 8, &d->port);
	d->active = conn_routed(l, family, d->port);
	if (active == KVERBS_CONN_ROUTE_RESOLVED)
		return;
	param = conn_param(d->a.qp);
	must(l, call_conn_connect(&l->nl, d->active, &param, NULL), "connect");
	if (!conn_waits(l, d->listener, 1))
		bail_out("no request comes");
	if (!passive)
		return;
	d->passive = conn_taken(l, d->listener);
	if (passive == KVERBS_CONN_REQUESTED)
		return;
	param = conn_param(d->p.qp);
	must(l, call_conn_accept(&l->nl, d->passive, &param, NULL), "accept");
	if (is_iwarp()) {
		conn_must_be(l, d->active, KVERBS_CONN_ESTABLISHED);
	} else {
		conn_must_be(l, d->active, KVERBS_CONN_ANSWERED);
		if (active == KVERBS_CONN_ANSWERED)
			return;
		must(l, call_conn_establish(&l->nl, d->active, &param, NULL), "establish");
	}
	conn_must_be(l, d->passive, KVERBS_CONN_ESTABLISHED);
}

void duo_del(struct link *l, const struct duo *d)
{
	must(l, conn_del(l, d->active), "delete");
	if (d->passive)
		must(l, conn_del(l, d->passive), "delete");
	must(l, conn_del(l, d->listener), "delete");
}
