/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "out/out.h"

/* Documents of kverbs compare, one for each boot. */
struct kv_merge {
	unsigned int n; /* how many */
	char **path; /* path of each document, as it was given */
	struct json_object **doc; /* the content of each document */
};

extern const struct kv_schema kv_merge_schema;

int kv_merge_read(struct kv_merge *m, char **path, unsigned int n, struct kv_fault *f);
struct json_object *kv_merge_describe(const struct kv_merge *m);
int kv_merge_print(struct json_object *doc, struct kv_fault *f);
void kv_merge_free(struct kv_merge *m);
