// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include "hand/words.h"
#include "interrupt.h"
#include "now.h"
#include "out.h"
#include "pingpong/pingpong.h"

/* What ibv_ud_pingpong takes for granted. */
#define QKEY 0x11111111

/* The Global Routing Header lies in front of a datagram's bytes (IBTA 11.4.1.3). */
#define GRH_BYTES 40

/* As long as nothing comes, it is looked at this often whether to go on. */
#define LOOK_MS 200

/* A command as a batch has it; the objects are named there. */
__attribute__((format(printf, 4, 5)))
static int command(struct kv_pingpong *p, struct json_object **result,
		   struct kv_fault *f, const char *fmt, ...)
{
	struct json_object *told = json_object_new_object();
	struct kv_fault why = { 0 };
	struct kv_words words;
	va_list args;
	char *line;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&line, fmt, args);
	va_end(args);
	if (ret < 0) {
		json_object_put(told);
		return kv_fault_set(f, -ENOMEM, "no memory");
	}
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

/* For @field of what a command tells. */
__attribute__((format(printf, 5, 6)))
static int ask(struct kv_pingpong *p, const char *field, uint32_t *number,
	       struct kv_fault *f, const char *fmt, ...)
{
	struct json_object *result;
	va_list args;
	char *line;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&line, fmt, args);
	va_end(args);
	if (ret < 0)
		return kv_fault_set(f, -ENOMEM, "no memory");
	ret = command(p, &result, f, "%s", line);
	free(line);
	if (ret)
		return ret;
	*number = (uint32_t)kv_out_get_count(result, field);
	json_object_put(result);
	return 0;
}

static uint32_t headroom(const struct kv_pingpong *p)
{
	return p->type == KVERBS_QPT_UD ? GRH_BYTES : 0;
}

static int make(struct kv_pingpong *p, struct kv_address *own,
		struct kv_fault *f)
{
	const char *type = kv_word_name(kv_word_qp_type, p->type);
	struct json_object *result;
	struct kv_why why;
	char gid[32] = "";
	int ret;

	if (p->gid >= 0)
		snprintf(gid, sizeof(gid), " sgid-index %d", p->gid);
	ret = command(p, NULL, f, "pd add name pd");
	/* One place for each receive, one for the send. */
	if (!ret)
		ret = ask(p, "/id", &p->cq, f, "cq add cqe %u context %s name cq",
			  p->depth + 1, p->events ? "event" : "polled");
	if (!ret)
		ret = ask(p, "/id", &p->mr, f, "mr add pd pd length %u name mr",
			  p->size + headroom(p));
	/* In the kernel the PD's local_dma_lkey reaches it. */
	if (!ret && p->space == KV_SPACE_USER)
		ret = command(p, NULL, f, "mr reg mr access local-write");
	if (!ret)
		ret = ask(p, "/id", &p->qp, f,
			  "qp add pd pd cq cq type %s max-send-wr 1 max-recv-wr %u name qp",
			  type, p->depth);
	if (!ret)
		ret = command(p, &result, f, "qp address qp%s", gid);
	if (ret)
		return ret;
	ret = kv_parse_address(kv_out_get_string(result, "/address"), own, &why);
	json_object_put(result);
	return ret ? kv_fault_set(f, ret, "%s", why.text) : 0;
}

static int connect_qp(struct kv_pingpong *p, struct kv_fault *f)
{
	char gid[32] = "", to[KV_ADDRESS_TEXT], text[INET6_ADDRSTRLEN];
	int ret;

	if (p->gid >= 0)
		snprintf(gid, sizeof(gid), " sgid-index %d", p->gid);
	kv_address_format(to, &p->peer);
	switch (p->type) {
	case KVERBS_QPT_RC:
		return command(p, NULL, f,
			       "qp connect qp peer %s path-mtu %u access none retry-cnt 7 rnr-retry 7%s",
			       to, p->mtu, gid);
	case KVERBS_QPT_UC:
		return command(p, NULL, f,
			       "qp connect qp peer %s path-mtu %u access none%s",
			       to, p->mtu, gid);
	}
	inet_ntop(AF_INET6, p->peer.gid, text, sizeof(text));
	ret = command(p, NULL, f, "qp connect qp qkey 0x%x", QKEY);
	if (!ret)
		ret = ask(p, "/id", &p->ah, f, "ah add pd pd dgid %s%s name ah",
			  text, gid);
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
		.qp = p->qp,
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
		ret = p->session.b->ops->post(p->session.b, &wr, &ns);
		if (ret)
			return refuse(p, ret, "post a receive", f);
	}
	return 0;
}

/* INIT is the first state that takes receives; the peer may be quick. */
static int offer_receives(struct kv_pingpong *p, struct kv_fault *f)
{
	int ret;

	if (p->type == KVERBS_QPT_UD)
		ret = command(p, NULL, f, "qp modify qp state init qkey 0x%x", QKEY);
	else
		ret = command(p, NULL, f, "qp modify qp state init access none");
	return ret ? ret : post_receives(p, f);
}

static int post_send(struct kv_pingpong *p, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.qp = p->qp,
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
		.remote_qpn = p->ah ? p->peer.qpn : 0,
		.remote_qkey = p->ah ? QKEY : 0,
	};
	uint64_t ns;
	int ret;

	ret = p->session.b->ops->post(p->session.b, &wr, &ns);
	return ret ? refuse(p, ret, "post a send", f) : 0;
}

/*
 * Nothing has come: go to sleep until something does, if that is wanted. What came
 * before the CQ was armed makes no event: it is polled once more in between.
 */
static int idle(struct kv_pingpong *p, struct kv_fault *f)
{
	struct kv_backend *b = p->session.b;
	bool missed = false;
	uint64_t ns;
	int ret;

	if (!p->events)
		return 0;
	if (!p->armed) {
		ret = b->ops->arm(b, p->cq, false, &missed, &ns);
		p->armed = !missed;
		return ret ? refuse(p, ret, "arm the CQ", f) : 0;
	}
	p->armed = false;
	ret = b->ops->cq_wait(b, p->cq, LOOK_MS);
	if (ret && ret != -EAGAIN && ret != -EINTR)
		return refuse(p, ret, "wait for a completion", f);
	return 0;
}

static int take(struct kv_pingpong *p, const struct kv_wc *wc,
		struct kv_fault *f)
{
	if (wc->status)
		return kv_fault_set(f, -EIO, "a %s ended with %s (%u), vendor error 0x%x, after %llu messages sent and %llu received",
				    kv_word_name(kv_word_wc_op, wc->op),
				    kv_word_name(kv_word_wc_status, wc->status),
				    wc->status, wc->vendor_err,
				    (unsigned long long)p->sent,
				    (unsigned long long)p->received);
	if (wc->op == KVERBS_OP_SEND) {
		p->sent++;
		return 0;
	}
	if (wc->has_length && wc->length != p->size + headroom(p))
		return kv_fault_set(f, -EMSGSIZE, "a message of %u bytes came, and not of %u: give both sides the same size",
				    wc->length - headroom(p), p->size);
	p->received++;
	p->posted--;
	return 0;
}

/* There and back, as often as it was asked for. @first: ours is the first message. */
static int play(struct kv_pingpong *p, bool first, struct kv_fault *f)
{
	struct kv_backend *b = p->session.b;
	uint64_t posted = 0, begin, last, ns;
	struct kv_wc wc[2];
	unsigned int n;
	int ret = 0;

	begin = last = kv_now_ns();
	while (!ret && (p->sent < p->iters || p->received < p->iters)) {
		/* Each message is an answer, but the first. */
		if (posted < p->iters && posted == p->sent &&
		    posted < p->received + first) {
			ret = post_send(p, f);
			posted++;
			continue;
		}
		if (kv_interrupt_seen())
			return kv_fault_set(f, -EINTR, "interrupted after %llu messages sent and %llu received",
					    (unsigned long long)p->sent,
					    (unsigned long long)p->received);
		ret = b->ops->poll(b, p->cq, wc, 2, &n, &ns);
		if (ret)
			return refuse(p, ret, "poll", f);
		if (n)
			last = kv_now_ns();
		else if (kv_now_ns() - last > p->timeout_ns)
			return kv_fault_set(f, -ETIMEDOUT, "nothing came for %g s, after %llu messages sent and %llu received",
					    (double)p->timeout_ns / 1e9,
					    (unsigned long long)p->sent,
					    (unsigned long long)p->received);
		for (unsigned int i = 0; i < n && !ret; i++)
			ret = take(p, &wc[i], f);
		if (!ret && p->posted <= 1)
			ret = post_receives(p, f);
		if (!ret && !n)
			ret = idle(p, f);
	}
	p->elapsed_ns = kv_now_ns() - begin;
	return ret;
}

static int meet(struct kv_pingpong *p, const struct kv_address *own,
		const char *host, const char *port, struct kv_fault *f)
{
	int ret;

	if (host) {
		ret = kv_exchange_connect(&p->exchange, host, port, f);
		if (!ret)
			ret = kv_exchange_send(&p->exchange, own, f);
		if (!ret)
			ret = kv_exchange_receive(&p->exchange, &p->peer, f);
		if (!ret)
			ret = connect_qp(p, f);
		return ret ? ret : kv_exchange_send_done(&p->exchange, f);
	}
	ret = kv_exchange_accept(&p->exchange, port, f);
	if (!ret)
		ret = kv_exchange_receive(&p->exchange, &p->peer, f);
	if (!ret)
		ret = connect_qp(p, f);
	if (!ret)
		ret = kv_exchange_send(&p->exchange, own, f);
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
	struct kv_address own;
	int ret;

	p->exchange.fd = -1;
	p->exchange.timeout_ns = p->timeout_ns;
	ret = kv_session_open(&p->session, p->space, p->dev, true, false, f);
	if (ret)
		return ret;
	ret = make(p, &own, f);
	if (!ret)
		ret = offer_receives(p, f);
	if (!ret)
		ret = meet(p, &own, host, port, f);
	if (!ret)
		ret = play(p, host != NULL, f);
	kv_exchange_close(&p->exchange);
	kv_session_close(&p->session);
	return ret;
}
