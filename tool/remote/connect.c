// SPDX-License-Identifier: MIT
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "remote/connect.h"
#include "remote/ssh.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* How long the connection to one address may take. */
#define CONNECT_NS 10000000000ULL

/* The same over ssh, which may ask for a password. */
#define SSH_NS 120000000000ULL

static const char *port_of(const struct kv_peer *peer)
{
	return peer->port ? peer->port : KV_PEER_PORT;
}

static int explain(const struct kv_peer *peer, int error, struct kv_fault *f)
{
	const char *host = peer->host, *port = port_of(peer);

	switch (error) {
	case -EINTR:
		return kv_fault_set(f, -ECANCELED, "interrupted");
	case -ECONNREFUSED:
		return kv_fault_set(f, error,
				    "%s: nobody listens on port %s; 'kverbs serve' must run there, on this port (--port)",
				    host, port);
	case -ETIMEDOUT:
		return kv_fault_set(f, error,
				    "%s: no answer from port %s within %llu s; is the host up, and does a firewall let this port through?",
				    host, port, CONNECT_NS / 1000000000);
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return kv_fault_set(f, error, "%s: the host can't be reached: %s", host,
				    strerror(-error));
	}
	return kv_fault_set(f, error, "%s: cannot connect to port %s: %s", host,
			    port, strerror(-error));
}

/* @fd: receives a nonblocking socket. */
static int connect_tcp(const struct kv_peer *peer, int *fd, struct kv_fault *f)
{
	struct addrinfo *list;
	struct kv_fault fault;
	int ret;
	const char *why = kv_tcp_find(peer->host, port_of(peer), AF_UNSPEC, 0, &list);

	if (why)
		return kv_fault_set(f, -EADDRNOTAVAIL, "there is no host '%s': %s", peer->host, why);
	ret = kv_tcp_dial(list, CONNECT_NS);
	freeaddrinfo(list);
	if (ret < 0)
		return explain(peer, ret, f);
	*fd = ret;
	ret = kv_wire_tune(*fd, &fault);
	if (!ret)
		return 0;
	close(*fd);
	return kv_fault_set(f, ret, "%s: %s", peer->host, fault.text);
}

/* Connects to the server, and starts a wire to it. */
static int start_wire(struct kv_wire *w, const struct kv_peer *peer, struct kv_fault *f)
{
	pid_t ssh = 0;
	int fd, ret;

	ret = peer->ssh ? kv_ssh_start(peer, &fd, &ssh, f) : connect_tcp(peer, &fd, f);
	if (ret)
		return ret;
	ret = kv_wire_init(w, fd);
	w->ssh = ssh;
	if (!ret)
		return 0;
	kv_wire_close(w);
	return kv_fault_set(f, ret, "no memory");
}

static int not_over_ssh(struct kv_wire *w, const struct kv_peer *peer, int error,
			struct kv_fault *f)
{
	if (error == -ECONNRESET)
		return kv_ssh_explain(peer, &w->ssh, f);
	if (error == -EPROTO)
		return kv_fault_set(f, error,
				    "%s: %s; does a start file of the shell there print something?",
				    peer->host, w->fault.text);
	return kv_fault_set(f, error, "%s: %s", peer->host, w->fault.text);
}

/* Explains the message that came in place of a hello. */
static int not_a_server(struct kv_wire *w, const struct kv_peer *peer,
			int error, struct kv_fault *f)
{
	const char *port = port_of(peer);

	if (peer->ssh)
		return not_over_ssh(w, peer, error, f);
	if (error == -EPROTO || error == -EMSGSIZE || error == -EBADMSG)
		return kv_fault_set(f, error,
				    "%s: the program that listens on port %s is no 'kverbs serve': %s",
				    peer->host, port, w->fault.text);
	if (error == -ETIMEDOUT)
		return kv_fault_set(f, error,
				    "%s: the program that listens on port %s has not answered for %llu s; is it 'kverbs serve'?",
				    peer->host, port, KV_HELLO_NS / 1000000000);
	return kv_fault_set(f, error, "%s: port %s: %s", peer->host, port, w->fault.text);
}

static int receive(struct kv_wire *w, const struct kv_peer *peer, uint64_t end_ns,
		   struct kv_fault *f)
{
	int ret = kv_wire_receive(w, end_ns);

	return ret ? not_a_server(w, peer, ret, f) : 0;
}

static int receive_hello(struct kv_wire *w, const struct kv_peer *peer,
			 struct kv_hello_server *server, char version[32], struct kv_fault *f)
{
	struct kv_hello_head head;
	int ret = receive(w, peer, kv_now_ns() + (peer->ssh ? SSH_NS : KV_HELLO_NS), f);

	if (ret)
		return ret;
	ret = kv_hello_take_head(w, &head);
	if (!ret && head.protocol != KV_PROTOCOL) {
		/* The server gets our protocol, so that it can log it, too. */
		kv_hello_send(w, NULL, NULL);
		return kv_fault_set(f, -EPROTONOSUPPORT,
				    "%s: its kverbs %s speaks protocol %u, this kverbs %s speaks %u: both hosts need the same",
				    peer->host, head.protocol ? head.version : "", head.protocol,
				    KVERBS_VERSION, KV_PROTOCOL);
	}
	if (!ret)
		ret = kv_hello_take(w, &kv_shape_hello_server, server);
	if (ret)
		return not_a_server(w, peer, ret, f);
	strcpy(version, head.version);
	return 0;
}

static int check_answer(const struct kv_peer *peer, const struct kv_token *token,
			struct kv_proof *proof,
			const struct kv_hello_answer *answer, struct kv_fault *f)
{
	uint8_t mac[KV_MAC_BYTES];

	if (answer->ret)
		return kv_fault_set(f, answer->ret, "%s: %s", peer->host,
				    answer->error[0] ? answer->error : strerror(-answer->ret));
	if (!token->length)
		return 0;
	proof->role = "server";
	proof->dev = answer->dev;
	kv_token_sign(token, proof, mac);
	if (kv_token_is_equal(mac, answer->mac))
		return 0;
	return kv_fault_set(f, -EACCES,
			    "%s: the server has not proved that it knows the token of %s: it may be another program",
			    peer->host, peer->token_file);
}

static int exchange(struct kv_wire *w, const struct kv_peer *peer, const struct kv_token *token,
		    struct kv_hello_client *mine, const struct kv_hello_server *server,
		    struct kv_hello_answer *answer, struct kv_fault *f)
{
	struct kv_proof proof = {
		.role = "client",
		.server_nonce = server->nonce,
		.client_nonce = mine->nonce,
		.space = mine->space,
		.dev = mine->dev,
	};
	int ret = kv_token_nonce(mine->nonce);

	if (ret)
		return kv_fault_set(f, ret, "no random numbers: %s", strerror(-ret));
	if (token->length)
		kv_token_sign(token, &proof, mine->mac);
	ret = kv_hello_send(w, &kv_shape_hello_client, mine);
	if (ret)
		return kv_fault_set(f, ret, "%s: %s", peer->host, w->fault.text);
	ret = receive(w, peer, kv_now_ns() + KV_HELLO_NS, f);
	if (ret)
		return ret;
	ret = kv_attrs_take(&kv_shape_hello_answer, w->head, (int)w->head_length, "hello", answer,
			    &w->fault);
	if (ret)
		return not_a_server(w, peer, ret, f);
	return check_answer(peer, token, &proof, answer, f);
}

/**
 * kv_remote_hello() - agree with a server on a space and a device
 * @w: a wire that is connected to the server
 * @peer: the server's host, with the token and the device
 * @id: the wanted space
 * @limits: receives the server's limits
 * @dev: receives the device's name
 * @version: receives the version of the server's kverbs
 */
int kv_remote_hello(struct kv_wire *w, const struct kv_peer *peer, enum kv_space_id id,
		    struct kv_limits *limits, char dev[64], char version[32], struct kv_fault *f)
{
	struct kv_hello_client mine = { .space = id };
	struct kv_token token = { .length = 0 };
	struct kv_hello_server server;
	struct kv_hello_answer answer;
	int ret = 0;

	if (peer->dev && strlen(peer->dev) >= sizeof(mine.dev))
		return kv_fault_usage(f, "--peer-dev '%s' is longer than any device's name",
				      peer->dev);
	if (peer->token_file)
		ret = kv_token_read(&token, peer->token_file, f);
	if (ret)
		return ret;
	mine.token = token.length;
	strcpy(mine.dev, peer->dev ? peer->dev : "");
	w->head_max = KV_HELLO_MAX;
	w->data_max = KV_HELLO_MAX;
	ret = receive_hello(w, peer, &server, version, f) ?:
	      exchange(w, peer, &token, &mine, &server, &answer, f);
	if (ret)
		goto out_wipe;
	*limits = server.limits;
	strcpy(dev, answer.dev);
	w->head_max = KV_WIRE_HEAD_MAX;
	w->data_max = KV_WIRE_DATA_MAX;
out_wipe:
	kv_token_wipe(&token);
	return ret;
}

static int look(struct kv_site *s, const struct kv_peer *peer, const char *dev, struct kv_fault *f)
{
	struct kv_info info = { 0 };
	int ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ dev }, &s->dev, NULL);

	if (ret)
		return kv_fault_backend(f, s->b, ret, "cannot look at device %s", dev);
	ret = kv_op_info_get(s->b, NULL, &info, NULL);
	s->counter_hz = info.counter_hz;
	return kv_fault_backend(f, s->b, ret, "cannot ask for the frequency of its counter") ?:
	       kv_site_choose(s, peer->ib_port, peer->gid, f);
}

/**
 * kv_site_open_peer() - open a space of another host, where 'kverbs serve' runs
 * @s: receives the space, with @s->host; kv_site_close() closes it
 * @peer: the host; must live as long as @s
 *
 * In results of runs there, ticks are ticks of that host.
 */
int kv_site_open_peer(struct kv_site *s, enum kv_space_id id,
		      const struct kv_peer *peer, struct kv_fault *f)
{
	struct kv_limits limits;
	struct kv_wire w;
	char dev[64];
	int ret;

	s->id = id;
	s->b = NULL;
	s->host = peer->host;
	s->counter_hz = 0;
	ret = start_wire(&w, peer, f);
	if (ret)
		return ret;
	ret = kv_remote_hello(&w, peer, id, &limits, dev, s->version, f);
	if (ret) {
		kv_wire_close(&w);
		return ret;
	}
	ret = kv_backend_remote_open(&s->b, &w, peer->host, id, dev, limits.idle_ns, peer->keep);
	if (ret)
		return kv_fault_set(f, ret, "%s: %s", peer->host, strerror(-ret));
	ret = look(s, peer, dev, f);
	if (ret)
		kv_site_close(s);
	return ret;
}
