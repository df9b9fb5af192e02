/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_PEER_H
#define KV_REMOTE_PEER_H

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

/**
 * struct kv_peer - another host, where 'kverbs serve' runs
 * @host: name or address of the host, with ssh also USER@HOST; NULL: there is none
 * @ssh: the host is reached over ssh, which starts the server
 * @port: TCP port; NULL: KV_PEER_PORT, or the one that ssh takes
 * @token_file: file with the secret that both hosts have; NULL: none
 * @dev: name of the host's device; NULL: the only one
 * @ib_port: number of that device's port
 * @gid: index into that port's GID table; -1: the best one by type
 * @keep: the sender of NOPs
 */
struct kv_peer {
	const char *host;
	bool ssh;
	const char *port;
	const char *token_file;
	const char *dev;
	uint32_t ib_port;
	int gid;
	enum kv_keep keep;
};

int kv_peer_parse(struct kv_peer *peer, char *text, struct kv_fault *f);
int kv_site_open_peer(struct kv_site *s, enum kv_space_id id,
		      const struct kv_peer *peer, struct kv_fault *f);

#endif
