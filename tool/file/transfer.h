/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_TRANSFER_H
#define KV_FILE_TRANSFER_H

#include "file/file.h"
#include "measure/pair.h"
#include "measure/retries.h"

/* The defaults: a piece is as large as one registration of rxe covers. */
#define KV_TRANSFER_PIECE (256U << 10)
#define KV_TRANSFER_DEPTH 8

#define KV_TRANSFER_MIB (1024.0 * 1024.0)

/* The steps that take time. */
enum kv_transfer_step {
	KV_TRANSFER_HASH, /* of the file that is sent */
	KV_TRANSFER_SEND,
	KV_TRANSFER_CHECK, /* the hash of the file that was received */
	KV_TRANSFER_STEPS,
};

/**
 * struct kv_transfer - a file that is brought from one end to the other, and proven
 * @site: sites of the sender and of the receiver
 * @file: files of the sender and of the receiver
 * @name: names of the file at the sender and at the receiver
 * @replace: a file of that name may be replaced
 * @piece: bytes of a piece; 0: the default, or less if a device can't take that
 * @depth: pieces under way at a time; 0: likewise
 * @timeout_ns: longest time in which nothing happens
 * @ack_timeout: as in struct kv_workload
 * @retry_cnt: as in struct kv_workload
 * @watch: called from time to time with the number of bytes that a step has done; may be NULL
 * @arg: argument of @watch
 * @length: bytes of the file
 * @digest: SHA-256 of the file
 * @pieces: number of WRITEs
 * @ns: duration of each step
 * @retries: the devices' counters while the file is sent
 */
struct kv_transfer {
	const struct kv_site *site[2];
	struct kv_file *file[2];
	const char *name[2];
	bool replace;
	uint32_t piece;
	uint32_t depth;
	uint64_t timeout_ns;
	uint8_t ack_timeout;
	uint8_t retry_cnt;
	void (*watch)(enum kv_transfer_step step, uint64_t bytes, uint64_t length, void *arg);
	void *arg;

	uint64_t length;
	uint8_t digest[KV_HASH_BYTES];
	uint64_t pieces;
	uint64_t ns[KV_TRANSFER_STEPS];
	struct kv_retries retries;
};

/**
 * struct kv_transfer_label - the label of a transfer's progress bar
 * @step: current step of the transfer
 * @begin_ns: time of the step's first label, CLOCK_MONOTONIC; 0: no step yet
 * @begin_bytes: bytes that the step had done at @begin_ns
 */
struct kv_transfer_label {
	enum kv_transfer_step step;
	uint64_t begin_ns;
	uint64_t begin_bytes;
};

int kv_transfer_run(struct kv_transfer *t, struct kv_fault *f);
void kv_transfer_label(struct kv_transfer_label *l, enum kv_transfer_step step, uint64_t bytes,
		       uint64_t length, uint64_t now_ns, char *text, size_t size);

#endif
