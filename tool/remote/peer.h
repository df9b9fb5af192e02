/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/site.h"

/* The default port of 'kverbs serve'. */
#define KV_PEER_PORT "7471"

/* The sender of NOPs when there is no other call: a server ends silent clients. */
enum kv_keep {
	KV_KEEP_THREAD, /* a thread */
	KV_KEEP_CALLER, /* the caller of kv_channel_keep_all(): the process has one thread only */
};

/* Another host, where 'kverbs serve' runs. */
struct kv_peer {
	/* Name or address of the host, with ssh also USER@HOST; NULL: there is none. */
	const char *host;
	bool ssh; /* the host is reached over ssh, which starts the server */
	const char *port; /* TCP port; NULL: KV_PEER_PORT, or the one that ssh takes */
	const char *token_file; /* file with the secret that both hosts have; NULL: none */
	const char *dev; /* name of the host's device; NULL: the only one */
	uint32_t ib_port; /* number of that device's port */
	int gid; /* index into that port's GID table; -1: the best one by type */
	enum kv_keep keep; /* the sender of NOPs */
};

int kv_peer_parse(struct kv_peer *peer, char *text, struct kv_fault *f);
int kv_site_open_peer(struct kv_site *s, enum kv_space_id id,
		      const struct kv_peer *peer, struct kv_fault *f);
