// SPDX-License-Identifier: MIT
#include <string.h>
#include <unistd.h>
#include "cli/columns.h"
#include "object/describe.h"
#include "object/noun.h"
#include "object/text.h"
#include "out/out.h"
#include "out/prose.h"

/* The width of a line of an object, and the indent of its further lines. */
/* Of lines that do not come to a terminal. */
#define WIDTH 100
#define INDENT 4

#define PAIR 512

/* Numbers in hexadecimal: bit masks, keys and addresses. */
static bool is_hex(const char *key)
{
	static const char *const keys[] = {
		"lkey", "rkey", "local_dma_lkey", "remote_key", "iova",
		"remote_addr", "invalidate_rkey", "imm", "qkey", "remote_qkey", "group_qkey", "vendor_err",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(key, keys[i]))
			return true;
	}
	return false;
}

/* kv_append() without a format: a line of a batch has dozens of these. */
static void add(char *text, size_t size, const char *more)
{
	size_t used = strlen(text), n = strnlen(more, size - used - 1);

	memcpy(text + used, more, n);
	text[used + n] = '\0';
}

/* Words separated by commas. */
static void add_list(char *text, size_t size, struct json_object *list)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		add(text, size, i ? "," : "");
		add(text, size, json_object_get_string(json_object_array_get_idx(list, i)));
	}
	if (!n)
		add(text, size, "none");
}

/**
 * kv_text_value() - write a value in its usual form: keys and addresses in hex
 * @key: key of the value
 * @value: a number, a string or a list of strings
 */
void kv_text_value(char *text, size_t size, const char *key, struct json_object *value)
{
	uint64_t v = json_object_get_uint64(value);

	text[0] = '\0';
	if (json_object_is_type(value, json_type_array))
		add_list(text, size, value);
	else if (json_object_is_type(value, json_type_int) && is_hex(key))
		snprintf(text, size, "0x%llx", (unsigned long long)v);
	else
		add(text, size, json_object_get_string(value));
}

/* "key value"; "" for a value that is absent or false. */
static void format_pair(char *text, size_t size, struct json_object *obj,
			const char *key, struct json_object *value)
{
	size_t used;

	text[0] = '\0';
	if (!value || !strcmp(key, "status_name"))
		return;
	if (json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value))
		return;
	add(text, size, key);
	for (char *c = text; *c; c++) {
		if (*c == '_')
			*c = '-';
	}
	if (json_object_is_type(value, json_type_boolean))
		return;
	add(text, size, " ");
	used = strlen(text);
	if (!strcmp(key, "status"))
		snprintf(text + used, size - used, "%s (%s)",
			 kv_out_get_string(obj, "/status_name"), json_object_get_string(value));
	else
		kv_text_value(text + used, size - used, key, value);
}

static bool is_pieces(struct json_object *value)
{
	return json_object_is_type(value, json_type_array) &&
	       json_object_is_type(json_object_array_get_idx(value, 0), json_type_object);
}

/**
 * kv_text_pairs() - write the members of a document as keys and values
 * @text: receives them
 * @size: size of @text; a longer text is cut off
 * @begin: text before the first pair
 * @glue: text between two pairs
 */
void kv_text_pairs(char *text, size_t size, struct json_object *obj,
		   const char *begin, const char *glue)
{
	const char *before = begin;

	text[0] = '\0';
	json_object_object_foreach(obj, key, value) {
		char pair[PAIR];
		size_t n = is_pieces(value) ? json_object_array_length(value) : 0;

		for (size_t i = 0; i < n; i++) {
			kv_text_pairs(pair, sizeof(pair), json_object_array_get_idx(value, i), "",
				      " ");
			add(text, size, before);
			add(text, size, key);
			add(text, size, " ");
			add(text, size, pair);
			before = glue;
		}
		if (n)
			continue;
		format_pair(pair, sizeof(pair), obj, key, value);
		if (!*pair)
			continue;
		add(text, size, before);
		add(text, size, pair);
		before = glue;
	}
}

/**
 * kv_text_flags() - write a set of words
 * @table: the words, whose values are bits
 */
void kv_text_flags(char *text, size_t size, const struct kv_enum *table, uint32_t flags)
{
	struct json_object *list = kv_describe_flags(table, flags);

	text[0] = '\0';
	add_list(text, size, list);
	json_object_put(list);
}

/**
 * kv_text_object() - print an object, or a list of them
 * @noun: noun of the object
 * @result: the object's description: its id and its other members; or "objects", a list of them
 */
void kv_text_object(FILE *out, const char *noun, struct json_object *result)
{
	static int width;
	struct json_object *list;
	int column;

	/* Asked for once: a batch may have many lines. */
	if (!width)
		width = (int)kv_columns(STDOUT_FILENO, WIDTH);
	if (json_object_object_get_ex(result, "objects", &list)) {
		for (size_t i = 0; i < json_object_array_length(list); i++)
			kv_text_object(out, noun, json_object_array_get_idx(list, i));
		return;
	}
	column = fprintf(out, "%s %llu", noun, kv_out_get_count(result, "/id"));
	json_object_object_foreach(result, key, value) {
		char pair[PAIR];

		if (!strcmp(key, "id"))
			continue;
		format_pair(pair, sizeof(pair), result, key, value);
		if (!*pair)
			continue;
		if (column + 1 + (int)strlen(pair) > width)
			column = fprintf(out, "\n%*s", INDENT - 1, "") - 1;
		fputc(' ', out);
		fputs(pair, out);
		column += 1 + (int)strlen(pair);
	}
	fputc('\n', out);
}

/** kv_text_line() - print keys and values in a line */
void kv_text_line(FILE *out, const char *noun, struct json_object *result)
{
	char text[1024];

	kv_text_pairs(text, sizeof(text), result, "", " ");
	fprintf(out, "%s\n", text);
}

/**
 * kv_text_plain() - print a text
 * @result: has the text as "text" or as "address"
 */
void kv_text_plain(FILE *out, const char *noun, struct json_object *result)
{
	fprintf(out, "%s\n",
		kv_out_get_string(result, kv_out_get(result, "/text") ? "/text" : "/address"));
}

static uint32_t status_of(struct json_object *list, size_t i)
{
	return (uint32_t)kv_out_get_count(kv_out_item(list, i), "/status");
}

/* A line for each status that has a hint, in the order in which they come. */
static void print_hints(FILE *out, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		uint32_t status = status_of(list, i);
		const char *hint = kv_fault_hint(status);
		size_t first = 0;

		while (first < i && status_of(list, first) != status)
			first++;
		if (hint && first == i)
			kv_prose_print(out, "status %u: %s\n", status, hint);
	}
}

/**
 * kv_text_completions() - print completions, a line each, and what helps against errors
 * @result: has the completions; if there are none, a line says so
 */
void kv_text_completions(FILE *out, const char *noun, struct json_object *result)
{
	struct json_object *list = kv_out_get(result, "/completions");
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++)
		kv_text_line(out, NULL, json_object_array_get_idx(list, i));
	print_hints(out, list);
	if (!n)
		fprintf(out, "no completion\n");
}

/**
 * kv_text_content() - print the content of a buffer
 * @noun: noun of the buffer
 * @result: has the content as "text" or as "hex", or the file that received the content
 */
void kv_text_content(FILE *out, const char *noun, struct json_object *result)
{
	uint64_t offset = kv_out_get_count(result, "/offset");
	struct json_object *value = kv_out_get(result, "/hex");
	const char *hex = json_object_get_string(value);

	if (!hex && kv_out_get(result, "/file")) {
		kv_text_object(out, noun, result);
		return;
	}
	if (!hex) {
		kv_text_plain(out, noun, result);
		return;
	}
	for (size_t i = 0; hex[i]; i += 2) {
		if (!(i % 32))
			fprintf(out, "%s%08llx ", i ? "\n" : "",
				(unsigned long long)offset + i / 2);
		fprintf(out, "%s%.2s", i % 32 == 16 ? "  " : " ", hex + i);
	}
	fputc('\n', out);
}

/** kv_text_refused() - print a refusal that the command expected */
void kv_text_refused(FILE *out, const char *noun, struct json_object *result)
{
	fprintf(out, "refused: %s: %s (%s)\n", kv_out_get_string(result, "/command"),
		kv_out_get_string(result, "/text"), kv_out_get_string(result, "/errno"));
}

/** kv_text_print() - print the result of a command */
void kv_text_print(FILE *out, struct json_object *doc)
{
	struct json_object *result = kv_out_get(doc, "/result");
	const char *title = kv_out_get_string(doc, "/command");
	const struct kv_command *command;
	const struct kv_noun *noun;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(title, " "), title);
	title += strcspn(title, " ");
	noun = kv_noun_find(name);
	command = noun ? kv_command_find(noun, *title ? title + 1 : "") : NULL;
	if (result && command && command->print)
		command->print(out, noun->name, result);
}
