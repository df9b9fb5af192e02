// SPDX-License-Identifier: MIT
#include <errno.h>
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_CONN_##NAME, __VA_ARGS__)
#define CONN(member, NAME) FIELD(struct kv_conn, member, NAME, #member)
#define PARAM(member, NAME, ...) \
	FIELD(struct kv_conn_param, member, NAME, #member, ##__VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_conn_init, dev, DEV, "device"),
	FIELD(struct kv_conn_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_conn, id, ID, "conn"),
	FIELD(struct kv_conn, dev, DEV, "device"),
	CONN(persistent, PERSISTENT),
	CONN(src, SRC),
	CONN(dst, DST),
	CONN(backlog, BACKLOG),
	CONN(waiting, WAITING),
	CONN(listener, LISTENER),
	CONN(qp, QP),
	CONN(responder_resources, RESPONDER_RESOURCES),
	CONN(initiator_depth, INITIATOR_DEPTH),
	CONN(state, STATE),
	CONN(event, EVENT),
	CONN(status, STATUS),
	CONN(reason, REASON),
	KV_NL_BYTES_OF(struct kv_conn, private_data, private_length,
		       KVERBS_A_CONN_PRIVATE_DATA, "private_data"),
};

static const struct kv_nl_field listen_fields[] = {
	FIELD(struct kv_conn_listen, src, SRC, "src"),
	FIELD(struct kv_conn_listen, backlog, BACKLOG, "backlog"),
};

static const struct kv_nl_field resolve_addr_fields[] = {
	FIELD(struct kv_conn_resolve, src, SRC, "src"),
	FIELD(struct kv_conn_resolve, dst, DST, "dst"),
	FIELD(struct kv_conn_resolve, timeout_ms, TIMEOUT_MS, "timeout_ms"),
};

static const struct kv_nl_field resolve_route_fields[] = {
	FIELD(struct kv_conn_resolve, timeout_ms, TIMEOUT_MS, "timeout_ms"),
};

/* Of CONNECT and ACCEPT. */
#define BOTH								\
	PARAM(qp, QP, KV_NL_UNLESS_0),					\
	PARAM(access, ACCESS, KV_NL_UNLESS_0),				\
	PARAM(responder_resources, RESPONDER_RESOURCES, KV_NL_UNLESS_NEGATIVE), \
	PARAM(initiator_depth, INITIATOR_DEPTH, KV_NL_UNLESS_NEGATIVE),	\
	PARAM(rnr_retry, RNR_RETRY),					\
	KV_NL_BYTES_OF(struct kv_conn_param, private_data, private_length, \
		       KVERBS_A_CONN_PRIVATE_DATA, "private_data")

static const struct kv_nl_field connect_fields[] = {
	BOTH,
	PARAM(retry_cnt, RETRY_CNT),
};

static const struct kv_nl_field accept_fields[] = {
	BOTH,
	PARAM(ack_timeout, ACK_TIMEOUT),
};

static const struct kv_nl_field establish_fields[] = {
	PARAM(ack_timeout, ACK_TIMEOUT),
};

static const struct kv_nl_field reject_fields[] = {
	KV_NL_BYTES_OF(struct kv_conn_reject, private_data, private_length,
		       KVERBS_A_CONN_PRIVATE_DATA, "private_data"),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table listen_table = KV_NL_TABLE(listen_fields);
static const struct kv_nl_table resolve_addr = KV_NL_TABLE(resolve_addr_fields);
static const struct kv_nl_table resolve_route = KV_NL_TABLE(resolve_route_fields);
static const struct kv_nl_table connect_table = KV_NL_TABLE(connect_fields);
static const struct kv_nl_table accept_table = KV_NL_TABLE(accept_fields);
static const struct kv_nl_table establish = KV_NL_TABLE(establish_fields);
static const struct kv_nl_table reject = KV_NL_TABLE(reject_fields);
static const struct kv_nl_table *const names[] = {
	&object, &resolve_addr, &connect_table, &accept_table, NULL,
};

KV_NL_NOUN(CONN, conn);
KV_NL_OBJECT_OPS(CONN, conn);

#define CONN_OP(NAME, name, ...)							\
	const struct kv_nl_op kv_nl_op_conn_##name = {					\
		.noun = &kv_nl_conn, .cmd = KVERBS_CMD_CONN_##NAME, .by_id = true, __VA_ARGS__ \
	}

CONN_OP(LISTEN, listen, .in = &listen_table, .out = &object, .size = sizeof(struct kv_conn));
CONN_OP(TAKE, take, .out = &object, .size = sizeof(struct kv_conn));
CONN_OP(RESOLVE_ADDR, resolve_addr, .in = &resolve_addr);
CONN_OP(RESOLVE_ROUTE, resolve_route, .in = &resolve_route);
CONN_OP(CONNECT, connect, .in = &connect_table);
CONN_OP(ESTABLISH, establish, .in = &establish);
CONN_OP(ACCEPT, accept, .in = &accept_table);
CONN_OP(REJECT, reject, .in = &reject);
CONN_OP(DISCONNECT, disconnect);

static int wait_conn(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_wait *in = arg;
	int ret = kv_nl_wait_any(nl, kv_nl_deadline(in->timeout_ms));

	if (ret == -EAGAIN)
		return kv_nl_fail(nl, ret, "no event of kernel conn %u within %d ms",
				  in->id, in->timeout_ms);
	if (ret == -EINTR)
		return kv_nl_fail(nl, ret, "kernel conn %u: interrupted", in->id);
	return ret;
}

const struct kv_nl_op kv_nl_op_conn_wait = { .call = wait_conn };
