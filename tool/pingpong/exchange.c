// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "model/site.h"
#include "pingpong/exchange.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* The word that the programs send, with its terminating zero. */
#define DONE "done"

/* Waits until the socket can be read or written. @end_ns: the deadline; UINT64_MAX: none. */
static int wait_for(const struct kv_exchange *x, int fd, short events, uint64_t end_ns)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int ms = kv_interrupt_wait_ms(end_ns), n;

		if (kv_interrupt_seen())
			return -EINTR;
		if (!ms)
			return -ETIMEDOUT;
		n = poll(&p, 1, ms);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (kv_dev_is_gone(x->b, x->dev))
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

/**
 * kv_exchange_connect() - connect to the server
 * @x: all members but the socket are set; receives the connection
 * @host: its name or address
 * @port: port of the server
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_exchange_connect(struct kv_exchange *x, const char *host,
			const char *port, struct kv_fault *f)
{
	struct addrinfo *list;
	char what[300];
	int ret = kv_tcp_look_up(host, port, AF_UNSPEC, &list, f);

	if (ret)
		return ret;
	ret = kv_tcp_dial(list, x->timeout_ns);
	freeaddrinfo(list);
	if (ret >= 0) {
		x->fd = ret;
		return 0;
	}
	snprintf(what, sizeof(what), "%.200s port %s", host, port);
	return refuse(f, ret, what);
}

/**
 * kv_exchange_accept() - wait for a client, without a limit
 * @x: receives the connection
 * @port: port to listen on, at every address
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_exchange_accept(struct kv_exchange *x, const char *port, struct kv_fault *f)
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
	ret = wait_for(x, fd, POLLIN, UINT64_MAX);
	if (!ret) {
		x->fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		ret = x->fd < 0 ? -errno : 0;
	}
	close(fd);
	return ret ? refuse(f, ret, what) : 0;
}

/* Sends or receives all bytes. */
static int move(struct kv_exchange *x, void *data, size_t size, bool write,
		const char *what, struct kv_fault *f)
{
	uint64_t end_ns = kv_now_ns() + x->timeout_ns;
	char *at = data;
	ssize_t n;
	int ret;

	while (size) {
		ret = wait_for(x, x->fd, write ? POLLOUT : POLLIN, end_ns);
		if (ret)
			return refuse(f, ret, what);
		n = write ? send(x->fd, at, size, MSG_NOSIGNAL) : recv(x->fd, at, size, 0);
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

/**
 * kv_exchange_send() - send the addresses of our QPs to the peer
 * @x: the connection
 * @address: addresses of our QPs
 * @n: how many
 * @places: how many addresses a side sends, 1 or KV_EXCHANGE_LIST
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_exchange_send(struct kv_exchange *x, const struct kv_address *address, unsigned int n,
		     unsigned int places, struct kv_fault *f)
{
	const struct kv_address none = { 0 };
	char text[KV_ADDRESS_TEXT];
	int ret = 0;

	for (unsigned int i = 0; i < places && !ret; i++) {
		kv_address_format(text, i < n ? &address[i] : &none);
		ret = move(x, text, sizeof(text), true, "telling the address", f);
	}
	return ret;
}

static int receive(struct kv_exchange *x, struct kv_address *address, struct kv_fault *f)
{
	char text[KV_ADDRESS_TEXT];
	struct kv_why why;
	int ret = move(x, text, sizeof(text), false, "hearing the peer's address", f);

	if (ret)
		return ret;
	if (text[sizeof(text) - 1] || kv_parse_address(text, address, &why))
		return kv_fault_set(f, -EPROTO,
				    "the peer has not told its address as ibv_rc_pingpong does");
	return 0;
}

/**
 * kv_exchange_receive() - receive the addresses of the peer's QPs
 * @x: the connection
 * @address: receives the addresses; it has room for KV_EXCHANGE_LIST
 * @n: how many QPs the peer must have, if it sends a list
 * @places: how many addresses a side sends, 1 or KV_EXCHANGE_LIST
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno; -EPROTO: the peer sent no valid address, or it has another number
 * of QPs.
 */
int kv_exchange_receive(struct kv_exchange *x, struct kv_address *address, unsigned int n,
			unsigned int places, struct kv_fault *f)
{
	unsigned int found = 0;
	int ret;

	for (unsigned int i = 0; i < places; i++) {
		ret = receive(x, &address[i], f);
		if (ret)
			return ret;
		found += address[i].qpn != 0;
	}
	if (places == 1 || found == n)
		return 0;
	return kv_fault_set(f, -EPROTO, "the peer has %u QPs, and we have %u: give both sides the same number",
			    found, n);
}

/**
 * kv_exchange_done() - the client reports that its QPs are connected
 * @x: the connection
 * @client: this side is the client; else wait for the client's report
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_exchange_done(struct kv_exchange *x, bool client, struct kv_fault *f)
{
	char text[] = DONE;
	int ret;

	if (client)
		return move(x, text, sizeof(text), true, "saying that we are connected", f);
	ret = move(x, text, sizeof(text), false, "waiting until the peer is connected", f);
	if (!ret && memcmp(text, DONE, sizeof(DONE)))
		return kv_fault_set(f, -EPROTO, "the peer has not said that it is connected");
	return ret;
}

/**
 * kv_exchange_close() - close the connection
 * @x: the connection; nothing happens if there is none
 */
void kv_exchange_close(struct kv_exchange *x)
{
	if (x->fd >= 0)
		close(x->fd);
	x->fd = -1;
}
