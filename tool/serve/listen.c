// SPDX-License-Identifier: MIT
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "remote/tcp.h"
#include "serve/serve.h"

/**
 * kv_serve_name() - format an end of a connection as text
 * @peer: the other end, not this end
 * @text: receives "ADDRESS port PORT"
 */
void kv_serve_name(int fd, bool peer, char *text, size_t size)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int ret;

	ret = peer ? getpeername(fd, (struct sockaddr *)&ss, &len) :
		     getsockname(fd, (struct sockaddr *)&ss, &len);
	if (!ret)
		ret = getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host), port,
				  sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	if (ret)
		snprintf(text, size, "unknown");
	else
		snprintf(text, size, "%s port %s", host, port);
}

static bool is_loopback(const struct sockaddr *at)
{
	if (at->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)at)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Without a token, only users of this host are served, unless --no-token is given. */
static int check_local(const struct kv_serve *s, const struct addrinfo *at, struct kv_fault *f)
{
	for (; kv_serve_is_local(s) && at; at = at->ai_next) {
		if (!is_loopback(at->ai_addr))
			return kv_fault_usage(f, "--bind %s: without a token only this host's loopback addresses are served: --token FILE serves clients that have the secret, --no-token every client that reaches %s",
					      s->bind, s->bind);
	}
	return 0;
}

static const char *where_to(const struct kv_serve *s)
{
	return s->bind ? s->bind : kv_serve_is_local(s) ? "loopback" : "all addresses";
}

/* Of all addresses, those of a family that this host does not have are left out. */
static bool is_left_out(const struct kv_serve *s, int error)
{
	return error == -EAFNOSUPPORT || (!s->bind && error == -EADDRNOTAVAIL);
}

static int explain(const struct kv_serve *s, int error, struct kv_fault *f)
{
	const char *where = where_to(s);

	switch (error) {
	case -EADDRINUSE:
		return kv_fault_set(f, error,
				    "cannot listen on %s port %s: the port is in use; is another 'kverbs serve' running? --port takes another",
				    where, s->port);
	case -EADDRNOTAVAIL:
		return kv_fault_set(f, error,
				    "cannot listen on %s port %s: this host has no such address",
				    where, s->port);
	}
	return kv_fault_set(f, error, "cannot listen on %s port %s: %s", where,
			    s->port, strerror(-error));
}

/**
 * kv_serve_listen() - listen
 * @s: bind, port, token and no_token are set; receives the sockets, for kv_serve_unlisten()
 *
 * All addresses are those of IPv4 and, if the host has it, of IPv6; so are the loopback
 * addresses.
 */
int kv_serve_listen(struct kv_serve *s, struct kv_fault *f)
{
	/* Without a name and AI_PASSIVE, the addresses are the loopback ones. */
	const int flags = kv_serve_is_local(s) ? 0 : AI_PASSIVE;
	struct addrinfo *list, *at;
	const char *why;
	int ret;

	s->listeners = 0;
	why = kv_tcp_find(s->bind, s->port, AF_UNSPEC, flags, &list);
	if (why)
		return kv_fault_set(f, -EADDRNOTAVAIL, "cannot listen on %s port %s: %s",
				    where_to(s), s->port, why);
	ret = check_local(s, list, f);
	if (ret)
		goto out_list;
	ret = -EADDRNOTAVAIL;
	for (at = list; at && s->listeners < KV_SERVE_LISTENERS; at = at->ai_next) {
		ret = kv_tcp_listen(at, false, SOMAXCONN);
		if (ret >= 0)
			s->listener[s->listeners++] = ret;
		else if (!is_left_out(s, ret))
			break;
	}
	if (s->listeners && (ret >= 0 || is_left_out(s, ret))) {
		ret = 0;
		goto out_list;
	}
	kv_serve_unlisten(s);
	ret = explain(s, ret, f);
out_list:
	freeaddrinfo(list);
	return ret;
}

/**
 * kv_serve_unlisten() - stop listening
 * @s: need not be listening
 */
void kv_serve_unlisten(struct kv_serve *s)
{
	while (s->listeners)
		close(s->listener[--s->listeners]);
}
