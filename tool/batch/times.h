/* SPDX-License-Identifier: MIT */
#ifndef KV_BATCH_TIMES_H
#define KV_BATCH_TIMES_H

#include <json-c/json.h>
#include "cli/fault.h"
#include "cli/parse.h"

/*
 * What the verbs of each line of a batch took, in both spaces, over several rounds.
 */

/**
 * struct kv_times - the table
 * @rows: a line each, in a tree of tsearch() by the lines' numbers
 * @failed: some of it is missing for want of memory
 */
struct kv_times {
	void *rows;
	bool failed;
};

void kv_times_add(struct kv_times *t, unsigned int line, const char *text, enum kv_space_id space,
		  uint64_t ns);
struct json_object *kv_times_describe(const struct kv_times *t, unsigned int spaces);
int kv_times_print(struct json_object *list, unsigned int spaces, unsigned int rounds,
		   struct kv_fault *f);
void kv_times_clear(struct kv_times *t);

#endif
