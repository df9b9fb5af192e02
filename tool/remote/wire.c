// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "remote/ssh.h"
#include "remote/wire.h"
#include "sys/now.h"

/* A host that is gone is noticed 10 s after the first byte that the host does not confirm. */
#define KEEP_IDLE_S 4
#define KEEP_INTERVAL_S 2
#define KEEP_COUNT 3
#define CONFIRM_MS 10000

struct header {
	uint32_t magic;
	uint32_t head;
	uint32_t data;
};

/**
 * kv_wire_init() - start a wire
 * @w: receives the wire; kv_wire_close() ends it
 * @fd: nonblocking socket; the wire owns it, also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int kv_wire_init(struct kv_wire *w, int fd)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	w->send_fd = -1;
	w->head_max = KV_WIRE_HEAD_MAX;
	w->data_max = KV_WIRE_DATA_MAX;
	w->data = malloc(KV_WIRE_DATA_MAX);
	w->out = nlmsg_alloc_size(NLMSG_HDRLEN + KV_WIRE_HEAD_MAX);
	if (w->data && w->out)
		return 0;
	kv_wire_close(w);
	return kv_fault_no_memory(&w->fault);
}

/**
 * kv_wire_close() - close a wire
 * @w: the wire; may be closed already
 */
void kv_wire_close(struct kv_wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->send_fd >= 0)
		close(w->send_fd);
	w->fd = -1;
	w->send_fd = -1;
	kv_ssh_end(&w->ssh);
	free(w->head);
	free(w->data);
	nlmsg_free(w->out);
	w->head = NULL;
	w->data = NULL;
	w->out = NULL;
}

/** kv_wire_tune() - make a TCP socket report soon that the other host is gone */
int kv_wire_tune(int fd, struct kv_fault *f)
{
	static const struct {
		int level, name, value;
	} option[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, CONFIRM_MS },
	};

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		if (setsockopt(fd, option[i].level, option[i].name, &option[i].value,
			       sizeof(option[i].value)))
			return kv_fault_set(f, -errno, "cannot set option %d of a socket: %s",
					    option[i].name, strerror(errno));
	}
	return 0;
}

/*
 * -EINTR does not end the wait: half a message can't be given up. If the user wants the tool to
 * end, *end_ns comes down to the time that an answer on its way needs.
 */
static int wait_for(struct kv_wire *w, short events, uint64_t *end_ns)
{
	struct pollfd p = {
		.fd = events == POLLOUT && w->send_fd >= 0 ? w->send_fd : w->fd,
		.events = events,
	};
	uint64_t soon;
	int ms;

	for (;;) {
		soon = kv_now_ns() + KV_WIRE_GRACE_NS;
		if (kv_interrupt_seen() && *end_ns > soon)
			*end_ns = soon;
		ms = kv_interrupt_wait_ms(*end_ns);
		if (!ms && kv_interrupt_seen())
			return kv_fault_set(&w->fault, -ETIMEDOUT, "interrupted; no answer came after that");
		if (!ms)
			return kv_fault_set(&w->fault, -ETIMEDOUT, "no answer in time");
		if (poll(&p, 1, ms) > 0)
			return 0;
	}
}

static int lost(struct kv_wire *w, int error)
{
	if (error == -ETIMEDOUT || error == -EHOSTUNREACH)
		return kv_fault_set(&w->fault, error, "the host is gone: %s", strerror(-error));
	return kv_fault_set(&w->fault, error, "the connection is lost: %s", strerror(-error));
}

/* Sends all parts, within the time that a message may take. */
static int send_all(struct kv_wire *w, struct iovec *part, int parts)
{
	uint64_t end_ns = kv_now_ns() + KV_WIRE_MESSAGE_NS;
	struct msghdr msg = { .msg_iov = part, .msg_iovlen = (size_t)parts };
	ssize_t n;
	int ret;

	while (msg.msg_iovlen) {
		n = w->send_fd < 0 ? sendmsg(w->fd, &msg, MSG_NOSIGNAL) :
				     writev(w->send_fd, msg.msg_iov, (int)msg.msg_iovlen);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return lost(w, -errno);
		if (n < 0) {
			ret = wait_for(w, POLLOUT, &end_ns);
			if (ret)
				return ret;
			continue;
		}
		while (msg.msg_iovlen && (size_t)n >= msg.msg_iov->iov_len) {
			n -= (ssize_t)msg.msg_iov->iov_len;
			msg.msg_iov++;
			msg.msg_iovlen--;
		}
		if (msg.msg_iovlen) {
			msg.msg_iov->iov_base = (char *)msg.msg_iov->iov_base + n;
			msg.msg_iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int send_parts(struct kv_wire *w, const void *head, size_t size, const void *data,
		      uint32_t length)
{
	struct header h = {
		.magic = htonl(KV_WIRE_MAGIC),
		.head = htonl((uint32_t)size),
		.data = htonl(length),
	};
	struct iovec part[] = {
		{ .iov_base = &h, .iov_len = sizeof(h) },
		{ .iov_base = (void *)head, .iov_len = size },
		{ .iov_base = (void *)data, .iov_len = length },
	};

	if (size > KV_WIRE_HEAD_MAX || length > KV_WIRE_DATA_MAX)
		return kv_fault_set(&w->fault, -EMSGSIZE, "a message of %zu and %u bytes is too long", size,
			      length);
	return send_all(w, part, 3);
}

/**
 * kv_wire_begin() - begin a message
 *
 * Return: the wire's own message without attributes, with room for KV_WIRE_HEAD_MAX bytes.
 */
struct nl_msg *kv_wire_begin(struct kv_wire *w)
{
	nlmsg_hdr(w->out)->nlmsg_len = NLMSG_HDRLEN;
	return w->out;
}

/**
 * kv_wire_send() - send a message
 * @w: the wire; the attributes since kv_wire_begin() are the head
 * @data: the data that follow the head
 * @length: bytes of @data, at most KV_WIRE_DATA_MAX
 *
 * Return: 0 or a negative errno; then the wire can't be used any more.
 */
int kv_wire_send(struct kv_wire *w, const void *data, uint32_t length)
{
	struct nlmsghdr *hdr = nlmsg_hdr(w->out);

	return send_parts(w, nlmsg_data(hdr), (size_t)nlmsg_datalen(hdr), data, length);
}

/**
 * kv_wire_send_hello() - send a hello
 * @w: the wire; the attributes since kv_wire_begin() are the data
 * @text: the head, which every version can read
 *
 * Return: as kv_wire_send().
 */
int kv_wire_send_hello(struct kv_wire *w, const char *text)
{
	struct nlmsghdr *hdr = nlmsg_hdr(w->out);

	return send_parts(w, text, strlen(text), nlmsg_data(hdr), (uint32_t)nlmsg_datalen(hdr));
}

/* @began: a part of the message has been received already. */
static int receive_all(struct kv_wire *w, void *to, size_t size, uint64_t *end_ns, bool began)
{
	size_t done = 0;
	ssize_t n;
	int ret;

	while (done < size) {
		n = read(w->fd, (char *)to + done, size - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (!n)
			return began || done ?
			       kv_fault_set(&w->fault, -ECONNRESET, "the connection ended within a message") :
			       kv_fault_set(&w->fault, -ECONNRESET, "the connection was closed");
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return lost(w, -errno);
		ret = wait_for(w, POLLIN, end_ns);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * kv_wire_wait() - wait until a message begins
 * @end_ns: end of the wait, of kv_now_ns()
 *
 * Return: 0 or -ETIMEDOUT.
 */
int kv_wire_wait(struct kv_wire *w, uint64_t end_ns)
{
	return wait_for(w, POLLIN, &end_ns);
}

/**
 * kv_wire_ready() - has a message begun?
 * @ns: how long to wait for it
 *
 * Return: true if so, or if the other end has closed. A signal ends the wait.
 */
bool kv_wire_ready(const struct kv_wire *w, uint64_t ns)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	const struct timespec time = kv_timespec(ns);

	return ppoll(&p, 1, &time, NULL) > 0;
}

/**
 * kv_wire_receive() - receive a message
 * @w: the wire; receives head and data, which stay until the next message
 * @end_ns: the message must be complete by then, of kv_now_ns(); at most KV_WIRE_GRACE_NS from
 *	now once kv_interrupt_seen()
 *
 * Return: 0; -ETIMEDOUT; -ECONNRESET if the other end closed; -EPROTO if the other end speaks
 * something else; -EMSGSIZE if a message is wrong; or another negative errno. After a failure
 * the wire can't be used any more.
 */
int kv_wire_receive(struct kv_wire *w, uint64_t end_ns)
{
	struct header h;
	int ret;

	w->head_length = 0;
	w->data_length = 0;
	ret = receive_all(w, &h, sizeof(h), &end_ns, false);
	if (ret)
		return ret;
	h.head = ntohl(h.head);
	h.data = ntohl(h.data);
	if (ntohl(h.magic) != KV_WIRE_MAGIC)
		return kv_fault_set(&w->fault, -EPROTO, "the bytes that came are no message of kverbs");
	if (!h.head || h.head > w->head_max || h.data > w->data_max)
		return kv_fault_set(&w->fault, -EMSGSIZE,
			      "a message says that it has %u bytes of head and %u of data, at most %u and %u are possible",
			      h.head, h.data, w->head_max, w->data_max);
	/* Of exactly that size, so that ASan sees a read beyond the head. */
	free(w->head);
	w->head = malloc(h.head);
	if (!w->head)
		return kv_fault_no_memory(&w->fault);
	ret = receive_all(w, w->head, h.head, &end_ns, true) ?:
	      receive_all(w, w->data, h.data, &end_ns, true);
	if (ret)
		return ret;
	w->head_length = h.head;
	w->data_length = h.data;
	return 0;
}
