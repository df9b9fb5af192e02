// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include "cli/parse.h"
#include "object/describe.h"
#include "object/tell.h"
#include "object/text.h"
#include "object/trace.h"
#include "object/trace_conn.h"

/* Room for what a verb is called for, and for what it gave. */
#define ARGS 1024
#define RESULT 64

static struct kv_trace *trace_of(struct kv_backend *b)
{
	return (struct kv_trace *)b;
}

/* Add a description to a text, with commas as between arguments. */
static void append(char *text, size_t size, struct json_object *obj)
{
	size_t used = strlen(text);

	if (json_object_object_length(obj))
		kv_text_pairs(text + used, size - used, obj,
			      used ? ", " : "", ", ");
	json_object_put(obj);
}

static void made(char result[RESULT], const char *noun, uint32_t id)
{
	snprintf(result, RESULT, "%s %u", noun, id);
}

static void close_backend(struct kv_backend *b)
{
	struct kv_trace *t = trace_of(b);

	t->inner->ops->close(t->inner);
	free(t);
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_trace *t = trace_of(b);

	return kv_tell_pass(t, t->inner->ops->dev_each(t->inner, fn, arg));
}

static bool dev_gone(struct kv_backend *b, const char *name)
{
	struct kv_trace *t = trace_of(b);

	return t->inner->ops->dev_gone(t->inner, name);
}

static int pd_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_pd_init *init = in;
	const struct kv_pd *pd = out;
	char result[RESULT];

	made(result, "pd", ret ? 0 : pd->id);
	return kv_tell_verb(t, "ib_alloc_pd", "ibv_alloc_pd", init->dev, result, ns, ret);
}

/* The kernel has two kinds of CQs: with a handler of its own, and without. */
static bool is_raw_cq(uint32_t context)
{
	return context == KVERBS_CQ_POLLED || context == KVERBS_CQ_EVENT;
}

static int cq_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_cq_init *init = in;
	const struct kv_cq *cq = out;
	char args[ARGS], result[RESULT];

	snprintf(args, sizeof(args), "%s, cqe %u, comp-vector %u, context %s",
		 init->dev, init->cqe, init->comp_vector,
		 kv_word_name(kv_word_cq_context, init->context));
	made(result, "cq", ret ? 0 : cq->id);
	return kv_tell_verb(t, is_raw_cq(init->context) ? "ib_create_cq" : "ib_alloc_cq",
			    "ibv_create_cq", args, result, ns, ret);
}

static int mr_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_mr_init *init = in;
	const struct kv_mr *mr = out;
	char args[ARGS], result[RESULT];

	snprintf(args, sizeof(args), "pd %u, length %llu", init->pd,
		 (unsigned long long)init->length);
	made(result, "mr", ret ? 0 : mr->id);
	/* libibverbs has no MR before it is registered; the pages' first touch costs more than that. */
	return kv_tell_verb(t, "ib_alloc_mr", "first touch", args, result, ns, ret);
}

static int srq_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		   int ret)
{
	const struct kv_srq_init *init = in;
	const struct kv_srq *srq = out;
	char args[ARGS], result[RESULT];
	int n;

	n = snprintf(args, sizeof(args), "pd %u, max-wr %u, max-sge %u",
		     init->pd, init->max_wr, init->max_sge);
	if (t->kernel)
		snprintf(args + n, sizeof(args) - (size_t)n, ", limit %u", init->limit);
	made(result, "srq", ret ? 0 : srq->id);
	kv_tell_verb(t, "ib_create_srq", "ibv_create_srq", args, result, ns, ret);
	/* libibverbs makes it without a limit. */
	if (t->kernel || ret || !init->limit)
		return ret;
	snprintf(args, sizeof(args), "srq %u, limit %u", srq->id, init->limit);
	return kv_tell_verb(t, NULL, "ibv_modify_srq", args, "", NULL, 0);
}

static int ah_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	struct json_object *av = json_object_new_object();
	const struct kv_ah_init *init = in;
	const struct kv_ah *ah = out;
	char args[ARGS], result[RESULT];

	snprintf(args, sizeof(args), "pd %u, port %u", init->pd, init->port);
	kv_describe_av(av, &init->av);
	append(args, sizeof(args), av);
	made(result, "ah", ret ? 0 : ah->id);
	return kv_tell_verb(t, "rdma_create_user_ah", "ibv_create_ah", args, result, ns, ret);
}

static int qp_new(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	struct json_object *obj = json_object_new_object();
	const struct kv_qp *qp = out;
	char args[ARGS], result[RESULT];

	args[0] = '\0';
	kv_describe_qp_init(obj, in);
	append(args, sizeof(args), obj);
	made(result, "qp", ret ? 0 : qp->id);
	if (!ret)
		snprintf(result, sizeof(result), "qp %u, qpn %u", qp->id, qp->qpn);
	return kv_tell_verb(t, "ib_create_qp", "ibv_create_qp", args, result, ns, ret);
}

/* Of these two the device is asked each time. */
static void tell_query(struct kv_trace *t, enum kv_type type,
		       const union kv_object *object)
{
	char args[32], limit[32];
	const char *state = "no answer";

	snprintf(args, sizeof(args), "%s %u", kv_word_name(kv_word_type, type),
		 object->id);
	if (type == KV_QP) {
		if (object->qp.attr.mask)
			state = kv_word_name(kv_word_qp_state,
					     object->qp.attr.state);
		kv_tell_verb(t, "ib_query_qp", "ibv_query_qp", args, state, NULL, 0);
	} else if (type == KV_SRQ) {
		snprintf(limit, sizeof(limit), "limit %u", object->srq.limit);
		kv_tell_verb(t, "ib_query_srq", "ibv_query_srq", args, limit, NULL, 0);
	}
}

static int get(struct kv_trace *t, enum kv_type type, const union kv_object *object, int ret)
{
	if (!ret)
		tell_query(t, type, object);
	return kv_tell_pass(t, ret);
}

/* A listing that tells of each query. */
struct listing {
	struct kv_trace *t;
	enum kv_type type;
	int (*fn)(const union kv_object *object, void *arg);
	void *arg;
};

static int list_one(const union kv_object *object, void *arg)
{
	const struct listing *l = arg;

	tell_query(l->t, l->type, object);
	return l->fn(object, l->arg);
}

static int each(struct kv_backend *b, enum kv_type type,
		int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	struct kv_trace *t = trace_of(b);
	struct listing l = { .t = t, .type = type, .fn = fn, .arg = arg };

	return kv_tell_pass(t, t->inner->ops->each(t->inner, type, list_one, &l));
}

/* Which verb destroys an object of this type; @raw: a CQ without a handler. */
static void destroyer(enum kv_type type, bool raw, const char **kernel,
		      const char **user)
{
	static const char *const name[KV_TYPES][2] = {
		[KV_PD] = { "ib_dealloc_pd", "ibv_dealloc_pd" },
		[KV_CQ] = { "ib_free_cq", "ibv_destroy_cq" },
		[KV_MR] = { "ib_dereg_mr", "ibv_dereg_mr" },
		[KV_SRQ] = { "ib_destroy_srq", "ibv_destroy_srq" },
		[KV_AH] = { "rdma_destroy_ah", "ibv_destroy_ah" },
		[KV_QP] = { "ib_destroy_qp", "ibv_destroy_qp" },
		[KV_CONN] = { "rdma_destroy_id", "rdma_destroy_id" },
	};

	*kernel = raw ? "ib_destroy_cq" : name[type][0];
	*user = name[type][1];
}

static int del(struct kv_trace *t, enum kv_type type, uint32_t id, uint64_t *ns)
{
	const char *kernel, *user;
	union kv_object object;
	bool raw = false;
	char args[32];
	int ret;

	if (t->kernel && type == KV_CQ && !kv_op_get(t->inner, KV_CQ, id, &object))
		raw = is_raw_cq(object.cq.context);
	ret = kv_op_del(t->inner, type, id, ns);
	/* A buffer of user space that is not registered is no MR. */
	if (!t->kernel && type == KV_MR && !ret && !*ns)
		return 0;
	destroyer(type, raw, &kernel, &user);
	snprintf(args, sizeof(args), "%s %u", kv_word_name(kv_word_type, type), id);
	return kv_tell_verb(t, kernel, user, args, "", ns, ret);
}

/* A request of the kernel that is posted, and waited for in its send CQ. */
static int tell_work(struct kv_trace *t, const char *wr, const char *before,
		     const char *args, const char *result, const uint64_t *ns,
		     int ret)
{
	struct kv_trace_call call = {
		.verb = "ib_post_send",
		.args = args,
		.wr = wr,
		.before = before,
		.after = ", ib_poll_cq(send-cq)",
		.result = result,
	};

	return kv_tell_call(t, &call, ns, ret);
}

static int mr_reg(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_mr_reg *reg = in;
	const struct kv_mr *mr = out;
	char args[ARGS], result[RESULT], access[96], range[96], before[128];

	kv_text_flags(access, sizeof(access), kv_word_access, reg->access);
	snprintf(range, sizeof(range), "mr %u, offset %llu, length %llu", reg->id,
		 (unsigned long long)reg->offset,
		 (unsigned long long)reg->length);
	snprintf(result, sizeof(result), "lkey 0x%x, rkey 0x%x",
		 ret ? 0 : mr->lkey, ret ? 0 : mr->rkey);
	snprintf(args, sizeof(args), "%s, access %s", range, access);
	if (!t->kernel)
		return kv_tell_verb(t, NULL, "ibv_reg_mr", args, result, ns, ret);
	if (ret && kv_tell_failed("ib_map_mr_sg", t->inner->err))
		return kv_tell_verb(t, "ib_map_mr_sg", NULL, range, "", ns, ret);
	snprintf(before, sizeof(before), "ib_map_mr_sg(%s), ", range);
	snprintf(args, sizeof(args), "mr %u, qp %u, access %s", reg->id, reg->qp,
		 access);
	return tell_work(t, "IB_WR_REG_MR", before, args, result, ns, ret);
}

static int mr_inv(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_mr_inv *inv = in;
	char args[64];

	if (t->kernel) {
		snprintf(args, sizeof(args), "mr %u, qp %u", inv->id, inv->qp);
		return tell_work(t, "IB_WR_LOCAL_INV", "", args, "", ns, ret);
	}
	snprintf(args, sizeof(args), "mr %u", inv->id);
	return kv_tell_verb(t, NULL, "ibv_dereg_mr", args, "", ns, ret);
}

static int srq_modify(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		      int ret)
{
	const struct kv_srq_attr *attr = in;
	char args[96];
	int n;

	n = snprintf(args, sizeof(args), "srq %u", attr->id);
	if (attr->has_limit)
		n += snprintf(args + n, sizeof(args) - (size_t)n, ", limit %u",
			      attr->limit);
	if (attr->has_max_wr)
		snprintf(args + n, sizeof(args) - (size_t)n, ", max-wr %u",
			 attr->max_wr);
	return kv_tell_verb(t, "ib_modify_srq", "ibv_modify_srq", args, "", ns, ret);
}

static int qp_modify(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		     int ret)
{
	struct json_object *obj = json_object_new_object();
	const struct kv_qp_modify *modify = in;
	char args[ARGS];

	snprintf(args, sizeof(args), "qp %u", modify->id);
	kv_describe_qp_attr(obj, &modify->attr);
	append(args, sizeof(args), obj);
	return kv_tell_verb(t, "ib_modify_qp", "ibv_modify_qp", args, "", ns, ret);
}

static int post(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	struct json_object *obj = json_object_new_object();
	const struct kv_wr *wr = in;
	char args[ARGS];

	args[0] = '\0';
	kv_describe_wr(obj, wr);
	append(args, sizeof(args), obj);
	if (wr->op != KVERBS_OP_RECV)
		return kv_tell_verb(t, "ib_post_send", "ibv_post_send", args, "", ns,
			    ret);
	if (wr->srq)
		return kv_tell_verb(t, "ib_post_srq_recv", "ibv_post_srq_recv", args, "",
			    ns, ret);
	return kv_tell_verb(t, "ib_post_recv", "ibv_post_recv", args, "", ns, ret);
}

static int poll(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_cq_poll *poll = in;
	const struct kv_polled *polled = out;
	char args[32], result[RESULT];

	/* What had come out of the CQ before takes no verb. */
	if (!ret && !*ns)
		return 0;
	if (!ret && !polled->n) {
		kv_tell_idle(t, poll->id, *ns);
		return 0;
	}
	snprintf(args, sizeof(args), "cq %u", poll->id);
	snprintf(result, sizeof(result), "%u", ret ? 0 : polled->n);
	return kv_tell_verb(t, "ib_poll_cq", "ibv_poll_cq", args, result, ns, ret);
}

static int arm(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns, int ret)
{
	const struct kv_cq_arm *arm = in;
	const struct kv_armed *armed = out;
	char args[64];

	/* Of the RDMA core's CQs the module watches the completions itself. */
	if (!ret && !*ns)
		return 0;
	snprintf(args, sizeof(args), "cq %u%s", arm->id,
		 arm->solicited ? ", solicited" : "");
	return kv_tell_verb(t, "ib_req_notify_cq", "ibv_req_notify_cq", args,
		    !ret && armed->missed ? "missed" : "", ns, ret);
}

static int cq_wait(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		   int ret)
{
	const struct kv_wait *wait = in;
	char args[32];

	/* To the kernel the event comes by a call; there is no verb to wait. */
	if (t->kernel || ret)
		return kv_tell_pass(t, ret);
	snprintf(args, sizeof(args), "cq %u", wait->id);
	return kv_tell_verb(t, NULL, "ibv_get_cq_event", args, "", NULL, ret);
}

/* Operations that call verbs, or wait by one. */
static kv_tell_fn *const tells[KV_OPS] = {
	[KV_OP_PD_NEW] = pd_new,
	[KV_OP_CQ_NEW] = cq_new,
	[KV_OP_MR_NEW] = mr_new,
	[KV_OP_SRQ_NEW] = srq_new,
	[KV_OP_AH_NEW] = ah_new,
	[KV_OP_QP_NEW] = qp_new,
	[KV_OP_CONN_NEW] = kv_tell_conn_new,
	[KV_OP_MR_REG] = mr_reg,
	[KV_OP_MR_INV] = mr_inv,
	[KV_OP_SRQ_MODIFY] = srq_modify,
	[KV_OP_QP_MODIFY] = qp_modify,
	[KV_OP_CONN_LISTEN] = kv_tell_conn_listen,
	[KV_OP_CONN_RESOLVE_ADDR] = kv_tell_conn_resolve_addr,
	[KV_OP_CONN_RESOLVE_ROUTE] = kv_tell_conn_resolve_route,
	[KV_OP_CONN_CONNECT] = kv_tell_conn_connect,
	[KV_OP_CONN_ESTABLISH] = kv_tell_conn_establish,
	[KV_OP_CONN_ACCEPT] = kv_tell_conn_accept,
	[KV_OP_CONN_REJECT] = kv_tell_conn_reject,
	[KV_OP_CONN_DISCONNECT] = kv_tell_conn_disconnect,
	[KV_OP_WR_POST] = post,
	[KV_OP_CQ_POLL] = poll,
	[KV_OP_CQ_ARM] = arm,
	[KV_OP_CQ_WAIT] = cq_wait,
};

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out, uint64_t *ns)
{
	struct kv_trace *t = trace_of(b);
	int ret;

	if (op >= KV_OP_PD_DEL && op < KV_OP_PD_DEL + KV_TYPES)
		return del(t, (enum kv_type)(op - KV_OP_PD_DEL), ((const struct kv_id *)in)->id,
			   ns);
	ret = kv_op_call(t->inner, op, in, out, ns);
	if (op >= KV_OP_PD_GET && op < KV_OP_PD_GET + KV_TYPES)
		return get(t, (enum kv_type)(op - KV_OP_PD_GET), out, ret);
	return tells[op] ? tells[op](t, in, out, ns, ret) : kv_tell_pass(t, ret);
}

static const struct kv_backend_ops trace_ops = {
	.close = close_backend,
	.call = call,
	.dev_each = dev_each,
	.each = each,
};

/**
 * kv_trace_wrap() - put a telling backend around another one
 * @b: the backend; becomes the telling one, which closes it
 * @fn: is told of each verb, after it was called
 * @arg: for @fn
 *
 * Return: 0, or -ENOMEM and @b is as it was.
 */
int kv_trace_wrap(struct kv_backend **b, kv_trace_fn *fn, void *arg)
{
	struct kv_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->inner = *b;
	t->kernel = !strcmp((*b)->ops->space, "kernel");
	t->ops = trace_ops;
	t->ops.space = (*b)->ops->space;
	if ((*b)->ops->dev_gone)
		t->ops.dev_gone = dev_gone;
	t->base.ops = &t->ops;
	t->fn = fn;
	t->arg = arg;
	*b = &t->base;
	return 0;
}
