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
	const char *here;
	struct kv_why why;

	if (row->has)
		*(bool *)(base + row->has) = true;
	if (row->note)
		*(const char **)(base + row->note) = row->name;
	if (!parse(row, text, base + row->at, &why))
		return 0;
	here = row->foreign && text ? kv_foreign_value(row->foreign, text) : NULL;
	return kv_fault_usage(f, "--%s '%s' %s%s%s", row->name, text, why.text, here ? "; " : "", here ?: "");
}

/* @bare: receives whether the letter stands for all of the option: no value follows it. */
static const struct kv_option *find_letter(const struct kv_option *rows, char letter, bool *bare)
{
	for (; !is_end(rows); rows++) {
		*bare = rows->flag == letter || !kv_option_takes_word(rows);
		if (letter && (rows->flag == letter || rows->letter == letter))
			return rows;
	}
	return NULL;
}

static const struct kv_option *find_short(const struct kv_option *rows, const char *text,
					  const char **value)
{
	bool bare;
	const struct kv_option *row = find_letter(rows, text[1], &bare);
	bool flag = row && row->flag == text[1];

	if (flag && text[2])
		return NULL;
	*value = flag ? row->flagged : row && text[2] ? text + 2 : NULL;
	return row;
}

/* How many letters of a word stand together, as in -jp; the last one may have a value behind it. */
static size_t count_letters(const struct kv_option *rows, const char *text)
{
	bool bare = true;
	size_t n = 0;

	if (text[0] != '-')
		return 0;
	while (bare && text[n + 1]) {
		if (!find_letter(rows, text[n + 1], &bare))
			return 0;
		n++;
	}
	return n > 1 ? n : 0;
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
		return exact && text[2] ? NULL : find_short(rows, text, value);
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

/* Refuses an option of another program or command. Returns 0 if none has it. */
static int refuse_foreign(const struct kv_option *rows, const char *text, struct kv_fault *f)
{
	int length = text[1] == '-' ? (int)strcspn(text, "=") : 2;
	const struct kv_option *row = rows, *own;
	const struct kv_foreign *option = NULL;
	const char *whose = NULL;
	bool bare, flag;

	for (; !option && !is_end(row); row++) {
		if (row->kind != KV_OPTION_FOREIGN)
			continue;
		option = kv_foreign_option(row->foreign, text);
		whose = row->value;
	}
	if (!option)
		return 0;
	own = find_letter(rows, option->letter, &bare);
	if (!own)
		return kv_fault_usage(f, "%.*s is an option of %s: %s", length, text, whose, option->here);
	flag = own->flag == option->letter;
	return kv_fault_usage(f, "%.*s is an option of %s: here it is --%s%s%s (-%c)", length, text, whose,
			      own->name, flag ? " " : "", flag ? own->flagged : "", option->letter);
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

static int refuse_output(const struct kv_option *row, const char *text, const char *file,
			 struct kv_fault *f)
{
	return kv_fault_usage(f, "%s %s: write --%s=%s to have JSON there, or %s behind all words to print it",
			      text, file, row->name, file, text);
}

/* The command line that is read; the members are those of kv_option_read(). */
struct reader {
	const char *command;
	const struct kv_option *rows;
	void *args;
	bool loose;
	struct kv_fault *f;
};

/*
 * Takes an option. @text: as it was typed; @value: what stands in the same word; @next: the next
 * word, or NULL; @used: receives whether that is the value.
 */
static int take(const struct reader *r, const struct kv_option *row, const char *text,
		const char *value, const char *next, bool *used)
{
	bool output = row->kind == KV_OPTION_OUTPUT, uses_next = !value && takes_next(row, next);
	struct kv_fault *f = r->f;

	*used = uses_next && next;
	if (!row->value && value)
		return kv_fault_usage(f, "%s: this option takes no value", text);
	if (output && value && text[1] != '-')
		return kv_fault_usage(f, "%s: write --%s=FILE to have JSON in a file", text, row->name);
	/* The refusal itself is printed as JSON. */
	if (output && !value && next && names_output(next))
		return set(row, NULL, r->args, f) ?: refuse_output(row, text, next, f);
	/* No value begins so: an option follows. */
	if (uses_next && (!next || !strncmp(next, "--", 2)))
		return r->loose ? kv_fault_usage(f, "%s needs a value", text) :
				  kv_fault_usage(f, "%s needs a value; see 'kverbs %s --help'", text, r->command);
	return set(row, *used ? next : value, r->args, f);
}

/* Takes letters that stand together, as if they stood apart. */
static int take_letters(const struct reader *r, const char *text, size_t letters, const char *next,
			bool *used)
{
	int ret = 0;

	for (size_t i = 1; i <= letters && !ret; i++) {
		char one[] = { '-', text[i], '\0' };
		bool bare;
		const struct kv_option *row = find_letter(r->rows, text[i], &bare);
		const char *value = row->flag == text[i] ? row->flagged :
				    !bare && text[i + 1] ? text + i + 1 : NULL;

		ret = take(r, row, one, value, i == letters ? next : NULL, used);
	}
	return ret;
}

/* Finds -j among letters that stand together. */
static void find_output(const struct kv_option *rows, const char *text, void *args)
{
	size_t letters = count_letters(rows, text);
	const struct kv_option *row;
	struct kv_fault ignored;
	bool bare;

	for (size_t i = 1; i <= letters; i++) {
		row = find_letter(rows, text[i], &bare);
		if (row->kind == KV_OPTION_OUTPUT)
			set(row, NULL, args, &ignored);
	}
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
		if (count_letters(rows, word[i]))
			find_output(rows, word[i], args);
		else if (row && row->kind == KV_OPTION_OUTPUT)
			set(row, value, args, &ignored);
		else if (row)
			i += !value && takes_next(row, i + 1 < typed ? word[i + 1] : NULL);
		else if (loose || word[i][0] != '-')
			to[n++] = word[i];
	}
	return n;
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
	const struct reader r = { command, rows, args, loose, f };
	int typed = *n, ret = 0, i;

	*n = 0;
	for (i = 0; i < typed && !ret; i++) {
		const char *text = word[i], *value, *next = i + 1 < typed ? word[i + 1] : NULL;
		size_t letters = count_letters(rows, text);
		const struct kv_option *row;
		bool used = false;

		if (!strcmp(text, "--")) {
			while (++i < typed)
				word[(*n)++] = word[i];
			break;
		}
		row = kv_option_find(rows, text, loose, &value);
		if (letters)
			ret = take_letters(&r, text, letters, next, &used);
		else if (row)
			ret = take(&r, row, text, value, next, &used);
		else if (kv_option_find(help, text, loose, &value))
			return 0;
		else if (loose || text[0] != '-' || !text[1])
			word[(*n)++] = word[i];
		else
			ret = refuse_foreign(rows, text, f) ?:
			      refuse_unknown(command, rows, text, f);
		i += used;
	}
	if (ret)
		*n += read_rest(word + *n, word + i, typed - i, rows, loose, args);
	/* NULL ends the words, as in main()'s argv. */
	word[*n] = NULL;
	return ret ? ret : 1;
}
