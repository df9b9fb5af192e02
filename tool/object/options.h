/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "cli/option.h"

/* Options of commands for objects; their position is free. */
struct kv_object_options {
	bool help; /* --help */
	const char *json; /* --json: a file, or "-"; NULL: not given */
	bool pretty; /* --pretty */
	bool details; /* --details */
	bool trace; /* --trace */
	const char *pcap; /* --pcap; NULL: no file */
	bool has_space; /* --space was given */
	uint32_t spaces; /* the spaces, a bit for each enum kv_space_id */
	const char *dev; /* --dev; NULL: the only one */
	unsigned int repeat; /* --repeat; 0: not given */
	bool echo; /* --echo */
	bool step; /* --step */
	char **set; /* --set, as they were given, NAME=VALUE */
	size_t sets; /* how many */
	char **word; /* the words that are no options; ends with NULL */
	int n; /* how many words */
};

/* The options of a single command. */
extern const struct kv_option kv_object_command_rows[];

/* The options of 'batch', whose struct begins with struct kv_object_options. */
extern const struct kv_option kv_object_batch_rows[];

int kv_object_options_take(struct kv_object_options *o, int argc, char **argv, struct kv_fault *f);
void kv_object_options_free(struct kv_object_options *o);
bool kv_object_option_has_value(const char *option);
