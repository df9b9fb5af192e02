/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_OPEN_H
#define KV_REMOTE_OPEN_H

#include "model/space.h"
#include "remote/peer.h"

int kv_space_open_peer(struct kv_space *s, enum kv_space_id id,
		       const struct kv_peer *peer, struct kv_fault *f);

#endif
