// SPDX-License-Identifier: MIT
/* How connections of the RDMA CM die, in whatever state; and who sees them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "conn.h"
#include "sys/now.h"
#include "run.h"

#define OTHER OTHER_DEV
#define NETDEV "d7"

static const struct {
	uint32_t active;
	uint32_t passive;
	const char *name;
} stages[] = {
	{ KVERBS_CONN_ROUTE_RESOLVED, 0, "resolved" },
	{ KVERBS_CONN_CONNECTING, 0, "with a request that nobody has taken" },
	{ KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED, "requested" },
	{ KVERBS_CONN_ANSWERED, KVERBS_CONN_ACCEPTED, "answered" },
	{ KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED, "established" },
};

/* There the answer establishes a connection. */
static bool has_stage(unsigned int i)
{
	return !is_iwarp() || stages[i].active != KVERBS_CONN_ANSWERED;
}

static void shell(const char *command)
{
	if (system(command))
		bail_out("%s", command);
}

/* Each end goes first once; the other must hear of it. */
static void test_deleted(struct link *l)
{
	struct kv_conn conn;
	unsigned int i;
	struct duo d;
	uint32_t end;

	for (i = 1; i < COUNT(stages); i++) {
		/* There the CM says nothing to a peer whose request is open. */
		if (stages[i].passive != KVERBS_CONN_ESTABLISHED &&
		    lacks(stages[i].name, "word for a peer in a handshake"))
			continue;
		duo_make(l, &d, AF_INET, stages[i].active, stages[i].passive);
		must(l, conn_del(l, d.active), "delete");
		if (stages[i].passive) {
			end = stages[i].passive == KVERBS_CONN_ESTABLISHED ?
			      KVERBS_CONN_DISCONNECTED : KVERBS_CONN_REJECTED;
			result(conn_is(l, d.passive, end, &conn),
			       "the active side is deleted, %s: the other hears of it",
			       stages[i].name);
			must(l, conn_del(l, d.passive), "delete");
		} else {
			result(conn_waits(l, d.listener, 0),
			       "the active side is deleted, %s", stages[i].name);
		}
		result(state_of(l, d.a.qp) == KVERBS_QPS_ERR, "its qp is in ERR");
		must(l, conn_del(l, d.listener), "delete");

		duo_make(l, &d, AF_INET, stages[i].active, stages[i].passive);
		if (stages[i].passive)
			must(l, conn_del(l, d.passive), "delete");
		must(l, conn_del(l, d.listener), "delete");
		end = stages[i].passive == KVERBS_CONN_ESTABLISHED ?
		      KVERBS_CONN_DISCONNECTED : KVERBS_CONN_REJECTED;
		result(conn_is(l, d.active, end, &conn) &&
		       state_of(l, d.a.qp) == KVERBS_QPS_ERR,
		       "the passive side is deleted, %s: the other hears of it", stages[i].name);
		must(l, conn_del(l, d.active), "delete");
	}
}

static void test_while_resolving(struct link *l)
{
	struct sockaddr_storage addr = conn_addr(AF_INET, 7471);
	bool noarp = conn_arp();
	struct limit limit = limit_of(10);
	uint32_t id;
	int i;

	/* Nobody has it. */
	((struct sockaddr_in *)&addr)->sin_addr.s_addr = htonl(0xc000024d);
	for (i = 0; i < 10; i++) {
		id = conn_new(l);
		must(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 60000, NULL), "resolve");
		must(l, conn_del(l, id), "delete");
	}
	conn_noarp(noarp);
	result(!limit_over(&limit), "what resolves an address can be deleted at once");
	addr = conn_addr(AF_INET, 7471);
	for (i = 0; i < 10; i++) {
		id = conn_new(l);
		must(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 60000, NULL), "resolve");
		must(l, conn_del(l, id), "delete");
		id = conn_new(l);
		must(l, call_conn_resolve_addr(&l->nl, id, NULL, &addr, 5000, NULL), "resolve");
		conn_must_be(l, id, KVERBS_CONN_ADDR_RESOLVED);
		must(l, call_conn_resolve_route(&l->nl, id, 5000, NULL), "resolve");
		must(l, conn_del(l, id), "delete");
	}
	result(!count_listed(l, KV_CONN), "and what resolves a route");
}

static void test_socket_closes(void)
{
	struct kv_run_spec spec;
	struct link l;
	unsigned int i;
	struct duo d;
	uint32_t id;

	for (i = 0; i < COUNT(stages); i++) {
		if (!has_stage(i))
			continue;
		link_open(&l);
		duo_make(&l, &d, AF_INET, stages[i].active, stages[i].passive);
		note("a socket is closed, its conns %s", stages[i].name);
		link_close(&l);
	}
	link_open(&l);
	duo_make(&l, &d, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	register_target(&l, &d.p);
	spec = write_spec(&d.a, &d.p);
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(&l, call_run_start(&l.nl, &spec, &id), "start a run");
	note("a socket is closed with a run under way");
	link_close(&l);
}

/* The next event of a CONN. */
static bool hears(struct link *l, uint32_t conn, uint32_t cm_event, int status)
{
	uint64_t end = kv_now_ns() + 20000000000ULL;
	struct kv_event event;
	int ret;

	do
		ret = call_wait_event(&l->nl, end, &event);
	while (!ret && (event.type != KVERBS_EVENT_CM || event.conn != conn));
	if (!ret && event.cm_event == cm_event && event.cm_status == status &&
	    !strcmp(event.dev, dev))
		return true;
	note("  %d, event %u, status %d", ret, event.cm_event, event.cm_status);
	return false;
}

static void test_events(struct link *l)
{
	struct kv_event event;
	struct link other;
	struct duo d;

	/* Opens the socket of events. */
	link_open(&other);
	call_wait_event(&other.nl, kv_now_ns(), &event);
	duo_make(l, &d, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	result(hears(&other, d.active, KVERBS_CM_EVENT_ADDR_RESOLVED, 0) &&
	       hears(&other, d.active, KVERBS_CM_EVENT_ROUTE_RESOLVED, 0),
	       "what is resolved is told");
	result(hears(&other, d.listener, KVERBS_CM_EVENT_CONNECT_REQUEST, 0),
	       "and a request, of the listener");
	must(l, call_conn_reject(&l->nl, d.passive, NULL, 0, NULL), "reject");
	result(hears(&other, d.active, KVERBS_CM_EVENT_REJECTED, is_iwarp() ? -ECONNRESET : 28),
	       "and a rejection");
	duo_del(l, &d);
	duo_make(l, &d, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	result(hears(&other, d.active, KVERBS_CM_EVENT_ADDR_RESOLVED, 0) &&
	       hears(&other, d.active, KVERBS_CM_EVENT_ROUTE_RESOLVED, 0) &&
	       hears(&other, d.active, is_iwarp() ? KVERBS_CM_EVENT_ESTABLISHED :
						    KVERBS_CM_EVENT_CONNECT_RESPONSE, 0),
	       "and an answer");
	/* In which order both ends of iWARP's hear of it is open. */
	if (!lacks("and that the peer confirms", "confirmation of the answer"))
		result(hears(&other, d.passive, KVERBS_CM_EVENT_ESTABLISHED, 0),
		       "and that the peer confirms");
	must(l, call_conn_disconnect(&l->nl, d.passive, NULL), "disconnect");
	/* In which order? That of the peer's and ours is open. */
	result(hears(&other, d.active, KVERBS_CM_EVENT_DISCONNECTED, 0), "and the end");
	result(state_of(l, d.a.qp) == KVERBS_QPS_ERR, "of which the qp knows then");
	duo_del(l, &d);
	kv_nl_close(&other.nl);
}

static void test_strangers(struct link *l)
{
	struct kv_conn_param param;
	struct link other;
	struct kv_conn conn;
	struct duo d;

	duo_make(l, &d, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	link_open(&other);
	refused(&other, call_get(&other.nl, KV_CONN, d.active, &conn), -ENOENT,
		"no conn with this id among yours", "another socket does not see ours");
	result(!count_listed(&other, KV_CONN), "nor list it");
	param = conn_param(d.p.qp);
	refused(&other, call_conn_accept(&other.nl, d.passive, &param, NULL), -ENOENT,
		"among yours", "nor accept our requests");
	refused(&other, call_conn_get_request(&other.nl, d.listener, NULL), -ENOENT, "among yours",
		"nor take them");
	refused(&other, conn_del(&other, d.active), -ENOENT, "among yours", "nor delete it");
	kv_nl_close(&other.nl);
	duo_del(l, &d);
}

static void test_persistent(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_conn_init conn_init = { .dev = dev, .persistent = true };
	struct sockaddr_storage src = conn_addr(AF_INET, 0);
	struct kv_conn_param param;
	uint32_t flushed, busy;
	struct kv_conn conn, taken;
	struct link other;
	struct end a, p;
	uint32_t active;

	end_make(l, &a, &init);
	end_make(l, &p, &init);
	link_open(&other);
	must(&other, call_new(&other.nl, KV_CONN, &conn_init, &conn, NULL), "conn");
	must(&other, call_conn_listen(&other.nl, conn.id, &src, 4, &conn, NULL), "listen");
	kv_nl_close(&other.nl);
	result(conn_get(l, conn.id).state == KVERBS_CONN_LISTENING,
	       "a persistent listener outlives its socket");
	active = conn_routed(l, AF_INET, conn_port(&conn.src));
	param = conn_param(a.qp);
	must(l, call_conn_connect(&l->nl, active, &param, NULL), "connect");
	if (!conn_waits(l, conn.id, 1))
		bail_out("no request comes");
	must(l, call_conn_get_request(&l->nl, conn.id, &taken), "take");
	result(taken.persistent, "its requests are persistent, too");
	param = conn_param(p.qp);
	refused(l, call_conn_accept(&l->nl, taken.id, &param, NULL), -EINVAL,
		"a persistent conn can use only a persistent qp", "and take only such a qp");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(flushed == 2 && !busy, "they are flushed");
	conn_must_be(l, active, KVERBS_CONN_REJECTED);
	must(l, conn_del(l, active), "delete");
}

/* Another device with an address of its own, on which nothing of ours may go on. */
static void test_other_device(struct link *l)
{
	struct sockaddr_storage addr = conn_addr(AF_INET, 0);
	struct kv_conn_init init = { .dev = dev };
	struct kv_conn conn;
	uint32_t id;

	((struct sockaddr_in *)&addr)->sin_addr.s_addr = htonl(0xc6336401);
	other_dev_make();
	shell("ip addr add 198.51.100.1/24 dev " NETDEV);
	/* The CM finds the device of an address by its GID, but for iWARP's. */
	if (!is_iwarp())
		await_gid("0000:0000:0000:0000:0000:ffff:c633:6401");
	id = conn_new(l);
	refused_by(l, call_conn_listen(&l->nl, id, &addr, 1, NULL, NULL), -EXDEV, KVERBS_STAGE_BIND,
		"src is an address of another RDMA device",
		"another device's address to listen at");
	must(l, call_new(&l->nl, KV_CONN, &init, &conn, NULL), "conn");
	((struct sockaddr_in *)&addr)->sin_port = htons(7471);
	must(l, call_conn_resolve_addr(&l->nl, conn.id, NULL, &addr, 5000, NULL), "resolve");
	result(conn_is(l, conn.id, KVERBS_CONN_FAILED, &conn) && conn.status == -EXDEV &&
	       conn.event == KVERBS_CM_EVENT_ADDR_ERROR,
	       "an address that is reached through another device fails");
	shell("within 20 rdma link del " OTHER " && ip link del " NETDEV);
	result(conn_get(l, conn.id).state == KVERBS_CONN_FAILED, "which can go then");
	must(l, conn_del(l, conn.id), "delete");
	must(l, conn_del(l, id), "delete");
}

/* The device goes with all that there is on it. */
static void test_device_goes(void)
{
	struct kv_conn_param param;
	struct kv_info info;
	char command[160];
	struct link l;
	unsigned int i;
	struct duo d;

	link_open(&l);
	for (i = 0; i < COUNT(stages); i++)
		if (has_stage(i))
			duo_make(&l, &d, AF_INET, stages[i].active, stages[i].passive);
	duo_make(&l, &d, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	must(&l, call_conn_disconnect(&l.nl, d.active, NULL), "disconnect");
	snprintf(command, sizeof(command), "within 60 rdma link del %s", dev);
	shell(command);
	must(&l, call_info_get(&l.nl, &info), "info");
	result(info.created == info.destroyed, "the device goes, and all conns with it");
	param = conn_param(d.p.qp);
	refused(&l, call_conn_accept(&l.nl, d.passive, &param, NULL), -ENOENT, "among yours",
		"there are none any more");
	snprintf(command, sizeof(command), "rdma link add %s type %s netdev d0", dev, driver());
	shell(command);
	link_close(&l);
}

void test_conn_end(void)
{
	struct link l;

	link_open(&l);
	test_strangers(&l);
	test_deleted(&l);
	test_while_resolving(&l);
	link_close(&l);
	link_open(&l);
	test_events(&l);
	test_persistent(&l);
	test_other_device(&l);
	link_close(&l);
	test_socket_closes();
	if (strcmp(dev, is_iwarp() ? "siw0" : "rxe0"))
		skip("the device goes", "it is not ours to take away");
	else
		test_device_goes();
}
