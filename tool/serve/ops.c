// SPDX-License-Identifier: MIT
/* What each call does: an operation of the backend, within the client's quota. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "model/shape.h"
#include "queue.h"
#include "serve/service.h"
#include "sys/now.h"

static struct kv_backend *backend_of(struct kv_service *s)
{
	return s->site->b;
}

/* Takes the text of a failure over from the backend. */
static int done(struct kv_service *s, int ret)
{
	if (ret)
		kv_fault_set(&s->fault, ret, "%s", backend_of(s)->err);
	return ret;
}

static int check_persistent(struct kv_service *s, bool persistent)
{
	if (persistent)
		return kv_fault_set(&s->fault, -EPERM,
					 "what a client makes goes when the client goes; it can't be persistent");
	return 0;
}

static int check_dev(struct kv_service *s, const char *dev)
{
	if (strcmp(dev, s->site->dev.name))
		return kv_fault_set(&s->fault, -ENODEV,
					 "the client has chosen the device %s, and no other",
					 s->site->dev.name);
	return 0;
}

static int check_depth(struct kv_service *s, const char *name, uint32_t depth, uint32_t max)
{
	if (depth > max)
		return kv_fault_set(&s->fault, -EDQUOT, "%s is %u; a client may have %u", name,
					 depth, max);
	return 0;
}

/* The operation itself. */
static int call(struct kv_service *s, enum kv_op op)
{
	return kv_op_call(backend_of(s), op, &s->in, &s->out, &s->verb_ns);
}

static int made(struct kv_service *s, enum kv_type type, int ret, uint64_t bytes)
{
	if (!ret)
		kv_quota_add(s, type, s->out.object.id, bytes);
	return done(s, ret);
}

/* Makes an object that takes @bytes. @dev: NULL if its parent has the device. */
static int make(struct kv_service *s, enum kv_type type, const char *dev, bool persistent,
		uint64_t bytes)
{
	int ret;

	ret = check_persistent(s, persistent);
	if (!ret && dev)
		ret = check_dev(s, dev);
	if (!ret)
		ret = kv_quota_check(s, bytes);
	return ret ? ret : made(s, type, call(s, KV_OP_PD_NEW + type), bytes);
}

static int dev_get(struct kv_service *s)
{
	int ret = check_dev(s, s->in.dev_get.dev);

	return ret ? ret : done(s, call(s, KV_OP_DEV_GET));
}

static int counters(struct kv_service *s)
{
	int ret = check_dev(s, s->in.counters.dev);

	return ret ? ret : done(s, call(s, KV_OP_COUNTERS));
}

/* A new object of a type that takes no memory worth counting. */
static int make_small(struct kv_service *s, enum kv_type type)
{
	const struct kv_shape *init = kv_object_rows[type].init;
	const char *in = (const char *)&s->in;
	const struct kv_member *dev = kv_member_find(init, "dev");
	const struct kv_member *persistent = kv_member_find(init, "persistent");

	return make(s, type, dev ? *(const char *const *)(in + dev->offset) : NULL,
		    *(const bool *)(in + persistent->offset), 0);
}

static int cq_new(struct kv_service *s)
{
	const struct kv_cq_init *init = &s->in.cq_new;
	int ret;

	ret = check_depth(s, "cqe", init->cqe, KV_SERVICE_CQE_MAX);
	return ret ? ret : make(s, KV_CQ, init->dev, init->persistent,
				kv_queue_cq_bytes(init->cqe));
}

static int mr_new(struct kv_service *s)
{
	return make(s, KV_MR, NULL, s->in.mr_new.persistent, s->in.mr_new.length);
}

static int srq_new(struct kv_service *s)
{
	const struct kv_srq_init *init = &s->in.srq_new;
	int ret;

	ret = check_depth(s, "max_wr", init->max_wr, KV_SERVICE_WR_MAX);
	return ret ? ret : make(s, KV_SRQ, NULL, init->persistent,
				kv_queue_rq_bytes(init->max_wr, init->max_sge));
}

static int qp_new(struct kv_service *s)
{
	const struct kv_qp_init *init = &s->in.qp_new;
	uint64_t bytes = kv_queue_sq_bytes(init->max_send_wr, init->max_send_sge,
					   init->max_inline) +
			 kv_queue_rq_bytes(init->max_recv_wr, init->max_recv_sge);
	int ret;

	ret = check_depth(s, "max_send_wr", init->max_send_wr, KV_SERVICE_WR_MAX);
	if (!ret)
		ret = check_depth(s, "max_recv_wr", init->max_recv_wr, KV_SERVICE_WR_MAX);
	return ret ? ret : make(s, KV_QP, NULL, init->persistent, bytes);
}

/* An object that went with its device is not counted any more, either. */
static int del(struct kv_service *s, enum kv_op op, enum kv_type type)
{
	int ret = call(s, op);

	if (!ret || ret == -ENOENT || ret == -ENODEV)
		kv_quota_remove(s, type, s->in.id.id);
	return done(s, ret);
}

static int mr_write(struct kv_service *s)
{
	struct kv_mr_write *in = &s->in.mr_write;

	if (in->length != s->data_length)
		return kv_fault_set(&s->fault, -EBADMSG,
					 "mr_write.length is %" PRIu64 ", but %u bytes came",
					 in->length, s->data_length);
	s->data_length = 0;
	in->data = s->data;
	return done(s, call(s, KV_OP_MR_WRITE));
}

static int mr_read(struct kv_service *s)
{
	struct kv_mr_read *in = &s->in.mr_read;
	int ret;

	if (in->length > KV_WIRE_DATA_MAX)
		return kv_fault_set(&s->fault, -EBADMSG, "mr_read.length is %" PRIu64 ", not 0 .. %u",
					 in->length, KV_WIRE_DATA_MAX);
	in->data = s->data;
	ret = call(s, KV_OP_MR_READ);
	s->data_length = ret ? 0 : (uint32_t)in->length;
	return done(s, ret);
}

/* A deeper queue is counted before the device makes it, a shallower one afterwards. */
static int srq_modify(struct kv_service *s)
{
	const struct kv_srq_attr *in = &s->in.srq_modify;
	const struct kv_srq *srq = &s->out.object.srq;
	uint64_t before, after;
	int ret;

	if (!in->has_max_wr)
		return done(s, call(s, KV_OP_SRQ_MODIFY));
	ret = check_depth(s, "max_wr", in->max_wr, KV_SERVICE_WR_MAX);
	if (ret)
		return ret;
	ret = done(s, kv_op_get(backend_of(s), KV_SRQ, in->id, &s->out.object));
	if (ret)
		return ret;
	before = kv_queue_rq_bytes(srq->max_wr, srq->max_sge);
	after = kv_queue_rq_bytes(in->max_wr, srq->max_sge);
	ret = kv_quota_resize(s, KV_SRQ, in->id, after > before ? after : before);
	if (ret)
		return ret;
	ret = call(s, KV_OP_SRQ_MODIFY);
	kv_quota_resize(s, KV_SRQ, in->id, ret ? before : after);
	return done(s, ret);
}

static int conn_take(struct kv_service *s)
{
	int ret = kv_quota_check(s, 0);

	return ret ? ret : made(s, KV_CONN, call(s, KV_OP_CONN_TAKE), 0);
}

static int poll_cq(struct kv_service *s)
{
	if (!s->in.cq_poll.max)
		return kv_fault_set(&s->fault, -EBADMSG, "cq_poll.max is 0");
	return done(s, call(s, KV_OP_CQ_POLL));
}

/* A longer wait takes several calls. */
static int check_wait(struct kv_service *s, const char *name, const struct kv_wait *in)
{
	if (in->timeout_ms < 0 || in->timeout_ms > KV_CALL_WAIT_MS)
		return kv_fault_set(&s->fault, -EBADMSG, "%s.timeout_ms is %d, not 0 .. %d", name,
					 in->timeout_ms, KV_CALL_WAIT_MS);
	return 0;
}

#define WAIT(NAME, name)						\
	static int name(struct kv_service *s)				\
	{								\
		int ret = check_wait(s, #name, &s->in.name);		\
									\
		return ret ? ret : done(s, call(s, KV_OP_##NAME));	\
	}

WAIT(CONN_WAIT, conn_wait)
WAIT(CQ_WAIT, cq_wait)
WAIT(RUN_WAIT, run_wait)

static int event_wait(struct kv_service *s)
{
	int32_t timeout_ms = s->in.event_wait.timeout_ms;
	uint64_t begin = kv_now_ns(), waited_ms;
	struct kv_wait wait = { .id = 0 };
	int ret;

	ret = check_wait(s, "event_wait", &s->in.event_wait);
	if (ret)
		return ret;
	for (;;) {
		waited_ms = (kv_now_ns() - begin) / 1000000;
		wait.timeout_ms = waited_ms < (uint64_t)timeout_ms ?
				  timeout_ms - (int32_t)waited_ms : 0;
		ret = kv_op_event_wait(backend_of(s), &wait, &s->out.event_wait, NULL);
		if (ret || kv_quota_concerns(s, &s->out.event_wait))
			return done(s, ret);
		/* Events of other processes' objects could keep this going for ever. */
		if (waited_ms > KV_CALL_WAIT_MS)
			return kv_fault_set(&s->fault, -EAGAIN, "no event of the client's came");
	}
}

static int run_start(struct kv_service *s)
{
	const struct kv_run_spec *spec = &s->in.run_start;
	int ret;

	ret = kv_quota_check_run(s, spec);
	if (!ret && spec->loop == KVERBS_LOOP_NULL)
		ret = check_dev(s, spec->dev);
	if (ret)
		return ret;
	ret = call(s, KV_OP_RUN_START);
	if (!ret)
		kv_quota_add(s, KV_QUOTA_RUN, s->out.run_start.id, 0);
	return done(s, ret);
}

static int run_get(struct kv_service *s)
{
	int ret = call(s, KV_OP_RUN_GET);

	if (!ret && kv_call_put_bins(&s->out.run_get.hist, s->data, &s->data_length))
		return kv_fault_set(&s->fault, -EMSGSIZE, "the histogram has more than %u bins",
					 KV_WIRE_DATA_MAX / (unsigned int)sizeof(struct kverbs_bin));
	return done(s, ret);
}

static int run_del(struct kv_service *s)
{
	int ret = call(s, KV_OP_RUN_DEL);

	if (!ret)
		kv_quota_remove(s, KV_QUOTA_RUN, s->in.run_del.id);
	return done(s, ret);
}

static int nop(struct kv_service *s)
{
	return 0;
}

/* Calls that need more than their operation. */
static int (*const hooks[KV_CALLS])(struct kv_service *s) = {
	[KV_CALL_DEV_GET] = dev_get,
	[KV_CALL_COUNTERS] = counters,
	[KV_CALL_CQ_NEW] = cq_new,
	[KV_CALL_MR_NEW] = mr_new,
	[KV_CALL_SRQ_NEW] = srq_new,
	[KV_CALL_QP_NEW] = qp_new,
	[KV_CALL_MR_WRITE] = mr_write,
	[KV_CALL_MR_READ] = mr_read,
	[KV_CALL_SRQ_MODIFY] = srq_modify,
	[KV_CALL_CONN_TAKE] = conn_take,
	[KV_CALL_CQ_POLL] = poll_cq,
	[KV_CALL_CONN_WAIT] = conn_wait,
	[KV_CALL_CQ_WAIT] = cq_wait,
	[KV_CALL_EVENT_WAIT] = event_wait,
	[KV_CALL_RUN_WAIT] = run_wait,
	[KV_CALL_RUN_START] = run_start,
	[KV_CALL_RUN_GET] = run_get,
	[KV_CALL_RUN_DEL] = run_del,
	[KV_CALL_NOP] = nop,
};

/**
 * kv_service_run() - carry out a call
 * @s: the service; its in and data have the arguments, its out and data receive
 *	the result
 * @which: the call, one that has a row
 *
 * Return: 0 or a negative errno; then s->fault has the reason.
 */
int kv_service_run(struct kv_service *s, enum kv_call which)
{
	enum kv_op op = (enum kv_op)which;

	if (hooks[which])
		return hooks[which](s);
	if (which >= KV_CALL_FILE_OPEN && which <= KV_CALL_FILE_CLOSE)
		return kv_serve_file_call(s, which);
	if (op >= KV_OP_PD_NEW && op < KV_OP_PD_NEW + KV_TYPES)
		return make_small(s, (enum kv_type)(op - KV_OP_PD_NEW));
	if (op >= KV_OP_PD_DEL && op < KV_OP_PD_DEL + KV_TYPES)
		return del(s, op, kv_call_rows[which].about);
	return done(s, call(s, op));
}
