/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "cli/fault.h"
#include "cli/parse.h"

/* The times of the verbs of each line of a batch, in both spaces, over several rounds. */

/* The table. */
struct kv_cost {
	void *rows; /* a row for each line, in a tree of tsearch() by the lines' numbers */
	bool failed; /* some times are missing because memory ran out */
};

void kv_cost_add(struct kv_cost *t, unsigned int line, const char *text, enum kv_space_id space,
		  uint64_t ns);
struct json_object *kv_cost_describe(const struct kv_cost *t, unsigned int spaces);
int kv_cost_print(struct json_object *list, unsigned int spaces, unsigned int rounds,
		   struct kv_fault *f);
void kv_cost_clear(struct kv_cost *t);
