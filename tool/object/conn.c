// SPDX-License-Identifier: MIT
#include <string.h>
#include "cm/conn.h"
#include "object/object.h"
#include "object/text.h"
#include "sys/now.h"

#define TIMEOUT_NS 10000000000ULL
#define BACKLOG 128

/* The values of all conn commands. */
struct conn_args {
	struct kv_given given;
	const char *dev;
	const char *name;
	struct sockaddr_storage addr;
	struct sockaddr_storage src;
	uint32_t backlog;
	struct kv_conn_param param;
	uint64_t timeout_ns;
	uint32_t state;
};

#define AT(field) offsetof(struct conn_args, field)
#define HAS_NO_WAIT (1U << 0)

static const struct conn_args conn_init = {
	.backlog = BACKLOG,
	.param = { KV_CONN_PARAM_DEFAULTS },
	.timeout_ns = TIMEOUT_NS,
	.state = KVERBS_CONN_ESTABLISHED,
};

#define KEY_TIMEOUT							\
	{ "timeout", KV_KEY_TIME, AT(timeout_ns),				\
	  .help = "how long to wait, all steps together; default: 10s" }
#define KEY_ACK_TIMEOUT							\
	{ "ack-timeout", KV_KEY_U32, AT(param.ack_timeout), .max = 31,	\
	  .help = "time until an unacknowledged packet is sent again: 4.096 us * 2^N; default: 14, which is 67 ms" }
#define KEY_PRIVATE_DATA						\
	{ "private-data", KV_KEY_BYTES, AT(param.private_length),	\
	  .help = "goes to the peer, which gets it padded with zeros" }
/* The keys of connect and accept. */
#define KEYS_PARAM							\
	{ "qp", KV_KEY_ID, AT(param.qp), .type = KV_QP, .must = true,	\
	  .help = "the QP of the connection: rc, in reset or init" }, \
	{ "access", KV_KEY_FLAGS, AT(param.access),			\
	  .names = kv_enum_access,					\
	  .help = "rights of the peer; default: none; a QP in init has them already" }, \
	KEY_PRIVATE_DATA,						\
	{ "responder-resources", KV_KEY_U32, AT(param.responder_resources), \
	  .max = 255,							\
	  .help = "READs and atomics that the peer may have outstanding here; default: the maximum" }, \
	{ "initiator-depth", KV_KEY_U32, AT(param.initiator_depth), .max = 255, \
	  .help = "READs and atomics that this side may have outstanding there; default: the maximum" },			\
	{ "rnr-retry", KV_KEY_U32, AT(param.rnr_retry), .max = 7,	\
	  .help = "how often a message is sent again if no receive is posted, 0 to 7; default: 6; 7: for ever" }, \
	KEY_ACK_TIMEOUT,						\
	{ "no-wait", KV_KEY_FLAG, 0, HAS_NO_WAIT,			\
	  .help = "does not wait for the peer; 'conn wait' goes on" },	\
	KEY_TIMEOUT

static const struct kv_key listen_key[] = {
	{ "addr", KV_KEY_SOCKADDR, AT(addr), .must = true, .bare = true,
	  .help = "address to listen on; without a port, or with port 0, a port is chosen" },
	{ "backlog", KV_KEY_U32, AT(backlog), .max = KVERBS_CONN_BACKLOG_MAX,
	  .help = "requests that may wait to be taken, 1 to 1024, others are rejected; default: 128" },
	KV_KEY_DEV(AT(dev)),
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static const struct kv_key join_key[] = {
	{ "group", KV_KEY_SOCKADDR, AT(addr), .must = true, .bare = true,
	  .help = "address of the group; on RoCE v2 IPv4: 224.0.0.0 to 239.255.255.255" },
	{ "src", KV_KEY_SOCKADDR, AT(src), .must = true,
	  .help = "address of the device, such as $dev.addr" },
	KEY_TIMEOUT,
	KV_KEY_DEV(AT(dev)),
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static const struct kv_key get_request_key[] = {
	KEY_TIMEOUT,
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static const struct kv_key connect_key[] = {
	{ "addr", KV_KEY_PORT, AT(addr), .must = true, .bare = true,
	  .help = "address of the peer" },
	KEYS_PARAM,
	{ "retry-cnt", KV_KEY_U32, AT(param.retry_cnt), .max = 7,
	  .help = "how often a packet is sent again, on both sides, 0 to 7; default: 6" },
	{ "src", KV_KEY_SOCKADDR, AT(src),
	  .help = "source address; default: that of the route" },
	KV_KEY_DEV(AT(dev)),
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static const struct kv_key accept_key[] = {
	KEYS_PARAM,
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static const struct kv_key reject_key[] = {
	KEY_PRIVATE_DATA,
	{ .name = NULL },
};

static const struct kv_key disconnect_key[] = {
	KEY_TIMEOUT,
	{ .name = NULL },
};

static const struct kv_key none_key[] = {
	{ .name = NULL },
};

static const struct kv_key wait_key[] = {
	{ "state", KV_KEY_ENUM, AT(state), .names = kv_enum_conn_state,
	  .help = "state to wait for; default: established (an answer that comes before is confirmed)" },
	KEY_ACK_TIMEOUT,
	KEY_TIMEOUT,
	{ .name = NULL },
};

/* The CONN that the command is about, or none. */
static struct kv_conn_side side_of(const struct kv_session *s, const struct conn_args *a)
{
	return (struct kv_conn_side){ s->b, kv_now_ns() + a->timeout_ns, .conn.id = a->given.id };
}

/* @ret: return value of a step. */
static int take_conn(struct kv_session *s, const struct kv_conn_side *side, int ret,
		     union kv_object *object, struct kv_fault *f)
{
	object->conn = side->conn;
	return ret ? kv_session_reword(s, f) : 0;
}

/* Makes a CONN that has no peer: a listener, or a member of a group. */
static int make_alone(struct kv_session *s, const struct conn_args *a, bool member,
		      union kv_object *object, struct kv_fault *f)
{
	struct kv_conn_init init = { .dev = a->dev, .persistent = !s->batch };
	struct kv_conn_side side = side_of(s, a);
	int ret = kv_object_dev(s, &init.dev, f);

	if (ret)
		return ret;
	ret = member ? kv_conn_join(&side, &init, &a->src, &a->addr, f) :
		       kv_conn_listen(&side, &init, &a->addr, a->backlog, f);
	return take_conn(s, &side, ret, object, f);
}

static int make_listener(struct kv_session *s, const void *args,
			 union kv_object *object, struct kv_fault *f)
{
	return make_alone(s, args, false, object, f);
}

static int make_member(struct kv_session *s, const void *args,
		       union kv_object *object, struct kv_fault *f)
{
	return make_alone(s, args, true, object, f);
}

static int make_request(struct kv_session *s, const void *args,
			union kv_object *object, struct kv_fault *f)
{
	const struct conn_args *a = args;
	struct kv_conn_side side = side_of(s, a);
	int ret = kv_conn_get_request(&side, a->given.id, f);

	return take_conn(s, &side, ret, object, f);
}

static int make_connection(struct kv_session *s, const void *args,
			   union kv_object *object, struct kv_fault *f)
{
	const struct conn_args *a = args;
	bool wait = !(a->given.bits & HAS_NO_WAIT);
	struct kv_conn_peer peer = { .dev = a->dev, .persistent = !s->batch,
				     .src = a->src, .dst = a->addr };
	struct kv_conn_side side;
	union kv_object qp;
	int ret;

	/* A QP that does not exist is refused before the peer gets a request. */
	ret = kv_session_get(s, KV_QP, a->param.qp, &qp, f) ?:
	      kv_object_dev(s, &peer.dev, f);
	if (ret)
		return ret;
	side = side_of(s, a);
	ret = (wait ? kv_conn_dial : kv_conn_request)(&side, &peer, &a->param, f);
	ret = take_conn(s, &side, ret, object, f);
	return ret || wait ? ret : kv_session_get(s, KV_CONN, object->id, object, f);
}

/* Describes the present state of a CONN, after a failure, too. */
static int describe(struct kv_session *s, uint32_t id, int error, struct json_object *result)
{
	union kv_object object;

	if (!kv_op_get(s->b, KV_CONN, id, &object))
		kv_object_whole(s, KV_CONN, &object, result);
	return error;
}

/* The oldest request of a CONN that is a listener; else the CONN itself. */
static int find_request(struct kv_session *s, const struct conn_args *a, union kv_object *object,
			struct json_object *result, struct kv_fault *f)
{
	int ret = kv_session_get(s, KV_CONN, a->given.id, object, f);

	if (ret)
		return ret;
	if (object->conn.state == KVERBS_CONN_LISTENING)
		return kv_object_add(s, KV_CONN, a->name, make_request, a, object, result, f);
	if (a->name)
		return kv_fault_usage(f, "'name' is for the request that a listener has; conn %u exists already",
				      a->given.id);
	return 0;
}

static int accept_one(struct kv_session *s, const void *args,
		      struct json_object *result, struct kv_fault *f)
{
	const struct conn_args *a = args;
	struct kv_conn_side side = side_of(s, a);
	struct kv_conn_param param = a->param;
	union kv_object object;
	int ret;

	/* A QP that does not exist is refused before a request is taken. */
	ret = kv_session_get(s, KV_QP, a->param.qp, &object, f) ?:
	      find_request(s, a, &object, result, f);
	if (ret)
		return ret;
	param.id = side.conn.id = object.id;
	ret = kv_op_conn_accept(s->b, &param, NULL, NULL);
	if (ret)
		kv_session_refuse(s, ret, f);
	else if (!(a->given.bits & HAS_NO_WAIT) && kv_conn_confirm(&side, &param, f))
		ret = kv_session_reword(s, f);
	return describe(s, param.id, ret, result);
}

static int reject(struct kv_session *s, const void *args,
		  struct json_object *result, struct kv_fault *f)
{
	const struct conn_args *a = args;
	struct kv_conn_reject to = {
		.id = a->given.id,
		.private_length = a->param.private_length,
	};
	int ret;

	memcpy(to.private_data, a->param.private_data, sizeof(to.private_data));
	ret = kv_op_conn_reject(s->b, &to, NULL, NULL);
	return ret ? kv_session_refuse(s, ret, f) : describe(s, a->given.id, 0, result);
}

static int disconnect(struct kv_session *s, const void *args,
		      struct json_object *result, struct kv_fault *f)
{
	const struct conn_args *a = args;
	struct kv_conn_side side = side_of(s, a);
	union kv_object object;
	int ret = take_conn(s, &side, kv_conn_disconnect(&side, f), &object, f);

	if (!ret)
		kv_object_whole(s, KV_CONN, &object, result);
	return ret;
}

static int leave(struct kv_session *s, const void *args,
		 struct json_object *result, struct kv_fault *f)
{
	const struct conn_args *a = args;
	int ret = kv_op_conn_leave(s->b, &(struct kv_id){ a->given.id }, NULL, NULL);

	return ret ? kv_session_refuse(s, ret, f) : describe(s, a->given.id, 0, result);
}

static int wait_for(struct kv_session *s, const void *args,
		    struct json_object *result, struct kv_fault *f)
{
	const struct conn_args *a = args;
	struct kv_conn_side side = side_of(s, a);
	union kv_object object;
	int ret = kv_session_get(s, KV_CONN, a->given.id, &object, f);

	if (ret)
		return ret;
	ret = a->state == KVERBS_CONN_ESTABLISHED ? kv_conn_confirm(&side, &a->param, f) :
						    kv_conn_wait(&side, 1U << a->state, f);
	if (ret)
		ret = kv_session_reword(s, f);
	return describe(s, a->given.id, ret, result);
}

/* The commands that make a CONN. */
static int add(struct kv_session *s, const void *args, struct json_object *result,
	       struct kv_fault *f)
{
	static kv_object_make_fn *const make[KV_OPS] = {
		[KV_OP_CONN_LISTEN] = make_listener,
		[KV_OP_CONN_JOIN] = make_member,
		[KV_OP_CONN_GET_REQUEST] = make_request,
		[KV_OP_CONN_CONNECT] = make_connection,
	};
	const struct conn_args *a = args;
	union kv_object object;

	return kv_object_add(s, KV_CONN, a->name, make[a->given.command->op], a, &object,
			     result, f);
}

#define ARGS .size = sizeof(struct conn_args), .init = &conn_init
#define OF_CONN .id = KV_ID_MUST, .type = KV_CONN

const struct kv_command kv_conn_commands[] = {
	{ "listen", "creates a listener, which peers can ask for connections",
	  .key = listen_key, ARGS, .op = KV_OP_CONN_LISTEN, .fn = add, .print = kv_text_object },
	{ "get-request", "waits for a peer's request, and takes it from the listener ID",
	  "The request is a conn in state requested: 'conn accept' or 'conn reject' answers it. Peers don't wait for ever.",
	  OF_CONN, .key = get_request_key, ARGS, .op = KV_OP_CONN_GET_REQUEST, .fn = add,
	  .print = kv_text_object },
	{ "connect", "asks a peer for a connection: resolves address and route, connects, establishes",
	  "If a step fails, there is no conn. With no-wait it returns when the peer was asked, and 'conn wait' does the rest.",
	  .key = connect_key, ARGS, .op = KV_OP_CONN_CONNECT, .fn = add, .print = kv_text_object },
	{ "accept", "accepts a peer's request: ID is the request, or a listener, whose oldest request is taken",
	  OF_CONN, .key = accept_key, ARGS, .fn = accept_one,
	  .print = kv_text_object },
	{ "reject", "turns a peer's request down", OF_CONN, .key = reject_key,
	  ARGS, .fn = reject, .print = kv_text_object },
	{ "disconnect", "ends a connection; its QP is in err afterwards",
	  OF_CONN, .key = disconnect_key, ARGS, .fn = disconnect,
	  .print = kv_text_object },
	{ "wait", "waits until it is established, or in another state",
	  OF_CONN, .key = wait_key, ARGS, .fn = wait_for,
	  .print = kv_text_object },
	{ "join", "makes the host a member of a multicast group",
	  "The result has the group's GID, Q_Key and QPN, for 'qp attach', 'ah add' and 'post send'. If it fails there is no conn.",
	  .key = join_key, ARGS, .op = KV_OP_CONN_JOIN, .fn = add, .print = kv_text_object },
	{ "leave", "ends the membership; the conn is idle then", OF_CONN, .key = none_key,
	  ARGS, .fn = leave, .print = kv_text_object },
	{ .name = NULL },
};
