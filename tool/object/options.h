/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_OPTIONS_H
#define KV_OBJECT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/option.h"

/**
 * struct kv_object_options - options of commands for objects, which stand anywhere
 * @help: --help
 * @json: --json
 * @trace: --trace
 * @has_space: --space was given
 * @spaces: which, a bit for each enum kv_space_id
 * @dev: --dev; NULL: the only one
 * @repeat: --repeat; 0: not given
 * @set: --set, as they were given, NAME=VALUE
 * @sets: how many
 * @word: what is no option; ends with NULL
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

/* The most rounds that --repeat takes. */
#define KV_OBJECT_REPEAT_MAX 10000

#define KV_OBJECT_OPTION_ROWS								\
	{ "help", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, help) }, \
	{ "json", NULL, "print JSON", KV_OPTION_FLAG,					\
	  .at = offsetof(struct kv_object_options, json) },				\
	{ "trace", NULL, "tell each verb on standard error: arguments, result, time",	\
	  KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, trace) },		\
	{ "space", "SPACE", "kernel, user or both: where; default: kernel. both: in the kernel and in user space, and then a table of what the verbs took", \
	  KV_OPTION_ENUM, .at = offsetof(struct kv_object_options, spaces),		\
	  .has = offsetof(struct kv_object_options, has_space), .names = kv_enum_spaces },	\
	{ "dev", "DEV", "device for commands that name none; default: the only one",	\
	  KV_OPTION_DEV, .at = offsetof(struct kv_object_options, dev) }

#define KV_OBJECT_BATCH_ROWS								\
	{ "repeat", "N", "N rounds, by turns, each with new objects; what the commands tell is printed in the first round, the table has medians", \
	  KV_OPTION_U32, .at = offsetof(struct kv_object_options, repeat), .min = 1,	\
	  .max = KV_OBJECT_REPEAT_MAX },							\
	{ "set", "NAME=VALUE", "as the command 'set'; any number of times",		\
	  KV_OPTION_OWN, .at = 0, .parse = kv_object_option_parse_set }

int kv_object_option_parse_set(const char *text, void *field, struct kv_why *why);
int kv_object_options_take(struct kv_object_options *o, int argc, char **argv, bool batch,
			 struct kv_fault *f);
void kv_object_options_free(struct kv_object_options *o);
bool kv_object_option_has_value(const char *option);

#endif
