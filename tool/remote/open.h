/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_OPEN_H
#define KV_REMOTE_OPEN_H

#include "model/site.h"
#include "remote/peer.h"

int kv_site_open_peer(struct kv_site *s, enum kv_space_id id,
		      const struct kv_peer *peer, struct kv_fault *f);

#endif
