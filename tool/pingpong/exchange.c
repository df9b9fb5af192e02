// SPDX-License-Identifier: MIT
/*
 * The sideband of rdma-core's ibv_*_pingpong: over TCP each side sends its QP's
 * address as text, LID:QPN:PSN:GID in hex with its terminating zero, the client first;
 * when the client's QP is connected, too, the client sends "done". With several QPs, as
 * in ibv_srq_pingpong, each side sends a list of fixed length, in which the entries
 * without a QP are zero.
 *
 * Every wait ends at a deadline, at a signal that ends the tool, or when the device is removed: the
 * removal may have to wait for the objects of user space.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "pingpong/pingpong.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* The word that the programs send, with its terminating zero. */
#define DONE "done"

/* Waits until the socket can be read or written. @end_ns: the deadline; UINT64_MAX: none. */
static int wait_for(const struct kv_pingpong *p, int fd, short events, uint64_t end_ns)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	for (;;) {
		int ms = kv_interrupt_wait_ms(end_ns), n;

		if (kv_interrupt_seen())
			return -EINTR;
		if (!ms)
			return -ETIMEDOUT;
		n = poll(&pollfd, 1, ms);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (kv_dev_is_gone(p->site.b, p->site.dev.name))
			return -ENODEV;
	}
}

static int refuse(struct kv_fault *f, int error, const char *what)
{
	if (error == -EINTR)
		return kv_fault_set(f, error, "interrupted");
	if (error == -ETIMEDOUT)
		return kv_fault_set(f, error, "%s: the peer has not answered in time", what);
	return kv_fault_set(f, error, "%s: %s", what, strerror(-error));
}

static int dial(struct kv_pingpong *p, const char *host, const char *port, struct kv_fault *f)
{
	struct addrinfo *list;
	char what[300];
	int ret = kv_tcp_look_up(host, port, AF_UNSPEC, &list, f);

	if (ret)
		return ret;
	ret = kv_tcp_dial(list, p->timeout_ns);
	freeaddrinfo(list);
	if (ret >= 0) {
		p->fd = ret;
		return 0;
	}
	snprintf(what, sizeof(what), "%.200s port %s", host, port);
	return refuse(f, ret, what);
}

/* Waits for a client, without a limit, at every address. */
static int await_client(struct kv_pingpong *p, const char *port, struct kv_fault *f)
{
	struct addrinfo *list, *at;
	char what[64];
	int fd = -EADDRNOTAVAIL, ret = kv_tcp_look_up(NULL, port, AF_UNSPEC, &list, f);

	if (ret)
		return ret;
	snprintf(what, sizeof(what), "port %.40s", port);
	/* An IPv6 socket accepts IPv4 connections, too. */
	for (at = list; at && fd < 0; at = at->ai_next)
		if (at->ai_family == AF_INET6)
			fd = kv_tcp_listen(at, true, 1);
	for (at = list; at && fd < 0 && fd != -EADDRINUSE; at = at->ai_next)
		fd = kv_tcp_listen(at, true, 1);
	freeaddrinfo(list);
	if (fd < 0)
		return refuse(f, fd, what);
	ret = wait_for(p, fd, POLLIN, UINT64_MAX);
	if (!ret) {
		p->fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		ret = p->fd < 0 ? -errno : 0;
	}
	close(fd);
	return ret ? refuse(f, ret, what) : 0;
}

/* Sends or receives all bytes. */
static int move(struct kv_pingpong *p, void *data, size_t size, bool write,
		const char *what, struct kv_fault *f)
{
	uint64_t end_ns = kv_now_ns() + p->timeout_ns;
	char *at = data;
	ssize_t n;
	int ret;

	while (size) {
		ret = wait_for(p, p->fd, write ? POLLOUT : POLLIN, end_ns);
		if (ret)
			return refuse(f, ret, what);
		n = write ? send(p->fd, at, size, MSG_NOSIGNAL) : recv(p->fd, at, size, 0);
		if (!n)
			return kv_fault_set(f, -ECONNRESET, "%s: the peer has closed the connection",
					    what);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return refuse(f, -errno, what);
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* With several QPs each side sends a list. */
static unsigned int places(const struct kv_pingpong *p)
{
	return p->type == KV_PINGPONG_SRQ ? KV_PINGPONG_LIST : 1;
}

static int tell(struct kv_pingpong *p, const struct kv_address *own, struct kv_fault *f)
{
	const struct kv_address none = { 0 };
	char text[KV_ADDRESS_TEXT];
	int ret = 0;

	for (unsigned int i = 0; i < places(p) && !ret; i++) {
		kv_address_format(text, i < p->qps ? &own[i] : &none);
		ret = move(p, text, sizeof(text), true, "telling the address", f);
	}
	return ret;
}

static int hear_one(struct kv_pingpong *p, struct kv_address *peer, struct kv_fault *f)
{
	char text[KV_ADDRESS_TEXT];
	struct kv_why why;
	int ret = move(p, text, sizeof(text), false, "hearing the peer's address", f);

	if (!ret && (text[sizeof(text) - 1] || kv_parse_address(text, peer, &why)))
		return kv_fault_set(f, -EPROTO,
				    "the peer has not sent its address as ibv_rc_pingpong does");
	return ret;
}

/* Receives the addresses of the peer's QPs, and connects our QPs to them. */
static int hear(struct kv_pingpong *p, struct kv_fault *f)
{
	struct kv_address peer;
	unsigned int found = 0;
	int ret;

	for (unsigned int i = 0; i < places(p); i++) {
		ret = hear_one(p, &peer, f);
		if (ret)
			return ret;
		found += peer.qpn != 0;
		if (i < p->qps)
			p->qp[i].peer = peer;
	}
	if (places(p) > 1 && found != p->qps)
		return kv_fault_set(f, -EPROTO, "the peer has %u QPs, and this side has %u: give both sides the same number",
				    found, p->qps);
	return kv_pingpong_connect(p, f);
}

/* The client reports that its QPs are connected; the server waits for the report. */
static int confirm(struct kv_pingpong *p, bool client, struct kv_fault *f)
{
	char text[] = DONE;
	int ret;

	if (client)
		return move(p, text, sizeof(text), true, "saying that we are connected", f);
	ret = move(p, text, sizeof(text), false, "waiting until the peer is connected", f);
	if (!ret && memcmp(text, DONE, sizeof(DONE)))
		return kv_fault_set(f, -EPROTO, "the peer has not said that it is connected");
	return ret;
}

/**
 * kv_pingpong_meet() - meet the peer over TCP, and connect the QPs of both sides
 * @p: the side; receives the socket, also on failure
 * @own: addresses of our QPs
 * @host: the server; NULL: wait for a client
 * @port: TCP port of the server
 *
 * Return: 0 or a negative errno; -EPROTO: the peer sent no valid address, or it has another number
 * of QPs.
 */
int kv_pingpong_meet(struct kv_pingpong *p, const struct kv_address *own, const char *host,
		     const char *port, struct kv_fault *f)
{
	if (host)
		return dial(p, host, port, f) ?: tell(p, own, f) ?: hear(p, f) ?:
		       confirm(p, true, f);
	return await_client(p, port, f) ?: hear(p, f) ?: tell(p, own, f) ?: confirm(p, false, f);
}
