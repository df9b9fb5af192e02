// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cli/printable.h"
#include "remote/connect.h"
#include "remote/tcp.h"
#include "sys/now.h"

/* How long an address may take. */
#define CONNECT_NS 10000000000ULL

/* Of a text that stands in a message. */
#define VERSION_MAX 31

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
		return kv_fault_set(f, error,
				    "%s: the host can't be reached: %s", host,
				    strerror(-error));
	}
	return kv_fault_set(f, error, "%s: cannot connect to port %s: %s", host,
			    port, strerror(-error));
}

/**
 * kv_remote_connect() - reach the server
 * @peer: where
 * @fd: receives a nonblocking socket
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_remote_connect(const struct kv_peer *peer, int *fd, struct kv_fault *f)
{
	struct addrinfo *list;
	const char *why;
	char err[128];
	int ret;

	why = kv_tcp_find(peer->host, port_of(peer), AF_UNSPEC, 0, &list);
	if (why)
		return kv_fault_set(f, -EADDRNOTAVAIL, "there is no host '%s': %s", peer->host, why);
	ret = kv_tcp_dial(list, CONNECT_NS);
	freeaddrinfo(list);
	if (ret < 0)
		return explain(peer, ret, f);
	*fd = ret;
	ret = kv_wire_tune(*fd, err, sizeof(err));
	if (!ret)
		return 0;
	close(*fd);
	return kv_fault_set(f, ret, "%s: %s", peer->host, err);
}

/* What came in place of a hello. */
static int not_a_server(struct kv_wire *w, const struct kv_peer *peer,
			int error, struct kv_fault *f)
{
	const char *port = port_of(peer);

	if (error == -EPROTO || error == -EMSGSIZE || error == -EBADMSG)
		return kv_fault_set(f, error,
				    "%s: what listens on port %s is no 'kverbs serve': %s",
				    peer->host, port, w->err);
	if (error == -ETIMEDOUT)
		return kv_fault_set(f, error,
				    "%s: what listens on port %s says nothing within %llu s; is it 'kverbs serve'?",
				    peer->host, port, KV_HELLO_NS / 1000000000);
	return kv_fault_set(f, error, "%s: port %s: %s", peer->host, port, w->err);
}

static int receive(struct kv_wire *w, const struct kv_peer *peer, uint64_t end_ns,
		   struct json_object **obj, struct kv_fault *f)
{
	int ret = kv_wire_receive(w, end_ns, obj);

	return ret ? not_a_server(w, peer, ret, f) : 0;
}

static int decode(struct kv_wire *w, const struct kv_peer *peer,
		  const struct kv_shape *shape, struct json_object *obj,
		  void *to, struct kv_fault *f)
{
	int ret = kv_codec_decode(shape, obj, "hello", to, w->err, sizeof(w->err));

	json_object_put(obj);
	return ret ? not_a_server(w, peer, ret, f) : 0;
}

/* The server says so too: to those who look at it, not at us. */
static int check_protocol(const struct kv_peer *peer, struct json_object *obj,
			  struct kv_fault *f)
{
	uint32_t protocol = kv_hello_protocol(obj);
	struct json_object *version;
	const char *text = "?";

	if (protocol == KV_PROTOCOL)
		return 0;
	if (json_object_object_get_ex(obj, "version", &version))
		text = json_object_get_string(version);
	/* Nothing has looked at it yet. */
	if (!text || kv_printable_check(text) || strlen(text) > VERSION_MAX)
		text = "?";
	return kv_fault_set(f, -EPROTONOSUPPORT,
			    "%s: its kverbs %s speaks protocol %u, this kverbs %s speaks %u: both hosts need the same",
			    peer->host, protocol ? text : "", protocol,
			    KVERBS_VERSION, KV_PROTOCOL);
}

static int send_hello(struct kv_wire *w, const struct kv_peer *peer,
		      const struct kv_hello_client *mine, struct kv_fault *f)
{
	struct json_object *obj = kv_codec_encode(&kv_shape_hello_client, mine);
	int ret;

	if (!obj)
		return kv_fault_set(f, -ENOMEM, "no memory");
	ret = kv_wire_send(w, obj, NULL, 0);
	json_object_put(obj);
	return ret ? kv_fault_set(f, ret, "%s: %s", peer->host, w->err) : 0;
}

static int check_answer(const struct kv_peer *peer, const struct kv_token *token,
			struct kv_proof *proof,
			const struct kv_hello_answer *answer, struct kv_fault *f)
{
	uint8_t mac[KV_MAC_BYTES];

	if (answer->ret)
		return kv_fault_set(f, answer->ret, "%s: %s", peer->host,
				    answer->error[0] ? answer->error :
						       strerror(-answer->ret));
	if (!token->length)
		return 0;
	proof->role = "server";
	proof->dev = answer->dev;
	kv_token_sign(token, proof, mac);
	if (kv_token_is_equal(mac, answer->mac))
		return 0;
	return kv_fault_set(f, -EACCES,
			    "%s: the server does not know the token of %s: it is not the one that you mean",
			    peer->host, peer->token_file);
}

static int exchange(struct kv_wire *w, const struct kv_peer *peer,
		    const struct kv_token *token, struct kv_hello_client *mine,
		    const struct kv_hello_server *server,
		    struct kv_hello_answer *answer, uint64_t end_ns,
		    struct kv_fault *f)
{
	struct kv_proof proof = {
		.role = "client",
		.server_nonce = server->nonce,
		.client_nonce = mine->nonce,
		.space = mine->space,
		.dev = mine->dev,
	};
	struct json_object *obj;
	int ret;

	ret = kv_token_nonce(mine->nonce);
	if (ret)
		return kv_fault_set(f, ret, "no random numbers: %s", strerror(-ret));
	if (token->length)
		kv_token_sign(token, &proof, mine->mac);
	ret = send_hello(w, peer, mine, f);
	if (!ret)
		ret = receive(w, peer, end_ns, &obj, f);
	if (!ret)
		ret = decode(w, peer, &kv_shape_hello_answer, obj, answer, f);
	return ret ? ret : check_answer(peer, token, &proof, answer, f);
}

/**
 * kv_remote_hello() - agree with a server
 * @w: connected to it
 * @peer: where it is, with the token and the device
 * @id: the space that is wanted
 * @limits: receives what the server grants
 * @dev: receives the device's name
 * @version: receives the version of the server's kverbs
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_remote_hello(struct kv_wire *w, const struct kv_peer *peer,
		    enum kv_space_id id, struct kv_limits *limits,
		    char dev[64], char version[32], struct kv_fault *f)
{
	uint64_t end_ns = kv_now_ns() + 2 * KV_HELLO_NS;
	struct kv_hello_client mine = {
		.protocol = KV_PROTOCOL,
		.version = KVERBS_VERSION,
		.space = id,
	};
	struct kv_token token = { .length = 0 };
	struct kv_hello_server server;
	struct kv_hello_answer answer;
	struct json_object *obj;
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
	w->json_max = KV_HELLO_MAX;
	ret = receive(w, peer, kv_now_ns() + KV_HELLO_NS, &obj, f);
	if (ret)
		goto out_wipe;
	ret = check_protocol(peer, obj, f);
	if (ret) {
		struct kv_fault unused;

		send_hello(w, peer, &mine, &unused);
		json_object_put(obj);
		goto out_wipe;
	}
	ret = decode(w, peer, &kv_shape_hello_server, obj, &server, f);
	if (!ret)
		ret = exchange(w, peer, &token, &mine, &server, &answer, end_ns, f);
	if (ret)
		goto out_wipe;
	*limits = server.limits;
	strcpy(dev, answer.dev);
	strcpy(version, server.version);
	w->json_max = KV_WIRE_JSON_MAX;
out_wipe:
	kv_token_wipe(&token);
	return ret;
}
