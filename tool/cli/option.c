// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/guess.h"
#include "cli/option.h"
#include "cli/wrap.h"

/* The start of the second column of help. */
#define COLUMN 21
/* Room for an option's name. */
#define NAME 32

static bool is_end(const struct kv_option *row)
{
	return !row->name && !row->help;
}

/**
 * kv_option_format() - write an option as help has it
 * @text: receives it, as "-s, --size BYTES"
 */
void kv_option_format(const struct kv_option *row, char *text, size_t size)
{
	char letter[] = { '-', row->letter, ',', ' ', '\0' };

	snprintf(text, size, "%s--%s%s%s%s%s", row->letter ? letter : "", row->name,
		 row->alias ? ", --" : "", row->alias ? row->alias : "",
		 kv_option_takes_word(row) ? " " : "", row->value ? row->value : "");
}

/**
 * kv_option_print_help() - print the help of a command
 * @usage: the lines before them
 * @more: the lines after them, or ""
 */
void kv_option_print_help(const struct kv_option *rows, const char *usage, const char *more)
{
	fputs(usage, stdout);
	if (!is_end(rows))
		putchar('\n');
	for (; !is_end(rows); rows++) {
		char left[64];

		if (!rows->name) {
			printf("\n%s\n", rows->help);
			continue;
		}
		if (!rows->help)
			continue;
		kv_option_format(rows, left, sizeof(left));
		kv_wrap_row(left, rows->help, COLUMN);
	}
	if (*more)
		printf("\n%s", more);
}

static int parse_text(const struct kv_option *row, const char *text, void *field,
		      struct kv_why *why)
{
	if (row->min && !*text)
		return kv_why_set(why, "is empty");
	*(const char **)field = text;
	return 0;
}

static int parse_output(const char *text, void *field, struct kv_why *why)
{
	if (text && !*text)
		return kv_why_set(why, "is empty; it takes a file, or - for standard output");
	*(const char **)field = text ? text : "-";
	return 0;
}

static int parse_count(const struct kv_option *row, const char *text, void *field,
		       struct kv_why *why)
{
	uint64_t v;
	int ret = kv_parse_count(text, row->min, row->max, &v, why);

	if (ret)
		return ret;
	if (row->kind == KV_OPTION_U64)
		*(uint64_t *)field = v;
	else if (row->kind == KV_OPTION_U8)
		*(uint8_t *)field = (uint8_t)v;
	else
		*(uint32_t *)field = (uint32_t)v;
	return 0;
}

static int parse(const struct kv_option *row, const char *text, void *field, struct kv_why *why)
{
	switch (row->kind) {
	case KV_OPTION_FLAG:
	case KV_OPTION_NO:
		*(bool *)field = row->kind == KV_OPTION_FLAG;
		return 0;
	case KV_OPTION_TEXT:
		return parse_text(row, text, field, why);
	case KV_OPTION_DEV:
		return kv_parse_dev(text, field, why);
	case KV_OPTION_PORT:
		return kv_parse_port(text, field, why);
	case KV_OPTION_ENUM_MAY:
		if (!text)
			return 0;
		/* fallthrough */
	case KV_OPTION_ENUM:
		return kv_parse_enum(text, row->names, field, why);
	case KV_OPTION_U8:
	case KV_OPTION_U32:
	case KV_OPTION_S32:
	case KV_OPTION_U64:
		return parse_count(row, text, field, why);
	case KV_OPTION_TIME:
		return kv_parse_time(text, row->min, row->max, field, why);
	case KV_OPTION_SIZE:
		return kv_parse_size(text, field, why);
	case KV_OPTION_BYTES:
		return kv_parse_bytes(text, row->max, field, why);
	case KV_OPTION_MTU:
		return kv_parse_mtu(text, field, why);
	case KV_OPTION_OUTPUT:
		return parse_output(text, field, why);
	case KV_OPTION_OWN:
		return row->parse(text, field, why);
	case KV_OPTION_FOREIGN:
		break;
	}
	return -EINVAL;
}

static int set(const struct kv_option *row, const char *text, void *args, struct kv_fault *f)
{
	char *base = args;
	struct kv_why why;

	if (row->has)
		*(bool *)(base + row->has) = true;
	if (row->note)
		*(const char **)(base + row->note) = row->name;
	if (parse(row, text, base + row->at, &why))
		return kv_fault_usage(f, "--%s '%s' %s", row->name, text, why.text);
	return 0;
}

static const struct kv_option *find_letter(const struct kv_option *rows, const char *text,
					   const char **value)
{
	for (; !is_end(rows); rows++) {
		bool flag = rows->flag == text[1] && !text[2];

		if (!flag && rows->letter != text[1])
			continue;
		*value = flag ? rows->flagged : text[2] ? text + 2 : NULL;
		return rows;
	}
	return NULL;
}

/*
 * The word of an option that a text is a beginning of: its alias, if that is the whole text or its
 * name is none.
 */
static const char *meant(const struct kv_option *row, const char *text)
{
	size_t n = strlen(text);

	if (!row->alias || !kv_word_begins(row->alias, text, n))
		return row->name;
	return !row->alias[n] || !kv_word_begins(row->name, text, n) ? row->alias : row->name;
}

/**
 * kv_option_find() - find the option that a word of the command line names
 * @text: --NAME, --NAME=VALUE, or with NAME cut short if that is unambiguous, and with _ for -;
 *	-h is --help; or -LETTER, -LETTERVALUE
 * @exact: NAME must be complete, and a letter is no option
 * @value: receives the text after the =, or NULL
 *
 * Return: the option's row; NULL if there is none.
 */
const struct kv_option *kv_option_find(const struct kv_option *rows, const char *text, bool exact,
				       const char **value)
{
	struct kv_match match = { 0 };
	char name[NAME];
	size_t length;

	*value = NULL;
	if (!strcmp(text, "-h"))
		text = "--help";
	if (text[0] == '-' && text[1] && text[1] != '-')
		return exact && text[2] ? NULL : find_letter(rows, text, value);
	if (strncmp(text, "--", 2) || !text[2] || text[2] == '=')
		return NULL;
	length = strcspn(text, "=");
	if (text[length])
		*value = text + length + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(length - 2), text + 2);
	for (; !is_end(rows); rows++) {
		if (rows->name && kv_match(&match, name, meant(rows, name), rows))
			return rows;
	}
	return exact ? NULL : match.row;
}

static int refuse_unknown(const char *command, const struct kv_option *rows, const char *text,
			  struct kv_fault *f)
{
	struct kv_guess g;

	kv_guess_begin(&g, "--", text + 2, text[1] == '-' ? strcspn(text + 2, "=") : 0);
	for (; !is_end(rows); rows++) {
		if (rows->name && rows->help)
			kv_guess_add(&g, rows->name);
		if (rows->alias)
			kv_guess_add(&g, rows->alias);
	}
	if (g.n > 1)
		return kv_fault_usage(f, "%s may be %s; see 'kverbs %s --help'", text, g.several, command);
	if (g.nearest)
		return kv_fault_usage(f, "%s is no option of 'kverbs %s', but --%s is; see 'kverbs %s --help'",
				      text, command, g.nearest, command);
	return kv_fault_usage(f, "%s is no option of 'kverbs %s'; see 'kverbs %s --help'", text, command, command);
}

/* In --json FILE, FILE would be taken for a HOST, or for a document to merge. */
static bool names_output(const char *word)
{
	size_t n = strlen(word);

	return !strcmp(word, "-") || (n > 5 && !strcmp(word + n - 5, ".json"));
}

/* Is the next word the value of an option that was typed without =? */
static bool takes_next(const struct kv_option *row, const char *next)
{
	uint32_t ignored;
	struct kv_why why;

	if (row->kind != KV_OPTION_ENUM_MAY)
		return kv_option_takes_word(row);
	return next && !kv_parse_enum(next, row->names, &ignored, &why);
}

/*
 * Behind a mistake: finds --json, so that the refusal is JSON, too, and the words, which name the
 * command. Returns how many words there are.
 */
static int read_rest(char **to, char **word, int typed, const struct kv_option *rows, bool loose,
		     void *args)
{
	const struct kv_option *row;
	struct kv_fault ignored;
	const char *value;
	int n = 0;

	for (int i = 0; i < typed && strcmp(word[i], "--"); i++) {
		row = kv_option_find(rows, word[i], loose, &value);
		if (row && row->kind == KV_OPTION_OUTPUT)
			set(row, value, args, &ignored);
		else if (row)
			i += !value && takes_next(row, i + 1 < typed ? word[i + 1] : NULL);
		else if (loose || word[i][0] != '-')
			to[n++] = word[i];
	}
	return n;
}

static int refuse_output(const struct kv_option *row, const char *text, const char *file,
			 struct kv_fault *f)
{
	return kv_fault_usage(f, "%s %s: write --%s=%s to have JSON there, or %s behind all words to print it",
			      text, file, row->name, file, text);
}

/**
 * kv_option_read() - separate options and words of a command line
 * @command: the command's name; does not matter if @loose
 * @n: how many words were typed after it; receives how many are no options
 * @word: the words; receives those that are no options
 * @rows: the options; --help is accepted even if "help" is none of them
 * @args: the command's struct, with its defaults; receives the values
 * @loose: a word that looks like an option, and is none, is a word
 *
 * After -- all words are no options.
 *
 * Return: 1 if all options were read, 0 if --help was given, or -EINVAL.
 */
int kv_option_read(const char *command, int *n, char **word, const struct kv_option *rows,
		   void *args, bool loose, struct kv_fault *f)
{
	static const struct kv_option help[] = { { .name = "help" }, { .name = NULL } };
	int typed = *n, ret = 0, i;

	*n = 0;
	for (i = 0; i < typed && !ret; i++) {
		const char *text = word[i], *value, *next = i + 1 < typed ? word[i + 1] : NULL;
		const struct kv_option *row;

		if (!strcmp(text, "--")) {
			while (++i < typed)
				word[(*n)++] = word[i];
			break;
		}
		row = kv_option_find(rows, text, loose, &value);
		if (!row && kv_option_find(help, text, loose, &value))
			return 0;
		if (!row && (loose || text[0] != '-' || !text[1]))
			word[(*n)++] = word[i];
		else if (!row)
			ret = refuse_unknown(command, rows, text, f);
		else if (row->kind == KV_OPTION_FOREIGN)
			ret = kv_fault_usage(f, "%.2s is an option of perftest: %s", text, row->instead);
		else if (!row->value && value)
			ret = kv_fault_usage(f, "%s: this option takes no value", text);
		else if (row->kind == KV_OPTION_OUTPUT && value && text[1] != '-')
			ret = kv_fault_usage(f, "%s: write --%s=FILE to have JSON in a file", text, row->name);
		else if (row->kind == KV_OPTION_OUTPUT && !value && next && names_output(next))
			/* The refusal itself is printed as JSON. */
			ret = set(row, NULL, args, f) ?: refuse_output(row, text, next, f);
		else if (!value && !next && takes_next(row, next))
			ret = loose ? kv_fault_usage(f, "%s needs a value", text) :
				      kv_fault_usage(f, "%s needs a value; see 'kverbs %s --help'",
						     text, command);
		else
			ret = set(row, !value && takes_next(row, next) ? word[++i] : value, args,
				  f);
	}
	if (ret)
		*n += read_rest(word + *n, word + i, typed - i, rows, loose, args);
	/* NULL ends the words, as in main()'s argv. */
	word[*n] = NULL;
	return ret ? ret : 1;
}
