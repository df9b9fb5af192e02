// SPDX-License-Identifier: MIT
/* Connections of the RDMA CM, from their making to their end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "conn.h"
#include "run.h"

static bool all_zero(const uint8_t *bytes, uint32_t length)
{
	while (length && !bytes[length - 1])
		length--;
	return !length;
}

/* The bytes that were sent, and then zeros, as far as the CM's message goes. */
static bool has_data(const struct kv_conn *conn, const char *want, uint32_t room)
{
	uint32_t length = (uint32_t)strlen(want);

	return conn->private_length == room && !memcmp(conn->private_data, want, length) &&
	       all_zero(conn->private_data + length, room - length);
}

static struct kv_conn_param with_data(uint32_t qp, const char *data)
{
	struct kv_conn_param param = conn_param(qp);

	param.private_length = (uint32_t)strlen(data);
	memcpy(param.private_data, data, param.private_length);
	return param;
}

static void test_made(struct link *l)
{
	struct kv_conn_init init = { .dev = dev };
	struct kv_conn conn, listener;
	struct sockaddr_storage src;
	uint64_t verb_ns = 0;

	must(l, call_new(&l->nl, KV_CONN, &init, &conn, &verb_ns), "conn");
	result(conn.state == KVERBS_CONN_IDLE && conn.event == KVERBS_CM_EVENT_NONE &&
	       !conn.qp && !conn.src.ss_family && !conn.dst.ss_family && verb_ns,
	       "it begins idle");
	check_shown(l, KV_CONN, &conn, "a conn");
	src = conn_addr(AF_INET, 0);
	verb_ns = 0;
	must(l, call_conn_listen(&l->nl, conn.id, &src, 7, &listener, &verb_ns), "listen");
	result(listener.state == KVERBS_CONN_LISTENING && conn_port(&listener.src) &&
	       listener.backlog == 7 && !listener.waiting && !listener.dst.ss_family && verb_ns,
	       "a listener has a port");
	check_shown(l, KV_CONN, &listener, "a listener");
	done(l, conn_del(l, conn.id), "and goes");
}

/* Something passes over it, in both directions. */
static void test_traffic(struct link *l, struct duo *d)
{
	struct wr wr = recv_wr(d->p.qp, d->p.local, 64, 1);

	write_all(l, d->a.local, 'a');
	write_all(l, d->p.local, 'p');
	post(l, &wr, "recv");
	wr = send_wr(d->a.qp, d->a.local, 64, 2);
	post(l, &wr, "send");
	expect_wc(l, d->a.send_cq, 2, KVERBS_WC_OP_SEND, 0, "a send over it completes");
	expect_wc(l, d->p.recv_cq, 1, KVERBS_WC_OP_RECV, 0, "and is received");
	wr = recv_wr(d->a.qp, d->a.target, 64, 3);
	post(l, &wr, "recv");
	wr = send_wr(d->p.qp, d->p.local, 64, 4);
	post(l, &wr, "send");
	expect_wc(l, d->p.send_cq, 4, KVERBS_WC_OP_SEND, 0, "and the other way");
	expect_wc(l, d->a.recv_cq, 3, KVERBS_WC_OP_RECV, 0, "too");
	result(holds(l, d->a.target, 0, "aaaaaaaa", 8), "with what was in the buffer");
}

static void test_qps(struct link *l, const struct duo *d)
{
	struct kv_qp a, p;

	must(l, call_get(&l->nl, KV_QP, d->a.qp, &a), "qp");
	must(l, call_get(&l->nl, KV_QP, d->p.qp, &p), "qp");
	result(a.attr.state == KVERBS_QPS_RTS && p.attr.state == KVERBS_QPS_RTS,
	       "both qps are in RTS");
	result(a.attr.dest_qpn == p.qpn && p.attr.dest_qpn == a.qpn &&
	       a.attr.rq_psn == p.attr.sq_psn && p.attr.rq_psn == a.attr.sq_psn,
	       "and know each other");
	result(a.attr.access == all_access() && a.attr.timeout == 14 &&
	       p.attr.timeout == 14 && a.attr.min_rnr_timer == 12 &&
	       a.attr.max_rd_atomic == p.attr.max_dest_rd_atomic &&
	       p.attr.max_rd_atomic == a.attr.max_dest_rd_atomic && a.attr.max_rd_atomic,
	       "and have agreed");
}

/* Step by step, with all that each end sees. */
static void test_life(struct link *l, int family)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_conn_param param;
	struct kv_conn conn;
	uint64_t verb_ns = 0;
	struct duo d;

	end_make(l, &d.a, &init);
	end_make(l, &d.p, &init);
	d.listener = conn_listener(l, family, 8, &d.port);
	d.active = conn_routed(l, family, d.port);
	conn = conn_get(l, d.active);
	result(conn.event == KVERBS_CM_EVENT_ROUTE_RESOLVED && !conn.status &&
	       conn.src.ss_family == family && conn_port(&conn.dst) == d.port,
	       "address and route are resolved");
	check_shown(l, KV_CONN, &conn, "it");

	param = with_data(d.a.qp, "May I come in?");
	param.responder_resources = 3;
	param.initiator_depth = 2;
	done(l, call_conn_connect(&l->nl, d.active, &param, &verb_ns), "the peer is asked");
	result(verb_ns && conn_get(l, d.active).state == KVERBS_CONN_CONNECTING &&
	       state_of(l, d.a.qp) == KVERBS_QPS_INIT, "and has not answered yet");
	result(conn_waits(l, d.listener, 1), "a request waits");
	must(l, call_conn_get_request(&l->nl, d.listener, &conn), "take");
	d.passive = conn.id;
	result(conn.state == KVERBS_CONN_REQUESTED && conn.listener == d.listener &&
	       conn.event == KVERBS_CM_EVENT_CONNECT_REQUEST &&
	       conn_port(&conn.src) == d.port && conn.dst.ss_family == family,
	       "it can be taken, and says where it comes from");
	result(has_data(&conn, "May I come in?", 56), "with the peer's private data");
	result(conn.responder_resources == 2 && conn.initiator_depth == 3,
	       "and what it can and wants");
	check_shown(l, KV_CONN, &conn, "it");
	result(!conn_get(l, d.listener).waiting, "none waits any more");
	refused(l, call_conn_get_request(&l->nl, d.listener, NULL), -EAGAIN, "no request waits",
		"a second one can't be taken");

	param = with_data(d.p.qp, "Please do.");
	done(l, call_conn_accept(&l->nl, d.passive, &param, &verb_ns), "it is accepted");
	result(conn_is(l, d.active, KVERBS_CONN_ANSWERED, &conn) &&
	       conn.event == KVERBS_CM_EVENT_CONNECT_RESPONSE, "the peer hears of it");
	result(has_data(&conn, "Please do.", 196), "with our private data");
	result(conn_get(l, d.passive).state == KVERBS_CONN_ACCEPTED, "and has not confirmed yet");
	done(l, call_conn_establish(&l->nl, d.active, &param, &verb_ns), "until it does");
	result(conn_get(l, d.active).state == KVERBS_CONN_ESTABLISHED, "then it is established");
	result(conn_is(l, d.passive, KVERBS_CONN_ESTABLISHED, &conn) &&
	       conn.event == KVERBS_CM_EVENT_ESTABLISHED && conn.qp == d.p.qp,
	       "on both sides");
	result(has_data(&conn, "May I come in?", 56), "and the private data is still there");
	test_qps(l, &d);
	test_traffic(l, &d);

	refused(l, call_del(&l->nl, KV_QP, d.a.qp, NULL), -EBUSY,
		"in use by a conn: delete that first", "its qp can't be deleted");
	done(l, call_conn_disconnect(&l->nl, d.active, &verb_ns), "one side disconnects");
	result(state_of(l, d.a.qp) == KVERBS_QPS_ERR, "its qp is in ERR");
	result(conn_is(l, d.passive, KVERBS_CONN_DISCONNECTED, &conn) && !conn.status &&
	       state_of(l, d.p.qp) == KVERBS_QPS_ERR, "the other side is disconnected");
	result(conn_is(l, d.active, KVERBS_CONN_DISCONNECTED, &conn) && !conn.status,
	       "and so is this one");
	duo_del(l, &d);
	end_del(l, &d.a);
	end_del(l, &d.p);
}

static void test_rejected(struct link *l)
{
	struct kv_conn conn;
	struct duo d;

	duo_make(l, &d, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	done(l, call_conn_reject(&l->nl, d.passive, "No.", 3, NULL), "a request is rejected");
	result(conn_get(l, d.passive).state == KVERBS_CONN_REJECTED, "by us");
	result(conn_is(l, d.active, KVERBS_CONN_REJECTED, &conn) && conn.status == 28 &&
	       conn.event == KVERBS_CM_EVENT_REJECTED && has_data(&conn, "No.", 148) &&
	       strstr(conn.reason, "onsumer"), "the peer hears why");
	result(state_of(l, d.a.qp) == KVERBS_QPS_ERR, "and its qp is in ERR");
	duo_del(l, &d);

	duo_make(l, &d, AF_INET, KVERBS_CONN_ANSWERED, KVERBS_CONN_ACCEPTED);
	done(l, call_conn_reject(&l->nl, d.active, "Never mind.", 11, NULL),
	     "an answer is rejected");
	result(conn_is(l, d.passive, KVERBS_CONN_REJECTED, &conn) && conn.status == 28 &&
	       has_data(&conn, "Never mind.", 148), "the other side hears why");
	result(state_of(l, d.a.qp) == KVERBS_QPS_ERR && state_of(l, d.p.qp) == KVERBS_QPS_ERR,
	       "and both qps are in ERR");
	duo_del(l, &d);

	duo_make(l, &d, AF_INET, KVERBS_CONN_ROUTE_RESOLVED, 0);
	must(l, conn_del(l, d.listener), "delete");
	must(l, call_conn_connect(&l->nl, d.active, &(struct kv_conn_param){ .qp = d.a.qp },
				   NULL), "connect");
	/* IB_CM_REJ_INVALID_SERVICE_ID */
	result(conn_is(l, d.active, KVERBS_CONN_REJECTED, &conn) && conn.status == 8 &&
	       conn.reason[0], "where nobody listens it is rejected, too");
	must(l, conn_del(l, d.active), "delete");
}

static void ask(struct link *l, uint16_t port, uint32_t *id, uint32_t qp)
{
	struct kv_conn_param param = conn_param(qp);

	*id = conn_routed(l, AF_INET, port);
	must(l, call_conn_connect(&l->nl, *id, &param, NULL), "connect");
}

/* A listener takes so many, in order, and no more. */
static void test_backlog(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	uint32_t listener, active[4], i;
	struct kv_conn conn, taken;
	struct end e[4];
	uint16_t port;

	listener = conn_listener(l, AF_INET, 2, &port);
	for (i = 0; i < 4; i++) {
		end_make(l, &e[i], &init);
		ask(l, port, &active[i], e[i].qp);
		if (i < 2 && !conn_waits(l, listener, i + 1))
			bail_out("no request comes");
	}
	/* IB_CM_REJ_NO_RESOURCES */
	result(conn_is(l, active[2], KVERBS_CONN_REJECTED, &conn) && conn.status == 3 &&
	       conn_is(l, active[3], KVERBS_CONN_REJECTED, &conn) && conn.status == 3,
	       "more than the backlog are rejected");
	result(conn_get(l, listener).waiting == 2, "the others wait");
	must(l, call_conn_get_request(&l->nl, listener, &taken), "take");
	conn = conn_get(l, active[0]);
	result(conn_port(&taken.dst) == conn_port(&conn.src), "the oldest is taken first");
	must(l, conn_del(l, active[1]), "delete");
	result(conn_waits(l, listener, 0), "who gives up does not wait any more");
	refused(l, call_conn_get_request(&l->nl, listener, NULL), -EAGAIN, "no request waits",
		"and can't be taken");
	to_state(l, e[1].qp, KVERBS_QPS_RESET);
	ask(l, port, &active[1], e[1].qp);
	result(conn_waits(l, listener, 1), "there is room again");
	done(l, conn_del(l, listener), "the listener goes");
	result(conn_is(l, active[1], KVERBS_CONN_REJECTED, &conn) && conn.status == 28,
	       "who waited there is rejected");
	conn = conn_get(l, taken.id);
	result(!conn.listener && conn.state == KVERBS_CONN_REQUESTED,
	       "who was taken stays, without a listener");
}

static void test_flushed(struct link *l)
{
	const struct kv_worker_result *ended;
	struct kv_run_spec spec;
	struct kv_conn conn;
	struct limit soon;
	struct duo d;
	uint32_t id;
	double start;

	duo_make(l, &d, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	register_target(l, &d.p);
	spec = write_spec(&d.a, &d.p);
	ended = run(l, &spec);
	result(!ended->error && ended->samples == spec.iters, "a run goes over it");

	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	refused(l, call_del(&l->nl, KV_QP, d.a.qp, NULL), -EBUSY, "in use by", "its qp stays");
	start = seconds();
	must(l, call_conn_disconnect(&l->nl, d.passive, NULL), "disconnect");
	result(conn_is(l, d.active, KVERBS_CONN_DISCONNECTED, &conn), "the peer disconnects");
	start = seconds();
	soon = limit_of(6);
	ended = run_wait(l, id);
	/* IB_WC_WR_FLUSH_ERR; or IB_WC_LOC_QP_OP_ERR of the WRITE that siw sends at that moment. */
	result(ended->error == -EIO && (ended->wc_status == 5 || (is_iwarp() && ended->wc_status == 2)),
	       "the run ends, flushed");
	note("  error %d, status %u", ended->error, ended->wc_status);
	result(!limit_over(&soon), "soon: well before an iteration's deadline");
	note("  after %.1f s", seconds() - start);
	must(l, call_run_del(&l->nl, id), "delete");
	duo_del(l, &d);
	done(l, modify(l, d.a.qp, (struct kv_qp_attr){ .state = KVERBS_QPS_RESET }),
	     "the qp can be reset");
}

/* The device's netdev has an address of IPv6 only on two hosts. */
static bool add_ipv6(void)
{
	if (!system("ip -6 addr show dev d0 | grep -q 2001:db8::1/"))
		return false;
	if (system("ip -6 addr add 2001:db8::1/64 dev d0 nodad"))
		bail_out("no address of IPv6");
	await_gid("2001:0db8:0000:0000:0000:0000:0000:0001");
	return true;
}

void test_conn(void)
{
	struct link l;
	bool added;

	link_open(&l);
	test_made(&l);
	/* iwarp.c has the tests of their other way. */
	if (lacks("the handshake, rejections and the backlog", "answers of the IB CM")) {
		test_flushed(&l);
		link_close(&l);
		return;
	}
	added = add_ipv6();
	section("conn, IPv4");
	test_life(&l, AF_INET);
	section("conn, IPv6");
	test_life(&l, AF_INET6);
	section("conn");
	test_rejected(&l);
	test_backlog(&l);
	test_flushed(&l);
	link_close(&l);
	if (added && system("ip -6 addr del 2001:db8::1/64 dev d0"))
		bail_out("the address of IPv6 can't be taken away");
}
