// SPDX-License-Identifier: MIT
/* The work of each call: an operation of the backend, within the client's quota. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "model/shape.h"
#include "rules/queue.h"
#include "serve/service.h"
#include "sys/now.h"

/* Takes over the text of a failure from the backend. */
static int done(struct kv_service *s, int ret)
{
	if (ret) {
		kv_fault_set(&s->fault, ret, "%s", s->site->b->err);
		s->failed = s->site->b->failed;
	}
	return ret;
}

static int check_persistent(struct kv_service *s, bool persistent)
{
	if (persistent)
		return kv_fault_set(&s->fault, -EPERM,
				    "an object of a client can't be persistent: it goes with its client");
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

static int call(struct kv_service *s, enum kv_op op)
{
	int ret = kv_op_call(s->site->b, op, &s->in, &s->out, NULL);

	s->times = s->site->b->times;
	return ret;
}

static int made(struct kv_service *s, enum kv_type type, int ret, uint64_t bytes)
{
	if (!ret)
		kv_quota_add(s, type, s->out.object.id, bytes);
	return done(s, ret);
}

/*
 * Counts the bytes of an object's buffer or queues, if the queues are not too deep. Other objects
 * take no memory worth counting.
 */
static int count_bytes(struct kv_service *s, enum kv_type type, uint64_t *bytes)
{
	const struct kv_cq_init *cq = &s->in.cq_new;
	const struct kv_srq_init *srq = &s->in.srq_new;
	const struct kv_qp_init *qp = &s->in.qp_new;

	*bytes = 0;
	switch (type) {
	case KV_BUF:
		*bytes = s->in.buf_new.length;
		return 0;
	case KV_CQ:
		*bytes = kv_queue_cq_bytes(cq->cqe);
		return check_depth(s, "cqe", cq->cqe, KV_SERVICE_CQE_MAX);
	case KV_SRQ:
		*bytes = kv_queue_rq_bytes(srq->max_wr, srq->max_sge);
		return check_depth(s, "max_wr", srq->max_wr, KV_SERVICE_WR_MAX);
	case KV_QP:
		*bytes = kv_queue_sq_bytes(qp->max_send_wr, qp->max_send_sge, qp->max_inline) +
			 kv_queue_rq_bytes(qp->max_recv_wr, qp->max_recv_sge);
		return check_depth(s, "max_send_wr", qp->max_send_wr, KV_SERVICE_WR_MAX) ?:
		       check_depth(s, "max_recv_wr", qp->max_recv_wr, KV_SERVICE_WR_MAX);
	default:
		return 0;
	}
}

static int make(struct kv_service *s, enum kv_type type)
{
	const struct kv_shape *init = kv_object_rows[type].init;
	const char *in = (const char *)&s->in;
	const struct kv_member *dev = kv_member_find(init, "dev");
	const struct kv_member *persistent = kv_member_find(init, "persistent");
	uint64_t bytes;
	int ret = count_bytes(s, type, &bytes) ?:
		  check_persistent(s, *(const bool *)(in + persistent->offset));

	if (!ret && dev)
		ret = check_dev(s, *(const char *const *)(in + dev->offset));
	return ret ?: kv_quota_check(s, bytes) ?:
	       made(s, type, call(s, KV_OP_PD_NEW + type), bytes);
}

/* An object that went with its device is not counted any more, either. */
static int del(struct kv_service *s, enum kv_op op, enum kv_type type)
{
	int ret = call(s, op);

	if (!ret || ret == -ENOENT || ret == -ENODEV)
		kv_quota_remove(s, type, s->in.id.id);
	return done(s, ret);
}

static int buf_write(struct kv_service *s)
{
	struct kv_buf_data *in = &s->in.buf_write;

	if (in->length != s->data_length)
		return kv_fault_set(&s->fault, -EBADMSG,
				    "buf_write.length is %" PRIu64 ", but %u bytes came",
				    in->length, s->data_length);
	s->data_length = 0;
	in->from = s->data;
	return done(s, call(s, KV_OP_BUF_WRITE));
}

static int buf_read(struct kv_service *s)
{
	struct kv_buf_data *in = &s->in.buf_read;
	int ret;

	if (in->length > KV_WIRE_DATA_MAX)
		return kv_fault_set(&s->fault, -EBADMSG, "buf_read.length is %" PRIu64 ", not 0 .. %u",
				    in->length, KV_WIRE_DATA_MAX);
	in->into = s->data;
	ret = call(s, KV_OP_BUF_READ);
	s->data_length = ret ? 0 : (uint32_t)in->length;
	return done(s, ret);
}

/* A deeper queue is counted before the device makes it, a shallower queue afterwards. */
static int srq_modify(struct kv_service *s)
{
	const struct kv_srq_attr *in = &s->in.srq_modify;
	const struct kv_srq *srq = &s->out.object.srq;
	uint64_t before, after;
	int ret;

	if (!in->has_max_wr)
		return done(s, call(s, KV_OP_SRQ_MODIFY));
	ret = check_depth(s, "max_wr", in->max_wr, KV_SERVICE_WR_MAX) ?:
	      done(s, kv_op_get(s->site->b, KV_SRQ, in->id, &s->out.object));
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

static int conn_get_request(struct kv_service *s)
{
	return kv_quota_check(s, 0) ?: made(s, KV_CONN, call(s, KV_OP_CONN_GET_REQUEST), 0);
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

static int event_wait(struct kv_service *s)
{
	int32_t timeout_ms = s->in.event_wait.timeout_ms;
	uint64_t begin = kv_now_ns(), waited_ms;
	struct kv_wait wait = { .id = 0 };
	int ret;

	for (;;) {
		waited_ms = (kv_now_ns() - begin) / 1000000;
		wait.timeout_ms = waited_ms < (uint64_t)timeout_ms ?
				  timeout_ms - (int32_t)waited_ms : 0;
		ret = kv_op_event_wait(s->site->b, &wait, &s->out.event_wait, NULL);
		if (ret || kv_quota_concerns(s, &s->out.event_wait))
			return done(s, ret);
		/* Events of other processes' objects could keep this loop going for ever. */
		if (waited_ms > KV_CALL_WAIT_MS)
			return kv_fault_set(&s->fault, -EAGAIN, "no event of the client's came");
	}
}

static int run_start(struct kv_service *s)
{
	const struct kv_run_spec *spec = &s->in.run_start.spec;
	int ret = kv_quota_check_run(s, spec);

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

/* Calls that need more than their operation. */
static int (*const hooks[KV_CALLS])(struct kv_service *s) = {
	[KV_CALL_BUF_WRITE] = buf_write,
	[KV_CALL_BUF_READ] = buf_read,
	[KV_CALL_SRQ_MODIFY] = srq_modify,
	[KV_CALL_CONN_GET_REQUEST] = conn_get_request,
	[KV_CALL_CQ_POLL] = poll_cq,
	[KV_CALL_EVENT_WAIT] = event_wait,
	[KV_CALL_RUN_START] = run_start,
	[KV_CALL_RUN_GET] = run_get,
	[KV_CALL_RUN_DEL] = run_del,
};

/**
 * kv_service_run() - carry out a call
 * @s: the service; in and data hold the arguments, out and data receive
 *	the result
 * @which: the call, one that has a row
 *
 * Return: 0 or a negative errno; then s->fault has the reason.
 */
int kv_service_run(struct kv_service *s, enum kv_call which)
{
	const struct kv_call_row *row = &kv_call_rows[which];
	enum kv_op op = (enum kv_op)which;
	int ret = 0;

	if (row->args == &kv_shape_dev_name || row->args == &kv_shape_dev_port)
		ret = check_dev(s, s->in.dev_get.dev);
	else if (row->args == &kv_shape_wait)
		ret = check_wait(s, row->name, &s->in.run_wait);
	if (ret || which == KV_CALL_NOP)
		return ret;
	if (hooks[which])
		return hooks[which](s);
	if (which >= KV_CALL_FILE_OPEN && which <= KV_CALL_FILE_CLOSE)
		return kv_serve_file_call(s, which);
	if (op >= KV_OP_PD_NEW && op < KV_OP_PD_NEW + KV_TYPES)
		return make(s, (enum kv_type)(op - KV_OP_PD_NEW));
	if (op >= KV_OP_PD_DEL && op < KV_OP_PD_DEL + KV_TYPES)
		return del(s, op, row->about);
	return done(s, call(s, op));
}
