/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_OPTIONS_H
#define KV_OBJECT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/option.h"

/**
 * struct kv_object_options - options of commands for objects; their position is free
 * @help: --help
 * @json: --json
 * @trace: --trace
 * @has_space: --space was given
 * @spaces: the spaces, a bit for each enum kv_space_id
 * @dev: --dev; NULL: the only one
 * @repeat: --repeat; 0: not given
 * @set: --set, as they were given, NAME=VALUE
 * @sets: how many
 * @word: the words that are no options; ends with NULL
 * @n: how many words
 */
struct kv_object_options {
	bool help;
	bool json;
	bool trace;
	bool has_space;
	uint32_t spaces;
	const char *dev;
	unsigned int repeat;
	char **set;
	size_t sets;
	char **word;
	int n;
};

/* The options of 'batch', whose struct begins with struct kv_object_options. */
extern const struct kv_option kv_object_batch_rows[];

int kv_object_options_take(struct kv_object_options *o, int argc, char **argv, struct kv_fault *f);
void kv_object_options_free(struct kv_object_options *o);
bool kv_object_option_has_value(const char *option);

#endif
