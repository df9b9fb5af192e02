/* SPDX-License-Identifier: MIT */
#ifndef KV_SERVE_SERVE_H
#define KV_SERVE_SERVE_H

#include "cli/fault.h"
#include "cli/parse.h"
#include "remote/hello.h"
#include "remote/token.h"
#include "serve/service.h"

/* Sockets that are listened on: one for each kind of address. */
#define KV_SERVE_LISTENERS 2

/* The most clients that are connected, but not admitted yet. */
#define KV_SERVE_PENDING 16

/* The most that --clients takes. */
#define KV_SERVE_CLIENTS_MAX 1024

/**
 * struct kv_serve - what is served, and to whom
 * @bind: address to listen on; NULL: all of them, or the loopback ones if neither a token
 *	nor @no_token says who may come
 * @port: TCP port
 * @clients: at the same time
 * @space: whether this space is served
 * @limits: of each client
 * @files: what they may do with files; NULL: nothing
 * @token: what they have to know; length 0: nothing
 * @no_token: without a token, clients of other hosts are served, too
 * @listener: sockets
 * @listeners: how many of them there are
 */
struct kv_serve {
	const char *bind;
	const char *port;
	uint32_t clients;
	bool space[KV_SPACES];
	struct kv_limits limits;
	const struct kv_serve_files *files;
	struct kv_token token;
	bool no_token;
	int listener[KV_SERVE_LISTENERS];
	unsigned int listeners;
};

/* Packets between a client's process and the listening one begin with one of these. */
enum kv_serve_word {
	KV_SERVE_ASK = 'a', /* what for; a text follows: may it come in? */
	KV_SERVE_NOTE = 'o', /* for the log; a text follows */
	KV_SERVE_END = 'e', /* how it ended; a text follows */
	KV_SERVE_YES = 'y',
	KV_SERVE_NO = 'n',
};

#define KV_SERVE_TEXT 400

int kv_serve_allow_descriptors(uint32_t clients, struct kv_fault *f);
int kv_serve_drop(struct kv_fault *f);
bool kv_serve_is_local(const struct kv_serve *s);
int kv_serve_listen(struct kv_serve *s, struct kv_fault *f);
void kv_serve_unlisten(struct kv_serve *s);
void kv_serve_name(int fd, bool peer, char *text, size_t size);
int kv_serve_run(struct kv_serve *s, struct kv_fault *f);
int kv_serve_stdio(struct kv_serve *s, struct kv_fault *f);
void kv_serve_client(struct kv_serve *s, int fd, int send_fd, int parent);

#endif
