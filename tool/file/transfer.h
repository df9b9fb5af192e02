/* SPDX-License-Identifier: MIT */
#pragma once

#include "file/file.h"
#include "measure/pair.h"
#include "measure/retries.h"

/* The defaults, where the devices can: a registration covers all pieces that are under way. */
#define KV_TRANSFER_PIECE (1U << 20)
#define KV_TRANSFER_DEPTH 8

/* Connections that may fail one after the other without any piece that arrives. */
#define KV_TRANSFER_FAILURES 8

#define KV_TRANSFER_MIB (1024.0 * 1024.0)

/* A file that is brought from one end to the other, and proven. */
struct kv_transfer {
	const struct kv_site *site[2]; /* sites of the sender and of the receiver */
	struct kv_file *file[2]; /* files of the sender and of the receiver */
	const char *name[2]; /* names of the file at the sender and at the receiver */
	bool replace; /* a file of that name may be replaced */
	uint32_t piece; /* bytes of a piece; 0: the default, or less if a device can't take that */
	uint32_t depth; /* pieces under way at a time; 0: likewise */
	uint64_t timeout_ns; /* longest time in which nothing happens */
	uint8_t ack_timeout; /* as in struct kv_workload */
	uint8_t retry_cnt; /* as in struct kv_workload */
	/* Called from time to time with the number of bytes that have arrived; may be NULL. */
	void (*watch)(uint64_t bytes, uint64_t length, void *arg);
	/* Called with the reason when a connection has failed and is made anew; may be NULL. */
	void (*tell)(const char *why, void *arg);
	void *arg; /* argument of @watch and @tell */

	uint64_t length; /* bytes of the file */
	uint8_t digest[KV_HASH_BYTES]; /* SHA-256 of the file */
	uint64_t pieces; /* number of pieces */
	uint64_t arrived; /* number of pieces that the receiver has saved */
	uint64_t reconnects; /* number of connections that have failed and were made anew */
	uint64_t ns; /* time in which the file was sent, and hashed at both ends */
	struct kv_retries retries; /* the devices' counters while the file is sent */
};

/* The label of a transfer's progress bar. */
struct kv_transfer_label {
	uint64_t begin_ns; /* time of the first label, CLOCK_MONOTONIC; 0: none yet */
	uint64_t begin_bytes; /* bytes that had arrived at @begin_ns */
};

/* flow.c */
bool kv_flow_broke(int error);
void kv_flow_join(const struct kv_fault *first, struct kv_fault *f);
int kv_flow_run(struct kv_transfer *t, struct kv_pair *pair, struct kv_fault *f);

/* probe.c */
void kv_probe_explain(const struct kv_pair *p, unsigned int end, struct kv_fault *f);

int kv_transfer_run(struct kv_transfer *t, struct kv_fault *f);
void kv_transfer_label(struct kv_transfer_label *l, uint64_t bytes, uint64_t length,
		       uint64_t now_ns, char *text, size_t size);
