// SPDX-License-Identifier: MIT
/*
 * Telling of the verbs of the RDMA CM, which have the same names in both spaces. Those
 * of the QP that connect, accept and establish bring along are not told; their time is
 * not in that of the verb either.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/bytes.h"
#include "object/describe.h"
#include "object/tell.h"
#include "object/text.h"
#include "object/trace_conn.h"

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

int kv_tell_conn_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		     int ret)
{
	const struct kv_conn_init *init = in;
	const struct kv_conn *conn = out;
	char result[MADE];

	snprintf(result, sizeof(result), "conn %u", ret ? 0 : conn->id);
	return tell(t, "rdma_create_id", init->dev, result, ns, ret);
}

int kv_tell_conn_listen(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
			int ret)
{
	const struct kv_conn_listen *listen = in;
	const struct kv_conn *conn = out;
	char args[64], got[KV_SOCKADDR_TEXT] = "";

	if (!ret)
		kv_sockaddr_format(got, &conn->src);
	snprintf(args, sizeof(args), "conn %u, backlog %u", listen->id, listen->backlog);
	return tell_bound(t, listen->id, &listen->src, "rdma_listen", args, got, ns, ret);
}

int kv_tell_conn_resolve_addr(struct kv_trace *t, const void *in, const void *out,
			      const uint64_t *ns, int ret)
{
	const struct kv_conn_resolve *resolve = in;
	char to[KV_SOCKADDR_TEXT], args[160];

	kv_sockaddr_format(to, &resolve->dst);
	snprintf(args, sizeof(args), "conn %u, dst %s, timeout-ms %u", resolve->id, to,
		 resolve->timeout_ms);
	return tell_bound(t, resolve->id, resolve->src.ss_family ? &resolve->src : NULL,
			  "rdma_resolve_addr", args, "", ns, ret);
}

int kv_tell_conn_resolve_route(struct kv_trace *t, const void *in, const void *out,
			       const uint64_t *ns, int ret)
{
	const struct kv_conn_route *resolve = in;
	char args[64];

	snprintf(args, sizeof(args), "conn %u, timeout-ms %u", resolve->id, resolve->timeout_ms);
	return tell(t, "rdma_resolve_route", args, "", ns, ret);
}

int kv_tell_conn_connect(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
			 int ret)
{
	const struct kv_conn_param *param = in;
	struct json_object *obj = describe(param);
	char args[ARGS];

	/* The accepting side has none. */
	json_object_object_add(obj, "retry_cnt",
			       json_object_new_uint64(param->retry_cnt));
	format_args(args, param->id, obj);
	return tell(t, "rdma_connect", args, "", ns, ret);
}

int kv_tell_conn_establish(struct kv_trace *t, const void *in, const void *out,
			   const uint64_t *ns, int ret)
{
	const struct kv_conn_establish *param = in;
	char args[32];

	snprintf(args, sizeof(args), "conn %u", param->id);
	/* In the kernel accepting without parameters confirms the peer's answer. */
	return kv_tell_verb(t, "rdma_accept", "rdma_establish", args, "", ns, ret);
}

int kv_tell_conn_accept(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
			int ret)
{
	const struct kv_conn_param *param = in;
	char args[ARGS];

	format_args(args, param->id, describe(param));
	return tell(t, "rdma_accept", args, "", ns, ret);
}

int kv_tell_conn_reject(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
			int ret)
{
	char text[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)] = "", args[ARGS];
	const struct kv_conn_reject *reject = in;

	if (reject->private_length)
		kv_bytes_text(text, reject->private_data, reject->private_length);
	snprintf(args, sizeof(args), "conn %u%s%s", reject->id,
		 *text ? ", private-data " : "", text);
	return tell(t, "rdma_reject", args, "", ns, ret);
}

int kv_tell_conn_disconnect(struct kv_trace *t, const void *in, const void *out,
			    const uint64_t *ns, int ret)
{
	char args[32];

	snprintf(args, sizeof(args), "conn %u", ((const struct kv_id *)in)->id);
	return tell(t, "rdma_disconnect", args, "", ns, ret);
}
