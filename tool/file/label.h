/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_LABEL_H
#define KV_FILE_LABEL_H

#include <stddef.h>
#include "file/transfer.h"

/**
 * struct kv_file_label - what the progress bar says of a transfer
 * @step: the step that it is in
 * @begin_ns: when the label was made of this step first, CLOCK_MONOTONIC; 0: of no step yet
 * @begin_bytes: bytes that the step had behind it then
 */
struct kv_file_label {
	enum kv_transfer_step step;
	uint64_t begin_ns;
	uint64_t begin_bytes;
};

void kv_file_label_format(struct kv_file_label *l, enum kv_transfer_step step, uint64_t bytes,
			  uint64_t length, uint64_t now_ns, char *text, size_t size);

#endif
