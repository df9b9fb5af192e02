// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "remote/wire.h"
#include "sys/now.h"

/* A host that is gone is noticed 10 s after the first byte that it does not confirm. */
#define KEEP_IDLE_S 4
#define KEEP_INTERVAL_S 2
#define KEEP_COUNT 3
#define CONFIRM_MS 10000

struct header {
	uint32_t magic;
	uint32_t json;
	uint32_t data;
};

__attribute__((format(printf, 3, 4)))
static int refuse(struct kv_wire *w, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->err, sizeof(w->err), fmt, args);
	va_end(args);
	return error;
}

/**
 * kv_wire_init() - begin
 * @w: receives it; kv_wire_close() ends it
 * @fd: nonblocking socket; is the wire's, also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int kv_wire_init(struct kv_wire *w, int fd)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	w->json_max = KV_WIRE_JSON_MAX;
	w->data_max = KV_WIRE_DATA_MAX;
	w->data = malloc(KV_WIRE_DATA_MAX);
	if (w->data)
		return 0;
	kv_wire_close(w);
	return refuse(w, -ENOMEM, "no memory");
}

/**
 * kv_wire_close() - close it
 * @w: may be closed already
 */
void kv_wire_close(struct kv_wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	free(w->data);
	w->data = NULL;
}

/**
 * kv_wire_tune() - make a TCP socket tell soon that the other host is gone
 * @fd: the socket
 * @err: receives why not
 * @size: room there
 *
 * Return: 0 or a negative errno.
 */
int kv_wire_tune(int fd, char *err, size_t size)
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
	int ret;

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		if (!setsockopt(fd, option[i].level, option[i].name,
				&option[i].value, sizeof(option[i].value)))
			continue;
		ret = -errno;
		snprintf(err, size, "cannot set option %d of a socket: %s",
			 option[i].name, strerror(-ret));
		return ret;
	}
	return 0;
}

/*
 * -EINTR does not end it: half a message can't be given up. If the user wants the tool to end,
 * *end_ns comes down to what an answer that is on its way needs.
 */
static int wait_for(struct kv_wire *w, short events, uint64_t *end_ns)
{
	struct pollfd p = { .fd = w->fd, .events = events };
	uint64_t soon;
	int ms;

	for (;;) {
		soon = kv_now_ns() + KV_WIRE_GRACE_NS;
		if (kv_interrupt_seen() && *end_ns > soon)
			*end_ns = soon;
		ms = kv_interrupt_wait_ms(*end_ns);
		if (!ms && kv_interrupt_seen())
			return refuse(w, -ETIMEDOUT, "interrupted, and no answer since");
		if (!ms)
			return refuse(w, -ETIMEDOUT, "no answer in time");
		if (poll(&p, 1, ms) > 0)
			return 0;
	}
}

static int lost(struct kv_wire *w, int error)
{
	if (error == -ETIMEDOUT || error == -EHOSTUNREACH)
		return refuse(w, error, "the host is gone: %s", strerror(-error));
	return refuse(w, error, "the connection is lost: %s", strerror(-error));
}

/* All of the parts, within the time that a message may take. */
static int send_all(struct kv_wire *w, struct iovec *part, int parts)
{
	uint64_t end_ns = kv_now_ns() + KV_WIRE_MESSAGE_NS;
	struct msghdr msg = { .msg_iov = part, .msg_iovlen = (size_t)parts };
	ssize_t n;
	int ret;

	while (msg.msg_iovlen) {
		n = sendmsg(w->fd, &msg, MSG_NOSIGNAL);
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

/**
 * kv_wire_send() - send a message
 * @w: the wire
 * @obj: its JSON; stays the caller's
 * @data: behind it
 * @length: bytes there, at most KV_WIRE_DATA_MAX
 *
 * Return: 0 or a negative errno; then the wire is of no use any more.
 */
int kv_wire_send(struct kv_wire *w, struct json_object *obj, const void *data,
		 uint32_t length)
{
	size_t size;
	const char *text = json_object_to_json_string_length(obj, JSON_C_TO_STRING_PLAIN, &size);
	struct header h;
	struct iovec part[] = {
		{ .iov_base = &h, .iov_len = sizeof(h) },
		{ .iov_base = (void *)text, .iov_len = text ? size : 0 },
		{ .iov_base = (void *)data, .iov_len = length },
	};

	if (!text)
		return refuse(w, -ENOMEM, "no memory");
	if (size > KV_WIRE_JSON_MAX || length > KV_WIRE_DATA_MAX)
		return refuse(w, -EMSGSIZE, "a message of %zu and %u bytes is too long",
			      size, length);
	h.magic = htonl(KV_WIRE_MAGIC);
	h.json = htonl((uint32_t)size);
	h.data = htonl(length);
	return send_all(w, part, 3);
}

/* @began: of the message something has come already. */
static int receive_all(struct kv_wire *w, void *to, size_t size,
		       uint64_t *end_ns, bool began)
{
	size_t done = 0;
	ssize_t n;
	int ret;

	while (done < size) {
		n = recv(w->fd, (char *)to + done, size - done, 0);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (!n)
			return began || done ?
			       refuse(w, -ECONNRESET, "the connection ended within a message") :
			       refuse(w, -ECONNRESET, "the connection was closed");
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

static int parse(struct kv_wire *w, const char *text, uint32_t size,
		 struct json_object **obj)
{
	struct json_tokener *tok = json_tokener_new_ex(KV_WIRE_DEPTH);
	enum json_tokener_error error;
	int ret = 0;

	if (!tok)
		return refuse(w, -ENOMEM, "no memory");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*obj = json_tokener_parse_ex(tok, text, (int)size);
	error = json_tokener_get_error(tok);
	if (error != json_tokener_success || json_tokener_get_parse_end(tok) != size ||
	    !json_object_is_type(*obj, json_type_object)) {
		ret = refuse(w, -EBADMSG, "a message is no JSON object: %s",
			     error == json_tokener_success ? "it is something else" :
							     json_tokener_error_desc(error));
		json_object_put(*obj);
		*obj = NULL;
	}
	json_tokener_free(tok);
	return ret;
}

/**
 * kv_wire_wait() - wait until a message begins
 * @w: the wire
 * @end_ns: until then, of kv_now_ns()
 *
 * Return: 0 or -ETIMEDOUT.
 */
int kv_wire_wait(struct kv_wire *w, uint64_t end_ns)
{
	return wait_for(w, POLLIN, &end_ns);
}

/**
 * kv_wire_receive() - receive a message
 * @w: the wire; its data are there until the next message
 * @end_ns: until then it must be there, of kv_now_ns(); KV_WIRE_GRACE_NS from now at most once
 *	kv_interrupt_seen()
 * @obj: receives its JSON, an object, which is the caller's
 *
 * Return: 0; -ETIMEDOUT; -ECONNRESET if the other end closed; -EPROTO if it speaks
 * something else; -EMSGSIZE or -EBADMSG if a message is wrong; or another negative
 * errno. After a failure the wire is of no use any more.
 */
int kv_wire_receive(struct kv_wire *w, uint64_t end_ns,
		    struct json_object **obj)
{
	struct header h;
	char *text;
	int ret;

	*obj = NULL;
	w->data_length = 0;
	ret = receive_all(w, &h, sizeof(h), &end_ns, false);
	if (ret)
		return ret;
	h.json = ntohl(h.json);
	h.data = ntohl(h.data);
	if (ntohl(h.magic) != KV_WIRE_MAGIC)
		return refuse(w, -EPROTO, "what came is no message of kverbs");
	if (!h.json || h.json > w->json_max || h.data > w->data_max)
		return refuse(w, -EMSGSIZE,
			      "a message says that it has %u bytes of JSON and %u of data, at most %u and %u are possible",
			      h.json, h.data, w->json_max, w->data_max);
	text = malloc(h.json + 1);
	if (!text)
		return refuse(w, -ENOMEM, "no memory");
	ret = receive_all(w, text, h.json, &end_ns, true);
	if (!ret)
		ret = receive_all(w, w->data, h.data, &end_ns, true);
	if (!ret) {
		w->data_length = h.data;
		text[h.json] = '\0';
		ret = parse(w, text, h.json, obj);
	}
	free(text);
	return ret;
}
