// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
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

/**
 * kv_link_refuse() - report an error of the backend
 * @l: the link
 * @error: the errno of the operation
 * @what: the attempt
 * @f: receives the fault
 *
 * Return: @error
 */
int kv_link_refuse(const struct kv_link *l, int error, const char *what, struct kv_fault *f)
{
	return kv_fault_backend(f, l->end.site->b, error, "cannot %s", what);
}

/**
 * kv_link_deadline() - the deadline of the peer for a step that begins now
 * @l: the link
 *
 * Return: nanoseconds of kv_now_ns().
 */
uint64_t kv_link_deadline(const struct kv_link *l)
{
	return kv_now_ns() + l->spec.timeout_ns;
}

static struct kv_conn_side side_of(const struct kv_link *l, uint64_t end_ns)
{
	return (struct kv_conn_side){ l->end.site->b, end_ns, .conn.id = l->end.conn };
}

/**
 * kv_link_look() - does the connection still exist?
 * @l: the link; its @ended receives the answer
 * @f: receives the reason of a failed query
 *
 * Return: 0 or a negative errno.
 */
int kv_link_look(struct kv_link *l, struct kv_fault *f)
{
	union kv_object object;
	int ret = kv_op_get(l->end.site->b, KV_CONN, l->end.conn, &object);

	if (ret)
		return kv_link_refuse(l, ret, "look at the connection", f);
	l->ended = object.conn.state != KVERBS_CONN_ACCEPTED &&
		   object.conn.state != KVERBS_CONN_ESTABLISHED;
	return 0;
}

/**
 * kv_link_look_again() - does the connection still exist after a failure?
 * @l: the link; its @ended receives the answer
 * @f: receives the reason of a failed query
 *
 * On iWARP the end of the stream brings the QP to ERR before the CM reports the end.
 *
 * Return: 0 or a negative errno.
 */
int kv_link_look_again(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, kv_now_ns() + END_NS);
	struct kv_fault why;

	kv_conn_wait(&side, 1U << KVERBS_CONN_DISCONNECTED, &why);
	return kv_link_look(l, f);
}

/**
 * kv_link_look_up() - find an address
 * @dev: the device to use
 * @host: name or address; NULL: every address of this host, on iWARP every IPv4 address
 * @port: a number
 * @addr: receives the address
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
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
		ret = kv_link_post_receive(l, f);
	return ret;
}

static struct kv_conn_param parameters(const struct kv_link *l)
{
	struct kv_conn_param param = kv_endpoint_param(&l->end);

	param.rnr_retry = RNR_RETRIES;
	return param;
}

/**
 * kv_link_accept() - wait for a connection, without a limit, and accept it
 * @l: its site and its spec are set; receives the connection
 * @listener: id of a CONN that listens
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
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
	param = parameters(l);
	ret = kv_conn_accept(&side, &param, f);
	side.end_ns = kv_link_deadline(l);
	return ret ? ret : kv_conn_confirm(&side, &param, f);
}

/**
 * kv_link_connect() - make a connection
 * @l: its site and its spec are set; receives the connection
 * @dst: address of the peer
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
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
	param = parameters(l);
	side = side_of(l, kv_link_deadline(l));
	ret = kv_conn_dial(&side, &peer, &param, f);
	l->end.conn = ret ? 0 : side.conn.id;
	return ret;
}

/**
 * kv_link_add_buffer() - add a buffer
 * @l: the link; it must be connected if the peer accesses the buffer
 * @buffer: receives the buffer
 * @bytes: size of the buffer
 * @access: KVERBS_ACCESS_*
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_link_add_buffer(struct kv_link *l, struct kv_buffer *buffer, uint32_t bytes, uint32_t access,
		       struct kv_fault *f)
{
	struct kv_fault why;
	int ret = kv_endpoint_add_buffer(&l->end, buffer, bytes, f);

	if (ret || (access == KVERBS_ACCESS_LOCAL_WRITE && !kv_endpoint_needs_key(&l->end)))
		return ret;
	ret = kv_endpoint_register(&l->end, buffer, access, f);
	/* In the kernel the registration is a request on the QP. */
	if (ret && !kv_link_look_again(l, &why) && l->ended)
		return kv_fault_set(f, -ECONNRESET,
				    "registering a buffer: the peer has closed the connection");
	return ret;
}

/**
 * kv_link_disconnect() - end the connection
 * @l: the link
 * @f: receives the reason of a failure
 *
 * Return: 0, also if the peer has ended the connection first, or a negative errno.
 */
int kv_link_disconnect(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, kv_link_deadline(l));
	int ret = kv_link_look(l, f);

	return ret || l->ended ? ret : kv_conn_disconnect(&side, f);
}

/**
 * kv_link_wait_end() - wait until the peer ends the connection
 * @l: the link
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_link_wait_end(struct kv_link *l, struct kv_fault *f)
{
	struct kv_conn_side side = side_of(l, kv_link_deadline(l));

	return kv_conn_wait(&side, 1U << KVERBS_CONN_DISCONNECTED, f);
}
