// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include "object/options.h"

/* The maximum of --repeat. */
#define REPEAT_MAX 10000

/* NAME=VALUE; @text must be writable, and live as long as the options. */
static int parse_set(const char *text, void *field, struct kv_why *why)
{
	struct kv_object_options *o = field;
	char **set;

	if (!strchr(text, '='))
		return kv_why_set(why, "has no =; it takes NAME=VALUE");
	set = reallocarray(o->set, o->sets + 1, sizeof(*set));
	if (!set)
		return kv_why_set(why, "has no room: no memory");
	o->set = set;
	o->set[o->sets++] = (char *)text;
	return 0;
}

#define ROWS										\
	{ "help", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, help) }, \
	KV_OPTION_JSON_ROW(struct kv_object_options, json),				\
	{ "pretty", NULL, "indent the JSON of batch and monitor, which is otherwise a line for each document; that of the other commands is indented anyway", \
	  KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, pretty), .letter = 'p' }, \
	{ "details", NULL, "'show' also lists the objects that use the one shown",	\
	  KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, details), .letter = 'd' }, \
	{ "trace", NULL, "print each verb on standard error: arguments, result, time",	\
	  KV_OPTION_FLAG, .at = offsetof(struct kv_object_options, trace) },		\
	{ "pcap", "FILE", "have tcpdump write the packets of the device's network interface into FILE", \
	  KV_OPTION_TEXT, .at = offsetof(struct kv_object_options, pcap), .min = 1 },	\
	{ "space", "SPACE", "space that the commands run in: kernel (the default), user, or both: first in the kernel, then in user space, with a table of each verb's time at the end", \
	  KV_OPTION_ENUM, .at = offsetof(struct kv_object_options, spaces),		\
	  .has = offsetof(struct kv_object_options, has_space), .names = kv_enum_spaces },	\
	{ "dev", "DEV", "device for commands that name none; default: the only one",	\
	  KV_OPTION_DEV, .at = offsetof(struct kv_object_options, dev) }

const struct kv_option kv_object_command_rows[] = {
	ROWS,
	{ .name = NULL },
};

const struct kv_option kv_object_batch_rows[] = {
	ROWS,
	{ "repeat", "N", "N rounds, in turn in each space, each with new objects; results are printed in the first round only, and the table at the end has medians; default: 10 with --space both, else 1 without a table",
	  KV_OPTION_U32, .at = offsetof(struct kv_object_options, repeat), .min = 1,
	  .max = REPEAT_MAX },
	{ "echo", NULL, "print each line before its result", KV_OPTION_FLAG,
	  .at = offsetof(struct kv_object_options, echo) },
	{ "step", NULL, "as --echo, and wait for Enter before each command of FILE", KV_OPTION_FLAG,
	  .at = offsetof(struct kv_object_options, step) },
	{ "set", "NAME=VALUE", "as the command 'set'; any number of times",
	  KV_OPTION_OWN, .at = 0, .parse = parse_set },
	{ .name = NULL },
};

/**
 * kv_object_option_has_value() - is the word after an option its value?
 * @option: the word that was typed
 *
 * Return: true if it is; false, too, if @option is none of these options.
 */
bool kv_object_option_has_value(const char *option)
{
	const char *value;
	const struct kv_option *row = kv_option_find(kv_object_batch_rows, option, true, &value);

	return row && kv_option_takes_word(row) && !value;
}

/**
 * kv_object_options_take() - separate options from words
 * @o: receives the options; kv_object_options_free() frees it, on failure too
 * @argc: number of arguments, without the tool's name
 * @argv: the arguments; the words are moved to its front; an argument that looks like an option,
 *	but is none, is a word
 */
int kv_object_options_take(struct kv_object_options *o, int argc, char **argv, struct kv_fault *f)
{
	int ret;

	*o = (struct kv_object_options){ .spaces = 1U << KV_SPACE_KERNEL, .word = argv, .n = argc };
	ret = kv_option_read("", &o->n, argv, kv_object_command_rows, o, true, f);
	return ret < 0 ? ret : 0;
}

/** kv_object_options_free() - free the memory of kv_object_options_take() */
void kv_object_options_free(struct kv_object_options *o)
{
	free(o->set);
	o->set = NULL;
}
