/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_QUEUE_H
#define _KV_QUEUE_H

#include <linux/types.h>

/*
 * An estimate of the memory that queues take, in bytes: no verb reports it. The numbers
 * are those of rxe, and near those of other devices. Limits in both spaces use them.
 */

/*
 * A device's memory for a request or a completion: the size of rxe's structures, and
 * enough for devices that write 64-byte blocks.
 */
#define KV_SEND_BYTES 208
#define KV_RECV_BYTES 40
#define KV_CQE_BYTES 72
#define KV_SGE_BYTES 16
/* Devices refuse more, each with its own error. */
#define KV_INLINE_BYTES_MAX 4096
/* Memory of a request that was posted by hand, until its completion is polled. */
#define KV_POSTED_BYTES 192
#define KV_POSTED_SGE_BYTES 8

static inline __u64 kv_queue_pow2(__u64 value)
{
	__u64 n = 1;

	while (n < value)
		n *= 2;
	return n;
}

/* A ring has a power of two of slots, one of them unused. A slot has a power of two of bytes. */
static inline __u64 kv_queue_ring_bytes(__u32 entries, __u64 entry)
{
	return kv_queue_pow2(entries + 1ULL) * kv_queue_pow2(entry);
}

static inline __u64 kv_queue_posted_bytes(__u32 wrs, __u32 sges)
{
	return (__u64)wrs * (KV_POSTED_BYTES + (__u64)sges * KV_POSTED_SGE_BYTES);
}

/**
 * kv_queue_sq_bytes() - the memory of a send queue
 * @wrs: its depth
 * @sges: SGEs of each request
 * @max_inline: bytes that a request can carry
 *
 * Return: bytes.
 */
static inline __u64 kv_queue_sq_bytes(__u32 wrs, __u32 sges, __u32 max_inline)
{
	__u64 tail = (__u64)sges * KV_SGE_BYTES;

	if (max_inline > KV_INLINE_BYTES_MAX)
		max_inline = KV_INLINE_BYTES_MAX;
	if (tail < max_inline)
		tail = max_inline;
	return kv_queue_ring_bytes(wrs, KV_SEND_BYTES + tail) + kv_queue_posted_bytes(wrs, sges);
}

/**
 * kv_queue_rq_bytes() - the memory of a receive queue or an SRQ
 * @wrs: its depth; 0: there is none
 * @sges: SGEs of each request
 *
 * Return: bytes.
 */
static inline __u64 kv_queue_rq_bytes(__u32 wrs, __u32 sges)
{
	if (!wrs)
		return 0;
	return kv_queue_ring_bytes(wrs, KV_RECV_BYTES + (__u64)sges * KV_SGE_BYTES) +
	       kv_queue_posted_bytes(wrs, sges);
}

/**
 * kv_queue_cq_bytes() - the memory of a completion queue
 * @cqe: its depth
 *
 * Return: bytes.
 */
static inline __u64 kv_queue_cq_bytes(__u32 cqe)
{
	return kv_queue_ring_bytes(cqe, KV_CQE_BYTES);
}

#endif
