// SPDX-License-Identifier: MIT
/* What each call does: an operation of the backend, within the client's caps. */
#include <errno.h>
#include <string.h>
#include "now.h"
#include "queue.h"
#include "serve/service.h"

static struct kv_backend *backend_of(struct kv_service *s)
{
	return s->space->b;
}

/* What an operation of the backend returned; its text is the backend's. */
static int done(struct kv_service *s, int ret)
{
	if (ret)
		kv_service_refuse(s, ret, "%s", backend_of(s)->err);
	return ret;
}

static int check_persistent(struct kv_service *s, bool persistent)
{
	if (persistent)
		return kv_service_refuse(s, -EPERM,
					 "what a client makes goes when the client goes; it can't be persistent");
	return 0;
}

static int check_dev(struct kv_service *s, const char *dev)
{
	if (strcmp(dev, s->space->dev.name))
		return kv_service_refuse(s, -ENODEV,
					 "the client has chosen the device %s, and no other",
					 s->space->dev.name);
	return 0;
}

static int check_depth(struct kv_service *s, const char *name, uint32_t depth,
		       uint32_t max)
{
	if (depth > max)
		return kv_service_refuse(s, -EDQUOT,
					 "%s is %u; a client may have %u", name,
					 depth, max);
	return 0;
}

static int made(struct kv_service *s, enum kv_type type, int ret, uint64_t bytes)
{
	if (!ret)
		kv_cap_add(s, type, s->out.object.id, bytes);
	return done(s, ret);
}

static int nop(struct kv_service *s)
{
	(void)s;
	return 0;
}

static int info(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->info(b, &s->out.info));
}

static int dev_get(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->dev_get(b, s->space->dev.name, &s->out.dev));
}

static int counters(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->counters(b, s->space->dev.name, &s->out.counters));
}

static int pd_new(struct kv_service *s)
{
	const struct kv_pd_init *init = &s->in.pd_init;
	struct kv_backend *b = backend_of(s);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = check_dev(s, init->dev);
	if (!ret)
		ret = kv_cap_check(s, 0);
	if (ret)
		return ret;
	ret = b->ops->pd_new(b, init, &s->out.object.pd, &s->verb_ns);
	return made(s, KV_PD, ret, 0);
}

static int cq_new(struct kv_service *s)
{
	const struct kv_cq_init *init = &s->in.cq_init;
	struct kv_backend *b = backend_of(s);
	uint64_t bytes = kv_queue_cq_bytes(init->cqe);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = check_dev(s, init->dev);
	if (!ret)
		ret = check_depth(s, "cqe", init->cqe, KV_SERVICE_CQE_MAX);
	if (!ret)
		ret = kv_cap_check(s, bytes);
	if (ret)
		return ret;
	ret = b->ops->cq_new(b, init, &s->out.object.cq, &s->verb_ns);
	return made(s, KV_CQ, ret, bytes);
}

static int mr_new(struct kv_service *s)
{
	const struct kv_mr_init *init = &s->in.mr_init;
	struct kv_backend *b = backend_of(s);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = kv_cap_check(s, init->length);
	if (ret)
		return ret;
	ret = b->ops->mr_new(b, init, &s->out.object.mr, &s->verb_ns);
	return made(s, KV_MR, ret, init->length);
}

static int srq_new(struct kv_service *s)
{
	const struct kv_srq_init *init = &s->in.srq_init;
	struct kv_backend *b = backend_of(s);
	uint64_t bytes = kv_queue_rq_bytes(init->max_wr, init->max_sge);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = check_depth(s, "max_wr", init->max_wr, KV_SERVICE_WR_MAX);
	if (!ret)
		ret = kv_cap_check(s, bytes);
	if (ret)
		return ret;
	ret = b->ops->srq_new(b, init, &s->out.object.srq, &s->verb_ns);
	return made(s, KV_SRQ, ret, bytes);
}

static int ah_new(struct kv_service *s)
{
	const struct kv_ah_init *init = &s->in.ah_init;
	struct kv_backend *b = backend_of(s);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = kv_cap_check(s, 0);
	if (ret)
		return ret;
	ret = b->ops->ah_new(b, init, &s->out.object.ah, &s->verb_ns);
	return made(s, KV_AH, ret, 0);
}

static int qp_new(struct kv_service *s)
{
	const struct kv_qp_init *init = &s->in.qp_init;
	struct kv_backend *b = backend_of(s);
	uint64_t bytes = kv_queue_sq_bytes(init->max_send_wr, init->max_send_sge,
					   init->max_inline) +
			 kv_queue_rq_bytes(init->max_recv_wr, init->max_recv_sge);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = check_depth(s, "max_send_wr", init->max_send_wr,
				  KV_SERVICE_WR_MAX);
	if (!ret)
		ret = check_depth(s, "max_recv_wr", init->max_recv_wr,
				  KV_SERVICE_WR_MAX);
	if (!ret)
		ret = kv_cap_check(s, bytes);
	if (ret)
		return ret;
	ret = b->ops->qp_new(b, init, &s->out.object.qp, &s->verb_ns);
	return made(s, KV_QP, ret, bytes);
}

static int conn_new(struct kv_service *s)
{
	const struct kv_conn_init *init = &s->in.conn_init;
	struct kv_backend *b = backend_of(s);
	int ret;

	ret = check_persistent(s, init->persistent);
	if (!ret)
		ret = check_dev(s, init->dev);
	if (!ret)
		ret = kv_cap_check(s, 0);
	if (ret)
		return ret;
	ret = b->ops->conn_new(b, init, &s->out.object.conn, &s->verb_ns);
	return made(s, KV_CONN, ret, 0);
}

static int get(struct kv_service *s, enum kv_type type)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->get(b, type, s->in.id.id, &s->out.object));
}

/* Also one that went by itself, with its device, is counted no more. */
static int del(struct kv_service *s, enum kv_type type)
{
	struct kv_backend *b = backend_of(s);
	int ret = b->ops->del(b, type, s->in.id.id, &s->verb_ns);

	if (!ret || ret == -ENOENT || ret == -ENODEV)
		kv_cap_remove(s, type, s->in.id.id);
	return done(s, ret);
}

static int mr_reg(struct kv_service *s)
{
	const struct kv_args_mr_reg *in = &s->in.mr_reg;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->mr_reg(b, in->id, &in->reg, &s->out.object.mr,
				      &s->verb_ns));
}

static int mr_inv(struct kv_service *s)
{
	const struct kv_args_mr_inv *in = &s->in.mr_inv;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->mr_inv(b, in->id, in->qp, &s->verb_ns));
}

static int mr_write(struct kv_service *s)
{
	const struct kv_args_range *in = &s->in.range;
	struct kv_backend *b = backend_of(s);

	if (in->length != s->data_length)
		return kv_service_refuse(s, -EBADMSG,
					 "mr_write.length is %u, but %u bytes came",
					 in->length, s->data_length);
	s->data_length = 0;
	return done(s, b->ops->mr_write(b, in->id, in->offset, s->data,
					in->length));
}

static int mr_read(struct kv_service *s)
{
	const struct kv_args_range *in = &s->in.range;
	struct kv_backend *b = backend_of(s);
	int ret = b->ops->mr_read(b, in->id, in->offset, s->data, in->length);

	s->data_length = ret ? 0 : in->length;
	return done(s, ret);
}

/* One that gets deeper counts so before it is, one that gets flatter when it is. */
static int srq_modify(struct kv_service *s)
{
	const struct kv_args_srq_modify *in = &s->in.srq_modify;
	struct kv_srq *srq = &s->out.object.srq;
	struct kv_backend *b = backend_of(s);
	uint64_t before, after;
	int ret;

	if (!in->attr.has_max_wr)
		return done(s, b->ops->srq_modify(b, in->id, &in->attr, srq, &s->verb_ns));
	ret = check_depth(s, "max_wr", in->attr.max_wr, KV_SERVICE_WR_MAX);
	if (ret)
		return ret;
	ret = done(s, b->ops->get(b, KV_SRQ, in->id, &s->out.object));
	if (ret)
		return ret;
	before = kv_queue_rq_bytes(srq->max_wr, srq->max_sge);
	after = kv_queue_rq_bytes(in->attr.max_wr, srq->max_sge);
	ret = kv_cap_resize(s, KV_SRQ, in->id, after > before ? after : before);
	if (ret)
		return ret;
	ret = b->ops->srq_modify(b, in->id, &in->attr, srq, &s->verb_ns);
	kv_cap_resize(s, KV_SRQ, in->id, ret ? before : after);
	return done(s, ret);
}

static int qp_modify(struct kv_service *s)
{
	const struct kv_args_qp_modify *in = &s->in.qp_modify;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->qp_modify(b, in->id, &in->attr, &s->verb_ns));
}

static int conn_listen(struct kv_service *s)
{
	const struct kv_args_listen *in = &s->in.listen;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_listen(b, in->id, &in->src, in->backlog,
					   &s->out.object.conn, &s->verb_ns));
}

static int conn_take(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);
	int ret;

	ret = kv_cap_check(s, 0);
	if (ret)
		return ret;
	ret = b->ops->conn_take(b, s->in.id.id, &s->out.object.conn);
	return made(s, KV_CONN, ret, 0);
}

static int conn_resolve_addr(struct kv_service *s)
{
	const struct kv_args_resolve *in = &s->in.resolve;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_resolve_addr(b, in->id,
						 in->src.ss_family ? &in->src : NULL,
						 &in->dst, in->timeout_ms,
						 &s->verb_ns));
}

static int conn_resolve_route(struct kv_service *s)
{
	const struct kv_args_resolve *in = &s->in.resolve;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_resolve_route(b, in->id, in->timeout_ms,
						  &s->verb_ns));
}

static int conn_connect(struct kv_service *s)
{
	const struct kv_args_conn *in = &s->in.conn;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_connect(b, in->id, &in->param, &s->verb_ns));
}

static int conn_establish(struct kv_service *s)
{
	const struct kv_args_conn *in = &s->in.conn;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_establish(b, in->id, &in->param,
					      &s->verb_ns));
}

static int conn_accept(struct kv_service *s)
{
	const struct kv_args_conn *in = &s->in.conn;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_accept(b, in->id, &in->param, &s->verb_ns));
}

static int conn_reject(struct kv_service *s)
{
	const struct kv_args_reject *in = &s->in.reject;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_reject(b, in->id, in->data, in->length,
					   &s->verb_ns));
}

static int conn_disconnect(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_disconnect(b, s->in.id.id, &s->verb_ns));
}

static int conn_wait(struct kv_service *s)
{
	const struct kv_args_wait *in = &s->in.wait;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->conn_wait(b, in->id, (int)in->timeout_ms));
}

static int post(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->post(b, &s->in.wr, &s->verb_ns));
}

static int poll_cq(struct kv_service *s)
{
	const struct kv_args_poll *in = &s->in.poll;
	struct kv_backend *b = backend_of(s);
	unsigned int n = 0;
	int ret;

	if (!in->max)
		return kv_service_refuse(s, -EBADMSG, "poll.max is 0");
	ret = b->ops->poll(b, in->cq, s->out.poll.wc, in->max, &n, &s->verb_ns);
	s->out.poll.n = n;
	return done(s, ret);
}

static int arm(struct kv_service *s)
{
	const struct kv_args_arm *in = &s->in.arm;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->arm(b, in->cq, in->solicited, &s->out.arm.missed,
				   &s->verb_ns));
}

static int cq_wait(struct kv_service *s)
{
	const struct kv_args_wait *in = &s->in.wait;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->cq_wait(b, in->id, (int)in->timeout_ms));
}

static int event_wait(struct kv_service *s)
{
	uint32_t timeout_ms = s->in.wait.timeout_ms;
	struct kv_backend *b = backend_of(s);
	uint64_t begin = kv_now_ns(), waited_ms;
	int ret;

	for (;;) {
		waited_ms = (kv_now_ns() - begin) / 1000000;
		ret = b->ops->event_wait(b, waited_ms < timeout_ms ?
					    (int)(timeout_ms - waited_ms) : 0,
					 &s->out.event);
		if (ret || kv_cap_concerns(s, &s->out.event))
			return done(s, ret);
		/* Others may have enough to tell for ever. */
		if (waited_ms > KV_CALL_WAIT_MS)
			return kv_service_refuse(s, -EAGAIN, "no event of the client's came");
	}
}

static int run_start(struct kv_service *s)
{
	const struct kv_run_spec *spec = &s->in.spec;
	struct kv_backend *b = backend_of(s);
	uint32_t id = 0;
	int ret;

	ret = kv_cap_check_run(s, spec);
	if (!ret && spec->loop == KVERBS_LOOP_NULL)
		ret = check_dev(s, spec->dev);
	if (ret)
		return ret;
	ret = b->ops->run_start(b, spec, &id);
	if (!ret)
		kv_cap_add_run(s, id);
	s->out.id.id = id;
	return done(s, ret);
}

static int run_wait(struct kv_service *s)
{
	const struct kv_args_wait *in = &s->in.wait;
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->run_wait(b, in->id, (int)in->timeout_ms));
}

static int run_cancel(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->run_cancel(b, s->in.id.id));
}

static int run_peek(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);

	return done(s, b->ops->run_peek(b, s->in.id.id, &s->out.run));
}

static int run_get(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);
	int ret = b->ops->run_get(b, s->in.id.id, &s->out.run);

	if (!ret && kv_call_put_bins(&s->out.run.hist, s->data, &s->data_length))
		return kv_service_refuse(s, -EMSGSIZE, "the histogram has more than %u bins",
					 KV_WIRE_DATA_MAX / KV_CALL_BIN_BYTES);
	return done(s, ret);
}

static int run_del(struct kv_service *s)
{
	struct kv_backend *b = backend_of(s);
	int ret = b->ops->run_del(b, s->in.id.id);

	if (!ret)
		kv_cap_remove_run(s, s->in.id.id);
	return done(s, ret);
}

static int (*const ops[KV_CALLS])(struct kv_service *s) = {
	[KV_CALL_NOP] = nop,
	[KV_CALL_INFO] = info,
	[KV_CALL_DEV_GET] = dev_get,
	[KV_CALL_COUNTERS] = counters,
	[KV_CALL_PD_NEW] = pd_new,
	[KV_CALL_CQ_NEW] = cq_new,
	[KV_CALL_MR_NEW] = mr_new,
	[KV_CALL_SRQ_NEW] = srq_new,
	[KV_CALL_AH_NEW] = ah_new,
	[KV_CALL_QP_NEW] = qp_new,
	[KV_CALL_CONN_NEW] = conn_new,
	[KV_CALL_MR_REG] = mr_reg,
	[KV_CALL_MR_INV] = mr_inv,
	[KV_CALL_MR_WRITE] = mr_write,
	[KV_CALL_MR_READ] = mr_read,
	[KV_CALL_SRQ_MODIFY] = srq_modify,
	[KV_CALL_QP_MODIFY] = qp_modify,
	[KV_CALL_CONN_LISTEN] = conn_listen,
	[KV_CALL_CONN_TAKE] = conn_take,
	[KV_CALL_CONN_RESOLVE_ADDR] = conn_resolve_addr,
	[KV_CALL_CONN_RESOLVE_ROUTE] = conn_resolve_route,
	[KV_CALL_CONN_CONNECT] = conn_connect,
	[KV_CALL_CONN_ESTABLISH] = conn_establish,
	[KV_CALL_CONN_ACCEPT] = conn_accept,
	[KV_CALL_CONN_REJECT] = conn_reject,
	[KV_CALL_CONN_DISCONNECT] = conn_disconnect,
	[KV_CALL_CONN_WAIT] = conn_wait,
	[KV_CALL_POST] = post,
	[KV_CALL_POLL] = poll_cq,
	[KV_CALL_ARM] = arm,
	[KV_CALL_CQ_WAIT] = cq_wait,
	[KV_CALL_EVENT_WAIT] = event_wait,
	[KV_CALL_RUN_START] = run_start,
	[KV_CALL_RUN_WAIT] = run_wait,
	[KV_CALL_RUN_CANCEL] = run_cancel,
	[KV_CALL_RUN_PEEK] = run_peek,
	[KV_CALL_RUN_GET] = run_get,
	[KV_CALL_RUN_DEL] = run_del,
	[KV_CALL_FILE_OPEN] = kv_serve_file_open,
	[KV_CALL_FILE_CREATE] = kv_serve_file_create,
	[KV_CALL_FILE_LOAD] = kv_serve_file_load,
	[KV_CALL_FILE_SAVE] = kv_serve_file_save,
	[KV_CALL_FILE_HASH] = kv_serve_file_hash,
	[KV_CALL_FILE_FINISH] = kv_serve_file_finish,
	[KV_CALL_FILE_CLOSE] = kv_serve_file_close,
};

/**
 * kv_service_run() - carry out a call
 * @s: the service; its in and data have the arguments, its out and data receive
 *	the result
 * @call: which
 *
 * Return: 0 or a negative errno; then s->err has the reason.
 */
int kv_service_run(struct kv_service *s, enum kv_call call)
{
	if (call >= KV_CALL_PD_GET && call <= KV_CALL_CONN_GET)
		return get(s, (enum kv_type)(call - KV_CALL_PD_GET));
	if (call >= KV_CALL_PD_DEL && call <= KV_CALL_CONN_DEL)
		return del(s, (enum kv_type)(call - KV_CALL_PD_DEL));
	return ops[call](s);
}
