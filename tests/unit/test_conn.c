// SPDX-License-Identifier: MIT
/* The reaction of tool/cm/conn.c to a connection's states, and its messages. */
#include <errno.h>
#include <stdio.h>
#include <arpa/inet.h>
#include "test.h"
#include "cm/conn.h"
#include "object/describe.h"
#include "out/out.h"
#include "sys/now.h"

#define MS_NS 1000000ULL

/* A backend whose only connection goes on to the next of @states each time it is waited for. */
struct script {
	struct kv_backend base;
	const struct kv_conn *states;
	unsigned int n;
	unsigned int at;
	unsigned int established;
	int take;
};

static int look(struct script *s, const struct kv_id *in, struct kv_conn *conn)
{
	assert_int_equal(in->id, 3);
	*conn = s->states[s->at];
	return 0;
}

static int wait_more(struct script *s, const struct kv_wait *in)
{
	assert_true(in->timeout_ms > 0);
	if (s->at + 1 == s->n)
		return -EAGAIN;
	s->at++;
	return 0;
}

static int establish(struct script *s, const struct kv_conn_establish *param)
{
	assert_int_equal(param->id, 3);
	assert_int_equal(param->ack_timeout, -1);
	assert_int_equal(s->states[s->at].state, KVERBS_CONN_ANSWERED);
	s->established++;
	s->at++;
	s->base.times.verb_ns = 77;
	return 0;
}

static int take(struct script *s, struct kv_conn *conn)
{
	memset(conn, 0, sizeof(*conn));
	snprintf(s->base.err, sizeof(s->base.err), "the listener is gone");
	return s->take;
}

static int disconnect(struct script *s)
{
	snprintf(s->base.err, sizeof(s->base.err), "no such state");
	return s->states[s->at].state == KVERBS_CONN_ESTABLISHED ? 0 : -EINVAL;
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	struct script *s = (struct script *)b;

	switch (op) {
	case KV_OP_CONN_GET:
		return look(s, in, out);
	case KV_OP_CONN_WAIT:
		return wait_more(s, in);
	case KV_OP_CONN_ESTABLISH:
		return establish(s, in);
	case KV_OP_CONN_GET_REQUEST:
		return take(s, out);
	case KV_OP_CONN_DISCONNECT:
		return disconnect(s);
	default:
		fail_msg("operation %d is none of these", op);
		return -EOPNOTSUPP;
	}
}

static const struct kv_backend_ops ops = { .space = "kernel", .call = call };

static struct kv_conn conn_of(uint32_t state, uint32_t event, int32_t status)
{
	struct kv_conn conn = {
		.id = 3, .dev = "rxe0", .state = state, .event = event, .status = status,
	};
	struct sockaddr_in *in = (struct sockaddr_in *)&conn.dst;

	in->sin_family = AF_INET;
	in->sin_port = htons(7174);
	inet_pton(AF_INET, "192.0.2.2", &in->sin_addr);
	return conn;
}

static struct script script_of(const struct kv_conn *states, unsigned int n)
{
	struct script s = { .base.ops = &ops, .states = states, .n = n };

	return s;
}

/* The deadline is so far away. */
static struct kv_conn_side side_of(struct script *s, uint64_t ms)
{
	return (struct kv_conn_side){ &s->base, kv_now_ns() + ms * MS_NS, .conn.id = 3 };
}

static void says(const struct kv_fault *f, const char *text)
{
	if (!strstr(f->text, text))
		fail_msg("'%s' does not say '%s'", f->text, text);
}

/* How waiting for ESTABLISHED ends at one state for ever. */
static void ends(struct kv_conn conn, int error, const char *text)
{
	struct script s = script_of(&conn, 1);
	struct kv_conn_side side = side_of(&s, 5);
	struct kv_fault f;

	assert_int_equal(kv_conn_wait(&side, 1U << KVERBS_CONN_ESTABLISHED, &f), error);
	assert_int_equal(f.error, error);
	assert_int_equal(side.conn.state, conn.state);
	says(&f, "kernel space: ");
	says(&f, text);
}

static void test_ends(void **state)
{
	struct kv_conn conn;

	conn = conn_of(KVERBS_CONN_REJECTED, KVERBS_CM_EVENT_REJECTED, 28);
	snprintf(conn.reason, sizeof(conn.reason), "consumer defined");
	ends(conn, -ECONNREFUSED,
	     "cannot connect to 192.0.2.2:7174: rejected by the peer: consumer defined (28)");
	conn.private_length = 3;
	memcpy(conn.private_data, "no", 3);
	ends(conn, -ECONNREFUSED, "consumer defined (28), private data 'no'");
	conn = conn_of(KVERBS_CONN_REJECTED, KVERBS_CM_EVENT_REJECTED, 8);
	snprintf(conn.reason, sizeof(conn.reason), "invalid service ID");
	ends(conn, -ECONNREFUSED, "nobody listens there: rejected: invalid service ID (8)");
	conn = conn_of(KVERBS_CONN_REJECTED, KVERBS_CM_EVENT_REJECTED, 3);
	snprintf(conn.reason, sizeof(conn.reason), "no resources");
	ends(conn, -ECONNREFUSED, "rejected by the peer's connection manager: no resources (3)");
	ends(conn_of(KVERBS_CONN_REJECTED, KVERBS_CM_EVENT_CONNECT_REQUEST, 0), -ECONNREFUSED,
	     "the connection with 192.0.2.2:7174 was rejected here");
	ends(conn_of(KVERBS_CONN_DISCONNECTED, KVERBS_CM_EVENT_DISCONNECTED, 0), -ECONNABORTED,
	     "the connection with 192.0.2.2:7174 was ended");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH), -EHOSTUNREACH,
	     "address 192.0.2.2:7174 not resolved: No route to host");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_ADDR_ERROR, -EXDEV), -EXDEV,
	     "it is not reached through rxe0, but through another device");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT), -ETIMEDOUT,
	     "route to 192.0.2.2:7174 not resolved: Connection timed out");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_UNREACHABLE, -ETIMEDOUT), -ETIMEDOUT,
	     "cannot connect to 192.0.2.2:7174: unreachable: nobody answers");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_DEVICE_REMOVAL, 0), -ENODEV,
	     "device rxe0 was removed");
	ends(conn_of(KVERBS_CONN_FAILED, KVERBS_CM_EVENT_CONNECT_ERROR, -EINVAL), -EINVAL,
	     "has failed at connect-error: Invalid argument");
	ends(conn_of(KVERBS_CONN_IDLE, KVERBS_CM_EVENT_NONE, 0), -EINVAL,
	     "conn 3 is idle: there is nothing to wait for");
}

static void test_late(void **state)
{
	ends(conn_of(KVERBS_CONN_RESOLVING_ADDR, KVERBS_CM_EVENT_NONE, 0), -ETIMEDOUT,
	     "address 192.0.2.2:7174 not resolved within 0.");
	ends(conn_of(KVERBS_CONN_RESOLVING_ROUTE, KVERBS_CM_EVENT_ADDR_RESOLVED, 0), -ETIMEDOUT,
	     "route to 192.0.2.2:7174 not resolved within 0.");
	ends(conn_of(KVERBS_CONN_CONNECTING, KVERBS_CM_EVENT_ROUTE_RESOLVED, 0), -ETIMEDOUT,
	     "cannot connect to 192.0.2.2:7174: nobody answers within 0.");
	ends(conn_of(KVERBS_CONN_ACCEPTED, KVERBS_CM_EVENT_CONNECT_REQUEST, 0), -ETIMEDOUT,
	     "192.0.2.2:7174 was accepted, but did not confirm within 0.");
	ends(conn_of(KVERBS_CONN_ANSWERED, KVERBS_CM_EVENT_CONNECT_RESPONSE, 0), -ETIMEDOUT,
	     "is still answered after 0.");
}

/* The active side confirms once, and is told what that took. */
static void test_confirm(void **state)
{
	const struct kv_conn states[] = {
		conn_of(KVERBS_CONN_CONNECTING, KVERBS_CM_EVENT_ROUTE_RESOLVED, 0),
		conn_of(KVERBS_CONN_ANSWERED, KVERBS_CM_EVENT_CONNECT_RESPONSE, 0),
		conn_of(KVERBS_CONN_ESTABLISHED, KVERBS_CM_EVENT_CONNECT_RESPONSE, 0),
	};
	const struct kv_conn_param param = { .qp = 9, KV_CONN_PARAM_DEFAULTS };
	struct script s = script_of(states, 3);
	struct kv_conn_side side = side_of(&s, 1000);
	struct kv_fault f;

	assert_int_equal(kv_conn_confirm(&side, &param, &f), 0);
	assert_int_equal(side.conn.state, KVERBS_CONN_ESTABLISHED);
	assert_int_equal(s.established, 1);
	assert_int_equal(side.verb_ns[KV_CONN_ESTABLISH], 77);
}

/* The passive side only waits. */
static void test_accepted(void **state)
{
	const struct kv_conn states[] = {
		conn_of(KVERBS_CONN_ACCEPTED, KVERBS_CM_EVENT_CONNECT_REQUEST, 0),
		conn_of(KVERBS_CONN_ESTABLISHED, KVERBS_CM_EVENT_ESTABLISHED, 0),
	};
	const struct kv_conn_param param = { .qp = 9, KV_CONN_PARAM_DEFAULTS };
	struct script s = script_of(states, 2);
	struct kv_conn_side side = side_of(&s, 1000);
	struct kv_fault f;

	assert_int_equal(kv_conn_confirm(&side, &param, &f), 0);
	assert_int_equal(s.established, 0);
	assert_int_equal(side.verb_ns[KV_CONN_ESTABLISH], 0);
}

static void test_take(void **state)
{
	const struct kv_conn listener = conn_of(KVERBS_CONN_LISTENING, KVERBS_CM_EVENT_NONE, 0);
	struct script s = script_of(&listener, 1);
	struct kv_conn_side side = side_of(&s, 5);
	struct kv_fault f;

	assert_int_equal(kv_conn_get_request(&side, 3, &f), 0);
	s.take = -EAGAIN;
	assert_int_equal(kv_conn_get_request(&side, 3, &f), -ETIMEDOUT);
	says(&f, "no request has come to conn 3 within 0.");
	s.take = -ENOENT;
	side.end_ns = UINT64_MAX;
	assert_int_equal(kv_conn_get_request(&side, 3, &f), -ENOENT);
	says(&f, "cannot take a request from conn 3: the listener is gone");
}

static void test_disconnect(void **state)
{
	const struct kv_conn states[] = {
		conn_of(KVERBS_CONN_ESTABLISHED, KVERBS_CM_EVENT_ESTABLISHED, 0),
		conn_of(KVERBS_CONN_DISCONNECTING, KVERBS_CM_EVENT_ESTABLISHED, 0),
		conn_of(KVERBS_CONN_DISCONNECTED, KVERBS_CM_EVENT_DISCONNECTED, 0),
	};
	struct script s = script_of(states, 3);
	struct kv_conn_side side = side_of(&s, 1000);
	struct kv_fault f;

	assert_int_equal(kv_conn_disconnect(&side, &f), 0);
	assert_int_equal(side.conn.state, KVERBS_CONN_DISCONNECTED);
	/* The peer was faster. */
	assert_int_equal(kv_conn_disconnect(&side, &f), 0);
	s.at = 1;
	assert_int_equal(kv_conn_disconnect(&side, &f), -EINVAL);
	says(&f, "no such state");
}

/* An event of the monitor, which has only the number. */
static void test_reason(void **state)
{
	static const struct kv_event event = {
		.type = KVERBS_EVENT_CM,
		.conn = 3,
		.cm_event = KVERBS_CM_EVENT_REJECTED,
		.cm_status = 8,
	};
	struct json_object *obj = json_object_new_object();

	assert_string_equal(kv_enum_name(kv_enum_cm_reason, 8), "invalid service ID");
	kv_describe_event(obj, &event);
	assert_string_equal(kv_out_get_string(obj, "/status_name"), "invalid service ID");
	json_object_put(obj);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_confirm),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_disconnect),
		cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
