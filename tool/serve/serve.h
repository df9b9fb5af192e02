/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "cli/parse.h"
#include "remote/token.h"
#include "serve/service.h"

/* Listening sockets: one for each kind of address. */
#define KV_SERVE_LISTENERS 2

/* The most clients that are connected, but not admitted yet. */
#define KV_SERVE_PENDING 16

/* The largest value of --clients. */
#define KV_SERVE_CLIENTS_MAX 1024

/* The services of a server, and its clients. */
struct kv_serve {
	/*
	 * Address to listen on; NULL: all addresses, or only the loopback addresses if neither a
	 * token nor @no_token admits other clients.
	 */
	const char *bind;
	const char *port; /* TCP port */
	uint32_t clients; /* number of clients at the same time */
	bool space[KV_SPACES]; /* whether this space is served */
	struct kv_limits limits; /* of each client */
	const struct kv_serve_files *files; /* files that clients may use; NULL: none */
	struct kv_token token; /* the token that clients have to know; length 0: none */
	bool no_token; /* without a token, clients of other hosts are served, too */
	int listener[KV_SERVE_LISTENERS]; /* listening sockets */
	unsigned int listeners; /* number of @listener */
};

/* Are clients of this host the only ones, as neither a token nor @no_token admits others? */
static inline bool kv_serve_is_local(const struct kv_serve *s)
{
	return !s->token.length && !s->no_token;
}

/* Packets between a client's process and the listening one begin with one of these. */
enum kv_serve_word {
	KV_SERVE_ASK = 'a', /* may the client come in? a text follows: what for */
	KV_SERVE_NOTE = 'o', /* for the log; a text follows */
	KV_SERVE_END = 'e', /* how the client ended; a text follows */
	KV_SERVE_YES = 'y',
	KV_SERVE_NO = 'n',
};

#define KV_SERVE_TEXT 400

int kv_serve_allow_descriptors(uint32_t clients, struct kv_fault *f);
int kv_serve_drop(struct kv_fault *f);
int kv_serve_listen(struct kv_serve *s, struct kv_fault *f);
void kv_serve_unlisten(struct kv_serve *s);
void kv_serve_name(int fd, bool peer, char *text, size_t size);
int kv_serve_run(struct kv_serve *s, struct kv_fault *f);
int kv_serve_stdio(struct kv_serve *s, struct kv_fault *f);
void kv_serve_client(struct kv_serve *s, int fd, int send_fd, int parent);
