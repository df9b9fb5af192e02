// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "object/options.h"

enum option {
	OPTION_HELP,
	OPTION_JSON,
	OPTION_TRACE,
	OPTION_SPACE,
	OPTION_DEV,
	OPTION_REPEAT,
	OPTION_SET,
};

static const struct row {
	const char *name;
	enum option id;
	bool value;
	bool batch; /* makes sense only there */
} rows[] = {
	{ "--help", OPTION_HELP, false, false },
	{ "-h", OPTION_HELP, false, false },
	{ "--json", OPTION_JSON, false, false },
	{ "--trace", OPTION_TRACE, false, false },
	{ "--space", OPTION_SPACE, true, false },
	{ "--dev", OPTION_DEV, true, false },
	{ "--repeat", OPTION_REPEAT, true, true },
	{ "--set", OPTION_SET, true, true },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

#define BOTH ((1U << KV_SPACE_KERNEL) | (1U << KV_SPACE_USER))

/* Also of --option=VALUE, whose value @value points to then. */
static const struct row *find(const char *text, const char **value)
{
	size_t length = strcspn(text, "=");

	*value = text[length] ? text + length + 1 : NULL;
	for (size_t i = 0; i < ROWS; i++) {
		if (strlen(rows[i].name) == length &&
		    !memcmp(rows[i].name, text, length))
			return &rows[i];
	}
	return NULL;
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
	const struct row *row = find(option, &value);

	return row && row->value && !value;
}

static int take_space(struct kv_hand_options *o, const char *value,
		      struct kv_fault *f)
{
	struct kv_why why;
	uint32_t space;

	o->has_space = true;
	o->spaces = BOTH;
	if (!strcmp(value, "both"))
		return 0;
	if (kv_parse_word(value, kv_word_space, &space, &why))
		return kv_fault_usage(f, "--space '%s' is not known; it takes kernel, user or both",
				      value);
	o->spaces = 1U << space;
	return 0;
}

static int take(struct kv_hand_options *o, const struct row *row, char *value,
		struct kv_fault *f)
{
	struct kv_why why;
	uint64_t v;

	switch (row->id) {
	case OPTION_HELP:
		o->help = true;
		break;
	case OPTION_JSON:
		o->json = true;
		break;
	case OPTION_TRACE:
		o->trace = true;
		break;
	case OPTION_SPACE:
		return take_space(o, value, f);
	case OPTION_DEV:
		if (kv_parse_dev(value, &o->dev, &why))
			return kv_fault_usage(f, "--dev '%.200s' %s", value, why.text);
		break;
	case OPTION_REPEAT:
		if (kv_parse_count(value, 1, KV_HAND_REPEAT_MAX, &v, &why))
			return kv_fault_usage(f, "--repeat '%s' %s", value,
					      why.text);
		o->repeat = (unsigned int)v;
		break;
	case OPTION_SET:
		if (!strchr(value, '='))
			return kv_fault_usage(f, "--set '%s' has no =; it takes NAME=VALUE",
					      value);
		o->set[o->sets++] = value;
		break;
	}
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
		const struct row *row = find(argv[i], &inside);

		if (!words_only && !strcmp(argv[i], "--")) {
			words_only = true;
		} else if (words_only || !row || (row->batch && !batch)) {
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
			char *value = (char *)inside;

			if (row->value && !inside)
				value = argv[++i];
			ret = take(o, row, value, f);
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
