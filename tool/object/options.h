/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_OPTIONS_H
#define KV_OBJECT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/fault.h"
#include "cli/parse.h"

/**
 * struct kv_hand_options - options of commands for objects, which stand anywhere
 * @help: --help
 * @json: --json
 * @trace: --trace
 * @has_space: --space was given
 * @spaces: which, a bit for each enum kv_space_id
 * @dev: --dev; NULL: the only one
 * @repeat: --repeat; 0: not given
 * @set: --set, as they were given, NAME=VALUE
 * @sets: how many
 * @word: what is no option
 * @n: how many words
 */
struct kv_hand_options {
	bool help;
	bool json;
	bool trace;
	bool has_space;
	unsigned int spaces;
	const char *dev;
	unsigned int repeat;
	char **set;
	size_t sets;
	char **word;
	size_t n;
};

/* The most rounds that --repeat takes. */
#define KV_HAND_REPEAT_MAX 10000

int kv_hand_options_take(struct kv_hand_options *o, int argc, char **argv,
			 bool batch, struct kv_fault *f);
void kv_hand_options_free(struct kv_hand_options *o);
bool kv_hand_option_has_value(const char *option);

#endif
