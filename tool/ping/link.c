// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "cli/interrupt.h"
#include "cm/conn.h"
#include "ping/link.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* The time that the CM may take to report that the peer has closed the connection. */
#define END_NS 1000000000ULL

/* 7 is without limit: the deadline of each step ends the retries. */
#define RNR_RETRIES 7

/* Outstanding sends and RDMA requests; a fast registration is one, too. */
#define SEND_WRS 4

/* While no completion comes, the connection's state is read at this interval. */
#define LOOK_MS 100

/* IBV_WC_WR_FLUSH_ERR (IBTA 11.6.2) */
#define STATUS_FLUSHED 5

/* The peer's deadline for a step that begins now. */
static uint64_t deadline(const struct kv_link *l)
{
	return kv_now_ns() + l->spec.timeout_ns;
}

static struct kv_conn_side side_of(const struct kv_link *l, uint64_t end_ns)
{
	return (struct kv_conn_side){ l->end.site->b, end_ns, .conn.id = l->end.conn };
}

/* Does the connection still exist? @ended receives the answer. */
static int look(struct kv_link *l, struct kv_fault *f)
{
	union kv_object object;
	int ret = kv_op_get(l->end.site->b, KV_CONN, l->end.conn, &object);

	if (ret)
		return kv_fault_backend(f, l->end.site->b, ret, "cannot look at the connection");
	l->ended = object.conn.state != KVERBS_CONN_ACCEPTED &&
		   object.conn.state != KVERBS_CONN_ESTABLISHED;
	return 0;
}

/*
 * Does the connection still exist after a failure? On iWARP the end of the stream brings the QP to
 * ERR before the CM reports the end.
 */
static int look_again(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, kv_now_ns() + END_NS);
	struct kv_fault why;

	kv_conn_wait(&side, 1U << KVERBS_CONN_DISCONNECTED, &why);
	return look(l, f);
}

static int post(struct kv_link *l, const struct kv_wr *wr, const char *what, struct kv_fault *f)
{
	return kv_fault_backend(f, l->end.site->b, kv_site_post(l->end.site, l->end.qp, wr),
				"cannot %s", what);
}

/* Posts a receive for one more message. */
static int post_receive(struct kv_link *l, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_RECV,
		.sges = 1,
		.sge = { kv_buffer_piece(&l->message, 0, l->spec.bytes) },
	};

	return post(l, &wr, "post a receive", f);
}

static int take(struct kv_link *l, const struct kv_wc *wc, const char *what, struct kv_fault *f)
{
	int ret;

	if (wc->status == STATUS_FLUSHED) {
		ret = look_again(l, f);
		if (ret || l->ended)
			return ret;
	}
	if (wc->status && wc->op == KVERBS_WC_OP_RECV)
		l->recv_status = wc->status;
	if (wc->status)
		return kv_fault_set(f, -EIO, "%s: a %s ended with %s (%u), vendor error 0x%x",
				    what, kv_enum_name(kv_enum_wc_op, wc->op),
				    kv_enum_name(kv_enum_wc_status, wc->status),
				    wc->status, wc->vendor_err);
	if (wc->op == KVERBS_WC_OP_RECV && wc->has_length && wc->length != l->spec.bytes)
		return kv_fault_set(f, -EMSGSIZE, "%s: a message of %u bytes came, and not of %u",
				    what, wc->length, l->spec.bytes);
	if (wc->op == KVERBS_WC_OP_RECV) {
		l->received++;
		l->invalidated = wc->has_inv ? wc->invalidate_rkey : 0;
	} else if (wc->op == KVERBS_WC_OP_SEND) {
		l->sending = false;
	} else {
		l->moved++;
	}
	return 0;
}

/* Sleeps until a completion comes; after LOOK_MS without one, reads the connection's state. */
static int doze(struct kv_link *l, struct kv_fault *f)
{
	int ret = kv_endpoint_sleep(&l->end, LOOK_MS, f);

	return ret == -EAGAIN ? look(l, f) : ret;
}

/* Takes completions; if there is none, waits for one. */
static int advance(struct kv_link *l, uint64_t end_ns, const char *what, struct kv_fault *f)
{
	struct kv_backend *b = l->end.site->b;
	struct kv_polled polled;
	bool ended = l->ended;
	int ret = kv_op_cq_poll(b, &(struct kv_cq_poll){ l->end.send_cq, 4 }, &polled, NULL);

	if (ret)
		return kv_fault_backend(f, l->end.site->b, ret, "cannot poll");
	for (unsigned int i = 0; i < polled.n && !ret; i++)
		ret = take(l, &polled.wc[i], what, f);
	if (ret || polled.n)
		return ret;
	if (ended)
		return kv_fault_set(f, -ECONNRESET, "%s: the peer has closed the connection", what);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "%s: interrupted", what);
	if (kv_now_ns() >= end_ns)
		return kv_fault_set(f, -ETIMEDOUT, "%s: nothing came for %g s%s", what,
				    (double)l->spec.timeout_ns / 1e9,
				    kv_dev_is_iwarp(&l->end.site->dev) ?
				    "; siw can miss the first message of a connection" : "");
	return doze(l, f);
}

/**
 * kv_link_flush() - wait until the peer has received the last message
 * @what: the step, for the text of a fault
 *
 * Return: 0 or a negative errno; -ECONNRESET: the peer has closed the connection.
 */
int kv_link_flush(struct kv_link *l, const char *what, struct kv_fault *f)
{
	uint64_t end_ns = deadline(l);
	int ret = 0;

	while (l->sending && !ret)
		ret = advance(l, end_ns, what, f);
	return ret;
}

/* Waits for one of the completions that @count counts, and takes it. */
static int wait_done(struct kv_link *l, uint64_t *count, const char *what, struct kv_fault *f)
{
	uint64_t end_ns = deadline(l);
	int ret = 0;

	while (!*count && !ret)
		ret = advance(l, end_ns, what, f);
	if (!ret)
		(*count)--;
	return ret;
}

/**
 * kv_link_send() - send a message
 * @data: spec.bytes bytes; NULL: the last message again, or zeros if there is none
 * @invalidate: the peer's key that the message invalidates; 0: none
 * @what: the step, for the text of a fault
 *
 * Waits for the previous message to arrive, and not for this message.
 *
 * Return: as kv_link_flush().
 */
int kv_link_send(struct kv_link *l, const void *data, uint32_t invalidate, const char *what,
		 struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = invalidate ? KVERBS_OP_SEND_WITH_INV : KVERBS_OP_SEND,
		.has_inv = invalidate,
		.invalidate_rkey = invalidate,
		.sges = 1,
		.sge = { kv_buffer_piece(&l->message, l->spec.bytes, l->spec.bytes) },
	};
	struct kv_backend *b = l->end.site->b;
	int ret = kv_link_flush(l, what, f);

	if (ret)
		return ret;
	if (data)
		ret = kv_op_buf_write(b, &(struct kv_buf_data){ l->message.buf, l->spec.bytes,
				      l->spec.bytes, .from = data }, NULL, NULL);
	ret = kv_fault_backend(f, b, ret, "cannot write a message") ?:
	      post(l, &wr, "post a send", f);
	l->sending = !ret;
	return ret;
}

/**
 * kv_link_receive() - wait for a message
 * @data: receives the message; NULL: it is dropped, and no further receive is posted
 * @what: the step, for the text of a fault
 *
 * Return: as kv_link_flush().
 */
int kv_link_receive(struct kv_link *l, void *data, const char *what, struct kv_fault *f)
{
	struct kv_backend *b = l->end.site->b;
	int ret = wait_done(l, &l->received, what, f);

	if (ret || !data)
		return ret;
	ret = kv_op_buf_read(b, &(struct kv_buf_data){ l->message.buf, 0, l->spec.bytes,
			     .into = data }, NULL, NULL);
	return kv_fault_backend(f, b, ret, "cannot read a message") ?: post_receive(l, f);
}

/**
 * kv_link_move() - an RDMA READ or WRITE, until it is complete
 * @op: KVERBS_OP_READ or KVERBS_OP_WRITE
 * @buffer: the local buffer, for either direction
 * @remote_addr: the address that the peer has sent
 * @remote_key: the key that the peer has sent
 * @what: the step, for the text of a fault
 *
 * Return: as kv_link_flush().
 */
int kv_link_move(struct kv_link *l, uint32_t op, const struct kv_buffer *buffer, uint32_t bytes,
		 uint64_t remote_addr, uint32_t remote_key, const char *what, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = op,
		.sges = 1,
		.sge = { kv_buffer_piece(buffer, 0, bytes) },
		.has_remote = true,
		.remote_addr = remote_addr,
		.remote_key = remote_key,
	};

	return post(l, &wr, "post a request", f) ?: wait_done(l, &l->moved, what, f);
}

/**
 * kv_link_look_up() - find an address
 * @dev: the device to use
 * @host: name or address; NULL: every address of this host, on iWARP every IPv4 address
 */
int kv_link_look_up(const struct kv_dev *dev, const char *host, const char *port,
		    struct sockaddr_storage *addr, struct kv_fault *f)
{
	/*
	 * A listener on all IPv6 addresses accepts IPv4 as well. But on iWARP a peer then has an
	 * IPv4-mapped address of TCP (::ffff:192.0.2.1), for which the CM finds no device.
	 */
	const int any = kv_dev_is_iwarp(dev) ? AF_INET : AF_INET6;
	struct addrinfo *list;
	int ret = kv_tcp_look_up(host, port, host ? AF_UNSPEC : any, &list, f);

	if (ret)
		return ret;
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return 0;
}

/* Makes the objects that precede the connection, and posts receives for the first messages. */
static int make(struct kv_link *l, struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.max_send_wr = SEND_WRS,
		.max_recv_wr = l->spec.receives,
	};
	struct kv_qp_attr attr = KV_RAW_DEFAULTS;
	struct kv_endpoint *e = &l->end;
	int ret;

	attr.port = e->site->port->number;
	ret = kv_endpoint_add_pd(e, f) ?:
	      kv_endpoint_add_cqs(e, l->spec.receives + SEND_WRS, 0, KVERBS_CQ_EVENT, f) ?:
	      kv_endpoint_add_qp(e, &init, f) ?:
	      kv_link_add_buffer(l, &l->message, 2 * l->spec.bytes,
				 KVERBS_ACCESS_LOCAL_WRITE, f);
	attr.access = l->spec.access;
	if (!ret)
		ret = kv_endpoint_step(e, KVERBS_QPT_RC, KV_RAW_INIT, &attr, f);
	for (uint32_t i = 0; i < l->spec.receives && !ret; i++)
		ret = post_receive(l, f);
	return ret;
}

/**
 * kv_link_accept() - wait for a connection, without a limit, and accept it
 * @l: its site and its spec are set; receives the connection
 * @listener: id of a CONN that listens
 */
int kv_link_accept(struct kv_link *l, uint32_t listener, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, UINT64_MAX);
	struct kv_conn_param param;
	int ret = kv_conn_get_request(&side, listener, f);

	if (ret)
		return ret;
	l->end.conn = side.conn.id;
	kv_sockaddr_format(l->peer, &side.conn.dst);
	ret = make(l, f);
	if (ret)
		return ret;
	param = kv_endpoint_param(&l->end);
	param.rnr_retry = RNR_RETRIES;
	ret = kv_conn_accept(&side, &param, f);
	side.end_ns = deadline(l);
	return ret ? ret : kv_conn_confirm(&side, &param, f);
}

/**
 * kv_link_connect() - make a connection
 * @l: its site and its spec are set; receives the connection
 */
int kv_link_connect(struct kv_link *l, const struct sockaddr_storage *dst, struct kv_fault *f)
{
	const struct kv_conn_peer peer = { .dev = l->end.site->dev.name, .dst = *dst };
	struct kv_conn_side side;
	struct kv_conn_param param;
	int ret;

	kv_sockaddr_format(l->peer, dst);
	ret = make(l, f);
	if (ret)
		return ret;
	param = kv_endpoint_param(&l->end);
	param.rnr_retry = RNR_RETRIES;
	side = side_of(l, deadline(l));
	ret = kv_conn_dial(&side, &peer, &param, f);
	l->end.conn = ret ? 0 : side.conn.id;
	return ret;
}

/**
 * kv_link_add_buffer() - add a buffer
 * @l: the link; it must be connected if the peer accesses the buffer
 * @bytes: size of the buffer
 * @access: KVERBS_ACCESS_*
 */
int kv_link_add_buffer(struct kv_link *l, struct kv_buffer *buffer, uint32_t bytes, uint32_t access,
		       struct kv_fault *f)
{
	int ret = kv_endpoint_add_buffer(&l->end, buffer, bytes, f);

	if (ret || (access == KVERBS_ACCESS_LOCAL_WRITE && !kv_endpoint_needs_key(&l->end)))
		return ret;
	return kv_link_register(l, buffer, access, f);
}

/**
 * kv_link_register() - register a buffer that is not registered, or whose key the peer has
 * invalidated
 * @l: the link, connected
 * @access: KVERBS_ACCESS_*
 */
int kv_link_register(struct kv_link *l, struct kv_buffer *buffer, uint32_t access,
		     struct kv_fault *f)
{
	struct kv_fault why;
	int ret = kv_endpoint_register(&l->end, buffer, access, f);

	/* In the kernel the registration is a request on the QP. */
	if (ret && !look_again(l, &why) && l->ended)
		return kv_fault_set(f, -ECONNRESET,
				    "registering a buffer: the peer has closed the connection");
	return ret;
}

/**
 * kv_link_disconnect() - end the connection
 *
 * Return: 0, also if the peer has ended the connection first, or a negative errno.
 */
int kv_link_disconnect(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, deadline(l));
	int ret = look(l, f);

	return ret || l->ended ? ret : kv_conn_disconnect(&side, f);
}

/** kv_link_wait_end() - wait until the peer ends the connection */
int kv_link_wait_end(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, deadline(l));

	return kv_conn_wait(&side, 1U << KVERBS_CONN_DISCONNECTED, f);
}
