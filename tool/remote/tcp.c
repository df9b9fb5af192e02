// SPDX-License-Identifier: MIT
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* When the next address of a host is tried beside the address before it (RFC 8305, 8). */
#define NEXT_NS 250000000ULL

/* The most addresses of a host that are tried; few hosts have more than two. */
#define ADDRESSES_MAX 16

/**
 * kv_tcp_find() - the addresses of a host
 * @host: name or address of the host; NULL: this host, as @flags say
 * @family: AF_INET, AF_INET6 or AF_UNSPEC
 * @flags: of getaddrinfo()
 * @list: receives the addresses, for freeaddrinfo()
 *
 * Return: NULL, or the reason why there are no addresses.
 */
const char *kv_tcp_find(const char *host, const char *port, int family, int flags,
			struct addrinfo **list)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags,
	};
	int ret = getaddrinfo(host, port, &hints, list);

	if (!ret)
		return NULL;
	return ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret);
}

/* Attempts to connect to the addresses of a host: all of @p that are not -1 are under way. */
struct attempts {
	struct pollfd p[ADDRESSES_MAX];
	uint64_t end_ns[ADDRESSES_MAX];
	uint64_t each_ns;
	unsigned int n;
	unsigned int open;
	int error;
};

/* Returns true if the attempt connected at once. */
static bool begin(struct attempts *a, const struct addrinfo *to)
{
	struct pollfd *p = &a->p[a->n];

	p->events = POLLOUT;
	p->fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->fd < 0) {
		a->error = -errno;
		return false;
	}
	a->end_ns[a->n++] = kv_now_ns() + a->each_ns;
	if (!connect(p->fd, to->ai_addr, to->ai_addrlen))
		return true;
	a->error = -errno;
	if (a->error == -EINPROGRESS) {
		a->open++;
		return false;
	}
	close(p->fd);
	p->fd = -1;
	return false;
}

/* The end of a wait: the first deadline, or @next_ns if there is a next address. */
static uint64_t next_look_ns(const struct attempts *a, uint64_t next_ns)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (a->p[i].fd >= 0 && a->end_ns[i] < next_ns)
			next_ns = a->end_ns[i];
	return next_ns;
}

/* Returns the socket that has connected, or -1; ends attempts that have failed. */
static int look(struct attempts *a)
{
	uint64_t now = kv_now_ns();

	for (unsigned int i = 0; i < a->n; i++) {
		socklen_t size = sizeof(int);
		int error = ETIMEDOUT;

		if (a->p[i].fd < 0 || (!a->p[i].revents && now < a->end_ns[i]))
			continue;
		if (a->p[i].revents && getsockopt(a->p[i].fd, SOL_SOCKET, SO_ERROR, &error, &size))
			error = errno;
		if (!error)
			return a->p[i].fd;
		a->error = -error;
		close(a->p[i].fd);
		a->p[i].fd = -1;
		a->open--;
	}
	return -1;
}

/*
 * Tries the addresses in order. The next address does not wait for the end of the address before it
 * (RFC 8305, 5), which may be dead; each address has its own time.
 */
static int connect_any(const struct addrinfo *to, struct attempts *a)
{
	uint64_t next_ns = 0;
	int fd = -1, ms;

	while (fd < 0 && (to || a->open)) {
		if (to && a->n < ADDRESSES_MAX && kv_now_ns() >= next_ns) {
			if (begin(a, to))
				return a->p[a->n - 1].fd;
			next_ns = a->error == -EINPROGRESS ? kv_now_ns() + NEXT_NS : 0;
			to = to->ai_next;
			continue;
		}
		if (a->n == ADDRESSES_MAX)
			to = NULL;
		ms = kv_interrupt_wait_ms(next_look_ns(a, to ? next_ns : UINT64_MAX));
		if (kv_interrupt_seen()) {
			a->error = -EINTR;
			break;
		}
		poll(a->p, a->n, ms);
		fd = look(a);
		/* If no attempt is left, the next address is tried at once. */
		if (!a->open)
			next_ns = 0;
	}
	return fd;
}

/**
 * kv_tcp_dial() - connect to the first of a host's addresses that answers
 * @list: the addresses, from kv_tcp_find()
 * @each_ns: longest time of each address
 *
 * Return: a nonblocking socket, or a negative errno: -EINTR if the user wants to end.
 */
int kv_tcp_dial(const struct addrinfo *list, uint64_t each_ns)
{
	struct attempts a = { .each_ns = each_ns, .error = -EADDRNOTAVAIL };
	int fd = connect_any(list, &a);

	for (unsigned int i = 0; i < a.n; i++)
		if (a.p[i].fd >= 0 && a.p[i].fd != fd)
			close(a.p[i].fd);
	return fd < 0 ? a.error : fd;
}

/**
 * kv_tcp_listen() - listen at an address
 * @both: an IPv6 address takes IPv4, too
 * @backlog: number of requests that may wait
 *
 * Return: a nonblocking socket, or a negative errno.
 */
int kv_tcp_listen(const struct addrinfo *at, bool both, int backlog)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, only = !both, error;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    (at->ai_family != AF_INET6 ||
	     !setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only))) &&
	    !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, backlog))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/**
 * kv_tcp_look_up() - find the addresses of a peer, or those to listen at
 * @host: name or address; NULL: any address of this host
 * @family: AF_*
 * @list: receives the addresses, for freeaddrinfo()
 */
int kv_tcp_look_up(const char *host, const char *port, int family, struct addrinfo **list,
		   struct kv_fault *f)
{
	const char *why = kv_tcp_find(host, port, family, host ? 0 : AI_PASSIVE, list);

	return why ? kv_fault_set(f, -EADDRNOTAVAIL, "%s port %s: %s",
				  host ? host : "any address", port, why) : 0;
}
