// SPDX-License-Identifier: MIT
/* One client, in a process of its own. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "kernel/fields.h"
#include "serve/serve.h"
#include "serve/service.h"
#include "sys/now.h"

/* The delay of the answer to a client that does not know the token. */
#define PENALTY_MS 1000

/* The interval of checks for the removal of the device. */
#define LOOK_NS 1000000000

/* One client. */
struct client {
	const struct kv_serve *serve; /* what is served */
	int parent; /* socket to the process that admits clients; -1: there is none */
	struct kv_wire wire; /* wire to the client */
	struct kv_hello_server server; /* our hello */
	struct kv_hello_client hello; /* the client's hello */
	struct kv_site site; /* the space and the device that the client has asked for */
	struct kv_service service; /* carries out the client's calls */
	uint64_t look_ns; /* time of the next check for the removal of the device, of kv_now_ns() */
	struct kv_fault fault; /* why the client was refused, or has ended */
};

__attribute__((format(printf, 3, 4)))
static void report(struct client *c, enum kv_serve_word word, const char *fmt, ...)
{
	char text[KV_SERVE_TEXT] = { (char)word };
	va_list args;

	if (c->parent < 0)
		return;
	va_start(args, fmt);
	vsnprintf(text + 1, sizeof(text) - 1, fmt, args);
	va_end(args);
	kv_hello_clean(text);
	send(c->parent, text, strlen(text), MSG_NOSIGNAL);
}

/* Takes over the wire's fault. */
static int on_wire(struct client *c, int ret)
{
	if (ret)
		c->fault = c->wire.fault;
	return ret;
}

static int send_hello(struct client *c)
{
	const struct kv_serve *s = c->serve;
	int ret;

	c->server.kernel = s->space[KV_SPACE_KERNEL];
	c->server.user = s->space[KV_SPACE_USER];
	c->server.token = s->token.length;
	c->server.limits = s->limits;
	ret = kv_token_nonce(c->server.nonce);
	if (ret)
		return kv_fault_set(&c->fault, ret, "no random numbers: %s", strerror(-ret));
	return on_wire(c, kv_hello_send(&c->wire, &kv_shape_hello_server, &c->server));
}

/* The message is parsed only if its protocol is ours. */
static int receive_hello(struct client *c)
{
	struct kv_hello_head head;
	int ret;

	c->wire.head_max = KV_HELLO_MAX;
	c->wire.data_max = KV_HELLO_MAX;
	ret = kv_wire_receive(&c->wire, kv_now_ns() + KV_HELLO_NS) ?:
	      kv_hello_take_head(&c->wire, &head);
	if (!ret && head.protocol != KV_PROTOCOL)
		return kv_fault_set(&c->fault, -EPROTONOSUPPORT,
				    "the client speaks protocol %u, this kverbs %s speaks %u: both hosts need the same",
				    head.protocol, KVERBS_VERSION, KV_PROTOCOL);
	if (!ret)
		ret = kv_hello_take(&c->wire, &kv_shape_hello_client, &c->hello);
	c->wire.head_max = KV_SERVICE_HEAD_MAX;
	c->wire.data_max = KV_WIRE_DATA_MAX;
	return on_wire(c, ret);
}

static void sign(struct client *c, const char *role, const char *dev, uint8_t mac[KV_MAC_BYTES])
{
	const struct kv_proof proof = {
		.role = role,
		.server_nonce = c->server.nonce,
		.client_nonce = c->hello.nonce,
		.space = c->hello.space,
		.dev = dev,
	};

	kv_token_sign(&c->serve->token, &proof, mac);
}

static int check_token(struct client *c)
{
	uint8_t mac[KV_MAC_BYTES];

	if (c->hello.token && !c->server.token)
		return kv_fault_set(&c->fault, -EACCES,
				    "the client has a token, and the server has none; leave --token out, or give it to 'kverbs serve'");
	if (!c->server.token)
		return 0;
	if (!c->hello.token)
		return kv_fault_set(&c->fault, -EACCES,
				    "the server wants a token, and the client has none (--token)");
	sign(c, "client", c->hello.dev, mac);
	if (kv_token_is_equal(mac, c->hello.mac))
		return 0;
	poll(NULL, 0, PENALTY_MS);
	return kv_fault_set(&c->fault, -EACCES, "wrong token: the client's is not the server's");
}

static int check_space(struct client *c)
{
	const char *space = kv_enum_name(kv_enum_space, c->hello.space);

	if (c->serve->space[c->hello.space])
		return 0;
	return kv_fault_set(&c->fault, -EOPNOTSUPP,
			    "the server does not serve %s space (kverbs serve --space)", space);
}

static int ask_parent(struct client *c)
{
	char word = 0;

	if (c->parent < 0)
		return 0;
	report(c, KV_SERVE_ASK, "%s space%s%s", kv_enum_name(kv_enum_space, c->hello.space),
	     c->hello.dev[0] ? " of " : "", c->hello.dev);
	if (recv(c->parent, &word, 1, 0) == 1 && word == KV_SERVE_YES)
		return 0;
	return kv_fault_set(&c->fault, -EBUSY,
			    "the server is full: it has %u clients (kverbs serve --clients)",
			    c->serve->clients);
}

static int admit(struct client *c)
{
	int ret = check_token(c) ?:
		  check_space(c) ?:
		  ask_parent(c) ?:
		  kv_site_open(&c->site, c->hello.space,
			       c->hello.dev[0] ? c->hello.dev : NULL, KV_PORT_ANY, -1,
			       &c->fault);

	if (!ret && kv_service_init(&c->service, &c->site, &c->serve->limits))
		ret = kv_fault_no_memory(&c->fault);
	if (!ret)
		kv_serve_file_init(&c->service, c->serve->files);
	return ret;
}

static int send_answer(struct client *c, int ret)
{
	struct kv_hello_answer answer = { .ret = ret };

	if (ret) {
		snprintf(answer.error, sizeof(answer.error), "%.511s", c->fault.text);
		kv_hello_clean(answer.error);
	} else {
		strcpy(answer.dev, c->site.dev.name);
		if (c->server.token)
			sign(c, "server", answer.dev, answer.mac);
	}
	kv_nl_put_all(kv_wire_begin(&c->wire), &kv_shape_hello_answer, &answer);
	return on_wire(c, kv_wire_send(&c->wire, NULL, 0));
}

static int greet(struct client *c)
{
	struct kv_fault why;
	int ret = send_hello(c) ?: receive_hello(c);

	/* A message that is no hello gets no answer; a refused hello gets one. */
	if (ret && ret != -EPROTONOSUPPORT)
		return ret;
	if (!ret)
		ret = admit(c);
	why = c->fault;
	if (send_answer(c, ret))
		return ret ? ret : c->fault.error;
	c->fault = why;
	return ret;
}

static void report_note(struct client *c)
{
	if (c->service.note[0])
		report(c, KV_SERVE_NOTE, "%s", c->service.note);
	c->service.note[0] = '\0';
}

static int answer_one(struct client *c)
{
	uint32_t length;
	int ret = on_wire(c, kv_wire_receive(&c->wire, kv_now_ns() + KV_WIRE_MESSAGE_NS));

	if (ret)
		return ret;
	ret = kv_service_answer(&c->service, &c->wire, &length);
	report_note(c);
	if (!ret)
		return on_wire(c, kv_wire_send(&c->wire, c->wire.data, length));
	kv_wire_send(&c->wire, c->wire.data, length);
	c->fault = c->service.fault;
	return ret;
}

/* The driver, and the process that removes the device, may wait until we close the device. */
static int check_dev(struct client *c)
{
	struct kv_backend *b = c->site.b;
	uint64_t now = kv_now_ns();

	if (now < c->look_ns)
		return 0;
	c->look_ns = now + LOOK_NS;
	if (!b->ops->dev_gone || !b->ops->dev_gone(b, c->site.dev.name))
		return 0;
	return kv_fault_set(&c->fault, -ENODEV, "device %s was removed", c->site.dev.name);
}

static int serve(struct client *c)
{
	uint64_t idle_ns = c->serve->limits.idle_ns, said_ns = kv_now_ns(), next;
	int ret = 0;

	while (!ret) {
		next = kv_service_watch(&c->service);
		if (next > said_ns + idle_ns)
			next = said_ns + idle_ns;
		if (next > c->look_ns)
			next = c->look_ns;
		if (!kv_wire_wait(&c->wire, next)) {
			ret = answer_one(c);
			said_ns = kv_now_ns();
		} else if (kv_now_ns() >= said_ns + idle_ns) {
			ret = kv_fault_set(&c->fault, -ETIMEDOUT,
					   "it has sent nothing for %g s (kverbs serve --idle)",
					   (double)idle_ns / 1e9);
		}
		if (!ret)
			ret = check_dev(c);
	}
	return ret;
}

/**
 * kv_serve_client() - serve one client to its end
 * @s: what is served; its token is wiped when the client is admitted or refused
 * @fd: nonblocking TCP socket to the client, or where to read if there is a @send_fd; is closed
 * @send_fd: nonblocking descriptor to write to, is closed; -1: @fd
 * @parent: socket to the process that admits clients; -1: this process does
 */
void kv_serve_client(struct kv_serve *s, int fd, int send_fd, int parent)
{
	struct client *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return;
	c->serve = s;
	c->parent = parent;
	if (kv_wire_init(&c->wire, fd))
		goto out_free;
	c->wire.send_fd = send_fd;
	ret = (send_fd < 0 ? kv_wire_tune(fd, &c->fault) : 0) ?: greet(c);
	kv_token_wipe(&s->token);
	if (ret) {
		report(c, KV_SERVE_END, "refused: %s", c->fault.text);
		goto out_close;
	}
	serve(c);
	kv_serve_file_exit(&c->service);
	report_note(c);
	report(c, KV_SERVE_END, "ended: %s", c->fault.text);
out_close:
	kv_serve_file_exit(&c->service);
	free(c->service.made);
	kv_site_close(&c->site);
	kv_wire_close(&c->wire);
out_free:
	free(c);
}
