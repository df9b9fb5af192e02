// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "file/transfer.h"

/* A rate over a shorter time shows the clock and the first piece more than the transfer. */
#define RATE_MIN_NS 500000000

/**
 * kv_transfer_label() - describe the progress and the rate of a transfer
 * @l: the label, zeroed before; notes when the transfer begins
 * @bytes: bytes that have arrived
 * @length: bytes of the file
 * @now_ns: CLOCK_MONOTONIC, more than 0
 * @text: receives the text; without a rate until half a second of it is seen
 */
void kv_transfer_label(struct kv_transfer_label *l, uint64_t bytes, uint64_t length,
		       uint64_t now_ns, char *text, size_t size)
{
	uint64_t ns;
	int n;

	if (!l->begin_ns)
		*l = (struct kv_transfer_label){ now_ns, bytes };
	ns = now_ns - l->begin_ns;
	n = snprintf(text, size, "%.1f of %.1f MiB", (double)bytes / KV_TRANSFER_MIB,
		     (double)length / KV_TRANSFER_MIB);
	if (ns >= RATE_MIN_NS && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", %.1f MiB/s",
			 (double)(bytes - l->begin_bytes) / KV_TRANSFER_MIB / ((double)ns / 1e9));
}
