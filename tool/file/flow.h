/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_FLOW_H
#define KV_FILE_FLOW_H

#include "file/file.h"
#include "measure/pair.h"

/**
 * struct kv_flow - a file on its way: pieces, of which a few are under way at a time
 * @pair: from the first end to the second, made for WRITEs of @depth * @piece bytes
 * @file: the file that is sent, and the one that is received
 * @length: of the file in bytes
 * @piece: bytes of one, but the last
 * @depth: how many may be under way
 * @timeout_ns: how long nothing may happen
 * @watch: is told from time to time how many bytes are saved; may be NULL
 * @arg: for @watch
 * @pieces: how many there are
 * @posted: WRITEs that were posted
 * @sent: that completed at the sender
 * @landed: that completed at the receiver
 * @saved: that are in the received file
 */
struct kv_flow {
	struct kv_pair *pair;
	struct kv_file *file[2];
	uint64_t length;
	uint32_t piece;
	uint32_t depth;
	uint64_t timeout_ns;
	void (*watch)(uint64_t bytes, void *arg);
	void *arg;
	uint64_t pieces;
	uint64_t posted;
	uint64_t sent;
	uint64_t landed;
	uint64_t saved;
};

int kv_flow_run(struct kv_flow *flow, struct kv_fault *f);

/* probe.c */
void kv_probe_explain(const struct kv_pair *p, unsigned int end, struct kv_fault *f);

#endif
