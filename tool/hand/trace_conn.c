// SPDX-License-Identifier: MIT
/*
 * Telling of the verbs of the RDMA CM, which have the same names in both spaces. Those
 * of the QP that connect, accept and establish bring along are not told; their time is
 * not in that of the verb either.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bytes.h"
#include "hand/describe.h"
#include "hand/tell.h"
#include "hand/text.h"
#include "hand/trace_conn.h"

#define ARGS 1024
#define MADE 32

static int tell(struct kv_trace *t, const char *verb, const char *args,
		const char *result, const uint64_t *ns, int ret)
{
	return kv_tell_verb(t, verb, verb, args, result, ns, ret);
}

/* "conn 1", and behind it what the CM is told. */
static void format_args(char text[ARGS], uint32_t id, struct json_object *obj)
{
	int n = snprintf(text, ARGS, "conn %u", id);

	kv_text_pairs(text + n, ARGS - (size_t)n, obj, ", ", ", ");
	json_object_put(obj);
}

/* Of two verbs that a command calls: was it the first one that failed? */
static bool failed_to_bind(const struct kv_trace *t)
{
	return t->kernel ? kv_tell_failed("rdma_bind_addr", t->inner->err) :
			   strstr(t->inner->err, "rdma_bind_addr") != NULL;
}

/* @src: NULL or where to bind to, before @verb and in its time. */
static int tell_bound(struct kv_trace *t, uint32_t id,
		      const struct sockaddr_storage *src, const char *verb,
		      const char *args, const char *result, const uint64_t *ns,
		      int ret)
{
	char where[KV_SOCKADDR_TEXT], bind[128], before[160] = "";
	struct kv_trace_call call = {
		.verb = verb,
		.args = args,
		.wr = "",
		.before = before,
		.after = "",
		.result = result,
	};

	if (src) {
		kv_sockaddr_format(where, src);
		snprintf(bind, sizeof(bind), "conn %u, %s", id, where);
		if (ret && failed_to_bind(t))
			return tell(t, "rdma_bind_addr", bind, "", ns, ret);
		snprintf(before, sizeof(before), "rdma_bind_addr(%s), ", bind);
	}
	return kv_tell_call(t, &call, ns, ret);
}

static struct json_object *describe(const struct kv_conn_param *param)
{
	struct json_object *obj = json_object_new_object();

	kv_describe_conn_param(obj, param);
	return obj;
}

static int conn_new(struct kv_backend *b, const struct kv_conn_init *init,
		    struct kv_conn *conn, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char result[MADE];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_new(t->inner, init, conn, ns);
	snprintf(result, sizeof(result), "conn %u", ret ? 0 : conn->id);
	return tell(t, "rdma_create_id", init->dev, result, ns, ret);
}

static int conn_listen(struct kv_backend *b, uint32_t id,
		       const struct sockaddr_storage *src, uint32_t backlog,
		       struct kv_conn *conn, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[64], got[KV_SOCKADDR_TEXT] = "";
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_listen(t->inner, id, src, backlog, conn, ns);
	if (!ret)
		kv_sockaddr_format(got, &conn->src);
	snprintf(args, sizeof(args), "conn %u, backlog %u", id, backlog);
	return tell_bound(t, id, src, "rdma_listen", args, got, ns, ret);
}

/* The request came by itself: no verb takes it. */
static int conn_take(struct kv_backend *b, uint32_t listener,
		     struct kv_conn *conn)
{
	struct kv_trace *t = (struct kv_trace *)b;

	return kv_tell_pass(t, t->inner->ops->conn_take(t->inner, listener,
							conn));
}

static int conn_resolve_addr(struct kv_backend *b, uint32_t id,
			     const struct sockaddr_storage *src,
			     const struct sockaddr_storage *dst,
			     uint32_t timeout_ms, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char to[KV_SOCKADDR_TEXT], args[160];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_resolve_addr(t->inner, id, src, dst,
					       timeout_ms, ns);
	kv_sockaddr_format(to, dst);
	snprintf(args, sizeof(args), "conn %u, dst %s, timeout-ms %u", id, to,
		 timeout_ms);
	return tell_bound(t, id, src, "rdma_resolve_addr", args, "", ns, ret);
}

static int conn_resolve_route(struct kv_backend *b, uint32_t id,
			      uint32_t timeout_ms, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[64];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_resolve_route(t->inner, id, timeout_ms, ns);
	snprintf(args, sizeof(args), "conn %u, timeout-ms %u", id, timeout_ms);
	return tell(t, "rdma_resolve_route", args, "", ns, ret);
}

static int conn_connect(struct kv_backend *b, uint32_t id,
			const struct kv_conn_param *param, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	struct json_object *obj = describe(param);
	char args[ARGS];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_connect(t->inner, id, param, ns);
	/* The accepting side has none. */
	json_object_object_add(obj, "retry_cnt",
			       json_object_new_uint64(param->retry_cnt));
	format_args(args, id, obj);
	return tell(t, "rdma_connect", args, "", ns, ret);
}

static int conn_establish(struct kv_backend *b, uint32_t id,
			  const struct kv_conn_param *param, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[32];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_establish(t->inner, id, param, ns);
	snprintf(args, sizeof(args), "conn %u", id);
	/* In the kernel accepting without parameters confirms the peer's answer. */
	return kv_tell_verb(t, "rdma_accept", "rdma_establish", args, "", ns,
			    ret);
}

static int conn_accept(struct kv_backend *b, uint32_t id,
		       const struct kv_conn_param *param, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[ARGS];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_accept(t->inner, id, param, ns);
	format_args(args, id, describe(param));
	return tell(t, "rdma_accept", args, "", ns, ret);
}

static int conn_reject(struct kv_backend *b, uint32_t id, const void *data,
		       uint32_t length, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char text[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)] = "", args[ARGS];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_reject(t->inner, id, data, length, ns);
	if (length && length <= KVERBS_CONN_PRIVATE_MAX)
		kv_bytes_text(text, data, length);
	snprintf(args, sizeof(args), "conn %u%s%s", id,
		 *text ? ", private-data " : "", text);
	return tell(t, "rdma_reject", args, "", ns, ret);
}

static int conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t *ns)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[32];
	int ret;

	*ns = 0;
	ret = t->inner->ops->conn_disconnect(t->inner, id, ns);
	snprintf(args, sizeof(args), "conn %u", id);
	return tell(t, "rdma_disconnect", args, "", ns, ret);
}

/* To the kernel events come by a call; user space's say no more than what follows. */
static int conn_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	struct kv_trace *t = (struct kv_trace *)b;

	return kv_tell_pass(t, t->inner->ops->conn_wait(t->inner, id,
							timeout_ms));
}

/**
 * kv_trace_conn_fill() - add the operations on connections to those that tell
 * @ops: receives them
 */
void kv_trace_conn_fill(struct kv_backend_ops *ops)
{
	ops->conn_new = conn_new;
	ops->conn_listen = conn_listen;
	ops->conn_take = conn_take;
	ops->conn_resolve_addr = conn_resolve_addr;
	ops->conn_resolve_route = conn_resolve_route;
	ops->conn_connect = conn_connect;
	ops->conn_establish = conn_establish;
	ops->conn_accept = conn_accept;
	ops->conn_reject = conn_reject;
	ops->conn_disconnect = conn_disconnect;
	ops->conn_wait = conn_wait;
}
