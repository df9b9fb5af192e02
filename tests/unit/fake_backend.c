// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sys/clock.h"
#include "fake_backend.h"
#include "cli/interrupt.h"
#include "rules/buf.h"
#include "rules/qp_table.h"
#include "rules/request.h"
#include "model/shape.h"
#include "out/devices.h"

struct object {
	bool used;
	union kv_object o;
	uint8_t *bytes; /* of a buffer, FAKE_BYTES */
};

struct fake {
	struct kv_backend base; /* first */
	struct object object[KV_TYPES][FAKE_MAX];
	struct kv_wc wc[FAKE_MAX];
	unsigned int wcs;
};

struct fake_world fake_world;

void fake_world_reset(void)
{
	memset(&fake_world, 0, sizeof(fake_world));
	fake_world.fail_state = -1;
}

static struct fake *fake_of(struct kv_backend *b)
{
	return (struct fake *)b;
}

static void close_backend(struct kv_backend *b)
{
	struct fake *fake = fake_of(b);

	for (int t = 0; t < KV_TYPES; t++) {
		for (int i = 0; i < FAKE_MAX; i++) {
			fake_world.objects -= fake->object[t][i].used;
			free(fake->object[t][i].bytes);
		}
	}
	fake_world.open--;
	fake_run_forget();
	free(fake);
}

/* Port 1 has 10.0.0.1, port 2 10.0.0.2, another LID and a smaller MTU. */
static void fill_port(struct kv_port *port, uint32_t number)
{
	port->number = number;
	if (fake_world.broken_port == number) {
		port->error = EIO;
		return;
	}
	port->state = 4;
	port->active_mtu = number == 1 ? 1024 : 512;
	port->max_msg_bytes = 1U << 31;
	port->lid = number == 1 ? 0 : 7;
	port->gids = 2;
	port->gid[0].type = KVERBS_GID_ROCE_V2;
	port->gid[0].raw[0] = 0xfe;
	port->gid[0].raw[1] = 0x80;
	port->gid[1].index = 1;
	port->gid[1].type = KVERBS_GID_ROCE_V2;
	memcpy(port->gid[1].raw, (const uint8_t[16]){ [10] = 0xff, 0xff, 10, 0, 0, (uint8_t)number },
	       16);
}

/* All that there is room for. */
static void enlarge(struct kv_dev *dev)
{
	dev->ports = KV_PORTS_MAX + 1;
	dev->listed = KV_PORTS_MAX;
	for (uint32_t i = 0; i < KV_PORTS_MAX; i++) {
		fill_port(&dev->port[i], i + 1);
		dev->port[i].gids = KV_GIDS_MAX;
		for (uint32_t g = 0; g < KV_GIDS_MAX; g++) {
			dev->port[i].gid[g].index = g;
			dev->port[i].gid[g].raw[14] = (uint8_t)g;
			dev->port[i].gid[g].raw[15] = (uint8_t)i;
			strcpy(dev->port[i].gid[g].netdev, "123456789012345");
		}
	}
}

int fake_dev_get(struct kv_backend *b, const struct kv_dev_name *in, struct kv_dev *dev)
{
	const char *name = in->dev;

	if (strcmp(name, "rxe0"))
		return kv_backend_fail(b, -ENODEV, "no device '%s'", name);
	memset(dev, 0, sizeof(*dev));
	strcpy(dev->name, "rxe0");
	dev->caps = KVERBS_CAP__ALL;
	dev->max_qp_init_rd_atom = 16;
	dev->ports = 2;
	dev->listed = 2;
	for (unsigned int i = 0; i < dev->listed; i++)
		fill_port(&dev->port[i], i + 1);
	if (fake_world.large_dev)
		enlarge(dev);
	return 0;
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_dev dev;

	kv_op_dev_get(b, &(struct kv_dev_name){ "rxe0" }, &dev, NULL);
	return fn(&dev, arg);
}

int fake_flush(struct kv_backend *b, const struct kv_none *in, struct kv_flushed *out)
{
	out->flushed = 3;
	out->busy = 1;
	return 0;
}

static struct object *find(struct kv_backend *b, enum kv_type type,
			   uint32_t id)
{
	struct object *o = &fake_of(b)->object[type][id % FAKE_MAX];

	if (id && id < FAKE_MAX && o->used)
		return o;
	b->refused = kv_object_rows[type].shape->member;
	b->refused_value = id;
	kv_backend_fail(b, -ENOENT, "no %s with id %u", kv_enum_name(kv_enum_type, type),
	       id);
	return NULL;
}

static struct object *make(struct kv_backend *b, enum kv_type type,
			   bool persistent)
{
	struct object *o;

	for (uint32_t id = 1; id < FAKE_MAX; id++) {
		o = &fake_of(b)->object[type][id];
		if (o->used)
			continue;
		o->used = true;
		o->o.id = id;
		strcpy(o->o.pd.dev, "rxe0");
		o->o.pd.persistent = persistent;
		fake_world.objects++;
		return o;
	}
	kv_backend_fail(b, -EDQUOT, "the array is full");
	return NULL;
}

union kv_object *fake_find(struct kv_backend *b, enum kv_type type,
			   uint32_t id)
{
	struct object *o = find(b, type, id);

	return o ? &o->o : NULL;
}

union kv_object *fake_make(struct kv_backend *b, enum kv_type type,
			   bool persistent)
{
	struct object *o = make(b, type, persistent);

	return o ? &o->o : NULL;
}

/* The part that all six have in common; @known: 0, or an id that must exist. */
#define MAKE(type, member, parent, known)				\
	struct object *o;						\
									\
	if ((known) && !find(b, parent, known))				\
		return -ENOENT;						\
	o = make(b, type, init->persistent);				\
	if (!o)								\
		return -EDQUOT;						\
	b->times.verb_ns = 1000

int fake_pd_new(struct kv_backend *b, const struct kv_pd_init *init, struct kv_pd *pd)
{
	MAKE(KV_PD, pd, KV_PD, 0);
	o->o.pd.local_dma_lkey = 0x1234;
	*pd = o->o.pd;
	return 0;
}

int fake_cq_new(struct kv_backend *b, const struct kv_cq_init *init, struct kv_cq *cq)
{
	MAKE(KV_CQ, cq, KV_PD, 0);
	o->o.cq.cqe = init->cqe;
	o->o.cq.context = init->context;
	*cq = o->o.cq;
	return 0;
}

int fake_buf_new(struct kv_backend *b, const struct kv_buf_init *init, struct kv_buf *buf)
{
	MAKE(KV_BUF, buf, KV_PD, 0);
	o->bytes = calloc(1, FAKE_BYTES);
	o->o.buf.length = init->length;
	o->o.buf.pieces = init->pieces ? init->pieces : 1;
	*buf = o->o.buf;
	return 0;
}

int fake_mr_new(struct kv_backend *b, const struct kv_mr_init *init, struct kv_mr *mr)
{
	MAKE(KV_MR, mr, KV_PD, init->pd);
	o->o.mr.pd = init->pd;
	o->o.mr.max_pages = init->max_pages ? init->max_pages : 256;
	*mr = o->o.mr;
	return 0;
}

int fake_srq_new(struct kv_backend *b, const struct kv_srq_init *init, struct kv_srq *srq)
{
	MAKE(KV_SRQ, srq, KV_PD, init->pd);
	o->o.srq.pd = init->pd;
	o->o.srq.max_wr = init->max_wr;
	o->o.srq.max_sge = init->max_sge;
	o->o.srq.limit = init->limit;
	*srq = o->o.srq;
	return 0;
}

int fake_ah_new(struct kv_backend *b, const struct kv_ah_init *init, struct kv_ah *ah)
{
	MAKE(KV_AH, ah, KV_PD, init->pd);
	o->o.ah.pd = init->pd;
	o->o.ah.port = init->port;
	o->o.ah.av = init->av;
	*ah = o->o.ah;
	return 0;
}

int fake_qp_new(struct kv_backend *b, const struct kv_qp_init *init, struct kv_qp *qp)
{
	MAKE(KV_QP, qp, KV_PD, init->pd);
	o->o.qp.pd = init->pd;
	o->o.qp.type = init->type;
	o->o.qp.send_cq = init->send_cq;
	o->o.qp.recv_cq = init->recv_cq;
	o->o.qp.srq = init->srq;
	o->o.qp.max_send_wr = init->max_send_wr;
	o->o.qp.max_recv_wr = init->max_recv_wr;
	o->o.qp.max_send_sge = init->max_send_sge;
	o->o.qp.max_recv_sge = init->max_recv_sge;
	o->o.qp.max_inline = init->max_inline;
	o->o.qp.sq_sig_all = init->sq_sig_all;
	o->o.qp.qpn = 16 + o->o.id;
	o->o.qp.attr.mask = KV_QPA_STATE;
	o->o.qp.attr.state = KVERBS_QPS_RESET;
	*qp = o->o.qp;
	return 0;
}

int fake_get(struct kv_backend *b, enum kv_type type, uint32_t id, union kv_object *object)
{
	struct object *o = find(b, type, id);

	if (!o)
		return -ENOENT;
	*object = o->o;
	return 0;
}

static int each(struct kv_backend *b, enum kv_type type,
		int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	int ret = 0;

	for (uint32_t id = 1; id < FAKE_MAX && !ret; id++) {
		if (fake_of(b)->object[type][id].used)
			ret = fn(&fake_of(b)->object[type][id].o, arg);
	}
	if (!ret && fake_world.lists_changing) {
		fake_world.lists_changing--;
		return kv_backend_fail(b, -EINTR, "changed meanwhile");
	}
	return ret;
}

int fake_del(struct kv_backend *b, enum kv_type type, uint32_t id)
{
	struct object *o = find(b, type, id);

	if (!o)
		return -ENOENT;
	if (fake_world.in_use)
		return kv_backend_fail(b, -EBUSY, "used by what nobody sees");
	b->times.verb_ns = 500;
	free(o->bytes);
	memset(o, 0, sizeof(*o));
	fake_world.objects--;
	return 0;
}

int fake_mr_reg(struct kv_backend *b, const struct kv_mr_reg *reg, struct kv_mr *mr)
{
	struct object *o = find(b, KV_MR, reg->id);

	if (!o)
		return -ENOENT;
	b->times.verb_ns = 2000;
	o->o.mr.registered = true;
	o->o.mr.buf = reg->buf;
	o->o.mr.access = reg->access;
	o->o.mr.offset = reg->offset;
	o->o.mr.length = reg->length;
	o->o.mr.lkey = 0x100 + reg->id;
	o->o.mr.rkey = 0x200 + reg->id;
	o->o.mr.iova = 0xffff888000000000 + reg->offset;
	*mr = o->o.mr;
	return 0;
}

int fake_mr_inv(struct kv_backend *b, const struct kv_mr_inv *in, struct kv_none *out)
{
	struct object *o = find(b, KV_MR, in->id);

	if (!o)
		return -ENOENT;
	b->times.verb_ns = 1500;
	o->o.mr.registered = false;
	return 0;
}

static int check_range(struct kv_backend *b, const struct object *o,
		       uint64_t offset, uint64_t length)
{
	struct kv_refusal why;

	if (kv_buf_check_length(length, &why))
		return kv_backend_fail(b, why.error, "%s", why.text);
	if (offset <= o->o.buf.length && length <= o->o.buf.length - offset &&
	    o->o.buf.length <= FAKE_BYTES)
		return 0;
	return kv_backend_fail(b, -EINVAL, "beyond the buffer");
}

int fake_buf_write(struct kv_backend *b, const struct kv_buf_data *in, struct kv_none *out)
{
	struct object *o = find(b, KV_BUF, in->id);
	int ret;

	if (!o)
		return -ENOENT;
	ret = check_range(b, o, in->offset, in->length);
	if (ret)
		return ret;
	memcpy(o->bytes + in->offset, in->from, in->length);
	return 0;
}

int fake_buf_read(struct kv_backend *b, const struct kv_buf_data *in, struct kv_none *out)
{
	struct object *o = find(b, KV_BUF, in->id);
	int ret;

	if (!o)
		return -ENOENT;
	ret = check_range(b, o, in->offset, in->length);
	if (ret)
		return ret;
	memcpy(in->into, o->bytes + in->offset, in->length);
	return 0;
}

int fake_qp_attach(struct kv_backend *b, const struct kv_qp_attach *in, struct kv_none *out)
{
	return -EOPNOTSUPP;
}

int fake_qp_detach(struct kv_backend *b, const struct kv_qp_detach *in, struct kv_none *out)
{
	return -EOPNOTSUPP;
}

int fake_srq_modify(struct kv_backend *b, const struct kv_srq_attr *attr, struct kv_srq *srq)
{
	struct object *o = find(b, KV_SRQ, attr->id);

	if (!o)
		return -ENOENT;
	b->times.verb_ns = 700;
	if (attr->has_limit)
		o->o.srq.limit = attr->limit;
	if (attr->has_max_wr)
		o->o.srq.max_wr = attr->max_wr;
	*srq = o->o.srq;
	return 0;
}

int fake_qp_modify(struct kv_backend *b, const struct kv_qp_modify *in, struct kv_none *out)
{
	const struct kv_qp_attr *attr = &in->attr;
	struct object *o = find(b, KV_QP, in->id);
	struct kv_refusal wrong;
	uint32_t mask;

	if (!o)
		return -ENOENT;
	if (fake_world.refuse)
		return kv_backend_fail(b, -EINVAL, "%s", fake_world.refuse);
	if (kv_qp_table_check(o->o.qp.type, o->o.qp.attr.state, attr->state,
			      attr->mask, &wrong))
		return kv_backend_fail(b, -EINVAL, "%s", wrong.text);
	b->times.verb_ns = 3000;
	b->times.stage_ns[KVERBS_STAGE_RESOLVE] = attr->mask & KV_QPA_AV ? 1800 : 0;
	b->times.stage_ns[KVERBS_STAGE_MODIFY] = 3000 - b->times.stage_ns[KVERBS_STAGE_RESOLVE];
	if ((int)attr->state == fake_world.fail_state) {
		b->failed = KVERBS_STAGE_MODIFY;
		return kv_backend_fail(b, -EIO, "the device does not like it");
	}
	mask = o->o.qp.attr.mask | attr->mask;
	o->o.qp.attr = *attr;
	o->o.qp.attr.mask = mask;
	return 0;
}

static void complete(struct fake *fake, uint32_t qp, const struct kv_wr *wr)
{
	struct kv_wc *wc = &fake->wc[fake->wcs++];

	memset(wc, 0, sizeof(*wc));
	wc->wr_id = wr->wr_id;
	wc->op = kv_op_completion(wr->op);
	wc->qp = qp;
	/* A peer that is not there is tried in vain. */
	wc->status = wr->has_remote && wr->remote_key == 0xdead ? 10 : 0;
	wc->vendor_err = wc->status ? 0x88 : 0;
	wc->has_length = wr->op == KVERBS_OP_RECV;
	wc->length = wr->sges ? wr->sge[0].length : 0;
	wc->has_imm = wr->has_imm;
	wc->imm = wr->imm;
	wc->has_inv = wr->has_inv;
	wc->invalidate_rkey = wr->invalidate_rkey;
}

int fake_wr_post(struct kv_backend *b, const struct kv_post *in, struct kv_posted *out)
{
	struct fake *fake = fake_of(b);

	if (in->qp && !find(b, KV_QP, in->qp))
		return -ENOENT;
	if (fake->wcs + in->wrs > FAKE_MAX)
		return kv_backend_fail(b, -ENOMEM, "the queue is full");
	b->failed = fake_world.failed;
	if (fake_world.refusal)
		return kv_backend_fail(b, -EINVAL, "%s", fake_world.refusal);
	b->times.verb_ns = 900;
	*out = (struct kv_posted){ .posted = in->wrs };
	if (fake_world.posted && fake_world.posted < in->wrs)
		*out = (struct kv_posted){ .posted = fake_world.posted, .error = -ENOMEM };
	for (uint32_t i = 0; i < out->posted; i++)
		if (!(in->wr[i].flags & KVERBS_WR_UNSIGNALED))
			complete(fake, in->qp, &in->wr[i]);
	return 0;
}

int fake_cq_poll(struct kv_backend *b, const struct kv_cq_poll *in, struct kv_polled *out)
{
	struct fake *fake = fake_of(b);

	if (!find(b, KV_CQ, in->id))
		return -ENOENT;
	b->times.verb_ns = 100;
	out->n = fake->wcs < in->max ? fake->wcs : in->max;
	if (fake_world.late_polls) {
		fake_world.late_polls--;
		out->n = 0;
	}
	memcpy(out->wc, fake->wc, out->n * sizeof(out->wc[0]));
	memmove(fake->wc, fake->wc + out->n, (fake->wcs - out->n) * sizeof(out->wc[0]));
	fake->wcs -= out->n;
	return 0;
}

int fake_cq_arm(struct kv_backend *b, const struct kv_cq_arm *in, struct kv_armed *out)
{
	if (!find(b, KV_CQ, in->id))
		return -ENOENT;
	out->missed = false;
	b->times.verb_ns = 200;
	return 0;
}

static void count_wait(int timeout_ms)
{
	fake_world.waits++;
	if (fake_world.longest_ms < timeout_ms)
		fake_world.longest_ms = timeout_ms;
}

int fake_cq_wait(struct kv_backend *b, const struct kv_wait *in, struct kv_none *out)
{
	count_wait(in->timeout_ms);
	return fake_of(b)->wcs ? 0 : -EAGAIN;
}

int fake_event_wait(struct kv_backend *b, const struct kv_wait *in, struct kv_event *event)
{
	count_wait(in->timeout_ms);
	/* It would never end. */
	if (kv_interrupt_seen())
		abort();
	if (!fake_world.event.type)
		return -EAGAIN;
	if (fake_world.signal)
		raise(fake_world.signal);
	*event = fake_world.event;
	memset(&fake_world.event, 0, sizeof(fake_world.event));
	return 0;
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	switch (op) {
#define OP(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return fake_##name(b, in, out);
#define GET(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return fake_get(b, about, ((const struct kv_id *)in)->id, out);
#define DEL(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return fake_del(b, about, ((const struct kv_id *)in)->id);
#include "model/ops.def"
	case KV_OPS:
		break;
	}
	return -EOPNOTSUPP;
}

#define OPS(name)							\
	static const struct kv_backend_ops name##_ops = {		\
		.space = #name, .close = close_backend,			\
		.call = call, .dev_each = dev_each, .each = each, \
	}

OPS(kernel);
OPS(user);

static int open_backend(struct kv_backend **b, const struct kv_backend_ops *ops)
{
	*b = calloc(1, sizeof(struct fake));
	if (!*b)
		return -ENOMEM;
	(*b)->ops = ops;
	fake_world.open++;
	return 0;
}

int kv_backend_kern_open(struct kv_backend **b, char *err, size_t size)
{
	return open_backend(b, &kernel_ops);
}

int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	return open_backend(b, &user_ops);
}

/* Of the rest of the tool, what the command layer links and these tests don't use. */

const char *kv_clock_name(void)
{
	return "tsc";
}
