// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <arpa/inet.h>
#include "batch/words.h"
#include "cli/interrupt.h"
#include "out/out.h"
#include "pingpong/pingpong.h"
#include "sys/now.h"

/* What ibv_ud_pingpong takes for granted. */
#define QKEY 0x11111111

/* The Global Routing Header lies in front of a datagram's bytes (IBTA 11.4.1.3). */
#define GRH_BYTES 40

/* As long as nothing comes, it is looked at this often whether to go on. */
#define LOOK_MS 200

/* Some times the 67 ms after which the programs send again what was not acknowledged. */
#define LINGER_NS 400000000

/* A command as a batch has it; the objects are named there. */
__attribute__((format(printf, 4, 0)))
static int vcommand(struct kv_pingpong *p, struct json_object **result,
		    struct kv_fault *f, const char *fmt, va_list args)
{
	struct json_object *told;
	struct kv_fault why = { 0 };
	struct kv_words words;
	char *line;
	int ret;

	if (vasprintf(&line, fmt, args) < 0)
		return kv_fault_set(f, -ENOMEM, "no memory");
	told = json_object_new_object();
	ret = kv_words_split(&words, line, kv_session_expand, &p->session, &why);
	if (!ret) {
		ret = kv_session_command(&p->session, words.word, words.n, told,
					 &why);
		kv_words_free(&words);
	}
	if (ret)
		kv_fault_set(f, ret, "%s space: %s: %.800s",
			     kv_word_name(kv_word_space, p->space), line,
			     why.text);
	free(line);
	if (!ret && result)
		*result = told;
	else
		json_object_put(told);
	return ret;
}

__attribute__((format(printf, 3, 4)))
static int command(struct kv_pingpong *p, struct kv_fault *f, const char *fmt,
		   ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vcommand(p, NULL, f, fmt, args);
	va_end(args);
	return ret;
}

/* The command makes an object. */
__attribute__((format(printf, 4, 5)))
static int add(struct kv_pingpong *p, uint32_t *id, struct kv_fault *f,
	       const char *fmt, ...)
{
	struct json_object *result;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vcommand(p, &result, f, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	*id = (uint32_t)kv_out_get_count(result, "/id");
	json_object_put(result);
	return 0;
}

/* The command tells an address. */
__attribute__((format(printf, 4, 5)))
static int locate(struct kv_pingpong *p, struct kv_address *address,
		  struct kv_fault *f, const char *fmt, ...)
{
	struct json_object *result;
	struct kv_why why;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vcommand(p, &result, f, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	ret = kv_parse_address(kv_out_get_string(result, "/address"), address,
			       &why);
	json_object_put(result);
	return ret ? kv_fault_set(f, ret, "%s", why.text) : 0;
}

static uint32_t headroom(const struct kv_pingpong *p)
{
	return p->type == KV_PINGPONG_UD ? GRH_BYTES : 0;
}

static int make_qp(struct kv_pingpong *p, unsigned int i,
		   struct kv_address *own, struct kv_fault *f)
{
	static const char *const type[] = {
		[KV_PINGPONG_RC] = "rc",
		[KV_PINGPONG_UC] = "uc",
		[KV_PINGPONG_UD] = "ud",
		[KV_PINGPONG_SRQ] = "rc",
	};
	char receives[32] = "srq srq";
	int ret;

	if (!p->srq)
		snprintf(receives, sizeof(receives), "max-recv-wr %u", p->depth);
	ret = add(p, &p->qp[i].id, f,
		  "qp add pd pd cq cq type %s max-send-wr 1 %s name qp%u",
		  type[p->type], receives, i);
	if (ret)
		return ret;
	if (p->gid < 0)
		return locate(p, own, f, "qp address qp%u", i);
	return locate(p, own, f, "qp address qp%u sgid-index %d", i, p->gid);
}

static int make(struct kv_pingpong *p, struct kv_address *own,
		struct kv_fault *f)
{
	int ret;

	ret = command(p, f, "pd add name pd");
	/* One place for each receive, one for each QP's send. */
	if (!ret)
		ret = add(p, &p->cq, f, "cq add cqe %u context %s name cq",
			  p->depth + p->qps, p->events ? "event" : "polled");
	if (!ret)
		ret = add(p, &p->mr, f, "mr add pd pd length %u name mr",
			  p->size + headroom(p));
	/* In the kernel the PD's local_dma_lkey reaches it. */
	if (!ret && p->space == KV_SPACE_USER)
		ret = command(p, f, "mr reg mr access local-write");
	if (!ret && p->type == KV_PINGPONG_SRQ)
		ret = add(p, &p->srq, f, "srq add pd pd max-wr %u name srq",
			  p->depth);
	for (unsigned int i = 0; i < p->qps && !ret; i++)
		ret = make_qp(p, i, &own[i], f);
	return ret;
}

static int connect_datagrams(struct kv_pingpong *p, const char *gid,
			     struct kv_fault *f)
{
	char text[INET6_ADDRSTRLEN];
	int ret;

	inet_ntop(AF_INET6, p->qp[0].peer.gid, text, sizeof(text));
	ret = command(p, f, "qp connect qp0 qkey 0x%x", QKEY);
	if (!ret)
		ret = add(p, &p->ah, f, "ah add pd pd dgid %s%s name ah", text,
			  gid);
	return ret;
}

static int connect_qps(struct kv_pingpong *p, struct kv_fault *f)
{
	const char *retries = p->type == KV_PINGPONG_UC ?
			      "" : " retry-cnt 7 rnr-retry 7";
	char gid[32] = "", to[KV_ADDRESS_TEXT];
	int ret = 0;

	if (p->gid >= 0)
		snprintf(gid, sizeof(gid), " sgid-index %d", p->gid);
	if (p->type == KV_PINGPONG_UD)
		return connect_datagrams(p, gid, f);
	for (unsigned int i = 0; i < p->qps && !ret; i++) {
		kv_address_format(to, &p->qp[i].peer);
		ret = command(p, f,
			      "qp connect qp%u peer %s path-mtu %u access none%s%s",
			      i, to, p->mtu, retries, gid);
	}
	return ret;
}

static int refuse(struct kv_pingpong *p, int error, const char *what,
		  struct kv_fault *f)
{
	return kv_fault_backend(f, p->session.b, error, "cannot %s", what);
}

static int post_receives(struct kv_pingpong *p, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.qp = p->srq ? 0 : p->qp[0].id,
		.srq = p->srq,
		.op = KVERBS_OP_RECV,
		.sges = 1,
		.sge = { {
			.mr = p->mr,
			.length = p->size + headroom(p),
			.lkey = p->space == KV_SPACE_USER ? KVERBS_LKEY_MR :
							    KVERBS_LKEY_DMA,
		} },
	};
	uint64_t ns;
	int ret;

	for (; p->posted < p->depth; p->posted++) {
		ret = kv_op_wr_post(p->session.b, &wr, NULL, &ns);
		if (ret)
			return refuse(p, ret, "post a receive", f);
	}
	return 0;
}

/* INIT is the first state that takes receives; the peer may be quick. */
static int offer_receives(struct kv_pingpong *p, struct kv_fault *f)
{
	int ret = 0;

	if (p->type == KV_PINGPONG_UD)
		ret = command(p, f, "qp modify qp0 state init qkey 0x%x", QKEY);
	else
		for (unsigned int i = 0; i < p->qps && !ret; i++)
			ret = command(p, f,
				      "qp modify qp%u state init access none",
				      i);
	return ret ? ret : post_receives(p, f);
}

static int post_send(struct kv_pingpong *p, struct kv_pingpong_qp *q,
		     struct kv_fault *f)
{
	const struct kv_wr wr = {
		.qp = q->id,
		.op = KVERBS_OP_SEND,
		.sges = 1,
		.sge = { {
			.mr = p->mr,
			.offset = headroom(p),
			.length = p->size,
			.lkey = p->space == KV_SPACE_USER ? KVERBS_LKEY_MR :
							    KVERBS_LKEY_DMA,
		} },
		.ah = p->ah,
		.remote_qpn = p->ah ? q->peer.qpn : 0,
		.remote_qkey = p->ah ? QKEY : 0,
	};
	uint64_t ns;
	int ret;

	ret = kv_op_wr_post(p->session.b, &wr, NULL, &ns);
	if (ret)
		return refuse(p, ret, "post a send", f);
	q->posted++;
	return 0;
}

/* Each message is an answer, but each QP's first. @first: that one is ours. */
static int post_sends(struct kv_pingpong *p, bool first, struct kv_fault *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < p->qps && !ret; i++) {
		struct kv_pingpong_qp *q = &p->qp[i];

		if (p->sent < p->iters && q->posted == q->sent &&
		    q->posted < q->received + first)
			ret = post_send(p, q, f);
	}
	return ret;
}

/*
 * Nothing has come: go to sleep until something does, if that is wanted. What came
 * before the CQ was armed makes no event: it is polled once more in between.
 */
static int idle(struct kv_pingpong *p, struct kv_fault *f)
{
	struct kv_backend *b = p->session.b;
	struct kv_armed armed;
	int ret;

	if (!p->events)
		return 0;
	if (!p->armed) {
		ret = kv_op_cq_arm(b, &(struct kv_cq_arm){ .id = p->cq }, &armed, NULL);
		p->armed = !ret && !armed.missed;
		return ret ? refuse(p, ret, "arm the CQ", f) : 0;
	}
	p->armed = false;
	ret = kv_op_cq_wait(b, &(struct kv_wait){ p->cq, LOOK_MS }, NULL, NULL);
	if (ret && ret != -EAGAIN && ret != -EINTR)
		return refuse(p, ret, "wait for a completion", f);
	return 0;
}

static struct kv_pingpong_qp *find_qp(struct kv_pingpong *p, uint32_t id)
{
	unsigned int i = 0;

	while (i < p->qps - 1 && p->qp[i].id != id)
		i++;
	return &p->qp[i];
}

static int take(struct kv_pingpong *p, const struct kv_wc *wc,
		struct kv_fault *f)
{
	struct kv_pingpong_qp *q = find_qp(p, wc->qp);

	if (wc->status)
		return kv_fault_set(f, -EIO, "a %s ended with %s (%u), vendor error 0x%x, after %llu messages sent and %llu received",
				    kv_word_name(kv_word_wc_op, wc->op),
				    kv_word_name(kv_word_wc_status, wc->status),
				    wc->status, wc->vendor_err,
				    (unsigned long long)p->sent,
				    (unsigned long long)p->received);
	if (wc->op == KVERBS_OP_SEND) {
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

/* There and back, as often as it was asked for. @first: ours is the first message. */
static int play(struct kv_pingpong *p, bool first, struct kv_fault *f)
{
	struct kv_backend *b = p->session.b;
	uint64_t begin, last, now;
	struct kv_polled polled;
	int ret;

	begin = kv_now_ns();
	ret = post_sends(p, first, f);
	last = kv_now_ns();
	while (!ret && (p->sent < p->iters || p->received < p->iters)) {
		if (kv_interrupt_seen())
			return kv_fault_set(f, -EINTR, "interrupted after %llu messages sent and %llu received",
					    (unsigned long long)p->sent,
					    (unsigned long long)p->received);
		/* First: who was kept waiting for the CPU finds what has come meanwhile. */
		now = kv_now_ns();
		ret = kv_op_cq_poll(b, &(struct kv_cq_poll){ p->cq, KVERBS_POLL_MAX }, &polled, NULL);
		if (ret)
			return refuse(p, ret, "poll", f);
		if (!polled.n && now - last > p->timeout_ns)
			return kv_fault_set(f, -ETIMEDOUT, "nothing came for %g s, after %llu messages sent and %llu received",
					    (double)p->timeout_ns / 1e9,
					    (unsigned long long)p->sent,
					    (unsigned long long)p->received);
		for (unsigned int i = 0; i < polled.n && !ret; i++)
			ret = take(p, &polled.wc[i], f);
		if (!ret && p->posted <= p->qps)
			ret = post_receives(p, f);
		if (!ret)
			ret = polled.n ? post_sends(p, first, f) : idle(p, f);
		/* What we take to answer is not the peer's time. */
		if (polled.n)
			last = kv_now_ns();
	}
	p->elapsed_ns = kv_now_ns() - begin;
	return ret;
}

/*
 * An acknowledgement of the last messages may be lost. The peer then sends them again, and needs QPs
 * that answer: the programs have a retry count of 7, which rxe takes for no limit. A signal ends the
 * wait.
 */
static void linger(const struct kv_pingpong *p)
{
	const struct timespec ts = { .tv_nsec = LINGER_NS };

	if (p->type == KV_PINGPONG_RC || p->type == KV_PINGPONG_SRQ)
		nanosleep(&ts, NULL);
}

static int tell(struct kv_pingpong *p, const struct kv_address *own,
		struct kv_fault *f)
{
	if (p->type != KV_PINGPONG_SRQ)
		return kv_exchange_send(&p->exchange, own, f);
	return kv_exchange_send_list(&p->exchange, own, p->qps, f);
}

static int hear(struct kv_pingpong *p, struct kv_fault *f)
{
	struct kv_address peer[KV_EXCHANGE_LIST];
	int ret;

	if (p->type != KV_PINGPONG_SRQ)
		ret = kv_exchange_receive(&p->exchange, peer, f);
	else
		ret = kv_exchange_receive_list(&p->exchange, peer, p->qps, f);
	for (unsigned int i = 0; i < p->qps && !ret; i++)
		p->qp[i].peer = peer[i];
	return ret;
}

static int meet(struct kv_pingpong *p, const struct kv_address *own,
		const char *host, const char *port, struct kv_fault *f)
{
	int ret;

	if (host) {
		ret = kv_exchange_connect(&p->exchange, host, port, f);
		if (!ret)
			ret = tell(p, own, f);
		if (!ret)
			ret = hear(p, f);
		if (!ret)
			ret = connect_qps(p, f);
		return ret ? ret : kv_exchange_send_done(&p->exchange, f);
	}
	ret = kv_exchange_accept(&p->exchange, port, f);
	if (!ret)
		ret = hear(p, f);
	if (!ret)
		ret = connect_qps(p, f);
	if (!ret)
		ret = tell(p, own, f);
	return ret ? ret : kv_exchange_receive_done(&p->exchange, f);
}

/**
 * kv_pingpong_run() - be one side of a ping-pong
 * @p: what; receives what came of it
 * @host: the server; NULL: be the server
 * @port: TCP, of the server
 * @f: receives why not
 *
 * Return: 0 or a negative errno. Nothing that was made is left.
 */
int kv_pingpong_run(struct kv_pingpong *p, const char *host, const char *port,
		    struct kv_fault *f)
{
	struct kv_address own[KV_EXCHANGE_LIST];
	int ret;

	p->exchange.fd = -1;
	p->exchange.timeout_ns = p->timeout_ns;
	ret = kv_session_open(&p->session, p->space, p->dev, true, false, f);
	if (ret)
		return ret;
	p->exchange.b = p->session.b;
	p->exchange.dev = p->session.dev.name;
	ret = make(p, own, f);
	if (!ret)
		ret = offer_receives(p, f);
	if (!ret)
		ret = meet(p, own, host, port, f);
	if (!ret)
		ret = play(p, host != NULL, f);
	if (!ret)
		linger(p);
	if (p->session.has_dev)
		ret = kv_dev_blame(p->session.b, p->session.dev.name, ret, f);
	kv_exchange_close(&p->exchange);
	kv_session_close(&p->session);
	return ret;
}
