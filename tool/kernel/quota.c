// SPDX-License-Identifier: MIT
/* The module's limits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "kernel/msg.h"

/** kv_nl_tell_quota() - add what is in use, and what may be, to a refusal by the module's limits */
void kv_nl_tell_quota(struct kv_nl *nl)
{
	struct kv_backend *b = &nl->base;
	char text[sizeof(b->err)];
	size_t n = strlen(b->err);
	struct kv_info info;

	memcpy(text, b->err, sizeof(text));
	if (!kv_op_info_get(b, NULL, &info, NULL))
		snprintf(text + n, sizeof(text) - n,
			 "; in use are %" PRIu64 " of at most %" PRIu64 " objects, and %" PRIu64 " of at most %" PRIu64 " bytes",
			 info.created - info.destroyed, info.max_objects, info.buffer_bytes,
			 info.max_bytes);
	memcpy(b->err, text, sizeof(text));
}
