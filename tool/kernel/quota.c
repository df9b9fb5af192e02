// SPDX-License-Identifier: MIT
/* The module's limits, as its parameters have them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include "kernel/msg.h"
#include "rules/queue.h"
#include "sys/io.h"

#define PARAMETERS "/sys/module/" KVERBS_GENL_NAME "/parameters/"

/* A parameter's value; 0: it can't be read. */
static uint64_t read_parameter(const char *path)
{
	char line[32];

	return kv_read_line(path, line, sizeof(line)) ? 0 : strtoull(line, NULL, 10);
}

/* The memory that buffers and queues may take, as kmod/quota.c computes it. */
static uint64_t most_bytes(void)
{
	uint64_t most = read_parameter(PARAMETERS "max_bytes"), share;
	struct sysinfo system;

	if (sysinfo(&system))
		return most;
	share = (uint64_t)system.totalram * system.mem_unit / KV_MEMORY_SHARE;
	return share < most ? share : most;
}

/** kv_nl_tell_quota() - add what is in use, and what may be, to a refusal by the module's limits */
void kv_nl_tell_quota(struct kv_nl *nl)
{
	uint64_t objects = read_parameter(PARAMETERS "max_objects"), bytes = most_bytes();
	struct kv_backend *b = &nl->base;
	char text[sizeof(b->err)];
	size_t n = strlen(b->err);
	struct kv_info info;

	memcpy(text, b->err, sizeof(text));
	if (objects && bytes && !kv_op_info_get(b, NULL, &info, NULL))
		snprintf(text + n, sizeof(text) - n,
			 "; in use are %" PRIu64 " of %" PRIu64 " objects, and %" PRIu64 " of %" PRIu64 " bytes",
			 info.created - info.destroyed, objects, info.buffer_bytes, bytes);
	memcpy(b->err, text, sizeof(text));
}
