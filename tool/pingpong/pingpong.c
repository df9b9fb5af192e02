// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "pingpong/pingpong.h"
#include "sys/now.h"

/* The value of the programs: without limit. */
#define RETRIES 7

/* While no completion comes, the loop checks at this interval whether to go on. */
#define LOOK_MS 200

/* Several times the 67 ms after which the programs repeat an unacknowledged message. */
#define LINGER_NS 400000000

static uint32_t headroom(const struct kv_pingpong *p)
{
	return p->type == KV_PINGPONG_UD ? KV_RUN_GRH : 0;
}

static const uint32_t types[] = {
	[KV_PINGPONG_RC] = KVERBS_QPT_RC,
	[KV_PINGPONG_UC] = KVERBS_QPT_UC,
	[KV_PINGPONG_UD] = KVERBS_QPT_UD,
	[KV_PINGPONG_SRQ] = KVERBS_QPT_RC,
};

/* Makes @q the endpoint's QP, and brings it to the next state. */
static int step(struct kv_pingpong *p, struct kv_pingpong_qp *q, enum kv_raw_step step,
		const struct kv_qp_attr *attr, struct kv_fault *f)
{
	p->end.qp = q->id;
	return kv_endpoint_step(&p->end, types[p->type], step, attr, f);
}

/* INIT is the first state that takes receives; they must precede the peer's first message. */
static int make_qp(struct kv_pingpong *p, struct kv_pingpong_qp *q, struct kv_address *own,
		   struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.type = types[p->type],
		.srq = p->srq,
		.max_send_wr = 1,
		.max_recv_wr = p->srq ? 0 : p->depth,
	};
	struct kv_qp_attr attr = KV_RAW_DEFAULTS;
	const struct kv_dev *dev = &p->site.dev;
	int ret = kv_endpoint_add_qp(&p->end, &init, f);

	if (ret)
		return ret;
	if (kv_dev_is_iwarp(dev))
		return kv_fault_set(f, -EOPNOTSUPP, "%s: iWARP connects through the RDMA CM", dev->name);
	q->id = p->end.qp;
	q->psn = p->end.qpn;
	*own = (struct kv_address){ .lid = p->site.port->lid, .qpn = p->end.qpn, .psn = q->psn };
	memcpy(own->gid, p->site.gid->raw, sizeof(own->gid));
	attr.port = p->site.port->number;
	return step(p, q, KV_RAW_INIT, &attr, f);
}

static int make_srq(struct kv_pingpong *p, struct kv_fault *f)
{
	const struct kv_srq_init init = { .pd = p->end.pd, .max_wr = p->depth, .max_sge = 1 };
	struct kv_srq srq;
	int ret = kv_op_srq_new(p->site.b, &init, &srq, NULL);

	p->srq = ret ? 0 : srq.id;
	return kv_fault_backend(f, p->site.b, ret, "cannot make an SRQ");
}

static int make(struct kv_pingpong *p, struct kv_address *own, struct kv_fault *f)
{
	int ret;

	p->end.site = &p->site;
	/* The CQ has an entry for each receive, and one for each QP's send. */
	ret = kv_endpoint_add_pd(&p->end, f) ?:
	      kv_endpoint_add_cqs(&p->end, p->depth + p->qps, 0,
				  p->events ? KVERBS_CQ_EVENT : KVERBS_CQ_POLLED, f) ?:
	      kv_endpoint_add_buffer(&p->end, &p->buffer, p->size + headroom(p), f);
	if (!ret && kv_endpoint_needs_key(&p->end))
		ret = kv_endpoint_register(&p->end, &p->buffer, KVERBS_ACCESS_LOCAL_WRITE, f);
	if (!ret && p->type == KV_PINGPONG_SRQ)
		ret = make_srq(p, f);
	for (unsigned int i = 0; i < p->qps && !ret; i++)
		ret = make_qp(p, &p->qp[i], &own[i], f);
	return ret;
}

/**
 * kv_pingpong_connect() - connect our QPs to the peer's
 * @p: the side, with the addresses of the peer's QPs
 */
int kv_pingpong_connect(struct kv_pingpong *p, struct kv_fault *f)
{
	struct kv_qp_attr attr = KV_RAW_DEFAULTS;
	int ret = 0;

	attr.path_mtu = p->mtu;
	attr.retry_cnt = RETRIES;
	attr.rnr_retry = RETRIES;
	for (unsigned int i = 0; i < p->qps && !ret; i++) {
		struct kv_pingpong_qp *q = &p->qp[i];

		kv_raw_set_peer(&attr, &q->peer, p->site.gid->index);
		attr.sq_psn = q->psn;
		ret = step(p, q, KV_RAW_RTR, &attr, f) ?: step(p, q, KV_RAW_RTS, &attr, f);
	}
	return ret || p->type != KV_PINGPONG_UD ? ret : kv_endpoint_add_ah(&p->end, &attr.av, f);
}

static int post_receives(struct kv_pingpong *p, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_RECV,
		.sges = 1,
		.sge = { kv_buffer_piece(&p->buffer, 0, p->size + headroom(p)) },
	};
	const struct kv_post one = {
		.qp = p->srq ? 0 : p->qp[0].id,
		.srq = p->srq,
		.wrs = 1,
		.wr = &wr,
	};
	struct kv_posted posted;
	int ret;

	for (; p->posted < p->depth; p->posted++) {
		ret = kv_op_wr_post(p->site.b, &one, &posted, NULL);
		if (ret)
			return kv_fault_backend(f, p->site.b, ret, "cannot post a receive");
	}
	return 0;
}

static int post_send(struct kv_pingpong *p, struct kv_pingpong_qp *q, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_SEND,
		.sges = 1,
		.sge = { kv_buffer_piece(&p->buffer, headroom(p), p->size) },
		.ah = p->end.ah,
		.remote_qpn = p->end.ah ? q->peer.qpn : 0,
		.remote_qkey = p->end.ah ? KV_RAW_QKEY : 0,
	};
	int ret = kv_site_post(&p->site, q->id, &wr);

	if (ret)
		return kv_fault_backend(f, p->site.b, ret, "cannot post a send");
	q->posted++;
	return 0;
}

/* Each message of a QP but the first is an answer. @first: we send the first message. */
static int post_sends(struct kv_pingpong *p, bool first, struct kv_fault *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < p->qps && !ret; i++) {
		struct kv_pingpong_qp *q = &p->qp[i];

		if (p->sent < p->iters && q->posted == q->sent && q->posted < q->received + first)
			ret = post_send(p, q, f);
	}
	return ret;
}

/* After an empty poll: sleeps until a completion comes, if events are wanted. */
static int idle(struct kv_pingpong *p, struct kv_fault *f)
{
	int ret = p->events ? kv_endpoint_sleep(&p->end, LOOK_MS, f) : 0;

	return ret == -EAGAIN ? 0 : ret;
}

static struct kv_pingpong_qp *find_qp(struct kv_pingpong *p, uint32_t id)
{
	unsigned int i = 0;

	while (i < p->qps - 1 && p->qp[i].id != id)
		i++;
	return &p->qp[i];
}

static int take(struct kv_pingpong *p, const struct kv_wc *wc, struct kv_fault *f)
{
	struct kv_pingpong_qp *q = find_qp(p, wc->qp);

	if (wc->status)
		return kv_fault_set(f, -EIO, "a %s ended with %s (%u), vendor error 0x%x, after %" PRIu64 " messages sent and %" PRIu64 " received",
				    kv_enum_name(kv_enum_wc_op, wc->op),
				    kv_enum_name(kv_enum_wc_status, wc->status),
				    wc->status, wc->vendor_err, p->sent, p->received);
	if (wc->op == KVERBS_WC_OP_SEND) {
		q->sent++;
		p->sent++;
		return 0;
	}
	if (wc->has_length && wc->length != p->size + headroom(p))
		return kv_fault_set(f, -EMSGSIZE, "a message of %u bytes came, and not of %u: give both sides the same size",
				    wc->length - headroom(p), p->size);
	q->received++;
	p->received++;
	p->posted--;
	return 0;
}

/* Exchanges the requested number of messages. @first: we send the first message. */
static int play(struct kv_pingpong *p, bool first, struct kv_fault *f)
{
	struct kv_polled polled;
	int ret;
	uint64_t last, now, begin = kv_now_ns();

	ret = post_sends(p, first, f);
	last = kv_now_ns();
	while (!ret && (p->sent < p->iters || p->received < p->iters)) {
		if (kv_interrupt_seen())
			return kv_fault_set(f, -EINTR, "interrupted after %" PRIu64 " messages sent and %" PRIu64 " received",
					    p->sent, p->received);
		/* Read before the poll: after a long wait for the CPU there may be completions. */
		now = kv_now_ns();
		ret = kv_op_cq_poll(p->site.b,
				    &(struct kv_cq_poll){ p->end.send_cq, KVERBS_POLL_MAX },
				    &polled, NULL);
		if (ret)
			return kv_fault_backend(f, p->site.b, ret, "cannot poll");
		if (!polled.n && now - last > p->timeout_ns)
			return kv_fault_set(f, -ETIMEDOUT, "nothing came for %g s, after %" PRIu64 " messages sent and %" PRIu64 " received",
					    (double)p->timeout_ns / 1e9, p->sent, p->received);
		for (unsigned int i = 0; i < polled.n && !ret; i++)
			ret = take(p, &polled.wc[i], f);
		if (!ret && p->posted <= p->qps)
			ret = post_receives(p, f);
		if (!ret)
			ret = polled.n ? post_sends(p, first, f) : idle(p, f);
		/* The time until our answer does not count for the peer's timeout. */
		if (polled.n)
			last = kv_now_ns();
	}
	p->elapsed_ns = kv_now_ns() - begin;
	return ret;
}

/*
 * The acknowledgment of the last messages may be lost. The peer then sends the messages again, and
 * needs QPs that answer: the programs have a retry count of 7, which means no limit to rxe. A
 * signal ends the wait.
 */
static void linger(const struct kv_pingpong *p)
{
	if (p->type == KV_PINGPONG_RC || p->type == KV_PINGPONG_SRQ)
		kv_sleep_ns(LINGER_NS);
}

/**
 * kv_pingpong_run() - run one side of a ping-pong
 * @p: the side; receives the counts
 * @host: the server; NULL: be the server
 * @port: TCP port of the server
 *
 * Return: 0 or a negative errno. All objects are destroyed.
 */
int kv_pingpong_run(struct kv_pingpong *p, const char *host, const char *port, struct kv_fault *f)
{
	struct kv_address own[KV_PINGPONG_LIST];
	int ret;

	p->fd = -1;
	ret = kv_site_open(&p->site, p->space, p->dev, p->ib_port, p->gid, f);
	if (ret)
		return ret;
	ret = make(p, own, f) ?:
	      post_receives(p, f) ?:
	      kv_pingpong_meet(p, own, host, port, f) ?:
	      play(p, host != NULL, f);
	if (!ret)
		linger(p);
	ret = kv_dev_blame(p->site.b, p->site.dev.name, ret, f);
	if (p->fd >= 0)
		close(p->fd);
	kv_site_close(&p->site);
	return ret;
}
