// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "object/options.h"

static const struct kv_option rows[] = {
	KV_OBJECT_OPTION_ROWS,
	{ .name = NULL },
};

static const struct kv_option batch_rows[] = {
	KV_OBJECT_OPTION_ROWS,
	KV_OBJECT_BATCH_ROWS,
	{ .name = NULL },
};

/**
 * kv_object_option_has_value() - is the word behind an option its value?
 * @option: what was typed
 *
 * Return: true if it is; false, too, if this is none of the options.
 */
bool kv_object_option_has_value(const char *option)
{
	const char *value;
	const struct kv_option *row = kv_option_find(batch_rows, option, true, &value);

	return row && row->value && !value;
}

/**
 * kv_object_option_parse_set() - read --set
 * @text: NAME=VALUE; must be writable, and live as long as the options
 * @field: struct kv_object_options
 * @why: receives what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int kv_object_option_parse_set(const char *text, void *field, struct kv_why *why)
{
	struct kv_object_options *o = field;
	char **set;

	if (!strchr(text, '=')) {
		snprintf(why->text, sizeof(why->text), "has no =; it takes NAME=VALUE");
		return -EINVAL;
	}
	set = reallocarray(o->set, o->sets + 1, sizeof(*set));
	if (!set) {
		snprintf(why->text, sizeof(why->text), "has no room: no memory");
		return -EINVAL;
	}
	o->set = set;
	o->set[o->sets++] = (char *)text;
	return 0;
}

/**
 * kv_object_options_take() - separate options from words
 * @o: receives them; kv_object_options_free() frees it, on failure too
 * @argc: what was typed, without the tool's name
 * @argv: ditto; the words are moved to its front
 * @batch: options that only a batch has are taken, and what else looks like an
 *	option is refused; else that is a word
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_object_options_take(struct kv_object_options *o, int argc, char **argv, bool batch,
			 struct kv_fault *f)
{
	int ret;

	*o = (struct kv_object_options){ .spaces = 1U << KV_SPACE_KERNEL, .word = argv, .n = argc };
	ret = kv_option_read("batch", &o->n, argv, batch ? batch_rows : rows, o, !batch, f);
	return ret < 0 ? ret : 0;
}

/**
 * kv_object_options_free() - free what kv_object_options_take() has allocated
 * @o: the options
 */
void kv_object_options_free(struct kv_object_options *o)
{
	free(o->set);
	o->set = NULL;
}
