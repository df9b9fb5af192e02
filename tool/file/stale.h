/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_STALE_H
#define KV_FILE_STALE_H

/* What a file is called that has no name yet, where it must have one; 16 digits follow. */
#define KV_STALE_PREFIX ".kverbs-"

void kv_stale_remove(int dir);

#endif
