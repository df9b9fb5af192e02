// SPDX-License-Identifier: MIT
#include <string.h>
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_CONN_##NAME, __VA_ARGS__)
#define CONN(member, NAME) FIELD(struct kv_conn, member, NAME, #member)
#define PARAM(member, NAME, ...) \
	FIELD(struct kv_conn_param, member, NAME, #member, ##__VA_ARGS__)

/* What LISTEN and RESOLVE_ADDR have. */
struct where {
	struct sockaddr_storage src;
	struct sockaddr_storage dst;
};

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

static const struct kv_nl_field where_fields[] = {
	FIELD(struct where, src, SRC, "src"),
	FIELD(struct where, dst, DST, "dst"),
};

/* Of CONNECT and ACCEPT. */
static const struct kv_nl_field param_fields[] = {
	PARAM(qp, QP, KV_NL_UNLESS_0),
	PARAM(access, ACCESS, KV_NL_UNLESS_0),
	PARAM(responder_resources, RESPONDER_RESOURCES, KV_NL_UNLESS_NEGATIVE),
	PARAM(initiator_depth, INITIATOR_DEPTH, KV_NL_UNLESS_NEGATIVE),
	PARAM(rnr_retry, RNR_RETRY),
};

static const struct kv_nl_field private_fields[] = {
	KV_NL_BYTES_OF(struct kv_conn_param, private_data, private_length,
		       KVERBS_A_CONN_PRIVATE_DATA, "private_data"),
};

static const struct kv_nl_field known_fields[] = {
	KV_NL_KNOWN(KVERBS_A_CONN_TIMEOUT_MS, "timeout_ms"),
	KV_NL_KNOWN(KVERBS_A_CONN_ACCESS, "access"),
	KV_NL_KNOWN(KVERBS_A_CONN_RETRY_CNT, "retry_cnt"),
	KV_NL_KNOWN(KVERBS_A_CONN_RNR_RETRY, "rnr_retry"),
	KV_NL_KNOWN(KVERBS_A_CONN_ACK_TIMEOUT, "ack_timeout"),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table where_table = KV_NL_TABLE(where_fields);
static const struct kv_nl_table param_table = KV_NL_TABLE(param_fields);
static const struct kv_nl_table private_table = KV_NL_TABLE(private_fields);
static const struct kv_nl_table known = KV_NL_TABLE(known_fields);
static const struct kv_nl_table *const names[] = { &object, &known, NULL };

const struct kv_nl_noun kv_nl_conn = {
	.what = "kernel conn",
	.init = &init,
	.object = &object,
	.names = names,
	.cmd_new = KVERBS_CMD_CONN_NEW,
	.cmd_get = KVERBS_CMD_CONN_GET,
	.cmd_del = KVERBS_CMD_CONN_DEL,
	.id = KVERBS_A_CONN_ID,
	.verb_ns = KVERBS_A_CONN_VERB_NS,
	.size = sizeof(struct kv_conn),
};

static struct nl_msg *msg_of(struct kv_nl *nl, int cmd, uint32_t id)
{
	return kv_nl_msg_of(nl, &kv_nl_conn, cmd, id);
}

static int call(struct kv_nl *nl, struct nl_msg *msg, struct kv_conn *conn,
		uint64_t *verb_ns)
{
	return kv_nl_call(nl, &kv_nl_conn, msg, NULL, conn, verb_ns);
}

int kv_nl_conn_listen(struct kv_nl *nl, uint32_t id,
		      const struct sockaddr_storage *src, uint32_t backlog,
		      struct kv_conn *conn, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_LISTEN, id);
	const struct where where = { .src = *src };

	kv_nl_put(msg, &where_table, &where);
	kv_nl_put_u32(msg, KVERBS_A_CONN_BACKLOG, backlog);
	return call(nl, msg, conn, verb_ns);
}

int kv_nl_conn_take(struct kv_nl *nl, uint32_t listener, struct kv_conn *conn)
{
	return call(nl, msg_of(nl, KVERBS_CMD_CONN_TAKE, listener), conn, NULL);
}

int kv_nl_conn_resolve_addr(struct kv_nl *nl, uint32_t id,
			    const struct sockaddr_storage *src,
			    const struct sockaddr_storage *dst,
			    uint32_t timeout_ms, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_RESOLVE_ADDR, id);
	struct where where = { .dst = *dst };

	if (src)
		where.src = *src;
	kv_nl_put(msg, &where_table, &where);
	kv_nl_put_u32(msg, KVERBS_A_CONN_TIMEOUT_MS, timeout_ms);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_resolve_route(struct kv_nl *nl, uint32_t id, uint32_t timeout_ms,
			     uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_RESOLVE_ROUTE, id);

	kv_nl_put_u32(msg, KVERBS_A_CONN_TIMEOUT_MS, timeout_ms);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_connect(struct kv_nl *nl, uint32_t id,
		       const struct kv_conn_param *param, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_CONNECT, id);

	kv_nl_put(msg, &param_table, param);
	kv_nl_put(msg, &private_table, param);
	kv_nl_put_u32(msg, KVERBS_A_CONN_RETRY_CNT, param->retry_cnt);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_establish(struct kv_nl *nl, uint32_t id,
			 const struct kv_conn_param *param, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_ESTABLISH, id);

	kv_nl_put_u32(msg, KVERBS_A_CONN_ACK_TIMEOUT, param->ack_timeout);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_accept(struct kv_nl *nl, uint32_t id,
		      const struct kv_conn_param *param, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_ACCEPT, id);

	kv_nl_put(msg, &param_table, param);
	kv_nl_put(msg, &private_table, param);
	kv_nl_put_u32(msg, KVERBS_A_CONN_ACK_TIMEOUT, param->ack_timeout);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_reject(struct kv_nl *nl, uint32_t id, const void *data,
		      uint32_t length, uint64_t *verb_ns)
{
	struct nl_msg *msg = msg_of(nl, KVERBS_CMD_CONN_REJECT, id);
	struct kv_conn_param param = { .private_length = length };

	if (length)
		memcpy(param.private_data, data, length);
	kv_nl_put(msg, &private_table, &param);
	return call(nl, msg, NULL, verb_ns);
}

int kv_nl_conn_disconnect(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns)
{
	return call(nl, msg_of(nl, KVERBS_CMD_CONN_DISCONNECT, id), NULL, verb_ns);
}
