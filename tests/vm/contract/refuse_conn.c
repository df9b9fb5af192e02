// SPDX-License-Identifier: MIT
/* Refusals of connections of the RDMA CM. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "conn.h"

static int listen_at(struct link *l, uint32_t id, const struct sockaddr_storage *src,
		     uint32_t backlog)
{
	return call_conn_listen(&l->nl, id, src, backlog, NULL, NULL);
}

static int resolve(struct link *l, uint32_t id, const struct sockaddr_storage *src,
		   const struct sockaddr_storage *dst)
{
	return call_conn_resolve_addr(&l->nl, id, src, dst, 1000, NULL);
}

static struct sockaddr_storage parse(int family, const char *text, uint16_t port)
{
	struct sockaddr_storage addr = conn_addr(family, port);

	if (family == AF_INET)
		inet_pton(AF_INET, text, &((struct sockaddr_in *)&addr)->sin_addr);
	else
		inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)&addr)->sin6_addr);
	return addr;
}

/* Bytes as they are in place of an address. */
static int raw_addr(struct link *l, int cmd, uint32_t id, int attr, const void *bytes, int size)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, cmd, 0);

	nla_put_u32(msg, KVERBS_A_CONN_ID, id);
	nla_put(msg, attr, size, bytes);
	return send_msg(l, msg);
}

static void test_new(struct link *l)
{
	struct kv_conn_init init = { .dev = "none" };

	refused(l, call_new(&l->nl, KV_CONN, &init, NULL, NULL), -ENODEV,
		"no such RDMA device", "a device that is not there");
	refused(l, RAW(l, KVERBS_CMD_CONN_NEW), -EINVAL, "dev is missing", "no device");
	refused(l, conn_del(l, 2000000000), -ENOENT, "no conn with this id among yours",
		"an unknown conn");
	refused(l, RAW(l, KVERBS_CMD_CONN_DEL), -EINVAL, "the conn's id is missing", "no conn");
	refused(l, RAW(l, KVERBS_CMD_CONN_GET, KVERBS_A_CONN_ID, 0), -ERANGE, "out of range",
		"conn 0");
	refused(l, RAW(l, KVERBS_CMD_CONN_GET, KVERBS_A_CONN_ID, 1, KVERBS_A_CONN_STATE, 1),
		-EINVAL, "", "an attribute of replies");
}

static void test_addresses(struct link *l, uint32_t id)
{
	static const struct {
		int family;
		const char *text;
		const char *why;
		const char *name;
	} bad[] = {
		{ AF_INET, "239.1.1.1", "multicast", "a multicast address" },
		{ AF_INET, "255.255.255.255", "broadcast", "a broadcast address" },
		{ AF_INET6, "ff02::1", "multicast", "a multicast address of IPv6" },
		{ AF_INET6, "fe80::1", "needs a scope", "a link-local address without a scope" },
	};
	struct sockaddr_storage addr, src;
	struct kv_conn conn;
	unsigned int i;
	char name[80];

	for (i = 0; i < COUNT(bad); i++) {
		addr = parse(bad[i].family, bad[i].text, 7471);
		snprintf(name, sizeof(name), "%s to listen at", bad[i].name);
		refused(l, listen_at(l, id, &addr, 1), -EINVAL, bad[i].why, name);
		snprintf(name, sizeof(name), "%s to go to", bad[i].name);
		refused(l, resolve(l, id, NULL, &addr), -EINVAL, bad[i].why, name);
		snprintf(name, sizeof(name), "%s to come from", bad[i].name);
		src = conn_addr(bad[i].family, 7471);
		refused(l, resolve(l, id, &addr, &src), -EINVAL, bad[i].why, name);
	}
	addr = parse(AF_INET, "0.0.0.0", 7471);
	refused(l, resolve(l, id, NULL, &addr), -EINVAL, "dst must be the address of a peer",
		"any address to go to");
	addr = parse(AF_INET6, "::", 7471);
	refused(l, resolve(l, id, NULL, &addr), -EINVAL, "dst must be the address of a peer",
		"any address of IPv6");
	addr = conn_addr(AF_INET, 0);
	refused(l, resolve(l, id, NULL, &addr), -EINVAL, "dst needs a port", "no port to go to");
	addr = conn_addr(AF_INET, 7471);
	src = conn_addr(AF_INET6, 0);
	refused(l, resolve(l, id, &src, &addr), -EINVAL,
		"src and dst must be of the same family", "two families");
	src = parse(AF_INET, "198.51.100.1", 0);
	refused_by(l, resolve(l, id, &src, &addr), -EADDRNOTAVAIL, KVERBS_STAGE_BIND,
		   "src is not an address of an RDMA device", "somebody else's address to come from");
	refused_by(l, listen_at(l, id, &src, 1), -EADDRNOTAVAIL, KVERBS_STAGE_BIND,
		   "src is not an address of an RDMA device",
		   "somebody else's address to listen at");
	src = parse(AF_INET, "203.0.113.1", 7471);
	refused_by(l, resolve(l, id, NULL, &src), -ENETUNREACH, KVERBS_STAGE_CM,
		   "dst: no route leads to dst", "an address that no route leads to");
	src = conn_addr(AF_INET, 0);
	refused(l, listen_at(l, id, &src, 0), -ERANGE, "backlog", "no backlog");
	refused(l, listen_at(l, id, &src, KVERBS_CONN_BACKLOG_MAX + 1), -ERANGE,
		"backlog", "too large a backlog");
	refused(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 0, NULL), -ERANGE,
		"timeout_ms", "no time");
	refused(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 60001, NULL), -ERANGE,
		"timeout_ms", "too much time");
	refused(l, RAW(l, KVERBS_CMD_CONN_LISTEN, KVERBS_A_CONN_ID, id), -EINVAL,
		"src is missing", "nowhere to listen at");
	refused(l, RAW(l, KVERBS_CMD_CONN_RESOLVE_ADDR, KVERBS_A_CONN_ID, id), -EINVAL,
		"dst is missing", "nowhere to go");
	conn = conn_get(l, id);
	result(conn.state == KVERBS_CONN_IDLE && !conn.src.ss_family, "after all that it is idle");
}

static void test_sizes(struct link *l, uint32_t id)
{
	struct sockaddr_storage in6 = conn_addr(AF_INET6, 7471);
	struct sockaddr_storage in = conn_addr(AF_INET, 7471);
	int listen = KVERBS_CMD_CONN_LISTEN, src = KVERBS_A_CONN_SRC;

	refused(l, raw_addr(l, listen, id, src, &in, 15), -ERANGE, "", "too short an address");
	refused(l, raw_addr(l, listen, id, src, &in6, 29), -ERANGE, "", "too long a one");
	refused(l, raw_addr(l, listen, id, src, &in, 28), -EINVAL, "an address is a struct",
		"one of IPv4 that is as long as IPv6's");
	refused(l, raw_addr(l, listen, id, src, &in6, 16), -EINVAL, "an address is a struct",
		"one of IPv6 that is as long as IPv4's");
	in.ss_family = AF_UNIX;
	refused(l, raw_addr(l, listen, id, src, &in, 16), -EINVAL, "an address is a struct",
		"one of another family");
	in.ss_family = AF_UNSPEC;
	refused(l, raw_addr(l, listen, id, src, &in, 16), -EINVAL, "an address is a struct",
		"one of none");
}

static void test_used_port(struct link *l)
{
	uint32_t other = conn_new(l);
	struct sockaddr_storage src;
	uint16_t port;
	uint32_t id;

	id = conn_listener(l, AF_INET, 1, &port);
	src = conn_addr(AF_INET, port);
	refused_by(l, listen_at(l, other, &src, 1), -EADDRINUSE, KVERBS_STAGE_BIND,
		   "src's port is in use", "a port that is in use");
	must(l, conn_del(l, id), "delete");
	done(l, listen_at(l, other, &src, 1), "it is free when the listener has gone");
	must(l, conn_del(l, other), "delete");
}

static void test_params(struct link *l)
{
	const struct end_init rc = { .type = KVERBS_QPT_RC }, uc = { .type = KVERBS_QPT_UC };
	struct kv_conn_param param;
	struct end other, rts;
	struct duo d;

	duo_make(l, &d, AF_INET, KVERBS_CONN_ROUTE_RESOLVED, 0);
	end_make(l, &other, &uc);
	end_make(l, &rts, &rc);
	end_connect(l, &rts, KVERBS_QPT_RC, rts.qpn);
	param = conn_param(0);
#define CONNECT() call_conn_connect(&l->nl, d.active, &param, NULL)
	refused(l, CONNECT(), -EINVAL, "qp is missing", "no qp");
	param.qp = 2000000000;
	refused(l, CONNECT(), -ENOENT, "qp: no qp with this id among yours",
		"an unknown qp");
	param.qp = other.qp;
	refused(l, CONNECT(), -EINVAL, "the qp must be an RC one", "a qp of UC");
	param.qp = rts.qp;
	refused(l, CONNECT(), -EINVAL, "the qp must be in RESET or INIT", "a qp in RTS");
	result(state_of(l, rts.qp) == KVERBS_QPS_RTS, "and leaves it there");

	param = conn_param(d.a.qp);
	param.private_length = 57;
	refused(l, CONNECT(), -EINVAL,
		"private_data: a request transports at most 56 bytes",
		"more private data than a request takes");
	param.private_length = 0;
	param.retry_cnt = 8;
	refused(l, CONNECT(), -ERANGE, "retry_cnt", "8 retries");
	param.retry_cnt = 7;
	param.rnr_retry = 8;
	refused(l, CONNECT(), -ERANGE, "rnr_retry", "8 of the other kind");
	param.rnr_retry = 7;
	param.responder_resources = (int32_t)caps.max_qp_rd_atom + 1;
	refused(l, CONNECT(), -EINVAL, "above the device's max_qp_rd_atom",
		"more responder resources than the device has");
	param.responder_resources = 256;
	refused(l, CONNECT(), -ERANGE, "responder_resources", "256 of them");
	param.responder_resources = -1;
	param.initiator_depth = (int32_t)caps.max_qp_init_rd_atom + 1;
	refused(l, CONNECT(), -EINVAL, "above the device's max_qp_init_rd_atom",
		"more depth than the device has");
	param.initiator_depth = 0;
	param.access = 0x100;
	refused(l, CONNECT(), -EINVAL, "access", "unknown rights");
	param.access = 0;
	result(state_of(l, d.a.qp) == KVERBS_QPS_RESET, "the qp is as it was");
	done(l, CONNECT(), "now it is right");
#undef CONNECT
	if (!conn_waits(l, d.listener, 1))
		bail_out("no request comes");
	d.passive = conn_taken(l, d.listener);
	param = conn_param(d.a.qp);
#define ACCEPT() call_conn_accept(&l->nl, d.passive, &param, NULL)
	refused(l, ACCEPT(), -EBUSY, "in use by another conn", "a qp that another conn has");
	param.qp = 0;
	refused(l, ACCEPT(), -EINVAL, "qp is missing", "accepting without a qp");
	param.qp = d.p.qp;
	param.ack_timeout = 32;
	refused(l, ACCEPT(), -ERANGE, "ack_timeout", "too long a timeout");
	refused(l, call_conn_reject(&l->nl, d.passive, &d, 149, NULL), -EINVAL,
		"a rejection transports at most 148 bytes", "rejecting with too much to say");
	result(conn_get(l, d.passive).state == KVERBS_CONN_REQUESTED, "the request still waits");
	param.ack_timeout = 0;
	done(l, ACCEPT(), "and can be accepted");
#undef ACCEPT
	conn_must_be(l, d.active, KVERBS_CONN_ANSWERED);
	param.ack_timeout = 32;
	refused(l, call_conn_establish(&l->nl, d.active, &param, NULL), -ERANGE,
		"ack_timeout", "too long a timeout on the active side");
	duo_del(l, &d);
}

/* A QP that is in INIT already keeps its rights and its receives. */
static void test_init(struct link *l)
{
	struct kv_qp_attr init = init_attr(KVERBS_QPT_RC);
	struct kv_conn_param param;
	struct wr wr;
	struct kv_qp qp;
	struct duo d;

	duo_make(l, &d, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	init.access = KVERBS_ACCESS_REMOTE_READ;
	must(l, modify(l, d.p.qp, init), "INIT");
	wr = recv_wr(d.p.qp, d.p.local, 64, 1);
	post(l, &wr, "recv");
	param = conn_param(d.p.qp);
	refused(l, call_conn_accept(&l->nl, d.passive, &param, NULL), -EINVAL,
		"access goes with a qp in RESET", "rights of a qp in INIT");
	param.access = 0;
	done(l, call_conn_accept(&l->nl, d.passive, &param, NULL), "a qp in INIT is taken");
	conn_must_be(l, d.active, KVERBS_CONN_ANSWERED);
	must(l, call_conn_establish(&l->nl, d.active, &param, NULL), "establish");
	must(l, call_get(&l->nl, KV_QP, d.p.qp, &qp), "qp");
	result(qp.attr.access == KVERBS_ACCESS_REMOTE_READ, "with its rights");
	wr = send_wr(d.a.qp, d.a.local, 64, 2);
	post(l, &wr, "send");
	expect_wc(l, d.p.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "and its receives");
	duo_del(l, &d);
}

static int command(struct link *l, uint32_t id, int cmd, uint32_t qp)
{
	const struct sockaddr_storage addr = conn_addr(AF_INET, 7471);
	struct kv_conn_param param = conn_param(qp);

	switch (cmd) {
	case KVERBS_CMD_CONN_LISTEN:
		return listen_at(l, id, &addr, 1);
	case KVERBS_CMD_CONN_GET_REQUEST:
		return call_conn_get_request(&l->nl, id, NULL);
	case KVERBS_CMD_CONN_RESOLVE_ADDR:
		return resolve(l, id, NULL, &addr);
	case KVERBS_CMD_CONN_RESOLVE_ROUTE:
		return call_conn_resolve_route(&l->nl, id, 1000, NULL);
	case KVERBS_CMD_CONN_CONNECT:
		return call_conn_connect(&l->nl, id, &param, NULL);
	case KVERBS_CMD_CONN_ESTABLISH:
		return call_conn_establish(&l->nl, id, &param, NULL);
	case KVERBS_CMD_CONN_ACCEPT:
		return call_conn_accept(&l->nl, id, &param, NULL);
	case KVERBS_CMD_CONN_REJECT:
		return call_conn_reject(&l->nl, id, NULL, 0, NULL);
	default:
		return call_conn_disconnect(&l->nl, id, NULL);
	}
}

/* All commands but those that fit. */
static void only(struct link *l, uint32_t id, int fits, int also, uint32_t qp,
		 const char *why, const char *state)
{
	char name[80];
	int cmd;

	for (cmd = KVERBS_CMD_CONN_LISTEN; cmd <= KVERBS_CMD_CONN_DISCONNECT; cmd++) {
		if (cmd == fits || cmd == also)
			continue;
		snprintf(name, sizeof(name), "%s: command %d", state, cmd);
		refused(l, command(l, id, cmd, qp), -EINVAL, why, name);
	}
}

static void test_states(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	uint32_t id = conn_new(l), qp;
	struct sockaddr_storage addr;
	struct kv_conn conn;
	struct end e;
	struct duo d;
	bool noarp;

	end_make(l, &e, &init);
	qp = e.qp;
	only(l, id, KVERBS_CMD_CONN_LISTEN, KVERBS_CMD_CONN_RESOLVE_ADDR, qp, "is idle", "idle");
	addr = parse(AF_INET, "192.0.2.77", 7471);
	noarp = conn_arp();
	must(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 60000, NULL), "resolve");
	only(l, id, 0, 0, qp, "an address is resolved: wait", "resolving an address");
	must(l, conn_del(l, id), "delete");
	id = conn_new(l);
	must(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 300, NULL), "resolve");
	result(conn_is(l, id, KVERBS_CONN_FAILED, &conn) &&
	       conn.event == KVERBS_CM_EVENT_ADDR_ERROR && conn.status < 0,
	       "a peer that is not there can't be resolved");
	note("  status %d", conn.status);
	conn_noarp(noarp);
	only(l, id, 0, 0, qp, "has failed", "failed");
	must(l, conn_del(l, id), "delete");
	id = conn_routed(l, AF_INET, 7471);
	only(l, id, KVERBS_CMD_CONN_CONNECT, 0, qp, "route is known", "resolved");
	must(l, conn_del(l, id), "delete");

	duo_make(l, &d, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	only(l, d.listener, KVERBS_CMD_CONN_GET_REQUEST, 0, qp, "the conn listens", "listening");
	only(l, d.active, 0, 0, qp, "has not answered", "connecting");
	only(l, d.passive, KVERBS_CMD_CONN_ACCEPT, KVERBS_CMD_CONN_REJECT, qp,
	     "is a peer's request", "requested");
	duo_del(l, &d);
	duo_make(l, &d, AF_INET, KVERBS_CONN_ANSWERED, KVERBS_CONN_ACCEPTED);
	only(l, d.active, KVERBS_CMD_CONN_ESTABLISH, KVERBS_CMD_CONN_REJECT, qp,
	     "has accepted", "answered");
	only(l, d.passive, 0, 0, qp, "has not confirmed", "accepted");
	duo_del(l, &d);
	duo_make(l, &d, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	only(l, d.active, KVERBS_CMD_CONN_DISCONNECT, 0, qp, "established already", "established");
	must(l, call_conn_disconnect(&l->nl, d.passive, NULL), "disconnect");
	conn_must_be(l, d.active, KVERBS_CONN_DISCONNECTED);
	only(l, d.active, 0, 0, qp, "has ended", "disconnected");
	duo_del(l, &d);
}

void test_refuse_conn(void)
{
	uint32_t id, used;
	struct link l;

	link_open(&l);
	test_new(&l);
	id = conn_new(&l);
	test_addresses(&l, id);
	test_sizes(&l, id);
	test_used_port(&l);
	if (lacks("what a handshake refuses", "answers of the IB CM")) {
		link_close(&l);
		return;
	}
	test_params(&l);
	test_init(&l);
	test_states(&l);
	used = count_listed(&l, KV_CONN);
	result(used == 1, "only one is left");
	link_close(&l);
}
