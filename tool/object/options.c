// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "object/options.h"

static const struct kv_option rows[] = {
	{ "help", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(struct kv_hand_options, help) },
	KV_HAND_OPTION_ROWS,
	{ .name = NULL },
};

/* Those that only a batch has. */
static const struct kv_option batch_rows[] = {
	KV_HAND_BATCH_ROWS,
	{ .name = NULL },
};

static const struct kv_option *find_row(const struct kv_option *row, const char *name,
					size_t length)
{
	for (; row->name; row++) {
		if (strlen(row->name) == length && !memcmp(row->name, name, length))
			return row;
	}
	return NULL;
}

/* Also of --option=VALUE, whose value @value points to then. */
static const struct kv_option *find(const char *text, bool batch, const char **value)
{
	size_t length = strcspn(text, "=");
	const struct kv_option *row;

	*value = text[length] ? text + length + 1 : NULL;
	if (!strcmp(text, "-h"))
		return &rows[0];
	if (strncmp(text, "--", 2) || length < 3)
		return NULL;
	row = find_row(rows, text + 2, length - 2);
	return row || !batch ? row : find_row(batch_rows, text + 2, length - 2);
}

/**
 * kv_hand_option_has_value() - is the word behind an option its value?
 * @option: what was typed
 *
 * Return: true if it is; false, too, if this is none of the options.
 */
bool kv_hand_option_has_value(const char *option)
{
	const char *value;
	const struct kv_option *row = find(option, true, &value);

	return row && row->value && !value;
}

/**
 * kv_hand_option_parse_set() - read --set
 * @text: NAME=VALUE; must be writable, and live as long as the options
 * @field: struct kv_hand_options, with room for one more
 * @why: receives what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int kv_hand_option_parse_set(const char *text, void *field, struct kv_why *why)
{
	struct kv_hand_options *o = field;

	if (!strchr(text, '=')) {
		snprintf(why->text, sizeof(why->text), "has no =; it takes NAME=VALUE");
		return -EINVAL;
	}
	o->set[o->sets++] = (char *)text;
	return 0;
}

/**
 * kv_hand_options_take() - tell options and words apart
 * @o: receives them; kv_hand_options_free() frees it, on failure too
 * @argc: what was typed, without the tool's name
 * @argv: ditto
 * @batch: options that only a batch has are taken, and what else looks like an
 *	option is refused; else that is a word
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_hand_options_take(struct kv_hand_options *o, int argc, char **argv,
			 bool batch, struct kv_fault *f)
{
	bool words_only = false;
	int ret = 0;

	memset(o, 0, sizeof(*o));
	o->spaces = 1U << KV_SPACE_KERNEL;
	o->word = calloc((size_t)argc + 1, sizeof(*o->word));
	o->set = calloc((size_t)argc + 1, sizeof(*o->set));
	if (!o->word || !o->set)
		return kv_fault_set(f, -ENOMEM, "no memory");
	for (int i = 0; i < argc && !ret; i++) {
		const char *inside;
		const struct kv_option *row = find(argv[i], batch, &inside);

		if (!words_only && !strcmp(argv[i], "--")) {
			words_only = true;
		} else if (words_only || !row) {
			if (!words_only && batch && argv[i][0] == '-' &&
			    argv[i][1])
				ret = kv_fault_usage(f, "%s is no option of 'kverbs batch'; see 'kverbs batch --help'",
						     argv[i]);
			else
				o->word[o->n++] = argv[i];
		} else if (!row->value && inside) {
			ret = kv_fault_usage(f, "%s: this option takes no value",
					     argv[i]);
		} else if (row->value && !inside && i + 1 == argc) {
			ret = kv_fault_usage(f, "%s needs a value", argv[i]);
		} else {
			const char *value = inside;

			if (row->value && !inside)
				value = argv[++i];
			ret = kv_option_set(row, value, o, f);
		}
	}
	return ret;
}

/**
 * kv_hand_options_free() - free what kv_hand_options_take() has allocated
 * @o: the options
 */
void kv_hand_options_free(struct kv_hand_options *o)
{
	free(o->word);
	free(o->set);
	o->word = NULL;
	o->set = NULL;
}
