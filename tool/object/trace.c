// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/parse.h"
#include "object/describe.h"
#include "object/text.h"
#include "object/trace.h"
#include "out/out.h"

/* Sizes of the texts of a verb's arguments and of its result. */
#define ARGS 1024
#define RESULT 64

/* A set of stages. */
#define STAGE(stage) (1U << (stage))

/* The backend that traces. */
struct trace {
	/* The backend that users of the trace call. */
	struct kv_backend base; /* first */
	struct kv_backend_ops ops; /* its operations */
	struct kv_backend *inner; /* the backend that is traced */
	bool kernel; /* verbs are the kernel's */
	const bool *in_full; /* arguments and results are reported, too */
	kv_trace_fn *fn; /* called for each verb */
	void *arg; /* for @fn */
	uint32_t idle_cq; /* CQ of the empty polls that are not reported yet */
	uint64_t idle_calls; /* number of these polls */
	uint64_t idle_ns; /* how long these polls took */
};

/*
 * Traces an operation that has been done: @in and @out are those of kv_op_call(), @ret is its
 * return value. Returns @ret.
 */
typedef int trace_fn(struct trace *t, enum kv_op op, const void *in, const void *out, int ret);

/* Passes on an error with the inner backend's text. */
static int pass(struct trace *t, int ret)
{
	if (ret)
		memcpy(t->base.err, t->inner->err, sizeof(t->base.err));
	t->base.failed = t->inner->failed;
	t->base.times = t->inner->times;
	t->base.refused = t->inner->refused;
	t->base.refused_value = t->inner->refused_value;
	return ret;
}

/**
 * kv_trace_settle() - report the polls that were held back
 * @b: the backend that kv_trace_wrap() made
 */
void kv_trace_settle(struct kv_backend *b)
{
	struct trace *t = (struct trace *)b;
	char args[32];
	struct kv_trace_call call = {
		.called = true,
		.verb = kv_op_rows[KV_OP_CQ_POLL].verb[!t->kernel],
		.args = args,
		.result = "0",
		.calls = t->idle_calls,
		.idle = true,
		.timed = true,
		.ns = t->idle_ns,
	};

	if (!t->idle_calls)
		return;
	snprintf(args, sizeof(args), "cq %u", t->idle_cq);
	t->idle_calls = 0;
	t->idle_ns = 0;
	t->fn(&call, t->arg);
}

/*
 * Adds the outcome to @call, reports the verb, and returns @ret. @stages: the stages of this verb;
 * if another stage has failed, the verb was not called.
 */
static int trace_call(struct trace *t, uint32_t stages, struct kv_trace_call *call, int ret)
{
	call->called = !ret || stages & STAGE(t->inner->failed);
	if (ret)
		call->result = NULL;
	if (!call->called) {
		call->before = NULL;
		call->after = NULL;
	}
	call->error = ret;
	call->why = t->inner->err;
	call->calls = 1;
	call->timed = !ret && t->inner->times.verb_ns;
	call->ns = call->timed ? t->inner->times.verb_ns : 0;
	call->stage_ns = call->timed ? t->inner->times.stage_ns : NULL;
	kv_trace_settle(&t->base);
	t->fn(call, t->arg);
	return pass(t, ret);
}

/* The same for a verb without other calls before or after it. */
static int trace_verb(struct trace *t, uint32_t stages, const char *verb, const char *args,
		      const char *result, int ret)
{
	struct kv_trace_call call = {
		.verb = verb,
		.args = args,
		.result = result,
	};

	return trace_call(t, stages, &call, ret);
}

/* "qp 1", or the device, and the members of @in that are arguments of the verb. */
static void format_args(const struct trace *t, enum kv_op op, const void *in, char args[ARGS])
{
	const struct kv_op_row *row = &kv_op_rows[op];
	const struct kv_member *dev;
	struct json_object *obj;
	size_t used;

	args[0] = '\0';
	if (!*t->in_full)
		return;
	dev = kv_member_find(row->in, "dev");
	obj = json_object_new_object();
	if (row->about != KV_NO_TYPE)
		snprintf(args, ARGS, "%s %u", kv_enum_name(kv_enum_type, row->about),
			 ((const struct kv_id *)in)->id);
	else if (dev)
		snprintf(args, ARGS, "%s", *(const char *const *)((const char *)in + dev->offset));
	kv_describe(obj, row->in, in);
	/* rdma_accept() takes no retry_cnt. */
	if (op == KV_OP_CONN_ACCEPT)
		json_object_object_del(obj, "retry_cnt");
	/* libibverbs makes an SRQ without a limit, and needs no QP to invalidate. */
	if (!t->kernel && op == KV_OP_SRQ_NEW)
		json_object_object_del(obj, "limit");
	/* Moderation is a verb of its own. */
	if (op == KV_OP_CQ_NEW) {
		json_object_object_del(obj, "moderation_count");
		json_object_object_del(obj, "moderation_period");
	}
	if (!t->kernel && op == KV_OP_MR_INV)
		json_object_object_del(obj, "qp");
	used = strlen(args);
	kv_text_pairs(args + used, ARGS - used, obj, used ? ", " : "", ", ");
	json_object_put(obj);
}

/* The stages of the verbs in ops.def that are not the device's answer to a modification. */
static uint32_t stages_of(enum kv_op op)
{
	if (op == KV_OP_CQ_POLL)
		return STAGE(KVERBS_STAGE_COMPLETION);
	if (op == KV_OP_CQ_ARM)
		return STAGE(KVERBS_STAGE_ARM);
	return kv_op_rows[op].about == KV_CONN ? STAGE(KVERBS_STAGE_CM) :
						 STAGE(KVERBS_STAGE_MODIFY);
}

/* An operation that is the verb of its row, if it has one in this space. */
static int trace_row(struct trace *t, enum kv_op op, const void *in, const char *result, int ret)
{
	const char *verb = kv_op_rows[op].verb[!t->kernel];
	char args[ARGS];

	if (!verb)
		return pass(t, ret);
	format_args(t, op, in, args);
	return trace_verb(t, stages_of(op), verb, args, result, ret);
}

static int trace_new(struct trace *t, enum kv_op op, const void *in, const union kv_object *object,
		     int ret)
{
	enum kv_type type = (enum kv_type)(op - KV_OP_PD_NEW);
	const char *verb = kv_object_rows[type].make[!t->kernel];
	const struct kv_srq_init *srq = in;
	const struct kv_cq_init *cq = in;
	char args[ARGS], result[RESULT];

	if (!verb)
		return pass(t, ret);
	if (t->kernel && type == KV_CQ && kv_cq_is_raw(cq->context))
		verb = "ib_create_cq";
	format_args(t, op, in, args);
	if (ret || !*t->in_full)
		result[0] = '\0';
	else if (type == KV_QP)
		snprintf(result, sizeof(result), "qp %u, qpn %u", object->id, object->qp.qpn);
	else
		snprintf(result, sizeof(result), "%s %u", kv_enum_name(kv_enum_type, type),
			 object->id);
	trace_verb(t, STAGE(KVERBS_STAGE_CREATE) | STAGE(KVERBS_STAGE_MODIFY), verb, args, result,
		   ret);
	/* The limit of an SRQ is a verb of its own in user space, moderation in both spaces. */
	if (!ret && !t->kernel && type == KV_SRQ && srq->limit) {
		snprintf(args, sizeof(args), "srq %u, limit %u", object->id, srq->limit);
		verb = "ibv_modify_srq";
	} else if (!ret && type == KV_CQ && cq->moderation_count) {
		snprintf(args, sizeof(args), "cq %u, moderation-count %u, moderation-period %u", object->id,
			 cq->moderation_count, cq->moderation_period);
		verb = t->kernel ? "rdma_set_cq_moderation" : "ibv_modify_cq";
	} else {
		return ret;
	}
	kv_backend_begin(t->inner);
	return trace_verb(t, 0, verb, args, NULL, 0);
}

/* Each show of a QP or an SRQ queries the device. */
static void trace_query(struct trace *t, enum kv_type type, const union kv_object *object)
{
	char args[32], limit[32];
	const char *state = "no answer";

	snprintf(args, sizeof(args), "%s %u", kv_enum_name(kv_enum_type, type), object->id);
	if (type == KV_QP) {
		if (object->qp.attr.mask)
			state = kv_enum_name(kv_enum_qp_state, object->qp.attr.state);
		trace_verb(t, 0, t->kernel ? "ib_query_qp" : "ibv_query_qp", args, state, 0);
	} else if (type == KV_SRQ) {
		snprintf(limit, sizeof(limit), "limit %u", object->srq.limit);
		trace_verb(t, 0, t->kernel ? "ib_query_srq" : "ibv_query_srq", args, limit, 0);
	}
}

static int del(struct trace *t, enum kv_type type, uint32_t id)
{
	const char *verb = kv_object_rows[type].destroy[!t->kernel];
	union kv_object object;
	char args[32];
	int ret;

	if (t->kernel && type == KV_CQ && !kv_op_get(t->inner, KV_CQ, id, &object) &&
	    kv_cq_is_raw(object.cq.context))
		verb = "ib_destroy_cq";
	ret = kv_op_del(t->inner, type, id, NULL);
	/* In libibverbs an MR that is not registered does not exist. */
	if (!verb || (!t->kernel && type == KV_MR && !ret && !t->inner->times.verb_ns))
		return pass(t, ret);
	snprintf(args, sizeof(args), "%s %u", kv_enum_name(kv_enum_type, type), id);
	return trace_verb(t, STAGE(KVERBS_STAGE_DESTROY), verb, args, NULL, ret);
}

/* A work request of the kernel: it is posted, and its completion is polled from the send CQ. */
static int trace_work(struct trace *t, const char *wr, const char *before, const char *args,
		     const char *result, int ret)
{
	struct kv_trace_call call = {
		.verb = "ib_post_send",
		.args = args,
		.wr = wr,
		.before = before,
		.after = ", ib_poll_cq(send-cq)",
		.result = result,
	};

	return trace_call(t, STAGE(KVERBS_STAGE_POST) | STAGE(KVERBS_STAGE_COMPLETION), &call, ret);
}

static int mr_reg(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	const struct kv_mr_reg *reg = in;
	const struct kv_mr *mr = out;
	char args[ARGS], result[RESULT], access[96], range[96], before[128];

	kv_text_flags(access, sizeof(access), kv_enum_access, reg->access);
	snprintf(range, sizeof(range), "mr %u, buf %u, offset %llu, length %llu", reg->id,
		 reg->buf, (unsigned long long)reg->offset, (unsigned long long)reg->length);
	snprintf(result, sizeof(result), "lkey 0x%x, rkey 0x%x", ret ? 0 : mr->lkey,
		 ret ? 0 : mr->rkey);
	snprintf(args, sizeof(args), "%s, access %s", range, access);
	if (!t->kernel)
		return trace_verb(t, STAGE(KVERBS_STAGE_CREATE), "ibv_reg_mr", args, result, ret);
	if (ret && t->inner->failed == KVERBS_STAGE_MAP)
		return trace_verb(t, STAGE(KVERBS_STAGE_MAP), "ib_map_mr_sg", range, NULL, ret);
	snprintf(before, sizeof(before), "ib_map_mr_sg(%s), ", range);
	snprintf(args, sizeof(args), "mr %u, qp %u, access %s", reg->id, reg->qp, access);
	return trace_work(t, "IB_WR_REG_MR", before, args, result, ret);
}

static int mr_inv(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	char args[ARGS];

	format_args(t, op, in, args);
	if (t->kernel)
		return trace_work(t, "IB_WR_LOCAL_INV", NULL, args, NULL, ret);
	return trace_verb(t, STAGE(KVERBS_STAGE_DESTROY), "ibv_dereg_mr", args, NULL, ret);
}

/* "qp 1, op send, wr-id 7; op write, wr-id 8"; the caller frees it. NULL: no memory. */
static char *format_list(const struct trace *t, const struct kv_post *post)
{
	const size_t size = (post->wrs + 1) * ARGS;
	char *text = calloc(1, size);
	size_t used;

	if (!text || !*t->in_full)
		return text;
	used = (size_t)snprintf(text, size, "%s %u", post->srq ? "srq" : "qp",
				post->srq ? post->srq : post->qp);
	for (uint32_t i = 0; i < post->wrs; i++) {
		struct json_object *obj = json_object_new_object();

		kv_describe(obj, &kv_shape_wr, &post->wr[i]);
		kv_text_pairs(text + used, size - used, obj, i ? "; " : ", ", ", ");
		used += strlen(text + used);
		json_object_put(obj);
	}
	return text;
}

static int post(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	static const char *const send[] = { "ib_post_send", "ibv_post_send" };
	static const char *const recv[] = { "ib_post_recv", "ibv_post_recv" };
	static const char *const srq_recv[] = { "ib_post_srq_recv", "ibv_post_srq_recv" };
	const struct kv_posted *posted = out;
	const char *const *verb = send;
	const struct kv_post *post = in;
	char result[RESULT] = "", *args;

	if (post->wr->op == KVERBS_OP_RECV)
		verb = post->srq ? srq_recv : recv;
	if (!ret && posted->error)
		snprintf(result, sizeof(result), "%d (%s) of the request behind %u posted ones",
			 posted->error, kv_errno_name(posted->error), posted->posted);
	args = format_list(t, post);
	ret = trace_verb(t, STAGE(KVERBS_STAGE_POST), verb[!t->kernel], args ?: "", result, ret);
	free(args);
	return ret;
}

static int poll(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	const struct kv_cq_poll *poll = in;
	const struct kv_polled *polled = out;
	char result[RESULT];

	/* No verb is needed if the backend already holds the completions. */
	if (!ret && !t->inner->times.verb_ns)
		return 0;
	/* Empty polls are counted, and reported when another verb follows. */
	if (!ret && !polled->n) {
		if (t->idle_cq != poll->id)
			kv_trace_settle(&t->base);
		t->idle_cq = poll->id;
		t->idle_calls++;
		t->idle_ns += t->inner->times.verb_ns;
		return 0;
	}
	snprintf(result, sizeof(result), "%u", ret ? 0 : polled->n);
	return trace_row(t, op, in, result, ret);
}

static int arm(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	const struct kv_armed *armed = out;

	/* A CQ with a handler of the RDMA core is never armed: no verb. */
	if (!ret && !t->inner->times.verb_ns)
		return 0;
	return trace_row(t, op, in, !ret && armed->missed ? "missed" : NULL, ret);
}

static int cq_wait(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	return ret ? pass(t, ret) : trace_row(t, op, in, NULL, ret);
}

/*
 * Verbs of the RDMA CM have the same names in both spaces. Connect, accept and establish also
 * modify the QP: the modify verbs are not reported; their time is a stage of its own.
 */

/* LISTEN, RESOLVE_ADDR and JOIN, which may bind an address before; the time includes that. */
static int bound(struct trace *t, enum kv_op op, const void *in, const void *out, int ret)
{
	/* All these structs begin with the id and the address. */
	const struct kv_conn_listen *conn = in;
	char args[ARGS], bind[128], before[160], got[KV_SOCKADDR_TEXT] = "";
	struct kv_trace_call call = {
		.verb = kv_op_rows[op].verb[!t->kernel],
		.args = args,
		.result = got,
	};

	format_args(t, op, in, args);
	if (op == KV_OP_CONN_LISTEN && !ret)
		kv_sockaddr_format(got, &((const struct kv_conn *)out)->src);
	if (op == KV_OP_CONN_LISTEN || conn->src.ss_family) {
		snprintf(bind, sizeof(bind), "conn %u, %s", conn->id, KV_SOCKADDR(&conn->src));
		if (ret && t->inner->failed == KVERBS_STAGE_BIND)
			return trace_verb(t, STAGE(KVERBS_STAGE_BIND), "rdma_bind_addr", bind, NULL, ret);
		snprintf(before, sizeof(before), "rdma_bind_addr(%s), ", bind);
		call.before = before;
	}
	return trace_call(t, STAGE(KVERBS_STAGE_CM), &call, ret);
}

/* Operations that need more than the verb of their row. */
static trace_fn *const traces[KV_OPS] = {
	[KV_OP_MR_REG] = mr_reg,
	[KV_OP_MR_INV] = mr_inv,
	[KV_OP_CONN_LISTEN] = bound,
	[KV_OP_CONN_RESOLVE_ADDR] = bound,
	[KV_OP_CONN_JOIN] = bound,
	[KV_OP_WR_POST] = post,
	[KV_OP_CQ_POLL] = poll,
	[KV_OP_CQ_ARM] = arm,
	[KV_OP_CQ_WAIT] = cq_wait,
};

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	struct trace *t = (struct trace *)b;
	int ret;

	if (op >= KV_OP_PD_DEL && op < KV_OP_PD_DEL + KV_TYPES)
		return del(t, (enum kv_type)(op - KV_OP_PD_DEL), ((const struct kv_id *)in)->id);
	ret = kv_op_call(t->inner, op, in, out, NULL);
	if (op >= KV_OP_PD_NEW && op < KV_OP_PD_NEW + KV_TYPES)
		return trace_new(t, op, in, out, ret);
	if (op >= KV_OP_PD_GET && op < KV_OP_PD_GET + KV_TYPES && !ret)
		trace_query(t, (enum kv_type)(op - KV_OP_PD_GET), out);
	if (traces[op])
		return traces[op](t, op, in, out, ret);
	return trace_row(t, op, in, NULL, ret);
}

static void close_backend(struct kv_backend *b)
{
	struct trace *t = (struct trace *)b;

	t->inner->ops->close(t->inner);
	free(t);
}

static int dev_each(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct trace *t = (struct trace *)b;

	return pass(t, t->inner->ops->dev_each(t->inner, fn, arg));
}

static bool dev_gone(struct kv_backend *b, const char *name)
{
	struct trace *t = (struct trace *)b;

	return t->inner->ops->dev_gone(t->inner, name);
}

/* A listing in which each query is traced. */
struct listing {
	struct trace *t;
	enum kv_type type;
	int (*fn)(const union kv_object *object, void *arg);
	void *arg;
};

static int list_one(const union kv_object *object, void *arg)
{
	const struct listing *l = arg;

	trace_query(l->t, l->type, object);
	return l->fn(object, l->arg);
}

static int each(struct kv_backend *b, enum kv_type type,
		int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	struct trace *t = (struct trace *)b;
	struct listing l = { .t = t, .type = type, .fn = fn, .arg = arg };

	kv_backend_begin(t->inner);
	return pass(t, t->inner->ops->each(t->inner, type, list_one, &l));
}

static const struct kv_backend_ops trace_ops = {
	.close = close_backend,
	.call = call,
	.dev_each = dev_each,
	.each = each,
};

/**
 * kv_trace_wrap() - put a tracing backend around another one
 * @b: the backend; becomes the tracing backend, which closes the original one
 * @in_full: read at each verb: make texts of arguments and results? That costs as much as a verb
 * @fn: called for each verb, after the verb
 *
 * Return: 0, or -ENOMEM; then @b is unchanged.
 */
int kv_trace_wrap(struct kv_backend **b, const bool *in_full, kv_trace_fn *fn, void *arg)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->inner = *b;
	t->kernel = !strcmp((*b)->ops->space, "kernel");
	t->ops = trace_ops;
	t->ops.space = (*b)->ops->space;
	if ((*b)->ops->dev_gone)
		t->ops.dev_gone = dev_gone;
	t->base.ops = &t->ops;
	t->in_full = in_full;
	t->fn = fn;
	t->arg = arg;
	*b = &t->base;
	return 0;
}
