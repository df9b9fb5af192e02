/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_FLOW_H
#define KV_FILE_FLOW_H

#include "file/file.h"
#include "measure/pair.h"

/**
 * struct kv_flow - a file on its way, in pieces; a few pieces are under way at a time
 * @pair: from the first end to the second, made for WRITEs of @depth * @piece bytes
 * @file: the file that is sent, and the one that is received
 * @length: bytes of the file
 * @piece: bytes of a piece; the last piece may have fewer
 * @depth: the most pieces that may be under way
 * @timeout_ns: longest time in which nothing happens
 * @watch: called from time to time with the number of saved bytes; may be NULL
 * @arg: argument of @watch
 * @pieces: number of pieces
 * @posted: number of posted WRITEs
 * @sent: WRITEs that completed at the sender
 * @landed: WRITEs that completed at the receiver
 * @saved: pieces that are in the received file
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
